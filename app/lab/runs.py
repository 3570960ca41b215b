"""Former runs of the lab: which directories hold one, and what came of it. No Qt here.

A run is a directory with results ``<lab>.json``, as the lab leaves them; what else lies there isn't read.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from app.lab.words import LABS
from engine.trace.events import Arm
from engine.trace.file import SUFFIX

MOST = 100
MOST_TRACES = 1000
SEVERITY = ("measured", "pass", "near-tie", "stopped", "fail")
REPORT = "report.html"


class _Result(msgspec.Struct, frozen=True):
    """What is read of a result's file."""

    status: str
    began: str = ""
    seconds: float = 0.0
    arms: tuple[Arm, ...] = ()
    conditions: dict[str, msgspec.Raw] = {}


_decode = msgspec.json.Decoder(_Result).decode


@dataclass(frozen=True, slots=True)
class Run:
    path: Path
    changed_s: float
    began: str = ""
    """ISO 8601; empty where no result says."""
    seconds: float = 0.0
    plan: str = ""
    arms: tuple[Arm, ...] = ()
    statuses: dict[str, str] = field(default_factory=dict)
    """By lab."""

    @property
    def report(self) -> Path | None:
        file = self.path / REPORT
        return file if file.is_file() else None

    @property
    def status(self) -> str:
        """The one that a person should look at first."""
        known = [SEVERITY.index(status) for status in self.statuses.values() if status in SEVERITY]
        return SEVERITY[max(known)] if known else ""


def statuses_in(directory: Path) -> dict[str, str]:
    """By lab, of the results that are there."""
    return {lab: result.status for lab, result in _results(directory).items()}


def read_run(directory: Path) -> Run | None:
    """None where it is no directory of the lab."""
    results = _results(directory)
    try:
        changed_s = directory.stat().st_mtime
        if not results and not (directory / "traces").is_dir():
            return None
    except OSError:
        return None
    firsts = sorted(results.values(), key=lambda result: result.began)
    plan = next((result.conditions["plan"] for result in firsts if "plan" in result.conditions), None)
    return Run(
        directory,
        changed_s,
        began=firsts[0].began if firsts else "",
        seconds=sum(result.seconds for result in firsts),
        plan=bytes(plan).decode().strip('"') if plan else "",
        arms=firsts[0].arms if firsts else (),
        statuses={lab: result.status for lab, result in results.items()},
    )


def find_runs(base: Path, others: Iterable[str] = ()) -> list[Run]:
    """Runs below the usual directory and in others that a person chose, newest first."""
    try:
        inside = [path for path in base.iterdir() if path.is_dir()]
    except OSError:
        inside = []
    paths = {path.absolute() for path in (*inside, *map(Path, others))}
    runs = [run for path in paths if (run := read_run(path)) is not None]
    return sorted(runs, key=lambda run: run.changed_s, reverse=True)[:MOST]


def traces_of(directory: Path) -> list[Path]:
    return sorted(directory.rglob(f"*{SUFFIX}"))[:MOST_TRACES]


def _results(directory: Path) -> dict[str, _Result]:
    found = {}
    for lab in LABS:
        try:
            found[lab] = _decode((directory / f"{lab}.json").read_bytes())
        except (OSError, msgspec.MsgspecError, ValueError):
            continue
    return found
