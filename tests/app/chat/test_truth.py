"""What stands in the panes is said of what it is of: old settings, one answer of several, a difference within noise."""

from __future__ import annotations

import msgspec
import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QDoubleSpinBox
from pytestqt.qtbot import QtBot

from app.settings.arm_dialog import ArmDialog, RealBox
from app.window import Window
from engine.process.protocol import Loading
from engine.trace.events import Failed, Round, Settings
from engine.trace.limits import MAX_TEMPERATURE
from tests.app.conftest import OpenWindow, ask
from tests.fakes import run_events


def change_block(window: Window, name: str, block: int) -> None:
    index = window.arms.index(name)
    arm = window.arms.arms[index]
    changed = msgspec.structs.replace(arm, settings=msgspec.structs.replace(arm.settings, block=block))
    window.arms.set(tuple(changed if other is arm else other for other in window.arms.arms))


def test_numbers_of_other_settings_are_dimmed_until_the_next_run(answered: Window, qtbot: QtBot) -> None:
    baseline, speculative = (pane.numbers for pane in answered.chat.panes)
    assert not speculative.again.isVisible() and speculative.ratio.isVisible()
    change_block(answered, "speculative", 4)
    assert speculative.again.isVisible() and speculative.again.text() == "Settings changed:\nrun again"
    assert speculative.speed.property("role") == "stale" and not speculative.ratio.isVisible()
    assert not baseline.again.isVisible() and baseline.speed.property("role") != "stale"
    change_block(answered, "speculative", 8)
    assert not speculative.again.isVisible() and speculative.speed.property("role") != "stale"
    change_block(answered, "speculative", 4)
    speculative.again.click()
    qtbot.waitUntil(lambda: not answered.runner.running, timeout=20000)
    assert not speculative.again.isVisible() and speculative.ratio.isVisible()
    assert len(answered.runner.session.exchanges) == 1


def test_a_ratio_to_changed_settings_is_no_ratio(answered: Window) -> None:
    change_block(answered, "baseline", 4)
    baseline, speculative = (pane.numbers for pane in answered.chat.panes)
    assert baseline.again.isVisible() and speculative.again.isVisible()
    assert baseline.speed.property("role") == "stale" and speculative.speed.property("role") != "stale"
    assert not speculative.ratio.isVisible()


