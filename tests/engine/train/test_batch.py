from __future__ import annotations

import itertools
from typing import Any

import mlx.core as mx
import numpy as np
import pytest
from mlx_lm.models.cache import KVCache
from numpy.typing import NDArray

from engine.models.errors import ModelError
from engine.target import Target
from engine.train import batch
from engine.train.batch import Cancelled, greedy, sampled, write
from engine.train.taps import run_taps
from tests.tiny import END, VOCABULARY, tiny_target

PROMPTS = [[5, 6, 7, 8], [5, 6, 7, 8, 9, 10, 11], [5, 6, 20], [5, 6, 7, 30, 31, 32, 33, 34, 35, 36, 37, 38], [5, 6, 7]]


def alone(target: Target, prompt: list[int], limit: int, end_ids: frozenset[int]) -> list[int]:
    """Greedy text, one row of one text at a time, no batch and no padding."""
    caches = target.make_caches()
    logits, _ = target.forward(mx.array(prompt), caches)
    out: list[int] = []
    while True:
        out.append(int(mx.argmax(logits[-1]).item()))
        if len(out) == limit or out[-1] in end_ids:
            return out
        logits, _ = target.forward(mx.array(out[-1:]), caches)


@pytest.mark.parametrize("kind", ["dense", "sliding", "gated-delta", "short-convolution"])
def test_every_row_is_what_it_is_alone(kind: str) -> None:
    target = tiny_target(kind, seed=3)
    limits = [20, 9, 31, 14, 1]
    # Without ending tokens first: all limits are reached, and rows leave at different times.
    expected = [alone(target, p, n, frozenset()) for p, n in zip(PROMPTS, limits, strict=True)]
    assert write(target, PROMPTS, limits, greedy, frozenset()) == expected
    assert len({tuple(text) for text in expected}) == len(expected)
    ends = frozenset({expected[0][3], expected[2][7]})
    expected = [alone(target, p, n, ends) for p, n in zip(PROMPTS, limits, strict=True)]
    assert write(target, PROMPTS, limits, greedy, ends) == expected
    assert any(text[-1] in ends and len(text) < n for text, n in zip(expected, limits, strict=True))


@pytest.mark.parametrize("kind", ["dense", "sliding", "gated-delta", "short-convolution"])
@pytest.mark.parametrize("rows", [1, 2, 3])
def test_a_text_that_takes_the_place_of_another_is_what_it_is_alone(kind: str, rows: int) -> None:
    target = tiny_target(kind, seed=3)
    limits = [20, 9, 31, 14, 1]
    texts = [alone(target, p, n, frozenset()) for p, n in zip(PROMPTS, limits, strict=True)]
    ends = frozenset({texts[0][3], texts[2][7]})
    expected = [text[: next((i + 1 for i, t in enumerate(text) if t in ends), len(text))] for text in texts]
    assert write(target, PROMPTS, limits, greedy, ends, rows=rows) == expected
    # Where none ends by itself all of them leave by their limits.
    assert write(target, PROMPTS[::-1], limits[::-1], greedy, frozenset(), rows=rows) == texts[::-1]


def test_rows_are_never_more_than_asked_for_and_waiting_texts_fill_them(monkeypatch: pytest.MonkeyPatch) -> None:
    target = tiny_target(seed=3)
    fed: list[int] = []
    real = batch.Batch.step

    def step(self: batch.Batch) -> Any:
        fed.append(len(self.rows))
        return real(self)

    monkeypatch.setattr(batch.Batch, "step", step)
    write(target, PROMPTS, [4, 4, 9, 4, 4], greedy, frozenset(), rows=3)
    # Each row is fed the prompt's last token and what it writes: 0, 1, 2, then 3 and 4 beside 2.
    assert fed == [3] * 10
    fed.clear()
    write(target, PROMPTS, [4] * 5, greedy, frozenset(), rows=4)
    assert fed == [4] * 5 + [1] * 5


def test_several_prompts_and_one_row_need_no_batched_cache() -> None:
    target = tiny_target("mamba", seed=1)
    prompts = [[4, 5, 6], [4, 5, 9, 10], [7]]
    expected = [alone(target, p, 7, frozenset()) for p in prompts]
    kept: dict[int, Taps] = {}
    assert (
        write(target, prompts, [7] * 3, greedy, frozenset(), rows=1, layers=LAYERS, keep=kept.__setitem__) == expected
    )
    check_taps(target, prompts, expected, kept)


def test_caches_that_can_not_be_batched_are_refused_only_where_they_would_be(monkeypatch: pytest.MonkeyPatch) -> None:
    class Alone(KVCache):  # type: ignore[misc]
        @property
        def merge(self) -> None:
            raise AttributeError

    target = tiny_target(seed=3)
    expected = [alone(target, p, 5, frozenset()) for p in PROMPTS]
    monkeypatch.setattr(type(target), "make_caches", lambda self: [Alone() for _ in self.model.layers])
    with pytest.raises(ModelError, match="use --rows 1"):
        write(target, PROMPTS, [5] * 5, greedy, frozenset(), rows=32)
    assert write(target, PROMPTS[:1], [5], greedy, frozenset(), rows=32) == expected[:1]
    assert write(target, PROMPTS, [5] * 5, greedy, frozenset(), rows=1) == expected


Taps = NDArray[np.float16]
LAYERS = (0, 1)


