"""Starts the window: ``slipstream`` without a command, or ``python -m app``.

The window is shown before any model is loaded: nothing here or below imports MLX or a model library.
"""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QFileOpenEvent
from PySide6.QtWidgets import QApplication, QStyleFactory

from app import paths
from app.appearance import Appearance
from app.engine_link import EngineLink
from app.i18n import Language
from app.settings.keys import Key
from app.settings.store import Store
from app.style import DEFAULT_TEXT_SIZE
from app.window import Window
from engine import __version__


class Application(QApplication):
    file_opened = Signal(str)
    """The system asks to open a trace, e.g. after a double click on it."""

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QFileOpenEvent) and event.file():
            self.file_opened.emit(event.file())
            return True
        return super().event(event)


def identify(app: QApplication) -> None:
    """Names, and the style that looks the same on every system and follows ``app.style``."""
    app.setApplicationName(paths.APP_NAME)
    app.setApplicationDisplayName(paths.APP_NAME)
    app.setApplicationVersion(__version__)
    app.setOrganizationName(paths.APP_NAME)
    app.setOrganizationDomain("slipstream.local")
    app.setStyle(QStyleFactory.create("Fusion"))
    if sys.platform == "darwin":
        app.setAttribute(Qt.ApplicationAttribute.AA_DontShowIconsInMenus)


def make_window(app: QApplication, engine: Sequence[str] | None = None, hang_s: float | None = None) -> Window:
    """A window that is ready to be shown; ``engine`` is the command of another engine process."""
    store = Store()
    language = Language(app)
    language.set(store.text(Key.LANGUAGE, "system"))
    appearance = Appearance(app, store.text(Key.APPEARANCE, "system"), store.number(Key.TEXT_SIZE, DEFAULT_TEXT_SIZE))
    link = EngineLink(paths.logs_dir(), engine) if hang_s is None else EngineLink(paths.logs_dir(), engine, hang_s)
    window = Window(store, link, appearance, language, paths.traces_dir())
    link.setParent(window)
    appearance.setParent(window)
    return window


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="slipstream", description="The window of Slipstream.")
    parser.add_argument("--replay", metavar="TRACE", type=Path, help="open a trace")
    # A file manager gives the file that was double-clicked as it is; on a Mac it comes as an event instead.
    parser.add_argument("trace", nargs="?", type=Path, help="the same")
    options = parser.parse_args(sys.argv[1:] if argv is None else list(argv))
    trace = options.replay or options.trace
    app = Application(sys.argv[:1])
    identify(app)
    window = make_window(app)
    app.file_opened.connect(lambda name: window.open_trace(Path(name)))
    # A terminal's Ctrl+C ends the window as a menu would; the engine's replies and pings wake Python often enough.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: app.quit())
    window.show()
    QTimer.singleShot(0, lambda: window.begin(trace))
    code = app.exec()
    # Widgets go before the application does; an object that outlives it can't be taken down any more.
    window.shut_down()
    window.deleteLater()
    app.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    return code
