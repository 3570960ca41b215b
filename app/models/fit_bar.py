"""How much of the machine's memory a load would take: one bar, with what is kept for other programs marked."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.theme import Theme
from engine.process.shelf import Fit

BAR_PX = 8


class FitBar(QWidget):
    def __init__(self, fit: Fit, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.fit, self._theme = fit, theme
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(180, BAR_PX)

    def shares(self) -> tuple[float, float]:
        """Of the machine's memory: what is taken, and where the reserve begins."""
        machine = max(1, self.fit.machine_bytes)
        return min(1.0, self.fit.total_bytes / machine), max(0.0, 1 - self.fit.reserve_bytes / machine)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        rect = QRectF(self.rect())
        painter.setBrush(QColor(self._theme.free))
        painter.drawRoundedRect(rect, BAR_PX / 2, BAR_PX / 2)
        taken, reserve = self.shares()
        if self.fit.verdict != "unknown":
            painter.setBrush(QColor(self._theme.drafter if self.fit.verdict == "fits" else self._theme.warning))
            filled = QRectF(rect.left(), rect.top(), max(BAR_PX, rect.width() * taken), rect.height())
            painter.drawRoundedRect(filled, BAR_PX / 2, BAR_PX / 2)
        painter.setPen(QPen(QColor(self._theme.quiet), 1))
        x = round(rect.left() + rect.width() * reserve) - 0.5
        painter.drawLine(round(x), 0, round(x), BAR_PX)
