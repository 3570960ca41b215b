"""What the report says comes from the traces: stored, computed again, and counted by hand."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from engine import cli
from engine.lab import profile, sweep
from engine.lab.measure import trace_name
from engine.lab.plan import make_plan
from engine.lab.report import write_report
from engine.lab.report.facts import Facts
from engine.lab.report.read import facts_in
from engine.lab.report.read_checks import concurrency, lossless, pair_parts, sampled, stability
from engine.lab.result import Environment, LabError, LabResult, Status, read_result, write_result
from engine.lab.suite import recompute, request
from engine.trace.events import Arm, Settings
from engine.trace.file import Trace, Writer, read
from engine.trace.of_round import accepted_of
from engine.trace.session import group
from tests.engine.lab.planted import FACTS, MACHINE, answer, baseline, drafting, knee_at, layers, trace

ALPHA = (0.9, 0.8, 0.7)
BASE, SPEC = baseline(), drafting(block=4)


def stored(out: Path, lab: str, cells: dict[str, Trace]) -> tuple[str, ...]:
    names = []
    for cell, made in cells.items():
        name = trace_name(lab, cell)
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        writer = Writer(out / name)
        writer.write(made.header)
        for event in made.events:
            writer.write(event)
        writer.close()
        names.append(name)
    return tuple(names)


def result(
    out: Path, lab: str, results: dict[str, Any], names: tuple[str, ...], arms: tuple[Arm, ...] = (BASE, SPEC),
    status: Status = "measured",
) -> LabResult:  # fmt: skip
    made = LabResult(
        lab=lab, status=status, arms=arms, results=results, traces=names, seconds=1.0,
        began="2026-01-01T00:00:00+00:00",
        environment=Environment(machine=MACHINE, app="slipstream", targets={"baseline": FACTS, "spec": FACTS}),
        conditions={
            "samples": [f"sample {i}" for i in range(12)], "tokens": 120,
            "request": request(make_plan("quick", tokens=120), arms, MACHINE),
        },
    )  # fmt: skip
    write_result(out, made)
    return read_result(out / f"{lab}.json")


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A profile and a sweep over planted traces: acceptance ALPHA, and rounds that cost more from 4 rows on."""
    out = tmp_path_factory.mktemp("lab")
    cells = {
        f"sample {i}": trace(
            answer(BASE, f"sample {i}", layers(i), seed=i),
            answer(SPEC, f"sample {i}", layers(i), alpha=ALPHA, seed=100 + i, draft_s=0.01),
        )
        for i in range(12)
    }
    names = stored(out, "profile", cells)
    result(out, "profile", profile.results_from_traces(read(out / name) for name in names), names)
    swept = {
        f"spec block {block}": trace(
            *(
                events
                for i in range(12)
                for events in (
                    answer(BASE, f"sample {i}", labels(block, i), seed=i, turn=i),
                    answer(
                        Arm(name=f"spec block={block}", drafter="lookup", settings=Settings(block=block)),
                        f"sample {i}", labels(block, i), alpha=(0.8,) * (block - 1), seed=100 + i, turn=i,
                        cost=knee_at(4),
                    ),
                )
            )
        )
        for block in (2, 4, 8, 12)
    }  # fmt: skip
    names = stored(out, "sweep", swept)
    found = sweep.results_from_traces(read(out / name) for name in names)
    result(out, "sweep", found, names)
    return out


def labels(block: int, number: int) -> dict[str, str]:
    return {"axis": "block", "value": str(block), "base": "spec", "cell": f"spec block {block}", **layers(number)}


@pytest.fixture(scope="module")
def facts(directory: Path) -> Facts:
    return facts_in(directory)


def test_figures_are_what_the_traces_give_again(directory: Path) -> None:
    for lab in ("profile", "sweep"):
        assert recompute(directory, read_result(directory / f"{lab}.json")) == []


