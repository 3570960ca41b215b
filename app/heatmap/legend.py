"""The four states of a cell, drawn as the grid draws them, with the colour scale of the accepted ones."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QLinearGradient, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.card import small_font
from app.heatmap.cells import Outcome
from app.heatmap.colours import STEPS, ramp
from app.heatmap.paint import paint_cell
from app.theme import LIGHT, Theme

SWATCH_PX = 16
RAMP_PX = 32
GAP_PX = 5
ENTRY_GAP_PX = 10


class Legend(QWidget):
    """On one line where the card is wide enough: with short texts where it must be, and without the blank cell, which
    nothing is drawn for, where even these are too wide. Else on two lines, and on as many as there are entries where
    two beside each other would run into each other.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme: Theme = LIGHT
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(0, len(self.rows()) * self._line_px())

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.updateGeometry()

    def rows(self) -> list[list[tuple[Outcome, str]]]:
        """Entries by line, as the present width allows."""
        full = [
            (Outcome.ACCEPTED, self.tr("accepted, p 0 to 1")),
            (Outcome.REJECTED, self.tr("rejected")),
            (Outcome.NEVER_REACHED, self.tr("never reached")),
            (Outcome.NOT_DRAFTED, self.tr("not drafted")),
        ]
        short = [(Outcome.ACCEPTED, self.tr("accepted")), *full[1:]]
        for entries in (full, short, short[:3]):
            if self._width_px(entries) <= self.width():
                return [entries]
        for entries in (full, short):
            if self._second_px(entries) + max(self._entry_px(*entry) for entry in entries[1::2]) <= self.width():
                return [entries[:2], entries[2:]]
        return [[entry] for entry in short]

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        font = small_font(self.font())
        painter.setFont(font)
        rows = self.rows()
        for row, entries in enumerate(rows):
            y = row * self._line_px()
            if len(rows) == 1:
                x = 0.0
                # What is left over goes between the entries, but never tears them apart.
                gap = min(22.0, ENTRY_GAP_PX + (self.width() - self._width_px(entries)) / max(1, len(entries) - 1))
                for outcome, text in entries:
                    self._entry(painter, x, y, outcome, text)
                    x += self._entry_px(outcome, text) + gap
            else:
                for column, (outcome, text) in enumerate(entries):
                    self._entry(painter, column * self._second_px([*rows[0], *rows[-1]]), y, outcome, text)

    def _second_px(self, entries: list[tuple[Outcome, str]]) -> int:
        """Where the second of two columns begins."""
        return max(round(self.width() * 0.5), max(self._entry_px(*entry) for entry in entries[::2]) + ENTRY_GAP_PX)

    def _line_px(self) -> int:
        return QFontMetrics(small_font(self.font())).height() + 4

    def _entry_px(self, outcome: Outcome, text: str) -> int:
        swatch = RAMP_PX if outcome is Outcome.ACCEPTED else SWATCH_PX
        return swatch + GAP_PX + QFontMetrics(small_font(self.font())).horizontalAdvance(text)

    def _width_px(self, entries: list[tuple[Outcome, str]]) -> int:
        return sum(self._entry_px(*entry) for entry in entries) + ENTRY_GAP_PX * (len(entries) - 1)

    def _entry(self, painter: QPainter, x: float, y: float, found: Outcome, text: str) -> None:
        width = RAMP_PX if found is Outcome.ACCEPTED else SWATCH_PX
        box = QRectF(x, y + (self._line_px() - 11) / 2, width, 11)
        if found is Outcome.ACCEPTED:
            shade = QLinearGradient(box.topLeft(), box.topRight())
            for step in range(0, STEPS + 1, 20):
                shade.setColorAt(step / STEPS, ramp(self.theme.is_dark)[step])
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(shade)
            painter.drawRoundedRect(box, 2.5, 2.5)
        else:
            paint_cell(painter, box, found, None, self.theme)
        if found is Outcome.NOT_DRAFTED:  # nothing is drawn in the grid; the legend hints at the empty place
            painter.setPen(QPen(QColor(self.theme.quiet), 1, Qt.PenStyle.DotLine))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 2.5, 2.5)
        painter.setPen(QColor(self.theme.quiet))
        place = QRectF(x + width + GAP_PX, y, self.width() - x, self._line_px())
        painter.drawText(place, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)
