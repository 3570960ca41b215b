"""The exact laws of what a round from one place emits, from the target's p and the drafter's q. Pure NumPy.

A *tree* of nodes: the tokens emitted so far lead to one, p is the target's distribution there, q what the next draft is
drawn from; where no further draft follows, the node is the block's last. It is grown before anything that counts is
drawn, along the likeliest tokens and drafts, and what lies outside is pooled.

    tokens      P(x1 .. xk) = product of p
    a round     keeps y1 .. ya and emits x:
                    at the last node    product of min(p, q)(y)  *  p(x)
                    before it           product of min(p, q)(y)  *  max(0, p - q)(x)

which sum to 1, and over a to the law of tokens. A draft that ends the text is the last of its round.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from engine.lab.goodness import Outcome

Floats = NDArray[np.float64]
LARGEST_LIST = 4096


class Node(Struct):
    p: Floats
    q: Floats | None = None
    """None where nothing more is drafted, or it isn't known what from."""
    last: bool = False
    """Nothing more is drafted: all drafts were kept, and the round's own token follows."""


Tree = dict[Outcome, Node]


class Support(Struct, frozen=True, kw_only=True):
    """What can't be emitted at a node, as far as it is worth a list."""

    prefix: Outcome
    possible: tuple[int, ...] | None = None
    """Tokens with p above 0; None where they are many."""
    refused: tuple[int, ...] = ()
    """Tokens that are never emitted as a correction here, since q is at least p."""


def grow(
    node_of: Callable[[Outcome], Node], length: int, ends: frozenset[int], least: float, most: int = 12
) -> Tree:  # fmt: skip
    """Nodes of fewer than ``length`` tokens that are reached with probability ``least`` or more; at most ``most`` a
    level, the likeliest first."""
    tree: Tree = {}
    level: list[tuple[float, Outcome]] = [(1.0, ())]
    for depth in range(length):
        following: dict[Outcome, float] = {}
        for reach, prefix in sorted(level, key=lambda item: (-item[0], item[1]))[:most]:
            node = tree[prefix] = node_of(prefix)
            if depth + 1 == length:
                continue
            for token in np.flatnonzero(node.p * reach >= least).tolist():
                if token not in ends:
                    following[(*prefix, token)] = float(reach * node.p[token])
        level = [(reach, prefix) for prefix, reach in following.items()]
    return tree


def along(
    tree: Tree, drafts: Sequence[Outcome], node_of: Callable[[Outcome], Node], ends: frozenset[int], least: float,
    most: int = 12,
) -> None:  # fmt: skip
    """Add the nodes that lie along known drafts, whole blocks included, at most ``most`` a level."""
    wanted = {ids[:depth] for ids in drafts for depth in range(len(ids) + 1)}
    added: dict[int, int] = {}
    for prefix in sorted(wanted, key=lambda x: (len(x), x)):
        if prefix in tree or (prefix and prefix[-1] in ends) or drafted(tree, prefix) < least:
            continue
        if added.get(len(prefix), 0) < most:
            added[len(prefix)] = added.get(len(prefix), 0) + 1
            tree[prefix] = node_of(prefix)


def token_law(tree: Tree, length: int, ends: frozenset[int], least: float) -> dict[Outcome, float]:
    """Of the first ``length`` tokens, fewer where the text ends; outcomes below ``least`` are left out."""
    found: dict[Outcome, float] = {}
    for prefix, reach in _reached(tree, length):
        p = tree[prefix].p * reach
        for token in np.flatnonzero(p >= least).tolist():
            if len(prefix) + 1 == length or token in ends:
                found[(*prefix, token)] = float(p[token])
    return found


def _reached(tree: Tree, length: int) -> Iterator[tuple[Outcome, float]]:
    for prefix in tree:
        if len(prefix) >= length or any(prefix[:depth] not in tree for depth in range(len(prefix))):
            continue
        reach = 1.0
        for depth, token in enumerate(prefix):
            reach *= float(tree[prefix[:depth]].p[token])
        yield prefix, reach


