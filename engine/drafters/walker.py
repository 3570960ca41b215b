"""From the logits of a block to its drafts: one interface for schemes B to E, all of it lazy.

    Independent   B       each row by itself
    Serial        C       row by row, corrected by the token chosen before
    Paired        D, E    candidates of each row, scored in pairs with those of the row before, then a walk over them

At temperature 0 a walker names tokens (q is a point mass). Otherwise it draws them and says from what: q of a position
depends on the tokens drawn before it and on nothing later, so the acceptance rule is exact whatever q is. B and C draw
under the arm's own sampling settings; D and E draw from softmax(scores / T) over their candidates.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import mlx.core as mx

from engine.accept import Proposal
from engine.drafters.backbone import Features, Model
from engine.drafters.borrow import Borrowed
from engine.drafters.serial import DominoHead
from engine.sampling import Sampler, draw, softmax_at

TABLE_CANDIDATES = 256
"""Up to so many candidates the pairs of all positions are one table; beyond, each step scores one row of it."""


@dataclass(slots=True)
class Walk(Proposal):
    """Shape: confidence [width], 0 to 1; None where the scheme has none."""

    confidence: mx.array | None = None
    table_bytes: int = 0
    """Of the scores of all pairs of candidates (the transition cache)."""


class Walker(Protocol):
    def __call__(self, logits: mx.array, features: Features, anchor: int, sampler: Sampler) -> Walk:
        """Args: logits [width, proposed vocabulary]; features of the one block."""
        ...


def walker(model: Model, borrowed: Borrowed) -> Walker:
    """The walker of a model's scheme."""
    if model.layout.scheme == "C":
        return Serial(model, borrowed)
    if model.layout.scheme in ("D", "E"):
        return Paired(model, borrowed)
    return Independent(borrowed)


def candidates(logits: mx.array, width: int) -> mx.array:
    """The ``width`` best ids of each row, ascending, the first argmax always among them. [rows, V] -> [rows, K]

    In this order argmax over the candidates breaks ties as argmax over the vocabulary does.
    """
    vocabulary = logits.shape[-1]
    if width >= vocabulary:
        return mx.broadcast_to(mx.arange(vocabulary, dtype=mx.int32), logits.shape)
    best = mx.argmax(logits, axis=-1, keepdims=True)
    if width == 1:
        return best.astype(mx.int32)
    found = mx.argpartition(-logits, width - 1, axis=-1)[:, :width]
    # The argmax is missing only where more than ``width`` ids tie for the first place.
    missing = mx.all(found != best, axis=-1, keepdims=True) & (mx.arange(width) == 0)
    return mx.sort(mx.where(missing, best, found).astype(mx.int32), axis=-1)


class Independent:
    """Scheme B."""

    def __init__(self, borrowed: Borrowed) -> None:
        self.borrowed = borrowed

    def __call__(self, logits: mx.array, features: Features, anchor: int, sampler: Sampler) -> Walk:
        if sampler.greedy:
            return Walk(self.borrowed.to_target(mx.argmax(logits, axis=-1)))
        q = sampler.probabilities(logits)
        ids = draw(q, sampler.next_key())
        return Walk(self.borrowed.to_target(ids), q, proposed_ids(self.borrowed, q))


def proposed_ids(borrowed: Borrowed, q: mx.array) -> mx.array | None:
    """The ids that columns of q stand for; None where they are the target's own. [width, proposed vocabulary]"""
    return None if borrowed.draft_ids is None else mx.broadcast_to(borrowed.draft_ids, q.shape)


def draw_rows(
    step: Callable[[int, mx.array], mx.array], anchor: int, width: int, borrowed: Borrowed, sampler: Sampler
) -> tuple[mx.array, mx.array | None, mx.array | None]:
    """Row by row, each given the token drawn before it, in one lazy graph: the tokens [width], q [width, proposed
    vocabulary] where they are drawn at random, and the ids that its columns stand for.

    Args: step: (k, the token before [1]) -> logits [1, proposed vocabulary]
    """
    token = mx.array([anchor])
    tokens: list[mx.array] = []
    q_rows: list[mx.array] = []
    for k in range(width):
        row = step(k, token)
        if sampler.greedy:
            ids = mx.argmax(row, axis=-1)
        else:
            q_rows.append(sampler.probabilities(row))
            ids = draw(q_rows[-1], sampler.next_key())
        token = borrowed.to_target(ids)
        tokens.append(token)
    q = mx.concatenate(q_rows) if q_rows else None
    return mx.concatenate(tokens), q, None if q is None else proposed_ids(borrowed, q)


