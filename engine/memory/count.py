"""What a model takes, counted on hollow modules (``shapes``) by the very code that will hold it: weights, caches for a
text of N tokens, a drafter's context and tables.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import mlx.core as mx
from mlx_lm.models.cache import RotatingKVCache

from engine.cache import is_recurrent, leaves, nbytes
from engine.decode import PREFILL_CHUNK_TOKENS
from engine.drafters.borrow import find
from engine.drafters.checkpoint import is_block_drafter, read_checkpoint
from engine.drafters.context import ContextCache
from engine.drafters.follow import PENDING_TOKENS
from engine.drafters.formats.tensors import build
from engine.drafters.layout import Layout
from engine.drafters.quantize import pack
from engine.memory.shapes import hollow, parameter_bytes, skeleton, stored_dtype
from engine.models import files
from engine.models.errors import ModelError
from engine.platform import HeldAs, backend
from engine.target import Target
from engine.trace.events import ModelFacts

FOUR_BITS: dict[str, Any] = {"bits": 4, "group_size": 64, "mode": "affine"}


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


class Counted(NamedTuple):
    """What of a counted target its drafter's count reads."""

    head_row: int | ModelError
    """Bytes of one token's row of its output head; why there is none that a drafter could share."""
    layers: int


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
) -> Counted:
    """Add a language model's parts.

    Args:
        quantization: as ``shapes.skeleton``
        speculating: a recurrent state is held twice while a block is verified
        as_drafter: name its parts as a drafter's
        shared: its weights are counted already
    """
    held = held or held_as()
    model = skeleton(config, quantization)
    text = text_config(config)
    facts = ModelFacts(
        name="The target", architecture=str(config.get("model_type") or ""),
        vocabulary=int(text.get("vocab_size") or 0), layers=len(model.layers),
    )  # fmt: skip
    target = Target.of(model, None, facts)
    if not shared:
        need.add("drafter weights" if as_drafter else "target weights", parameter_bytes(model, held))
    head_row = _head_row_bytes(target, held)
    if held == "float32":
        model.set_dtype(mx.float32)
    for name, size in cache_bytes(target, context_tokens, kv_bits).items():
        twice = 2 if speculating and name == "recurrent state" else 1
        need.add("drafter context" if as_drafter else name, twice * size)
    if not as_drafter:
        need.add("working room", working_bytes(text, 4 if held == "float32" else stored_dtype(config).size))
    return Counted(head_row, len(model.layers))


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


def text_config(config: Mapping[str, Any]) -> Mapping[str, Any]:
    text = config.get("text_config")
    return text if isinstance(text, dict) else config


def _head_row_bytes(target: Target, held: HeldAs) -> int | ModelError:
    try:
        head = find(target)[1]
    except ModelError as error:
        return error
    return parameter_bytes(head, held) // max(len(head.weight), 1)


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
    head_row: int | ModelError = 0,
) -> None:
    """Add the parts of a drafter that reads its target's layers. Raises ``ModelError``.

    Args:
        quantization: the checkpoint's own table; None for one that is packed to 4 bits when it is first loaded
        head_row: what ``count_target`` says of its target, of whose head the rows of a reduced vocabulary are gathered
    """
    if isinstance(head_row, ModelError):
        raise head_row
    held = held or held_as()
    dtype = mx.float32 if held == "float32" else mx.bfloat16
    model = build(layout)
    model.set_dtype(mx.bfloat16)
    if quantization is None:
        pack(model, FOUR_BITS["group_size"], FOUR_BITS["bits"])
    elif quantization:
        pack(model, quantization["group_size"], quantization["bits"])
    if not shared:
        gathered = 0 if layout.own_head else layout.draft_vocabulary * head_row
        need.add("drafter weights", parameter_bytes(model, held) + gathered)
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


def count_drafter_at(
    need: Need,
    path: Path,
    context_tokens: int,
    target_layers: int = 0,
    held: HeldAs | None = None,
    *,
    candidate_width: int = 16,
    shared: bool = False,
    head_row: int | ModelError = 0,
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
        quantization=table, held=held, candidate_width=candidate_width, shared=shared, head_row=head_row,
    )  # fmt: skip
