"""Checks on tiny targets: a plan, a job that only listens, models by name."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from engine.lab.plan import Plan, Sample
from engine.lab.precision import Precision
from engine.target import Target
from engine.trace.events import Arm, Settings
from tests.tiny import tiny_target


def sample(name: str, prompt: str) -> Sample:
    return Sample(name=name, prompt=prompt, length="short", task="open", language="en", format="plain")


SAMPLES = (
    sample("fox", "THE QUICK BROWN FOX AND THE QUICK DOG"),
    sample("tide", "THE TIDE COMES IN, THE TIDE GOES OUT"),
)


def plan(**sizes: int) -> Plan:
    """With time enough on any machine."""
    given = {"lossless_seconds": 10**6, "sampling_seconds": 10**6, **sizes}
    return Plan(name="quick", prompts=SAMPLES, tokens=24, sizes=given)


def arm(drafter: str = "lookup", name: str = "", target: str = "tiny", **settings: Any) -> Arm:
    return Arm(name=name or drafter, target=target, drafter=drafter, settings=Settings(**settings))


class QuietJob:
    """Keeps what it is told; stops after so many progress reports."""

    def __init__(self, stop_after: int = 10**9) -> None:
        self.reports: list[tuple[float, float, str]] = []
        self.cells: list[dict[str, Any]] = []
        self.points: list[dict[str, Any]] = []
        self.stop_after = stop_after

    def cancelled(self) -> bool:
        return len(self.reports) > self.stop_after

    def progress(
        self, stage: str, done: float, total: float, unit: str = "", note: str = "", whole: bool = False
    ) -> None:
        assert 0 <= done <= total
        self.reports.append((done, total, note))

    def cell(self, table: str, row: str, column: str, **more: Any) -> None:
        self.cells.append({"table": table, "row": row, "column": column, **more})

    def point(self, series: str, x: float, y: float, **more: Any) -> None:
        self.points.append({"series": series, "x": x, "y": y, **more})


def endless(kind: str = "dense", seed: int = 5, held_as: str = "float32") -> Target:
    """A tiny target whose texts don't end by themselves."""
    target = tiny_target(kind, seed=seed)
    target.tokenizer.eos_token_ids = ()  # type: ignore[misc]
    target.facts = replace(target.facts, held_as=held_as)
    return target


def loader(kind: str = "dense", seed: int = 5, held_as: str = "float32") -> Any:
    made: dict[str, Target] = {}

    def load(name: str, precision: Precision) -> Target:
        if precision not in made:
            made[precision] = endless(kind, seed, "bfloat16" if precision == "bfloat16" else held_as)
        return made[precision]

    return load
