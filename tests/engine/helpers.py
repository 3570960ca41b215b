"""Drafters whose guesses are scripted, and runs of one arm in one line."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import mlx.core as mx

from engine.drafters.base import Draft, Drafter, no_draft
from engine.race import race
from engine.sampling import Sampler
from engine.session import ArmState
from engine.target import Target
from engine.trace.events import Arm, Event, Failed, Finished, Round, Settings


class Scripted:
    """Proposes what a function of (text so far, width) says; point masses, or drawn from ``q``."""

    taps: tuple[int, ...] = ()
    state_bytes = 0

    def __init__(self, guess: Callable[[list[int], int], list[int]], name: str = "scripted") -> None:
        self.guess, self.name = guess, name
        self.seen: list[int] = []

    def propose(self, anchor: int, width: int, sampler: Sampler) -> Draft:
        tokens = self.guess([*self.seen, anchor], width)[:width]
        return Draft(mx.array(tokens, mx.int32), source=self.name) if tokens else no_draft("drafter")

    def observe(self, tokens: Sequence[int], taps: Mapping[int, mx.array]) -> None:
        assert set(taps) == set(self.taps)
        assert all(tap.shape[1] == len(tokens) for tap in taps.values())
        self.seen += tokens

    def rewind(self, n: int) -> None:
        self.seen = self.seen[:n]


class ScriptedTree(Scripted):
    """Proposes the tree that a function of (text so far, width, depth) says: tokens, and the node that each follows."""

    def __init__(self, grow: Callable[[list[int], int, int], tuple[list[int], list[int]]]) -> None:
        super().__init__(lambda text, width: [])
        self.grow = grow

    def propose_tree(self, anchor: int, width: int, depth: int, sampler: Sampler) -> Draft:
        tokens, parents = self.grow([*self.seen, anchor], width, depth)
        return Draft(mx.array(tokens, mx.int32), source=self.name, parents=tuple(parents))


def oracle(
    answer: list[int], prompt_tokens: int, right: Callable[[int], bool]
) -> Callable[[list[int], int], list[int]]:
    """Guesses the known answer, wrong where ``right(index in the answer)`` is false."""

    def guess(text: list[int], width: int) -> list[int]:
        start = len(text) - prompt_tokens
        out = answer[start : start + width]
        return [t if right(start + i) else (t + 1) % 64 for i, t in enumerate(out)]

    return guess


def arm_state(target: Target, drafter: Drafter | None = None, name: str = "arm", **settings: Any) -> ArmState:
    return ArmState(
        Arm(name=name, drafter="scripted" if drafter else "none", settings=Settings(**settings)), target, drafter, None
    )


def run(state: ArmState, prompt: str = "the quick brown fox", **more: Any) -> list[Event]:
    return list(race([state], prompt, raw=more.pop("raw", True), **more))


def rounds(events: Sequence[Event]) -> list[Round]:
    return [e for e in events if isinstance(e, Round)]


def ids(events: Sequence[Event]) -> list[int]:
    return [i for r in rounds(events) for i in r.emitted_ids]


def text(events: Sequence[Event]) -> str:
    return "".join(p for r in rounds(events) for p in r.pieces) + finished(events).tail


def finished(events: Sequence[Event]) -> Finished:
    (last,) = [e for e in events if isinstance(e, Finished)]
    return last


def failure(events: Sequence[Event]) -> str:
    (last,) = [e for e in events if isinstance(e, Failed)]
    return last.message
