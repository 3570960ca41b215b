"""The concurrency lab: figures of made-up servers are what was put in, and the lab on a tiny target runs whole."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from engine.batch.ragged import Ends
from engine.batch.server import BatchServer, QueueServer, Request
from engine.lab import concurrency
from engine.lab.evidence import read_traces
from engine.lab.result import LabError, LabResult, read_result
from engine.lab.served import results_from_traces
from engine.lab.serving import Cell, poisson, serve
from engine.lab.throughput import break_even, steps_of
from engine.stats import Interval
from engine.trace.events import Arm, Finished, Header, Machine, ModelFacts, Prefill, Round, Settings, Started
from engine.trace.file import Trace
from tests.engine.batch.serving import service
from tests.engine.lab.tiny_lab import Heard, arms, plan, session
from tests.tiny import tiny_target

TARGET = ModelFacts(name="made up", held_as="float32", vocabulary=1000)


# Made-up servers


def made(
    lanes: int, cost_s: dict[str, float], kept: dict[str, int], rounds: int = 60, mode: str = "batching",
    drift: float = 0.0, differs: int = -1, margin: float = 1.0,
) -> Trace:  # fmt: skip
    """One closed cell: every forward of an arm takes ``cost_s`` (growing by ``drift`` over the run), every row emits
    ``kept`` + 1 tokens of one text. ``differs``: at this token the drafting arm's first request goes another way."""
    events: list[Any] = []
    for arm, cost in cost_s.items():
        width = 0 if arm == "baseline" else 4
        spec = Arm(name=arm, drafter="none" if arm == "baseline" else "table", settings=Settings(block=5))
        clock = 0.0
        labels = {"cell": f"{mode}-closed-{lanes}", "mode": mode, "arrivals": "closed", "in_flight": str(lanes)}
        rows = lanes if mode == "batching" else 1
        for n in range(rows):
            events.append(Started(arm=arm, turn=n, t_s=0.0, spec=spec, target=TARGET, prompt_tokens=3,
                                  prompt_ids=(1, 2, 3), labels={**labels, "sample": f"sample {n % 4}"}))  # fmt: skip
            events.append(Prefill(arm=arm, turn=n, t_s=0.0, processed_tokens=2, total_tokens=3, prefill_s=0.0))
        emitted = [0] * rows
        while emitted[0] < rounds:
            clock += cost * (1 + drift * emitted[0] / rounds)
            index = round(emitted[0] / (kept[arm] + 1))
            for n in range(rows):
                count = min(kept[arm] + 1, rounds - emitted[n])
                ids = tuple((17 * n + i * i) % 997 for i in range(emitted[n], emitted[n] + count))
                if arm != "baseline" and n == 0 and emitted[n] <= differs < emitted[n] + count:
                    ids = tuple(i + 1 if emitted[n] + k == differs else i for k, i in enumerate(ids))
                drafts = ids[: count - 1] + (999,) * (width - count + 1) if width else ()
                origins = ("accepted",) * (count - 1) + (("correction",) if width else ("plain",))
                events.append(
                    Round(arm=arm, turn=n, index=index, t_s=clock, context_tokens=2 + emitted[n],
                          requested_width=width, width=width, draft_ids=drafts,
                          target_ids=ids + (0,) * (width + 1 - count), margins=(margin,) * (width + 1),
                          accepted=count - 1, emitted_ids=ids, emitted_tokens=count, origins=origins, lanes=rows,
                          verify_s=cost * (1 + drift * emitted[0] / rounds))
                )  # fmt: skip
                emitted[n] += count
        for n in range(rows):
            events.append(Finished(arm=arm, turn=n, t_s=clock, reason="length", output_tokens=emitted[n],
                                   own_s=clock))  # fmt: skip
    machine = Machine(chip="none", memory_bytes=0, os="", backend="cpu")
    return Trace(header=Header(created="", app="", machine=machine), events=tuple(events))