def test_figures_of_the_report_are_counted_by_hand(directory: Path) -> None:
    """The whole way: traces, result, facts, report.json. The count here shares no code with the lab."""
    write_report(directory)
    saved = json.loads((directory / "report.json").read_text(encoding="utf-8"))["facts"]
    (arm,) = saved["profile"]
    turns = [t for file in sorted((directory / "traces").glob("profile-*")) for t in group(read(file).events)]
    rounds = [r for turn in turns if turn.arm == "spec" for r in turn.rounds]
    drafting_rounds = [r for r in rounds if r.width]
    accepted = sum(accepted_of(r) for r in drafting_rounds)
    drafted = sum(r.width for r in drafting_rounds)
    assert arm["accepted_length"]["value"] == pytest.approx(1 + accepted / len(drafting_rounds))
    assert arm["wasted_share"]["value"] == pytest.approx(1 - accepted / drafted)
    for k, position in enumerate(arm["positions"]):
        reached = [r for r in drafting_rounds if r.width > k and accepted_of(r) >= k]
        kept = [r for r in reached if accepted_of(r) > k]
        assert position["n"] == len(reached)
        assert position["conditional"]["value"] == pytest.approx(len(kept) / len(reached))
    speeds = {}
    for name in ("baseline", "spec"):
        own = [r for turn in turns if turn.arm == name for r in turn.rounds if r.index > 0]
        seconds = sum(r.draft_s + r.verify_s + r.accept_s + r.commit_s + r.other_s for r in own)
        speeds[name] = sum(r.emitted_tokens for r in own) / seconds
    assert arm["speedup"]["value"] == pytest.approx(speeds["spec"] / speeds["baseline"])


def test_planted_acceptance_and_knee_are_in_the_facts(facts: Facts) -> None:
    (arm,) = facts.profile
    for position, truth in zip(arm.positions, ALPHA, strict=True):
        assert position.conditional.low is not None
        assert position.conditional.high is not None
        assert position.conditional.low <= truth <= position.conditional.high
    (curve,) = facts.curves
    assert (curve.arm, curve.axis, curve.base) == ("spec", "block", 4)
    assert curve.knee == 4
    assert [point.x for point in curve.points] == [2, 4, 8, 12]
    assert facts.plan == "quick"
    assert [arm.spec.name for arm in facts.arms] == ["baseline", "spec"]
    assert not facts.mixed


def test_changed_result_is_found_out(directory: Path, tmp_path: Path) -> None:
    import shutil

    other = tmp_path / "other"
    shutil.copytree(directory, other)
    saved = json.loads((other / "profile.json").read_text())
    saved["results"]["arms"]["spec"]["overall"]["speedup"]["value"] += 0.5
    (other / "profile.json").write_text(json.dumps(saved))
    assert recompute(other, read_result(other / "profile.json")) == ["arms"]
    assert cli.main(["lab", "report", str(other), "--recompute"]) == 1
    assert cli.main(["lab", "report", str(directory), "--recompute"]) == 0


