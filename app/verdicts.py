"""Verdicts of a session as it happens: every arm of a turn against the first arm of that turn.

A view of the event stream without Qt; the rules are ``engine.trace.verdict``'s.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from app.session import Run, Session
from engine.trace.events import Event, Round, Started
from engine.trace.verdict import SEVERITY, Comparison, Verdict, noise_logits, same_text_expected


@dataclass(slots=True)
class _Turn:
    first: str
    comparisons: dict[str, Comparison] = field(default_factory=dict)


class Verdicts:
    def __init__(self) -> None:
        self._turns: dict[int, _Turn] = {}

    def add(self, event: Event) -> None:
        """Counts one event; ``Started`` of the first arm must come before those of the others."""
        if isinstance(event, Started):
            turn = self._turns.setdefault(event.turn, _Turn(event.arm))
            if event.arm != turn.first:
                turn.comparisons[event.arm] = Comparison(noise_logits(event.target))
        elif isinstance(event, Round) and event.turn in self._turns:
            turn = self._turns[event.turn]
            if event.arm == turn.first:
                for comparison in turn.comparisons.values():
                    comparison.add_reference(event)
            elif event.arm in turn.comparisons:
                turn.comparisons[event.arm].add_other(event)

    def of_turn(self, session: Session, turn: int) -> dict[str, Verdict]:
        """By arm, the first left out."""
        known, exchange = self._turns.get(turn), session.exchange(turn)
        if known is None or exchange is None or known.first not in exchange.runs:
            return {}
        first = exchange.runs[known.first]
        verdicts = {}
        for arm, comparison in known.comparisons.items():
            run = exchange.runs.get(arm)
            if run is None:
                continue
            verdict = comparison.verdict(
                first.started.spec.settings, run.started.spec.settings, _ending(first), _ending(run)
            )
            excused = verdict.status in ("fail", "near-tie") and verdict.own_choice
            if excused and not same_text_expected(first.started, run.started):
                verdict = Verdict(status="not-comparable", tokens=verdict.tokens, running=verdict.running)
            verdicts[arm] = verdict
        return verdicts


def worst(verdicts: dict[str, Verdict]) -> tuple[str, Verdict] | None:
    """The arm whose verdict is the gravest, and that verdict."""
    if not verdicts:
        return None
    arm = max(verdicts, key=lambda name: SEVERITY.index(verdicts[name].status))
    return arm, verdicts[arm]


def _ending(run: Run) -> str:
    if run.failed is not None:
        return "failed"
    return run.finished.reason if run.finished else ""


def of_session(session: Session) -> Verdicts:
    """Verdicts of a session that is there already."""
    verdicts = Verdicts()
    for exchange in session.exchanges:
        for run in exchange.runs.values():
            verdicts.add(run.started)
        for run in exchange.runs.values():
            for item in run.rounds:
                verdicts.add(item)
    return verdicts
