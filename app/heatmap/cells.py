"""What became of each drafted position: pure functions over one ``Round``.

Positions count from 1, as the columns of the heatmap do. The acceptance rule walks a block from left to right and stops
at the first rejection, so a row reads: accepted ..., rejected at most once, never reached ..., not drafted ... .
"""

from __future__ import annotations

from enum import Enum

from engine.trace.events import Round
from engine.trace.of_round import accepted_of, rejected_position


class Outcome(Enum):
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    NEVER_REACHED = "never reached"
    """Drafted behind a rejection: the rule had no reason to look."""
    CUT = "cut"
    """Judged by the rule, but behind the stop or the token limit: it never became text."""
    NOT_DRAFTED = "not drafted"


def outcome(round_: Round, position: int) -> Outcome:
    if not 1 <= position <= round_.width:
        return Outcome.NOT_DRAFTED
    if position <= accepted_of(round_):
        return Outcome.ACCEPTED
    rejected = rejected_position(round_)
    if rejected is None and position <= round_.accepted + 1:
        return Outcome.CUT
    return Outcome.REJECTED if position - 1 == rejected else Outcome.NEVER_REACHED


def number_at(values: tuple[float, ...], position: int) -> float | None:
    """The value of a position, or None where a trace leaves it out."""
    return values[position - 1] if 1 <= position <= len(values) else None
