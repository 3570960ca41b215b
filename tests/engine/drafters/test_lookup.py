from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.drafters.lookup import Lookup
from engine.sampling import Sampler
from engine.trace.events import Settings

SAMPLER = Sampler(Settings())


def proposed(context: list[int], width: int, **more: int) -> list[int]:
    lookup = Lookup(**more)
    lookup.observe(context[:-1], {})
    return lookup.propose(context[-1], width, SAMPLER).tokens.tolist()  # type: ignore[return-value]


def test_it_goes_on_as_the_text_went_on_before() -> None:
    assert proposed([1, 2, 3, 4, 5, 6, 9, 2, 3], 3) == [4, 5, 6]


def test_the_longest_match_wins_over_the_newest() -> None:
    #              longest: 7 1 2 -> 8            newest: 1 2 -> 9
    assert proposed([7, 1, 2, 8, 0, 3, 1, 2, 9, 4, 7, 1, 2], 1) == [8]


def test_the_newest_of_equal_matches_wins() -> None:
    assert proposed([1, 2, 8, 5, 1, 2, 9, 5, 1, 2], 1) == [9]


def test_a_loop_is_proposed_as_a_loop() -> None:
    assert proposed([5, 1, 2, 3, 1, 2, 3, 1, 2], 7) == [3, 1, 2, 3, 1, 2, 3]
    assert proposed([4, 4, 4], 5, shortest=1) == [4] * 5


def test_nothing_is_proposed_without_a_match() -> None:
    lookup = Lookup()
    lookup.observe([1, 2, 3], {})
    draft = lookup.propose(4, 5, SAMPLER)
    assert (draft.width, draft.reason) == (0, "no match")
    assert proposed([1], 3) == []


def test_shortest_must_be_sensible() -> None:
    with pytest.raises(ValueError, match="'shortest' must be 1"):
        Lookup(shortest=0)


def naive(context: list[int], width: int, shortest: int, longest: int) -> list[int]:
    """All places, the slow way."""
    best, reach = None, 0
    for place in range(shortest, len(context)):
        matched = 0
        while matched < min(place, longest + 1, len(context)) and context[place - 1 - matched] == context[-1 - matched]:
            matched += 1
        if matched >= max(shortest, reach):
            best, reach = place, matched
    if best is None:
        return []
    out = list(context)
    for i in range(width):
        out.append(out[best + i])
    return out[len(context) :]


@given(st.lists(st.integers(0, 3), min_size=1, max_size=40), st.integers(1, 9), st.integers(1, 3), st.data())
@settings(max_examples=300, deadline=None)
def test_it_equals_the_naive_search_however_the_text_arrived(
    context: list[int], width: int, shortest: int, data: st.DataObject
) -> None:
    lookup = Lookup(shortest=shortest, longest=12, places=1000)
    rest = context[:-1]
    while rest:
        n = data.draw(st.integers(1, len(rest)))
        lookup.observe(rest[:n], {})
        rest = rest[n:]
    # A turn that was taken back leaves nothing behind.
    lookup.observe([3, 3, 3], {})
    lookup.rewind(len(context) - 1)
    got = lookup.propose(context[-1], width, SAMPLER).tokens.tolist()
    assert got == naive(context, width, shortest, 12)


@given(st.lists(st.integers(1, 4), min_size=2, max_size=40), st.integers(1, 3), st.integers(0, 3))
def test_what_followed_begins_with_the_draft_and_counts_every_place(text: list[int], shortest: int, ahead: int) -> None:
    """Also after drafts that the context doesn't hold yet."""
    ahead = min(ahead, len(text) - 1)
    split = len(text) - ahead - 1
    lookup = Lookup(shortest)
    lookup.observe(text[:split], {})
    found = lookup.following(text[split], text[split + 1 :])
    ends = [i for i in range(shortest, split + 1) if text[i - shortest : i] == text[-shortest:]]
    if not found:
        assert not ends or len(text) < shortest
        return
    assert sum(times for *_, times in found) == min(len(ends), lookup.places)
    assert found[0][1] == max(matched for _, matched, _ in found)
    if not ahead:
        assert [found[0][0]] == lookup.propose(text[-1], 1, SAMPLER).tokens.tolist()
    for token, matched, _ in found:
        places = [i for i in ends if text[i] == token]
        assert any(text[i - matched : i] == text[-matched:] for i in places)


def test_of_several_continuations_the_longest_match_stands_first() -> None:
    lookup = Lookup(1)
    lookup.observe([7, 1, 2, 8, 0, 3, 1, 2, 9, 4, 5, 2, 9, 7, 1], {})
    assert lookup.following(2, []) == [(8, 3, 1), (9, 2, 2)]
