"""Requests through the servers of several arms, in turn on one thread: one cell of the concurrency lab.

All arms serve the same requests. In a *closed* loop so many are in flight at any time: where one ends, the next one
comes. In an *open* loop they come when a seeded Poisson process says so, at the same times to every arm, whether the
server keeps up or not. Time is each server's own (``engine.batch.server``): nobody sleeps, no arm pays for another.

The server that has written least takes the next step, so that all arms are at the same part of their work when the
machine grows hot or busy, and the order turns every time.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from engine.batch.server import Request, Server
from engine.trace.events import Event, Finished, Round

Mode = Literal["batching", "queueing"]
Arrivals = Literal["closed", "poisson"]


@dataclass(frozen=True, slots=True)
class Cell:
    mode: Mode
    """``batching``: requests share forwards. ``queueing``: the single loop serves one at a time, the others wait."""
    arrivals: Arrivals
    in_flight: int
    """Closed: how many at any time. Poisson: the most lanes there are."""
    requests: int
    load: float = 0.0
    """Poisson: arriving requests over those that the baseline finishes with all lanes full."""

    @property
    def name(self) -> str:
        load = f"-load-{self.load:g}" if self.load else ""
        return f"{self.mode}-{self.arrivals}-{self.in_flight}{load}"

    @property
    def lanes(self) -> int:
        """The most rows a forward may have."""
        return self.in_flight if self.mode == "batching" else 1

    @property
    def steps(self) -> float:
        """How much work it is, one cell against another: forwards, one row's and many rows' told apart."""
        at_once = min(self.lanes, self.requests) if self.arrivals == "closed" else max(1.0, self.lanes * self.load / 3)
        return self.requests / at_once * (1 + at_once / 8)

    @property
    def labels(self) -> dict[str, str]:
        found = {"cell": self.name, "mode": self.mode, "arrivals": self.arrivals, "in_flight": str(self.in_flight)}
        return {**found, "load": f"{self.load:g}"} if self.load else found


def poisson(count: int, per_s: float, seed: int) -> list[float]:
    """Arrival times of ``count`` requests that come independently of each other, ``per_s`` on average; the first one
    after a wait too."""
    if per_s <= 0:
        raise ValueError(f"[poisson] 'per_s' must be above 0 but got {per_s}.")
    gaps = np.random.default_rng(seed).exponential(1 / per_s, count)
    return [float(t) for t in np.cumsum(gaps)]


class Stopped(Exception):
    """The user asked to stop; the cell is not whole."""


def serve(
    servers: Mapping[str, Server],
    requests: Sequence[Request],
    in_flight: int,
    cancelled: Callable[[], bool] = lambda: False,
) -> Iterator[Event]:
    """Events of all arms. ``in_flight`` 0: an open loop, requests come at their ``arrives_s``.

    Raises:
        Stopped: between two steps.
    """
    waiting: dict[str, Iterator[Request]] = {}
    for name, server in servers.items():
        feed = iter(requests)
        waiting[name] = feed
        for request in itertools.islice(feed, in_flight or len(requests)):
            server.submit(request)
    tokens = dict.fromkeys(servers, 0)
    order = list(servers)
    while active := [name for name in order if servers[name].in_flight]:
        if cancelled():
            raise Stopped
        least = min(tokens[name] for name in active)
        for name in [name for name in active if tokens[name] == least]:
            server = servers[name]
            for event in server.step():
                if isinstance(event, Round):
                    tokens[name] += event.emitted_tokens
                if isinstance(event, Finished) and in_flight and (following := next(waiting[name], None)):
                    server.submit(arriving(following, server.clock_s))
                yield event
        order.reverse()


def arriving(request: Request, at_s: float) -> Request:
    return Request(request.number, request.ids, at_s, request.prompt, request.labels)
