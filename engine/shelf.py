"""What is on this disk and what is known, side by side: the ``Shelf`` that ``slipstream models list`` prints.

Nothing is loaded: configurations and the heads of safetensors files say it all. A directory that can't be used is
listed with the reason, so that nobody fetches a second time what only wants finishing.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from engine import host
from engine.drafters.formats import is_drafter
from engine.drafters.save import KEY as OWN_DRAFTER
from engine.drafters.table import is_table
from engine.memory.shapes import architecture_problem
from engine.models import files, places
from engine.models.errors import ModelError
from engine.models.hub import endpoint_url
from engine.models.licence import EMBEDDED, licence
from engine.models.registry import Pair, known_pairs, same_model
from engine.process.shelf import (
    DEFAULT_CONTEXT_TOKENS,
    DEFAULT_RESERVE_BYTES,
    Fit,
    KnownPair,
    OnDisk,
    Shelf,
    State,
)

ModelFit = Callable[[Path], Fit]
PairFit = Callable[[Pair, Path | None, Path | None], Fit]


def shelf(
    folders: Sequence[Path] = (),
    *,
    context_tokens: int = DEFAULT_CONTEXT_TOKENS,
    reserve_bytes: int = DEFAULT_RESERVE_BYTES,
    endpoint: str = "",
    lmstudio: Sequence[Path] | None = None,
    with_fit: bool = True,
) -> Shelf:
    """Args: lmstudio: in place of LM Studio's own folders; with_fit: say of each what it takes in memory."""
    from engine.memory.need import pair_need, target_need

    def fit_of(path: Path) -> Fit | None:
        return target_need(path, context_tokens=context_tokens, reserve_bytes=reserve_bytes) if with_fit else None

    found = [embedded(fit_of), *(record(item, fit_of) for item in places.find_all(folders, lmstudio))]
    pairs = []
    for pair in known_pairs():
        target, drafter = half(pair.target, pair.target_hub, found, "model"), half_drafter(pair, found)
        fit = None
        if with_fit:
            fit = pair_need(
                pair,
                Path(target.path) if target else None,
                Path(drafter.path) if drafter else None,
                context_tokens=context_tokens,
                reserve_bytes=reserve_bytes,
            )
        pairs.append(known_pair(pair, target, drafter, fit))
    cache = places.hub_cache()
    looked = [places.own_models_dir(), cache, *(places.lmstudio_folders() if lmstudio is None else lmstudio), *folders]
    return Shelf(
        models=tuple(found),
        pairs=tuple(pairs),
        folders=tuple(str(path.expanduser().absolute()) for path in looked if path.expanduser().is_dir()),
        hub_cache=str(cache),
        endpoint=endpoint_url(endpoint),
        machine_bytes=host.machine_memory_bytes(),
        available_bytes=host.available_bytes(),
        reserve_bytes=reserve_bytes,
        disk_free_bytes=disk_free_bytes(cache),
    )


def disk_free_bytes(path: Path) -> int:
    """Where ``path`` lies or would be made."""
    while not path.exists() and path != path.parent:
        path = path.parent
    try:
        return shutil.disk_usage(path).free
    except OSError:
        return 0


def embedded(fit_of: Callable[[Path], Fit | None]) -> OnDisk:
    """The model that comes along; before its first use it isn't converted yet and counts as whole all the same."""
    from engine.models import demo

    path = demo.model_dir()
    there = demo.is_intact(path)
    config = files.read_fields(path) if there else {}
    source = 0
    message = ""
    state: State = "whole"
    try:
        source = demo.source_file().stat().st_size
    except ModelError as error:
        if not there:
            state, message = "incomplete", str(error)
    return OnDisk(
        name=demo.NAME,
        use="embedded",
        path=str(path),
        place="embedded",
        kind="model",
        state=state,
        message=message,
        size_bytes=files.size_bytes(path) if there else source,
        architecture="llama",
        bits=4,
        group_size=32,
        layers=int(config.get("num_hidden_layers", 30)),
        context_tokens=int(config.get("max_position_embeddings", 8192)),
        licence=EMBEDDED,
        fit=fit_of(path) if there else None,
    )


def record(item: places.Found, fit_of: Callable[[Path], Fit | None]) -> OnDisk:
    """What a directory holds, and whether it can be used."""
    path, config = item.path, files.read_fields(item.path)
    drafter = is_drafter_directory(path)
    state, message = judge(path, config, drafter)
    text = config.get("text_config") if isinstance(config.get("text_config"), dict) else config
    table = config.get("quantization") or config.get("quantization_config") or {}
    table = table if isinstance(table, dict) else {}
    layout = config.get("layout") if isinstance(config.get("layout"), dict) else {}
    return OnDisk(
        name=item.hub.rpartition("/")[2] or path.name,
        use=item.hub if item.hub and state == "whole" else str(path),
        path=str(path),
        place=item.place,
        kind="table" if is_table(path) else "drafter" if drafter else "model",
        state=state,
        message=message,
        size_bytes=files.size_bytes(path),
        architecture=_architecture(config),
        bits=_number(table, "bits"),
        group_size=_number(table, "group_size"),
        layers=_number(text, "num_hidden_layers") or _number(layout, "layers"),
        context_tokens=_number(text, "max_position_embeddings"),
        scheme=scheme_of(config) if drafter else "",
        hub=item.hub or _maker_and_name(item),
        revision=item.revision,
        licence=licence(path),
        removable=item.place in ("hub", "own", "lmstudio"),
        fit=fit_of(path) if state == "whole" and not drafter else None,
    )