def test_missing_trace_is_one_sentence(directory: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import shutil

    other = tmp_path / "other"
    shutil.copytree(directory, other)
    next(iter((other / "traces").glob("sweep-*"))).unlink()
    assert cli.main(["lab", "report", str(other), "--recompute"]) == 2
    assert "There is no trace" in capsys.readouterr().err


def test_results_of_two_machines_are_called_mixed(directory: Path, tmp_path: Path) -> None:
    import shutil

    other = tmp_path / "other"
    shutil.copytree(directory, other)
    saved = json.loads((other / "sweep.json").read_text())
    saved["environment"]["machine"]["chip"] = "another"
    (other / "sweep.json").write_text(json.dumps(saved))
    assert facts_in(other).mixed


def test_torn_result_is_refused(directory: Path, tmp_path: Path) -> None:
    (tmp_path / "profile.json").write_text("{")
    with pytest.raises(LabError, match="is no result of the lab"):
        facts_in(tmp_path)


# The other labs: their keys, as their results_from_traces states them


def of(lab: str, results: dict[str, Any], status: Status = "pass") -> LabResult:
    return LabResult(
        lab=lab,
        status=status,
        environment=Environment(machine=MACHINE, app=""),
        arms=(),
        conditions={},
        results=results,
    )


def interval(value: float) -> dict[str, Any]:
    return {"value": value, "low": value - 0.1, "high": value + 0.1, "units": 5}


def test_logs_become_factors() -> None:
    logs = {"accepted_length": 0.7, "verify": -0.2, "draft": -0.1, "overhead": 0.0}
    part = pair_parts(
        {
            "arm": "spec", "reference": "baseline", "samples": 5, "speedup": interval(math.exp(sum(logs.values()))),
            "components": {name: {"log": interval(value)} for name, value in logs.items()},
            "predicted": interval(1.5), "unexplained": {"log": interval(0.0)},
        }
    )  # fmt: skip
    values = [f.value for f in (part.accepted_length, part.verify, part.draft, part.overhead)]
    assert math.prod(value for value in values if value) == pytest.approx(part.measured.value)
    assert part.accepted_length.low == pytest.approx(math.exp(0.6))
    assert part.rest.value == pytest.approx(1.0)


def test_pair_without_a_prediction_has_no_rest() -> None:
    part = pair_parts({"arm": "spec", "reference": "baseline", "speedup": interval(1.2), "components": {},
                       "predicted": None, "unexplained": None})  # fmt: skip
    assert (part.predicted.value, part.rest.value, part.draft.value) == (None, None, None)


def test_lossless_keys() -> None:
    found = lossless(
        of("lossless", {
            "bound": 0.1,
            "arms": [{"arm": "spec", "status": "near-tie", "tokens": 40, "near_ties": 1, "largest_gap": 0.05,
                      "bound": 0.1, "samples": 2, "detail": "as it is, sky: 1 of 40 tokens with a gap"}],
            "crossed": [{"name": "block 2", "ok": True, "status": "pass", "detail": ""}],
            "controls": [{"name": "stale rows", "caught": False, "why": [], "traces": []}],
        }, "near-tie")
    )  # fmt: skip
    assert (found.arms[0].near_ties, found.arms[0].largest_gap, found.bound, found.samples) == (1, 0.05, 0.1, 2)
    assert [(c.name, c.ok) for c in found.controls] == [("stale rows", False)]


def test_sampled_keys() -> None:
    test = {"name": "token 1", "adjusted": 0.2, "tv_bound": 0.03, "rejected": False}
    found = sampled(
        of("sampling", {
            "tests": 2, "rejected": [], "draws": 900, "tv_bound": 0.04, "detectable_tv": 0.05,
            "acceptance": [{"name": "spec, T 0.7", "ok": True, "detail": "0.61 against 0.60"}],
            "configs": [{"arm": "spec", "config": "T 0.7", "draws": 900,
                         "tests": [test, {**test, "adjusted": 0.1, "tv_bound": 0.04}]}],
            "controls": [{"name": "raw q", "caught": True, "why": ["token 1"], "traces": []}],
        })
    )  # fmt: skip
    (config,) = found.configs
    assert (config.tests, config.smallest_p, config.tv_bound, config.rejected) == (2, 0.1, 0.04, False)
    assert (found.tests, found.draws, found.tv_bound, found.detectable_tv) == (2, 900, 0.04, 0.05)
    assert [(c.name, c.ok) for c in found.controls] == [("raw q", True)]


def test_concurrency_keys() -> None:
    figures = {"rows_per_forward": 16.0, "lanes_mean": 2.0,
               **{name: {"p95": 0.5} for name in ("wait_s", "first_token_s", "gap_s")}}  # fmt: skip
    cell = {"cell": "c", "mode": "batching", "arrivals": "closed", "in_flight": 2, "load": 0.0, "per_s": None,
            "requests": 8, "void": "", "arms": {"spec": figures}}  # fmt: skip
    found = concurrency(
        of("concurrency", {
            "cells": [cell, {**cell, "arrivals": "poisson", "load": 0.6}],
            "speedup": {"spec": [{"lanes": 2, "throughput": interval(0.8), "time_per_token": interval(0.9),
                                  "batching_gain": interval(1.7), "text": ""}]},
            "queueing": {"spec": [{"in_flight": 2, "throughput": interval(1.3), "time_per_token": interval(1.3)}]},
            "break_even": {"spec": {"throughput": {"lanes": 2, "certain": True}, "time_per_token": {"lanes": None}}},
            "ids": {"status": "near-tie", "counts": {"identical": 7, "near-tie": 1}},
        })
    )  # fmt: skip
    queue, batch = found.curves
    assert (queue.regime, batch.regime) == ("queueing", "batching")
    assert (batch.break_even, batch.surely, batch.late_from) == (2, True, None)
    assert batch.points[0].rows_per_forward == 16.0
    assert found.rows_equal is True
    assert found.rows_detail == "identical: 7, near-tie: 1"
    assert [(a.kind, a.load, a.wait_s) for a in found.arrivals] == [("poisson", 0.6, 0.5)]


def test_stability_keys() -> None:
    found = stability(
        of("stability", {
            "checks": [{"check": "temperatures", "status": "FAIL", "detail": "T 5: nothing came"}],
            "memory": [{"soak": "soak", "status": "PASS", "detail": "", "rounds": 2000},
                       {"soak": "soak, small random model", "status": "TOO SHORT", "detail": ""}],
            "rounds": 2000, "slope_bytes_per_1000_rounds": 12.0, "grows": False,
        }, "fail")
    )  # fmt: skip
    assert [(c.name, c.ok) for c in found.checks] == [("temperatures", False), ("soak", True)]
    assert (found.rounds, found.slope_bytes_per_1000_rounds, found.grows) == (2000, 12.0, False)