def curve(baseline_s: dict[int, float], drafting_s: dict[int, float], **more: Any) -> dict[str, Any]:
    """Cells of so many lanes whose forwards take so long; the drafter keeps two of its drafts every time."""
    kept = {"baseline": 0, "table": 2}
    traces = [made(1, {"baseline": 1.0, "table": 1.0}, kept, mode="queueing")]
    traces += [made(n, {"baseline": baseline_s[n], "table": drafting_s[n]}, kept, **more) for n in baseline_s]
    return results_from_traces(traces)


def test_speedup_and_break_even_are_what_was_put_in() -> None:
    found = curve(
        {1: 1.0, 2: 1.0, 4: 1.0, 8: 1.0, 16: 1.0},
        {1: 1.2, 2: 1.5, 4: 2.0, 8: 4.0, 16: 8.0},
    )
    ratios = {p["lanes"]: p["throughput"]["value"] for p in found["speedup"]["table"]}
    assert ratios == pytest.approx({1: 3 / 1.2, 2: 2.0, 4: 1.5, 8: 0.75, 16: 0.375})
    late = {p["lanes"]: p["time_per_token"]["value"] for p in found["speedup"]["table"]}
    assert late == pytest.approx(ratios, rel=0.06)  # the first round's tokens are nobody's waiting time
    gains = [p["batching_gain"]["value"] for p in found["speedup"]["table"]]
    assert gains == pytest.approx([1, 2, 4, 8, 16])
    assert [p["gain_from"] for p in found["speedup"]["table"]][1:] == ["batching and drafts"] * 2 + ["batching"] * 2
    broken = found["break_even"]["table"]["throughput"]
    assert (broken["lanes"], broken["certain"], broken["up_to"]) == (8, True, 16)
    assert broken["crossing"] == pytest.approx(4 * 2 ** (math.log(1.5) / math.log(2.0)))


def test_drift_between_arms_moves_the_ratio_by_less_than_two_percent() -> None:
    kept = {"baseline": 0, "table": 2}
    alone = made(1, {"baseline": 1.0, "table": 1.0}, kept, mode="queueing")
    cells = [
        results_from_traces([alone, made(4, {"baseline": 1.0, "table": 2.0}, kept, rounds=120, drift=d)])
        for d in (0.0, 0.2)
    ]
    ratios = [cell["speedup"]["table"][0]["throughput"]["value"] for cell in cells]
    assert ratios[0] == pytest.approx(1.5)
    assert ratios[1] == pytest.approx(ratios[0], rel=0.02)


def test_queueing_shows_one_lane_whatever_is_in_flight() -> None:
    found = results_from_traces(
        [made(8, {"baseline": 1.0, "table": 1.0}, {"baseline": 0, "table": 2}, mode="queueing")]
    )
    (cell,) = found["cells"]
    assert cell["arms"]["table"]["lanes_max"] == 1
    (entry,) = found["queueing"]["table"]
    assert entry["in_flight"] == 8 and entry["throughput"]["value"] == pytest.approx(3.0)
    assert found["speedup"]["table"] == []


def test_rows_and_padding_are_counted() -> None:
    found = results_from_traces([made(4, {"baseline": 1.0, "table": 1.0}, {"baseline": 0, "table": 2})])
    figures = found["cells"][0]["arms"]["table"]
    assert figures["rows_per_forward"] == 20
    assert figures["padded_share"] == 0
    assert figures["lanes_histogram"] == {"4": figures["forwards"]}
    assert figures["accepted_length"] == pytest.approx(3.0)


@pytest.mark.parametrize(("margin", "status"), [(1.0, "fail"), (1e-4, "near-tie")])
def test_a_row_that_wrote_something_else_is_named_with_its_margin(margin: float, status: str) -> None:
    kept = {"baseline": 0, "table": 2}
    alone = made(1, {"baseline": 1.0, "table": 1.0}, kept, mode="queueing", margin=margin)
    found = results_from_traces([alone, made(4, {"baseline": 1.0, "table": 1.0}, kept, differs=20, margin=margin)])[
        "ids"
    ]
    assert found["status"] == status
    (entry,) = found["differing"]
    assert (entry["arm"], entry["request"], entry["first_difference"]) == ("table", 0, 20)
    assert entry["margin"] == margin


