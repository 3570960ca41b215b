"""Fits the weights by which look-up, table and a trained drafter are weighed against each other (``drafters.votes``).

The blend walks answers that it wasn't trained on and is not judged by; of each round the positions up to the first
refusal are samples: what was known there, and the token that came. The weights are those of the greatest likelihood,
held a little towards zero; found by Adam on all samples at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import mlx.core as mx
import mlx.optimizers as optim
import msgspec
import numpy as np

from engine.drafters.base import Draft
from engine.drafters.blend import Blend
from engine.drafters.votes import Evidence, Votes, Weights, flat, terms, weights_of
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
        beside = fit([s for s in samples if s.heard.ids])
        alone = msgspec.structs.replace(fit([without_drafter(s) for s in samples]), drafter=0.0)
        blend.votes = Votes(beside=beside, alone=alone, fitted_on=f"{len(samples)} drafts in {len(chosen)} answers")
    return blend.votes


def without_drafter(sample: Sample) -> Sample:
    return replace(sample, heard=replace(sample.heard, ids=(), log_q=()))


def fit(samples: Sequence[Sample]) -> Weights:
    """The likeliest weights."""
    known = [(*terms(s.heard), s.came) for s in samples]
    known = [one for one in known if one[0]]
    if not known:
        return Weights()
    most = max(len(rows) for _, rows, _ in known)
    factors = np.zeros((len(known), most, len(flat(Weights()))), np.float32)
    nobody, came = np.ones((len(known), most), np.bool_), np.zeros(len(known), np.int32)
    for n, (ids, rows, token) in enumerate(known):
        nobody[n, : len(rows)] = False
        came[n] = ids.index(token) if token in ids else len(ids)
        for at, row in enumerate(rows):
            for weight, factor in row:
                factors[n, at, weight] = factor
    x, gone, token_at = mx.array(factors), mx.array(nobody), mx.array(came)

    def loss(w: dict[str, mx.array]) -> mx.array:
        scores = mx.where(gone, -mx.inf, x @ w["all"])
        said = mx.take_along_axis(scores, token_at[:, None], axis=1)[:, 0]
        return (mx.logsumexp(scores, axis=1) - said).mean() + HOLD / 2 * mx.square(w["all"]).sum()

    weights = {"all": mx.array(flat(Weights()))}
    adam = optim.Adam(learning_rate=optim.cosine_decay(RATE, STEPS))
    for _ in range(STEPS):
        weights = adam.apply_gradients(mx.grad(loss)(weights), weights)
        mx.eval(weights, adam.state)
    found: list[float] = weights["all"].tolist()  # type: ignore[assignment]
    return weights_of([round(number, 3) for number in found])
