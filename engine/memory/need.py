"""What a load will take, said before it: weights, caches for a text of N tokens, a drafter's context and tables.

Weights and caches are counted on hollow modules (``shapes``) by the very code that will hold them, so the figures are
those of a run, to within the 256 tokens by which a cache grows, wherever mlx-lm or this program computes the
architecture. Only the working room is an estimate. What isn't known is assumed and said so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import mlx.core as mx
from mlx_lm.models.cache import RotatingKVCache

from engine import host
from engine.cache import is_recurrent, leaves, nbytes
from engine.decode import PREFILL_CHUNK_TOKENS
from engine.drafters.checkpoint import is_block_drafter, read_checkpoint
from engine.drafters.context import ContextCache
from engine.drafters.follow import PENDING_TOKENS
from engine.drafters.formats import is_drafter_config, layout_of_config
from engine.drafters.formats.tensors import build
from engine.drafters.layout import Layout
from engine.drafters.quantize import pack
from engine.memory.shapes import hollow, parameter_bytes, skeleton, stored_dtype
from engine.models import files
from engine.models.errors import ModelError
from engine.models.registry import Pair, known_config
from engine.platform import HeldAs, backend
from engine.process.shelf import DEFAULT_CONTEXT_TOKENS, DEFAULT_RESERVE_BYTES, Fit, Part, Verdict
from engine.target import Target
from engine.trace.events import ModelFacts

FOUR_BITS: dict[str, Any] = {"bits": 4, "group_size": 64, "mode": "affine"}
GIB = 1024**3


@dataclass(slots=True)
class Need:
    """Parts by name, in the order they are shown."""

    parts: dict[str, int] = field(default_factory=dict)
    source: str = ""
    assumed: list[str] = field(default_factory=list)

    def add(self, name: str, size_bytes: int) -> None:
        if size_bytes:
            self.parts[name] = self.parts.get(name, 0) + size_bytes

    @property
    def total_bytes(self) -> int:
        return sum(self.parts.values())


def held_as() -> HeldAs:
    return "packed" if backend() == "metal" else "float32"


# A target


def count_target(
    need: Need,
    config: Mapping[str, Any],
    context_tokens: int,
    *,
    quantization: Mapping[str, Any] | None = None,
    kv_bits: int = 0,
    held: HeldAs | None = None,
    speculating: bool = False,
    as_drafter: bool = False,
    shared: bool = False,
) -> None:
    """Add a language model's parts.

    Args:
        quantization: as ``shapes.skeleton``
        speculating: a recurrent state is held twice while a block is verified
        as_drafter: name its parts as a drafter's
        shared: its weights are counted already
    """
    held = held or held_as()
    model = skeleton(config, quantization)
    text = _text(config)
    facts = ModelFacts(name="", vocabulary=int(text.get("vocab_size") or 0), layers=len(model.layers))
    target = Target.of(model, None, facts)
    if not shared:
        need.add("drafter weights" if as_drafter else "target weights", parameter_bytes(model, held))
    if held == "float32":
        model.set_dtype(mx.float32)
    for name, size in cache_bytes(target, context_tokens, kv_bits).items():
        twice = 2 if speculating and name == "recurrent state" else 1
        need.add("drafter context" if as_drafter else name, twice * size)
    if not as_drafter:
        need.add("working room", working_bytes(text, 4 if held == "float32" else stored_dtype(config).size))


def cache_bytes(target: Target, context_tokens: int, kv_bits: int = 0) -> dict[str, int]:
    """Of one arm with a text of so many tokens, by kind: counted on the caches that a forward of one token fills."""
    caches = target.make_caches(kv_bits)
    target.forward(mx.zeros((1,), mx.int32), caches)
    found = {"keys and values": 0, "window keys and values": 0, "recurrent state": 0}
    for leaf in leaves(caches):
        if is_recurrent(leaf):
            found["recurrent state"] += nbytes([leaf])
        elif nbytes([leaf]):
            rows = _rows(leaf)
            per_token = nbytes([leaf]) // rows
            if isinstance(leaf, RotatingKVCache):
                # While a prompt's chunk is taken in, the window and the chunk are both held.
                held = min(context_tokens, leaf.max_size) + min(context_tokens, PREFILL_CHUNK_TOKENS)
                found["window keys and values"] += per_token * min(held, max(context_tokens, 1))
            else:
                step = int(leaf.step)
                found["keys and values"] += per_token * (-(-context_tokens // step) * step)
    return found


def _rows(leaf: Any) -> int:
    """Tokens for which a cache has room."""
    keys = leaf.keys[0] if isinstance(leaf.keys, (tuple, list)) else leaf.keys
    return int(keys.shape[-2])


def working_bytes(text: Mapping[str, Any], itemsize: int) -> int:
    """An estimate of what one forward holds beside weights and caches: the widest arrays of a prompt's chunk, and a
    block's logits."""
    hidden, inner = int(text.get("hidden_size") or 0), int(text.get("intermediate_size") or 0)
    return PREFILL_CHUNK_TOKENS * (4 * hidden + 3 * inner) * itemsize + 16 * int(text.get("vocab_size") or 0) * 4


def _text(config: Mapping[str, Any]) -> Mapping[str, Any]:
    text = config.get("text_config")
    return text if isinstance(text, dict) else config


# A drafter


