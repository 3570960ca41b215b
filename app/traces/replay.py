"""A trace as a session: all of it at once, or event by event at the speed at which it happened."""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.session import Session
from engine.trace.events import Event, Header
from engine.trace.file import Trace

TICK_MS = 33
PAUSE_S = 0.6
"""Between two turns: the time that a person took is not replayed."""


def session_of(trace: Trace) -> Session:
    session = Session()
    session.apply(trace.header)
    for event in trace.events:
        session.apply(event)
    return session


def schedule(events: Sequence[Event]) -> list[tuple[float, Event]]:
    """When each event is due, in seconds from the start; within a turn as far apart as they were."""
    due: list[tuple[float, Event]] = []
    turn, shift, latest = None, 0.0, 0.0
    for event in events:
        if isinstance(event, Header):
            continue
        number = getattr(event, "turn", turn)
        if number != turn:
            shift = latest - event.t_s + (PAUSE_S if turn is not None else 0.0)
            turn = number
        latest = max(latest, event.t_s + shift)
        due.append((max(0.0, event.t_s + shift), event))
    return due


class Player(QObject):
    events = Signal(list)
    """A batch of events that are due, taken in by ``session`` already."""
    finished = Signal()

    def __init__(self, trace: Trace, speed: float = 1.0, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.session = Session()
        self.session.apply(trace.header)
        self._due = schedule(trace.events)
        self._next = 0
        self._speed = speed
        self._began_s = monotonic()
        self._timer = QTimer(self)
        self._timer.setInterval(TICK_MS)
        self._timer.timeout.connect(self._tick)

    def start(self) -> None:
        self._began_s = monotonic()
        self._timer.start()

    def stop(self) -> None:
        self._timer.stop()

    @Slot()
    def _tick(self) -> None:
        now = (monotonic() - self._began_s) * self._speed
        batch: list[Event] = []
        while self._next < len(self._due) and self._due[self._next][0] <= now:
            event = self._due[self._next][1]
            self.session.apply(event)
            batch.append(event)
            self._next += 1
        if batch:
            self.events.emit(batch)
        if self._next >= len(self._due):
            self._timer.stop()
            self.finished.emit()
