"""The words of the command line that a plan stands for. Pure functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from engine.trace.events import Arm, Settings

LABS = ("lossless", "sampling", "profile", "sweep", "attribution", "concurrency", "stability")
PLANS = ("quick", "full")
PLAN_DECIDES = ("max_tokens", "timing_every", "fallback")
"""Settings that the plan of the lab sets itself."""
SEPARATORS = (",", "|")


@dataclass(frozen=True, slots=True)
class LabPlan:
    arms: tuple[Arm, ...]
    labs: tuple[str, ...]
    """In the order of ``LABS``."""
    plan: str
    out: str
    language: str = "en"

    @property
    def words(self) -> list[str]:
        some = [] if self.labs == LABS else ["--only", ",".join(self.labs)]
        arms = [word for arm in self.arms for word in ("--arm", arm_word(arm))]
        return ["lab", "all", *some, *arms, "--plan", self.plan, "--out", self.out, "--language", self.language]


def arm_word(arm: Arm) -> str:
    """``name=speculative,target=embedded,drafter=lookup,block=6``: what differs from the usual is written."""
    usual, pairs = Settings(), {"name": plain(arm.name), "target": arm.target, "drafter": arm.drafter}
    for name, value in msgspec.structs.asdict(arm.settings).items():
        if name in PLAN_DECIDES or value == getattr(usual, name):
            continue
        if name == "stop":
            if not any(mark in stop for stop in value for mark in SEPARATORS):
                pairs[name] = "|".join(value)
        else:
            pairs[name] = str(value).lower() if isinstance(value, bool) else str(value)
    return ",".join(f"{key}={value}" for key, value in pairs.items())


def plain(name: str) -> str:
    return name.replace(",", " ").strip() or "arm"


def problem_of(arms: Sequence[Arm]) -> str:
    """Name of an arm whose model or drafter can't be written on a command line; nothing where all can."""
    return next((arm.name for arm in arms if "," in arm.target or "," in arm.drafter), "")
