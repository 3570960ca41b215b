"""What a drafter is to the loop.

A drafter follows the committed text, proposes a block, and is told what was kept. It never sees the target's cache
and cannot touch the output: whatever it proposes, the acceptance rule decides.

    observe(tokens, taps)   the target has processed these tokens; their taps (outputs of the layers in ``taps``) come
    along propose(anchor, ...)    the anchor is the newest token: emitted, but not yet processed by the target
    rewind(n)               only the first n observed tokens still stand (the next turn of a chat begins differently)

The context a drafter knows is therefore always strictly before the anchor.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import mlx.core as mx

from engine.accept import Proposal
from engine.sampling import Sampler


@dataclass(slots=True)
class Draft(Proposal):
    """A block of drafts; ``tokens`` may be lazy, their number may not.

    ``reason`` says why there are fewer than were asked for.
    """

    source: str = ""
    reason: str = ""
    forwards: int = 0
    waited: bool = False
    """The drafts were computed before they were handed over, so their time is known."""
    parents: tuple[int, ...] = ()
    """Where the drafts are a tree, the node that each follows (``tree``); empty where each follows the one before."""

    @property
    def width(self) -> int:
        return int(self.tokens.shape[0])


def no_draft(reason: str) -> Draft:
    return Draft(mx.zeros((0,), mx.int32), reason=reason)


class Drafter(Protocol):
    name: str
    """Shown in the heatmap and the trace."""
    taps: tuple[int, ...]
    """Target layers, by position, whose outputs ``observe`` needs."""

    def propose(self, anchor: int, width: int, sampler: Sampler) -> Draft: ...

    def observe(self, tokens: Sequence[int], taps: Mapping[int, mx.array]) -> None:
        """``taps``: {layer: [1, len(tokens), H]}."""
        ...

    def rewind(self, n: int) -> None: ...

    @property
    def state_bytes(self) -> int:
        """Caches and tables of this arm, weights not included."""
        ...


@runtime_checkable
class Branching(Protocol):
    """A drafter that can propose a tree (``tree``)."""

    def propose_tree(self, anchor: int, width: int, depth: int, sampler: Sampler) -> Draft:
        """``width`` drafts, of which at most ``depth`` follow one another."""
        ...


def proposed(drafter: Drafter, anchor: int, width: int, depth: int, sampler: Sampler, branching: bool = True) -> Draft:
    """As the arm's settings want it: a tree, or a block as wide as there is room for.

    Args: width: drafts of a tree; depth: most that follow one another; branching: whether a tree can be verified.
    """
    if branching and sampler.settings.tree and isinstance(drafter, Branching):
        return drafter.propose_tree(anchor, width, depth, sampler)
    return drafter.propose(anchor, min(width, depth), sampler)


class FirstOf:
    """Several drafters: the first that proposes anything wins, all of them follow the text."""

    def __init__(self, drafters: Sequence[Drafter]) -> None:
        self.drafters = list(drafters)
        self.name = "+".join(d.name for d in self.drafters)
        self.taps = tuple(sorted({tap for d in self.drafters for tap in d.taps}))

    def propose(self, anchor: int, width: int, sampler: Sampler) -> Draft:
        draft = no_draft("no match")
        for drafter in self.drafters:
            draft = drafter.propose(anchor, width, sampler)
            if draft.width:
                break
        return draft

    def observe(self, tokens: Sequence[int], taps: Mapping[int, mx.array]) -> None:
        for drafter in self.drafters:
            drafter.observe(tokens, {layer: taps[layer] for layer in drafter.taps})

    def rewind(self, n: int) -> None:
        for drafter in self.drafters:
            drafter.rewind(n)

    @property
    def state_bytes(self) -> int:
        return sum(d.state_bytes for d in self.drafters)
