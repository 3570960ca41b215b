"""The strip beside the grid: all rounds at once, one bar a round or a mean of many, and the window that the grid shows.

It stands in for the scroll bar: press or drag to go there.
"""

from __future__ import annotations

import numpy
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QImage, QMouseEvent, QPainter, QPaintEvent, QPen, QWheelEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.heatmap.arm_rounds import ArmRounds
from app.heatmap.colours import amount_colour
from app.theme import LIGHT, Theme

WIDTH_PX = 14
TALLEST_ROW_PX = 3.0


def line_shares(accepted: NDArray[numpy.uint16], columns: int, lines: int) -> NDArray[numpy.float64]:
    """Mean accepted share of the rounds on each of ``lines`` lines, all rounds spread evenly over them."""
    rounds = len(accepted)
    if rounds == 0 or columns == 0 or lines == 0:
        return numpy.zeros(0)
    starts = numpy.arange(lines) * rounds // lines
    ends = numpy.maximum(starts + 1, numpy.arange(1, lines + 1) * rounds // lines)
    sums = numpy.concatenate(([0], numpy.cumsum(accepted, dtype=numpy.int64)))
    return (sums[ends] - sums[starts]) / (ends - starts) / columns


class Overview(QWidget):
    rowWanted = Signal(float)
    """Row that should come to the middle of the grid."""
    wheelTurned = Signal(object)
    """A wheel event, for the grid to scroll by."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme: Theme = LIGHT
        self.arm: ArmRounds | None = None
        self._shown = range(0)
        self._image = QImage()
        self._image_of: tuple[object, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def sizeHint(self) -> QSize:
        return QSize(WIDTH_PX, 0)

    def set_shown(self, rows: range) -> None:
        self._shown = rows
        self.update()

    def _row_px(self) -> float:
        rounds = len(self.arm.rounds) if self.arm else 0
        return min(TALLEST_ROW_PX, self.height() / rounds) if rounds else TALLEST_ROW_PX

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.arm is None or not self.arm.rounds:
            return
        painter = QPainter(self)
        height = self._row_px() * len(self.arm.rounds)
        painter.drawImage(QRectF(3, 0, WIDTH_PX - 6, height), self._bars(max(1, round(height))))
        top = self._shown.start * self._row_px()
        frame = QRectF(0.5, top, WIDTH_PX - 1, max(8.0, len(self._shown) * self._row_px()))
        frame.moveBottom(min(frame.bottom(), self.height() - 1.0))
        frame.moveTop(max(0.5, frame.top()))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(self.theme.quiet), 1))
        painter.drawRoundedRect(frame, 2.5, 2.5)

    def _bars(self, lines: int) -> QImage:
        assert self.arm is not None
        key = (id(self.arm), len(self.arm.rounds), self.arm.columns, lines, self.theme)
        if key != self._image_of:
            accepted = numpy.frombuffer(self.arm.accepted, dtype=numpy.uint16)
            shares = line_shares(accepted, self.arm.columns, lines)
            del accepted  # the array can't grow while it is borrowed
            width = WIDTH_PX - 6
            filled = numpy.arange(width)[None, :] < numpy.ceil(shares * width)[:, None]
            ground, bar = (QColor(c).rgb() for c in (self.theme.never_reached, amount_colour(self.theme, 0.7)))
            pixels = numpy.ascontiguousarray(numpy.where(filled, bar, ground).astype(numpy.uint32))
            self._image = QImage(pixels.tobytes(), width, lines, width * 4, QImage.Format.Format_RGB32).copy()
            self._image_of = key
        return self._image

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.rowWanted.emit(event.position().y() / self._row_px())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self.rowWanted.emit(event.position().y() / self._row_px())

    def wheelEvent(self, event: QWheelEvent) -> None:
        self.wheelTurned.emit(event)