def test_a_cell_of_loops_counts_for_nothing() -> None:
    trace = made(4, {"baseline": 1.0, "table": 1.0}, {"baseline": 0, "table": 2})
    looping = []
    for event in trace.events:
        if isinstance(event, Round):
            ids = tuple(i % 3 for i in range(event.emitted_tokens))
            event = Round(**{**{f: getattr(event, f) for f in event.__struct_fields__}, "emitted_ids": ids})
        looping.append(event)
    found = results_from_traces([Trace(header=trace.header, events=tuple(looping))])
    assert found["speedup"]["table"][0]["text"] == "void: repeats itself"
    assert found["break_even"]["table"]["throughput"]["up_to"] is None


def test_lanes_that_are_not_the_engine_s_count_are_refused() -> None:
    trace = made(4, {"baseline": 1.0}, {"baseline": 0})
    from engine.trace.session import group

    turns = group(trace.events)
    with pytest.raises(ValueError, match="say 4 lanes"):
        steps_of(turns[:3])


def at(value: float | None, high: float | None = None) -> Interval:
    return Interval(value=value, low=value, high=high if high is not None else value)


@pytest.mark.parametrize(
    ("ratios", "lanes", "crossing", "certain"),
    [
        ([(1, at(2.0)), (2, at(1.5)), (4, at(1.1))], None, None, False),
        ([(1, at(0.9)), (2, at(0.8))], 1, None, True),
        ([(1, at(2.0)), (2, at(0.9)), (4, at(1.2)), (8, at(0.5))], 8, 4 * 2 ** (math.log(1.2) / math.log(2.4)), True),
        ([(1, at(2.0)), (4, at(0.5, 1.1))], 4, 2.0, False),
        ([(1, at(None)), (2, at(0.9))], 2, None, True),
        ([], None, None, False),
    ],
)
def test_break_even(ratios: Sequence[tuple[int, Interval]], lanes: Any, crossing: Any, certain: bool) -> None:
    found = break_even(ratios)
    assert found["lanes"] == lanes
    assert found["certain"] == certain
    assert (found["surely_from"] == lanes) == (certain or lanes is None)
    assert found["crossing"] == (None if crossing is None else pytest.approx(crossing))


# Arrivals and turns


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**31), per_s=st.floats(0.01, 100))
def test_poisson_arrivals(seed: int, per_s: float) -> None:
    times = poisson(4000, per_s, seed)
    assert times == sorted(times) and times == poisson(4000, per_s, seed)
    mean = times[-1] / 4000
    assert mean * per_s == pytest.approx(1, abs=5 / math.sqrt(4000))


def test_a_closed_loop_keeps_so_many_in_flight() -> None:
    target = tiny_target("dense", seed=5)
    target.tokenizer.eos_token_ids = ()  # type: ignore[assignment]
    requests = [Request(n, (3 + n, 4, 5)) for n in range(7)]
    servers = {"a": BatchServer(service(target, max_tokens=5), 3), "b": QueueServer(service(target, max_tokens=5))}
    events = list(serve(servers, requests, 3))
    finished = [e for e in events if isinstance(e, Finished)]
    assert len(finished) == 14
    lanes = [e.lanes for e in events if isinstance(e, Round)]
    assert max(lanes) == 3
    arrivals = sorted(e.t_s for e in events if isinstance(e, Started) and e.t_s > 0)
    assert arrivals  # those that came when another one ended


# The lab itself

SIZES = {"concurrency_tokens": 18, "concurrency_samples": 4, "concurrency_arrivals": 4, "concurrency_lanes": 4}


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> tuple[LabResult, Path, Heard]:
    out, job = tmp_path_factory.mktemp("concurrency"), Heard()
    target = tiny_target("dense", seed=5)
    target.tokenizer.eos_token_ids = ()  # type: ignore[assignment]
    return concurrency.run(plan(**SIZES), arms(), out, job, session(target)), out, job  # type: ignore[arg-type]


