"""What the window asks of each of its pages besides being a widget. Everything here may be left out by a page."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from app.theme import Theme


class Page(QWidget):
    def set_theme(self, theme: Theme, size_px: int) -> None:
        """Other colours or another text size. What the style sheet says comes by itself."""

    def shown(self) -> None:
        """The page comes to the front: it may look for what has changed, and gives its main control the focus."""
