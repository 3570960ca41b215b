"""Sessions that exports must cope with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from engine.trace.events import Arm, Event, Failed, Finished, Header, Machine, ModelFacts, Round, Started
from engine.trace.file import Trace, read, without_text
from tests.engine.trace.rounds import make

GOLDEN = Path(__file__).parents[3] / "golden" / "session.slipstream"
HOSTILE = "</style><script>alert(1)</script>\" onload='x' &amp; \x00\x1b[31m|`*"


def header(**changes: Any) -> Header:
    machine = Machine(chip="Chip", memory_bytes=1 << 33, os="OS", backend="cpu")
    return Header(**({"created": "2026-01-01T00:00:00Z", "app": "slipstream 1", "machine": machine} | changes))


def started(arm: str, **changes: Any) -> Started:
    spec = Arm(name=arm, drafter="lookup" if arm != "baseline" else "none")
    fields = {"arm": arm, "turn": 0, "t_s": 0.0, "spec": spec, "target": ModelFacts(name="m"), "prompt_tokens": 3}
    return Started(**(fields | changes))


def trace_of(*events: Event, **changes: Any) -> Trace:
    return Trace(header=header(**changes), events=events)


def golden() -> Trace:
    return read(GOLDEN)


def silent() -> Trace:
    trace = golden()
    return Trace(header=trace.header, events=tuple(map(without_text, trace.events)))


def hostile() -> Trace:
    facts = ModelFacts(name=HOSTILE, path=HOSTILE, held_as="packed")
    spec = Arm(name=HOSTILE, drafter=HOSTILE)
    item = make(
        "ac", 2, arm=HOSTILE, pieces=(HOSTILE, HOSTILE), draft_texts=(HOSTILE, HOSTILE), source=HOSTILE, warning=HOSTILE
    )
    machine = Machine(chip=HOSTILE, memory_bytes=1, os=HOSTILE, backend=HOSTILE, notes=(HOSTILE,))
    return trace_of(
        Started(arm=HOSTILE, turn=0, t_s=0, spec=spec, target=facts, system=HOSTILE, prompt=HOSTILE, prompt_tokens=1),
        item,
        Failed(arm=HOSTILE, turn=0, t_s=1, message=HOSTILE),
        Finished(arm=HOSTILE, turn=0, t_s=1, reason="stop", tail=HOSTILE, output_tokens=2),
        app=HOSTILE,
        machine=machine,
    )


def broken() -> Trace:
    """One arm failed before its first token, one was cut while it ran, one drafts very wide blocks."""
    return trace_of(
        started("baseline"),
        Failed(arm="baseline", turn=0, t_s=1.0, message="Out of memory."),
        started("spec"),
        make("p", arm="spec", index=0),
        make("aac", 63, arm="spec"),
        make("", 3, arm="spec", index=2),
    )


def empty() -> Trace:
    return trace_of()


def long(rounds: int) -> Trace:
    events = [
        make("aac" if index % 3 else "aaab", 3, arm="spec", index=index, t_s=float(index)) for index in range(rounds)
    ]
    return trace_of(*events)


ALL = {"golden": golden, "silent": silent, "hostile": hostile, "broken": broken, "empty": empty}


def rounds_of(trace: Trace, arm: str | None = None) -> list[Round]:
    return [event for event in trace.events if isinstance(event, Round) and arm in (None, event.arm)]