def check_taps(target: Target, prompts: list[list[int]], answers: list[list[int]], kept: dict[int, Taps]) -> None:
    """Those of a forward over each whole text, but for how 16 bits round."""
    assert sorted(kept) == list(range(len(prompts)))
    for i, (prompt, answer) in enumerate(zip(prompts, answers, strict=True)):
        (whole,) = run_taps(target, [np.array([*prompt, *answer])], LAYERS)
        assert kept[i].dtype == np.float16
        assert kept[i].shape == whole.shape == (len(prompt) + len(answer), len(LAYERS), 32)
        assert np.allclose(kept[i], whole, rtol=2e-3, atol=2e-3), i


@pytest.mark.parametrize("kind", ["dense", "sliding", "gated-delta", "short-convolution"])
@pytest.mark.parametrize(("rows", "prefill"), [(0, 2048), (2, 2048), (3, 4)])
def test_taps_that_came_by_are_those_of_the_whole_text(
    kind: str, rows: int, prefill: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch, "PREFILL_TOKENS", prefill)
    target = tiny_target(kind, seed=3)
    kept: dict[int, Taps] = {}
    given: list[int] = []

    def keep(number: int, taps: Taps) -> None:
        given.append(number)
        kept[number] = taps

    limits = [12, 5, 17, 8, 1]
    plain = write(target, PROMPTS, limits, greedy, frozenset(), rows=rows)
    ends = frozenset({plain[0][3]})
    answers = write(target, PROMPTS, limits, greedy, ends, rows=rows, layers=LAYERS, keep=keep)
    assert len(answers[0]) == plain[0].index(plain[0][3]) + 1
    check_taps(target, PROMPTS, answers, kept)
    assert len(given) == len(PROMPTS), "each once"
    # Prompts that begin with nothing in common, one of them with a single token.
    prompts = [[9], [10, 11, 12], [13, 14], [30, 6, 7, 8, 9, 10]]
    kept.clear()
    answers = write(target, prompts, [3, 6, 2, 4], greedy, frozenset(), rows=rows, layers=LAYERS, keep=keep)
    check_taps(target, prompts, answers, kept)


def test_huge_taps_are_cut_to_what_16_bits_hold() -> None:
    target = tiny_target()
    layer = target.model.layers[0].mlp.down_proj
    layer.weight = layer.weight * 1e6
    kept: dict[int, Taps] = {}
    write(target, PROMPTS, [3] * 5, greedy, frozenset(), rows=2, layers=(0,), keep=kept.__setitem__)
    assert all(np.isfinite(taps).all() and np.abs(taps).max() == 65504 for taps in kept.values())


def test_one_row_needs_no_batched_cache() -> None:
    target = tiny_target("mamba", seed=1)
    assert write(target, [[4, 5, 6]], [7], greedy, frozenset()) == [alone(target, [4, 5, 6], 7, frozenset())]


def test_prompts_without_a_common_beginning() -> None:
    target = tiny_target(seed=2)
    prompts = [[9], [10, 11, 12], [13, 14]]
    expected = [alone(target, p, 6, frozenset()) for p in prompts]
    assert write(target, prompts, [6, 6, 6], greedy, frozenset()) == expected


def test_draws_follow_the_distribution_and_repeat_with_the_seed() -> None:
    logits = mx.log(mx.array([[0.5, 0.25, 0.25], [0.05, 0.05, 0.9]]))
    pick = sampled(1.0, seed=7)
    draws = [pick(logits).tolist() for _ in range(2000)]
    again = sampled(1.0, seed=7)
    assert [again(logits).tolist() for _ in range(50)] == draws[:50]
    first = [sum(d[0] == k for d in draws) / len(draws) for k in range(3)]
    assert first == pytest.approx([0.5, 0.25, 0.25], abs=0.04)
    cold = sampled(0.05, seed=7)
    assert {tuple(cold(logits).tolist()) for _ in range(50)} == {(0, 2)}  # type: ignore[arg-type]


def test_cancelling_stops_between_two_steps() -> None:
    target = tiny_target(seed=3)
    steps: list[int] = []
    with pytest.raises(Cancelled):
        write(
            target, PROMPTS, [30] * 5, greedy, frozenset(), cancelled=lambda: len(steps) >= 3,
            on_tokens=lambda fresh, *_: steps.append(fresh),
        )  # fmt: skip
    assert steps == [5, 5, 5]


def test_tokens_are_counted_as_they_are_written() -> None:
    steps: list[int] = []
    out = write(
        tiny_target(seed=3), PROMPTS, [4, 2, 6, 1, 3], greedy, frozenset({END}),
        on_tokens=lambda fresh, *_: steps.append(fresh),
    )  # fmt: skip
    assert sum(steps) == sum(map(len, out))
    assert all(0 <= token < VOCABULARY for text in out for token in text)


def test_what_is_ahead_is_told() -> None:
    told: list[tuple[int, int, int]] = []
    limits = [4, 2, 6, 1, 3]
    write(
        tiny_target(seed=3), PROMPTS, limits, greedy, frozenset(), rows=2,
        on_tokens=lambda *step: told.append(step),
    )  # fmt: skip
    written = list(itertools.accumulate(fresh for fresh, _, _ in told))
    assert [ahead for _, _, ahead in told] == [sum(limits) - n for n in written]
    going = [going for _, going, _ in told]
    assert going == sorted(going, reverse=True) and (going[0], going[-1]) == (5, 0)
    assert all(0 < fresh <= 2 for fresh, _, _ in told)


def test_an_empty_prompt_is_refused() -> None:
    with pytest.raises(ValueError, match="every prompt needs a token"):
        write(tiny_target(), [[1, 2], []], [3, 3], greedy, frozenset())
