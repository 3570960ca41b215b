"""The Train page from plan to a drafter at work in the chat, over a scripted job."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app import paths
from app.drafters.own import own_drafters, target_of
from app.drafters.schemes import Scheme
from app.settings.arm_dialog import ArmDialog
from app.settings.arms import with_drafter
from app.settings.drafter_picker import DrafterPicker
from app.train import desk as train_desk
from app.train.page import TrainPage
from app.train.words import HELD_OUT, LOSS, TrainPlan, free_folder
from app.window import Window
from engine.trace.events import Arm
from tests.app.conftest import OpenWindow
from tests.app.jobs import MOST_MS, scripted, wait_for_end


def train_of(window: Window) -> TrainPage:
    window.show_page("train")
    page = window.page_of["train"]
    assert isinstance(page, TrainPage)
    return page


def start(window: Window, mode: str = "", after: int = 12, wait_in: str = "") -> TrainPage:
    page = train_of(window)
    window.work.jobs.command = scripted(mode, after, wait_in=wait_in)
    page.setup.start.click()
    return page


def press(page: TrainPage, text: str) -> None:
    next(button for button in page.panel.buttons if button.text() == text).click()


def test_a_drafter_is_trained_and_used_with_one_click(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window()
    page = start(window)
    wait_for_end(qtbot, window)
    assert page.panel.plan.texts() == [
        ("Text", "done"), ("Hidden states", "done"), ("Training", "done"), ("Evaluation", "done"), ("Saving", "done"),
    ]  # fmt: skip
    assert page.panel.sentence.text() == "The drafter is ready, and stands in the drafter menu of every pane."
    assert page.loss.value.text() == "2.39" and page.held_out.value.text() == "1.95"
    folder = paths.drafters_dir() / "SmolLM2-135M-4-bit-B"
    assert [(own.folder, own.scheme, own.target) for own in own_drafters()] == [(folder, Scheme.DFLASH, "SmolLM2 135M")]
    picker = DrafterPicker("embedded")
    assert picker.kind.itemText(picker.kind.findData(str(folder))) == "SmolLM2-135M-4-bit-B · B · DFlash"
    picker.deleteLater()
    press(page, "Use in Chat")
    assert window.pages.currentWidget() is window.chat
    assert [arm.drafter for arm in window.arms.arms] == ["none", str(folder)]
    window.show_page("train")
    assert len(page.shelf.use_buttons) == 1 and page.shelf.empty.isHidden()
    press(page, "New Drafter")
    assert page.left.currentIndex() == 0
    assert free_folder(paths.drafters_dir(), "embedded", "B").name == "SmolLM2-135M-4-bit-B-2"


def test_stop_and_keep(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(begin=False)
    page = start(window, wait_in="evaluate")
    qtbot.waitUntil(lambda: HELD_OUT in window.work.jobs.state.curves, timeout=MOST_MS)
    qtbot.waitUntil(lambda: page.held_out.plot.isVisible() and not page.held_out.empty.isVisible())
    assert page.panel.stop.text() == "Stop and Keep" and " left" in page.panel.line.text()
    page.panel.stop.click()
    wait_for_end(qtbot, window)
    assert page.panel.sentence.text().startswith("Stopped after step 1000; the best drafter so far is kept. 1.95")
    assert [button.text() for button in page.panel.buttons] == [
        "Use in Chat", "Go On Training", "Show in Folder", "New Drafter",
    ]  # fmt: skip
    assert LOSS in window.work.jobs.state.curves and len(own_drafters()) == 1


def test_what_was_stopped_goes_on_in_a_later_session(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(begin=False)
    page = start(window, wait_in="train")
    qtbot.waitUntil(lambda: window.work.jobs.state.stage == "train", timeout=MOST_MS)
    page.panel.stop.click()
    wait_for_end(qtbot, window)
    out = paths.drafters_dir() / "SmolLM2-135M-4-bit-B"
    assert free_folder(paths.drafters_dir(), "embedded", "B").name == f"{out.name}-2"
    window.close()
    window = open_window(begin=False)
    page = train_of(window)
    (button,) = page.shelf.go_on_buttons
    assert button.isEnabled() and button.accessibleName() == f"Go on training {out.name}"
    window.work.jobs.command = scripted()
    button.click()
    assert page.left.currentIndex() == 1 and page.shelf.go_on_buttons == []
    wait_for_end(qtbot, window)
    assert window.work.jobs.state.out == str(out) and window.work.jobs.state.ended.status == "done"
    assert page.shelf.go_on_buttons == [] and len(page.shelf.use_buttons) == 1


def test_stopped_before_there_is_a_drafter(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(begin=False)
    page = start(window, wait_in="text")
    qtbot.waitUntil(lambda: window.work.jobs.state.stage == "text", timeout=MOST_MS)
    page.panel.stop.click()
    wait_for_end(qtbot, window)
    assert page.panel.sentence.text().startswith("Stopped before there was a drafter to keep.")
    assert [button.text() for button in page.panel.buttons] == ["New Drafter"] and own_drafters() == []


def test_choices_are_remembered_and_prompts_checked(
    open_window: OpenWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prompts = tmp_path / "prompts.txt"
    prompts.write_text("Why?\n", encoding="utf-8")
    window = open_window(begin=False)
    setup = train_of(window).setup
    setup.scheme.setCurrentIndex(setup.scheme.findData("table"))
    assert "no forward at all" in setup.scheme_note.text()
    setup.hours.setValue(0.5)
    monkeypatch.setattr(train_desk.QFileDialog, "getOpenFileName", lambda *_: (str(prompts), ""))
    setup.choose.click()
    assert setup.own_prompts.isChecked() and setup.own_prompts.text() == "My prompts: prompts.txt"
    window.close()
    prompts.unlink()
    setup = train_of(open_window(begin=False)).setup
    assert (setup.chosen_scheme, setup.hours.value(), setup.chosen_prompts) == ("table", 0.5, str(prompts))
    assert setup.problem.text() == "prompts.txt isn't there any more: choose another file."
    assert not setup.start.isEnabled()
    setup.own_text.click()
    assert setup.start.isEnabled() and setup.chosen_prompts == ""


def test_no_file_chosen_leaves_the_models_own_text(open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    setup = train_of(open_window(begin=False)).setup
    monkeypatch.setattr(train_desk.QFileDialog, "getOpenFileName", lambda *_: ("", ""))
    setup.own_prompts.click()
    assert setup.own_text.isChecked() and setup.start.isEnabled()


def test_drafters_of_every_folder_stay_on_the_shelf_and_in_the_menu(
    open_window: OpenWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = open_window(begin=False)
    folders = [tmp_path / "disk one", tmp_path / "disk two"]
    for folder in folders:
        folder.mkdir()
        page = train_of(window)
        monkeypatch.setattr(train_desk.QFileDialog, "getExistingDirectory", lambda *_, folder=folder: str(folder))
        page.setup.folder.click()
        start(window)
        wait_for_end(qtbot, window)
        assert page.panel.sentence.text() == "The drafter is ready, and stands in the drafter menu of every pane."
        press(page, "New Drafter")
    made = [folder / "SmolLM2-135M-4-bit-B" for folder in folders]
    assert [button.accessibleName() for button in page.shelf.use_buttons] == [
        f"Use {path.name} ({path.parent.name}) in the chat" for path in made
    ]
    page.shelf.use_buttons[0].click()
    assert window.arms.arms[1].drafter == str(made[0])
    window.arms.edit(window.arms.arms[1].name)
    dialog = window.findChild(ArmDialog)
    kind = dialog.drafter.kind
    assert kind.currentText() == "SmolLM2-135M-4-bit-B (disk one) · B · DFlash"
    assert kind.itemText(kind.findData(str(made[1]))) == "SmolLM2-135M-4-bit-B (disk two) · B · DFlash"
    dialog.reject()
    monkeypatch.setattr(
        train_desk.QFileDialog, "getExistingDirectory", lambda *_: str(tmp_path / "disk two" / ".." / "disk one")
    )
    page.setup.folder.click()
    assert len(page.shelf.use_buttons) == 2
    window.close()
    folders[1].rename(tmp_path / "gone")
    page = train_of(open_window(begin=False))
    (button,) = page.shelf.use_buttons
    assert button.accessibleName() == "Use SmolLM2-135M-4-bit-B in the chat"
    (tmp_path / "gone").rename(folders[1])
    page.came.emit()
    assert len(page.shelf.use_buttons) == 2


def test_the_words_of_a_plan() -> None:
    plan = TrainPlan("E", "/models/x", "/out/x-E", 1.5, "/p.txt")
    assert plan.words == [
        "train", "--scheme", "E", "--target", "/models/x", "--out", "/out/x-E", "--hours", "1.5", "--prompts", "/p.txt",
    ]  # fmt: skip


def test_a_drafter_brings_the_model_it_was_trained_for(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(begin=False)
    start(window)
    wait_for_end(qtbot, window)
    window.arms.set_target("/models/other")
    page = train_of(window)
    page.shelf.use_buttons[0].click()
    assert {arm.target for arm in window.arms.arms} == {"embedded"}


def test_which_pane_gets_the_drafter() -> None:
    base, spec, more = Arm(name="baseline"), Arm(name="speculative", drafter="lookup"), Arm(name="c", drafter="table")
    assert [arm.drafter for arm in with_drafter((base, spec, more), "/d")] == ["none", "/d", "table"]
    alone = with_drafter((base,), "/d", "/models/t")
    assert [(arm.drafter, arm.target) for arm in alone] == [("none", "/models/t"), ("/d", "/models/t")]
    assert target_of({"about": {"target": 3}, "target": "t"}) == "t" and target_of({}) == ""


def test_both_languages(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(begin=False)
    page = start(window)
    wait_for_end(qtbot, window)
    window.actions_["language_zh_CN"].trigger()
    QApplication.processEvents()
    assert page.panel.buttons[0].text() == "在对话中使用" and page.loss.heading.text() == "训练损失"
    assert page.panel.plan.texts()[2] == ("训练", "完成")
