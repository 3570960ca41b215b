"""Under the columns: conditional acceptance by position, and the number of drafts it rests on."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QHelpEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QToolTip, QWidget

from app.card import scaled, small_font
from app.heatmap.geometry import LABEL_GAP_PX, Columns, labels_every
from app.heatmap.wording import FEW_ROUNDS, column_counts, column_sentence, share
from app.theme import LIGHT, Theme
from engine.trace.metrics import Metrics, measure

_CENTRE = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class ColumnFooter(QWidget):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme: Theme = LIGHT
        self.columns = Columns(0, 0, 1.0)
        self.metrics = measure(())

    def show_numbers(self, columns: Columns, metrics: Metrics) -> None:
        self.columns = columns
        self.metrics = metrics
        self.update()

    def label_px(self) -> int:
        return QFontMetrics(small_font(self.font())).horizontalAdvance(self.tr("accept"))

    def sizeHint(self) -> QSize:
        return QSize(0, 2 * QFontMetrics(small_font(self.font())).height() + 6)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        small = small_font(self.font())
        strong = small_font(self.font(), small.Weight.DemiBold)
        line = QFontMetrics(small).height()
        quiet, text = QColor(self.theme.quiet), QColor(self.theme.text)
        label = QRectF(0, 4, self.columns.left_px - LABEL_GAP_PX, line)
        painter.setFont(small)
        painter.setPen(quiet)
        painter.drawText(label, _RIGHT, self.tr("accept"))
        painter.drawText(label.translated(0, line), _RIGHT, self.tr("n"))
        numbers = scaled(small, 0.94)
        cells = [column_counts(self.metrics, position) for position in range(1, self.columns.count + 1)]
        rates = labels_every(self.columns.pitch_px, QFontMetrics(strong).horizontalAdvance(".00"))
        longest = max((f"{reached:,}" for _, reached in cells), key=len, default="")
        counts = labels_every(self.columns.pitch_px, QFontMetrics(numbers).horizontalAdvance(longest))
        for position, (accepted, reached) in enumerate(cells, start=1):
            if (position - 1) % rates == 0:
                few = reached < FEW_ROUNDS
                cell, align = self._place(position, rates, line)
                painter.setFont(small if few else strong)
                painter.setPen(quiet if few else text)
                painter.drawText(cell, align, share(accepted / reached) if reached else "–")
            if (position - 1) % counts == 0:
                cell, align = self._place(position, counts, line)
                painter.setFont(numbers)
                painter.setPen(quiet)
                painter.drawText(cell.translated(0, line), align, f"{reached:,}")

    def _place(self, position: int, every: int, line_px: int) -> tuple[QRectF, Qt.AlignmentFlag]:
        """Centred under its cell; from the cell's left edge where the text is wider than the cell."""
        x = self.columns.x_px(position)
        if every == 1:
            return QRectF(x, 4, self.columns.cell_px(), line_px), _CENTRE
        return QRectF(x, 4, every * self.columns.pitch_px, line_px), _LEFT

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self.tip_at(event.pos().x()), self)
            return True
        return super().event(event)

    def tip_at(self, x_px: float) -> str:
        position = self.columns.position_at(x_px)
        if position is None:
            return self.tr("Share of drafts accepted at each position, of those the target looked at there (n)")
        return column_sentence(self.metrics, position)
