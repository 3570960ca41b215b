"""Servers on tiny targets, driven to their end, and what each request wrote."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engine.batch.server import BatchServer, QueueServer, Request, Server, Service
from engine.drafters.base import Drafter
from engine.target import Target
from engine.trace.events import Arm, Event, Finished, Round, Settings
from engine.trace.session import ArmTurn, group


def service(target: Target, make: Callable[[], Drafter | None] = lambda: None, **settings: object) -> Service:
    drafts = make() is not None
    arm = Arm(name="arm", drafter="scripted" if drafts else "none", settings=Settings(**settings))
    return Service(arm, target, make)


def drive(server: Server, requests: Sequence[Request], most: int = 10_000) -> list[Event]:
    for request in requests:
        server.submit(request)
    events: list[Event] = []
    for _ in range(most):
        if not server.in_flight:
            return events
        events += server.step()
    raise AssertionError("the server does not come to an end")


def requests(prompts: Sequence[Sequence[int]], arrivals: Sequence[float] = ()) -> list[Request]:
    times = list(arrivals) or [0.0] * len(prompts)
    return [Request(n, tuple(ids), at) for n, (ids, at) in enumerate(zip(prompts, times, strict=True))]


def turns(events: Sequence[Event]) -> dict[int, ArmTurn]:
    return {turn.turn: turn for turn in group(events)}


def ids(events: Sequence[Event]) -> dict[int, list[int]]:
    return {n: [i for r in turn.rounds for i in r.emitted_ids] for n, turn in turns(events).items()}


def ended(events: Sequence[Event]) -> list[int]:
    return [e.turn for e in events if isinstance(e, Finished)]


def alone(target: Target, prompts: Sequence[Sequence[int]], **settings: object) -> dict[int, list[int]]:
    """What each prompt gives to the target by itself, through the single loop and without a drafter."""
    return ids(drive(QueueServer(service(target, **settings)), requests(prompts)))


def batched(target: Target, lanes: int, prompts: Sequence[Sequence[int]], make: Callable[[], Drafter | None],
            arrivals: Sequence[float] = (), **settings: object) -> list[Event]:  # fmt: skip
    return drive(BatchServer(service(target, make, **settings), lanes), requests(prompts, arrivals))


def rounds(events: Sequence[Event]) -> list[Round]:
    return [e for e in events if isinstance(e, Round)]
