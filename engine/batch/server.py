"""Requests in, events out, on a clock that counts the server's own work.

    BatchServer   up to ``lanes`` requests share every forward; who has waited longest joins as soon as a lane is free
    QueueServer   the product's single loop, one request after the other

Both are driven step by step, so that the servers of several arms can take turns on one thread. ``clock_s`` counts own
work only; while nothing is there to do it jumps to the next arrival, nobody sleeps. So arrivals are the same for all
arms, other arms' work costs an arm nothing, and no result depends on how fast the clock on the wall runs.

In the events: ``Started.t_s`` is the arrival, ``Finished.time_to_first_token_s`` and ``own_s`` count from it and hold
the wait; ``turn`` is the request's number. All rounds of one forward end at the same ``t_s`` and state ``lanes``.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Protocol

import mlx.core as mx
from msgspec.structs import replace

from engine import decode
from engine.batch.drafting import MakeDrafter, drafting
from engine.batch.group import Group
from engine.batch.ragged import check_batchable
from engine.cache import check_supported
from engine.decode import Run
from engine.guard import Guard
from engine.sampling import Sampler
from engine.target import Target
from engine.text import TextStream
from engine.trace.events import Arm, Event, Finished, ModelFacts, Prefill, Round, Started


@dataclass(frozen=True, slots=True)
class Request:
    number: int
    ids: tuple[int, ...]
    arrives_s: float = 0.0
    prompt: str = ""
    labels: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Service:
    """What a server serves: an arm, its target, and a drafter for each request."""

    arm: Arm
    target: Target
    make_drafter: MakeDrafter = lambda: None
    drafter_facts: ModelFacts | None = None

    @property
    def drafts(self) -> bool:
        return self.arm.drafter != "none"


class Server(Protocol):
    clock_s: float

    @property
    def in_flight(self) -> int:
        """Requests that were submitted and have not ended."""
        ...

    def submit(self, request: Request) -> None: ...

    def step(self) -> list[Event]:
        """The next piece of work: a prefill or one forward. Nothing where nothing is in flight."""
        ...


class _Queue:
    """Arrivals in order, and the clock."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.clock_s = 0.0
        self.waiting: deque[Request] = deque()
        self.arrived: dict[int, float] = {}
        self.first_s: dict[int, float] = {}

    def submit(self, request: Request) -> None:
        if self.waiting and request.arrives_s < self.waiting[-1].arrives_s:
            raise ValueError(f"[submit] request {request.number} arrives before one that was submitted earlier.")
        self.waiting.append(request)

    def wait_for_work(self) -> None:
        """Nothing runs: the next thing that happens is an arrival."""
        if self.waiting:
            self.clock_s = max(self.clock_s, self.waiting[0].arrives_s)

    def due(self, most: int) -> list[Request]:
        """Who has arrived by now, in order."""
        taken: list[Request] = []
        while self.waiting and len(taken) < most and self.waiting[0].arrives_s <= self.clock_s:
            taken.append(self.waiting.popleft())
        return taken

    def run(self, request: Request) -> Run:
        arm, target = self.service.arm, self.service.target
        self.arrived[request.number] = request.arrives_s
        return Run(
            arm=arm.name,
            turn=request.number,
            target=target,
            caches=[],
            tokens=list(request.ids),
            held_tokens=0,
            settings=arm.settings,
            sampler=Sampler(arm.settings),
            text=TextStream(target.tokenizer, arm.settings.stop),
            began_s=0.0,
        )

    def started(self, request: Request) -> Started:
        service = self.service
        return Started(
            arm=service.arm.name,
            turn=request.number,
            t_s=request.arrives_s,
            spec=service.arm,
            target=service.target.facts,
            drafter=service.drafter_facts,
            prompt=request.prompt,
            prompt_ids=request.ids,
            prompt_tokens=len(request.ids),
            columns=service.arm.settings.block - 1 if service.drafts else 0,
            labels=request.labels,
        )

    def prefilled(self, run: Run, prefill_s: float) -> Prefill:
        return Prefill(
            arm=run.arm, turn=run.turn, t_s=self.clock_s, processed_tokens=run.held_tokens,
            total_tokens=len(run.tokens), prefill_s=prefill_s,
        )  # fmt: skip

    def at_the_clock(self, round_: Round) -> Round:
        if round_.index == 0:
            self.first_s[round_.turn] = self.clock_s - self.arrived[round_.turn]
        return replace(round_, t_s=self.clock_s)

    def finished(self, run: Run) -> Finished:
        arrived = self.arrived.pop(run.turn)
        return Finished(
            arm=run.arm,
            turn=run.turn,
            t_s=self.clock_s,
            reason=run.reason or "length",
            tail=run.text.finish(),
            stop=run.text.stopped,
            output_tokens=run.emitted_tokens,
            time_to_first_token_s=self.first_s.pop(run.turn, 0.0),
            own_s=self.clock_s - arrived,
        )


