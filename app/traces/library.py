"""The traces on this computer and what each one holds, in a few numbers. No Qt here."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from app.drafters.schemes import Scheme, scheme_at_work, tells_scheme
from engine.trace.events import Settings, Started
from engine.trace.file import SUFFIX, Trace, TraceError, read
from engine.trace.metrics import measure
from engine.trace.session import by_arm, events_of, group, turn_numbers
from engine.trace.verdict import SEVERITY, Verdict, session_verdicts

MOST = 200


@dataclass(frozen=True, slots=True)
class Summary:
    path: Path
    created: str
    prompt: str = ""
    turns: int = 0
    tokens: int = 0
    """Emitted by the first arm."""
    arms: tuple[str, ...] = ()
    schemes: tuple[Scheme, ...] = ()
    """Drafting scheme of each arm."""
    speeds: tuple[float | None, ...] = ()
    """Tokens per second of each arm."""
    verdict: Verdict | None = None
    problem: str = ""
    """Why it can't be read."""
    settings: Settings | None = None

    @property
    def best_ratio(self) -> float | None:
        """Speed of the fastest other arm over the first arm's."""
        if not self.speeds or not self.speeds[0]:
            return None
        others = [speed for speed in self.speeds[1:] if speed]
        return max(others) / self.speeds[0] if others else None


def find(directory: Path) -> list[Path]:
    """Traces in a directory, newest first."""
    paths = [path for path in directory.glob(f"*{SUFFIX}") if path.is_file()]
    return sorted(paths, key=lambda path: path.stat().st_mtime, reverse=True)[:MOST]


def summarise(path: Path) -> Summary:
    try:
        trace = read(path)
    except TraceError as error:
        return Summary(path, "", problem=str(error))
    return summary_of(path, trace)


def summary_of(path: Path, trace: Trace) -> Summary:
    turns = group(trace.events)
    arms = by_arm(turns)
    measured = {
        name: measure(event for entry in entries for event in events_of(entry)) for name, entries in arms.items()
    }
    first = next((entry.started for entry in turns if entry.started), None)
    verdicts = list(session_verdicts(turns).values())
    return Summary(
        path,
        trace.header.created,
        prompt=" ".join(first.prompt.split())[:200] if first else "",
        turns=len(turn_numbers(turns)),
        tokens=next((metrics.emitted for metrics in measured.values()), 0),
        arms=tuple(arms),
        schemes=tuple(
            scheme_of_run(next((entry.started for entry in entries if entry.started), None), measured[name].by_source)
            for name, entries in arms.items()
        ),
        speeds=tuple(metrics.tokens_per_s for metrics in measured.values()),
        verdict=max(verdicts, key=lambda verdict: SEVERITY.index(verdict.status), default=None),
        settings=first.spec.settings if first else None,
    )


def scheme_of_run(started: Started | None, sources: Iterable[str]) -> Scheme:
    """What an arm drafted with, by what its rounds say."""
    if started is None:
        return Scheme.UNKNOWN
    own = next((source for source in sources if tells_scheme(started.spec, source)), "")
    return scheme_at_work(started.spec, started.drafter, own)
