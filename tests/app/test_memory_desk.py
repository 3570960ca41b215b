"""What a load takes is said before it and asked about where it doesn't fit; what memory comes back is shown."""

from __future__ import annotations

import re
import sys

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app import sentences
from app.engine_link import State
from app.gauges.parts import Kind
from app.i18n import Language
from app.main import make_window
from app.settings.keys import Key
from app.window import Window
from engine.memory.count import Need
from engine.memory.estimate import Load
from engine.memory.need import judge
from engine.memory.pressure import PressureWatch, eased_sentence
from tests.app.chat.test_truth import change_block
from tests.app.conftest import OpenWindow, ask
from tests.fakes import NEW_BYTES, answer_tokens, memory_sample

GB = 1 << 30
TEXT = "".join(answer_tokens(256))


def wait_opened(window: Window, qtbot: QtBot) -> None:
    with qtbot.waitSignal(window.runner.opened, timeout=20000):
        pass


def test_what_a_load_takes_is_said_while_it_loads_and_gone_when_it_is_there(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    window = open_window(load_s=0.4)
    notice, gauge = window.chat.panes.first.notice, window.chat.memory
    qtbot.waitUntil(lambda: gauge.coming.isVisible(), timeout=20000)
    assert gauge.coming.text() == "Loading needs 1.0 GB, 9.0 GB are free."
    left, width = gauge.bar.planned_px()
    assert left == pytest.approx(gauge.bar.width() * 7 / 16) and width == pytest.approx(gauge.bar.width() / 16)
    qtbot.waitUntil(lambda: "needs 1.0 GB, 9.0 GB free" in notice.label.text(), timeout=20000)
    assert notice.label.text().startswith("Loading SmolLM2 135M · 50 %") and not window.chat.note.isVisible()
    wait_opened(window, qtbot)
    assert not gauge.coming.isVisible() and gauge.bar.planned_bytes == 0 and not notice.isVisible()


def test_a_tight_load_is_warned_of_with_its_numbers_until_it_is_dismissed(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    window = open_window(mode="tight")
    wait_opened(window, qtbot)
    note = window.chat.note
    assert note.isVisible() and all(figure in note.label.text() for figure in ("8.0 GB", "9.0 GB", "2.0 GB"))
    assert not window.chat.panes.first.notice.is_error
    ask(qtbot, window, "Go on")
    assert window.runner.session.last.runs["baseline"].finished and note.isVisible()
    note.dismiss.click()
    assert not note.isVisible()
    change_block(window, "speculative", 4)
    wait_opened(window, qtbot)
    assert note.isVisible()


def test_less_memory_kept_for_others_makes_the_warning_go(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(mode="tight", begin=False)
    window.settings.set(Key.MEMORY_RESERVE_GB, 0)
    window.begin()
    wait_opened(window, qtbot)
    assert not window.chat.note.isVisible()


def test_what_is_too_large_may_be_loaded_all_the_same(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(mode="memory")
    notice, gauge = window.chat.panes.first.notice, window.chat.memory
    qtbot.waitUntil(lambda: notice.is_error, timeout=20000)
    assert "12.0 GB more" in notice.label.text() and "9.0 GB free" in notice.label.text()
    assert gauge.coming.text() == "Loading would need 12.0 GB, 9.0 GB are free."
    assert gauge.bar.planned_bytes == NEW_BYTES["memory"] and not gauge.bar.planned_fits
    assert sum(gauge.bar.planned_px()) == pytest.approx(gauge.bar.width()), "no wider than what is free"
    assert not window.chat.note.isVisible()
    ask(qtbot, window, "Try")
    assert [button.text() for button in notice.buttons] == ["Load Anyway", "Settings…"]
    notice.buttons[0].click()
    qtbot.waitUntil(lambda: not window.runner.running, timeout=20000)
    assert window.runner.session.last.runs["baseline"].finished and not notice.isVisible()
    assert not gauge.coming.isVisible() and len(window.runner.session.exchanges) == 1
    change_block(window, "speculative", 4)
    qtbot.waitUntil(lambda: notice.is_error, timeout=20000)


def test_arms_that_were_refused_before_a_prompt_are_opened_anyway(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(mode="memory")
    notice = window.chat.panes.first.notice
    qtbot.waitUntil(lambda: notice.is_error, timeout=20000)
    notice.buttons[0].click()
    wait_opened(window, qtbot)
    assert not notice.isVisible() and not window.runner.session.exchanges


def test_memory_that_was_given_back_is_said_in_the_chat_and_marked(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(mode="eased", after=30)
    ask(qtbot, window, "Is it short?")
    note, line = window.chat.note, window.chat.memory.line
    assert note.isVisible() and "0.40 GB were given back" in note.label.text()
    assert line.said_of_marks() == ["memory was short: caches of 0.4 GB given back"]
    assert window.runner.session.last.runs["baseline"].text == TEXT
    window.actions_["language_zh_CN"].trigger()
    QApplication.processEvents()
    assert "0.40 GB" in note.label.text() and not re.search("[a-z]{3}", note.label.text())
    assert "0.4 GB" in line.said_of_marks()[0] and not re.search("[a-z]{3}", line.said_of_marks()[0])
    age_s = line.history.mark_ages_s()[0]
    assert line.said_of_marks()[0] in line.tip_at(line.width() * (1 + age_s / 120))
    window.conversation.ask("And now?")
    assert not note.isVisible()
    qtbot.waitUntil(lambda: not window.runner.running, timeout=20000)


def test_a_run_stopped_for_memory_keeps_its_text_and_is_marked(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(mode="critical", after=30)
    ask(qtbot, window, "Is there room?")
    for pane in window.chat.panes:
        run = window.runner.session.last.runs[pane.arm.name]
        assert run.failed and run.text and TEXT.startswith(run.text)
        assert run.text in pane.transcript.toPlainText()
        assert "almost out of memory (0.3 GB free)" in pane.notice.label.text()
        assert pane.notice.buttons[0].text() == "Retry"
    line = window.chat.memory.line
    assert line.said_of_marks() == ["memory was nearly used up: the run was stopped"]
    assert line.history.marks[0].kind == "stopped"


def test_models_are_unloaded_and_loaded_again_by_the_next_prompt(answered: Window, qtbot: QtBot) -> None:
    unload, gauge = answered.actions_["unload"], answered.chat.memory
    gauge.refresh()
    process, kept = answered.link.process_id, answered.chat.panes.first.transcript.toPlainText()
    weights = next(part for part in gauge.bar.parts if part.kind is Kind.TARGET)
    assert unload.isEnabled() and weights.size_bytes > 0
    unload.trigger()
    assert not unload.isEnabled() and answered.status.text == "Giving memory back…"
    qtbot.waitUntil(lambda: answered.link.state is State.READY, timeout=20000)
    qtbot.waitUntil(lambda: "given back" in answered.status.text, timeout=20000)
    assert answered.status.text.startswith("The models are unloaded: 1.4 GB given back.")
    gauge.refresh()
    assert next(part for part in gauge.bar.parts if part.kind is Kind.TARGET).size_bytes == 0
    assert gauge.line.history.sizes()[-1] == 0 and gauge.line.said_of_marks() == ["models unloaded: 1.4 GB given back"]
    assert answered.link.process_id == process and not unload.isEnabled()
    assert answered.chat.panes.first.transcript.toPlainText() == kept
    opened: list[object] = []
    answered.runner.opened.connect(opened.append)
    change_block(answered, "speculative", 4)
    assert not answered.runner.has_models and answered.runner.unloaded, "a setting alone loads nothing"
    ask(qtbot, answered, "And again?")
    assert answered.runner.session.last.runs["baseline"].text == TEXT and unload.isEnabled() and not opened
    assert len(answered.runner.session.exchanges) == 2


def test_models_are_unloaded_before_their_memory_was_ever_measured(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window()
    wait_opened(window, qtbot)
    assert window.chat.memory.sample is None
    window.actions_["unload"].trigger()
    assert window.status.text == "Giving memory back…"
    qtbot.waitUntil(lambda: not window.runner.has_models, timeout=20000)
    qtbot.waitUntil(lambda: window.status.text != "Giving memory back…", timeout=20000)
    assert window.status.text == "The models are unloaded. The next prompt loads them again."
    assert window.chat.memory.line.said_of_marks() == []
    window.actions_["language_zh_CN"].trigger()
    QApplication.processEvents()
    assert window.status.text and not re.search("[a-z]{2}", window.status.text)


def test_a_measurement_of_before_that_comes_late_still_counts(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window()
    wait_opened(window, qtbot)
    window.actions_["unload"].trigger()
    window.runner.events.emit([memory_sample(1.0)])
    assert window.status.text == "Giving memory back…"
    qtbot.waitUntil(lambda: "given back" in window.status.text, timeout=20000)
    assert window.status.text.startswith("The models are unloaded: 1.4 GB given back.")
    assert window.chat.memory.line.said_of_marks() == ["models unloaded: 1.4 GB given back"]


def test_nothing_is_unloaded_during_a_run(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(speed=100)
    window.conversation.ask("Long")
    qtbot.waitUntil(lambda: bool(window.runner.session.last.runs), timeout=20000)
    assert not window.actions_["unload"].isEnabled() and not window.runner.unload()
    window.runner.stop()
    qtbot.waitUntil(lambda: not window.runner.running, timeout=20000)
    assert window.actions_["unload"].isEnabled()


def engine_sentences() -> dict[str, str]:
    """As the engine makes them."""
    need = Need({"target weights": 12 * GB, "keys and values": GB})
    small = judge(need, 8192, 2 * GB, machine_bytes=8 * GB, available_bytes=4 * GB)
    tight = judge(need, 8192, 2 * GB, machine_bytes=16 * GB, available_bytes=14 * GB)
    short = judge(need, 8192, 2 * GB, machine_bytes=16 * GB, available_bytes=4 * GB)
    return {
        "too large": Load(small, 13 * GB, 0).problem,
        "tight": tight.message,
        "more than is free": Load(short, 13 * GB, 0).problem,
        "eased": eased_sentence(GB // 3),
        "critical": PressureWatch(read=lambda: "critical").stop_reason(),
    }


@pytest.mark.parametrize("on_mac", [False, True])
def test_the_engine_says_nothing_of_memory_that_is_not_translated_whole(
    qapp: QApplication, monkeypatch: pytest.MonkeyPatch, on_mac: bool
) -> None:
    made = engine_sentences()
    if on_mac:
        made = {
            name: text.replace("this machine", "this Mac").replace("This machine", "This Mac")
            for name, text in made.items()
            if name != "eased"
        }
    language = Language(qapp)
    language.set("zh_CN")
    said = {name: sentences.translated(text) for name, text in made.items()}
    language.set("en")
    for name, text in said.items():
        assert made[name] and not re.search("[a-z]{2}", text.replace("Mac", "")), text
        assert re.findall(r"\d+\.\d+", text) and set(re.findall(r"\d+\.\d+", text)) == set(
            re.findall(r"\d+\.\d+", made[name])
        )
    assert sentences.says(made["critical"], sentences.OUT_OF_MEMORY)


def test_the_real_engine_gives_its_memory_back_and_loads_again(qapp: QApplication, qtbot: QtBot) -> None:
    window = make_window(qapp, [sys.executable, "-m", "engine.process.worker"])
    window.ask_before_quit = False
    window.show()
    try:
        needs: list[int] = []
        window.runner.estimated.connect(lambda estimate: needs.append(estimate.new_bytes))
        with qtbot.waitSignal(window.runner.opened, timeout=120000):
            window.begin()
        # The engine measures after it has said that the models are open.
        qtbot.waitUntil(lambda: window.chat.memory.sample is not None, timeout=60000)
        weights = window.chat.memory.sample.target_weights_bytes
        process = window.link.process_id
        window.actions_["unload"].trigger()
        qtbot.waitUntil(lambda: "given back" in window.status.text, timeout=120000)
        assert window.link.process_id == process and window.chat.memory.sample.target_weights_bytes == 0
        window.conversation.ask("Hi")
        qtbot.waitUntil(lambda: any(run.rounds for run in window.runner.session.last.runs.values()), timeout=120000)
        window.runner.stop()
        qtbot.waitUntil(lambda: not window.runner.running, timeout=60000)
        assert len(needs) == 2 and needs[0] == needs[1] > weights > 0
    finally:
        window.close()
        window.deleteLater()
