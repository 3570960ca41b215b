"""From a request's arms to loaded ones: fetch, weigh, make room, load; each step says how far it is and can be stopped.

What a load takes is said before it (``Estimate``) and held against the memory that is free. What would not fit is
refused with its figures; asked for once more with ``anyway`` it is loaded all the same.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from engine.memory.estimate import Held, Load, estimate
from engine.models.errors import ModelError
from engine.models.loading import watched
from engine.process.protocol import Ask, Estimate, Loading, Open, Reply
from engine.session import ArmState, Session

TELL_EVERY_S = 0.1

Weigh = Callable[..., Load | None]


class MemoryRefused(ModelError):
    """The arms would not fit. One sentence with figures."""


def open_arms(
    session: Session,
    request: Open | Ask,
    send: Callable[[Reply], None],
    stopped: Callable[[], bool],
    weigh: Weigh = estimate,
) -> list[ArmState]:
    """Raises ``ModelError`` (``Stopped`` and ``MemoryRefused`` among them); what was loaded before is still there,
    unless it had to make room.
    """
    teller = Teller(request.id, send)
    session.fetch(request.arms, teller.fetched, stopped)
    load = weigh(request.arms, held(session), request.reserve_bytes)
    if load is not None:
        send(Estimate(id=request.id, fit=load.fit, new_bytes=load.new_bytes))
        if load.problem and not request.anyway:
            raise MemoryRefused(load.problem)
        if load.freed_bytes and load.new_bytes > load.fit.available_bytes - load.freed_bytes - request.reserve_bytes:
            session.let_go_for(request.arms)
    with watched(teller.loaded, stopped):
        return session.open(request.arms, teller.begun)


def held(session: Session) -> Held:
    models = session.models
    return Held(
        {name: target.facts.weights_bytes for name, target in models.targets.items()},
        {pair: drafter.facts.weights_bytes for pair, drafter in models.tapped.items()},
    )


class Teller:
    """Turns steps into ``Loading``, not too many of them."""

    def __init__(self, request_id: int, send: Callable[[Reply], None]) -> None:
        self.id, self.send = request_id, send
        self.what = ""
        self._told_s = float("-inf")

    def begun(self, name: str) -> None:
        self.what = name
        self.send(Loading(id=self.id, what=name))

    def fetched(self, name: str, done: int, total: int) -> None:
        self.what = name
        self._tell(done, total, "bytes")

    def loaded(self, done: int, total: int, unit: str) -> None:
        self._tell(done, total, unit)

    def _tell(self, done: int, total: int, unit: str) -> None:
        now = time.monotonic()
        if now - self._told_s < TELL_EVERY_S and done < total:
            return
        self._told_s = now
        self.send(Loading(id=self.id, what=self.what, done=done, total=total, unit=unit))
