"""The first launch, help, versions, and the file that was double-clicked."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QFileOpenEvent
from PySide6.QtWidgets import QApplication, QDialog, QLabel
from pytestqt.qtbot import QtBot

import app.main
import engine.cli
from app.chat.welcome import first_prompt, first_titles
from app.help import AboutDialog, HelpDialog, guide
from app.main import Application
from app.settings.keys import Key
from app.settings.store import Store
from app.versions import as_text, versions
from tests.app.conftest import OpenWindow, ask
from tests.fakes import MACHINE


def test_the_first_launch_says_three_sentences_once(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window()
    welcome = window.chat.welcome
    assert welcome.isVisible() and all(label.text() for label in welcome.sentences) and len(welcome.sentences) == 3
    assert "Copy and edit › Repeat a text word for word" in welcome.sentences[1].text()
    welcome.try_button.click()
    qtbot.waitUntil(lambda: bool(window.runner.session.exchanges) and not window.runner.running, timeout=20000)
    assert window.runner.session.last.prompt == first_prompt("en")
    assert not welcome.isVisible()
    window.close()
    assert not open_window().chat.welcome.isVisible()


def test_the_introduction_can_be_closed_and_speaks_both_languages(open_window: OpenWindow) -> None:
    window = open_window()
    window.actions_["language_zh_CN"].trigger()
    QApplication.processEvents()
    task, title = first_titles("zh_CN")
    assert f"{task} › {title}" in window.chat.welcome.sentences[1].text()
    window.chat.welcome.close_button.click()
    assert not window.chat.welcome.isVisible() and Store().flag(Key.WELCOMED, False)


def test_the_window_comes_back_on_its_page(open_window: OpenWindow) -> None:
    window = open_window(begin=False)
    window.show_page("traces")
    window.close()
    again = open_window()
    assert again.pages.currentWidget() is again.page_of["traces"]


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_troubleshooting_is_shown_and_lies_on_disk(open_window: OpenWindow, language: str) -> None:
    window = open_window(begin=False)
    window.actions_[f"language_{language}"].trigger()
    window.actions_["troubleshooting"].trigger()
    dialog = window.findChild(HelpDialog)
    shown = dialog.text.toPlainText()
    headings = re.findall(r"^## (.+)$", guide(language).read_text(encoding="utf-8"), re.MULTILINE)
    assert len(headings) >= 7 and all(heading in shown for heading in headings)
    assert "**" not in shown
    dialog.reject()


def test_both_guides_have_the_same_parts() -> None:
    english, chinese = (guide(language).read_text(encoding="utf-8") for language in ("en", "zh_CN"))
    for mark in (r"^## ", r"^\*\*"):
        assert len(re.findall(mark, english, re.MULTILINE)) == len(re.findall(mark, chinese, re.MULTILINE))
    code = re.compile(r"`[^`]+`")
    assert set(code.findall(english)) == set(code.findall(chinese))


def test_about_lists_versions_to_copy(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window()
    ask(qtbot, window, "Hello?")
    window.actions_["about"].trigger()
    dialog = window.findChild(AboutDialog)
    shown = [label.text() for label in dialog.findChildren(QLabel)]
    for name, value in versions(MACHINE)[1:]:
        assert value in shown, name
    assert f"Chip {MACHINE.chip}, 16 GB (cpu)" in as_text(MACHINE)
    assert as_text(None).startswith("Slipstream ") and "MLX" not in as_text(None)
    dialog.reject()
    assert isinstance(dialog, QDialog)


def test_a_double_clicked_trace_is_opened(
    open_window: OpenWindow, qtbot: QtBot, qapp: Application, tmp_path: Path
) -> None:
    window = open_window()
    ask(qtbot, window, "Recorded?")
    path = window.recorder.path
    qapp.file_opened.connect(lambda name: window.open_trace(Path(name)))
    QApplication.sendEvent(qapp, QFileOpenEvent(QUrl.fromLocalFile(str(path))))
    qapp.file_opened.disconnect()
    assert window.desk.path == path


@pytest.mark.parametrize("words", [["a.slipstream"], ["--replay", "a.slipstream"]])
def test_a_trace_may_be_the_only_word(monkeypatch: pytest.MonkeyPatch, words: list[str]) -> None:
    given: list[list[str]] = []
    monkeypatch.setattr(app.main, "main", lambda argv: given.append(list(argv)) or 0)
    assert engine.cli.main(words) == 0
    assert given == [["--replay", "a.slipstream"]]
