"""The laws by enumeration: they sum to one, and over accepted lengths to the target's own law."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from engine.lab.laws import (
    Node,
    Tree,
    along,
    drafted,
    grow,
    impossible,
    length_law,
    overlap,
    round_law,
    supports,
    token_law,
)

VOCABULARY = 4


def distribution(seed: int, prefix: tuple[int, ...], zero: float = 0.0) -> np.ndarray:
    rng = np.random.default_rng([seed, *prefix])
    weights = rng.random(VOCABULARY) ** 2
    weights[rng.random(VOCABULARY) < zero] = 0
    weights[0] += weights.sum() == 0
    return weights / weights.sum()


def whole_tree(width: int, zero: float = 0.0, ends: frozenset[int] = frozenset()) -> Tree:
    prefixes = [x for n in range(width + 1) for x in itertools.product(range(VOCABULARY), repeat=n)]
    return {
        x: Node(
            distribution(1, x, zero),
            distribution(2, x, zero) if len(x) < width else None,
            last=len(x) == width,
        )
        for x in prefixes
        if not ends & set(x)
    }


@pytest.mark.parametrize("width", [1, 2, 3])
@pytest.mark.parametrize("ends", [frozenset(), frozenset({3})])
@pytest.mark.parametrize("zero", [0.0, 0.4])
def test_a_round_law_sums_to_one_and_its_tokens_follow_the_target(
    width: int, ends: frozenset[int], zero: float
) -> None:
    tree = whole_tree(width, zero, ends)
    law = round_law(tree, ends, 0.0)
    assert sum(law.values()) == pytest.approx(1, abs=1e-12)
    first = np.zeros(VOCABULARY)
    for outcome, p in law.items():
        first[outcome[1]] += p
    assert first == pytest.approx(tree[()].p, abs=1e-12)
    lengths = length_law(tree, ends)
    assert sum(lengths.values()) == pytest.approx(1, abs=1e-9)
    for (accepted,), p in lengths.items():
        assert p == pytest.approx(sum(q for o, q in law.items() if o[0] == accepted), abs=1e-9)
    ended = sum(p for o, p in law.items() if len(o) - 1 == o[0])
    assert 1 - lengths[0,] == pytest.approx(overlap(tree[()]), abs=1e-9)
    assert bool(ended) == (bool(ends) and any(drafted(tree, x) for x in tree) and ended > 0)


def test_the_law_of_tokens_is_a_product() -> None:
    tree = whole_tree(2)
    law = token_law(tree, 3, frozenset(), 0.0)
    assert len(law) == VOCABULARY**3
    assert sum(law.values()) == pytest.approx(1)
    assert law[2, 0, 1] == pytest.approx(tree[()].p[2] * tree[2,].p[0] * tree[2, 0].p[1])


def test_a_text_may_end_before_its_third_token() -> None:
    ends = frozenset({3})
    law = token_law(whole_tree(2, ends=ends), 3, ends, 0.0)
    assert sum(law.values()) == pytest.approx(1)
    assert law[3,] == pytest.approx(distribution(1, ())[3])


def test_a_tree_is_grown_along_what_is_likely_and_along_drafts() -> None:
    def node_of(prefix: tuple[int, ...]) -> Node:
        known = prefix in {(), (2,)}
        return Node(distribution(1, prefix), distribution(2, prefix) if known else None, prefix == (2, 1))

    tree = grow(node_of, 2, frozenset({0}), least=0.05, most=2)
    p = distribution(1, ())
    likely = [int(t) for t in np.argsort(-p) if p[t] >= 0.05 and t != 0][:2]
    assert set(tree) == {(), *((t,) for t in likely)}
    along(tree, [(2, 1)], node_of, frozenset({0}), 0.0)
    assert (2, 1) in tree
    assert tree[2, 1].last
    # Where q isn't known the law says nothing, and says so by its sum.
    law = round_law(tree, frozenset(), 0.0)
    assert {o[1:-1] for o in law} == {(), (2,), (2, 1)}
    assert sum(law.values()) < 1


def test_lengths_are_told_as_far_as_the_tree_knows_them_whole() -> None:
    tree = whole_tree(2)
    missing = dict(tree)
    del missing[1,]
    lengths = length_law(missing, frozenset())
    assert set(lengths) == {(0,)}
    assert lengths[0,] == pytest.approx(1 - overlap(tree[()]))


def test_a_point_mass_is_kept_as_often_as_the_target_likes_it() -> None:
    p = np.array([0.1, 0.6, 0.3, 0.0])
    q = np.array([0.0, 1.0, 0.0, 0.0])
    tree: Tree = {(): Node(p, q), (1,): Node(np.array([0.0, 0.5, 0.5, 0.0]), None, last=True)}
    law = round_law(tree, frozenset(), 0.0)
    assert law == pytest.approx(
        {(0, 0): 0.1, (0, 2): 0.3, (1, 1, 1): 0.3, (1, 1, 2): 0.3} | {o: 0.0 for o in law if law[o] == 0}
    )
    nodes = {s.prefix: s for s in supports(tree)}
    assert impossible((3,), 0, nodes)
    assert impossible((1,), 0, nodes)  # a rejected point mass never comes back as the correction
    assert not impossible((1, 2), 1, nodes)
    assert impossible((1, 0), 1, nodes)
    assert not impossible((2, 9), 0, nodes)  # nothing is known behind an unlisted token
