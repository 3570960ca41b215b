from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest

from engine.trace.events import Finished, MemorySample
from engine.trace.export import to_perfetto
from engine.trace.file import Trace
from tests.engine.trace.export import sessions
from tests.engine.trace.rounds import make

TIDS = {"prefill": 1, "draft": 2, "verify": 3, "accept": 4, "commit": 5}


def entries(trace: Trace) -> list[dict[str, Any]]:
    page = json.loads(to_perfetto(trace))
    assert page["displayTimeUnit"] == "ms"
    return list(page["traceEvents"])


def named(listed: list[dict[str, Any]], what: str) -> dict[Any, str]:
    return {(e["pid"], e["tid"]): e["args"]["name"] for e in listed if e["ph"] == "M" and e["name"] == what}


@pytest.mark.parametrize("name", sessions.ALL)
def test_slices_of_a_track_never_overlap_and_time_never_runs_back(name: str) -> None:
    listed = entries(sessions.ALL[name]())
    tracks: dict[tuple[int, int], list[tuple[float, float]]] = {}
    for entry in listed:
        if entry["ph"] == "X":
            assert entry["dur"] > 0 and entry["ts"] >= 0
            tracks.setdefault((entry["pid"], entry["tid"]), []).append((entry["ts"], entry["ts"] + entry["dur"]))
    for slices in tracks.values():
        assert all(end <= start + 1e-3 for (_, end), (start, _) in pairwise(slices))
    assert all(earlier["ts"] <= later["ts"] for earlier, later in pairwise(e for e in listed if e["ph"] != "M"))


def test_an_arm_is_a_process_and_its_phases_are_threads() -> None:
    listed = entries(sessions.golden())
    processes, threads = named(listed, "process_name"), named(listed, "thread_name")
    assert set(processes.values()) == {"machine", "baseline", "lookup"}
    for (pid, _), name in processes.items():
        if name != "machine":
            assert {threads[pid, tid]: tid for tid in TIDS.values()} == TIDS


def test_slices_hold_the_recorded_microseconds() -> None:
    trace = sessions.golden()
    listed = entries(trace)
    pid = next(pid for (pid, _), name in named(listed, "process_name").items() if name == "lookup")
    rounds = sessions.rounds_of(trace, "lookup")
    for phase in ("draft", "verify", "accept", "commit"):
        drawn = sum(e["dur"] for e in listed if e["ph"] == "X" and e["pid"] == pid and e["cat"] == phase)
        assert drawn == pytest.approx(sum(getattr(item, f"{phase}_s") for item in rounds) * 1e6, rel=1e-3)


def test_a_round_ends_when_it_ended_and_its_phases_follow_each_other() -> None:
    item = make("ac", 2, t_s=2.0, draft_s=0.1, verify_s=0.2, accept_s=0.03, commit_s=0.04, other_s=0.05)
    slices = {e["cat"]: (e["ts"], e["dur"]) for e in entries(sessions.trace_of(item)) if e["ph"] == "X"}
    expected = {"draft": (1.58e6, 1e5), "verify": (1.68e6, 2e5), "accept": (1.88e6, 3e4), "commit": (1.91e6, 4e4)}
    assert slices == {name: pytest.approx(times) for name, times in expected.items()}


def test_every_flow_leads_from_a_draft_to_its_verification() -> None:
    listed = entries(sessions.golden())
    begun = {e["id"]: e for e in listed if e["ph"] == "s"}
    ended = {e["id"]: e for e in listed if e["ph"] == "f"}
    assert begun.keys() == ended.keys() and len(begun) > 10
    for number, start in begun.items():
        end = ended[number]
        assert (start["tid"], end["tid"], end["bp"]) == (TIDS["draft"], TIDS["verify"], "e")
        holders = [
            next(e for e in listed if e["ph"] == "X" and (e["pid"], e["tid"]) == (flow["pid"], flow["tid"])
                 and e["ts"] <= flow["ts"] <= e["ts"] + e["dur"])
            for flow in (start, end)
        ]  # fmt: skip
        assert holders[0]["args"]["round"] == holders[1]["args"]["round"]


def test_forwards_that_were_not_timed_apart_are_not_shown_as_if() -> None:
    names = [e["name"] for e in entries(sessions.trace_of(make("ac", 2, split=False))) if e.get("cat") == "verify"]
    assert names == ["draft + verify"]


def test_a_turn_whose_clock_begins_anew_is_set_behind_the_one_before() -> None:
    trace = sessions.trace_of(
        sessions.started("a"), make("p", arm="a", t_s=5.0),
        Finished(arm="a", turn=0, t_s=5.0, reason="stop", output_tokens=1),
        sessions.started("a", turn=1), make("p", arm="a", turn=1, t_s=1.0),
    )  # fmt: skip
    ends = [e["ts"] + e["dur"] for e in entries(trace) if e.get("cat") == "verify"]
    assert ends == pytest.approx([5e6, 6e6])


def test_counters_follow_memory_and_acceptance() -> None:
    sample = MemorySample(t_s=3, machine_bytes=8, available_bytes=4 << 20, process_bytes=2 << 20, active_bytes=1 << 20,
                          allocator_bytes=0, peak_bytes=1)  # fmt: skip
    listed = entries(sessions.trace_of(make("aac", 3, active_bytes=3 << 20), sample))
    counters = {(e["pid"], e["name"]): e["args"] for e in listed if e["ph"] == "C"}
    assert counters[2, "accepted_per_round"] == {"accepted": 2}
    assert counters[2, "memory_mib"]["active"] == 3
    assert counters[1, "memory_mib"] == {"process": 2, "active": 1, "allocator": 0, "available": 4}
