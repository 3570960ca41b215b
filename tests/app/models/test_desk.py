"""The Models page at work: listing, fetching with cancel and resume, removing with a question, and into the chat."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from app.models.desk import ModelsDesk, free_folder
from app.models.page import ModelsPage
from app.settings.keys import Key
from app.window import Window
from engine.process.jobs import JobEnded
from engine.trace.events import Arm
from tests.app.conftest import OpenWindow, ask
from tests.app.models.shelves import BEGUN, DONE, FULL, SHELF, STOPPED, WHOLE, lines, says, shelf_process


class Bench:
    """A window on its Models page; ``asked`` holds the words of every job."""

    def __init__(self, window: Window) -> None:
        self.window, self.asked = window, list[list[str]]()
        self.desk: ModelsDesk = window.models
        page = window.page_of["models"]
        assert isinstance(page, ModelsPage)
        self.page = page
        self.desk.reader.command = shelf_process
        self.answer: Callable[[Sequence[str]], list[str]] = lambda _: says(lines(*BEGUN, DONE))
        self.desk.jobs.command = self._command

    def _command(self, words: Sequence[str]) -> list[str]:
        self.asked.append(list(words))
        return self.answer(words)

    def button(self, key: str, text: str) -> QPushButton:
        return next(button for button in self.page.rows[key].buttons if button.text() == text)

    def has(self, key: str) -> list[str]:
        return [button.text() for button in self.page.rows[key].buttons]


@pytest.fixture
def bench(open_window: OpenWindow, qtbot: QtBot) -> Bench:
    made = Bench(open_window(begin=False))
    made.window.show_page("models")
    qtbot.waitUntil(lambda: bool(made.page.rows), timeout=10000)
    return made


def test_everything_on_the_shelf_is_shown_with_what_can_be_done(bench: Bench) -> None:
    assert bench.has("maker/Small-4bit") == ["Remove…", "Use in Chat"]
    assert bench.has("/models/Full") == ["Quantise…", "Use in Chat"]
    assert bench.has("maker/Drafter") == ["Resume", "Remove…"]
    assert bench.has("Small + Drafter") == ["Fetch Drafter"]
    assert bench.has("Small + Ready") == ["Use in Chat"]
    assert bench.has("Huge + HugeDrafter") == []
    row = bench.page.rows["/models/Full"]
    assert row.bar is not None and row.bar.shares() == (1.0, pytest.approx(14 / 16))
    assert row.fit.property("role") == "warning"
    assert "212 GB free" in bench.page.note.text() and "https://hub.example" in bench.page.note.toolTip()
    bench.window.actions_["language_zh_CN"].trigger()
    QApplication.processEvents()
    assert bench.page.rows["maker/Drafter"].note.text() == "没有轨迹 /hub/drafter：请检查名称。"


def test_a_missing_half_is_fetched_and_the_list_renewed(bench: Bench, qtbot: QtBot) -> None:
    bench.button("Small + Drafter", "Fetch Drafter").click()
    assert bench.page.strip.isVisible() and bench.page.strip.title.text() == "maker/Drafter"
    qtbot.waitUntil(lambda: not bench.desk.jobs.running and not bench.desk.reader.reading, timeout=10000)
    assert bench.asked == [["models", "pull", "maker/Drafter"]]
    assert not bench.page.strip.isVisible()
    assert bench.window.status.text == "maker/Drafter is on this disk now."


def test_a_fetch_is_cancelled_and_resumed(bench: Bench, qtbot: QtBot) -> None:
    bench.answer = lambda _: says(lines(*BEGUN), wait_s=30)
    bench.page.hub.setText("https://huggingface.co/maker/Other")
    bench.page.fetch.click()
    strip = bench.page.strip
    qtbot.waitUntil(lambda: "20.0 MB/s" in strip.detail.text(), timeout=10000)
    assert strip.bar.value() == 333 and strip.stop.isVisible() and not strip.resume.isVisible()
    bench.page.pull_wanted.emit(("maker/Second",))
    assert "1 more waiting" in strip.detail.text()
    bench.desk.queue.waiting.clear()
    strip.stop.click()
    qtbot.waitUntil(lambda: not bench.desk.jobs.running, timeout=10000)
    assert strip.title.text() == "Stopped: maker/Other" and strip.detail.text() == STOPPED.message
    assert strip.resume.isVisible() and strip.dismiss.isVisible() and not strip.stop.isVisible()
    bench.answer = lambda _: says(lines(DONE))
    strip.resume.click()
    qtbot.waitUntil(lambda: not bench.desk.jobs.running and not bench.desk.reader.reading, timeout=10000)
    assert [words[2] for words in bench.asked] == ["maker/Other", "maker/Other"]


def test_what_waits_is_fetched_after_what_runs(bench: Bench, qtbot: QtBot) -> None:
    bench.page.pull_wanted.emit(("a/b",))
    bench.page.pull_wanted.emit(("c/d",))
    bench.page.pull_wanted.emit(("a/b",))
    assert bench.window.status.text == "It is being fetched already."
    qtbot.waitUntil(lambda: len(bench.asked) == 2 and not bench.desk.jobs.running, timeout=20000)
    assert [words[2] for words in bench.asked] == ["a/b", "c/d"]
    qtbot.waitUntil(lambda: not bench.desk.reader.reading, timeout=10000)


def test_a_fetch_that_fails_says_why(bench: Bench, qtbot: QtBot) -> None:
    sentence = "'maker/Drafter' has no revision 'x'. Check its name."
    bench.answer = lambda _: says(lines(*BEGUN, JobEnded(status="failed", message=sentence)), status=1)
    bench.button("maker/Drafter", "Resume").click()
    qtbot.waitUntil(lambda: not bench.desk.jobs.running and not bench.desk.reader.reading, timeout=10000)
    assert bench.page.strip.title.text() == "Not finished: maker/Drafter"
    assert bench.page.strip.detail.text() == sentence and bench.page.strip.resume.isVisible()


def test_removing_asks_and_offers_to_fetch_again(bench: Bench, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ModelsDesk, "_confirmed", lambda *_: False)
    bench.button("maker/Small-4bit", "Remove…").click()
    assert bench.asked == []
    monkeypatch.setattr(ModelsDesk, "_confirmed", lambda *_: True)
    bench.button("maker/Small-4bit", "Remove…").click()
    qtbot.waitUntil(lambda: not bench.desk.jobs.running and not bench.desk.reader.reading, timeout=10000)
    assert bench.asked == [["models", "remove", "maker/Small-4bit"]]
    assert bench.window.status.text == "maker/Small-4bit was removed."
    bench.window.status.button.click()
    qtbot.waitUntil(lambda: len(bench.asked) == 2 and not bench.desk.jobs.running, timeout=10000)
    assert bench.asked[1] == ["models", "pull", "maker/Small-4bit"]
    qtbot.waitUntil(lambda: not bench.desk.reader.reading, timeout=10000)


def test_what_the_chat_uses_is_not_removed(bench: Bench) -> None:
    bench.desk.use("maker/Small-4bit", "")
    bench.desk.remove(WHOLE)
    assert "in use in the chat" in bench.window.status.text and bench.asked == []


@pytest.mark.parametrize("word", ["lookup+{}", "lookup+table+{}", "{}"])
def test_what_drafts_beside_others_is_not_removed(bench: Bench, word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ModelsDesk, "_confirmed", lambda *_: True)
    bench.window.arms.set((Arm(name="speculative", drafter=word.format(WHOLE.use)),))
    bench.desk.remove(WHOLE)
    assert "in use in the chat" in bench.window.status.text and bench.asked == []


def test_a_pair_goes_into_the_chat(bench: Bench) -> None:
    bench.button("Small + Ready", "Use in Chat").click()
    arms = bench.window.arms.arms
    assert {arm.target for arm in arms} == {"maker/Small-4bit"}
    assert [arm.drafter for arm in arms] == ["none", "maker/Ready"]
    assert bench.window.pages.currentWidget() is bench.window.chat


def test_quantising_waits_for_the_chat(open_window: OpenWindow, qtbot: QtBot, tmp_path: Path) -> None:
    bench = Bench(open_window(speed=50))
    bench.window.conversation.ask("Long")
    bench.desk.quantize(FULL)
    assert "An answer is being written" in bench.window.status.text and bench.asked == []
    bench.window.runner.stop()
    qtbot.waitUntil(lambda: not bench.window.runner.running, timeout=5000)
    bench.desk.quantize(FULL)
    words = bench.asked[0]
    assert words[:3] == ["models", "quantize", "/models/Full"] and words[4].endswith("Full-4bit")
    qtbot.waitUntil(lambda: not bench.desk.jobs.running and not bench.desk.reader.reading, timeout=10000)
    (tmp_path / "a").mkdir()
    (tmp_path / "a-2").mkdir()
    assert free_folder(tmp_path / "a") == tmp_path / "a-3"


def test_folders_are_added_and_forgotten_with_undo(bench: Bench, qtbot: QtBot, tmp_path: Path) -> None:
    bench.desk.add_folder(str(tmp_path))
    assert bench.desk.where.folders == (str(tmp_path),)
    qtbot.waitUntil(lambda: str(tmp_path) in bench.page.rows, timeout=10000)
    bench.button(str(tmp_path), "Forget Folder").click()
    assert bench.desk.where.folders == ()
    bench.window.status.button.click()
    assert bench.window.store.strings(Key.MODEL_FOLDERS) == [str(tmp_path)]
    qtbot.waitUntil(lambda: not bench.desk.reader.reading, timeout=10000)


def test_a_list_that_cannot_be_read_is_said_and_the_old_one_stays(bench: Bench, qtbot: QtBot) -> None:
    bench.desk.reader.command = lambda *_: says(b"no json")
    bench.desk.refresh()
    qtbot.waitUntil(lambda: bench.page.message.isVisible(), timeout=10000)
    assert len(bench.page.rows) == len(SHELF.models) + len(SHELF.pairs)
    bench.desk.reader.command = lambda *_: ["/nowhere/slipstream"]
    bench.desk.refresh()
    qtbot.waitUntil(lambda: "can't be run" in bench.page.message.text(), timeout=10000)


def test_closing_the_window_ends_what_runs(open_window: OpenWindow, qtbot: QtBot) -> None:
    bench = Bench(open_window(begin=False))
    bench.answer = lambda _: says(lines(*BEGUN), wait_s=60)
    bench.page.pull_wanted.emit(("a/b",))
    bench.window.show_page("models")
    assert bench.desk.jobs.running and bench.desk.reader.reading
    bench.window.close()
    assert not bench.desk.jobs.running and not bench.desk.reader.reading


def test_the_page_does_not_disturb_the_chat(bench: Bench, qtbot: QtBot) -> None:
    bench.window.begin()
    bench.answer = lambda _: says(lines(*BEGUN), wait_s=60)
    bench.page.pull_wanted.emit(("a/b",))
    ask(qtbot, bench.window, "While it fetches?")
    assert bench.desk.jobs.running and bench.window.runner.session.last.runs["baseline"].finished
