"""The Lab page from plan to report, over a scripted job."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyqtgraph import Point
from PySide6.QtCore import QPoint, Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app import paths
from app.lab import desk as lab_desk
from app.lab.page import LabPage
from app.settings.keys import Key
from app.settings.store import Store
from app.window import Window
from engine.trace.events import Arm
from tests.app.conftest import OpenWindow
from tests.app.jobs import MOST_MS, scripted, wait_for_end

SWEEP = "sweep · speed over baseline"


def lab_of(window: Window) -> LabPage:
    window.show_page("lab")
    page = window.page_of["lab"]
    assert isinstance(page, LabPage)
    return page


def start(window: Window, mode: str = "", after: int = 12, wait_in: str = "") -> LabPage:
    page = lab_of(window)
    window.work.jobs.command = scripted(mode, after, wait_in=wait_in)
    page.setup.start.click()
    return page


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[QUrl]:
    urls: list[QUrl] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: urls.append(url) or True)
    return urls


def press(page: LabPage, text: str) -> None:
    next(button for button in page.panel.buttons if button.text() == text).click()


def test_a_run_from_plan_to_report(open_window: OpenWindow, qtbot: QtBot, opened: list[QUrl]) -> None:
    window = open_window(begin=False)
    page = start(window)
    wait_for_end(qtbot, window)
    assert page.panel.plan.texts() == [
        ("Lossless", "NEAR-TIE"), ("Sampling", "PASS"), ("Profile", "measured"), ("Sweep", "measured"),
        ("Attribution", "measured"), ("Concurrency", "measured"), ("Stability", "measured"),
    ]  # fmt: skip
    assert [button.text() for button in page.panel.buttons] == ["Open Report", "Show in Folder", "New Run"]
    assert page.panel.sentence.text() == "Done. The report says what was found, in sentences."
    press(page, "Open Report")
    press(page, "Show in Folder")
    out = Path(window.work.jobs.state.out)
    assert out.parent == paths.lab_dir()
    assert opened == [QUrl.fromLocalFile(str(out / "report.html")), QUrl.fromLocalFile(str(out))]
    assert opened[0].scheme() == "file" and (out / "report.html").is_file()
    press(page, "New Run")
    assert page.left.currentIndex() == 0 and page.right.currentWidget() is page.runs
    run = page.runs.current
    assert run is not None and run.path == out and page.runs.detail.text().startswith("Lossless NEAR-TIE · Sampling")
    assert not page.runs.buttons["go_on"].isEnabled()


def test_progress_time_left_and_where_it_is_seen(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(begin=False)
    page = start(window, wait_in="sampling")
    qtbot.waitUntil(lambda: window.work.jobs.state.stage == "sampling", timeout=MOST_MS)
    qtbot.waitUntil(lambda: "% · " in page.panel.line.text() and "min left" in page.panel.line.text())
    qtbot.waitUntil(lambda: page.panel.plan.texts()[0] == ("Lossless", "NEAR-TIE"))
    assert page.panel.plan.texts()[2] == ("Profile", "waiting")
    window.show_page("chat")
    window.work.show()
    assert window.header.pages["lab"].text() == "Lab ●"
    assert window.header.pages["lab"].accessibleName() == "Lab, at work"
    assert window.windowTitle().startswith("Slipstream – Lab: ")
    job = window.actions_["job"]
    assert job.isVisible() and job.text().startswith("Lab: ") and job.text().endswith("left")
    job.trigger()
    assert window.pages.currentWidget() is page
    page.panel.stop.click()
    wait_for_end(qtbot, window)
    assert window.header.pages["lab"].text() == "Lab" and window.windowTitle() == "Slipstream"
    assert not job.isVisible()


def test_cancel_keeps_what_is_done_and_go_on_does_the_rest(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(begin=False)
    page = start(window, wait_in="profile")
    qtbot.waitUntil(lambda: window.work.jobs.state.stage == "profile", timeout=MOST_MS)
    page.panel.stop.click()
    assert page.panel.stop.text() == "End Now" or not window.work.jobs.running
    wait_for_end(qtbot, window)
    assert page.panel.sentence.text() == "Stopped in profile; what was measured before it is kept."
    assert dict(page.panel.plan.texts())["Stability"] == "not begun"
    out = Path(window.work.jobs.state.out)
    assert (out / "lossless.json").is_file()
    before = (out / "lossless.json").stat().st_mtime_ns
    window.work.jobs.command = scripted()
    press(page, "Go On")
    wait_for_end(qtbot, window)
    assert window.work.jobs.state.out == str(out) and (out / "report.html").is_file()
    assert (out / "lossless.json").stat().st_mtime_ns == before


def test_a_former_run_can_go_on(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(begin=False)
    page = start(window, wait_in="profile")
    qtbot.waitUntil(lambda: window.work.jobs.state.stage == "profile", timeout=MOST_MS)
    window.work.jobs.stop()
    wait_for_end(qtbot, window)
    press(page, "New Run")
    window.work.jobs.command = scripted()
    assert page.runs.current is not None and page.runs.current.status == "stopped"
    page.runs.buttons["go_on"].click()
    wait_for_end(qtbot, window)
    page.came.emit()
    assert page.runs.current.status == "near-tie" and len(page.runs.current.statuses) == 7


@pytest.mark.parametrize("mode", ["crash", "exit", "refuse"])
def test_a_job_that_dies_is_told_where_the_work_was(open_window: OpenWindow, qtbot: QtBot, mode: str) -> None:
    window = open_window(begin=False)
    page = start(window, mode)
    wait_for_end(qtbot, window)
    ended = window.work.jobs.state.ended
    assert ended is not None and page.panel.sentence.text() == ended.message and ended.message
    assert page.panel.sentence.property("role") == "warning"
    assert page.panel.buttons[-1].text() == "New Run"
    press(page, "New Run")
    assert page.setup.start.isEnabled()


def test_a_cell_opens_the_traces_behind_it(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(begin=False)
    page = start(window)
    wait_for_end(qtbot, window)
    page.results.tables.pick(SWEEP)
    page.results.show_state(window.work.jobs.state)
    matrix = page.results.matrix
    QApplication.processEvents()
    index = matrix.model_.index(0, 1)
    assert matrix.model_.data(index) == "1.50" and "1.42 – 1.59" in str(
        matrix.model_.data(index, Qt.ItemDataRole.ToolTipRole)
    )
    qtbot.mouseClick(matrix.viewport(), Qt.MouseButton.LeftButton, pos=matrix.visualRect(index).center())
    assert window.pages.currentWidget() is window.traces
    assert [path.name for path in window.traces.model.paths] == ["sweep.slipstream"]
    assert "block 4" in window.traces.note.text() and window.traces.all_button.isVisible()
    window.traces._open(0)
    assert window.pages.currentWidget() is window.chat and window.desk.trace is not None
    window.show_page("traces")
    window.traces.all_button.click()
    assert window.traces.model.paths == [] and not window.traces.all_button.isVisible()
    window.traces.close_readers()


def test_a_cell_is_opened_with_the_keyboard(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(begin=False)
    page = start(window)
    wait_for_end(qtbot, window)
    page.results.tables.pick(SWEEP)
    page.results.show_state(window.work.jobs.state)
    matrix = page.results.matrix
    matrix.setFocus()
    matrix.setCurrentIndex(matrix.model_.index(0, 0))
    qtbot.keyClick(matrix, Qt.Key.Key_Return)
    assert window.pages.currentWidget() is window.traces
    window.traces.close_readers()


def test_panes_of_the_chat_are_offered(open_window: OpenWindow) -> None:
    arms = (Arm(name="baseline"), Arm(name="speculative", drafter="lookup"), Arm(name="mine", drafter="/a,b/c"))
    window = open_window(begin=False, arms=arms)
    setup = lab_of(window).setup
    assert [box.isEnabled() for box in setup.arm_boxes.values()] == [False, True, True]
    assert not setup.start.isEnabled() and setup.problem.text() == (
        "The folder of mine has a comma in its name: rename it first."
    )
    setup.arm_boxes["mine"].setChecked(False)
    assert setup.start.isEnabled() and [arm.name for arm in setup.arms] == ["baseline", "speculative"]
    setup.arm_boxes["speculative"].setChecked(False)
    assert "nothing to be compared with" in setup.problem.text() and not setup.start.isEnabled()
    window.arms.remove("mine")
    assert list(setup.arm_boxes) == ["baseline", "speculative"]
    assert not setup.arm_boxes["speculative"].isChecked()


def test_choices_are_remembered(open_window: OpenWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    window = open_window(begin=False)
    setup = lab_of(window).setup
    for lab in ("profile", "sweep"):
        setup.lab_boxes[lab].setChecked(False)
    setup.plans["full"].click()
    monkeypatch.setattr(lab_desk.QFileDialog, "getExistingDirectory", lambda *_: str(tmp_path))
    setup.folder.click()
    window.close()
    again = open_window(begin=False)
    setup = lab_of(again).setup
    assert setup.labs == ("lossless", "sampling", "attribution", "concurrency", "stability") and setup.plan == "full"
    assert setup.where.toolTip() == str(tmp_path)
    for box in setup.lab_boxes.values():
        box.setChecked(False)
    assert setup.problem.text() == "Choose at least one lab." and not setup.start.isEnabled()


def test_some_labs_in_another_folder(open_window: OpenWindow, qtbot: QtBot, tmp_path: Path) -> None:
    window = open_window(begin=False)
    window.store.set(Key.LAB_DIR, str(tmp_path))
    page = lab_of(window)
    for lab, box in page.setup.lab_boxes.items():
        box.setChecked(lab in ("lossless", "sweep"))
    start(window)
    wait_for_end(qtbot, window)
    assert [name for name, _ in page.panel.plan.texts()] == ["Lossless", "Sweep"]
    out = Path(window.work.jobs.state.out)
    assert out.parent == tmp_path and Store().strings(Key.LAB_RUNS) == [str(out)]
    assert [run.path for run in page.runs.model.runs] == [out]


def test_one_heavy_job_at_a_time(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(speed=40)
    page = lab_of(window)
    window.conversation.ask("Long")
    qtbot.waitUntil(lambda: window.runner.running, timeout=MOST_MS)
    assert page.setup.problem.text() == "An answer is being written: stop it, or wait for its end."
    assert not window.work.start("lab", ["lab", "all"]) and not window.work.jobs.running
    window.runner.stop()
    qtbot.waitUntil(lambda: not window.runner.running, timeout=MOST_MS)
    assert page.setup.start.isEnabled()
    start(window, wait_in="lossless")
    assert window.link.process_id == 0, "the engine lets its models go"
    window.show_page("train")
    train = window.page_of["train"]
    assert train.setup.problem.text() == "Lab is at work: one heavy job at a time."
    assert not train.setup.start.isEnabled()
    window.work.jobs.stop()
    wait_for_end(qtbot, window)
    assert train.setup.start.isEnabled() and window.link.process_id != 0, "and takes them up again"
    assert window.status.text == "Lab: stopped."
    window.status.button.click()
    assert window.pages.currentWidget() is page


def test_quit_asks_and_stops_the_job(open_window: OpenWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    window = open_window(begin=False)
    start(window, wait_in="lossless")
    qtbot.waitUntil(lambda: bool(window.work.jobs.state.out), timeout=MOST_MS)
    window.ask_before_quit = True
    monkeypatch.setattr(Window, "_may_quit", lambda self: False)
    assert not window.close() and window.work.jobs.running
    monkeypatch.setattr(Window, "_may_quit", lambda self: True)
    assert window.close() and not window.work.jobs.running
    assert window.work.jobs.state.ended is not None and window.work.jobs.state.ended.status == "stopped"


def test_both_languages(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(begin=False)
    page = start(window)
    wait_for_end(qtbot, window)
    window.actions_["language_zh_CN"].trigger()
    QApplication.processEvents()
    assert page.panel.plan.texts()[0][0] == "无损性" and page.panel.title.text() == "快速运行"
    assert page.panel.buttons[0].text() == "打开报告"
    assert page.setup.lab_boxes["sweep"].text() == "参数扫描"
    window.actions_["language_en"].trigger()
    QApplication.processEvents()
    assert page.panel.buttons[0].text() == "Open Report"


def test_curves_show_intervals_and_say_their_points(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(begin=False)
    page = start(window)
    wait_for_end(qtbot, window)
    page.results.curves.pick("speed over baseline / block length")
    page.results.show_state(window.work.jobs.state)
    plot = page.results.plot
    assert plot.spoken() == "speed · speculative: 1.66 (block length 12)"
    at = plot.getViewBox().mapViewToDevice(QPoint(8, 2))
    assert at is not None and plot.tip_at(-500, -500) == ""
    state = window.work.jobs.state.curves["speed · speculative"]
    point = plot.getViewBox().mapViewToDevice(Point(state.x[0], state.y[0]))
    assert plot.tip_at(point.x(), point.y()) == "speed · speculative\nblock length 2: 1.29 (1.21 – 1.38)"
