"""How long a lab may take, and what is said where that was too short. Pure but for the clock.

A quick plan of all labs ends within half an hour, its report included, however slow the machine: each lab has seconds
of its own (``QUICK_S``), and labs that begin late share what is left of ``WHOLE_QUICK_S``. A lab does first what its
answer rests on, leaves out the rest when its time is spent, and says how much: "n of m". Whatever it skips, it skips by
the clock alone, never by what was found.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from msgspec.structs import replace

from engine.lab.plan import Plan

QUICK_S = {
    "lossless": 330,
    "sampling": 240,
    "profile": 180,
    "sweep": 230,
    "attribution": 60,
    "concurrency": 270,
    "stability": 240,
}
"""Also what the labs weigh against each other in telling the time left."""
WHOLE_QUICK_S = 26 * 60
LEAST_S = 20
"""A lab that comes when nothing is left does its first steps all the same."""
HOURS_S = 3600
FULL_S = {
    "lossless": 6 * HOURS_S,
    "sampling": 8 * HOURS_S,
    "profile": 6 * HOURS_S,
    "sweep": 8 * HOURS_S,
    "attribution": 2 * HOURS_S,
    "concurrency": 6 * HOURS_S,
    "stability": 13 * HOURS_S,
}


def allowed_s(plan: Plan, lab: str) -> float:
    """What a lab may take in this plan."""
    return plan.size(f"{lab}_seconds", QUICK_S[lab], FULL_S[lab])


def within(plan: Plan, lab: str, left: Sequence[str], spent_s: float) -> Plan:
    """The plan for one of several labs; ``left`` are those still to be run, this one among them. In a quick plan a lab
    gets its own time or, where that is less, its part of what is left for all."""
    if plan.name != "quick" or f"{lab}_seconds" in plan.sizes:
        return plan
    part = (WHOLE_QUICK_S - spent_s) * QUICK_S[lab] / sum(QUICK_S[other] for other in left)
    seconds = max(LEAST_S, min(QUICK_S[lab], int(part)))
    return replace(plan, sizes={**plan.sizes, f"{lab}_seconds": seconds})


class Budget:
    """Seconds from now on."""

    def __init__(self, seconds: float, clock: Callable[[], float] = time.perf_counter) -> None:
        self.seconds, self.clock = seconds, clock
        self.began_s = clock()

    @property
    def spent_s(self) -> float:
        return self.clock() - self.began_s

    def room(self, share: float = 1.0) -> bool:
        """Whether less than this share of the time is spent."""
        return self.spent_s < share * self.seconds


def left_out(what: str, done: int, planned: int) -> str:
    """The sentence of a lab that ran out of time."""
    return f"Stopped early: {done} of {planned} {what} fitted into the time."
