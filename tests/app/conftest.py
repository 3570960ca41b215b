"""The window under test: no display, no OpenGL, an empty profile, English, and nothing left running.

Fonts come from ``fonts.conf``, so that screenshots on Linux look like the product. An unexpected Qt warning fails a
test (see ``pyproject.toml``), and so does a thread, a timer, a child process or a window that a test leaves behind.
"""

from __future__ import annotations

import gc
import os
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ["FONTCONFIG_FILE"] = str(Path(__file__).with_name("fonts.conf"))
os.environ["LANG"] = os.environ["LC_ALL"] = "C.UTF-8"

import pyqtgraph
import pytest
from PySide6.QtCore import QEvent, QProcess, QSettings, Qt, QTimer
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from app.main import Application, identify, make_window
from app.settings.store import Store
from app.style import DEFAULT_TEXT_SIZE
from app.window import Window
from engine.trace.events import Arm

pyqtgraph.setConfigOptions(useOpenGL=False)

PAIR = (Arm(name="baseline"), Arm(name="speculative", drafter="lookup"))
"""Whatever ships beside the embedded model."""
OpenWindow = Callable[..., Window]


@pytest.fixture(scope="session")
def qapp_cls() -> type[QApplication]:
    return Application


@pytest.fixture(autouse=True)
def profile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty profile: settings, traces and logs of this test alone."""
    home = tmp_path / "home"
    monkeypatch.setenv("SLIPSTREAM_HOME", str(home))
    QSettings.setDefaultFormat(QSettings.Format.IniFormat)
    QSettings.setPath(QSettings.Format.IniFormat, QSettings.Scope.UserScope, str(home / "settings"))
    return home


@pytest.fixture(scope="module", autouse=True)
def what_was_before_is_not_looked_through() -> Iterator[None]:
    """``running`` goes through all objects, thrice a test: imports and collected tests are hundreds of thousands."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()
    yield


@pytest.fixture(autouse=True)
def nothing_left(qapp: QApplication) -> Iterator[None]:
    """Fails a test that leaves a thread, a running timer, a child process or a window behind."""
    threads = set(threading.enumerate())
    timers = {id(timer) for timer in running(QTimer)}
    yield
    qapp.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    left = [
        f"thread {thread.name}"
        for thread in threading.enumerate()
        if thread not in threads and not thread.name.startswith("Dummy")
    ]
    left += [f"timer of {timer.parent()}" for timer in running(QTimer) if id(timer) not in timers]
    left += [f"process {process.program()}" for process in running(QProcess)]
    left += [
        f"window {widget}"
        for widget in QApplication.topLevelWidgets()
        if widget.isVisible() and widget.windowType() == Qt.WindowType.Window
    ]
    assert not left, f"left behind: {', '.join(left)}"


def running(kind: type[QTimer] | type[QProcess]) -> list:
    found = []
    for thing in gc.get_objects():
        if type(thing) is kind and isValid(thing):
            alive = thing.isActive() if isinstance(thing, QTimer) else thing.state() != QProcess.ProcessState.NotRunning
            if alive:
                found.append(thing)
    return found


@pytest.fixture
def open_window(qapp: QApplication, qtbot: QtBot) -> Iterator[OpenWindow]:
    """Opens windows over the scripted engine and ends them, engine included."""
    windows: list[Window] = []
    identify(qapp)

    def make(
        mode: str = "",
        after: int = 20,
        speed: float = 0.0,
        record: Path | None = None,
        arms: tuple[Arm, ...] | None = None,
        hang_s: float | None = None,
        begin: bool = True,
        verdict: str = "",
        load_s: float = 0.0,
    ) -> Window:
        if arms is not None:
            Store().set_arms(arms)
        command = [sys.executable, "-m", "tests.fakes", "--mode", mode, "--after", str(after), "--speed", str(speed)]
        if load_s:
            command += ["--load-s", str(load_s)]
        if verdict:
            command += ["--verdict", verdict]
        if record is not None:
            command += ["--record", str(record)]
        window = make_window(qapp, command, hang_s)
        window.ask_before_quit = False
        windows.append(window)
        window.show()
        if begin:
            window.begin()
        return window

    yield make
    for window in windows:
        if isValid(window):
            window.language.set("en")
            window.appearance.set_size(DEFAULT_TEXT_SIZE)
            window.close()
            window.deleteLater()
    qapp.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


@pytest.fixture
def answered(open_window: OpenWindow, qtbot: QtBot) -> Window:
    """A window whose two panes have answered one prompt."""
    window = open_window(arms=PAIR)
    ask(qtbot, window, "Explain why the sky is blue in three sentences.")
    return window


def ask(qtbot: QtBot, window: Window, prompt: str) -> None:
    """Sends a prompt and waits until all panes have ended."""
    window.conversation.ask(prompt)
    qtbot.waitUntil(lambda: not window.runner.running, timeout=20000)
