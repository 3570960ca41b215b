"""What a block drafter borrows from its target: the token embedding and the output head. Neither is copied, whatever
its form (tied or not, quantised or expanded), but for the head's rows of a reduced vocabulary, which are gathered once.

The embedding is the table itself. What a target does to a row beyond it (Gemma's factor sqrt(H), MiniCPM's) is not part
of it: drafters are trained on the plain table, and those that scale it say so (``Layout.embedding_scale``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import mlx.core as mx
import mlx.nn as nn

from engine.drafters.layout import Layout
from engine.models.errors import ModelError
from engine.target import Target

EMBEDDINGS = ("embed_tokens", "embeddings", "wte", "tok_embeddings", "word_embeddings", "embed_in")
HEADS = ("lm_head", "output", "embed_out", "ff_out")
RMS_CHUNK_TOKENS = 8192


@dataclass(frozen=True, slots=True)
class Borrowed:
    """
    Shape:
        embed: ids [...] -> [..., H]
        head: [..., H] -> [..., proposed vocabulary]
        draft_ids: [draft vocabulary], the target's ids; None where all are proposed
    """

    embed: Callable[[mx.array], mx.array]
    head: Callable[[mx.array], mx.array]
    draft_ids: mx.array | None = None
    embedding_rms: float = 1.0
    """Root mean square of the embedding table; 1 where no scheme asks for it."""
    gathered_bytes: int = 0
    """Of head rows that were gathered."""

    def to_target(self, ids: mx.array) -> mx.array:
        """Ids of the proposed vocabulary as ids of the target's."""
        return ids if self.draft_ids is None else self.draft_ids[ids]


def borrow(layout: Layout, model: nn.Module, target: Target) -> Borrowed:
    """What ``model`` (built from ``layout``) needs of ``target``. Raises ``ModelError`` where they don't fit."""
    embedding, target_head = find(target)
    width = hidden_size(embedding)
    known = target.facts.vocabulary
    if known and layout.vocabulary != known:
        # An id beyond the target's table would be read from memory that is not the table's.
        raise ModelError(
            f"This drafter knows {layout.vocabulary} tokens, {target.facts.name} has {known}: the same id would mean "
            "another text. Choose a drafter made for this target."
        )
    reads = layout.tap_size or layout.hidden_size
    own = layout.own_embedding and layout.own_head
    if reads != width or (not own and layout.hidden_size != width):
        raise ModelError(
            f"This drafter is {reads if reads != width else layout.hidden_size} wide, {target.facts.name} is {width}: "
            "it was made for another target. Choose a drafter made for this one."
        )
    layers = len(target.model.layers)
    if max(layout.taps) >= layers:
        raise ModelError(
            f"This drafter reads layer {max(layout.taps)} of its target, but {target.facts.name} has only {layers} "
            f"(0 to {layers - 1}): it was made for another target. Choose a drafter made for this one."
        )
    draft_ids = model.draft_ids if layout.draft_vocabulary else None
    gathered = 0
    if layout.own_head:
        head = model.lm_head
    elif draft_ids is not None:
        head = GatheredHead(target_head, draft_ids)
        gathered = head.nbytes
    else:
        head = target_head.as_linear if hasattr(target_head, "as_linear") else target_head
    embed = model.embed_tokens if layout.own_embedding else embedding
    rms = embedding_rms(embed, layout.vocabulary) if layout.cascade else 1.0
    return Borrowed(embed, head, draft_ids, rms, gathered)


def find(target: Target) -> tuple[Any, Any]:
    """The token embedding and the module of the output head: the embedding again where they are tied."""
    outside = [(name.rpartition(".")[2], m) for name, m in target.model.named_modules() if ".layers." not in name]
    found = dict(outside)
    embedding = next((found[name] for name in EMBEDDINGS if name in found), None)
    if embedding is None:
        raise ModelError(
            f"{target.facts.name} has no token embedding that a drafter could share (architecture "
            f"{target.facts.architecture or 'unknown'}). Use lookup or a small model as the drafter."
        )
    # Inner layers are called ``output`` or ``ff_out`` too; a head has a row for every token.
    rows = len(embedding.weight)
    heads = {name: m for name, m in outside if name in HEADS and "weight" in m and len(m.weight) == rows}
    return embedding, next((heads[name] for name in HEADS if name in heads), embedding)


def hidden_size(embedding: Any) -> int:
    """Width of a token embedding, packed or not."""
    return int(embedding(mx.array([0])).shape[-1])


def embedding_rms(embed: Callable[[mx.array], mx.array], vocabulary: int) -> float:
    total = mx.array(0.0)
    size = 0
    for start in range(0, vocabulary, RMS_CHUNK_TOKENS):
        rows = embed(mx.arange(start, min(start + RMS_CHUNK_TOKENS, vocabulary))).astype(mx.float32)
        total = total + mx.square(rows).sum()
        size += rows.size
        mx.eval(total)
    mean: float = mx.sqrt(total / size).tolist()  # type: ignore[assignment]
    return mean


class GatheredHead:
    """Some rows of an output head, in the precision that it has. Rows can be gathered from one again."""

    def __init__(self, head: Any, ids: mx.array) -> None:
        def rows(name: str) -> mx.array | None:
            found: mx.array | None = getattr(head, name, None)
            return None if found is None else found[ids]

        self.weight = head.weight[ids]
        # Groups run along the input, so rows can be taken without unpacking. A head with a bias per token is an
        # ``nn.Linear``'s; embeddings have none.
        self.scales, self.biases, self.bias = rows("scales"), rows("biases"), rows("bias")
        if self.scales is not None:
            self.group_size, self.bits, self.mode = head.group_size, head.bits, head.mode
        mx.eval(self._arrays())

    def __call__(self, hidden: mx.array) -> mx.array:
        if self.scales is None:
            u = hidden @ self.weight.T
        else:
            packing = {"group_size": self.group_size, "bits": self.bits, "mode": self.mode}
            u = mx.quantized_matmul(hidden, self.weight, self.scales, self.biases, transpose=True, **packing)
        out: mx.array = u if self.bias is None else u + self.bias
        return out

    @property
    def nbytes(self) -> int:
        return sum(array.nbytes for array in self._arrays())

    def _arrays(self) -> list[mx.array]:
        return [a for a in (self.weight, self.scales, self.biases, self.bias) if a is not None]
