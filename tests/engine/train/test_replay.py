"""The held-out benchmark reads off a known answer what the loop would do: it has to agree with the loop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import mlx.core as mx
import pytest

from engine.drafters.base import Draft, Drafter, FirstOf
from engine.drafters.checkpoint import LoadedDrafter
from engine.drafters.lookup import Lookup
from engine.drafters.table import TableDrafter
from engine.sampling import Sampler
from engine.trace.events import ModelFacts, Settings
from engine.train.dataset import Dataset
from engine.train.evaluate import Walk, paired_difference, replay, score
from engine.train.fit import fit_table
from tests.bench.heldout import agrees, real
from tests.engine import helpers
from tests.engine.drafters.blocks import Nudged
from tests.engine.train.texts import conversations
from tests.engine.train.trainees import GAMMA, trainee
from tests.tiny import tiny_target

PROMPTS = ["the quick brown fox", "0123 0123 0123 ", "a b a b a c a b"]


def drafters(texts: list[list[int]]) -> dict[str, Drafter]:
    rows = [([5 + i], text[:25], False) for i, text in enumerate(texts)]
    manifest = {"vocabulary": 64, "target": {"name": "tiny"}, "recipe": {"seed": 0}}
    table = fit_table(Dataset(conversations(*rows), conversations(), manifest))
    both = FirstOf([Lookup(), TableDrafter(table)])
    return {"lookup": Lookup(), "table": TableDrafter(table), "both": both}


@pytest.mark.parametrize("settings", [{}, {"block": 4}, {"confidence_threshold": 0.3}])
def test_replay_takes_the_rounds_of_the_loop(settings: dict[str, float]) -> None:
    target = tiny_target(seed=4)
    wanted = Settings(max_tokens=50, **settings)  # type: ignore[arg-type]
    texts = [helpers.ids(helpers.run(helpers.arm_state(target, max_tokens=50), p)) for p in PROMPTS]
    several = 0
    for name, drafter in drafters(texts).items():
        for prompt, text in zip(PROMPTS, texts, strict=True):
            walk = replay(drafter, target.tokenizer.encode(prompt), text, wanted)
            drafter.rewind(0)
            ids, emitted = real(target, drafter, prompt, wanted)
            assert ids == text
            assert list(walk.emitted) == emitted, name
            assert agrees(walk, text, ids, emitted) == (True, True)
            several += sum(n > 1 for n in emitted)
    assert several > 5


def walk(*emitted: int) -> Walk:
    return Walk((0,) * len(emitted), tuple(n - 1 for n in emitted), emitted)


def test_a_disagreement_is_seen_until_the_texts_part() -> None:
    text = [1, 2, 3, 4, 5, 6]
    assert agrees(walk(1, 2, 3), text, text, [1, 3, 2]) == (True, False)
    assert agrees(walk(1, 2, 3), text, [1, 2, 3, 9, 9], [1, 2, 1, 1]) == (False, True)
    assert agrees(walk(1, 2, 3), text, [1, 2, 3, 9, 9], [1, 1, 1, 1]) == (False, False)


def test_the_figure_is_pooled_and_the_interval_holds_it() -> None:
    walks = [walk(1, 3), walk(*(1,) * 10), *[walk(1, 2, 3)] * 10]
    one = score(walks)
    assert one.tokens_per_forward == pytest.approx((4 + 10 + 60) / (2 + 10 + 30))
    assert one.low < one.tokens_per_forward < one.high
    same = score([walk(1, 3)] * 5)
    assert (same.tokens_per_forward, same.low, same.high) == (2, 2, 2)


def test_positions_are_counted_where_drafts_stood() -> None:
    one = score([Walk((0, 3, 2), (0, 2, 0), (1, 3, 1))])
    assert (one.drafted_by_position, one.accepted_by_position) == ((2, 2, 1), (1, 1, 0))


def test_a_paired_difference_knows_that_the_answers_are_the_same() -> None:
    few, many = [walk(1, 2, 2), walk(1, 1, 1)], [walk(1, 3, 3), walk(1, 2, 2)]
    middle, low, high = paired_difference(many * 20, few * 20)
    assert middle == pytest.approx(2.0 - 8 / 6)
    assert 0 < low < middle < high


class Recorded:
    """Keeps what a drafter said before it was nudged."""

    def __init__(self, inner: Drafter) -> None:
        self.inner, self.name, self.taps = inner, inner.name, inner.taps
        self.said: list[list[int]] = []

    def propose(self, anchor: int, width: int, sampler: Sampler) -> Draft:
        draft = self.inner.propose(anchor, width, sampler)
        self.said.append(draft.tokens.tolist())  # type: ignore[arg-type]
        return draft

    def observe(self, tokens: Sequence[int], taps: Mapping[int, mx.array]) -> None:
        self.inner.observe(tokens, taps)

    def rewind(self, n: int) -> None:
        self.inner.rewind(n)

    @property
    def state_bytes(self) -> int:
        return self.inner.state_bytes


@pytest.mark.parametrize("scheme", ["A", "E"])
def test_taps_are_handed_over_as_the_loop_does_it(scheme: str, tmp_path: Path) -> None:
    """Every round drafts the same, through every length of acceptance."""
    target = tiny_target(seed=4)
    run = trainee(scheme, tmp_path, target, random=True)
    prompt = target.tokenizer.encode(PROMPTS[0])
    text = helpers.ids(helpers.run(helpers.arm_state(target, max_tokens=40), PROMPTS[0]))
    _, found = target.forward(mx.array([*prompt, *text]), target.make_caches(), run.layout.taps)

    def taps(first: int, last: int) -> dict[int, mx.array]:
        return {layer: tap[:, first:last] for layer, tap in found.items()}

    def one() -> Recorded:
        loaded = LoadedDrafter.of(run.current(), run.borrowed, ModelFacts(name="one"))
        return Recorded(loaded.drafter())

    wanted = Settings(max_tokens=40, block=GAMMA + 1)
    walked, looped = one(), one()
    walk = replay(Nudged(walked, text, len(prompt)), prompt, text, wanted, taps)
    ids, emitted = real(target, Nudged(looped, text, len(prompt)), PROMPTS[0], wanted)
    assert (ids, emitted) == (text, list(walk.emitted))
    assert walked.said == looped.said
    assert set(walk.accepted) == set(range(GAMMA + 1))
