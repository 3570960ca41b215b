"""What a training tells while it runs: how far it is, its curves, and that it was asked to stop."""

from __future__ import annotations

from typing import Protocol

from engine.train.batch import Cancelled
from engine.train.loop import Progress

LOSS, HELD_OUT = "training loss", "held-out tokens per forward"


class Reporter(Protocol):
    """What a job speaks through (``engine.process.job.Job``)."""

    def cancelled(self) -> bool: ...

    def progress(self, stage: str, done: float, total: float, unit: str = "", note: str = "") -> None: ...

    def point(
        self, series: str, x: float, y: float, low: float | None = None, high: float | None = None,
        x_name: str = "", y_name: str = "",
    ) -> None: ...  # fmt: skip


def tell_head_start(report: Reporter) -> None:
    """Raises ``Cancelled`` where it was asked to stop."""
    if report.cancelled():
        raise Cancelled
    report.progress("train", 0, 0, "", "head start")


def tell(report: Reporter, p: Progress) -> None:
    report.progress("train", p.step, p.steps, "steps", f"loss {p.loss:.3f}, {p.positions_per_s:.0f} positions/s")
    report.point(LOSS, p.step, p.loss, x_name="steps")
    if p.score is not None:
        s = p.score
        report.point(HELD_OUT, p.step, s.tokens_per_forward, s.low, s.high, x_name="steps")


def tell_row(report: Reporter, row: dict[str, float]) -> None:
    """What a run that goes on had told before: a row of its log."""
    if "loss" in row:
        report.point(LOSS, row["step"], row["loss"], x_name="steps")
    if "tokens_per_forward" in row:
        report.point(HELD_OUT, row["step"], row["tokens_per_forward"], row["low"], row["high"], x_name="steps")