class BatchServer(_Queue):
    """Raises ``ModelError`` where the target's caches can't be shared."""

    def __init__(self, service: Service, lanes: int) -> None:
        if lanes < 1:
            raise ValueError(f"[BatchServer] 'lanes' must be 1 or more but got {lanes}.")
        check_batchable(service.target, service.arm.settings.kv_bits)
        super().__init__(service)
        self.lanes = lanes
        self.group: Group | None = None

    @property
    def running(self) -> int:
        return len(self.group.runs) if self.group else 0

    @property
    def in_flight(self) -> int:
        return self.running + len(self.waiting)

    def step(self) -> list[Event]:
        if not self.running:
            self.wait_for_work()
        # A prompt that waits goes first: it costs the others one forward and fills a lane.
        if fresh := self.due(self.lanes - self.running):
            return self._admit(fresh)
        return self._round() if self.group else []

    def _admit(self, requests: list[Request]) -> list[Event]:
        began = time.perf_counter()
        runs = [self.run(request) for request in requests]
        started: list[Event] = [self.started(request) for request in requests]
        ended = [run for run in runs if run.room_tokens <= 0]
        runs = [run for run in runs if run.room_tokens > 0]
        if runs:
            group = Group(self.service.target, runs, drafting(self.service.make_drafter, len(runs)))
            group.prefill()
            if self.group is None:
                self.group = group
            else:
                self.group.join(group)
        spent = time.perf_counter() - began
        self.clock_s += spent
        return [*started, *(self.prefilled(run, spent) for run in runs), *(self.finished(run) for run in ended)]

    def _round(self) -> list[Event]:
        assert self.group is not None
        began = time.perf_counter()
        rounds = self.group.round()
        self.clock_s += time.perf_counter() - began
        events: list[Event] = [self.at_the_clock(round_) for round_ in rounds]
        runs = self.group.runs
        if any(run.reason for run in runs):
            began = time.perf_counter()
            events += [self.finished(run) for run in runs if run.reason]
            staying = [row for row, run in enumerate(runs) if not run.reason]
            if staying:
                self.group.keep(staying)
            else:
                self.group = None
                mx.clear_cache()
            self.clock_s += time.perf_counter() - began
        return events


class QueueServer(_Queue):
    """One request at a time through ``engine.decode``."""

    def __init__(self, service: Service) -> None:
        super().__init__(service)
        self.current: Run | None = None
        self.steps: Iterator[Prefill | Round] = iter(())
        self.guard = Guard()

    @property
    def in_flight(self) -> int:
        return (self.current is not None) + len(self.waiting)

    def step(self) -> list[Event]:
        if self.current is None:
            self.wait_for_work()
            fresh = self.due(1)
            return self._begin(fresh[0]) if fresh else []
        run = self.current
        began = time.perf_counter()
        event = next(self.steps, None)
        self.clock_s += time.perf_counter() - began
        if event is None:
            self.current = None
            return [self.finished(run)]
        said = self.at_the_clock(event) if isinstance(event, Round) else replace(event, t_s=self.clock_s)
        if run.reason:
            self.current = None
            return [said, self.finished(run)]
        return [said]

    def _begin(self, request: Request) -> list[Event]:
        began = time.perf_counter()
        run = self.run(request)
        run.caches = self.service.target.make_caches(self.service.arm.settings.kv_bits)
        run.drafter = self.service.make_drafter()
        if run.drafter:
            check_supported(run.caches)
            self.guard.fallback = run.settings.fallback
        self.current, self.steps = run, self._steps(run)
        self.clock_s += time.perf_counter() - began
        return [self.started(request)]

    def _steps(self, run: Run) -> Iterator[Prefill | Round]:
        yield from decode.prefill(run)
        if run.room_tokens > 0:
            yield from decode.speculate(run, self.guard) if run.drafter else decode.baseline(run)
