"""Trees of drafts: what each node follows, and the path that a text takes through them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engine import tree

# anchor -> 5 -> 6 -> 7
#             -> 8
#        -> 9
DRAFTS, PARENTS = [5, 6, 8, 9, 7], [0, 1, 1, 0, 2]


@st.composite
def trees(draw: st.DrawFn) -> list[int]:
    return [draw(st.integers(0, node)) for node in range(draw(st.integers(1, 20)))]


def test_a_small_tree() -> None:
    assert tree.depths(PARENTS) == [0, 1, 2, 2, 1, 3]
    assert tree.children(PARENTS) == [[1, 4], [2, 3], [5], [], [], []]
    assert tree.path(5, PARENTS) == [1, 2, 5]
    assert tree.path(0, PARENTS) == []
    assert tree.seen(PARENTS)[5].tolist() == [True, True, True, False, False, True]


def test_the_text_goes_where_the_target_says() -> None:
    said = [5, 8, 0, 3, 0, 0]
    assert tree.accepted_path(said, DRAFTS, PARENTS) == [1, 3]
    assert tree.accepted_path([9, *said[1:]], DRAFTS, PARENTS) == [4]
    assert tree.accepted_path([1, *said[1:]], DRAFTS, PARENTS) == []
    # What would have come next is shown behind what was kept.
    assert tree.shown_path([], PARENTS) == [1, 2, 5]
    assert tree.shown_path([1], PARENTS) == [1, 2, 5]
    assert tree.shown_path([4], PARENTS) == [4]
    assert tree.siblings([1, 2, 5], DRAFTS, PARENTS) == [(9,), (8,), ()]


@given(trees())
def test_a_node_sees_what_leads_to_it_and_nothing_else(parents: list[int]) -> None:
    seen, depths = tree.seen(parents), tree.depths(parents)
    for node in range(len(parents) + 1):
        assert set(seen[node].nonzero()[0]) == {0, *tree.path(node, parents)}
        assert depths[node] == len(tree.path(node, parents))


@given(trees(), st.data())
def test_a_walk_is_a_way_of_tokens_that_the_target_says(parents: list[int], data: st.DataObject) -> None:
    tokens = st.integers(0, 2)
    drafts = [data.draw(tokens) for _ in parents]
    said = [data.draw(tokens) for _ in range(len(parents) + 1)]
    kept = tree.accepted_path(said, drafts, parents)
    before = [0, *kept]
    assert all(
        parents[node - 1] == last and drafts[node - 1] == said[last] for last, node in zip(before, kept, strict=False)
    )
    last = before[-1]
    assert all(drafts[child - 1] != said[last] for child in tree.children(parents)[last])
    nodes = tree.shown_path(kept, parents)
    assert nodes[: len(kept)] == kept
    assert not nodes or nodes == tree.path(nodes[-1], parents)
    # No child is missing: where the path ends, nothing follows.
    assert not tree.children(parents)[nodes[-1] if nodes else 0]
