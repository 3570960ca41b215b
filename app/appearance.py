"""Which theme is shown: the system's, or the one a person chose. Tells when it changes, so that every view can follow
at once.
"""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtWidgets import QApplication

from app import style
from app.theme import DARK, LIGHT, Theme


class Appearance(QObject):
    changed = Signal(object, int)
    """Theme and text size in px; the application's own style is set already."""

    def __init__(self, app: QApplication, choice: str, size_px: int, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._app = app
        self._choice = choice
        self.size_px = nearest_size(size_px)
        self.theme = self._resolve()
        app.styleHints().colorSchemeChanged.connect(self._system_changed)

    @property
    def choice(self) -> str:
        return self._choice

    def apply(self) -> None:
        self.theme = self._resolve()
        style.apply(self._app, self.theme, self.size_px)
        self.changed.emit(self.theme, self.size_px)

    def choose(self, choice: str) -> None:
        """``system``, ``light`` or ``dark``."""
        self._choice = choice
        hints = self._app.styleHints()
        # Menus and title bars are drawn by the system, which is told as well.
        if choice == "system":
            hints.unsetColorScheme()
        else:
            hints.setColorScheme(Qt.ColorScheme.Dark if choice == "dark" else Qt.ColorScheme.Light)
        self.apply()

    def resize(self, step: int) -> None:
        """One text size up or down; 0 goes back to the usual one."""
        sizes = style.TEXT_SIZES
        place = sizes.index(self.size_px) + step
        self.set_size(style.DEFAULT_TEXT_SIZE if step == 0 else sizes[min(max(place, 0), len(sizes) - 1)])

    def set_size(self, size_px: int) -> None:
        self.size_px = nearest_size(size_px)
        self.apply()

    def _resolve(self) -> Theme:
        if self._choice in ("light", "dark"):
            return DARK if self._choice == "dark" else LIGHT
        return DARK if self._app.styleHints().colorScheme() == Qt.ColorScheme.Dark else LIGHT

    @Slot()
    def _system_changed(self) -> None:
        if self._choice == "system" and self._resolve() is not self.theme:
            self.apply()


def nearest_size(size_px: int) -> int:
    return min(style.TEXT_SIZES, key=lambda size: abs(size - size_px))
