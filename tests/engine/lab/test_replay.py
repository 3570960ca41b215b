"""What the target alone says of a text, and how far two caches are apart."""

from __future__ import annotations

import mlx.core as mx
import numpy as np
import pytest

from engine.cache import leaves
from engine.lab.replay import CACHE_CEILING, Replay, difference, noise_of, replay, rows_held
from engine.lab.scripted import Known
from engine.sampling import Sampler
from engine.trace.events import Settings
from engine.trace.verdict import NOISE_FLOAT32_LOGITS, noise_logits
from tests.engine.lab.tiny_checks import endless

PROMPT = [5, 9, 40, 12, 33]
TARGETS = {kind: endless(kind) for kind in ("dense", "sliding", "wide", "gated-delta")}


def greedy_text(kind: str, n: int, settings: Settings = Settings()) -> list[int]:
    target, sampler = TARGETS[kind], Sampler(settings)
    text, caches = list(PROMPT), TARGETS[kind].make_caches(settings.kv_bits)
    logits, _ = target.forward(mx.array(PROMPT), caches)
    for _ in range(n):
        text.append(int(mx.argmax(sampler.penalise(logits[-1:], text)).item()))
        logits, _ = target.forward(mx.array(text[-1:]), caches)
    return text[len(PROMPT) :]


@pytest.mark.parametrize("kind", TARGETS)
def test_the_targets_own_text_has_no_gap_and_another_token_has_one(kind: str) -> None:
    ids = greedy_text(kind, 16)
    found = replay(TARGETS[kind], PROMPT, ids, Settings(), (2, 5))
    assert found.gaps == [0.0] * 16
    assert min(found.margins) > 0
    assert [len(found.moved[w]) for w in (2, 5)] == [16, 16]
    assert rows_held(found.caches) == len(PROMPT) + 15
    wrong = [*ids[:7], (ids[7] + 1) % 64, *ids[8:]]
    again = replay(TARGETS[kind], PROMPT, wrong, Settings())
    assert again.gaps[:7] == [0.0] * 7
    assert again.gaps[7] > 0.01


def test_penalties_are_those_of_each_rows_own_history() -> None:
    settings = Settings(repetition_penalty=1.5, repetition_window_tokens=6)
    ids = greedy_text("dense", 14, settings)
    assert max(replay(TARGETS["dense"], PROMPT, ids, settings).gaps) == 0
    assert max(replay(TARGETS["dense"], PROMPT, ids, Settings()).gaps) > 0


@pytest.mark.parametrize("kind", TARGETS)
def test_caches_of_one_text_are_alike_and_those_of_another_are_not(kind: str) -> None:
    target, text = TARGETS[kind], [*PROMPT, *greedy_text(kind, 16)]

    def caches_of(tokens: list[int], rows: int) -> list:
        caches = target.make_caches()
        for start in range(0, len(tokens), rows):
            mx.eval(target.forward(mx.array(tokens[start : start + rows]), caches)[0])
        return caches

    alone = caches_of(text, 1)
    assert difference(caches_of(text, 4), alone)[0] < 1e-4
    other = [*text[:-3], (text[-3] + 1) % 64, *text[-2:]]
    apart, place, layer = difference(caches_of(other, 4), alone)
    assert apart > 0.3
    if kind != "gated-delta":  # a state is of the whole text
        assert place in (-3, -2, -1)
    assert 0 <= layer < 2


def test_rows_that_are_missing_or_too_many_are_counted() -> None:
    caches = TARGETS["dense"].make_caches()
    TARGETS["dense"].forward(mx.array(PROMPT), caches)
    assert rows_held(caches) == 5
    next(iter(leaves(caches))).offset = 4
    assert rows_held(caches) == -1
    assert rows_held(endless("mamba").make_caches()) is None


def test_the_bound_of_noise_follows_what_was_measured() -> None:
    target = TARGETS["dense"]
    few = Replay([], [], [], {2: [1e-6, 4e-6], 8: [2e-6]}, {2: 1e-6})
    found = noise_of([few], target)
    assert found.logits == pytest.approx(2 * 2 * 4e-6)
    assert (found.rows, found.widths) == (3, (2, 8))
    many = Replay([], [], [], {2: list(np.linspace(0, 1e-5, 20_000))})
    assert noise_of([many], target).logits == pytest.approx(2e-5, rel=1e-3)
    loud = Replay([], [], [], {2: [1.0]})
    assert noise_of([loud], target).logits == NOISE_FLOAT32_LOGITS  # never above the arithmetic's own ceiling
    assert noise_of([], target).logits == NOISE_FLOAT32_LOGITS


def test_quantised_caches_are_excused_by_the_ceiling_alone() -> None:
    quiet = Replay([], [], [], {2: [0.0]}, {2: 0.0})
    found = noise_of([quiet], TARGETS["wide"], kv_bits=4)
    assert found.logits == noise_logits(TARGETS["wide"].facts, 4)
    assert found.cache == CACHE_CEILING


def test_scripted_drafts_reach_every_accepted_length() -> None:
    known = Known(3, list(range(10, 60)), 64)
    known.observe([1, 2], {})
    right = []
    for _ in range(10):
        draft = known.propose(9, 4, Sampler(Settings()))
        expected = list(range(10, 14))
        tokens: list[int] = draft.tokens.tolist()  # type: ignore[assignment]
        right.append(next((i for i, (a, b) in enumerate(zip(tokens, expected, strict=True)) if a != b), 4))
    assert right == [4, 3, 2, 1, 0] * 2
    known.observe(list(range(51)), {})
    assert known.propose(9, 4, Sampler(Settings())).width == 0
