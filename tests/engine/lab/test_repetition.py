from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from engine.lab.repetition import REPEATS, TOO_SHORT, repeated_share, void_reason


def test_text_that_never_repeats_counts() -> None:
    assert void_reason(list(range(64))) == ""


def test_a_loop_is_void_however_long_its_unit() -> None:
    for unit in (1, 3, 10, 24):
        assert void_reason([at % unit for at in range(64)]) == REPEATS


def test_an_answer_that_ends_in_a_loop_is_void() -> None:
    assert void_reason([*range(100, 132), *([7, 8, 9] * 11)]) == REPEATS


def test_a_table_with_equal_rules_and_cells_counts() -> None:
    source = random.Random(1)
    rows = [
        [5, source.randrange(50, 500), 6, source.randrange(50, 500), 6, source.randrange(50, 500), 5, 9]
        for _ in range(12)
    ]
    assert void_reason([token for row in rows for token in row]) == ""


def test_a_few_words_are_void() -> None:
    assert void_reason(list(range(15))) == TOO_SHORT
    assert void_reason([]) == TOO_SHORT


def test_share_by_hand() -> None:
    assert repeated_share([1, 2, 3, 1, 2, 3], gram=2) == 0.4  # 12 23 31 12 23
    assert repeated_share([1], gram=2) == 0


@given(st.lists(st.integers(0, 3), max_size=60))
def test_share_lies_between_nothing_and_all(ids: list[int]) -> None:
    assert 0 <= repeated_share(ids) < 1
