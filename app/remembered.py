"""How a person left the window, and how it comes back: size and place, page, dividers, the system prompt."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRect
from PySide6.QtGui import QGuiApplication

from app.settings.keys import Key

if TYPE_CHECKING:
    from app.window import Window

SIZE = (1280, 800)
CORNER = (40, 40)
SPLITTERS = (Key.PAGE_SPLITTER, Key.SIDE_SPLITTER, Key.PANES_SPLITTER)


def restore(window: Window) -> None:
    store = window.store
    window.resize(*SIZE)
    geometry = store.blob(Key.GEOMETRY)
    if geometry is not None:
        window.restoreGeometry(geometry)
        if not is_reachable(window.frameGeometry()):
            window.resize(*SIZE)
            window.move(*CORNER)
    window.chat.composer.system.setPlainText(store.text(Key.SYSTEM_PROMPT))
    window.chat.restore_layout(*(store.blob(key) for key in SPLITTERS))


def remember(window: Window) -> None:
    store, shown = window.store, window.pages.currentWidget()
    store.set(Key.GEOMETRY, window.saveGeometry())
    store.set(Key.PAGE, next(key for key, page in window.page_of.items() if page is shown))
    for key, state in zip(SPLITTERS, window.chat.layout_state(), strict=True):
        store.set(key, state)


def is_reachable(frame: QRect) -> bool:
    """Enough of a window lies on a screen to take hold of it."""
    for screen in QGuiApplication.screens():
        seen = screen.availableGeometry().intersected(frame)
        if seen.width() >= 120 and seen.height() >= 80:
            return True
    return False
