"""Verdicts of a session as its events come: every arm of a turn against the first arm of that turn.

For views that ask again after each round, and for traces without text, which keep the verdict because the ids it rests
on are left out. The rules are ``engine.trace.verdict``'s.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from engine.trace.events import Event, Failed, Finished, Judged, Round, Started
from engine.trace.verdict import UNFINISHED, Comparison, Verdict, noise_logits, of_judged, same_text_expected


@dataclass(slots=True)
class _Turn:
    first: Started
    started: dict[str, Started] = field(default_factory=dict)
    endings: dict[str, str] = field(default_factory=dict)
    comparisons: dict[str, Comparison] = field(default_factory=dict)
    """By arm, the first left out."""
    judged: dict[str, Judged] = field(default_factory=dict)
    reference: list[Round] = field(default_factory=list)
    """The first arm's rounds: where arms run one after the other, they come before the others begin."""


class Judge:
    def __init__(self) -> None:
        self._turns: dict[int, _Turn] = {}

    def add(self, event: Event) -> None:
        """Counts one event; ``Started`` of the first arm must come before those of the others."""
        if isinstance(event, Started):
            turn = self._turns.setdefault(event.turn, _Turn(event))
            turn.started[event.arm] = event
            if event.arm != turn.first.arm:
                noise = noise_logits(event.target, event.spec.settings.kv_bits)
                comparison = turn.comparisons[event.arm] = Comparison(noise)
                for item in turn.reference:
                    comparison.add_reference(item)
            return
        known = self._turns.get(getattr(event, "turn", -1))
        if known is None:
            return
        if isinstance(event, Round):
            if event.arm == known.first.arm:
                known.reference.append(event)
                for comparison in known.comparisons.values():
                    comparison.add_reference(event)
            elif event.arm in known.comparisons:
                known.comparisons[event.arm].add_other(event)
        elif isinstance(event, Finished):
            known.endings[event.arm] = event.reason
        elif isinstance(event, Failed):
            known.endings[event.arm] = "failed"
        elif isinstance(event, Judged):
            known.judged[event.arm] = event

    def of_turn(self, turn: int) -> dict[str, Verdict]:
        """By arm, the first left out; empty where the turn has not begun."""
        known = self._turns.get(turn)
        return {arm: self._verdict(known, arm) for arm in known.comparisons} if known else {}

    def settled(self, event: Finished | Failed) -> list[Judged]:
        """The verdicts that this end of an arm, counted already, was the last thing missing for."""
        known = self._turns.get(event.turn)
        if known is None or known.first.arm not in known.endings:
            return []
        made = []
        for arm in known.comparisons:
            if arm in known.endings and arm not in known.judged:
                found = self._verdict(known, arm)
                known.judged[arm] = Judged(
                    arm=arm,
                    turn=event.turn,
                    t_s=event.t_s,
                    status=found.status,
                    first_difference=found.first_difference,
                    margin=found.margin,
                    tokens=found.tokens,
                    own_choice=found.own_choice,
                )
                made.append(known.judged[arm])
        return made

    def _verdict(self, known: _Turn, arm: str) -> Verdict:
        first, started = known.first, known.started[arm]
        endings = (known.endings.get(first.arm, ""), known.endings.get(arm, ""))
        if arm in known.judged:
            return of_judged(known.judged[arm], not UNFINISHED.isdisjoint(endings))
        verdict = known.comparisons[arm].verdict(first.spec.settings, started.spec.settings, *endings)
        excused = verdict.status in ("fail", "near-tie") and verdict.own_choice
        if excused and not same_text_expected(first, started):
            return Verdict(status="not-comparable", tokens=verdict.tokens, running=verdict.running)
        return verdict