def test_every_request_wrote_what_it_writes_alone(measured: tuple[LabResult, Path, Heard]) -> None:
    result, _, _ = measured
    assert result.status == "pass"
    assert set(result.results["ids"]["counts"]) == {"identical"}
    cells = {c["cell"]: c for c in result.results["cells"]}
    assert set(cells) == {
        "queueing-closed-4", "batching-closed-1", "batching-closed-2", "batching-closed-4",
        "batching-poisson-4-load-0.7",
    }  # fmt: skip
    for lanes in (1, 2, 4):
        assert all(f["lanes_max"] == lanes for f in cells[f"batching-closed-{lanes}"]["arms"].values())
    assert all(f["lanes_max"] == 1 for f in cells["queueing-closed-4"]["arms"].values())
    assert [p["lanes"] for p in result.results["speedup"]["lookup"]] == [1, 2, 4]


def test_the_traces_give_the_figures_again(measured: tuple[LabResult, Path, Heard]) -> None:
    _, out, _ = measured
    stored = read_result(out / "concurrency.json")
    again = results_from_traces(read_traces(out, stored.traces))
    assert json.loads(json.dumps(again)) == stored.results


def test_arrivals_are_the_same_for_all_arms(measured: tuple[LabResult, Path, Heard]) -> None:
    result, out, _ = measured
    (name,) = [n for n in result.traces if "poisson" in n]
    (trace,) = read_traces(out, [name])
    times: dict[str, list[float]] = {}
    for event in trace.events:
        if isinstance(event, Started):
            times.setdefault(event.arm, []).append(event.t_s)
    assert times["baseline"] == times["lookup"] == sorted(times["lookup"])


def test_what_is_shown_as_it_goes(measured: tuple[LabResult, Path, Heard]) -> None:
    _, _, job = measured
    assert {c[0] for c in job.cells} >= {"tokens per second", "speedup, throughput", "speedup, time per token"}
    assert {p[1] for p in job.points} == {1, 2, 4}
    assert job.steps[-1][1] == job.steps[-1][2]


def test_a_stopped_lab_keeps_whole_cells(tmp_path: Path) -> None:
    """Of arms that ask for trees: in a batch drafts don't branch, so they are measured without."""
    target = tiny_target("dense", seed=5)
    branching = tuple(replace(arm, settings=replace(arm.settings, tree=True)) for arm in arms())
    result = concurrency.run(plan(**SIZES), branching, tmp_path, Heard(stop_after=150), session(target))  # type: ignore[arg-type]
    assert not any(arm.settings.tree for arm in result.arms)
    assert result.status == "stopped"
    assert len(result.traces) == len(result.results["cells"]) < 5


def test_a_target_that_can_t_be_batched_is_queued_and_that_is_said(tmp_path: Path) -> None:
    target = tiny_target("sliding", seed=5)
    target.tokenizer.eos_token_ids = ()  # type: ignore[assignment]
    result = concurrency.run(plan(**SIZES), arms(), tmp_path, Heard(), session(target))  # type: ignore[arg-type]
    assert [c["mode"] for c in result.results["cells"]] == ["queueing"]
    assert any("Batching was not measured. Requests to tiny sliding" in s for s in result.not_tested)


def test_a_baseline_alone_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LabError, match="needs a baseline and an arm with a drafter"):
        concurrency.run(plan(), arms()[:1], tmp_path, Heard(), session(tiny_target("dense")))  # type: ignore[arg-type]


def test_cells_are_named_apart() -> None:
    names = [cell.name for cell in concurrency.cells_of(plan(), batches=True)]
    assert len(set(names)) == len(names)
    assert Cell("queueing", "closed", 4, 4).lanes == 1


def test_rows_that_keep_what_was_rejected_fail_the_lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = Ends.commit

    def one_too_many(ends: Ends, kept: Sequence[int]) -> None:
        """The row that kept least keeps one more."""
        uneven = min(kept) < max(kept)
        own(ends, [n + 1 if uneven and n == min(kept) else n for n in kept])

    monkeypatch.setattr(Ends, "commit", one_too_many)
    target = tiny_target("dense", seed=5)
    target.tokenizer.eos_token_ids = ()  # type: ignore[assignment]
    result = concurrency.run(plan(**SIZES), arms(), tmp_path, Heard(), session(target))  # type: ignore[arg-type]
    assert result.status == "fail"
    found = result.results["ids"]["differing"]
    assert found and all(entry["margin"] is not None and "batching" in entry["cell"] for entry in found)
