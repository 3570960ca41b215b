"""The window as a whole: menus, keys, accessibility, appearance, language, memory of how it was left, room for
everything.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from pyqtgraph import PlotWidget
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QAccessible, QAction, QColor, QKeySequence
from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QApplication,
    QDialog,
    QLabel,
    QMenu,
    QMenuBar,
    QPushButton,
    QScrollBar,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.actions import OTHER_KEYS, STANDARD_KEYS
from app.pages import KEYS
from app.remembered import is_reachable
from app.settings.keys import Key
from app.settings.store import Store
from app.theme import DARK, LIGHT
from app.window import Window
from tests.app.conftest import OpenWindow, ask

ROOT = Path(__file__).resolve().parents[2]
Role = QAction.MenuRole


def test_every_action_has_an_explicit_menu_role(answered: Window) -> None:
    answered.actions_.menus["open_recent"].aboutToShow.emit()
    roles = {}
    plots: set[QAction] = set()  # pyqtgraph's own menus, which are never shown
    for plot in answered.findChildren(PlotWidget):
        plots |= {*plot.findChildren(QAction)}
        plots |= {action for menu in plot.findChildren(QMenu) for action in menu.actions()}
    menus = [*answered.findChildren(QMenu), *answered.actions_.menus.values()]
    for action in {*answered.findChildren(QAction), *(action for menu in menus for action in menu.actions())} - plots:
        if not action.text() and isinstance(action.parent().parent(), QMenuBar):
            continue  # Qt's own, for menus that find no room
        roles.setdefault(action.menuRole(), set()).add(action.objectName() or action.text())
    menus = [menu.menuAction() for menu in answered.actions_.menus.values()]
    assert {menu.menuRole() for menu in menus} == {Role.NoRole}
    assert Role.TextHeuristicRole not in roles, roles.get(Role.TextHeuristicRole)
    assert (
        roles[Role.AboutRole] == {"about"}
        and roles[Role.PreferencesRole] == {"preferences"}
        and roles[Role.QuitRole] == {"quit"}
    )


def test_shortcuts_are_the_standard_keys(open_window: OpenWindow) -> None:
    actions = open_window().actions_
    Standard = QKeySequence.StandardKey
    expected = {
        "new": Standard.New,
        "open": Standard.Open,
        "close": Standard.Close,
        "preferences": Standard.Preferences,
        "quit": Standard.Quit,
        "copy": Standard.Copy,
        "paste": Standard.Paste,
        "bigger": Standard.ZoomIn,
        "full_screen": Standard.FullScreen,
    }
    assert {name: STANDARD_KEYS[name] for name in expected} == expected
    for name, key in STANDARD_KEYS.items():
        assert actions[name].shortcuts() == QKeySequence.keyBindings(key), name
    assert OTHER_KEYS["stop"] == "Ctrl+." and OTHER_KEYS["run"] == "Ctrl+Return"


def test_no_key_is_used_twice(open_window: OpenWindow) -> None:
    actions = open_window().actions_
    keys = [key.toString() for action in actions.by_name.values() for key in action.shortcuts()]
    assert len(keys) == len(set(keys))


def test_every_control_has_an_accessible_name(answered: Window, qtbot: QtBot) -> None:
    answered.actions_["system_prompt"].setChecked(True)
    answered.status.say("News", "Help", lambda: None)
    answered.show_page("traces")
    answered.arms.edit("speculative")
    answered.show_preferences()
    windows = [answered, *answered.findChildren(QDialog)]
    assert len(windows) == 3
    nameless = []
    for widget in (child for window in windows for child in window.findChildren(QWidget)):
        parent = widget.parent()
        viewport = isinstance(parent, QAbstractScrollArea) and parent.viewport() is widget
        popup = widget.window().windowType() == Qt.WindowType.Popup
        inner = isinstance(widget, QScrollBar) or widget.objectName().startswith("qt_") or viewport or popup
        if widget.focusPolicy() == Qt.FocusPolicy.NoFocus or inner or isinstance(widget, QMenu):
            continue
        interface = QAccessible.queryAccessibleInterface(widget)
        if interface is None or not interface.text(QAccessible.Text.Name):
            nameless.append(f"{type(widget).__name__} {widget.objectName()} in {type(widget.parent()).__name__}")
    for dialog in windows[1:]:
        dialog.reject()
    assert not nameless, nameless


def test_theme_switches_live(answered: Window) -> None:
    transcript = answered.chat.panes.pane("speculative").transcript
    number = next(n for n in range(len(transcript.spans)) if transcript.spans.token(n).origin == "accepted")
    transcript._bring_into_view(number)
    for choice, theme in (("dark", DARK), ("light", LIGHT)):
        answered.actions_[f"appearance_{choice}"].trigger()
        QApplication.processEvents()
        image = answered.grab().toImage()
        corner = answered.chat.mapTo(answered, answered.chat.rect().topLeft())
        assert image.pixelColor(corner.x() + 3, corner.y() + 3) == QColor(theme.window)
        ink = next(iter(transcript._inks(range(number, number + 1))))
        shot = transcript.viewport().grab().toImage()
        assert near(shot.pixelColor(round(ink.left) + 1, round(ink.baseline) + 2), theme.accepted_tint)
        assert Store().text(Key.APPEARANCE) == choice


def near(colour: QColor, name: str) -> bool:
    other = QColor(name)
    return max(abs(a - b) for a, b in zip(colour.getRgb(), other.getRgb(), strict=True)) < 24


def test_language_switches_live(answered: Window) -> None:
    answered.actions_["language_zh_CN"].trigger()
    QApplication.processEvents()
    assert [pane.title.text() for pane in answered.chat.panes] == ["基线", "推测解码"]
    assert answered.chat.verdict.button.text().endswith("完全一致（256 个词元）")
    assert answered.actions_["preferences"].text() == "偏好设置…"
    assert "您" in answered.chat.panes.first.transcript.toPlainText()
    answered.actions_["language_en"].trigger()
    QApplication.processEvents()
    assert [pane.title.text() for pane in answered.chat.panes] == ["Baseline", "Speculative"]
    assert "You" in answered.chat.panes.first.transcript.toPlainText()


def test_text_size_changes_and_is_remembered(open_window: OpenWindow) -> None:
    window = open_window()
    before = window.chat.panes.first.transcript.document().defaultFont().pixelSize()
    window.actions_["bigger"].trigger()
    assert window.chat.panes.first.transcript.document().defaultFont().pixelSize() > before
    assert Store().number(Key.TEXT_SIZE, 0) == window.appearance.size_px == 14
    window.actions_["usual_size"].trigger()


def test_it_remembers_how_it_was_left(open_window: OpenWindow) -> None:
    window = open_window(begin=False)
    window.resize(960, 640)
    window.chat.splitter.setSizes([560, 356])
    window.actions_["legend"].setChecked(False)
    window.actions_["show_memory"].setChecked(False)
    QApplication.processEvents()
    sizes = window.chat.splitter.sizes()
    window.close()
    again = open_window(begin=False)
    QApplication.processEvents()
    assert (again.width(), again.height()) == (960, 640)
    assert again.chat.splitter.sizes() == sizes
    assert not again.actions_["legend"].isChecked() and not again.chat.verdict.legend.isVisible()
    assert not again.chat.memory.isVisible() and again.chat.heatmap.isVisible()


def test_a_window_off_every_screen_comes_back(open_window: OpenWindow) -> None:
    window = open_window(begin=False)
    window.move(9000, 9000)
    assert not is_reachable(QRect(9000, 9000, 1280, 800)) and is_reachable(QRect(10, 10, 1280, 800))
    window.close()
    again = open_window(begin=False)
    assert is_reachable(again.frameGeometry())


def clipped(window: Window) -> list[tuple]:
    """Labels and buttons with less room than their words need: kind, words, width, height as they are and needed."""
    found = []
    for widget in window.findChildren(QWidget):
        if not widget.isVisible() or not isinstance(widget, (QLabel, QPushButton)):
            continue
        text = widget.text()
        if not text or (isinstance(widget, QLabel) and widget.wordWrap()):
            continue
        needed = widget.minimumSizeHint() if isinstance(widget, QPushButton) else widget.sizeHint()
        width = widget.fontMetrics().horizontalAdvance(text) if isinstance(widget, QLabel) else needed.width()
        if widget.width() + 1 < width or widget.height() + 1 < min(needed.height(), widget.fontMetrics().height()):
            found.append((type(widget).__name__, text, widget.width(), width, widget.height(), needed.height()))
    return found


@pytest.mark.parametrize("language", ["en", "zh_CN"])
@pytest.mark.parametrize("page", KEYS)
def test_nothing_is_clipped_at_the_least_size(answered: Window, qtbot: QtBot, language: str, page: str) -> None:
    answered.actions_[f"language_{language}"].trigger()
    answered.resize(960, 600)
    answered.show_page(page)
    # The new language is told to each widget in turn, and what follows from its words is laid out after that.
    qtbot.wait(300)

    def nothing_clipped() -> None:
        found = clipped(answered)
        assert not found, found

    qtbot.waitUntil(nothing_clipped)
    assert (answered.width(), answered.height()) == (960, 600)
    for pane in answered.chat.panes:
        assert page != "chat" or pane.transcript.height() >= 48


def test_quit_asks_while_an_answer_is_written(
    open_window: OpenWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = open_window(speed=50)
    window.conversation.ask("Long")
    window.ask_before_quit = True
    monkeypatch.setattr(Window, "_may_quit", lambda self: False)
    assert not window.close() and window.isVisible()
    monkeypatch.setattr(Window, "_may_quit", lambda self: True)
    assert window.close()


def test_dropped_things(open_window: OpenWindow, tmp_path: Path) -> None:
    window = open_window()
    text = tmp_path / "prompt.txt"
    text.write_text("From a file", encoding="utf-8")
    window.drops.take_file(str(text))
    assert window.chat.composer.editor.toPlainText() == "From a file"
    model = tmp_path / "model-4bit"
    model.mkdir()
    window.drops.take_file(str(model))
    assert {arm.target for arm in window.arms.arms} == {str(model)}
    binary = tmp_path / "picture.bin"
    binary.write_bytes(b"\xff\xfe\x00\x80")
    window.drops.take_file(str(binary))
    assert window.status.text == "picture.bin is neither a trace, a model folder nor a text: drop one of these."


def test_help_lists_keys_and_definitions(open_window: OpenWindow) -> None:
    window = open_window()
    for name, words in (
        ("keyboard", "Send the prompt"),
        ("definitions", "It is a share of the drafts"),
        ("about", "Version"),
    ):
        window.actions_[name].trigger()
        dialog = next(dialog for dialog in window.findChildren(QDialog) if dialog.isVisible())
        shown = dialog.text.toPlainText() if hasattr(dialog, "text") and not isinstance(dialog.text, str) else ""
        shown += " ".join(label.text() for label in dialog.findChildren(QLabel))
        assert words in shown
        dialog.reject()
        QApplication.processEvents()


def test_the_window_imports_no_model_library() -> None:
    heavy = ("mlx", "mlx_lm", "transformers", "huggingface_hub")
    code = f"import sys, app.main; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "[]"


def test_it_starts_and_ends_in_order(tmp_path: Path) -> None:
    code = (
        "import sys\nfrom PySide6.QtCore import QTimer\nimport app.main as m\nreal = m.make_window\n"
        "def make(app):\n"
        "    QTimer.singleShot(1500, app.closeAllWindows)\n"
        "    return real(app, [sys.executable, '-m', 'tests.fakes'])\n"
        "m.make_window = make\nsys.exit(m.main([]))\n"
    )
    environment = {**os.environ, "SLIPSTREAM_HOME": str(tmp_path), "HOME": str(tmp_path), "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("language", ["en", "zh_CN"])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_screenshots(open_window: OpenWindow, qtbot: QtBot, theme: str, language: str) -> None:
    """The window in mid-run, for people to look at; here only that it is drawn in its colours."""
    window = open_window(speed=150)
    window.actions_[f"appearance_{theme}"].trigger()
    window.actions_[f"language_{language}"].trigger()
    window.resize(1280, 800)
    window.conversation.ask(
        "Explain why the sky is blue in three sentences." if language == "en" else "请用三句话解释天空为什么是蓝色的。"
    )
    qtbot.waitUntil(
        lambda: bool(window.runner.session.last.runs) and len(window.runner.session.last.runs["baseline"].rounds) > 60,
        timeout=20000,
    )
    qtbot.wait(150)
    shot = window.grab().toImage()
    folder = ROOT / "build" / "screenshots"
    folder.mkdir(parents=True, exist_ok=True)
    assert shot.save(str(folder / f"chat-{theme}-{language}.png"))
    assert (shot.width(), shot.height()) == (1280, 800)
    expected = DARK if theme == "dark" else LIGHT
    colours = {shot.pixelColor(x, y).name() for x in range(0, 1280, 2) for y in range(0, 800, 2)}
    assert {expected.window, expected.card, expected.accent, expected.accepted_tint, expected.correction} <= colours
    ask_again = window.runner
    ask_again.stop()
    qtbot.waitUntil(lambda: not window.runner.running, timeout=5000)


def test_asking_works_from_the_header(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window()
    assert not window.header.run.isEnabled()
    window.chat.composer.set_prompt("Run me")
    assert window.header.run.isEnabled()
    window.header.run.click()
    qtbot.waitUntil(lambda: bool(window.runner.session.exchanges) and not window.runner.running, timeout=20000)
    window.show_page("traces")
    ask(qtbot, window, "And again")
    assert window.pages.currentWidget() is window.chat
    assert [exchange.prompt for exchange in window.runner.session.exchanges] == ["Run me", "And again"]
