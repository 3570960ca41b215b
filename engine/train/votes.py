"""Fits the weights by which look-up, table and a trained drafter are weighed against each other (``drafters.votes``).

The blend walks answers that it wasn't trained on and is not judged by; of each round the positions up to the first
refusal are samples: what was known there, and the token that came. The weights are those of the greatest likelihood,
held a little towards zero; found by Adam on all samples at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import mlx.core as mx
import mlx.optimizers as optim
import numpy as np

from engine.drafters.base import Draft
from engine.drafters.blend import Blend
from engine.drafters.votes import Evidence, Votes, Weights, candidates
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
        alone = fit([without_drafter(s) for s in samples], Weights(drafter=0.0))
        blend.votes = Votes(beside=beside, alone=alone, fitted_on=f"{len(samples)} drafts in {len(chosen)} answers")
    return blend.votes


def without_drafter(sample: Sample) -> Sample:
    return replace(sample, heard=replace(sample.heard, ids=(), log_q=()))


def fit(samples: Sequence[Sample], start: Weights) -> Weights:
    """The likeliest weights; ``drafter`` 0 in ``start`` stays 0."""
    known = [(candidates(s.heard), s.came) for s in samples if s.heard.ids or s.heard.lookup or s.heard.table]
    if not known:
        return start
    n, most = len(known), max(len(c.ids) for c, _ in known)
    # The last column is the rest.
    log_q, log_t = np.full((n, most + 1), -np.inf, np.float32), np.zeros((n, most + 1), np.float32)
    came = np.full(n, most)
    # What look-up and the table say: at which candidate (none: nowhere), of which bin.
    looked, tabled = np.zeros((n, most + 1), np.float32), np.zeros((n, most + 1), np.float32)
    looked_bin, tabled_bin = np.zeros(n, np.int32), np.zeros((n, 2), np.int32)
    for row, (c, token) in enumerate(known):
        log_q[row, : len(c.ids)], log_t[row, : len(c.ids)] = c.log_q, c.log_t
        log_q[row, most], log_t[row, most] = c.left
        if token in c.ids:
            came[row] = c.ids.index(token)
        if c.looked[0] >= 0:
            looked[row, c.looked[0]], looked_bin[row] = 1, c.looked[1]
        if c.tabled[0] >= 0:
            tabled[row, c.tabled[0]], tabled_bin[row] = 1, c.tabled[1:]
    there = mx.array(np.isfinite(log_q))
    logs_of, at, of = mx.array(np.where(np.isfinite(log_q), log_q, 0.0)), mx.array(looked), mx.array(tabled)
    spreads_of = mx.array(log_t)
    bins, orders, sures, token_at = (mx.array(a) for a in (looked_bin, tabled_bin[:, 0], tabled_bin[:, 1], came))

    def loss(w: dict[str, mx.array]) -> mx.array:
        a = w["drafter"] if start.drafter else mx.array(0.0)
        scores = a * logs_of + w["spread"][orders][:, None] * spreads_of
        scores = scores + at * w["lookup"][bins][:, None] + of * w["table"][orders, sures][:, None]
        scores = mx.where(there, scores, -mx.inf)
        said = mx.take_along_axis(scores, token_at[:, None], axis=1)[:, 0]
        held = sum((mx.square(one).sum() for one in w.values()), mx.array(0.0))
        total: mx.array = (mx.logsumexp(scores, axis=1) - said).mean() + HOLD / 2 * held
        return total

    weights = {name: mx.array(getattr(start, name)) for name in ("drafter", "lookup", "table", "spread")}
    adam = optim.Adam(learning_rate=optim.cosine_decay(RATE, STEPS))
    for _ in range(STEPS):
        weights = adam.apply_gradients(mx.grad(loss)(weights), weights)
        mx.eval(weights, adam.state)

    def rounded(found: Any) -> Any:
        return tuple(map(rounded, found)) if isinstance(found, list) else round(found, 3)

    return Weights(**{name: rounded(array.tolist()) for name, array in weights.items()})
