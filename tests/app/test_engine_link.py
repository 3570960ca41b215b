"""The engine process may crash, hang, talk nonsense or not start: the text stays, one sentence says what happened."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.engine_link import EngineLink, State
from tests.app.conftest import OpenWindow, ask
from tests.fakes import answer_tokens

TEXT = "".join(answer_tokens(256))


@pytest.mark.parametrize(("mode", "words"), [("crash", "crashed (signal 6)"), ("exit", "exit status 7")])
def test_a_crash_is_said_and_a_retry_keeps_the_text(
    open_window: OpenWindow, qtbot: QtBot, mode: str, words: str
) -> None:
    window = open_window(mode=mode, after=30)
    window.conversation.ask("Will it hold?")
    qtbot.waitUntil(lambda: window.chat.panes.first.notice.is_error, timeout=20000)
    notice, run = window.chat.panes.first.notice, window.runner.session.last.runs["baseline"]
    assert words in notice.label.text() and notice.label.text().count(".") == 1
    assert not window.runner.running and run.failed is not None
    kept = run.text
    assert kept and TEXT.startswith(kept)
    assert kept in window.chat.panes.first.transcript.toPlainText()
    window.link._command[window.link._command.index("--mode") + 1] = ""
    retry = next(button for button in notice.buttons if button.text() == "Retry")
    retry.click()
    qtbot.waitUntil(lambda: not window.runner.running and window.runner.session.last.turn == 1, timeout=20000)
    text = window.chat.panes.first.transcript.toPlainText()
    assert text.index(kept) < text.index(TEXT)
    assert window.runner.session.last.runs["baseline"].text == TEXT


def test_a_hang_is_said_and_can_be_ended(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(mode="hang", after=10, hang_s=0.6)
    window.conversation.ask("Hello?")
    qtbot.waitUntil(lambda: "has not answered" in window.status.text, timeout=20000)
    assert window.link.state is State.HUNG
    kept = window.runner.session.last.runs["baseline"].text
    old = window.link.process_id
    window.status.button.click()
    qtbot.waitUntil(lambda: window.link.state is State.READY, timeout=20000)
    assert window.link.process_id != old and not alive(old)
    assert kept and kept in window.chat.panes.first.transcript.toPlainText()
    assert window.runner.session.last.runs["baseline"].failed is not None


def test_a_garbage_line_is_skipped_and_logged(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(mode="garbage", after=10)
    ask(qtbot, window, "Noise?")
    assert window.runner.session.last.runs["speculative"].text == TEXT
    log = window.link.log_path.read_text(encoding="utf-8")
    assert "not a message" in log and "scripted engine begins" in log


def test_a_refusal_stands_in_the_pane_it_concerns(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(mode="refuse")
    ask(qtbot, window, "May I?")
    notice = window.chat.panes.pane("speculative").notice
    assert (
        notice.is_error
        and notice.label.text() == "The drafter has another vocabulary: choose one made for this target."
    )
    assert [button.text() for button in notice.buttons] == ["Retry", "Settings…"]


def test_an_engine_that_does_not_start_is_said(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(mode="no-start")
    qtbot.waitUntil(lambda: window.chat.panes.first.notice.is_error, timeout=20000)
    assert "could not start (exit status 3)" in window.chat.panes.first.notice.label.text()


def test_a_program_that_is_missing_is_said(qtbot: QtBot, tmp_path: Path) -> None:
    link = EngineLink(tmp_path, ["/nowhere/engine"])
    with qtbot.waitSignal(link.crashed) as said:
        link.start()
    assert said.args == ["The engine could not be started: /nowhere/engine can't be run."]
    link.close()


def test_closing_the_window_ends_the_engine(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(mode="hang", after=5)
    window.conversation.ask("Stuck?")
    qtbot.waitUntil(
        lambda: bool(window.runner.session.last.runs) and len(window.runner.session.last.runs["baseline"].rounds) > 1,
        timeout=20000,
    )
    pid = window.link.process_id
    assert alive(pid)
    window.close()
    assert not alive(pid)


def test_batches_come_in_order_and_complete(qtbot: QtBot, tmp_path: Path) -> None:
    from engine.process.protocol import Ask, Done, Hello
    from engine.trace.events import Arm, Round, Settings

    link = EngineLink(tmp_path, [sys.executable, "-m", "tests.fakes"])
    batches: list[list] = []
    link.replies.connect(batches.append)
    arm = Arm(name="baseline", settings=Settings(max_tokens=3000))
    link.send(Ask(id=1, turn=0, arms=(arm,), prompt="many"))
    qtbot.waitUntil(lambda: any(isinstance(reply, Done) for batch in batches for reply in batch), timeout=30000)
    replies = [reply for batch in batches for reply in batch]
    assert isinstance(replies[0], Hello)
    assert [reply.index for reply in replies if isinstance(reply, Round)] == list(range(3000))
    assert len(batches) < 1000
    link.close()


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
