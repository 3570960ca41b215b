"""Sessions become traces, traces become sessions again, and nothing of it depends on the engine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.settings.keys import Key
from app.settings.store import Store
from app.traces.desk import KINDS
from app.traces.library import find, summarise
from app.traces.replay import schedule
from app.window import Window
from engine.trace.events import Header, Round, Started
from engine.trace.file import Writer, read
from tests.app.conftest import OpenWindow, ask
from tests.fakes import MACHINE, answer_tokens, run_events

TEXT = "".join(answer_tokens(256))


def shown(window: Window) -> dict[str, object]:
    """All that the views show of a session."""
    heatmap = window.chat.heatmap
    return {
        "verdict": window.chat.verdict.button.text(),
        "rounds": [(item.arm, item.turn, item.index) for item in heatmap._arms["speculative"].rounds],
        **{
            pane.arm.name: (
                pane.transcript.toPlainText(),
                pane.numbers.speed.text(),
                pane.numbers.ratio.text(),
                [
                    pane.numbers.value(name)
                    for name in ("per_forward", "first_token", "target_forwards", "accepted", "rollbacks")
                ],
                list(pane.transcript.spans.codes),
            )
            for pane in window.chat.panes
        },
    }


def test_a_session_is_written_as_it_happens(answered: Window) -> None:
    path = answered.recorder.path
    trace = read(path)
    assert trace.header.machine == MACHINE and not trace.truncated
    rounds = [event for event in trace.events if isinstance(event, Round)]
    live = [item for run in answered.runner.session.last.runs.values() for item in run.rounds]
    assert sorted(rounds, key=lambda item: (item.arm, item.index)) == sorted(
        live, key=lambda item: (item.arm, item.index)
    )


def test_a_replayed_trace_shows_what_the_run_showed(answered: Window, qtbot: QtBot) -> None:
    ask(qtbot, answered, "And the sea?")
    live = shown(answered)
    answered.open_trace(answered.recorder.path)
    assert answered.desk.trace is not None and answered.chat.banner.isVisible()
    assert shown(answered) == live
    answered.chat.banner.close_button.click()
    assert answered.desk.trace is None and not answered.chat.banner.isVisible()
    assert shown(answered) == live


def test_replay_at_true_speed_ends_with_the_same_view(answered: Window, qtbot: QtBot) -> None:
    live = shown(answered)
    answered.open_trace(answered.recorder.path)
    answered.chat.banner.replay.click()
    answered.desk._player._speed = 40.0
    qtbot.waitUntil(lambda: len(answered.chat.panes.first.transcript.spans) > 0)
    assert answered.chat.session is not answered.runner.session
    qtbot.waitUntil(lambda: answered.desk._player is None, timeout=20000)
    assert shown(answered) == live


def test_a_replay_can_be_cut_short(answered: Window, qtbot: QtBot) -> None:
    live = shown(answered)
    answered.open_trace(answered.recorder.path)
    answered.chat.banner.replay.click()
    assert answered.chat.banner.replay.text() == "Show at Once"
    qtbot.wait(100)
    answered.chat.banner.replay.click()
    assert shown(answered) == live and answered.chat.banner.replay.text() == "Replay at True Speed"


def test_asking_again_from_a_trace_goes_on_with_its_history(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window()
    ask(qtbot, window, "First?")
    path = window.recorder.path
    window.new()
    window.open_trace(path)
    window.chat.banner.go_on.click()
    ask(qtbot, window, "Second?")
    assert [exchange.prompt for exchange in window.runner.session.exchanges] == ["First?", "Second?"]
    again = read(window.recorder.path)
    assert window.recorder.path != path
    assert {event.turn for event in again.events if isinstance(event, Started)} == {0, 1}


def test_due_times_keep_distances_and_skip_pauses() -> None:
    arm = Store().arms()[0]
    first, second = run_events(arm, 0, "a", 5), run_events(arm, 1, "b", 5)
    due = schedule([*first, *second])
    times = [when for when, _ in due]
    assert times == sorted(times)
    rounds = [(when, event) for when, event in due if isinstance(event, Round) and event.turn == 0]
    assert rounds[2][0] - rounds[1][0] == pytest.approx(rounds[2][1].t_s - rounds[1][1].t_s)
    gap = due[len(first)][0] - due[len(first) - 1][0]
    assert gap == pytest.approx(0.6)


def test_an_interrupted_session_is_restored(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window()
    ask(qtbot, window, "Will this survive?")
    path = str(window.recorder.path)
    window.close()
    assert Store().text(Key.OPEN_SESSION) == ""
    Store().set(Key.OPEN_SESSION, f"{gone()} {path}")
    again = open_window()
    assert [exchange.prompt for exchange in again.runner.session.exchanges] == ["Will this survive?"]
    assert TEXT in again.chat.panes.first.transcript.toPlainText()
    assert again.status.text == "The session that was interrupted is back."
    # A second crash before anything was asked would lose nothing either: the note stays, now in this window's name.
    assert Store().text(Key.OPEN_SESSION) == f"{os.getpid()} {path}"
    ask(qtbot, again, "It did.")
    assert [exchange.turn for exchange in again.runner.session.exchanges] == [0, 1]


def gone() -> int:
    """The number of a process that has ended."""
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    return ended.pid


def test_the_session_of_a_window_that_lives_is_its_own(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window()
    ask(qtbot, window, "Mine?")
    note = f"{os.getppid()} {window.recorder.path}"
    window.close()
    Store().set(Key.OPEN_SESSION, note)
    second = open_window()
    assert not second.runner.session.exchanges
    second.close()
    assert Store().text(Key.OPEN_SESSION) == note


def test_a_half_written_trace_is_restored_and_said(open_window: OpenWindow, answered: Window, tmp_path: Path) -> None:
    cut = tmp_path / "cut.slipstream"
    cut.write_bytes(answered.recorder.path.read_bytes()[:-40])
    answered.open_trace(cut)
    assert "its last line is cut off" in answered.chat.banner.label.text()
    assert TEXT.startswith(answered.chat.session.last.runs["baseline"].text[:200])


def test_a_damaged_trace_is_refused_in_one_sentence(answered: Window, tmp_path: Path) -> None:
    bad = tmp_path / "bad.slipstream"
    bad.write_text("hello\n", encoding="utf-8")
    answered.open_trace(bad)
    assert answered.desk.trace is None
    assert answered.status.text == f"{bad} is not a Slipstream trace: its first line is no header."


def test_a_full_disk_is_said_and_the_run_goes_on(
    open_window: OpenWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    window = open_window()
    real = Writer.write

    def full(self: Writer, event: object) -> None:
        if isinstance(event, Round) and event.index == 5:
            self._fail(OSError(28, "No space left on device"))
        real(self, event)

    monkeypatch.setattr(Writer, "write", full)
    ask(qtbot, window, "Full?")
    assert "no space left on device" in window.status.text
    assert window.runner.session.last.runs["speculative"].text == TEXT
    # It is said again while it is true, and an export holds what the window holds, not what the file does.
    monkeypatch.setattr(Writer, "write", real)
    ask(qtbot, window, "Still full?")
    assert "no space left on device" in window.status.text
    assert window.desk.write(tmp_path / "whole.slipstream", "export_trace", False)
    emitted = sum(
        event.emitted_tokens for event in read(tmp_path / "whole.slipstream").events if isinstance(event, Round)
    )
    runs = [run for exchange in window.runner.session.exchanges for run in exchange.runs.values()]
    assert emitted == sum(round_.emitted_tokens for run in runs for round_ in run.rounds) > 0


def test_numbers_only_when_text_is_not_kept(open_window: OpenWindow, qtbot: QtBot) -> None:
    Store().set(Key.TRACE_TEXT, False)
    window = open_window()
    ask(qtbot, window, "A secret?")
    path = window.recorder.path
    assert b"secret" not in path.read_bytes() and b"Rayleigh" not in path.read_bytes()
    live = window.chat.panes.pane("speculative").numbers.value("accepted")
    window.open_trace(path)
    pane = window.chat.panes.pane("speculative")
    assert pane.numbers.value("accepted") == live
    assert len(pane.transcript.spans) == 256
    window.chat.banner.go_on.click()
    assert "written without text" in window.status.text


@pytest.mark.parametrize("kind", list(KINDS))
def test_exports(answered: Window, tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"out{KINDS[kind]}"
    assert answered.desk.write(path, kind, without=False), answered.status.text
    text = path.read_text(encoding="utf-8")
    if kind == "export_trace":
        assert read(path).events == read(answered.recorder.path).events
    elif kind == "export_perfetto":
        assert json.loads(text)["traceEvents"]
    else:
        assert len(text) > 500
    assert answered.desk.write(path, kind, without=True)
    assert "Rayleigh" not in path.read_text(encoding="utf-8")


def test_an_export_that_fails_is_said(answered: Window) -> None:
    assert not answered.desk.write(Path("/nowhere/out.csv"), "export_csv", without=False)
    assert answered.status.text.startswith("/nowhere/out.csv can't be written")


def test_the_traces_page_lists_numbers_and_opens(answered: Window, qtbot: QtBot) -> None:
    path = answered.recorder.path
    answered.show_page("traces")
    model = answered.traces.model
    qtbot.waitUntil(lambda: path in model.summaries, timeout=10000)
    row = [model.data(model.index(0, column)) for column in range(model.columnCount())]
    assert row[1:4] == ["Explain why the sky is blue in three sentences.", "Baseline, Speculative (look-up)", "256"]
    assert row[4] == answered.chat.panes.pane("speculative").numbers.ratio.text()
    assert row[5] == "Identical (256 tokens)"
    answered.traces.table.selectRow(0)
    answered.traces.open_button.click()
    assert answered.pages.currentWidget() is answered.chat and answered.desk.path == path
    assert Store().strings(Key.RECENT_TRACES) == [str(path)]


def test_a_bad_file_in_the_library_says_why(tmp_path: Path) -> None:
    bad = tmp_path / "x.slipstream"
    bad.write_text("", encoding="utf-8")
    assert find(tmp_path) == [bad]
    assert summarise(bad).problem == f"{bad} is empty: nothing was recorded in it."


def test_golden_trace_opens(open_window: OpenWindow, tmp_path: Path) -> None:
    """A trace that no window wrote, with an arm that failed."""
    from engine.trace.events import Failed

    window = open_window()
    path = tmp_path / "made.slipstream"
    with Writer(path) as writer:
        writer.write(Header(created="2026-01-01T00:00:00+00:00", app="test", machine=MACHINE))
        for event in run_events(window.arms.arms[0], 0, "Hi", 30):
            writer.write(event)
        for event in run_events(window.arms.arms[1], 0, "Hi", 30)[:6]:
            writer.write(event)
        writer.write(
            Failed(arm="speculative", turn=0, t_s=1.0, message="The drafter ran out of memory: choose a smaller one.")
        )
    window.open_trace(path)
    notice = window.chat.panes.pane("speculative").notice
    assert notice.is_error and notice.label.text() == "The drafter ran out of memory: choose a smaller one."
    assert window.windowFilePath() == str(path)
    assert window.windowModality() == Qt.WindowModality.NonModal


def test_a_window_that_was_only_looked_at_leaves_no_trace(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window()
    qtbot.waitUntil(lambda: window.link.hello is not None, timeout=10000)
    window.close()
    assert find(window.traces._directory) == []


def test_a_session_that_is_written_is_not_thrown_away(answered: Window) -> None:
    path = answered.recorder.path
    answered.show_page("traces")
    answered.traces.table.selectRow(0)
    answered.traces.trash_button.click()
    assert path.exists() and "still being written" in answered.status.text
