"""From what an arm says of its drafter to the drafter itself.

``none``, ``lookup``, ``table`` (the embedded model's own n-gram table), the directory of a table, the directory or hub
id of a language model or of a drafter that reads its target's layers; look-up and one of them joined by ``+``: the
first that proposes wins; a drafter that reads layers with ``+table``, with or without ``+lookup``: all of them weighed
token by token (``blend``).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from engine.drafters.autoregressive import Autoregressive
from engine.drafters.base import Drafter, FirstOf
from engine.drafters.blend import SHORTEST, Blend
from engine.drafters.block import BlockDrafter
from engine.drafters.checkpoint import LoadedDrafter, is_block_drafter, load_block_drafter, read_checkpoint
from engine.drafters.eagle import EagleDrafter
from engine.drafters.lookup import Lookup
from engine.drafters.quantize import packed_copy
from engine.drafters.table import Table, TableDrafter, embedded_table, is_table, load_table
from engine.drafters.votes import read_votes
from engine.models.errors import ModelError
from engine.target import Target, resolve
from engine.trace.events import Arm, ModelFacts
from engine.trace.word import parts

WITHOUT_WEIGHTS = ("none", "lookup")


def drafter_models(drafter: str) -> list[str]:
    """Names of the models a drafter needs, beside its target."""
    return [part for part in parts(drafter) if part not in WITHOUT_WEIGHTS and table_directory(part) is None]


def table_directory(part: str) -> Path | None:
    """Where the table lies that ``part`` names; None where it names none."""
    if part == "table":
        return embedded_table()
    path = Path(part).expanduser()
    return path if is_table(path) else None


def load_tapped(name: str, target: Target) -> LoadedDrafter | None:
    """A drafter that reads its target's layers; None where ``name`` is a language model. Raises ``ModelError``."""
    if name == "embedded":
        return None
    path, shown, revision = resolve(name)
    if not is_block_drafter(path):
        return None
    read_checkpoint(path, len(target.model.layers))  # what doesn't fit is said before anything is packed
    return load_block_drafter(packed_copy(path), target, shown, revision)


def attach(
    arm: Arm, target: Target, get: Callable[[str, str], Target | LoadedDrafter]
) -> tuple[Drafter | None, ModelFacts | None]:
    """A fresh drafter for ``arm`` and, where it has weights, what they are."""
    drafters: list[Drafter] = []
    facts: ModelFacts | None = None
    tables = {part: path for part in parts(arm.drafter) if (path := table_directory(part))}
    for part in parts(arm.drafter):
        if part == "none":
            continue
        if part == "lookup":
            drafters.append(Lookup())
        elif part in tables:
            table = load_table(tables[part])
            check_same_text(table, target)
            drafters.append(TableDrafter(table))
            facts = ModelFacts(
                name=f"n-gram table of {table.target}", path=str(tables[part]), architecture="table",
                weights_bytes=table.nbytes, vocabulary=table.vocabulary,
            )  # fmt: skip
        else:
            model = get(part, arm.target)
            if isinstance(model, LoadedDrafter):
                drafters.append(model.drafter())
            else:
                check_same_tokenizer(model, target)
                drafters.append(Autoregressive(model, target.facts.vocabulary))
            facts = model.facts
    if not drafters:
        return None, None
    return joined(drafters, facts.path if facts else ""), facts


def joined(drafters: list[Drafter], path: str) -> Drafter:
    """Args: path: of the last one's weights."""
    if len(drafters) == 1:
        return drafters[0]
    *helpers, last = drafters
    table = next((d for d in helpers if isinstance(d, TableDrafter)), None)
    if table is None:
        return FirstOf(drafters)
    if not isinstance(last, BlockDrafter | EagleDrafter):
        raise ModelError(
            f"{last.name} can't be weighed against the table, for it doesn't read its target's layers: write it with "
            "+lookup alone."
        )
    lookup = any(isinstance(d, Lookup) for d in helpers)
    return Blend(last, Lookup(shortest=SHORTEST) if lookup else None, table, read_votes(Path(path)))


def tables_of(drafter: Drafter | None) -> list[Table]:
    """The n-gram tables that a drafter, or a part of it, looks into: weights that arms share."""
    if isinstance(drafter, TableDrafter):
        return [drafter.table]
    parts = drafter.parts if isinstance(drafter, Blend) else drafter.drafters if isinstance(drafter, FirstOf) else []
    return [table for part in parts for table in tables_of(part)]


def check_same_tokenizer(drafter: Target, target: Target) -> None:
    """A drafter of scheme A must mean the same text by the same ids."""
    mine, theirs = drafter.tokenizer.get_vocab(), target.tokenizer.get_vocab()
    if mine == theirs:
        return
    differ = len(set(mine.items()) ^ set(theirs.items()))
    raise ModelError(
        f"{drafter.facts.name} can't draft for {target.facts.name}: its vocabulary is another one "
        f"({len(mine)} and {len(theirs)} tokens, {differ} entries differ). Choose a drafter with the same tokenizer."
    )


def check_same_text(table: Table, target: Target) -> None:
    """Ids of another vocabulary would only ever be refused, draft by draft."""
    if table.vocabulary != target.facts.vocabulary:
        raise ModelError(
            f"The table of {table.target} can't draft for {target.facts.name}: it has {table.vocabulary} tokens, the "
            f"model {target.facts.vocabulary}. Fit one to this model's own text with `slipstream train table`."
        )
