"""Watches whether the drafter pays, and says so; with fallback on, lets it rest while it doesn't.

Only rounds that lie behind are looked at, never the drafts of the round to come, so leaving the drafter out is a
stopping rule that does not look at its outcome: the text's distribution is untouched (precondition (v) of the
acceptance rule).
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from engine.trace.events import Round
from engine.trace.of_round import own_s

WINDOW_ROUNDS = 32
PROBE_ROUNDS = 2
REST_ROUNDS = 64
ALARM_ACCEPTANCE = 0.02


@dataclass(slots=True)
class Guard:
    """One arm's watch. ``fallback`` False never leaves the drafter out; the alarm is raised either way."""

    fallback: bool = False
    drafted: deque[Round] = field(default_factory=lambda: deque(maxlen=WINDOW_ROUNDS))
    plain_s: deque[float] = field(default_factory=lambda: deque(maxlen=8))
    """Own seconds of recent rounds without drafts."""
    probe: int = 0
    resting: int = 0

    def parked(self) -> bool:
        """Whether the coming round leaves the drafter out."""
        if not self.fallback:
            return False
        if self.resting == 0 and self.probe == 0 and len(self.drafted) == WINDOW_ROUNDS:
            if not self.plain_s:
                self.probe = PROBE_ROUNDS
            elif not self.pays():
                self.resting = REST_ROUNDS
                self.drafted.clear()
        return self.resting > 0 or self.probe > 0

    def pays(self) -> bool:
        """Whether recent rounds with drafts yielded tokens faster than rounds without."""
        seconds = sum(own_s(r) for r in self.drafted)
        emitted = sum(r.emitted_tokens for r in self.drafted)
        return seconds * len(self.plain_s) <= emitted * sum(self.plain_s)

    def note(self, round_: Round) -> None:
        if round_.width:
            self.drafted.append(round_)
            return
        self.plain_s.append(own_s(round_))
        self.probe = max(0, self.probe - 1)
        self.resting = max(0, self.resting - 1)

    def warning(self) -> str:
        """The alarm, in one sentence; empty while there is none."""
        if len(self.drafted) < WINDOW_ROUNDS:
            return ""
        drafts = sum(r.width for r in self.drafted)
        accepted = sum(r.accepted for r in self.drafted)
        if accepted > ALARM_ACCEPTANCE * drafts:
            return ""
        return (
            f"The drafter's guesses are almost never right ({accepted} of the last {drafts} kept): "
            "it costs time and brings nothing; choose another drafter for this target."
        )
