"""What a load will take, said before it: counted (``count``) from files, configurations or published sizes, and held
against the memory of the machine and what of it is free.

The figures are those of a run, to within the 256 tokens by which a cache grows, wherever mlx-lm or this program
computes the architecture. Only the working room is an estimate. What isn't known is assumed and said so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from engine import host
from engine.drafters.formats import is_drafter_config, layout_of_config
from engine.memory.count import (
    FOUR_BITS,
    Need,
    count_drafter,
    count_drafter_at,
    count_target,
)
from engine.models import files
from engine.models.errors import ModelError
from engine.models.registry import Pair, known_config
from engine.platform import HeldAs
from engine.process.shelf import DEFAULT_CONTEXT_TOKENS, DEFAULT_RESERVE_BYTES, Fit, Part, Verdict

GIB = 1024**3


# The judgement


def judge(
    need: Need,
    context_tokens: int,
    reserve_bytes: int = DEFAULT_RESERVE_BYTES,
    *,
    machine_bytes: int | None = None,
    available_bytes: int | None = None,
    held_bytes: int = 0,
) -> Fit:
    """Against the memory of the machine and what of it is free now.

    Args: held_bytes: of ``need``, already in this process's hands: it takes nothing that is still free.
    """
    machine = host.machine_memory_bytes() if machine_bytes is None else machine_bytes
    available = host.available_bytes() if available_bytes is None else available_bytes
    total = need.total_bytes
    verdict: Verdict
    if not total:
        verdict = "unknown"
    elif total > machine - reserve_bytes:
        verdict = "too large"
    elif total - held_bytes > available - reserve_bytes:
        verdict = "tight"
    else:
        verdict = "fits"
    return Fit(
        verdict=verdict,
        total_bytes=total,
        parts=tuple(Part(name=name, size_bytes=size) for name, size in need.parts.items()),
        context_tokens=context_tokens,
        machine_bytes=machine,
        available_bytes=available,
        reserve_bytes=reserve_bytes,
        source=need.source,  # type: ignore[arg-type]
        assumed=tuple(need.assumed),
        message=message(need, verdict, context_tokens, machine, available, reserve_bytes),
    )


def message(
    need: Need, verdict: Verdict, context_tokens: int, machine_bytes: int, available_bytes: int, reserve_bytes: int
) -> str:
    here = "this Mac" if host.ON_MAC else "this machine"
    if verdict == "unknown":
        return f"Whether it fits {here} isn't known: its size isn't."
    weights = sum(size for name, size in need.parts.items() if name.endswith("weights"))
    figures = (
        f"{gib(need.total_bytes)} of {gib(machine_bytes)} GB (weights {gib(weights)}, caches and working room "
        f"{gib(need.total_bytes - weights)} at {context_tokens} tokens)"
    )
    if verdict == "fits":
        return f"Fits {here}: {figures}."
    if verdict == "tight":
        return (
            f"Fits {here}, but not what is free now: {figures}, {gib(available_bytes)} GB are free and "
            f"{gib(reserve_bytes)} GB of them are kept for other programs. Close some, or choose a smaller model."
        )
    return f"Too large for {here}: {figures}, with {gib(reserve_bytes)} GB kept for other programs."


def gib(size_bytes: int) -> str:
    """Memory is sold in units of 1024 cubed and called GB."""
    return f"{size_bytes / GIB:.1f}"


# From what there is


def target_need(
    path: Path,
    *,
    context_tokens: int = DEFAULT_CONTEXT_TOKENS,
    reserve_bytes: int = DEFAULT_RESERVE_BYTES,
    kv_bits: int = 0,
) -> Fit:
    """Of a model's directory."""
    need = Need(source="files")
    try:
        count_target(need, files.read_fields(path), context_tokens, kv_bits=kv_bits)
    except ModelError as error:
        need.add("target weights", sum(file.stat().st_size for file in files.weight_files(path)))
        need.assumed.append(f"Only its files are counted: {error}")
    return judge(need, context_tokens, reserve_bytes)


