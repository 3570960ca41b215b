"""What a request's arms will take, before anything of them is loaded: each model once, caches for every arm."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from engine import host
from engine.branches import MOST_TEXT_TOKENS
from engine.drafters.load import drafter_models, table_directory
from engine.drafters.table import load_table
from engine.memory.count import Need, count_drafter_at, count_target, held_as, text_config
from engine.memory.need import judge
from engine.models import files
from engine.models.errors import ModelError
from engine.models.hub import is_hub_id, local_snapshot
from engine.process.shelf import DEFAULT_CONTEXT_TOKENS, Fit
from engine.trace.events import Arm, Settings
from engine.trace.word import parts

PairKey = tuple[str, str]
LAYERS_COPIED = 3
"""At a time, where caches are quantised, as measured on a CPU: 16 rows behind 1,000 tokens of the embedded model hold
25 MB, 4 of them with plain caches too, which aren't copied there; a layer's copies are 6.9. Not measured on a Mac."""


class Held(NamedTuple):
    """Weights in this process's hands: targets by name, drafters by name and target."""

    targets: Mapping[str, int]
    drafters: Mapping[PairKey, int]


class Load(NamedTuple):
    fit: Fit
    new_bytes: int
    """Beyond what is held already."""
    freed_bytes: int
    """Held by models that no arm needs any more."""

    @property
    def problem(self) -> str:
        """Why it is refused; empty where it is loaded, with or without a warning."""
        fit = self.fit
        here = "this Mac" if host.ON_MAC else "this machine"
        advice = "choose a smaller model or a shorter context, or load it anyway"
        if fit.verdict == "too large":
            return f"{fit.message.removesuffix('.')}: {advice}."
        if fit.verdict == "tight" and self.new_bytes > fit.available_bytes:
            return (
                f"Loading takes {gb(self.new_bytes)} GB more, but {here} has {gb(fit.available_bytes)} GB free: close "
                f"other programs, {advice}."
            )
        return ""


def estimate(
    arms: Sequence[Arm], held: Held, reserve_bytes: int, *,
    machine_bytes: int | None = None, available_bytes: int | None = None,
) -> Load | None:  # fmt: skip
    """None where nothing is to be loaded, or where what is to be loaded can't be weighed: the load itself says why."""
    pairs = {(name, arm.target) for arm in arms for name in drafter_models(arm.drafter)}
    targets = {arm.target for arm in arms}
    loaded = set(held.targets) | set(held.drafters)
    if targets <= set(held.targets) and all(pair in loaded or pair[0] in held.targets for pair in pairs):
        return None
    try:
        need = _need(arms)
    except (ModelError, OSError):
        return None
    kept = sum(size for name, size in held.targets.items() if name in targets or any(name == d for d, _ in pairs))
    kept += sum(size for pair, size in held.drafters.items() if pair in pairs)
    freed = sum(held.targets.values()) + sum(held.drafters.values()) - kept
    # What is let go of first is as good as free.
    free = (host.available_bytes() if available_bytes is None else available_bytes) + freed
    context = max(_context_tokens(arm) for arm in arms)
    fit = judge(
        need, context, reserve_bytes, machine_bytes=machine_bytes, available_bytes=free, held_bytes=kept
    )  # fmt: skip
    return Load(fit, max(0, need.total_bytes - kept), freed)


def _need(arms: Sequence[Arm]) -> Need:
    need = Need(source="files")
    counted: set[Any] = set()
    for arm in arms:
        path = directory(arm.target)
        config = files.read_fields(path)
        tokens = min(_context_tokens(arm), _longest(config) or DEFAULT_CONTEXT_TOKENS)
        one = Need()
        target = count_target(
            one, config, tokens, kv_bits=arm.settings.kv_bits, speculating=arm.drafter != "none",
            shared=arm.target in counted,
        )  # fmt: skip
        counted.add(arm.target)
        if arm.settings.tree:
            one.add("working room", branching_bytes(one, arm.settings, tokens, target.layers))
        for name in drafter_models(arm.drafter):
            shared = (name, arm.target) in counted
            width = arm.settings.candidate_width
            count_drafter_at(
                one, directory(name), tokens, target.layers,
                candidate_width=width, shared=shared, head_row=target.head_row,
            )  # fmt: skip
            counted.add((name, arm.target))
        for table in map(table_directory, parts(arm.drafter)):
            if table is not None and table not in counted:
                one.add("drafter tables", load_table(table).nbytes)
                counted.add(table)
        _merge(need, one)
    return need


def branching_bytes(need: Need, settings: Settings, context_tokens: int, layers: int) -> int:
    """An estimate of what a tree's rows add: while attention runs, keys and values are copied for each row, as far as
    that was seen or, on a Mac, not ruled out.
    """
    if held_as() == "float32" and not settings.kv_bits:
        return 0
    per_token = need.parts.get("keys and values", 0) / max(context_tokens, 1) / max(layers, 1)
    return round(LAYERS_COPIED * settings.block * per_token * min(context_tokens, MOST_TEXT_TOKENS))


def _merge(need: Need, one: Need) -> None:
    """Arms take turns: the room they work in is one."""
    for name, size in one.parts.items():
        if name == "working room":
            need.parts[name] = max(need.parts.get(name, 0), size)
        else:
            need.add(name, size)


def directory(name: str) -> Path:
    """Of a model that is on this disk. Raises ``ModelError``: what isn't there yet is fetched and weighed then."""
    if name == "embedded":
        from engine.models.demo import embedded_model

        return embedded_model()
    if is_hub_id(name):
        found = local_snapshot(name)
        if found is None:
            raise ModelError(f"{name} is not on this disk.")
        return found
    return Path(name).expanduser()


def _context_tokens(arm: Arm) -> int:
    asked = arm.settings.max_tokens
    return max(DEFAULT_CONTEXT_TOKENS, asked if asked > 0 else 0)


def _longest(config: Mapping[str, Any]) -> int:
    value = text_config(config).get("max_position_embeddings")
    return value if isinstance(value, int) else 0


def gb(size_bytes: int) -> str:
    return f"{size_bytes / 1024**3:.1f}"
