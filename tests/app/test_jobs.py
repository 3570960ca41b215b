"""A long job may crash, be refused, be deaf or talk nonsense: it always ends once, with a sentence, and leaves no
process behind. What it said is folded into bounded memory.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytestqt.qtbot import QtBot

from app.engine_link import EngineLink
from app.job_state import MOST_CELLS, MOST_CURVES, MOST_POINTS, Curve, JobState, seconds_left, share_done, stage_state
from app.jobs import JobRunner, job_command, last_line
from engine.process import launch
from engine.process.jobs import JobCell, JobEnded, JobPoint, JobProgress, JobStarted

Make = Callable[..., JobRunner]
MOST_MS = 20000


def scripted(mode: str = "", after: int = 12, pause_s: float = 0.0) -> Callable[..., list[str]]:
    own = ["--mode", mode, "--after", str(after), "--pause-s", str(pause_s)]
    return lambda words: [sys.executable, "-m", "tests.fake_jobs", *own, "--", *words, "--progress", "json"]


@pytest.fixture
def make(qapp: object, tmp_path: Path) -> Iterator[Make]:
    runners = []

    def runner(mode: str = "", after: int = 12, pause_s: float = 0.0, patience_s: float = 20.0) -> JobRunner:
        runners.append(JobRunner(tmp_path, scripted(mode, after, pause_s), patience_s))
        return runners[-1]

    yield runner
    for item in runners:
        item.close()


def lab(tmp_path: Path, *labs: str) -> list[str]:
    return ["lab", *(labs or ("all",)), "--out", str(tmp_path / "out"), "--plan", "quick"]


def run(qtbot: QtBot, runner: JobRunner, words: list[str]) -> JobEnded:
    with qtbot.waitSignal(runner.ended, timeout=MOST_MS) as caught:
        assert runner.start("lab", words)
    return caught.args[0]


def test_it_runs_this_program_as_the_engine_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert job_command(["lab", "all"]) == [sys.executable, "-m", "engine.cli", "lab", "all", "--progress", "json"]
    assert EngineLink(tmp_path)._command[:-1] == job_command(["engine"])[:3]
    monkeypatch.setattr(launch.sys, "frozen", True, raising=False)
    assert job_command(["lab", "all"]) == [sys.executable, "lab", "all", "--progress", "json"]


def test_a_job_is_folded_into_its_state(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    runner = make()
    ended = run(qtbot, runner, lab(tmp_path))
    state = runner.state
    assert ended.status == "done" and ended.files[0].endswith("report.html") and not runner.running
    assert state.job == "lab all" and [stage_state(state, stage) for stage in state.stages] == ["done"] * 7
    assert share_done(state) == 1.0 and seconds_left(state) is None
    cell = state.tables["lossless"].cells["lookup", "greedy"]
    assert cell.text == "PASS" and Path(cell.traces[0]).is_file()
    assert state.curves["lookup"].x[:2] == [1.0, 2.0] and len(state.curves["lookup"].y) >= 7


def test_one_job_at_a_time(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    runner = make(pause_s=0.05)
    assert runner.start("lab", lab(tmp_path))
    before = runner.process_id
    assert not runner.start("train", lab(tmp_path)) and runner.process_id == before and runner.state.kind == "lab"
    with qtbot.waitSignal(runner.ended, timeout=MOST_MS):
        runner.kill()
    assert runner.state.ended is not None and runner.state.ended.status == "stopped"
    assert run(qtbot, runner, lab(tmp_path, "sweep")).status == "done" and runner.state.stages == ["sweep"]


def test_stopping_keeps_what_is_done(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    runner = make(pause_s=0.02)
    runner.start("lab", lab(tmp_path))
    qtbot.waitUntil(lambda: "lossless" in runner.state.tables, timeout=MOST_MS)
    with qtbot.waitSignal(runner.ended, timeout=MOST_MS) as caught:
        runner.stop()
        assert runner.stopping and runner.running
    assert caught.args[0].status == "stopped" and "is kept" in caught.args[0].message
    assert stage_state(runner.state, "stability") == "left out" and (tmp_path / "out" / "lossless.json").is_file()


def test_a_deaf_job_is_killed_and_the_loss_is_told(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    runner = make("deaf", pause_s=0.1, patience_s=0.3)
    runner.start("lab", lab(tmp_path))
    qtbot.waitUntil(lambda: bool(runner.state.stages), timeout=MOST_MS)
    with qtbot.waitSignal(runner.ended, timeout=MOST_MS) as caught:
        runner.stop()
    assert caught.args[0] == JobEnded(
        status="stopped",
        message="The job did not stop in time and was ended: what it had not written yet is lost.",
    )


def test_asking_twice_ends_it_at_once(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    runner = make("deaf", pause_s=0.1, patience_s=600)
    runner.start("lab", lab(tmp_path))
    qtbot.waitUntil(lambda: bool(runner.state.stages), timeout=MOST_MS)
    runner.stop()
    with qtbot.waitSignal(runner.ended, timeout=MOST_MS):
        runner.stop()
    assert not runner.running and not runner.stopping


@pytest.mark.parametrize(
    ("mode", "sentence"),
    [
        ("crash", "The job crashed (signal 6); what it had written is kept, and its log says more."),
        ("exit", "The job ended early (exit status 3): MemoryError: no room for the taps"),
        ("refuse", "There is no model at /nowhere: choose another folder."),
    ],
)
def test_a_job_that_dies_is_told_in_one_sentence(
    make: Make, qtbot: QtBot, tmp_path: Path, mode: str, sentence: str
) -> None:
    ended = run(qtbot, make(mode), lab(tmp_path))
    assert ended == JobEnded(status="failed", message=sentence)


def test_a_request_that_is_wrong_is_told(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    ended = run(qtbot, make(), ["lab", "nonsense", "--out", str(tmp_path)])
    assert ended.status == "failed" and "nonsense" in ended.message and not ended.message.startswith("slipstream")


def test_a_program_that_is_not_there(qapp: object, qtbot: QtBot, tmp_path: Path) -> None:
    runner = JobRunner(tmp_path, lambda words: ["/nowhere/at/all", *words])
    with qtbot.waitSignal(runner.ended, timeout=MOST_MS) as caught:
        runner.start("lab", [])
    assert caught.args[0].message == "The job could not be started: /nowhere/at/all can't be run."
    assert not runner.running
    runner.close()


def test_garbage_is_skipped_and_logged(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    runner = make("garbage")
    assert run(qtbot, runner, lab(tmp_path)).status == "done"
    log = runner.log_path.read_text(encoding="utf-8")
    assert "not a message" in log and "too long to be a message" in log and len(log) < 10000
    assert "concurrency" in runner.state.stages


def test_closing_leaves_no_process(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    runner = make("deaf", pause_s=0.1)
    runner.start("lab", lab(tmp_path))
    qtbot.waitUntil(lambda: bool(runner.state.stages), timeout=MOST_MS)
    runner.close(wait_ms=100)
    assert not runner.running and runner.state.ended is not None


# --- what is folded


def test_memory_is_bounded() -> None:
    state = JobState()
    for number in range(5 * MOST_POINTS):
        state.apply(JobPoint(series="loss", x=number, y=-number))
    for number in range(2 * MOST_CURVES):
        state.apply(JobPoint(series=str(number), x=0, y=0))
    for number in range(2 * MOST_CELLS):
        state.apply(JobCell(table="t", row=str(number % 700), column=str(number // 700), value=number))
    curve = state.curves["loss"]
    assert len(curve.x) <= MOST_POINTS and len(curve.x) == len(curve.y) == len(curve.low) == len(curve.high)
    assert curve.x[0] == 0 and curve.x[-1] > 4.9 * MOST_POINTS and curve.y == [-x for x in curve.x]
    assert {b - a for a, b in zip(curve.x, curve.x[1:], strict=False)} == {curve.stride}
    assert len(state.curves) == MOST_CURVES and len(state.tables["t"].cells) == MOST_CELLS
    assert state.left_out == MOST_CURVES + 1 + MOST_CELLS
    state.apply(JobCell(table="t", row="0", column="0", value=1.5))
    assert state.tables["t"].cells["0", "0"].value == 1.5


def test_points_that_are_told_again_are_drawn_once_in_their_order() -> None:
    state = JobState()
    for x, y in ((30, 3.0), (40, 4.0), (10, 1.0), (20, 2.0), (30, 3.5), (50, 5.0)):
        state.apply(JobPoint(series="loss", x=x, y=y, low=y - 0.5, high=y + 0.5))
    curve = state.curves["loss"]
    assert curve.x == [10, 20, 30, 40, 50] and curve.y == [1.0, 2.0, 3.5, 4.0, 5.0]
    assert curve.low == [y - 0.5 for y in curve.y] and curve.high == [y + 0.5 for y in curve.y]


@given(st.lists(st.tuples(st.integers(0, 40), st.floats(-9, 9))))
def test_a_curve_is_in_order_and_the_last_word_counts(said: list[tuple[int, float]]) -> None:
    curve = Curve()
    for x, y in said:
        curve.add(JobPoint(series="loss", x=x, y=y))
    assert dict(zip(curve.x, curve.y, strict=True)) == dict(said) and curve.x == sorted(set(curve.x))


def test_a_long_curve_told_twice_stays_bounded_and_in_order() -> None:
    curve = Curve()
    for _ in range(2):
        for number in range(3 * MOST_POINTS):
            curve.add(JobPoint(series="loss", x=number, y=-number))
    assert MOST_POINTS / 4 < len(curve.x) <= MOST_POINTS and curve.x == sorted(set(curve.x))
    assert curve.x[0] == 0 and curve.x[-1] > 2.9 * MOST_POINTS and curve.y == [-x for x in curve.x]


def test_a_name_used_on_other_axes_is_another_curve() -> None:
    state = JobState()
    state.apply(JobPoint(series="mine", x=1, y=0.9, x_name="position", y_name="acceptance"))
    state.apply(JobPoint(series="mine", x=16, y=30.0, x_name="requests", y_name="tokens per second"))
    state.apply(JobPoint(series="mine", x=2, y=0.8, x_name="position", y_name="acceptance"))
    assert {name: curve.x for name, curve in state.curves.items()} == {"mine": [1, 2], "mine · tokens per second": [16]}


def test_stages_follow_the_plan() -> None:
    state = JobState(clock_s=100.0)
    state.apply(JobStarted(job="train B", stages=("text", "taps", "train", "save")))
    assert [stage_state(state, stage) for stage in state.stages] == ["waiting"] * 4
    assert share_done(state) is None and seconds_left(state, 110.0) is None
    state.apply(JobProgress(stage="taps", done=5, total=10, seconds_left=7.0))
    assert [stage_state(state, stage) for stage in state.stages] == ["done", "running", "waiting", "waiting"]
    assert share_done(state) == pytest.approx(0.375)
    assert seconds_left(state, 130.0) == pytest.approx(50.0)
    state.apply(JobProgress(stage="train", done=1, total=4, whole=True, seconds_left=33.0))
    assert share_done(state) == 0.25 and seconds_left(state, 130.0) == 33.0
    state.apply(JobEnded(status="failed", message="No."))
    assert [stage_state(state, stage) for stage in state.stages] == ["done", "done", "failed", "left out"]


def test_stages_have_weights_and_the_one_at_work_is_a_floor() -> None:
    state = JobState(clock_s=100.0, weights={"train": 8.0})
    state.apply(JobStarted(job="train B", stages=("text", "train", "save")))
    state.apply(JobProgress(stage="train", done=1, total=4, seconds_left=900.0))
    assert share_done(state) == pytest.approx(0.3) and seconds_left(state, 130.0) == 900.0
    assert seconds_left(state, 1100.0) == pytest.approx(1000 / 0.3 * 0.7)


@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.floats(0, 20), st.floats(0, 10), st.booleans())))
def test_the_share_is_always_one(said: list[tuple[str, float, float, bool]]) -> None:
    state = JobState(clock_s=0.0)
    state.apply(JobStarted(job="lab all", stages=("a", "b", "c")))
    for stage, done, total, whole in said:
        state.apply(JobProgress(stage=stage, done=done, total=total, whole=whole))
        share, left = share_done(state), seconds_left(state, 10.0)
        assert share is None or 0 <= share <= 1
        assert left is None or left >= 0
        assert {stage_state(state, name) for name in state.stages} <= {"waiting", "running", "done"}


def test_the_last_line_is_what_a_person_should_read() -> None:
    assert last_line(b"noise\nslipstream lab all: --out is missing.\n\n") == "--out is missing."
    assert last_line(b"slipstream: no.\n") == "no." and last_line(b"") == "" and len(last_line(b"x" * 9000)) == 500
