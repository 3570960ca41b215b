"""What a long job is handed to speak through and to be stopped by. A job prints nothing itself.

A job calls ``cancelled`` between two units of work and ends early with what it has, ``progress`` with the name of a
stage, ``cell`` when a cell of a table is measured, ``point`` for a curve that is drawn while it runs. Time left is
computed here, from the pace of the stage since its first report.

``with Job(...)`` takes SIGINT and SIGTERM: the first one asks the job to stop at its next safe point, a second SIGINT
stops it where it stands.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any, Literal, Self

from engine.process.jobs import JobCell, JobEnded, JobPoint, JobProgress, JobStarted
from engine.process.printer import Printer

SETTLED_S = 0.5
"""A pace from less than this is a guess that jumps."""


class Job:
    def __init__(
        self,
        printer: Printer,
        job: str = "lab",
        stages: Sequence[str] = (),
        out: Path | str = "",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.printer = printer
        self.job = job
        self.stages = tuple(stages)
        self.out = str(out)
        self.clock = clock
        self.stopped = threading.Event()
        self.first: dict[str, tuple[float, float]] = {}
        """By stage: when it first reported, and how much was done then."""
        self.handlers: dict[int, Any] = {}
        self.began_s = clock()

    # What a job calls

    def cancelled(self) -> bool:
        """Stop at the next safe point and keep what is done."""
        return self.stopped.is_set() or self.printer.lost

    def progress(
        self, stage: str, done: float, total: float, unit: str = "", note: str = "", whole: bool = False
    ) -> None:
        """``done`` of ``total``; total 0 where it isn't known. ``note`` names the step inside the stage."""
        now = self.clock()
        began, already = self.first.setdefault(stage, (now, done))
        if done < already:
            began, already = self.first[stage] = (now, done)
        elapsed, more = now - began, done - already
        per_s = more / elapsed if elapsed >= SETTLED_S and more > 0 else None
        left = (total - done) / per_s if per_s and total > 0 else None
        self.printer.say(
            JobProgress(
                stage=stage, done=done, total=total, unit=unit, per_s=per_s, seconds_left=left, note=note, whole=whole
            )
        )

    def cell(
        self, table: str, row: str, column: str, value: float | None = None, low: float | None = None,
        high: float | None = None, text: str = "", traces: Sequence[Path | str] = (),
    ) -> None:  # fmt: skip
        """A cell is measured; relative ``traces`` are taken from the job's directory."""
        root = Path(self.out) if self.out else Path()
        files = tuple(str((root / trace).absolute()) for trace in traces)
        self.printer.say(
            JobCell(table=table, row=row, column=column, value=value, low=low, high=high, text=text, traces=files)
        )

    def point(
        self, series: str, x: float, y: float, low: float | None = None, high: float | None = None,
        x_name: str = "", y_name: str = "",
    ) -> None:  # fmt: skip
        self.printer.say(JobPoint(series=series, x=x, y=y, low=low, high=high, x_name=x_name, y_name=y_name))

    # What the command calls

    def whole(self, stage: str, share: float, seconds_left: float | None) -> None:
        """How far the whole job is, 0 to 1."""
        self.printer.say(JobProgress(stage=stage, done=share, total=1, seconds_left=seconds_left, whole=True))

    def stop(self) -> None:
        self.stopped.set()

    def ended(
        self, status: Literal["done", "stopped", "failed"], message: str = "", files: Sequence[Path | str] = ()
    ) -> None:
        self.printer.say(JobEnded(status=status, message=message, files=tuple(str(Path(f).absolute()) for f in files)))

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self.handlers[number] = signal.signal(number, self._signalled)
        self.printer.say(JobStarted(job=self.job, stages=self.stages, out=self.out))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        for number, handler in self.handlers.items():
            signal.signal(number, handler)
        self.handlers.clear()

    def _signalled(self, number: int, frame: FrameType | None) -> None:
        if self.stopped.is_set() and number == signal.SIGINT:
            raise KeyboardInterrupt
        self.stopped.set()