def round_law(tree: Tree, ends: frozenset[int], least: float) -> dict[Outcome, float]:
    """Of (a, x1 .. xa+1), and of (a, x1 .. xa) where a draft ended the text; nodes without a known q are left out."""
    found: dict[Outcome, float] = {}
    for prefix, node in tree.items():
        accepted, reach = len(prefix), drafted(tree, prefix)
        if reach == 0 or (node.q is None and not node.last):
            continue
        own = own_token(node) * reach
        for token in np.flatnonzero(own >= least).tolist():
            found[(accepted, *prefix, token)] = float(own[token])
        for end in ends:
            both = _both(node, end) * reach
            if both > 0 and both >= least:
                found[(accepted + 1, *prefix, end)] = both
    return found


def own_token(node: Node) -> Floats:
    """What the round's own token has here, kept drafts taken off."""
    return node.p if node.q is None else np.maximum(node.p - node.q, 0)


def drafted(tree: Tree, prefix: Outcome) -> float:
    """Probability that these drafts are proposed and kept; 0 where a q on the way isn't known."""
    reach = 1.0
    for depth, token in enumerate(prefix):
        node = tree.get(prefix[:depth])
        if node is None or node.q is None:
            return 0.0
        reach *= _both(node, token)
    return reach


def overlap(node: Node) -> float:
    """Sum of min(p, q): how often a draft here is kept."""
    return 0.0 if node.q is None else float(np.minimum(node.p, node.q).sum())


def length_law(tree: Tree, ends: frozenset[int]) -> dict[Outcome, float]:
    """Of the accepted length, (0,), (1,), ..., as far as the tree knows it whole."""
    found: dict[Outcome, float] = {}
    reached, accepted, ended = 1.0, 0, 0.0
    while reached > 1e-9:
        known = [(n, drafted(tree, prefix)) for prefix, n in tree.items() if len(prefix) == accepted]
        known = [(node, reach) for node, reach in known if reach > 0]
        whole = abs(sum(reach for _, reach in known) - reached) < 1e-6
        if not whole or any(node.q is None and not node.last for node, _ in known):
            # What ended with a draft is not all of this length: it stays with the rest.
            return found
        found[(accepted,)] = ended + sum(reach * float(own_token(node).sum()) for node, reach in known)
        ended = sum(reach * _ending(node, ends) for node, reach in known)
        reached = sum(reach * overlap(node) for node, reach in known) - ended
        accepted += 1
    if ended:
        found[(accepted,)] = ended
    return found


def _ending(node: Node, ends: frozenset[int]) -> float:
    return sum(_both(node, end) for end in ends)


def _both(node: Node, token: int) -> float:
    """min(p, q) of a token."""
    return 0.0 if node.q is None else float(min(node.p[token], node.q[token]))


def supports(tree: Tree) -> list[Support]:
    found = []
    for prefix, node in tree.items():
        possible = np.flatnonzero(node.p).tolist()
        refused: list[int] = []
        if node.q is not None:
            refused = np.flatnonzero((node.q >= node.p * (1 + 1e-6)) & (node.q > 0)).tolist()
        found.append(
            Support(
                prefix=prefix,
                possible=tuple(possible) if len(possible) <= LARGEST_LIST else None,
                refused=tuple(refused) if len(refused) <= LARGEST_LIST else (),
            )
        )
    return found


def impossible(tokens: Sequence[int], accepted: int, nodes: Mapping[Outcome, Support]) -> bool:
    """Whether the laws give these tokens no probability; ``accepted`` of them were drafts of the first round, the next
    is that round's own."""
    for depth, token in enumerate(tokens):
        node = nodes.get(tuple(tokens[:depth]))
        if node is None:
            continue
        if node.possible is not None and token not in node.possible:
            return True
        if depth == accepted and token in node.refused:
            return True
    return False
