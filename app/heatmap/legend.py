"""The four states of a cell, drawn as the grid draws them, with the colour scale of the accepted ones."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QLinearGradient, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from app.card import small_font
from app.heatmap.cells import Outcome
from app.heatmap.colours import STEPS, ramp
from app.heatmap.paint import paint_cell
from app.theme import LIGHT, Theme

SWATCH_PX = 18
RAMP_PX = 40
GAP_PX = 6


class Legend(QWidget):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme: Theme = LIGHT

    def _line_px(self) -> int:
        return QFontMetrics(small_font(self.font())).height() + 4

    def sizeHint(self) -> QSize:
        return QSize(0, 2 * self._line_px())

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        font = small_font(self.font())
        painter.setFont(font)
        line = self._line_px()
        middle = self._second_column_px(QFontMetrics(font))
        self._ramp(painter, 0, 0, QFontMetrics(font))
        self._entry(painter, middle, 0, Outcome.REJECTED, self.tr("rejected"))
        self._entry(painter, 0, line, Outcome.NEVER_REACHED, self.tr("never reached"))
        self._entry(painter, middle, line, Outcome.NOT_DRAFTED, self.tr("not drafted"))

    def _second_column_px(self, metrics: QFontMetrics) -> int:
        first = RAMP_PX + GAP_PX + metrics.horizontalAdvance(self._accepted())
        texts = (self.tr("rejected"), self.tr("not drafted"))
        second = SWATCH_PX + GAP_PX + max(metrics.horizontalAdvance(text) for text in texts)
        return max(first + 2 * GAP_PX, min(round(self.width() * 0.58), self.width() - second))

    def _accepted(self) -> str:
        return self.tr("accepted, p 0 to 1")

    def _ramp(self, painter: QPainter, x: float, y: float, metrics: QFontMetrics) -> None:
        box = QRectF(x, y + (self._line_px() - 11) / 2, RAMP_PX, 11)
        shade = QLinearGradient(box.topLeft(), box.topRight())
        for step in range(0, STEPS + 1, 20):
            shade.setColorAt(step / STEPS, ramp(self.theme.is_dark)[step])
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(shade)
        painter.drawRoundedRect(box, 2.5, 2.5)
        self._text(painter, x + RAMP_PX + GAP_PX, y, self._accepted())

    def _entry(self, painter: QPainter, x: float, y: float, found: Outcome, text: str) -> None:
        box = QRectF(x, y + (self._line_px() - 11) / 2, SWATCH_PX, 11)
        paint_cell(painter, box, found, None, self.theme)
        if found is Outcome.NOT_DRAFTED:  # nothing is drawn in the grid; the legend hints at the empty place
            painter.setPen(QPen(QColor(self.theme.quiet), 1, Qt.PenStyle.DotLine))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 2.5, 2.5)
        self._text(painter, x + SWATCH_PX + GAP_PX, y, text)

    def _text(self, painter: QPainter, x: float, y: float, text: str) -> None:
        painter.setPen(QColor(self.theme.quiet))
        place = QRectF(x, y, self.width() - x, self._line_px())
        painter.drawText(place, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)
