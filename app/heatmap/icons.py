"""The button that turns the grid into a table and back; it draws its own glyph, in the theme's colours."""

from __future__ import annotations

from PySide6.QtCore import QLineF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QToolButton, QWidget

from app.theme import LIGHT, Theme

SIDE_PX = 24


class TableButton(QToolButton):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme: Theme = LIGHT
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def sizeHint(self) -> QSize:
        return QSize(SIDE_PX, SIDE_PX)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colour = QColor(self.theme.accent if self.isChecked() else self.theme.quiet)
        painter.setPen(QPen(colour, 1.3))
        box = QRectF(0, 0, 14, 12)
        box.moveCenter(QRectF(self.rect()).center())
        painter.drawRoundedRect(box, 2, 2)
        for part in (1, 2):
            y = box.top() + box.height() * part / 3
            painter.drawLine(QLineF(box.left(), y, box.right(), y))
        x = box.left() + box.width() * 0.36
        painter.drawLine(QLineF(x, box.top(), x, box.bottom()))
