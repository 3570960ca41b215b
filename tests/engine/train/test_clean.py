from __future__ import annotations

import numpy as np
import pytest

from engine.train.clean import clean, leaks, repeat_share
from engine.train.conversations import Conversations, take
from tests.engine.train.texts import conversations

RNG = np.random.default_rng(0)


def words(n: int) -> list[int]:
    """Tokens in which no 8-gram repeats."""
    return RNG.integers(2, 60, n).tolist()


def naive_share(tokens: list[int]) -> float:
    runs = [tuple(tokens[i : i + 8]) for i in range(len(tokens) - 7)]
    return sum(run in runs[:i] for i, run in enumerate(runs)) / len(runs) if runs else 0.0


@pytest.mark.parametrize("tokens", [[], [5] * 7, [5] * 40, [3, 4] * 30, words(50), words(20) * 3 + words(9)])
def test_repeat_share_counts_8_grams_that_came_before(tokens: list[int]) -> None:
    assert repeat_share(np.array(tokens, np.uint16)) == pytest.approx(naive_share(tokens))


def test_each_reason_drops_and_is_counted() -> None:
    first, long_turn = words(100), words(12)
    near = first[:20] + words(4) + first[24:]  # other beginning of 32, most 8-grams the same
    rows = [
        ([5, 6], first, False),
        ([7, 8], [4, 4, 4], False),
        ([9, 10], [8, 9, 10, 11] * 20, False),
        ([5, 6], words(60), False),
        ([11, 12], list(first), False),
        ([13, 14], first[:32] + words(60), False),
        ([15, 16], near, False),
        ([17, 18], words(60), False),
        ([19, 20], words(60), True),
        ([19, 20], words(60), False),
        (long_turn, words(60), True),
        ([21, 22], [*words(20), *long_turn, *words(20)], False),
    ]
    result = clean(conversations(*rows))
    assert result.train == [0, 7]
    assert result.held == [8, 10]
    assert result.dropped == {
        "short": 1,
        "loops": 1,
        "same prompt": 1,
        "same answer": 1,
        "same beginning": 1,
        "near duplicate": 1,
        "held out": 2,
    }


def test_half_an_answer_in_common_is_not_a_duplicate() -> None:
    first = words(200)
    rows = [([5], first, False), ([6], words(120) + first[:80], False)]
    assert clean(conversations(*rows)).train == [0, 1]


def test_held_out_text_keeps_its_loops_and_comes_first() -> None:
    loop, same = [8, 9, 10, 11] * 20, words(60)
    rows = [([5], same, False), ([6], loop, True), ([7], same, True)]
    result = clean(conversations(*rows))
    assert (result.train, result.held) == ([], [1, 2])
    assert result.dropped == {"same answer": 1}


def test_leaks_finds_what_clean_removes() -> None:
    turn = words(9)
    c = conversations(
        (turn, words(30), True),
        ([5], words(30), False),
        ([6], [*words(5), *turn, *words(5)], False),
        (turn[:8], words(30), False),
    )
    held = take(c, [0])
    assert leaks(take(c, [1, 3]), held) == 0
    assert leaks(take(c, [1, 2, 3]), held) == 1
    assert leaks(take(c, [0, 2]), held) == 2
    result = clean(c)
    assert leaks(take(c, result.train), take(c, result.held)) == 0
    assert len(result.train) == 2


def test_short_held_out_turns_may_stand_in_other_texts() -> None:
    c = conversations(([5, 6], words(30), True), ([7], [*words(6), 5, 6, *words(6)], False))
    assert clean(c).train == [1]


def test_nothing_is_cleaned_to_nothing() -> None:
    empty: Conversations = conversations()
    result = clean(empty)
    assert (result.train, result.held, leaks(empty, empty)) == ([], [], 0)
