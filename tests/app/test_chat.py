"""Prompts and answers: what the panes show is what the engine said."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QInputMethodEvent, QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.chat import wording
from app.window import Window
from engine.trace.events import Round
from engine.trace.metrics import measure
from tests.app.conftest import OpenWindow, ask
from tests.fakes import answer_tokens, many_rounds

TEXT = "".join(answer_tokens(256))


def answer(window: Window, name: str) -> str:
    """The last answer as a pane shows it."""
    pane = window.chat.panes.pane(name)
    text = pane.transcript.toPlainText()
    return text[text.rindex(wording.target_title("embedded").split(" ·")[0]) :].split("\n", 1)[1]


def test_both_panes_stream_the_text_exactly(answered: Window) -> None:
    for name in ("baseline", "speculative"):
        assert answer(answered, name) == TEXT
        run = answered.runner.session.last.runs[name]
        assert run.text == TEXT


def test_numbers_are_those_of_the_metrics(answered: Window) -> None:
    runs = answered.runner.session.last.runs
    measured = {name: measure([run.started, run.prefill, *run.rounds, run.finished]) for name, run in runs.items()}
    for name, metrics in measured.items():
        numbers = answered.chat.panes.pane(name).numbers
        assert numbers.speed.text() == f"{metrics.tokens_per_s:.1f}"
        assert numbers.value("per_forward") == f"{metrics.tokens_per_forward:.2f}"
        assert numbers.value("first_token") == f"{metrics.time_to_first_token_s:.2f} s"
        assert numbers.value("target_forwards") == str(metrics.target_forwards)
    first, second = measured["baseline"], measured["speculative"]
    numbers = answered.chat.panes.pane("speculative").numbers
    assert numbers.ratio.text() == f"{second.tokens_per_s / first.tokens_per_s:.2f}×"
    assert numbers.value("accepted") == f"{second.draft_acceptance_rate * 100:.0f} %"
    assert numbers.value("rollbacks") == str(second.rollbacks)
    assert answered.chat.panes.pane("baseline").numbers.ratio.text() == ""


def test_coloured_tokens_add_up_to_the_numbers(answered: Window) -> None:
    run = answered.runner.session.last.runs["speculative"]
    spans = answered.chat.panes.pane("speculative").transcript.spans
    metrics = run.tally.metrics()
    origins = [spans.token(number).origin for number in range(len(spans))]
    assert origins.count("accepted") == metrics.accepted
    assert origins.count("correction") == metrics.corrections
    assert origins.count("bonus") == metrics.bonuses
    assert origins.count("plain") == metrics.plain


def test_verdict_is_identical_and_leads_to_the_end(answered: Window) -> None:
    assert "Identical (256 tokens)" in answered.chat.verdict.button.text()
    assert answered.chat.panes.pane("speculative").transcript.marked_token is None


def test_conversation_goes_on_with_its_history(open_window: OpenWindow, qtbot: QtBot, tmp_path) -> None:
    from engine.process.protocol import decode_request

    record = tmp_path / "asks"
    window = open_window(record=record)
    ask(qtbot, window, "First?")
    ask(qtbot, window, "Second?")
    first, second = (decode_request(line) for line in record.read_bytes().splitlines())
    assert first.history == {}
    assert [turn.user for turn in second.history["speculative"]] == ["First?"]
    assert second.history["speculative"][0].assistant == TEXT
    assert second.turn == first.turn + 1


def token_point(window: Window, name: str, number: int) -> QPoint:
    transcript = window.chat.panes.pane(name).transcript
    transcript._bring_into_view(number)
    QApplication.processEvents()
    ink = next(iter(transcript._inks(range(number, number + 1))))
    return QPoint(round((ink.left + ink.right) / 2), round(ink.baseline - 3))


@pytest.mark.parametrize("number", [1, 40, 199, 250])
def test_a_click_on_a_token_selects_its_round(answered: Window, number: int) -> None:
    transcript = answered.chat.panes.pane("speculative").transcript
    token = transcript.spans.token(number)
    QTest.mouseClick(transcript.viewport(), Qt.MouseButton.LeftButton, pos=token_point(answered, "speculative", number))
    assert answered.chat.heatmap.current_round().index == token.round_index
    assert number in transcript.selected_tokens


def test_a_cell_selects_the_tokens_of_its_round(answered: Window) -> None:
    run = answered.runner.session.last.runs["speculative"]
    item = next(item for item in run.rounds if item.accepted >= 2)
    answered.chat.heatmap.select(item.index, 2)
    answered.chat.heatmap.cellActivated.emit(item.index, 2)
    transcript = answered.chat.panes.pane("speculative").transcript
    shown = [transcript.spans.token(number) for number in transcript.selected_tokens]
    assert [token.round_index for token in shown] == [item.index] * item.emitted_tokens
    assert [token.origin for token in shown] == list(item.origins)
    assert len(answered.chat.panes.pane("baseline").transcript.selected_tokens) == 0


def test_stop_keeps_the_text(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(speed=100)
    window.conversation.ask("Go on.")
    qtbot.waitUntil(
        lambda: (
            len(window.runner.session.last.runs.get("baseline").rounds if window.runner.session.last.runs else []) > 5
        )
    )
    window.actions_["stop"].trigger()
    qtbot.waitUntil(lambda: not window.runner.running, timeout=5000)
    run = window.runner.session.last.runs["baseline"]
    assert run.finished.reason == "cancelled"
    assert 0 < len(run.ids) < 256
    assert answer(window, "baseline") == run.text


def test_settings_of_the_page_follow_the_run(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(speed=100)
    window.conversation.ask("Go on.")
    assert window.actions_["stop"].isEnabled() and not window.actions_["new"].isEnabled()
    window.runner.stop()
    qtbot.waitUntil(lambda: not window.runner.running, timeout=5000)
    assert not window.actions_["stop"].isEnabled() and window.actions_["regenerate"].isEnabled()


def press(window: Window, key: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    QApplication.sendEvent(
        window.chat.composer.editor,
        QKeyEvent(QEvent.Type.KeyPress, key, modifiers, "\r" if key == Qt.Key.Key_Return else ""),
    )


def test_return_sends_and_shift_return_does_not(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window()
    sent: list[str] = []
    window.chat.composer.sent.disconnect()
    window.chat.composer.sent.connect(sent.append)
    editor = window.chat.composer.editor
    editor.setPlainText("one")
    editor.moveCursor(editor.textCursor().MoveOperation.End)
    press(window, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert sent == [] and editor.toPlainText() == "one\n"
    press(window, Qt.Key.Key_Return)
    assert sent == ["one"] and editor.toPlainText() == ""


def test_return_confirms_a_composition_and_does_not_send(open_window: OpenWindow) -> None:
    window = open_window()
    sent: list[str] = []
    window.chat.composer.sent.disconnect()
    window.chat.composer.sent.connect(sent.append)
    editor = window.chat.composer.editor
    editor.setPlainText("天空")
    QApplication.sendEvent(editor, QInputMethodEvent("lan", []))
    press(window, Qt.Key.Key_Return)
    assert sent == []
    done = QInputMethodEvent("", [])
    done.setCommitString("蓝")
    QApplication.sendEvent(editor, done)
    press(window, Qt.Key.Key_Return)
    assert len(sent) == 1 and "蓝" in sent[0]


def test_up_recalls_the_last_prompt(answered: Window) -> None:
    press(answered, Qt.Key.Key_Up)
    assert answered.chat.composer.editor.toPlainText() == "Explain why the sky is blue in three sentences."


def test_regenerate_replaces_the_last_answer(answered: Window, qtbot: QtBot) -> None:
    answered.actions_["regenerate"].trigger()
    qtbot.waitUntil(lambda: not answered.runner.running, timeout=20000)
    assert len(answered.runner.session.exchanges) == 1
    assert answer(answered, "speculative") == TEXT
    assert answered.chat.panes.pane("baseline").transcript.toPlainText().count("Explain why") == 1


def test_edit_last_prompt_replaces_it(answered: Window, qtbot: QtBot) -> None:
    answered.actions_["edit_last"].trigger()
    assert answered.chat.composer.editor.toPlainText().startswith("Explain")
    answered.chat.composer.set_prompt("Explain why the sea is salty.")
    answered.chat.composer.send()
    qtbot.waitUntil(lambda: not answered.runner.running, timeout=20000)
    assert [exchange.prompt for exchange in answered.runner.session.exchanges] == ["Explain why the sea is salty."]


def test_clear_can_be_undone(answered: Window) -> None:
    answered.actions_["clear"].trigger()
    assert answered.chat.panes.pane("baseline").transcript.toPlainText() == ""
    answered.actions_["undo_clear"].trigger()
    assert answer(answered, "baseline") == TEXT


def test_copy_answer(answered: Window) -> None:
    answered.conversation.copy_answer("speculative")
    assert QApplication.clipboard().text() == TEXT


def test_presets_fill_the_editor(open_window: OpenWindow) -> None:
    composer = open_window().chat.composer
    first = next(action for action in composer.presets.menu().actions() if action.menu()).menu().actions()[0]
    first.trigger()
    assert composer.editor.toPlainText() == "Explain why the sky is blue in three sentences."


def test_arms_are_added_duplicated_and_removed(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window()
    window.actions_["add_arm"].trigger()
    assert [pane.title.text() for pane in window.chat.panes] == ["Baseline", "Speculative", "Speculative 2"]
    named = {action.text(): action for action in window.pane_menu("speculative").actions()}
    named["Duplicate Pane"].trigger()
    assert len(window.arms.arms) == 4 and not window.actions_["add_arm"].isEnabled()
    ask(qtbot, window, "Four answers?")
    assert all(answer(window, arm.name) == TEXT for arm in window.arms.arms)
    {action.text(): action for action in window.pane_menu("speculative 2").actions()}["Remove Pane"].trigger()
    assert len(window.chat.panes) == 3


def test_a_difference_is_marked_and_found(open_window: OpenWindow, qtbot: QtBot) -> None:
    import msgspec

    from tests.fakes import run_events

    window = open_window()
    events = {arm.name: run_events(arm, 0, "Differ?", 120) for arm in window.arms.arms}
    changed = []
    for event in events["speculative"]:
        if getattr(event, "index", None) == 20:
            ids = (7, *event.emitted_ids[1:])
            event = msgspec.structs.replace(event, emitted_ids=ids, target_ids=(7, *event.target_ids[1:]))
        changed.append(event)
    for event in [*events["baseline"], *changed]:
        window.runner.session.apply(event)
    window.chat.show_session(window.runner.session)
    verdict = window.chat.verdict.verdict
    transcript = window.chat.panes.pane("speculative").transcript
    expected = sum(item.emitted_tokens for item in window.runner.session.last.runs["speculative"].rounds[:20])
    assert verdict.status == "fail" and verdict.first_difference == expected
    assert f"Differs at token {expected} (margin 3)" in window.chat.verdict.button.text()
    assert transcript.marked_token == expected
    transcript.verticalScrollBar().setValue(0)
    window.chat.verdict.button.click()
    ink = next(iter(transcript._inks(range(expected, expected + 1))))
    assert 0 <= ink.baseline <= transcript.viewport().height()


def test_a_reader_who_scrolled_up_is_left_alone(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window()
    ask(qtbot, window, "Long?")
    transcript = window.chat.panes.pane("speculative").transcript
    assert transcript.is_following
    transcript.verticalScrollBar().setValue(0)
    transcript.add_rounds(many_rounds("speculative", 50, turn=0))
    assert transcript.verticalScrollBar().value() == 0 and not transcript.is_following


def test_prefill_shows_progress_and_time_left(open_window: OpenWindow) -> None:
    from engine.trace.events import Prefill
    from tests.fakes import started

    window = open_window()
    arm = window.arms.arms[0]
    window.runner.session.apply(started(arm, 0, "Long prompt"))
    window.chat.apply([started(arm, 0, "Long prompt")])
    window.chat.apply([Prefill(arm=arm.name, turn=0, t_s=3, processed_tokens=500, total_tokens=2000, prefill_s=3.0)])
    notice = window.chat.panes.pane(arm.name).notice
    assert notice.isVisible() and notice.label.text() == "Reading the prompt: 500 of 2000 tokens · 9 s left"
    assert (notice.bar.value(), notice.bar.maximum()) == (500, 2000)


def test_waiting_for_the_engine_is_said(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window()
    window.conversation.ask("At once.")
    notice = window.chat.panes.first.notice
    assert notice.isVisible() and notice.label.text() == "Starting the engine…"
    qtbot.waitUntil(lambda: not window.runner.running, timeout=20000)
    assert not notice.isVisible()


def test_fallback_and_a_slower_pane_are_said(open_window: OpenWindow) -> None:
    import msgspec

    from tests.fakes import run_events

    window = open_window()
    slow = []
    for event in run_events(window.arms.arms[1], 0, "Slow?", 60):
        if isinstance(event, Round):
            event = msgspec.structs.replace(event, verify_s=0.5, fallback=event.index > 9)
        slow.append(event)
    for event in [*run_events(window.arms.arms[0], 0, "Slow?", 60), *slow]:
        window.runner.session.apply(event)
    window.chat.show_session(window.runner.session)
    pane = window.chat.panes.pane("speculative")
    rounds = sum(event.index > 9 for event in slow if isinstance(event, Round))
    assert pane.alarm.label.text() == f"The drafter was left out in {rounds} rounds: it cost more than it brought."
    assert pane.numbers.ratio.property("role") == "slower" and pane.numbers.ratio.text().startswith("0.")
    assert not window.chat.panes.first.alarm.isVisible()


def test_a_way_back_to_the_newest_text_during_a_run(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window()
    ask(qtbot, window, "Long?")
    transcript = window.chat.panes.pane("speculative").transcript
    transcript.verticalScrollBar().setValue(0)
    assert not transcript.newest.isVisible(), "nothing new comes after the end of a run"
    transcript.set_generating(True)
    assert transcript.newest.isVisible()
    transcript.newest.click()
    assert transcript.is_following and not transcript.newest.isVisible()
    transcript.verticalScrollBar().setValue(0)
    assert transcript.newest.isVisible()
    transcript.set_generating(False)
    assert not transcript.newest.isVisible()


def test_ink_is_where_the_text_is_after_ten_thousand_tokens(open_window: OpenWindow) -> None:
    window = open_window()
    transcript = window.chat.panes.pane("speculative").transcript
    transcript.begin_turn(0, "You", "Long?", "Model")
    rounds = many_rounds("speculative", 4000)
    for at in range(0, len(rounds), 40):
        transcript.add_rounds(rounds[at : at + 40])
    spans = transcript.spans
    assert len(spans) > 10_000 and transcript.is_following
    bottom = transcript.verticalScrollBar().value() + transcript.viewport().height()
    shown = [n for line in transcript.inks.lines(bottom - 200, bottom) for n, _, _ in line.stretches]
    assert shown and shown[-1] >= len(spans) - 3
    window.resize(960, 640)
    QApplication.processEvents()
    for number in (5, len(spans) // 2, len(spans) - 5):
        point = token_point(window, "speculative", number)
        assert transcript._token_under(point).number == number