def test_it_is_said_which_answers_numbers_are_of(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window()
    ask(qtbot, window, "First?")
    pane, heatmap = window.chat.panes.pane("speculative"), window.chat.heatmap
    assert pane.numbers.unit.text() == "tok/s" and "answers" not in heatmap.summary.text()
    ask(qtbot, window, "Second?")
    window.chat.heatmap.refresh()
    assert "last answer" in pane.numbers.unit.text()
    assert heatmap.summary.text().startswith("All 2 answers: 150 rounds")


@pytest.mark.parametrize(("slower_by", "role"), [(1.0, ""), (0.4, "ratio"), (3.0, "slower")])
def test_only_a_difference_beyond_the_scatter_is_coloured(open_window: OpenWindow, slower_by: float, role: str) -> None:
    window = open_window()
    session = window.runner.session
    for number, arm in enumerate(window.arms.arms):
        plain = msgspec.structs.replace(arm, drafter="none")
        for event in run_events(plain, 0, "Near?", 120):
            if isinstance(event, Round):
                # Two clocks that scatter alike around almost the same mean.
                time_s = 0.02 + 0.004 * (event.index % 3) + 0.0002 * number
                event = msgspec.structs.replace(event, verify_s=time_s * (slower_by if number else 1.0))
            session.apply(event)
    window.chat.show_session(session)
    numbers = window.chat.panes.pane("speculative").numbers
    assert numbers.ratio.property("role") == role
    assert "From the scatter of the rounds" in numbers.ratio.toolTip()


def test_a_removed_pane_leaves_the_heatmap(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window()
    window.arms.add()
    ask(qtbot, window, "Three?")
    assert set(window.chat.heatmap._arms) == {"baseline", "speculative", "speculative 2"}
    window.arms.remove("speculative 2")
    assert "speculative 2" not in window.chat.heatmap._arms and not window.chat.heatmap.switch.isVisible()
    window.actions_["language_zh_CN"].trigger()
    QApplication.processEvents()
    assert "speculative 2" not in window.chat.heatmap._arms
    assert window.chat.heatmap.shown_arm == "speculative" and window.chat.heatmap.current_round() is None
    window.arms.add()
    assert len(window.chat.heatmap._arms["speculative 2"].rounds) == 75, "its rounds come back with the pane"


def test_news_follows_the_language(answered: Window, qtbot: QtBot) -> None:
    answered.actions_["clear"].trigger()
    assert answered.status.text == "The conversation was cleared." and answered.status.button.text() == "Undo"
    notice = answered.chat.panes.first.notice
    answered.chat.news.show_loading(Loading(id=1, what="SmolLM2", done=1, total=4))
    answered.chat.panes.pane("speculative").notice.show_error("There is no trace /a: check the name.")
    answered.actions_["language_zh_CN"].trigger()
    QApplication.processEvents()
    assert answered.status.text == "对话已清空。" and answered.status.button.text() == "撤销"
    assert notice.label.text() == "正在载入 SmolLM2 · 25 %"
    assert answered.chat.panes.pane("speculative").notice.label.text() == "没有轨迹 /a：请检查名称。"
    answered.actions_["language_en"].trigger()
    QApplication.processEvents()
    assert notice.label.text() == "Loading SmolLM2 · 25 %"


def test_numbers_follow_the_language(answered: Window) -> None:
    answered.actions_["language_zh_CN"].trigger()
    QApplication.processEvents()
    numbers = answered.chat.panes.first.numbers
    assert numbers.value("first_token").endswith("秒") and numbers.unit.text() == "词元/秒"


def test_a_trace_without_text_keeps_verdict_and_banner_in_the_language(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window()
    window.recorder.keep_text = False
    ask(qtbot, window, "Secret?")
    verdict = window.chat.verdict.button.text()
    window.open_trace(window.recorder.path)
    assert window.chat.verdict.button.text() == verdict and "Identical (256 tokens)" in verdict
    assert window.chat.banner.label.text().endswith("· without text")
    window.actions_["language_zh_CN"].trigger()
    QApplication.processEvents()
    assert window.chat.banner.label.text().endswith("· 不含文本")


def test_undo_takes_its_notice_with_it(answered: Window) -> None:
    answered.actions_["clear"].trigger()
    answered.actions_["undo_clear"].trigger()
    assert answered.status.text == ""
    answered.actions_["clear"].trigger()
    answered.status.say("Other news")
    answered.actions_["undo_clear"].trigger()
    assert answered.status.text == "Other news"


def test_an_error_goes_with_the_settings_that_caused_it(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(mode="refuse")
    ask(qtbot, window, "Refused?")
    notice = window.chat.panes.pane("speculative").notice
    assert notice.is_error and notice.isVisible()
    change_block(window, "speculative", 4)
    assert not notice.isVisible()


def test_a_line_about_the_engine_goes_when_the_run_ends(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(speed=100)
    window.conversation.ask("Long")
    window._hung("The engine has not answered for 30 s; wait for it, or restart it and ask again.")
    assert "has not answered" in window.status.text
    window.runner.stop()
    qtbot.waitUntil(lambda: not window.runner.running, timeout=5000)
    assert window.status.text == ""


def test_a_prompt_sent_while_a_stop_is_pending_is_sent_afterwards(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(speed=60)
    window.conversation.ask("Long")
    qtbot.waitUntil(lambda: bool(window.runner.session.last.runs))
    composer = window.chat.composer
    composer.set_prompt("Next?")
    press_return(window)
    assert composer.editor.toPlainText() == "Next?" and "stop it first" in window.status.text
    window.runner.stop()
    press_return(window)
    assert "as soon as the run has stopped" in window.status.text
    qtbot.waitUntil(lambda: len(window.runner.session.exchanges) == 2, timeout=5000)
    assert window.runner.session.last.prompt == "Next?" and composer.editor.toPlainText() == ""
    qtbot.waitUntil(lambda: bool(window.runner.session.last.runs))
    window.runner.stop()
    qtbot.waitUntil(lambda: not window.runner.running, timeout=5000)


def press_return(window: Window) -> None:
    event = QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Return, Qt.KeyboardModifier.NoModifier, "\r")
    QApplication.sendEvent(window.chat.composer.editor, event)


def test_temperatures_of_the_command_line_can_be_typed(open_window: OpenWindow) -> None:
    window = open_window()
    window.arms.edit("speculative")
    dialog = window.findChild(ArmDialog)
    box = dialog.inputs["temperature"]
    assert isinstance(box, RealBox) and isinstance(box, QDoubleSpinBox)
    box.setValue(1.95)
    box.stepBy(3)
    assert box.value() == 2.0, "arrows end where use ends"
    box.setValue(MAX_TEMPERATURE)
    box.stepBy(1)
    assert box.value() == dialog.settings().temperature == MAX_TEMPERATURE
    box.stepBy(-1)
    assert box.value() == pytest.approx(MAX_TEMPERATURE - 0.1)
    assert Settings().temperature == 0
    dialog.reject()


@pytest.mark.parametrize("text_px", [13, 17, 22])
@pytest.mark.parametrize("panes", [2, 3, 4])
def test_nothing_is_cut_in_a_small_window(open_window: OpenWindow, qtbot: QtBot, panes: int, text_px: int) -> None:
    window = open_window()
    window.appearance.set_size(text_px)
    window.resize(960, 600)
    while len(window.arms.arms) < panes:
        window.arms.add()
    ask(qtbot, window, "Small?")
    qtbot.wait(50)
    outer = window.chat.panes
    for pane in outer:
        corner = pane.mapTo(outer, pane.rect().bottomRight())
        assert corner.x() < outer.width() and corner.y() < outer.height(), "a pane lies behind its neighbour"
        for label in (pane.numbers.speed, pane.numbers.ratio, pane.numbers.unit):
            needed = max(label.fontMetrics().horizontalAdvance(line) for line in label.text().split("\n"))
            assert not label.isVisible() or label.width() + 1 >= needed, label.text()
    window.chat.apply([Failed(arm="speculative", turn=0, t_s=1.0, message="The drafter's file is gone. " * 6)])
    qtbot.wait(50)
    notice = window.chat.panes.pane("speculative").notice
    assert notice.label.height() >= min(3, notice.label.heightForWidth(notice.label.width()))
    for button in notice.buttons:
        bottom = button.mapTo(window.chat.panes.pane("speculative"), button.rect().bottomRight())
        assert bottom.y() < window.chat.panes.pane("speculative").height() and button.height() >= 16
    legend = window.chat.heatmap.legend
    for row in legend.rows():
        assert all(legend._entry_px(*entry) <= legend.width() for entry in row)
