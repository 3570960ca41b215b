"""The engine as its own process, on the embedded model: streaming, cancel, crash and restart, refusals."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

from engine.process.client import EngineClient, EngineDied, RequestRefused, engine_command
from engine.process.protocol import Ask, Cancel, Done, Hello, Open, Ping, Pong, Turn, encode
from engine.process.worker import Channel, Inbox
from engine.trace.events import Arm, Failed, Finished, Machine, MemorySample, Round, Settings, Started
from engine.trace.session import group, ids_of, text_of

BASELINE = Arm(name="baseline", settings=Settings(max_tokens=24))
LOOKUP = Arm(name="lookup", drafter="lookup", settings=Settings(max_tokens=24))
QUESTION = "Name three colours."


@pytest.fixture(scope="module")
def engine() -> Iterator[EngineClient]:
    with EngineClient() as client:
        yield client


def test_both_arms_write_the_same_and_memory_is_accounted(engine: EngineClient) -> None:
    events = list(engine.ask(QUESTION, [BASELINE, LOOKUP]))
    turns = {turn.arm: turn for turn in group(events)}  # type: ignore[arg-type]
    assert ids_of(turns["baseline"]) == ids_of(turns["lookup"]) != []
    assert text_of(turns["baseline"]) == text_of(turns["lookup"])
    samples = [e for e in events if isinstance(e, MemorySample)]
    # One copy of the weights for two arms, on its own less than what is active.
    assert 500e6 < samples[-1].target_weights_bytes <= samples[-1].active_bytes
    assert samples[-1].kv_bytes > 0
    order = [e.arm for e in events if isinstance(e, Round)]
    assert order[:4] in (["baseline", "lookup", "lookup", "baseline"], ["lookup", "baseline", "baseline", "lookup"])


def test_the_second_turn_hits_the_cache_although_the_template_renders_anew(engine: EngineClient) -> None:
    first = group(engine.ask(QUESTION, [BASELINE, LOOKUP]))  # type: ignore[arg-type]
    history = {t.arm: (Turn(user=QUESTION, assistant=text_of(t)),) for t in first}
    second = list(engine.ask("And three fruits.", [BASELINE, LOOKUP], turn=1, history=history))
    for started in (e for e in second if isinstance(e, Started)):
        before = next(t for t in first if t.arm == started.arm)
        assert before.started is not None
        held = before.started.prompt_tokens + len(ids_of(before)) - 1
        assert started.cached_tokens >= held
        assert started.prompt_tokens - started.cached_tokens < 25
    # A fresh engine, without any cache, answers the same.
    with EngineClient() as fresh:
        again = list(fresh.ask("And three fruits.", [BASELINE], turn=1, history=history))
    ids = [
        [i for e in events if isinstance(e, Round) and e.arm == "baseline" for i in e.emitted_ids]
        for events in (second, again)
    ]
    assert ids[0] == ids[1]


def test_cancel_stops_within_a_round_and_the_engine_goes_on(engine: EngineClient) -> None:
    long = Arm(name="baseline", settings=Settings(max_tokens=-1))
    rounds_after = 0
    cancelled = False
    for event in engine.ask("Tell a very long story.", [long]):
        if isinstance(event, Round):
            rounds_after += cancelled
            if event.index == 3 and not cancelled:
                engine.cancel()
                cancelled = True
        if isinstance(event, Finished):
            assert event.reason == "cancelled"
    # What was on its way when the message left, and no more than one round that had begun.
    assert rounds_after <= 2
    assert any(isinstance(e, Round) for e in engine.ask(QUESTION, [BASELINE]))


def test_ping_is_answered_during_a_run(engine: EngineClient) -> None:
    engine.ping()
    pinged = False
    events = []
    request = Ask(id=10_001, turn=0, arms=(BASELINE,), prompt=QUESTION)
    engine.send(request)
    while not isinstance(reply := engine.next_reply(60), Done):
        events.append(reply)
        if isinstance(reply, Round) and not pinged:
            engine.ping()
            pinged = True
    pongs = [i for i, e in enumerate(events) if isinstance(e, Pong)]
    assert len(pongs) == 2
    assert pongs[1] < len(events) - 1


@pytest.mark.parametrize(
    ("arm", "prompt", "sentence"),
    [
        (BASELINE, "  ", "The prompt is empty"),
        (BASELINE, "word " * 9000, "but SmolLM2-135M-Instruct-4bit holds 8192"),
        (Arm(name="a", settings=Settings(temperature=-1.0)), "x", "temperature must be from 0"),
        (Arm(name="a", settings=Settings(temperature=1e9)), "x", "temperature must be from 0"),
    ],
)
def test_a_fault_of_one_arm_is_one_sentence(engine: EngineClient, arm: Arm, prompt: str, sentence: str) -> None:
    events = list(engine.ask(prompt, [arm]))
    (failed,) = [e for e in events if isinstance(e, Failed)]
    assert sentence in failed.message
    assert "\n" not in failed.message


@pytest.mark.parametrize(
    ("arm", "sentence"),
    [
        (Arm(name="a", target="/no/such/folder"), "There is no model directory at /no/such/folder"),
        (Arm(name="a", drafter="/no/such/drafter"), "There is no model directory at /no/such/drafter"),
    ],
)
def test_what_cannot_be_loaded_is_refused(engine: EngineClient, arm: Arm, sentence: str) -> None:
    with pytest.raises(RequestRefused, match=sentence):
        engine.open([arm])
    assert any(isinstance(e, Round) for e in engine.ask(QUESTION, [BASELINE]))


def test_arms_are_checked(engine: EngineClient) -> None:
    with pytest.raises(RequestRefused, match="no arm"):
        list(engine.ask("x", []))
    with pytest.raises(RequestRefused, match="same name"):
        list(engine.ask("x", [BASELINE, BASELINE]))


def test_killed_while_streaming_it_says_so_and_can_be_started_again() -> None:
    client = EngineClient()
    seen: list[Round] = []
    with pytest.raises(EngineDied, match=r"ended unexpectedly \(signal 9\)"):
        for event in client.ask("Tell a long story.", [BASELINE, LOOKUP]):
            if isinstance(event, Round):
                seen.append(event)
            if len(seen) == 5:
                os.kill(client.process.pid, signal.SIGKILL)
    assert len(seen) >= 5
    client.restart()
    assert any(isinstance(e, Round) for e in client.ask(QUESTION, [BASELINE]))
    client.close()
    assert client.process.returncode == 0


def test_what_was_asked_for_but_has_not_begun_is_cancelled_too() -> None:
    inbox = Inbox([], Channel(io.BytesIO()))
    inbox.take(Ask(id=7, turn=0, arms=(BASELINE,), prompt=QUESTION))
    inbox.take(Cancel())
    assert inbox.is_cancelled(7)
    inbox.take(Ask(id=8, turn=0, arms=(BASELINE,), prompt=QUESTION))
    assert not inbox.is_cancelled(8)


HELLO = encode(Hello(app="x", machine=Machine(chip="c", memory_bytes=1, os="o", backend="cpu"))).decode()


def test_a_client_that_wrote_to_a_dead_engine_can_start_it_again() -> None:
    client = EngineClient([sys.executable, "-c", f"import time; print({HELLO!r}, flush=True); time.sleep(600)"])
    os.kill(client.process.pid, signal.SIGKILL)
    client.process.wait()
    with pytest.raises(EngineDied, match="signal 9"):
        client.ping()
    client.restart()
    client.process.kill()
    client.close()


def test_a_line_that_is_no_message_ends_the_conversation_and_never_hangs_it() -> None:
    speak = f"import sys; print({HELLO!r}); print('nonsense', flush=True); sys.stdin.read()"
    client = EngineClient([sys.executable, "-c", speak])
    with pytest.raises(EngineDied):
        client.next_reply(60)
    client.close()


def test_broken_lines_are_refused_and_nothing_else_reaches_stdout() -> None:
    lines = [b"not json", b'{"type":"ask","id":7}', b'{"type":"dance","id":8}', encode(Open(id=9, arms=()))]
    process = subprocess.run(
        engine_command(),
        input=b"\n".join([*lines, encode(Ping(id=5)), encode(Cancel())]) + b"\n",
        capture_output=True,
        timeout=120,
    )
    replies = [json.loads(line) for line in process.stdout.splitlines()]
    assert process.returncode == 0
    assert replies[0]["type"] == "hello" or replies[0]["type"] == "refused"
    assert {r["id"] for r in replies if r["type"] == "refused"} >= {0, 7, 8}


def test_the_end_of_stdin_ends_the_engine() -> None:
    process = subprocess.Popen(engine_command(), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    process.stdin.write(
        encode(Ask(id=1, turn=0, arms=(Arm(name="b", settings=Settings(max_tokens=-1)),), prompt="Go on.")) + b"\n"
    )
    process.stdin.close()
    assert process.wait(60) == 0
