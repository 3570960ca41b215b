"""A plan, a job and a session for labs on tiny targets."""

from __future__ import annotations

from typing import Any

from engine.lab.plan import Plan, Sample
from engine.session import Models, Session
from engine.target import Target
from engine.trace.events import Arm, Settings

PROMPTS = ("THE TIDE COMES IN", "AND THE TIDE GOES OUT AGAIN", "SEVEN BOATS", "A LONG ROW OF LAMPS ALONG THE PIER")


def plan(tokens: int = 24, **sizes: int) -> Plan:
    samples = tuple(
        Sample(name=f"sample {n}", prompt=text, length="short", task="open", language="en", format="plain")
        for n, text in enumerate(PROMPTS)
    )
    return Plan(
        name="quick",
        prompts=samples,
        tokens=tokens,
        seed=7,
        sizes={"stability_seconds": 10**6, "concurrency_seconds": 10**6, **sizes},
    )


def session(target: Target) -> Session:
    return Session(Models(load=lambda name: target))


def arms(block: int = 5) -> tuple[Arm, ...]:
    settings = Settings(block=block)
    return (Arm(name="baseline", target="tiny", settings=settings),
            Arm(name="lookup", target="tiny", drafter="lookup", settings=settings))  # fmt: skip


class Heard:
    """A job that notes what it is told and stops when it was asked so often."""

    def __init__(self, stop_after: int = -1) -> None:
        self.stop_after, self.asked = stop_after, 0
        self.cells: list[tuple[Any, ...]] = []
        self.points: list[tuple[Any, ...]] = []
        self.steps: list[tuple[Any, ...]] = []

    def cancelled(self) -> bool:
        self.asked += 1
        return 0 <= self.stop_after < self.asked

    def progress(
        self, stage: str, done: float, total: float, unit: str = "", note: str = "", whole: bool = False
    ) -> None:
        self.steps.append((stage, done, total, note))

    def cell(self, table: str, row: str, column: str, value: Any = None, low: Any = None, high: Any = None,
             text: str = "", traces: Any = ()) -> None:  # fmt: skip
        self.cells.append((table, row, column, value, low, high, text, tuple(traces)))

    def point(self, series: str, x: float, y: float, low: Any = None, high: Any = None, x_name: str = "",
              y_name: str = "") -> None:  # fmt: skip
        self.points.append((series, x, y))
