"""A machine short of memory: caches go at a round boundary, and before the machine does, what runs stops."""

from __future__ import annotations

import io
from typing import Any

import mlx.core as mx
import pytest

from engine.drafters.context import ContextCache
from engine.host import Pressure
from engine.memory.pressure import EASE_EVERY_S, PressureWatch
from engine.models.fetch import Stopped
from engine.models.loading import step, watched
from engine.process.protocol import Ask, Eased, decode_reply
from engine.process.worker import Channel, Inbox, Worker
from engine.race import race
from engine.session import Models, Session
from engine.trace.events import Arm, Failed, Finished, Round, Settings, Started
from tests.tiny import tiny_target


class Machine:
    """Its pressure, and a clock."""

    def __init__(self) -> None:
        self.level: Pressure = "normal"
        self.now_s = 100.0
        self.asked = 0

    def pressure(self) -> Pressure:
        self.asked += 1
        return self.level

    def watch(self, every_s: float = 0.0) -> PressureWatch:
        return PressureWatch(self.pressure, lambda: self.now_s, every_s)


@pytest.fixture
def machine() -> Machine:
    return Machine()


def session(*names: str) -> Session:
    made = Session(Models(lambda name: tiny_target("dense", seed=3)))
    made.open([Arm(name=name, target="tiny", settings=Settings(max_tokens=20)) for name in names])
    return made


def test_pressure_is_asked_seldom(machine: Machine) -> None:
    watch = machine.watch(every_s=0.5)
    for _ in range(10):
        watch.level()
    assert machine.asked == 1
    machine.now_s += 0.6
    watch.level()
    assert machine.asked == 2


def test_caches_are_not_emptied_all_the_time(machine: Machine) -> None:
    watch = machine.watch()
    assert not watch.should_ease()
    machine.level = "warn"
    assert watch.should_ease() and not watch.should_ease()
    machine.now_s += EASE_EVERY_S
    assert watch.should_ease()
    assert not watch.stop_reason()


def test_at_critical_every_arm_stops_and_keeps_its_text(machine: Machine) -> None:
    made = session("a", "b")
    watch = machine.watch()
    events: list[Any] = []
    for event in race(list(made.arms.values()), "ABC", raw=True, halted=watch.stop_reason):
        events.append(event)
        if isinstance(event, Round) and event.index == 3:
            machine.level = "critical"
    failed = [event for event in events if isinstance(event, Failed)]
    assert {event.arm for event in failed} == {"a", "b"} and not any(isinstance(e, Finished) for e in events)
    assert all("almost out of memory" in e.message and "text is kept" in e.message for e in failed)
    rounds = [event for event in events if isinstance(event, Round)]
    assert max(event.index for event in rounds if event.arm == "a") <= 4
    assert all(arm.held == [] and arm.kv_bytes == 0 for arm in made.arms.values())
    # When the pressure is gone, the same arms go on working.
    machine.level = "normal"
    again = list(race(list(made.arms.values()), "ABC", raw=True, halted=watch.stop_reason))
    assert isinstance(again[-1], Finished)


def test_at_critical_a_prompt_is_not_even_begun(machine: Machine) -> None:
    machine.level = "critical"
    events = list(race(list(session("a").arms.values()), "ABC", raw=True, halted=machine.watch().stop_reason))
    assert [type(event) for event in events] == [Started, Failed]


def test_idle_arms_give_up_their_last_turn_and_busy_ones_nothing() -> None:
    made = session("idle", "busy")
    list(race(list(made.arms.values()), "ABC", raw=True))
    assert all(arm.kv_bytes for arm in made.arms.values())
    assert made.ease(busy=["busy"]) > 0
    assert (made.arms["idle"].kv_bytes, made.arms["idle"].held) == (0, [])
    assert made.arms["busy"].kv_bytes and made.arms["busy"].held


def test_a_drafters_context_goes_too() -> None:
    cache = ContextCache()
    rows = mx.zeros((1, 2, 300, 8))
    cache.append(rows, rows)
    assert cache.nbytes > 0
    cache.rewind(0)
    assert cache.nbytes == 0
    cache.append(rows, rows)
    assert cache.fetch()[0].shape == rows.shape


def test_the_worker_says_what_it_gave_back_and_the_text_is_the_same(machine: Machine) -> None:
    def answer(level: Pressure) -> tuple[list[int], list[Any]]:
        machine.level, machine.now_s = level, machine.now_s + 100
        out = io.BytesIO()
        worker = Worker(Inbox([], Channel(out)), Channel(out), machine.watch())
        worker.session = session("a", "b")
        arms = tuple(arm.spec for arm in worker.session.arms.values())
        worker.handle(Ask(id=1, turn=0, arms=arms, prompt="ABC", raw=True))
        worker.ease()
        machine.now_s += 100
        worker.ease()
        replies = [decode_reply(line) for line in out.getvalue().splitlines()]
        return [i for r in replies if isinstance(r, Round) and r.arm == "a" for i in r.emitted_ids], replies

    calm, replies = answer("normal")
    assert calm and not any(isinstance(reply, Eased) for reply in replies)
    short, replies = answer("warn")
    assert short == calm
    eased = [reply for reply in replies if isinstance(reply, Eased)]
    assert eased and all(reply.freed_bytes > 0 and reply.message.endswith(".") for reply in eased)


def test_a_load_is_stopped_between_two_pieces() -> None:
    told: list[tuple[int, int, str]] = []
    step(1, 2)  # outside of a watched load
    with watched(lambda *args: told.append(args), lambda: len(told) >= 2), pytest.raises(Stopped):
        for i in range(5):
            step(i, 5, "layers")
    assert told == [(0, 5, "layers"), (1, 5, "layers")]
