"""The stacked bar of unified memory, and its legend: the same parts in the same order, with names and sizes."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QHelpEvent, QPainter, QPainterPath, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from app.card import small_font
from app.gauges.parts import Kind, Part, size_text, widths_px
from app.gauges.wording import name, part_sentence
from app.theme import LIGHT, Theme

BAR_PX = 16
DOT_PX = 8
GAP_PX = 6
COLUMN_GAP_PX = 16
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class _PartsWidget(QWidget):
    """Shows parts and explains the one under the pointer."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme: Theme = LIGHT
        self.parts: list[Part] = []
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_parts(self, parts: list[Part]) -> None:
        self.parts = parts
        self.update()

    def part_at(self, point: QPointF) -> Part | None:
        raise NotImplementedError

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            part = self.part_at(QPointF(event.pos()))
            QToolTip.showText(event.globalPos(), part_sentence(part) if part else "", self)
            return True
        return super().event(event)


class StackedBar(_PartsWidget):
    def sizeHint(self) -> QSize:
        return QSize(200, BAR_PX)

    def part_at(self, point: QPointF) -> Part | None:
        x = 0.0
        for part, width in zip(self.parts, widths_px(self.parts, self.width()), strict=True):
            x += width
            if width and point.x() < x:
                return part
        return None

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        outline = QPainterPath()
        outline.addRoundedRect(QRectF(0, 0, self.width(), BAR_PX), 5, 5)
        painter.fillPath(outline, QColor(self.theme.free))
        painter.setClipPath(outline)
        x = 0.0
        for part, width in zip(self.parts, widths_px(self.parts, self.width()), strict=True):
            if width and part.kind is not Kind.FREE:
                gap = 1.0 if width > 3 else 0.0
                painter.fillRect(QRectF(x, 0, width, BAR_PX), QColor(self.theme.card))
                painter.fillRect(QRectF(x, 0, width - gap, BAR_PX), QColor(getattr(self.theme, part.kind)))
            x += width


class PartsLegend(_PartsWidget):
    """Two columns, read downwards; one where the card is too narrow for two."""

    def _line_px(self) -> int:
        return QFontMetrics(small_font(self.font())).height() + 4

    def _columns(self, width_px: int) -> int:
        metrics = QFontMetrics(small_font(self.font()))
        names = max((metrics.horizontalAdvance(name(kind)) for kind in Kind), default=0)
        entry = DOT_PX + GAP_PX + names + 2 * GAP_PX + metrics.horizontalAdvance("00.0 GB")
        return 2 if 2 * entry + COLUMN_GAP_PX <= width_px else 1

    def _lines(self, width_px: int) -> int:
        columns = self._columns(width_px)
        return -(-len(Kind) // columns)

    def fit(self) -> None:
        """Take the height that the present width and font ask for."""
        self.setFixedHeight(self._lines(self.width()) * self._line_px())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit()

    def _places(self) -> list[QRectF]:
        columns, lines, line = (self._columns(self.width()), self._lines(self.width()), self._line_px())
        width = (self.width() - (columns - 1) * COLUMN_GAP_PX) / columns
        return [
            QRectF((place // lines) * (width + COLUMN_GAP_PX), (place % lines) * line, width, line)
            for place in range(len(self.parts))
        ]

    def part_at(self, point: QPointF) -> Part | None:
        for part, place in zip(self.parts, self._places(), strict=True):
            if place.contains(point):
                return part
        return None

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(small_font(self.font()))
        for part, place in zip(self.parts, self._places(), strict=True):
            dot = QRectF(place.left(), place.center().y() - DOT_PX / 2, DOT_PX, DOT_PX)
            painter.setPen(QColor(self.theme.border) if part.kind is Kind.FREE else Qt.PenStyle.NoPen)
            painter.setBrush(QColor(getattr(self.theme, part.kind)))
            painter.drawEllipse(dot)
            painter.setPen(QColor(self.theme.quiet))
            painter.drawText(place.adjusted(DOT_PX + GAP_PX, 0, 0, 0), _LEFT, name(part.kind))
            painter.setPen(QColor(self.theme.text if part.size_bytes else self.theme.quiet))
            painter.drawText(place, _RIGHT, size_text(part.size_bytes))
