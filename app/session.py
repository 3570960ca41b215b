"""The conversation of a session: what was asked, what each arm answered, and the rounds that made each answer.

A view of the event stream without Qt. The window keeps one ``Session`` for the live conversation and another for an
opened trace; both are filled by ``apply`` and by nothing else, so a replay shows what the run showed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from engine.process.protocol import Turn
from engine.trace.events import (
    Arm,
    Event,
    Failed,
    Finished,
    Header,
    Judged,
    MemorySample,
    Prefill,
    Round,
    Started,
)
from engine.trace.metrics import Tally

MEMORY_SAMPLES = 600


@dataclass(slots=True)
class Run:
    """One arm's answer to one prompt."""

    started: Started
    prefill: Prefill | None = None
    rounds: list[Round] = field(default_factory=list)
    ids: list[int] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)
    tally: Tally = field(default_factory=Tally)
    finished: Finished | None = None
    failed: Failed | None = None
    judged: Judged | None = None
    """The verdict, where the trace it comes from holds no ids to find it again."""

    @property
    def text(self) -> str:
        return "".join(self.parts) + (self.finished.tail if self.finished else "")

    @property
    def ended(self) -> bool:
        return self.finished is not None or self.failed is not None


@dataclass(slots=True)
class Exchange:
    """A prompt and the answers to it, by arm name."""

    turn: int
    prompt: str
    system: str
    runs: dict[str, Run] = field(default_factory=dict)


class Session:
    def __init__(self) -> None:
        self.exchanges: list[Exchange] = []
        self.header: Header | None = None
        self.memories: deque[MemorySample] = deque(maxlen=MEMORY_SAMPLES)
        """The newest samples."""

    def exchange(self, turn: int) -> Exchange | None:
        return next((exchange for exchange in reversed(self.exchanges) if exchange.turn == turn), None)

    def run(self, arm: str, turn: int) -> Run | None:
        exchange = self.exchange(turn)
        return exchange.runs.get(arm) if exchange else None

    @property
    def last(self) -> Exchange | None:
        return self.exchanges[-1] if self.exchanges else None

    @property
    def next_turn(self) -> int:
        return max((exchange.turn for exchange in self.exchanges), default=-1) + 1

    def arms(self) -> tuple[Arm, ...]:
        """The arms of the last exchange that has any, as they ran."""
        for exchange in reversed(self.exchanges):
            if exchange.runs:
                return tuple(run.started.spec for run in exchange.runs.values())
        return ()

    def begin(self, turn: int, prompt: str, system: str) -> Exchange:
        exchange = Exchange(turn, prompt, system)
        self.exchanges.append(exchange)
        return exchange

    def apply(self, event: Event) -> None:
        if isinstance(event, Round):
            self._round(event)
        elif isinstance(event, Started):
            exchange = self.exchange(event.turn) or self.begin(event.turn, event.prompt, event.system)
            begun = exchange.runs[event.arm] = Run(event)
            begun.tally.add(event)
        elif isinstance(event, Header):
            self.header = event
        elif isinstance(event, MemorySample):
            self.memories.append(event)
        elif run := self.run(event.arm, event.turn):
            run.tally.add(event)
            if isinstance(event, Prefill):
                run.prefill = event
            elif isinstance(event, Finished):
                run.finished = event
            elif isinstance(event, Failed):
                run.failed = event
            elif isinstance(event, Judged):
                run.judged = event

    def _round(self, event: Round) -> None:
        run = self.run(event.arm, event.turn)
        if run is None:
            return
        run.rounds.append(event)
        run.tally.add(event)
        run.ids.extend(event.emitted_ids)
        run.parts.extend(event.pieces)

    def history(self, arm: str) -> tuple[Turn, ...]:
        """Earlier turns as this arm saw them; where it took no part, as the first arm did."""
        turns = []
        for exchange in self.exchanges:
            run = exchange.runs.get(arm) or next(iter(exchange.runs.values()), None)
            if run is not None and run.failed is None and run.finished is not None and run.finished.reason != "failed":
                turns.append(Turn(user=exchange.prompt, assistant=run.text))
        return tuple(turns)

    def events(self) -> Iterator[Event]:
        """The events that rebuild this conversation, in the order of their time within each exchange."""
        for exchange in self.exchanges:
            yield from sorted(_run_events(exchange.runs.values()), key=lambda event: event.t_s)


def _run_events(runs: Iterable[Run]) -> Iterator[Started | Round | Finished | Failed]:
    for run in runs:
        yield run.started
        yield from run.rounds
        if run.finished:
            yield run.finished
        if run.failed:
            yield run.failed
