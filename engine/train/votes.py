"""Fits the weights by which look-up, table and a trained drafter are weighed against each other (``drafters.votes``).

The blend walks answers that it wasn't trained on and is not judged by; of each round the positions up to the first
refusal are samples: what was known there, and the token that came. The weights are those of the greatest likelihood,
held a little towards zero; found by Adam on all samples at once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import mlx.core as mx
import numpy as np
from numpy.typing import NDArray

from engine.drafters.base import Draft
from engine.drafters.blend import Blend
from engine.drafters.votes import MATCHES, ORDERS, SURES, Evidence, Votes, Weights, features
from engine.sampling import Sampler
from engine.trace.events import Settings
from engine.train.conversations import conversation
from engine.train.evaluate import replay
from engine.train.judge import Judge

ROUNDS = 2
"""The blend walks with the usual weights, then with those it has been given."""
STEPS = 400
RATE = 0.05
HOLD = 2e-4


@dataclass(frozen=True, slots=True)
class Sample:
    heard: Evidence
    came: int


class Listening:
    """A blend on a known text, and what it was told there."""

    def __init__(self, blend: Blend, text: Sequence[int]) -> None:
        self.blend, self.text, self.seen = blend, text, 0
        self.name, self.taps = blend.name, blend.taps
        self.samples: list[Sample] = []

    def propose(self, anchor: int, width: int, sampler: Sampler) -> Draft:
        draft = self.blend.propose(anchor, width, sampler)
        drafts: list[int] = draft.tokens.tolist()  # type: ignore[assignment]
        for heard, token, came in zip(self.blend.heard, drafts, self.text[self.seen + 1 :], strict=False):
            self.samples.append(Sample(heard, came))
            if token != came:
                break
        return draft

    def observe(self, tokens: Sequence[int], taps: Mapping[int, mx.array]) -> None:
        self.seen += len(tokens)
        self.blend.observe(tokens, taps)

    def rewind(self, n: int) -> None:
        self.seen = min(self.seen, n)
        self.blend.rewind(n)

    @property
    def state_bytes(self) -> int:
        return self.blend.state_bytes


def fit_votes(
    blend: Blend, judge: Judge, chosen: Sequence[int], cancelled: Callable[[], bool] = lambda: False,
    on_progress: Callable[[int, int], None] = lambda *_: None,
) -> Votes | None:  # fmt: skip
    """Weights fitted on some of the held-out answers; None where stopped. ``blend`` has them afterwards."""
    for turn in range(ROUNDS):
        samples: list[Sample] = []
        for n, i in enumerate(chosen):
            if cancelled():
                return None
            text = conversation(judge.held, i)
            begin = int(judge.held.starts[i])
            listening = Listening(blend, text.tolist())
            settings = Settings(block=8, max_tokens=judge.tokens)
            replay(
                listening, text[:begin].tolist(), text[begin:][: judge.tokens].tolist(), settings,
                judge.taps_of(i, blend.taps),
            )  # fmt: skip
            samples += listening.samples
            on_progress(turn * len(chosen) + n + 1, ROUNDS * len(chosen))
        beside = fit([s for s in samples if s.heard.ids], Weights())
        alone = fit([replace(s, heard=replace(s.heard, ids=(), log_q=())) for s in samples], Weights(drafter=0.0))
        blend.votes = Votes(beside=beside, alone=alone, fitted_on=f"{len(samples)} drafts in {len(chosen)} answers")
    return blend.votes


def fit(samples: Sequence[Sample], start: Weights) -> Weights:
    """The likeliest weights; ``drafter`` 0 in ``start`` stays 0."""
    known = [(features(s.heard), s.came) for s in samples if s.heard.ids or s.heard.lookup or s.heard.table]
    if not known:
        return start
    n, most = len(known), max(len(f[0]) for f, _ in known)
    log_q = np.full((n, most + 1), -np.inf)  # the last column is the rest
    came = np.full(n, most)
    looked, tabled = np.full((n, 2), -1), np.full((n, 2), -1)  # candidate, bin
    for row, ((ids, logs, look, in_table, left), token) in enumerate(known):
        log_q[row, : len(ids)] = logs
        log_q[row, most] = left
        if token in ids:
            came[row] = ids.index(token)
        looked[row] = look
        tabled[row] = in_table[0], in_table[1] * len(SURES) + in_table[2]
    a = start.drafter
    votes = np.concatenate([np.array(start.lookup), np.array(start.table).ravel()])
    theta = np.concatenate([[a], votes])
    moment, square = np.zeros_like(theta), np.zeros_like(theta)
    for step in range(1, STEPS + 1):
        gradient = slope(theta, log_q, came, looked, tabled) / n + HOLD * theta
        if not start.drafter:
            gradient[0] = 0.0
        moment = 0.9 * moment + 0.1 * gradient
        square = 0.99 * square + 0.01 * gradient**2
        rate = RATE * 0.5 * (1 + math.cos(math.pi * step / STEPS))
        theta = theta - rate * (moment / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.99**step)) + 1e-9)
    lookup, table = theta[1 : 1 + len(MATCHES)], theta[1 + len(MATCHES) :].reshape(ORDERS, len(SURES))
    return Weights(
        drafter=round(float(theta[0]), 3),
        lookup=tuple(round(float(x), 3) for x in lookup),
        table=tuple(tuple(round(float(x), 3) for x in row) for row in table),
    )


def slope(
    theta: NDArray[np.float64], log_q: NDArray[np.float64], came: NDArray[np.int64], looked: NDArray[np.int64],
    tabled: NDArray[np.int64],
) -> NDArray[np.float64]:  # fmt: skip
    """Of minus the summed log-likelihood, by [a, look-up's bins, the table's]. [22]"""
    rows = np.arange(len(came))
    known = np.where(np.isfinite(log_q), log_q, 0.0)
    scores = np.where(np.isfinite(log_q), theta[0] * known, -np.inf)
    at = 1
    for places, size in ((looked, len(MATCHES)), (tabled, ORDERS * len(SURES))):
        there = places[:, 0] >= 0
        scores[rows[there], places[there, 0]] += theta[at + places[there, 1]]
        at += size
    p = np.exp(scores - scores.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    p[rows, came] -= 1.0  # what is expected less what came
    out = np.zeros_like(theta)
    out[0] = (p * known).sum()
    at = 1
    for places, size in ((looked, len(MATCHES)), (tabled, ORDERS * len(SURES))):
        there = places[:, 0] >= 0
        np.add.at(out, at + places[there, 1], p[rows[there], places[there, 0]])
        at += size
    return out
