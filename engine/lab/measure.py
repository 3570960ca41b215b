"""Runs samples through arms, interleaved, one trace file a cell. Nothing is computed here: the traces are the result.

A *batch* is arms that run together; a *cell* takes the events of some of them into its file, so that several cells may
share one baseline. Each sample is one turn of its cell's trace. Before it every arm forgets: no cache answers twice.

Arms go A B, B A ... and the arm whose text is shortest goes next, so that all arms write the same part of the text at
the same time: heat and load that drift while they run hit all alike, however many tokens an arm emits a round. The
sample after begins the other way round.

Samples are the outer loop. Whenever the work ends, by the user or because its time is spent, every cell has the same
samples; a sample that was cut is in the traces but counts as unfinished.
"""

from __future__ import annotations

import importlib.metadata
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

import mlx.core as mx
from msgspec.structs import replace

from engine import __version__
from engine.lab.plan import Sample
from engine.lab.result import Environment, LabError
from engine.models.errors import ModelError
from engine.platform import machine
from engine.race import paced, run_arm
from engine.session import ArmState, Session
from engine.trace.events import Arm, Header, Machine, Started
from engine.trace.file import SUFFIX, TraceError, Writer
from engine.trace.session import ArmEvent

LEAST_SAMPLES = 3
"""Fewer say little: measured in up to twice the time, where one of them doesn't take that alone."""
ORDER = "interleaved A B B A, the shortest text next"
PACKAGES = ("mlx", "mlx-lm", "transformers", "numpy", "msgspec")

Opener = Callable[[Sequence[Arm]], list[ArmState]]
"""Arms, ready to run, in the same order."""


class JobLike(Protocol):
    """What measuring needs of a job."""

    def cancelled(self) -> bool: ...

    def progress(
        self, stage: str, done: float, total: float, unit: str = "", note: str = "", whole: bool = False
    ) -> None: ...


class Speaker(Protocol):
    """What telling figures needs of a job."""

    def cell(
        self, table: str, row: str, column: str, value: float | None = None, low: float | None = None,
        high: float | None = None, text: str = "", traces: Sequence[Path | str] = (),
    ) -> None: ...  # fmt: skip

    def point(
        self, series: str, x: float, y: float, low: float | None = None, high: float | None = None, x_name: str = "",
        y_name: str = "",
    ) -> None: ...  # fmt: skip


@dataclass(frozen=True, slots=True)
class Cell:
    name: str
    """Of its trace file; with ``{sample}`` in it every sample has a file of its own."""
    arms: tuple[str, ...]
    """Whose events it takes, the one that it is compared with first."""
    labels: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Batch:
    arms: tuple[Arm, ...]
    cells: tuple[Cell, ...]
    samples: tuple[Sample, ...]


@dataclass(frozen=True, slots=True)
class Measured:
    traces: tuple[str, ...]
    """Relative to the result's directory."""
    samples: int
    """Measured whole, in every cell."""
    stopped: bool
    """By the user."""
    environment: Environment
    seconds: float
    began: str


def measure(
    lab: str,
    batches: Sequence[Batch],
    out: Path,
    job: JobLike,
    opener: Opener,
    *,
    seconds: float = float("inf"),
    look: Callable[[Sequence[str]], None] = lambda _: None,
) -> Measured:
    """Run everything. Raises ``LabError`` where the arms can't be opened or an arm fails.

    Args:
        seconds: no further sample begins where it would end later than this; ``LEAST_SAMPLES`` may take twice as long
        look: shown the traces so far after a sample, as often as its own cost allows
    """
    began, began_s = now(), time.perf_counter()
    states = open_all(batches, opener)
    writers = Writers(out, lab, machine())
    total = max((len(batch.samples) for batch in batches), default=0)
    steps, taken, done, stopped = sum(len(batch.samples) for batch in batches), 0, 0, False
    pace, glance = Pace(seconds), Glance(look)
    try:
        job.progress(lab, 0, steps, "runs")
        for number in range(total):
            if not pace.room():
                break
            for place, batch in enumerate(batches):
                if number >= len(batch.samples):
                    continue
                run_batch(batch, number, states, writers, job.cancelled, backwards=bool((number + place) % 2))
                stopped = job.cancelled()
                if stopped:
                    break
                taken += 1
                left = max(pace.total(taken, steps), min(steps, len(batches)))
                job.progress(lab, taken, left, "runs", note=batch.samples[number].name)
            if stopped:
                break
            done += 1
            pace.sample()
            glance(writers.names())
    finally:
        writers.close()
    return Measured(
        traces=writers.names(),
        samples=done,
        stopped=stopped,
        environment=environment(states, writers.machine),
        seconds=time.perf_counter() - began_s,
        began=began,
    )


class Pace:
    """How much of the time is spent, from one sample to the next."""

    def __init__(self, seconds: float, clock: Callable[[], float] = time.perf_counter) -> None:
        self.seconds, self.clock = seconds, clock
        self.began_s = clock()
        self.samples = 0

    def sample(self) -> None:
        self.samples += 1

    def room(self) -> bool:
        """Whether one more sample ends in time. The first always does."""
        spent = self.clock() - self.began_s
        allowed = self.seconds if self.samples >= LEAST_SAMPLES else 2 * self.seconds
        return self.samples == 0 or spent + spent / self.samples <= allowed

    def total(self, taken: int, steps: int) -> float:
        """How many steps fit, at the pace of those taken."""
        spent = self.clock() - self.began_s
        fit = taken * self.seconds / spent if spent else float("inf")
        return max(taken, int(min(steps, fit)))


