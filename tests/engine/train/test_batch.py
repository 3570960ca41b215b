from __future__ import annotations

import mlx.core as mx
import pytest

from engine.target import Target
from engine.train.batch import Cancelled, greedy, sampled, write
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
        write(target, PROMPTS, [30] * 5, greedy, frozenset(), cancelled=lambda: len(steps) >= 3, on_tokens=steps.append)
    assert steps == [5, 5, 5]


def test_tokens_are_counted_as_they_are_written() -> None:
    steps: list[int] = []
    out = write(tiny_target(seed=3), PROMPTS, [4, 2, 6, 1, 3], greedy, frozenset({END}), on_tokens=steps.append)
    assert sum(steps) == sum(map(len, out))
    assert all(0 <= token < VOCABULARY for text in out for token in text)


def test_an_empty_prompt_is_refused() -> None:
    with pytest.raises(ValueError, match="every prompt needs a token"):
        write(tiny_target(), [[1, 2], []], [3, 3], greedy, frozenset())
