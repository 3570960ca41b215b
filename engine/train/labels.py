"""What a drafter learns to say: the reduced vocabulary it proposes from, and the target's own distributions.

Soft labels are the target's distribution over its likeliest tokens of the draft vocabulary at each place. No file is
kept for them: where the last tap is the target's last layer, its final norm and its head make them from the tap.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import mlx.core as mx
import mlx.nn as nn
import numpy as np
from numpy.typing import NDArray

from engine.drafters.borrow import find
from engine.target import Target
from engine.train.conversations import Conversations, answer, count

NORMS = ("norm", "final_layernorm", "final_norm", "ln_f", "norm_f", "embedding_norm")
TRIED_TOKENS = 16
LIKELIEST = 8
"""Tokens that a soft label is made of."""
FAR = 0.05
"""Share of a distribution that may stand elsewhere: rounding, no more."""


def draft_vocabulary(c: Conversations, size: int, vocabulary: int, always: frozenset[int] = frozenset()) -> Any:
    """The ``size`` commonest ids of the answers, ascending; ``always`` among them. int32 [size]"""
    counts = np.zeros(vocabulary, np.int64)
    for i in range(count(c)):
        np.add.at(counts, answer(c, i).astype(np.int64), 1)
    counts[[i for i in always if i < vocabulary]] = counts.max() + 1
    return np.sort(np.argsort(-counts, kind="stable")[:size]).astype(np.int32)


def draft_index(ids: NDArray[np.int32], vocabulary: int) -> NDArray[np.int32]:
    """Index in the draft vocabulary of each of the target's ids; -1 where it isn't there."""
    index = np.full(vocabulary, -1, np.int32)
    index[ids] = np.arange(len(ids), dtype=np.int32)
    return index


def coverage(c: Conversations, index: NDArray[np.int32]) -> float:
    """Share of answer tokens that the draft vocabulary can say."""
    known = total = 0
    for i in range(count(c)):
        text = answer(c, i)
        known, total = known + int((index[text.astype(np.int64)] >= 0).sum()), total + len(text)
    return known / max(total, 1)


def final_norm(target: Target) -> nn.Module | None:
    """What stands between the target's last layer and its head; None where it can't be told."""
    outside = {name: m for name, m in target.model.named_modules() if "layers." not in name}
    found = [name for name in outside if name.rpartition(".")[2] in NORMS and isinstance(outside[name], nn.Module)]
    return outside[min(found, key=len)] if found else None


def teacher(target: Target, taps: Sequence[int]) -> nn.Module | None:
    """The norm that makes the last tap what the target's head reads. None where the last tap is not its last layer, or
    where norm and head don't give the target's own distribution (some targets scale or cap their logits).
    """
    norm, last = final_norm(target), len(target.model.layers) - 1
    if norm is None or taps[-1] != last:
        return None
    target.watch.want((last,))
    logits = target.model(mx.arange(min(TRIED_TOKENS, target.facts.vocabulary))[None])
    head = find(target)[1]
    said = (head.as_linear if hasattr(head, "as_linear") else head)(norm(target.watch.take()[last]))
    if said.shape != logits.shape:
        return None
    ours, theirs = (mx.softmax(a.astype(mx.float32), axis=-1) for a in (said, logits))
    apart: float = (mx.abs(ours - theirs).sum(axis=-1).mean() / 2).item()  # type: ignore[assignment]
    return norm if apart < FAR else None


@dataclass(frozen=True, slots=True)
class SoftLabels:
    """The target's own distributions, of a conversation at a time, kept in memory once made (64 bytes a token).

    Args:
        norm: ``teacher``
        head: over the draft vocabulary, [..., H] -> [..., V']
        keep: only where a conversation's taps are the same in every step to the last bit; those that are computed anew
            hang on what stands beside them in the batch, and a run that was resumed would part from an unbroken one
    """

    norm: nn.Module
    head: Callable[[mx.array], mx.array]
    keep: bool = True
    made: dict[int, tuple[NDArray[np.int32], NDArray[np.float32]]] = field(default_factory=dict)

    def of(self, conversation: int, last: NDArray[Any]) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """The likeliest draft ids of what comes after each token, and their probabilities, which add up to one.

        Args: last [n, H]: outputs of the target's last layer. Returns: twice [n, K]
        """
        found = self.made.get(conversation)
        if found is None:
            logits = self.head(self.norm(mx.array(np.asarray(last, np.float32)))).astype(mx.float32)
            k = min(LIKELIEST, logits.shape[-1])
            ids = mx.argpartition(-logits, k - 1, axis=-1)[:, :k]
            probabilities = mx.softmax(mx.take_along_axis(logits, ids, axis=-1), axis=-1)
            found = np.array(ids.astype(mx.int32)), np.array(probabilities)
            if self.keep:
                self.made[conversation] = found
        return found
