"""The stacked bar of unified memory, and its legend: the same parts in the same order, with names and sizes."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetrics, QHelpEvent, QPainter, QPainterPath, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from app.card import small_font
from app.gauges.parts import Kind, Part, size_text, widths_px
from app.gauges.wording import name, part_sentence
from app.theme import LIGHT, Theme

BAR_PX = 16
DOT_PX = 8
GAP_PX = 6
COLUMN_GAP_PX = 14
SIZE_GAP_PX = 8
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
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.planned_bytes = 0
        """About to be loaded: hatched where it will lie."""
        self.planned_fits = True

    def set_plan(self, size_bytes: int, fits: bool) -> None:
        self.planned_bytes, self.planned_fits = size_bytes, fits
        self.update()

    def planned_px(self) -> tuple[float, float]:
        """Left end and width of what is about to be loaded; no wider than the room that is left."""
        widths = widths_px(self.parts, self.width())
        used = sum(w for part, w in zip(self.parts, widths, strict=True) if part.kind is not Kind.FREE)
        total = sum(part.size_bytes for part in self.parts)
        width = self.planned_bytes / total * self.width() if total else 0.0
        return used, min(width, self.width() - used)

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
        left, width = self.planned_px()
        if self.planned_bytes and width > 0:
            colour = QColor(self.theme.accent if self.planned_fits else self.theme.warning)
            painter.fillRect(QRectF(left, 0, width, BAR_PX), QBrush(colour, Qt.BrushStyle.BDiagPattern))
            # On whole pixels, so that its end is sharp.
            painter.fillRect(QRectF(round(left + width) - 2, 0, 2, BAR_PX), colour)


class PartsLegend(_PartsWidget):
    """Two columns, read downwards, each as wide as its own texts ask for; one where the card is too narrow for two, and
    two with names cut short where it is too low for one.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._room_px = 10_000
        self._widest: dict[Kind, int] = {}
        """Widest size text of each kind so far: columns don't jump as numbers change."""

    def set_parts(self, parts: list[Part]) -> None:
        metrics = QFontMetrics(small_font(self.font()))
        for part in parts:
            width = metrics.horizontalAdvance(size_text(part.size_bytes))
            self._widest[part.kind] = max(width, self._widest.get(part.kind, 0))
        super().set_parts(parts)
        self.fit()

    def set_room(self, height_px: int) -> None:
        """How high it may become."""
        self._room_px = height_px
        self.fit()

    def needed_px(self) -> int:
        """Height that shows every name in full at the present width."""
        return -(-len(Kind) // (2 if self._fits_two() else 1)) * self._line_px()

    def forget_widths(self) -> None:
        self._widest.clear()
        self.set_parts(self.parts)

    def fit(self) -> None:
        """Take the height that the present width and font ask for."""
        self.setFixedHeight(-(-len(Kind) // self._columns()) * self._line_px())
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit()

    def _line_px(self) -> int:
        return QFontMetrics(small_font(self.font())).height() + 4

    def _columns(self) -> int:
        return 2 if self._fits_two() or len(Kind) * self._line_px() > self._room_px else 1

    def _fits_two(self) -> bool:
        return sum(self._column_widths()) + COLUMN_GAP_PX <= self.width()

    def _column_widths(self) -> list[int]:
        """What each of two columns asks for."""
        metrics, kinds = QFontMetrics(small_font(self.font())), list(Kind)
        half = -(-len(kinds) // 2)
        least = metrics.horizontalAdvance("0.0 GB")
        return [
            DOT_PX
            + GAP_PX
            + max(metrics.horizontalAdvance(name(kind)) for kind in column)
            + SIZE_GAP_PX
            + max(self._widest.get(kind, least) for kind in column)
            for column in (kinds[:half], kinds[half:])
        ]

    def _places(self) -> list[QRectF]:
        line = self._line_px()
        if self._columns() == 1:
            return [QRectF(0, place * line, self.width(), line) for place in range(len(self.parts))]
        wanted, room = self._column_widths(), self.width() - COLUMN_GAP_PX
        left = wanted[0] + (room - sum(wanted)) / 2
        half = -(-len(self.parts) // 2)
        return [
            QRectF(left + COLUMN_GAP_PX, (place - half) * line, room - left, line)
            if place >= half
            else QRectF(0, place * line, left, line)
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
        font = small_font(self.font())
        metrics = QFontMetrics(font)
        painter.setFont(font)
        for part, place in zip(self.parts, self._places(), strict=True):
            dot = QRectF(place.left(), place.center().y() - DOT_PX / 2, DOT_PX, DOT_PX)
            painter.setPen(QColor(self.theme.border) if part.kind is Kind.FREE else Qt.PenStyle.NoPen)
            painter.setBrush(QColor(getattr(self.theme, part.kind)))
            painter.drawEllipse(dot)
            size = size_text(part.size_bytes)
            room = place.width() - DOT_PX - GAP_PX - SIZE_GAP_PX / 2 - metrics.horizontalAdvance(size)
            painter.setPen(QColor(self.theme.quiet))
            shown = metrics.elidedText(name(part.kind), Qt.TextElideMode.ElideRight, int(room))
            painter.drawText(place.adjusted(DOT_PX + GAP_PX, 0, 0, 0), _LEFT, shown)
            painter.setPen(QColor(self.theme.text if part.size_bytes else self.theme.quiet))
            painter.drawText(place, _RIGHT, size)
