"""How one cell looks. Shape and fill tell the outcome; colour adds the amount, so the grid reads without colour."""

from __future__ import annotations

from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from app.heatmap.cells import Outcome
from app.heatmap.colours import amount_colour
from app.theme import Theme


def paint_cell(painter: QPainter, rect: QRectF, found: Outcome, p: float | None, theme: Theme) -> None:
    """The painter must be antialiased."""
    radius = min(2.5, rect.width() / 4)
    match found:
        case Outcome.ACCEPTED:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(amount_colour(theme, p))
            painter.drawRoundedRect(rect, radius, radius)
        case Outcome.REJECTED:
            _paint_rejected(painter, rect, radius, QColor(theme.correction))
        case Outcome.NEVER_REACHED | Outcome.CUT:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(theme.never_reached))
            painter.drawRoundedRect(rect, radius, radius)
        case Outcome.NOT_DRAFTED:
            pass


def _paint_rejected(painter: QPainter, rect: QRectF, radius: float, colour: QColor) -> None:
    pen = QPen(colour, 1.4)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(rect.adjusted(0.7, 0.7, -0.7, -0.7), radius, radius)
    arm = min(3.2, rect.height() / 2 - 3, rect.width() / 2 - 3)
    if arm < 1:
        return
    pen.setWidthF(1.2)
    painter.setPen(pen)
    centre = rect.center()
    painter.drawLines(
        [
            QLineF(centre.x() - arm, centre.y() - arm, centre.x() + arm, centre.y() + arm),
            QLineF(centre.x() - arm, centre.y() + arm, centre.x() + arm, centre.y() - arm),
        ]
    )


def paint_ring(painter: QPainter, rect: QRectF, colour: QColor, width_px: float) -> None:
    """Outline of a hovered or selected cell."""
    painter.setPen(QPen(colour, width_px))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(rect.adjusted(-0.5, -0.5, 0.5, 0.5), 3, 3)
