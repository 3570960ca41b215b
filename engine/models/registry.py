"""Known pairs of a target and a drafter, from ``resources/pairs.json``: what is offered before anything is loaded.

A pair states what its public files state. What isn't known is null; whether it was run with this product, and so
whether any of its figures speaks of it, is ``run_here``.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import Struct

from engine import paths
from engine.models.errors import ModelError

PRECISIONS = ("mlx", "bf16", "fp16", "f16", "fp8", "dwq", "awq", "gptq", "mxfp4", "nvfp4", "int4", "int8", "q4", "q8")

Scheme = Literal["A", "B", "C", "D", "E"]


class Pair(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    target: str
    """Name of the model, whatever its precision."""
    target_hub: str | None = None
    """Hub id of a 4-bit conversion for MLX."""
    target_licence: str | None = None
    target_bytes: int | None = None
    """In 4 bits."""
    target_layers: int | None = None
    drafter: str
    """Hub id, or a name where no hub id is known."""
    drafter_licence: str | None = None
    drafter_bytes: int | None = None
    """As published."""
    drafter_packed_bytes: int | None = None
    """In 4 bits."""
    scheme: Scheme
    block: int | None = None
    """Rows the target verifies at once: the anchor and the drafter's whole block."""
    taps: tuple[int, ...] | None = None
    """Layers of the target by position from 0, whose outputs the drafter reads."""
    mask_id: int | None = None
    note: str = ""
    run_here: bool = False


class Registry(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    schema: Literal["slipstream-pairs/1"]
    pairs: tuple[Pair, ...]


def pairs_file() -> Path:
    return paths.resources_dir() / "pairs.json"


def known_pairs(file: Path | None = None) -> tuple[Pair, ...]:
    """All pairs, in the order of the file. Raises ``ModelError``, one sentence, where the file is wrong."""
    file = file or pairs_file()
    again = "Install Slipstream again."
    try:
        registry = msgspec.json.decode(file.read_bytes(), type=Registry)
    except OSError as error:
        raise ModelError(f"The list of known pairs can't be read at {file} ({error.strerror}). {again}") from error
    except msgspec.DecodeError as error:
        raise ModelError(f"The list of known pairs in {file} is wrong: {error}. {again}") from error
    for number, pair in enumerate(registry.pairs, start=1):
        problem = _problem(pair)
        if problem:
            raise ModelError(f"Pair {number} ({pair.target} with {pair.drafter}) in {file} {problem}. {again}")
    both = [(p.target, p.drafter) for p in registry.pairs]
    twice = next((pair for pair in both if both.count(pair) > 1), None)
    if twice:
        raise ModelError(f"{file} lists {twice[0]} with {twice[1]} twice. {again}")
    return registry.pairs


def known_config(name: str) -> dict[str, Any]:
    """The configuration of a known model or drafter that comes with the product, so that its memory can be counted
    before anything is fetched; empty where there is none. Names that begin with ``_`` say where it is from.
    """
    file = paths.resources_dir() / "configs" / f"{name.rpartition('/')[2]}.json"
    try:
        fields = msgspec.json.decode(file.read_bytes(), type=dict[str, Any])
    except (OSError, msgspec.DecodeError):
        return {}
    return fields


def pairs_of(target: str, pairs: Sequence[Pair]) -> list[Pair]:
    """The pairs whose target this is, in whatever precision."""
    return [pair for pair in pairs if same_model(pair.target, target)]


def same_model(a: str, b: str) -> bool:
    """Whether two names mean one model, in whatever precision: ``Qwen/Qwen3-8B`` and ``Qwen3-8B-4bit``."""
    short, long = sorted((a.rpartition("/")[2].lower(), b.rpartition("/")[2].lower()), key=len)
    return long == short or (long.startswith(short) and _is_precision(long.removeprefix(short)))


def _is_precision(rest: str) -> bool:
    """``-4bit``, ``-bf16``, ``-MLX-8bit``: what a conversion adds to a name."""
    words = rest.replace("_", "-").strip("-").split("-")
    return rest[:1] in ("-", "_") and all(
        word in PRECISIONS or (word[:1].isdigit() and word.endswith("bit")) for word in words
    )


def _problem(pair: Pair) -> str:
    if not pair.target or not pair.drafter:
        return "lacks a name"
    for name in ("target_bytes", "target_layers", "drafter_bytes", "drafter_packed_bytes"):
        value = getattr(pair, name)
        if value is not None and value <= 0:
            return f"has {name} {value}"
    if pair.block is not None and pair.block < 2:
        return f"has a block of {pair.block}; the anchor and one guess are two rows"
    if pair.taps is not None:
        if not pair.taps or min(pair.taps) < 0 or len(set(pair.taps)) != len(pair.taps):
            return f"has taps {list(pair.taps)}"
        if pair.target_layers and max(pair.taps) >= pair.target_layers:
            return f"taps layer {max(pair.taps)} of a target of {pair.target_layers} layers"
    return ""