def count_drafter(
    need: Need,
    layout: Layout,
    context_tokens: int,
    *,
    quantization: Mapping[str, Any] | None = None,
    held: HeldAs | None = None,
    candidate_width: int = 16,
    shared: bool = False,
) -> None:
    """Add the parts of a drafter that reads its target's layers.

    Args: quantization: the checkpoint's own table; None for one that is packed to 4 bits when it is first loaded.
    """
    held = held or held_as()
    dtype = mx.float32 if held == "float32" else mx.bfloat16
    model = build(layout)
    model.set_dtype(mx.bfloat16)
    if quantization is None:
        pack(model, FOUR_BITS["group_size"], FOUR_BITS["bits"])
    elif quantization:
        pack(model, quantization["group_size"], quantization["bits"])
    if not shared:
        need.add("drafter weights", parameter_bytes(model, held))
    need.add("drafter context", drafter_context_bytes(layout, context_tokens, dtype))
    if layout.scheme in ("C", "D", "E"):
        need.add("drafter tables", max(layout.gamma, 1) * candidate_width * candidate_width * 4)


def drafter_context_bytes(layout: Layout, context_tokens: int, dtype: mx.Dtype) -> int:
    """Keys and values of every layer, and the taps that wait."""
    total = min(context_tokens, PENDING_TOKENS) * layout.fc_size * dtype.size
    for i in range(layout.layers):
        cache = ContextCache(layout.visible(i))
        row = hollow((1, layout.kv_heads, context_tokens, layout.head_dim), dtype)
        cache.append(row, row)
        row = hollow((1, layout.kv_heads, layout.block_rows, layout.head_dim), dtype)
        cache.join(row, row)
        total += cache.nbytes
    return total


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
    target_config = files.read_fields(target) if target else known_config(pair.target)
    if target_config:
        need.source = "files" if target else "configuration"
        quantization = None if "quantization" in target_config else FOUR_BITS
        need.assumed += _assumptions(target_config)
        if quantization and not target:
            need.assumed.append("The target is counted as a conversion to 4 bits in groups of 64, text layers only.")
        try:
            config = without_notes(target_config)
            count_target(need, config, context_tokens, quantization=quantization, held=held, speculating=True)
        except ModelError as error:
            need.assumed.append(f"The target's caches are not counted: {error}")
            target_config = {}
    if not target_config:
        if not pair.target_bytes:
            return judge(Need(), context_tokens, reserve_bytes)
        need.source = "published"
        need.add("target weights", pair.target_bytes)
        need.assumed.append("The target's size is the published one; its caches are not counted.")
    _count_pair_drafter(need, pair, drafter, context_tokens, held)
    return judge(need, context_tokens, reserve_bytes)


def _count_pair_drafter(need: Need, pair: Pair, drafter: Path | None, context_tokens: int, held: HeldAs | None) -> None:
    config = known_config(pair.drafter)
    try:
        if drafter and files.is_whole(drafter):
            count_drafter_at(need, drafter, context_tokens, pair.target_layers or 0, held)
        elif config:
            need.assumed += _assumptions(config)
            layout = layout_of_config(without_notes(config), pair.drafter, pair.target_layers or 0)
            count_drafter(need, layout, context_tokens, held=held)
        elif pair.drafter_packed_bytes:
            need.add("drafter weights", pair.drafter_packed_bytes)
            need.assumed.append("The drafter's size is the published one; its context is not counted.")
        else:
            need.assumed.append("The drafter is not counted: its size isn't known.")
    except ModelError as error:
        need.assumed.append(f"The drafter is not counted: {error}")


def count_drafter_at(
    need: Need,
    path: Path,
    context_tokens: int,
    target_layers: int = 0,
    held: HeldAs | None = None,
    *,
    candidate_width: int = 16,
    shared: bool = False,
) -> None:
    """Of a drafter's directory, whatever kind of drafter it holds. Raises ``ModelError``."""
    if not is_block_drafter(path):
        count_target(need, files.read_fields(path), context_tokens, held=held, as_drafter=True, shared=shared)
        return
    checkpoint = read_checkpoint(path, target_layers)
    ours = files.read_fields(path).get("slipstream_drafter") is not None
    table: Mapping[str, Any] | None = checkpoint.quantization or ({} if ours else None)
    count_drafter(
        need, checkpoint.layout, context_tokens,
        quantization=table, held=held, candidate_width=candidate_width, shared=shared,
    )  # fmt: skip


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
    count_target(
        need, without_notes(target), context_tokens,
        quantization=table, kv_bits=kv_bits, held=held, speculating=drafter is not None,
    )  # fmt: skip
    if drafter is not None:
        layers = int(_text(target).get("num_hidden_layers") or 0)
        if is_drafter_fields(drafter):
            layout = layout_of_config(without_notes(drafter), "The drafter's config.json", layers)
            table = dict(drafter.get("quantization") or {}) or None
            count_drafter(need, layout, context_tokens, quantization=table, held=held)
        else:
            count_target(need, without_notes(drafter), context_tokens, held=held, as_drafter=True)
    return judge(need, context_tokens, reserve_bytes)


__all__ = [
    "Need", "cache_bytes", "config_need", "count_drafter", "count_drafter_at", "count_target", "gib", "judge",
    "pair_need", "target_need",
]  # fmt: skip
