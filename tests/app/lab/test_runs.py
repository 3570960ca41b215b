"""Former runs are told from other directories, newest first, with what came of them."""

from __future__ import annotations

import os
from pathlib import Path

from app.lab.runs import find_runs, read_run, statuses_in, traces_of
from engine.lab.result import Environment, LabResult, Status, write_result
from engine.trace.events import Arm
from tests.fake_jobs import write_trace
from tests.fakes import MACHINE


def result(out: Path, lab: str, status: Status, began: str = "2026-01-02T03:04:05+00:00") -> None:
    out.mkdir(parents=True, exist_ok=True)
    arms = (Arm(name="baseline"), Arm(name="speculative", drafter="lookup"))
    environment = Environment(machine=MACHINE, app="test")
    conditions = {"plan": "full", "prompts": [1, 2]}
    write_result(
        out,
        LabResult(
            lab=lab, status=status, environment=environment, arms=arms, conditions=conditions,
            results={"deep": {"er": [1.5]}}, seconds=10.0, began=began,
        ),
    )  # fmt: skip


def test_the_worst_status_is_shown(tmp_path: Path) -> None:
    result(tmp_path / "a", "profile", "measured")
    result(tmp_path / "a", "lossless", "near-tie", "2026-01-02T03:00:00+00:00")
    result(tmp_path / "a", "sampling", "pass")
    run = read_run(tmp_path / "a")
    assert run is not None and run.status == "near-tie" and run.seconds == 30.0 and run.plan == "full"
    assert run.began == "2026-01-02T03:00:00+00:00" and [arm.drafter for arm in run.arms] == ["none", "lookup"]
    assert run.statuses == statuses_in(tmp_path / "a") and len(run.statuses) == 3 and run.report is None
    (tmp_path / "a" / "report.html").write_text("x")
    assert run.report == tmp_path / "a" / "report.html"
    result(tmp_path / "a", "stability", "fail")
    assert read_run(tmp_path / "a").status == "fail"


def test_what_is_no_run_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "lossless.json").write_text("{not json")
    (tmp_path / "file").write_text("x")
    assert find_runs(tmp_path) == [] and find_runs(tmp_path / "missing") == []
    (tmp_path / "broken" / "traces").mkdir()
    assert [run.status for run in find_runs(tmp_path)] == [""]


def test_newest_first_and_each_once(tmp_path: Path) -> None:
    base, other = tmp_path / "base", tmp_path / "elsewhere" / "run"
    for number, out in enumerate((base / "one", base / "two", other)):
        result(out, "lossless", "pass")
        os.utime(out, (1000 + number, 1000 + number))
    found = find_runs(base, [str(other), str(base / "one"), str(tmp_path / "gone")])
    assert [run.path for run in found] == [other, base / "two", base / "one"]


def test_traces_of_a_run(tmp_path: Path) -> None:
    file = write_trace(tmp_path / "traces" / "x.slipstream", (Arm(name="baseline"),))
    (tmp_path / "traces" / "x.txt").write_text("x")
    assert traces_of(tmp_path) == [Path(file)]
