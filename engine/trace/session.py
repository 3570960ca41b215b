"""From a stream of events to the turns of each arm.

An *arm turn* is everything one arm did for one prompt. Metrics, verdicts, exports and the window's replay ask
questions about arm turns, so the grouping is done here, once. Order is that of the events; nothing is computed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct, field

from engine.trace.events import Event, Failed, Finished, Judged, MemorySample, Prefill, Round, Settings, Started

ArmEvent = Started | Prefill | Round | Finished | Failed | Judged


class ArmTurn(Struct, kw_only=True):
    """What one arm did for one prompt. ``started`` is missing only where a trace was cut at its head."""

    arm: str
    turn: int
    started: Started | None = None
    prefill: list[Prefill] = field(default_factory=list)
    rounds: list[Round] = field(default_factory=list)
    finished: Finished | None = None
    failed: Failed | None = None
    judged: Judged | None = None
    """The verdict that was found before ids were left out."""


def group(events: Iterable[Event]) -> list[ArmTurn]:
    """Arm turns in the order in which they began."""
    turns: dict[tuple[str, int], ArmTurn] = {}
    for event in events:
        if not isinstance(event, ArmEvent):
            continue
        key = (event.arm, event.turn)
        entry = turns.get(key)
        if entry is None:
            entry = turns[key] = ArmTurn(arm=event.arm, turn=event.turn)
        match event:
            case Round():
                entry.rounds.append(event)
            case Prefill():
                entry.prefill.append(event)
            case Started():
                entry.started = event
            case Finished():
                entry.finished = event
            case Failed():
                entry.failed = event
            case Judged():
                entry.judged = event
    return list(turns.values())


def by_arm(turns: Iterable[ArmTurn]) -> dict[str, list[ArmTurn]]:
    """Turns of each arm; the first arm is the reference that the others are compared with."""
    arms: dict[str, list[ArmTurn]] = {}
    for entry in turns:
        arms.setdefault(entry.arm, []).append(entry)
    return arms


def events_of(entry: ArmTurn) -> list[ArmEvent]:
    """The events of one arm turn, in order."""
    head: list[ArmEvent] = [entry.started] if entry.started else []
    tail: list[ArmEvent] = [event for event in (entry.failed, entry.finished, entry.judged) if event is not None]
    return [*head, *entry.prefill, *entry.rounds, *tail]


def memory(events: Iterable[Event]) -> list[MemorySample]:
    return [event for event in events if isinstance(event, MemorySample)]


def text_of(entry: ArmTurn) -> str:
    """The answer: all pieces and what was still held back at the end."""
    tail = entry.finished.tail if entry.finished else ""
    return "".join(piece for item in entry.rounds for piece in item.pieces) + tail


def ids_of(entry: ArmTurn) -> list[int]:
    return [token for item in entry.rounds for token in item.emitted_ids]


def settings_of(entry: ArmTurn) -> Settings:
    return entry.started.spec.settings if entry.started else Settings()


def has_ids(entry: ArmTurn) -> bool:
    """False where the ids of emitted tokens were left out of the trace."""
    return all(len(item.emitted_ids) == item.emitted_tokens for item in entry.rounds)


def ending_of(entry: ArmTurn) -> str:
    """How the turn ended; empty while it runs."""
    if entry.failed is not None:
        return "failed"
    return entry.finished.reason if entry.finished else ""


def turn_numbers(turns: Sequence[ArmTurn]) -> list[int]:
    return sorted({entry.turn for entry in turns})
