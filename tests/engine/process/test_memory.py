"""The engine process and its memory, on the embedded model: said before, given back after."""

from __future__ import annotations

import os

from engine.process.client import EngineClient
from engine.process.protocol import Cancel, Estimate, Hello, Loading, Open, Opened, Ping, Pong, Refused, Unload
from engine.trace.events import Arm, Finished, MemorySample, Settings

ARM = Arm(name="baseline", settings=Settings(max_tokens=4))
PATIENCE_S = 300


def until(engine: EngineClient, kind: type, **fields: object) -> list[object]:
    """Replies up to the first one of this kind."""
    seen: list[object] = []
    while not (seen and isinstance(seen[-1], kind)):
        seen.append(engine.next_reply(PATIENCE_S))
    return seen


def test_memory_is_weighed_before_and_given_back_by_an_unload() -> None:
    with EngineClient() as engine:
        pid = engine.process.pid
        engine.send(Open(id=10, arms=(ARM,)))
        seen = until(engine, Opened)
        estimate = next(reply for reply in seen if isinstance(reply, Estimate))
        first_loading = next(i for i, reply in enumerate(seen) if isinstance(reply, Loading))
        assert seen.index(estimate) < first_loading
        progress = [reply for reply in seen if isinstance(reply, Loading) and reply.total]
        assert progress[-1].done == progress[-1].total
        full = until(engine, MemorySample)[-1]
        assert isinstance(full, MemorySample)
        weights = next(part.size_bytes for part in estimate.fit.parts if part.name == "target weights")
        assert weights == full.target_weights_bytes <= full.process_bytes
        # What follows an unload is not lost, though the process begins anew.
        engine.send(Unload(id=11))
        engine.send(Ping(id=12))
        hello = until(engine, Hello)[-1]
        assert isinstance(hello, Hello)
        seen = until(engine, MemorySample)
        empty = seen[-1]
        assert isinstance(empty, MemorySample)
        assert any(isinstance(reply, Pong) and reply.id == 12 for reply in seen)
        assert engine.process.pid == pid and engine.process.poll() is None
        assert full.process_bytes - empty.process_bytes > 0.9 * weights
        assert empty.active_bytes < 1e6 and empty.target_weights_bytes == 0
        assert any(isinstance(event, Finished) for event in engine.ask("Hi.", [ARM]))


def test_a_load_can_be_cancelled_and_the_engine_goes_on() -> None:
    with EngineClient() as engine:
        engine.send(Open(id=10, arms=(ARM,)))
        engine.send(Cancel(id=10))
        refused = until(engine, Refused)[-1]
        assert isinstance(refused, Refused) and refused.reason == "stopped"
        assert isinstance(until(engine, MemorySample)[-1], MemorySample)
        assert engine.open([ARM]).targets["baseline"].weights_bytes > 0


def test_what_can_never_fit_is_refused_with_its_figures() -> None:
    with EngineClient() as engine:
        huge = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        engine.send(Open(id=10, arms=(ARM,), reserve_bytes=huge))
        refused = until(engine, Refused)[-1]
        assert isinstance(refused, Refused) and refused.reason == "memory"
        assert "GB" in refused.message and refused.message.endswith(".")
        engine.send(Open(id=11, arms=(ARM,), reserve_bytes=huge, anyway=True))
        assert isinstance(until(engine, Opened)[-1], Opened)
