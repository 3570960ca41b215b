"""The verdict outlives the ids it rests on."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from engine.trace.events import Arm, Event, Failed, Header, Judged, Round, Settings
from engine.trace.file import Trace, Writer, read, trace_without_text
from engine.trace.judge import Judge
from engine.trace.session import group
from engine.trace.verdict import Verdict, session_verdicts
from tests.fakes import MACHINE, run_events

HEADER = Header(created="2026-01-01T00:00:00+00:00", app="test", machine=MACHINE)
ARMS = (Arm(name="baseline"), Arm(name="speculative", drafter="lookup"))


def session(margin: float | None = None, temperature: float = 0.0, turns: int = 1) -> list[Event]:
    """Two arms; with a margin, the second arm's tenth round begins with another token that close to the first."""
    events: list[Event] = []
    for turn in range(turns):
        for arm in ARMS:
            spec = msgspec.structs.replace(arm, settings=Settings(temperature=temperature))
            for event in run_events(spec, turn, "Why?", 80):
                if isinstance(event, Round) and margin is not None:
                    event = msgspec.structs.replace(event, margins=(margin,) * (event.width + 1))
                    if event.arm == "speculative" and event.index == 10:
                        ids = (7, *event.emitted_ids[1:])
                        event = msgspec.structs.replace(event, emitted_ids=ids, target_ids=(7, *event.target_ids[1:]))
                events.append(event)  # type: ignore[arg-type]
    return events


def verdict_of(events: tuple[Event, ...]) -> Verdict:
    return session_verdicts(group(events))["speculative"]


CASES = {
    "identical": session(),
    "near-tie": session(margin=1e-5),
    "fail": session(margin=3.0),
    "sampled": session(temperature=0.7),
    "several turns": session(turns=3),
}


@pytest.mark.parametrize("name", CASES)
def test_a_trace_without_text_has_the_verdict_of_the_whole_one(tmp_path: Path, name: str) -> None:
    events = CASES[name]
    expected = verdict_of(tuple(events))
    assert expected.status == ("identical" if name == "several turns" else name)
    with Writer(tmp_path / "silent.slipstream", keep_text=False) as writer:
        for event in (HEADER, *events):
            writer.write(event)
    silent = read(tmp_path / "silent.slipstream")
    assert not any(isinstance(event, Round) and event.emitted_ids for event in silent.events)
    assert verdict_of(silent.events) == expected
    exported = trace_without_text(Trace(header=HEADER, events=tuple(events)))
    assert exported.events == silent.events and not exported.header.has_text
    assert trace_without_text(exported) is exported


def test_a_verdict_waits_for_both_ends_and_is_given_once() -> None:
    judge, given = Judge(), []
    baseline, speculative = run_events(ARMS[0], 0, "Why?", 30), run_events(ARMS[1], 0, "Why?", 30)
    order = [baseline[0], *speculative[:1], *speculative[1:], *baseline[1:]]
    for event in order:
        judge.add(event)  # type: ignore[arg-type]
        if event in (speculative[-1], baseline[-1]):
            given.append(judge.settled(event))  # type: ignore[arg-type]
    assert given[0] == [] and [each.arm for each in given[1]] == ["speculative"]
    assert judge.settled(baseline[-1]) == []  # type: ignore[arg-type]


def test_an_arm_that_failed_at_once_is_judged_not_comparable() -> None:
    judge = Judge()
    first, second = run_events(ARMS[0], 0, "Why?", 30), run_events(ARMS[1], 0, "Why?", 30)
    failed = Failed(arm="speculative", turn=0, t_s=0.1, message="The drafter is gone.")
    for event in (*first, second[0], failed):
        judge.add(event)  # type: ignore[arg-type]
    assert [(each.arm, each.status) for each in judge.settled(failed)] == [("speculative", "not-comparable")]


def test_what_is_judged_holds_numbers_only() -> None:
    assert {name for name, kind in Judged.__annotations__.items() if kind == "str"} == {"arm"}
