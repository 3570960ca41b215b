"""Traces whose truth is known: acceptance by position, what a round costs, text that loops or doesn't."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

from engine.trace.events import Arm, Event, Finished, Header, Machine, ModelFacts, Origin, Round, Settings, Started
from engine.trace.file import Trace

MACHINE = Machine(chip="planted", memory_bytes=1 << 34, os="none", backend="cpu")
FACTS = ModelFacts(name="planted", held_as="float32", vocabulary=49152)
HEADER = Header(created="2026-01-01T00:00:00+00:00", app="slipstream", machine=MACHINE)

Cost = Callable[[int], float]
"""Seconds of a forward over so many rows."""


def flat(rows: int) -> float:
    return 0.1


def knee_at(last_flat: int, slope: float = 0.04, one: float = 0.1) -> Cost:
    """As cheap as one row up to ``last_flat`` rows, then dearer by ``slope`` a row."""
    return lambda rows: one + slope * max(0, rows - last_flat)


def text(tokens: int, seed: int, looping: bool = False) -> list[int]:
    source = random.Random(seed)
    ids = [source.randrange(1000, 40000) for _ in range(tokens)]
    return [ids[at % 5] for at in range(tokens)] if looping else ids


def answer(
    arm: Arm,
    sample: str,
    labels: dict[str, str],
    *,
    alpha: Sequence[float] = (),
    tokens: int = 120,
    cost: Cost = flat,
    draft_s: float = 0.0,
    overhead_s: float = 0.0,
    seed: int = 0,
    looping: bool = False,
    turn: int = 0,
    split_every: int = 1,
    reason: Any = "length",
    drift: Callable[[float], float] = lambda _: 1.0,
) -> list[Event]:
    """One arm's answer. Without ``alpha`` it is a baseline; otherwise the draft at position k is kept with chance
    ``alpha[k]`` where all before it were."""
    source = random.Random(seed * 7919 + 1)
    ids = text(tokens, hash_of(sample), looping)
    block = len(alpha) + 1 if arm.drafter != "none" else 1
    events: list[Event] = [
        Started(
            arm=arm.name, turn=turn, t_s=0.0, spec=arm, target=FACTS, prompt=sample, prompt_tokens=12,
            columns=block - 1, labels={"sample": sample, "cell": sample, **labels},
        )
    ]  # fmt: skip
    place, index, now_s = 0, 0, 0.0
    while place < tokens:
        width = 0 if index == 0 else min(block - 1, tokens - place - 1)
        kept = 0
        while kept < width and source.random() < alpha[kept]:
            kept += 1
        own: Origin = "plain" if not width else "bonus" if kept == width else "correction"
        whole = index % split_every == 0 or not width
        slow = drift(now_s)
        times = [slow * x for x in (draft_s if width else 0.0, cost(width + 1), overhead_s)]
        now_s += sum(times)
        emitted = ids[place : place + kept + 1]
        events.append(
            Round(
                arm=arm.name, turn=turn, index=index, t_s=now_s, context_tokens=12 + place,
                requested_width=block - 1 if index else 0, width=width, source="scripted" if width else "",
                accepted=kept, emitted_ids=tuple(emitted), emitted_tokens=kept + 1,
                origins=(*(("accepted",) * kept), own), pieces=("x",) * (kept + 1),
                draft_s=times[0] if whole else 0.0, verify_s=times[1] if whole else times[0] + times[1],
                other_s=times[2], split=whole, drafter_forwards=1 if width else 0,
            )
        )  # fmt: skip
        place += kept + 1
        index += 1
    events.append(Finished(arm=arm.name, turn=turn, t_s=now_s, reason=reason, output_tokens=tokens, own_s=now_s))
    return events


def hash_of(name: str) -> int:
    return sum((at + 1) * ord(letter) for at, letter in enumerate(name))


def trace(*runs: Sequence[Event]) -> Trace:
    return Trace(header=HEADER, events=tuple(event for run in runs for event in run))


def baseline(**settings: Any) -> Arm:
    return Arm(name="baseline", settings=Settings(**settings))


def drafting(name: str = "spec", **settings: Any) -> Arm:
    return Arm(name=name, drafter="lookup", settings=Settings(**settings))


def layers(number: int) -> dict[str, str]:
    return {
        "task": ("code", "question")[number % 2], "language": "en", "format": "plain",
        "length": ("short", "medium", "long")[number % 3],
    }  # fmt: skip


class Heard:
    """A job that remembers, and stops when it is told."""

    def __init__(self, stop_after: float = float("inf")) -> None:
        self.stop_after, self.asked = stop_after, 0
        self.cells: list[tuple[Any, ...]] = []
        self.points: list[tuple[Any, ...]] = []
        self.steps: list[tuple[Any, ...]] = []

    def cancelled(self) -> bool:
        self.asked += 1
        return self.asked > self.stop_after

    def progress(
        self, stage: str, done: float, total: float, unit: str = "", note: str = "", whole: bool = False
    ) -> None:
        self.steps.append((stage, done, total))

    def cell(self, *cell: Any) -> None:
        self.cells.append(cell)

    def point(self, *point: Any, **more: Any) -> None:
        self.points.append(point)