class Serial:
    """Scheme C. The steps are one lazy graph; each costs the head's correction of one row."""

    def __init__(self, model: Model, borrowed: Borrowed) -> None:
        self.borrowed = borrowed
        layout = model.layout
        self.head: Any = model.markov_head if layout.markov else DominoHead(model)
        self.embed = model.markov_head.markov_w1 if layout.markov else borrowed.embed
        self.by_id = layout.markov is not None
        self.confidence_head = model.confidence_head if layout.markov and layout.markov.confidence else None
        self.pure_prefix = layout.domino.pure_prefix if layout.domino else 0

    def steps(self, logits: mx.array, features: Features) -> Callable[[int, mx.array], mx.array]:
        """Row by row: (k, the token before [1]) -> [1, proposed vocabulary]. Asked in order."""
        hidden = features.hidden[0]
        state = [self.head.start(hidden[:1])]

        def step(k: int, before: mx.array) -> mx.array:
            given = before if self.by_id else self.embed(before)
            correction, state[0] = self.head(given, hidden[k : k + 1], state[0])
            row = logits[k : k + 1]
            return row + correction if k >= self.pure_prefix else row

        return step

    def __call__(self, logits: mx.array, features: Features, anchor: int, sampler: Sampler) -> Walk:
        sure: list[mx.array] = []
        corrected = self.steps(logits, features)

        def step(k: int, before: mx.array) -> mx.array:
            if self.confidence_head is not None:
                sure.append(self.confidence_head(features.hidden[0, k : k + 1], self.embed(before)))
            return corrected(k, before)

        tokens, q, ids = draw_rows(step, anchor, logits.shape[0], self.borrowed, sampler)
        return Walk(tokens, q, ids, mx.concatenate(sure) if sure else None)


class Paired:
    """Schemes D and E: scores [width, K, K] of all pairs of candidates, one batched product before the walk."""

    def __init__(self, model: Model, borrowed: Borrowed, table_candidates: int = TABLE_CANDIDATES) -> None:
        self.model, self.borrowed, self.table_candidates = model, borrowed, table_candidates
        cascade = model.layout.cascade
        self.pairs = cascade is None or cascade.transitions

    def __call__(self, logits: mx.array, features: Features, anchor: int, sampler: Sampler) -> Walk:
        width, k = logits.shape[0], sampler.settings.candidate_width
        found = candidates(logits, k)
        own = mx.take_along_axis(logits, found, axis=-1).astype(mx.float32)  # [width, K]
        ids = self.borrowed.to_target(found)
        noise = None if sampler.greedy else mx.random.gumbel(ids.shape, key=sampler.next_key())
        if found.shape[-1] > self.table_candidates:
            index, q = self._step_by_step(own, ids, features, anchor, sampler, noise)
            table_bytes = own[:1].nbytes
        else:
            first = mx.full((1, ids.shape[-1]), anchor, ids.dtype)
            before = mx.concatenate([first, ids[:-1]])
            scores = own[:, None, :] + self.table(features, before, ids)
            index, q = walk(scores, sampler, noise)
            table_bytes = scores.nbytes
        tokens = mx.take_along_axis(ids, index[:, None], axis=-1)[:, 0]
        return Walk(tokens, q, ids if width and q is not None else None, table_bytes=table_bytes)

    def table(self, features: Features, before: mx.array, ids: mx.array) -> mx.array:
        """Scores of ids [width, K] after each of before [width, P]. [width, P, K] float32"""
        if not self.pairs:
            return mx.zeros((*before.shape, ids.shape[-1]))
        hidden = features.hidden[0]
        if self.model.layout.dflash2:
            return self.model.candidate_selector.scores(hidden, before, ids)
        assert features.expected is not None
        embed = self.borrowed.embed
        return self.model.cascade.scores(hidden, embed(before), embed(ids), features.expected[0])

    def _step_by_step(
        self, own: mx.array, ids: mx.array, features: Features, anchor: int, sampler: Sampler, noise: mx.array | None
    ) -> tuple[mx.array, mx.array | None]:
        """The same walk where the table would be too wide: only the rows that are walked are scored."""
        before = mx.array([[anchor]], ids.dtype)
        index: list[mx.array] = []
        q_rows: list[mx.array] = []
        for k in range(own.shape[0]):
            row = slice(k, k + 1)
            expected = None if features.expected is None else features.expected[:, row]
            scores = own[row, None, :] + self.table(Features(features.hidden[:, row], expected), before, ids[row])
            at, q = walk(scores, sampler, None if noise is None else noise[row])
            index.append(at)
            if q is not None:
                q_rows.append(q)
            before = ids[row, at]
        return mx.concatenate(index), mx.concatenate(q_rows) if q_rows else None


def walk(scores: mx.array, sampler: Sampler, noise: mx.array | None) -> tuple[mx.array, mx.array | None]:
    """Choose one candidate of each position, given the one before.

    What every predecessor would choose is worked out for all of them at once, so the walk itself is look-ups only.

    Args: scores [width, P, K], of the first position only row 0; noise [width, K] standard Gumbel, None when greedy.
    Returns: indices [width], and the rows [width, K] of q they were drawn from
    """
    q = None
    if noise is None:
        choice = mx.argmax(scores, axis=-1)
    else:
        q = softmax_at(scores, sampler.settings.temperature)
        choice = mx.argmax(mx.log(q) + noise[:, None, :], axis=-1)
    width = scores.shape[0]
    at = mx.zeros((1,), choice.dtype)
    path = [at]
    for k in range(width):
        at = choice[k][at]
        path.append(at)
    came_from = mx.concatenate(path[:-1])
    if q is not None:
        q = mx.take_along_axis(q, came_from[:, None, None], axis=1)[:, 0]
    return mx.concatenate(path[1:]), q
