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
    table_bytes: int
    """Of the scores of all pairs of candidates (``walker.Walk``)."""

    anywhere: bool
    """Positions can be asked in any order, after any tokens."""

    def at(self, k: int, before: int) -> Opinion:
        """Of position k (from 0), after the token ``before`` that was chosen. Unless ``anywhere``, positions are asked
        in order, each once."""
        ...

    def done(self) -> None:
        """The block is chosen."""
        ...


class Fixed:
    """Scheme B: rows that hang on nothing chosen before.

    Shape: ids, log_q [width, K]; more: what else is to be computed with them
    """

    def __init__(self, ids: mx.array, log_q: mx.array, *more: mx.array) -> None:
        mx.eval(ids, log_q, *more)
        self.ids: list[list[int]] = ids.tolist()  # type: ignore[assignment]
        self.log_q: list[list[float]] = log_q.tolist()  # type: ignore[assignment]
        self.width = len(self.ids)
        self.forwards = 1
        self.anywhere = True
        self.table_bytes = 0

    def at(self, k: int, before: int) -> Opinion:
        return self.ids[k], self.log_q[k]

    def done(self) -> None:
        pass


class Pairs(Fixed):
    """Schemes D and E: the row of the chosen predecessor where that was a candidate, otherwise the backbone's own.

    Shape: log_q_after [width, P, K]; of the first position only row 0, after the anchor
    """

    def __init__(self, ids: mx.array, log_q: mx.array, log_q_after: mx.array) -> None:
        super().__init__(ids, log_q, log_q_after)
        self.table_bytes = log_q_after.nbytes
        self.log_q_after: list[list[list[float]]] = log_q_after.tolist()  # type: ignore[assignment]

    def at(self, k: int, before: int) -> Opinion:
        if not k:
            return self.ids[0], self.log_q_after[0][0]
        if before in self.ids[k - 1]:
            return self.ids[k], self.log_q_after[k][self.ids[k - 1].index(before)]
        return super().at(k, before)


class Stepwise:
    """Schemes A and C: each row is computed when its predecessor is known. One wait a position.

    Args:
        step: (k, the token before [1]) -> logits [1, proposed vocabulary]
        each: whether a step is a forward of the drafter (A), or all of them hang on one (C)
        end: takes back what the steps have left behind
    """

    def __init__(
        self, borrowed: Borrowed, width: int, k: int, step: Callable[[int, mx.array], mx.array],
        each: bool = False, end: Callable[[], None] = lambda: None,
    ) -> None:  # fmt: skip
        self.borrowed, self.width, self.k, self.step, self.each, self.end = borrowed, width, k, step, each, end
        self.forwards = 0 if each else 1
        self.table_bytes = 0
        self.anywhere = False

    def at(self, k: int, before: int) -> Opinion:
        self.forwards += self.each
        return Fixed(*best(self.borrowed, self.step(k, mx.array([before])), self.k)).at(0, before)

    def done(self) -> None:
        self.end()


def block_rows(walker: Walker, borrowed: Borrowed, logits: mx.array, features: Features, anchor: int, k: int) -> Rows:
    """Of schemes B to E. Args: logits [width, proposed vocabulary]; k: candidates a position keeps."""
    if isinstance(walker, Serial):
        return Stepwise(borrowed, logits.shape[0], k, walker.steps(logits, features))
    ids, log_q = best(borrowed, logits, k)
    if isinstance(walker, Paired):
        return Pairs(ids, log_q, paired(walker, features, anchor, ids, log_q))
    return Fixed(ids, log_q)


def best(borrowed: Borrowed, logits: mx.array, k: int) -> tuple[mx.array, mx.array]:
    """The target's ids of each row's best candidates, and their log probabilities. [rows, V] -> twice [rows, K]"""
    found = candidates(logits, k)
    logits = logits.astype(mx.float32)
    log_q = mx.take_along_axis(logits, found, axis=-1) - mx.logsumexp(logits, axis=-1, keepdims=True)
    return borrowed.to_target(found), log_q


def paired(walker: Paired, features: Features, anchor: int, ids: mx.array, log_q: mx.array) -> mx.array:
    """Log probabilities of each position's candidates after each of the position before. Twice [width, K] ->
    [width, P, K]

    What stands outside of the candidates is not scored in pairs: it keeps the backbone's weight.
    """
    before = mx.concatenate([mx.full((1, ids.shape[-1]), anchor, ids.dtype), ids[:-1]])
    scores = log_q[:, None, :] + walker.table(features, before, ids)
    rest = mx.log(mx.maximum(1 - mx.exp(log_q).sum(axis=-1), 1e-6))[:, None, None]
    everything = mx.concatenate([scores, mx.broadcast_to(rest, (*scores.shape[:2], 1))], axis=-1)
    return scores - mx.logsumexp(everything, axis=-1, keepdims=True)