class Teller:
    """Says a cell only where it changed, and points once: who reads them draws every one."""

    def __init__(self, job: Speaker) -> None:
        self._job = job
        self._said: dict[tuple[str, str, str], tuple[Any, ...]] = {}

    def cell(
        self, table: str, row: str, column: str, found: Mapping[str, Any], text: str = "", traces: Sequence[str] = ()
    ) -> None:
        """``found``: value, low and high, as results hold an interval."""
        told = (found["value"], found["low"], found["high"], text, tuple(traces))
        if self._said.get((table, row, column)) != told:
            self._said[table, row, column] = told
            self._job.cell(table, row, column, *told)

    def point(self, series: str, x: float, found: Mapping[str, Any], x_name: str, y_name: str) -> None:
        if found["value"] is not None:
            self._job.point(series, x, found["value"], found["low"], found["high"], x_name, y_name)


class Glance:
    """Looks at results while they come, never for more than a twentieth of the time."""

    def __init__(self, look: Callable[[Sequence[str]], None], clock: Callable[[], float] = time.perf_counter) -> None:
        self.look, self.clock = look, clock
        self.next_s = 0.0

    def __call__(self, traces: Sequence[str]) -> None:
        began_s = self.clock()
        if began_s >= self.next_s:
            self.look(traces)
            ended_s = self.clock()
            self.next_s = ended_s + 20 * (ended_s - began_s)


def run_batch(
    batch: Batch,
    number: int,
    states: Mapping[str, ArmState],
    writers: Writers,
    cancelled: Callable[[], bool],
    backwards: bool,
) -> None:
    """One sample through the arms of a batch."""
    sample = batch.samples[number]
    labels = {"sample": sample.name, "task": sample.task, "language": sample.language, "format": sample.format,
              "length": sample.length}  # fmt: skip
    for state in (states[arm.name] for arm in batch.arms):
        state.reset()
        state.last_ids = []
    mx.clear_cache()
    mx.reset_peak_memory()
    began_s = time.perf_counter()
    runs = [
        run_arm(
            states[arm.name], sample.prompt, turn=number, system="", history=(), raw=False, began_s=began_s,
            cancelled=cancelled,
        )
        for arm in batch.arms
    ]  # fmt: skip
    try:
        for event in paced(runs, backwards):
            for cell in batch.cells:
                if isinstance(event, ArmEvent) and event.arm in cell.arms:
                    name = cell.name.format(sample=sample.name)
                    writers.of(name).write(labelled(event, {**labels, **cell.labels, "cell": name}))
    finally:
        for arm in batch.arms:
            states[arm.name].reset()


def labelled(event: ArmEvent, labels: dict[str, str]) -> ArmEvent:
    return replace(event, labels=labels) if isinstance(event, Started) else event


# Opening and naming


def opener_of(given: Opener | None) -> Opener:
    """One session for all that a lab opens: each model is loaded once, arms that stay keep what they hold."""
    return given or Session().open


def open_all(batches: Sequence[Batch], opener: Opener) -> dict[str, ArmState]:
    """Every arm of every batch, each name once."""
    arms: dict[str, Arm] = {}
    for arm in (arm for batch in batches for arm in batch.arms):
        if arms.setdefault(arm.name, arm) != arm:
            raise ValueError(f"two arms are called {arm.name}")
    try:
        return {state.spec.name: state for state in opener(list(arms.values()))}
    except ModelError as error:
        raise LabError(str(error)) from error


def trace_name(lab: str, cell: str) -> str:
    """Where a cell's trace lies, relative to the result. Known from its labels alone."""
    return f"traces/{lab}-{re.sub(r'[^A-Za-z0-9.+_-]+', '-', cell)}{SUFFIX}"


class Writers:
    """The traces of one lab, each begun when its first event comes."""

    def __init__(self, out: Path, lab: str, on: Machine) -> None:
        self.out, self.lab, self.machine = out, lab, on
        self._open: dict[str, Writer] = {}

    def of(self, cell: str) -> Writer:
        if cell not in self._open:
            path = self.out / trace_name(self.lab, cell)
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                self._open[cell] = Writer(path)
            except OSError as error:
                raise LabError(f"{path.parent} can't be made ({error.strerror}): choose another directory.") from error
            except TraceError as error:
                raise LabError(str(error)) from error
            self._open[cell].write(Header(created=now(), app=f"slipstream {__version__}", machine=self.machine))
        return self._open[cell]

    def names(self) -> tuple[str, ...]:
        return tuple(trace_name(self.lab, cell) for cell in self._open)

    def close(self) -> None:
        for writer in self._open.values():
            writer.close()


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def environment(states: Mapping[str, ArmState], on: Machine | None = None) -> Environment:
    return Environment(
        machine=on or machine(),
        app=f"slipstream {__version__}",
        versions={name: version for name in PACKAGES if (version := _version(name))},
        targets={name: state.target.facts for name, state in states.items()},
        drafters={name: state.drafter_facts for name, state in states.items() if state.drafter_facts},
    )


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return ""