def is_drafter_directory(path: Path) -> bool:
    """Anything but a language model: a table, a drafter of our own or one in a public dialect."""
    return is_table(path) or is_drafter(path) or OWN_DRAFTER in files.read_fields(path)


def judge(path: Path, config: dict[str, Any], drafter: bool) -> tuple[State, str]:
    """State and its reason in one sentence."""
    try:
        if is_table(path):
            return "whole", ""
        if problem := files.refusal(path, drafter):
            return "refused", problem
        if problem := files.incompleteness(path):
            return "incomplete", problem
        if not drafter and (problem := architecture_problem(path, config)):
            return "refused", problem
        if not drafter and not has_tokenizer(path):
            return "incomplete", f"{path} has no tokenizer (tokenizer.json or tokenizer.model). Fetch the model again."
    except OSError as error:
        return "refused", f"{path} can't be read ({error.strerror or error}). Check who may read it."
    return "whole", ""


def has_tokenizer(path: Path) -> bool:
    return any((path / name).is_file() for name in ("tokenizer.json", "tokenizer.model")) or any(
        path.glob("*.tiktoken")
    )


def scheme_of(config: dict[str, Any]) -> str:
    """Scheme of a drafter by its configuration, as far as that tells it."""
    layout = config.get("layout")
    if OWN_DRAFTER in config and isinstance(layout, dict):
        return str(layout.get("scheme", ""))
    nested = config.get("dflash_config")
    words = " ".join(map(str, [
        *(config.get("architectures") or ()), config.get("speculators_model_type", ""),
        nested.get("projector_type", "") if isinstance(nested, dict) else "",
    ])).lower()  # fmt: skip
    for scheme, names in (("D", ("dflash2",)), ("C", ("dspark", "domino")), ("B", ("dflash",)), ("A", ("eagle",))):
        if any(name in words for name in names):
            return scheme
    return ""


def half(name: str, hub: str | None, found: Sequence[OnDisk], kind: str) -> OnDisk | None:
    """What of the disk is this model: whole before incomplete, 4 bits before others."""
    same = [
        item for item in found
        if item.kind == kind and ((hub and item.hub == hub) or same_model(name, item.hub or item.name))
    ]  # fmt: skip
    return min(same, key=lambda item: (item.state != "whole", item.bits != 4), default=None)


def half_drafter(pair: Pair, found: Sequence[OnDisk]) -> OnDisk | None:
    return half(pair.drafter, pair.drafter if "/" in pair.drafter else None, found, "drafter")


def known_pair(pair: Pair, target: OnDisk | None, drafter: OnDisk | None, fit: Fit | None) -> KnownPair:
    target_there = target is not None and target.state == "whole"
    drafter_there = drafter is not None and drafter.state == "whole"
    drafter_hub = pair.drafter if "/" in pair.drafter else ""
    missing = (*(() if target_there else ("target",)), *(() if drafter_there else ("drafter",)))
    hubs = {"target": pair.target_hub or "", "drafter": drafter_hub}
    pull = tuple(hubs[part] for part in missing if hubs[part])
    return KnownPair(
        target=pair.target,
        drafter=pair.drafter,
        scheme=pair.scheme,
        block=pair.block,
        note=pair.note,
        run_here=pair.run_here,
        target_hub=pair.target_hub or "",
        drafter_hub=drafter_hub,
        target_licence=pair.target_licence or (target.licence if target else ""),
        drafter_licence=pair.drafter_licence or (drafter.licence if drafter else ""),
        target_use=target.use if target and target_there else "",
        drafter_use=drafter.use if drafter and drafter_there else "",
        target_bytes=pair.target_bytes or 0,
        drafter_bytes=pair.drafter_bytes or 0,
        missing=missing,
        pull=pull,
        message=missing_message(pair, hubs, missing),
        fit=fit,
    )


def missing_message(pair: Pair, hubs: dict[str, str], missing: Sequence[str]) -> str:
    if not missing:
        return ""
    names = {"target": pair.target, "drafter": pair.drafter}
    parts = []
    for part in missing:
        if hubs[part]:
            parts.append(f"the {part} can be pulled from {hubs[part]}")
        elif part == "target":
            parts.append(f"no 4-bit conversion of {names[part]} is known here: pull one by its hub id, or quantise it")
        else:
            parts.append(f"the drafter {names[part]} has no known hub id: add its folder")
    lacks = " and ".join(missing)
    return f"The {lacks} {'is' if len(missing) == 1 else 'are'} not on this disk: {'; '.join(parts)}."


def _maker_and_name(item: places.Found) -> str:
    """LM Studio's folders are called as the hub calls them."""
    return f"{item.path.parent.name}/{item.path.name}" if item.place == "lmstudio" else ""


def _architecture(config: dict[str, Any]) -> str:
    if config.get("model_type"):
        return str(config["model_type"])
    names = config.get("architectures")
    return str(names[0]) if isinstance(names, list) and names else ""


def _number(table: Any, name: str) -> int:
    value = table.get(name) if isinstance(table, dict) else None
    return value if isinstance(value, int) and not isinstance(value, bool) else 0
