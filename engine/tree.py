"""Drafts as a tree: where it is unclear what comes, a block holds several tokens for a position, and the target
verifies all of them at once.

    anchor -> the -> cat -> sat            node 0 is the anchor, node i the draft i - 1
                  -> dog                   parents of the drafts: 0, 1, 2, 1, 0
           -> a

A node follows its ancestors and nothing else: it sees them alone and stands as deep as it has ancestors (tree
attention: Miao et al., SpecInfer, arXiv 2305.09781). What the target says after each node is known at once, so the text
takes the path through the tree that the target would have taken by itself, for as long as it is there
(``accepted_path``). Drafts are point masses, so this is exact under any sampling: the target's own draw after a node
hangs on nothing drafted.

Parents stand before their children; of the children of one node the likeliest is the first.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def depths(parents: Sequence[int]) -> list[int]:
    """How many drafts lead to each node, itself included; 0 for the anchor."""
    found = [0]
    for parent in parents:
        found.append(found[parent] + 1)
    return found


def seen(parents: Sequence[int]) -> NDArray[np.bool_]:
    """[nodes, nodes] whether the first sees the second: its ancestors and itself."""
    found = np.eye(len(parents) + 1, dtype=np.bool_)
    for node, parent in enumerate(parents, start=1):
        found[node] |= found[parent]
    return found


def path(node: int, parents: Sequence[int]) -> list[int]:
    """Nodes from behind the anchor to ``node``."""
    found: list[int] = []
    while node:
        found.append(node)
        node = parents[node - 1]
    return found[::-1]


def children(parents: Sequence[int]) -> list[list[int]]:
    """Of each node, in their order."""
    found: list[list[int]] = [[] for _ in range(len(parents) + 1)]
    for node, parent in enumerate(parents, start=1):
        found[parent].append(node)
    return found


def accepted_path(said: Sequence[int], drafts: Sequence[int], parents: Sequence[int]) -> list[int]:
    """The nodes that the text goes through, the anchor not counted.

    Args: said: the target's own token after each node. [nodes]
    """
    below, node = children(parents), 0
    found: list[int] = []
    while True:
        following = next((child for child in below[node] if drafts[child - 1] == said[node]), None)
        if following is None:
            return found
        found.append(following)
        node = following


def shown_path(kept: Sequence[int], parents: Sequence[int]) -> list[int]:
    """The nodes that a round shows as its block: those that were kept, and behind them what was drafted for the next
    position, its likeliest; then that one's likeliest, to the end.
    """
    below, found = children(parents), list(kept)
    node = found[-1] if found else 0
    while below[node]:
        node = below[node][0]
        found.append(node)
    return found


def siblings(nodes: Sequence[int], drafts: Sequence[int], parents: Sequence[int]) -> list[tuple[int, ...]]:
    """What else was drafted at the place of each of ``nodes``: ids of its siblings."""
    below = children(parents)
    return [tuple(drafts[other - 1] for other in below[parents[node - 1]] if other != node) for node in nodes]
