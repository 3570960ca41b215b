"""The context cache against a plain list of rows."""

from __future__ import annotations

import mlx.core as mx
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.drafters import context
from engine.drafters.context import ContextCache


def rows(first: int, n: int) -> mx.array:
    """[1, 2, n, 4], each row filled with its position."""
    return mx.broadcast_to(mx.arange(first, first + n).astype(mx.float32)[None, None, :, None], (1, 2, n, 4))


def positions(pair: tuple[mx.array, mx.array]) -> list[int]:
    keys, values = (np.array(a) for a in pair)
    assert (values == -keys).all() and keys.shape[:2] == (1, 2) and keys.shape[3] == 4
    return [int(x) for x in keys[0, 1, :, 2]]


@given(
    visible=st.sampled_from([0, 1, 3, 7]),
    steps=st.lists(
        st.tuples(st.sampled_from(["append", "append", "block", "rewind"]), st.integers(1, 12)), min_size=1, max_size=40
    ),
)
@settings(max_examples=60, deadline=None)
def test_any_course_of_commits_blocks_and_rewinds(visible: int, steps: list[tuple[str, int]]) -> None:
    step, context.STEP_TOKENS = context.STEP_TOKENS, 8
    try:
        cache, text, at_least = ContextCache(visible), 0, 0
        for kind, n in steps:
            if kind == "append":
                cache.append(rows(text, n), -rows(text, n))
                text += n
                at_least = min(at_least + n, visible) if visible else text
            elif kind == "rewind":
                text = max(0, text - n)
                cache.rewind(text)
                at_least = min(cache.held, visible) if visible else text
            else:
                shown = positions(cache.join(rows(1000, n), -rows(1000, n)))
                assert shown == [*range(text - cache.seen, text), *range(1000, 1000 + n)]
            assert cache.end == text
            assert cache.seen == at_least
            if not visible:
                assert cache.held == text
            elif kind != "rewind":
                assert cache.held >= min(text, at_least)
            if cache.keys is not None:
                assert positions(cache.fetch()) == list(range(text - cache.seen, text))
    finally:
        context.STEP_TOKENS = step


def test_memory_of_a_window_is_bounded_and_of_a_full_layer_grows_in_steps() -> None:
    windowed, full = ContextCache(10), ContextCache()
    sizes = []
    for i in range(2000):
        for cache in (windowed, full):
            cache.append(rows(i, 1), -rows(i, 1))
        sizes.append(full.nbytes)
        if i % 100 == 0:
            mx.eval(windowed.arrays(), full.arrays())
    row = 2 * 4 * 4 * 2
    assert windowed.nbytes <= (10 + 2 * context.STEP_TOKENS) * row
    assert len(set(sizes)) == 8 and sizes[-1] == 2048 * row


def test_a_window_takes_a_chunk_longer_than_itself() -> None:
    cache = ContextCache(5)
    cache.append(rows(0, 3), -rows(0, 3))
    cache.append(rows(3, 700), -rows(3, 700))
    assert cache.end == 703
    assert positions(cache.fetch()) == list(range(698, 703))


def test_going_back_within_the_slack_of_a_window_loses_nothing() -> None:
    cache = ContextCache(5)
    for i in range(200):
        cache.append(rows(i, 1), -rows(i, 1))
    cache.rewind(100)
    assert positions(cache.fetch()) == list(range(95, 100))


def test_going_back_further_leaves_what_is_still_held() -> None:
    cache = ContextCache(5)
    cache.append(rows(0, 50), -rows(0, 50))
    cache.rewind(48)
    assert positions(cache.fetch()) == [45, 46, 47]
    cache.append(rows(48, 1), -rows(48, 1))
    assert positions(cache.fetch()) == [45, 46, 47, 48]
    cache.rewind(10)
    assert cache.seen == 0 and cache.end == 10
