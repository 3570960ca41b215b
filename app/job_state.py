"""What a long job has said so far, folded into what a page shows: plan, progress, curves and tables. No Qt here.

However long a job runs and however much it says, this stays small: a curve that grows too long keeps every second
point, and what comes after the most tables, cells or curves is left out and counted.
"""

from __future__ import annotations

import time
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from engine.process.jobs import JobCell, JobEnded, JobMessage, JobPoint, JobProgress, JobStarted

MOST_POINTS = 2000
MOST_CURVES = 48
MOST_TABLES = 48
MOST_CELLS = 4096
MOST_TRACES = 256
"""Behind one cell."""
MOST_STAGES = 256
TOLD_SHARE = 0.03
"""Of the whole, before time left is told from the pace of the whole."""

StageState = Literal["waiting", "running", "done", "stopped", "failed", "left out"]


@dataclass(slots=True)
class Curve:
    """In the order of x whatever the order in which points are said: work that goes on tells its earlier points again.
    Of two points at one x the later one counts.
    """

    x_name: str = ""
    y_name: str = ""
    x: list[float] = field(default_factory=list)
    y: list[float] = field(default_factory=list)
    low: list[float | None] = field(default_factory=list)
    high: list[float | None] = field(default_factory=list)
    stride: int = 1
    """Every how many-th point is kept."""
    seen: int = 0

    def add(self, point: JobPoint) -> None:
        self.x_name, self.y_name = point.x_name, point.y_name
        at, said = bisect_left(self.x, point.x), (point.x, point.y, point.low, point.high)
        if at < len(self.x) and self.x[at] == point.x:
            for values, value in zip(self._columns(), said, strict=True):
                values[at] = value
            return
        if self.seen % self.stride == 0:
            for values, value in zip(self._columns(), said, strict=True):
                values.insert(at, value)
        self.seen += 1
        if len(self.x) > MOST_POINTS:
            for values in self._columns():
                del values[1::2]
            self.stride *= 2

    def _columns(self) -> tuple[list, ...]:
        return (self.x, self.y, self.low, self.high)


@dataclass(slots=True)
class Table:
    rows: list[str] = field(default_factory=list)
    columns: list[str] = field(default_factory=list)
    """Both in the order in which they were first said."""
    cells: dict[tuple[str, str], JobCell] = field(default_factory=dict)

    def put(self, cell: JobCell) -> None:
        if cell.row not in self.rows:
            self.rows.append(cell.row)
        if cell.column not in self.columns:
            self.columns.append(cell.column)
        self.cells[cell.row, cell.column] = cell


