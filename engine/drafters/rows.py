"""What a trained drafter thinks of each position of a block, brought to the host: for those who weigh it against other
evidence (``blend``). Where a walker names one token, these are its best candidates with their log probabilities.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import mlx.core as mx

from engine.drafters.backbone import Features
from engine.drafters.borrow import Borrowed
from engine.drafters.walker import Paired, Serial, Walker, candidates

Opinion = tuple[Sequence[int], Sequence[float]]
"""The target's ids, natural logarithms of their probabilities."""


class Rows(Protocol):
    width: int
    forwards: int
    """Of the drafter, so far."""

    def at(self, k: int, before: int) -> Opinion:
        """Of position k (from 0), after the token ``before`` that was chosen; positions are asked in order."""
        ...

    def done(self) -> None:
        """The block is chosen."""
        ...


class Fixed:
    """Scheme B: rows that hang on nothing chosen before."""

    def __init__(self, borrowed: Borrowed, logits: mx.array, k: int) -> None:
        found = candidates(logits, k)
        ids, log_q = borrowed.to_target(found), log_probabilities(logits, found)
        mx.eval(ids, log_q)
        self.ids: list[list[int]] = ids.tolist()  # type: ignore[assignment]
        self.log_q: list[list[float]] = log_q.tolist()  # type: ignore[assignment]
        self.width = len(self.ids)
        self.forwards = 1

    def at(self, k: int, before: int) -> Opinion:
        return self.ids[k], self.log_q[k]

    def done(self) -> None:
        pass


class Pairs(Fixed):
    """Schemes D and E: the row of the chosen predecessor where that was a candidate, otherwise the backbone's own."""

    def __init__(self, paired: Paired, logits: mx.array, features: Features, anchor: int, k: int) -> None:
        found = candidates(logits, k)
        own = mx.take_along_axis(logits, found, axis=-1).astype(mx.float32)
        ids = paired.borrowed.to_target(found)
        before = mx.concatenate([mx.full((1, ids.shape[-1]), anchor, ids.dtype), ids[:-1]])
        scores = own[:, None, :] + paired.table(features, before, ids)  # [width, P, K]
        # What stands outside of the candidates is not scored in pairs: it keeps the backbone's weight.
        whole = mx.logsumexp(logits.astype(mx.float32), axis=-1, keepdims=True)
        rest = whole + mx.log(mx.maximum(1 - mx.exp(own - whole).sum(axis=-1, keepdims=True), 1e-6))
        beside = mx.concatenate([scores, mx.broadcast_to(rest[:, None], (*scores.shape[:2], 1))], axis=-1)
        log_q = scores - mx.logsumexp(beside, axis=-1, keepdims=True)
        mx.eval(log_q)
        super().__init__(paired.borrowed, logits, k)
        self.after: list[list[list[float]]] = log_q.tolist()  # type: ignore[assignment]
        self.first = anchor

    def at(self, k: int, before: int) -> Opinion:
        if not k:
            return self.ids[0], self.after[0][0]
        if before in self.ids[k - 1]:
            return self.ids[k], self.after[k][self.ids[k - 1].index(before)]
        return super().at(k, before)


class Stepwise:
    """Schemes A and C: each row is computed when its predecessor is known. One wait a position.

    Args:
        step: (k, before) -> logits [1, proposed vocabulary]
        each: whether a step is a forward of the drafter (A), or all of them hang on one (C)
        end: takes back what the steps have left behind
    """

    def __init__(
        self, borrowed: Borrowed, width: int, k: int, step: Callable[[int, int], mx.array],
        each: bool = False, end: Callable[[], None] = lambda: None,
    ) -> None:  # fmt: skip
        self.borrowed, self.width, self.k, self.step, self.each, self.end = borrowed, width, k, step, each, end
        self.forwards = 0 if each else 1

    def at(self, k: int, before: int) -> Opinion:
        self.forwards += self.each
        return Fixed(self.borrowed, self.step(k, before), self.k).at(0, before)

    def done(self) -> None:
        self.end()


def block_rows(walker: Walker, borrowed: Borrowed, logits: mx.array, features: Features, anchor: int, k: int) -> Rows:
    """Of schemes B to E. Args: logits [width, proposed vocabulary]; k: candidates a position keeps."""
    if isinstance(walker, Paired):
        return Pairs(walker, logits, features, anchor, k)
    if isinstance(walker, Serial):
        return Stepwise(borrowed, logits.shape[0], k, walker.steps(logits, features))
    return Fixed(borrowed, logits, k)


def log_probabilities(logits: mx.array, ids: mx.array) -> mx.array:
    """[..., V], [..., K] -> [..., K] float32"""
    logits = logits.astype(mx.float32)
    return mx.take_along_axis(logits, ids, axis=-1) - mx.logsumexp(logits, axis=-1, keepdims=True)
