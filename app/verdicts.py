"""Verdicts as the chat page shows them: of a session that is there already, and the gravest of several."""

from __future__ import annotations

from app.session import Session
from engine.trace.judge import Judge
from engine.trace.verdict import SEVERITY, Verdict


def worst(verdicts: dict[str, Verdict]) -> tuple[str, Verdict] | None:
    """The arm whose verdict is the gravest, and that verdict."""
    if not verdicts:
        return None
    arm = max(verdicts, key=lambda name: SEVERITY.index(verdicts[name].status))
    return arm, verdicts[arm]


def of_session(session: Session) -> Judge:
    """All that was said in a session, judged."""
    judge = Judge()
    for exchange in session.exchanges:
        for run in exchange.runs.values():
            judge.add(run.started)
        for run in exchange.runs.values():
            for event in (*run.rounds, run.finished, run.failed, run.judged):
                if event is not None:
                    judge.add(event)
    return judge