def pair_need(
    pair: Pair,
    target: Path | None = None,
    drafter: Path | None = None,
    *,
    context_tokens: int = DEFAULT_CONTEXT_TOKENS,
    reserve_bytes: int = DEFAULT_RESERVE_BYTES,
    held: HeldAs | None = None,
) -> Fit:
    """Of a known pair: by what of it is on disk, otherwise by the configurations that come with the product,
    otherwise by its published sizes."""
    need = Need()
    head_row: int | ModelError = 0
    target_config = files.read_fields(target) if target else known_config(pair.target)
    if target_config:
        need.source = "files" if target else "configuration"
        quantization = None if "quantization" in target_config else FOUR_BITS
        need.assumed += _assumptions(target_config)
        if quantization and not target:
            need.assumed.append("The target is counted as a conversion to 4 bits in groups of 64, text layers only.")
        try:
            config = without_notes(target_config)
            head_row = count_target(
                need, config, context_tokens, quantization=quantization, held=held, speculating=True
            ).head_row
        except ModelError as error:
            need.assumed.append(f"The target's caches are not counted: {error}")
            target_config = {}
    if not target_config:
        if not pair.target_bytes:
            return judge(Need(), context_tokens, reserve_bytes)
        need.source = "published"
        need.add("target weights", pair.target_bytes)
        need.assumed.append("The target's size is the published one; its caches are not counted.")
    _count_pair_drafter(need, pair, drafter, context_tokens, held, head_row)
    return judge(need, context_tokens, reserve_bytes)


def _count_pair_drafter(
    need: Need,
    pair: Pair,
    drafter: Path | None,
    context_tokens: int,
    held: HeldAs | None,
    head_row: int | ModelError,
) -> None:
    config = known_config(pair.drafter)
    try:
        if drafter and files.is_whole(drafter):
            count_drafter_at(need, drafter, context_tokens, pair.target_layers or 0, held, head_row=head_row)
        elif config:
            need.assumed += _assumptions(config)
            layout = layout_of_config(without_notes(config), pair.drafter, pair.target_layers or 0)
            count_drafter(need, layout, context_tokens, held=held, head_row=head_row)
        elif pair.drafter_packed_bytes:
            need.add("drafter weights", pair.drafter_packed_bytes)
            need.assumed.append("The drafter's size is the published one; its context is not counted.")
        else:
            need.assumed.append("The drafter is not counted: its size isn't known.")
    except ModelError as error:
        need.assumed.append(f"The drafter is not counted: {error}")


def without_notes(config: Mapping[str, Any]) -> dict[str, Any]:
    """A configuration that comes with the product says where it is from under names that begin with ``_``."""
    return {key: value for key, value in config.items() if not key.startswith("_")}


def _assumptions(config: Mapping[str, Any]) -> Sequence[str]:
    said = config.get("_assumed")
    return [said] if isinstance(said, str) and said else []


def is_drafter_fields(config: Mapping[str, Any]) -> bool:
    return is_drafter_config(dict(config))


def config_need(
    target: Mapping[str, Any],
    drafter: Mapping[str, Any] | None = None,
    *,
    context_tokens: int = DEFAULT_CONTEXT_TOKENS,
    reserve_bytes: int = DEFAULT_RESERVE_BYTES,
    bits: int = 0,
    kv_bits: int = 0,
    held: HeldAs | None = None,
    source: str = "configuration",
) -> Fit:
    """Of two configurations, before a byte of weights is fetched. Raises ``ModelError``.

    Args: bits: count the target as a conversion to so many bits; 0 as it says itself.
    """
    need = Need(source=source)
    table = {**FOUR_BITS, "bits": bits} if bits and "quantization" not in target else None
    need.assumed += _assumptions(target)
    if table:
        need.assumed.append(f"The target is counted as a conversion to {bits} bits in groups of 64, text layers only.")
    counted = count_target(
        need, without_notes(target), context_tokens,
        quantization=table, kv_bits=kv_bits, held=held, speculating=drafter is not None,
    )  # fmt: skip
    if drafter is not None:
        if is_drafter_fields(drafter):
            layout = layout_of_config(without_notes(drafter), "The drafter's config.json", counted.layers)
            table = dict(drafter.get("quantization") or {}) or None
            count_drafter(need, layout, context_tokens, quantization=table, held=held, head_row=counted.head_row)
        else:
            count_target(need, without_notes(drafter), context_tokens, held=held, as_drafter=True)
    return judge(need, context_tokens, reserve_bytes)