class JobState:
    def __init__(
        self, kind: str = "", clock_s: float | None = None, weights: Mapping[str, float] | None = None
    ) -> None:
        self.kind = kind
        """Which page began it: ``lab``, ``train`` ..."""
        self.weights = dict(weights or {})
        """Share of the whole that a stage usually takes, one against another; 1 for a stage that isn't here."""
        self.job = ""
        self.out = ""
        self.stages: list[str] = []
        self.began_s = time.monotonic() if clock_s is None else clock_s
        self.stage = ""
        """The one at work, or the last one."""
        self.progress: dict[str, JobProgress] = {}
        """Newest by stage."""
        self.whole: JobProgress | None = None
        self.curves: dict[str, Curve] = {}
        self.tables: dict[str, Table] = {}
        self.cell_count = 0
        self.left_out = 0
        """Messages that found no room."""
        self.ended: JobEnded | None = None
        self.ended_s: float | None = None

    def apply(self, message: JobMessage) -> None:
        match message:
            case JobStarted():
                self.job, self.out = message.job, message.out
                self.stages = list(message.stages[:MOST_STAGES])
            case JobProgress():
                self._progress(message)
            case JobPoint():
                name = self._curve_of(message)
                if name in self.curves or len(self.curves) < MOST_CURVES:
                    self.curves.setdefault(name, Curve()).add(message)
                else:
                    self.left_out += 1
            case JobCell():
                self._cell(message)
            case JobEnded():
                self.ended, self.ended_s = message, time.monotonic()

    def _progress(self, message: JobProgress) -> None:
        if message.whole:
            self.whole = message
        if message.whole and message.stage not in self.stages:
            return
        if message.stage not in self.stages:
            if len(self.stages) >= MOST_STAGES:
                self.left_out += 1
                return
            self.stages.append(message.stage)
        if not message.whole:
            self.progress[message.stage] = message
        self.stage = message.stage

    def _curve_of(self, point: JobPoint) -> str:
        """The series' name; where one of that name has other axes, with its own behind it."""
        known = self.curves.get(point.series)
        if known is None or (known.x_name, known.y_name) == (point.x_name, point.y_name):
            return point.series
        return f"{point.series} · {point.y_name or point.x_name}"

    def _cell(self, cell: JobCell) -> None:
        table = self.tables.get(cell.table)
        is_new = table is None or (cell.row, cell.column) not in table.cells
        if (table is None and len(self.tables) >= MOST_TABLES) or (is_new and self.cell_count >= MOST_CELLS):
            self.left_out += 1
            return
        self.cell_count += is_new
        if len(cell.traces) > MOST_TRACES:
            cell = JobCell(
                table=cell.table, row=cell.row, column=cell.column, value=cell.value, low=cell.low, high=cell.high,
                text=cell.text, traces=cell.traces[:MOST_TRACES],
            )  # fmt: skip
        self.tables.setdefault(cell.table, Table()).put(cell)


def stage_state(state: JobState, stage: str) -> StageState:
    """Stages run in the order of the plan; what comes before the one at work is done."""
    at, here = _index(state, state.stage), _index(state, stage)
    ended = state.ended.status if state.ended else ""
    if ended == "done":
        return "done"
    if here < at or (here == at and is_complete(state.progress.get(stage)) and bool(ended)):
        return "done"
    if here > at:
        return "left out" if ended else "waiting"
    if ended:
        return "stopped" if ended == "stopped" else "failed"
    return "running"


def share_done(state: JobState) -> float | None:
    """Of the whole, 0 to 1; None where the job doesn't say how much there is."""
    if state.ended is not None and state.ended.status == "done":
        return 1.0
    if state.whole is not None and state.whole.total > 0:
        return _unit(state.whole.done / state.whole.total)
    if not state.stages or not state.stage:
        return None
    progress = state.progress.get(state.stage)
    part = _unit(progress.done / progress.total) if progress and progress.total > 0 else 0.0
    weights = [state.weights.get(stage, 1.0) for stage in state.stages]
    at = _index(state, state.stage)
    return (sum(weights[:at]) + part * weights[at]) / sum(weights)


def seconds_left(state: JobState, now_s: float | None = None) -> float | None:
    """Of the whole job: as it says itself, otherwise from the pace so far, once that is known well enough, and never
    less than what the stage at work still takes.
    """
    if state.ended is not None:
        return None
    for progress in (state.whole, state.progress.get(state.stage)):
        if progress is not None and progress.whole and progress.seconds_left is not None:
            return progress.seconds_left
    progress = state.progress.get(state.stage)
    if len(state.stages) == 1 and progress is not None and progress.seconds_left is not None:
        return progress.seconds_left
    of_stage_s = progress.seconds_left if progress is not None else None
    share = share_done(state)
    spent_s = (time.monotonic() if now_s is None else now_s) - state.began_s
    if share is None or share < TOLD_SHARE or spent_s <= 0:
        return of_stage_s
    return max(spent_s / share * (1 - share), of_stage_s or 0.0)


def is_complete(progress: JobProgress | None) -> bool:
    return progress is not None and progress.total > 0 and progress.done >= progress.total


def _index(state: JobState, stage: str) -> int:
    return state.stages.index(stage) if stage in state.stages else -1


def _unit(value: float) -> float:
    return min(1.0, max(0.0, value))
