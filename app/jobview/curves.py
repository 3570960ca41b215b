"""Curves that grow while a job runs: one plot of all series that share their axes, with intervals and a legend.

Series differ by colour and by the shape of their points, so that they can be told apart without colour.
"""

from __future__ import annotations

from typing import Any

import pyqtgraph
from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QColor, QHelpEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from app.job_state import Curve
from app.jobview.wording import figure
from app.jobview.words import word
from app.style import ui_font
from app.theme import LIGHT, Theme

SYMBOLS = ("o", "s", "t", "d", "+", "x", "star", "p")
FEW_POINTS = 60
"""Up to here every point is marked and may carry its interval."""
NEAR_PX = 28


def colours(theme: Theme) -> tuple[str, ...]:
    return (
        theme.target,
        theme.correction,
        theme.drafter,
        theme.caches,
        theme.allocator,
        theme.drafter_state,
        theme.text,
    )


class CurvePlot(pyqtgraph.PlotWidget):  # type: ignore[misc]
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, useOpenGL=False, antialias=True)
        self.theme: Theme = LIGHT
        self._size_px = 11
        self._curves: dict[str, Curve] = {}
        self._lines: list[tuple[Any, Any]] = []
        self._left: list[Any] = []
        self._names: tuple[str, ...] = ()
        self.setMenuEnabled(False)
        self.setMouseEnabled(x=False, y=False)
        self.hideButtons()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setFrameShape(self.Shape.NoFrame)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.getViewBox().setDefaultPadding(0.04)
        self.showGrid(x=False, y=True, alpha=0.14)
        self._legend = self.addLegend(offset=(-8, 6))
        self.set_theme(LIGHT, 13)

    def sizeHint(self) -> QSize:
        return QSize(360, 200)

    def minimumSizeHint(self) -> QSize:
        return QSize(160, 110)

    def set_theme(self, theme: Theme, size_px: int) -> None:
        self.theme, self._size_px = theme, max(10, size_px - 2)
        self.setBackground(QColor(theme.card))
        for side in ("left", "bottom"):
            axis = self.getAxis(side)
            axis.setPen(pyqtgraph.mkPen(theme.border))
            axis.setTextPen(pyqtgraph.mkPen(theme.quiet))
            axis.setTickFont(ui_font(self._size_px))
            axis.setStyle(tickLength=-4, hideOverlappingLabels=True)
        ground = QColor(theme.card)
        ground.setAlpha(220)
        self._legend.setBrush(ground)
        self._legend.setPen(pyqtgraph.mkPen(None))
        self._legend.setLabelTextColor(theme.text)
        self._legend.setLabelTextSize(f"{self._size_px}px")
        self._paint()
        self.show_curves(self._curves)

    def show_curves(self, curves: dict[str, Curve]) -> None:
        """By name. All of them share the axes of the first."""
        self._curves = curves
        names = tuple(map(word, curves))
        if names != self._names:
            self._name(names)
        for number, ((line, bars), curve) in enumerate(zip(self._lines, curves.values(), strict=False)):
            few = len(curve.x) <= FEW_POINTS
            line.setData(curve.x, curve.y, symbol=SYMBOLS[number % len(SYMBOLS)] if few else None)
            points = [point for point in zip(curve.x, curve.y, curve.low, curve.high, strict=True) if None not in point]
            bars.setVisible(few and bool(points))
            if few and points:
                x, y, low, high = (list(values) for values in zip(*points, strict=True))
                bars.setData(
                    x=_array(x), y=_array(y), top=_array(high) - _array(y), bottom=_array(y) - _array(low), beam=0
                )
        self._range({x for curve in curves.values() for x in (curve.x[:1] + curve.x[-1:])})
        first = next(iter(curves.values()), None)
        style = {"color": self.theme.quiet, "font-size": f"{self._size_px}px"}
        self.setLabel("bottom", word(first.x_name) if first else "", **style)
        self.setLabel("left", word(first.y_name) if first else "", **style)
        self.setAccessibleDescription(self.spoken())

    def spoken(self) -> str:
        """The newest point of every series."""
        return ". ".join(
            f"{word(name)}: {figure(curve.y[-1])} ({word(curve.x_name) or 'x'} {figure(curve.x[-1])})"
            for name, curve in self._curves.items()
            if curve.x
        )

    def _range(self, ends: set[float]) -> None:
        """A first point alone stands in the middle of its neighbours, not of ten empty steps."""
        axis = self.getViewBox().XAxis
        if len(ends) == 1:
            (x,) = ends
            self.setXRange(x - 1, x + 1, padding=0)
        elif not self.getViewBox().autoRangeEnabled()[axis]:
            self.enableAutoRange(axis)

    def _name(self, names: tuple[str, ...]) -> None:
        """Lines are made once and used again; only the legend follows the names."""
        self._names = names
        while len(self._lines) < len(names):
            line, bars = self.plot([], [], antialias=True), pyqtgraph.ErrorBarItem()
            self.addItem(bars)
            self._lines.append((line, bars))
        for line, bars in self._lines[len(names) :]:
            line.setData([], [])
            bars.setVisible(False)
        # What leaves the legend is kept alive: Qt may still hold it in what it is about to paint.
        self._left += [part for item in self._legend.items for part in item]
        self._legend.clear()
        for (line, _), name in zip(self._lines, names, strict=False):
            self._legend.addItem(line, name)
        self._legend.setVisible(len(names) > 1)
        self._paint()

    def _paint(self) -> None:
        palette = colours(self.theme)
        for number, (line, bars) in enumerate(self._lines):
            colour, symbol = palette[number % len(palette)], SYMBOLS[number % len(SYMBOLS)]
            line.setPen(pyqtgraph.mkPen(colour, width=1.8))
            line.setSymbolBrush(colour)
            line.setSymbolPen(None)
            line.setSymbolSize(6)
            line.setSymbol(symbol)
            bars.setData(pen=pyqtgraph.mkPen(colour, width=1.2))

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self.tip_at(event.pos().x(), event.pos().y()), self)
            return True
        return bool(super().viewportEvent(event))

    def tip_at(self, x_px: float, y_px: float) -> str:
        """The point under the pointer with its interval; nothing where none is near."""
        best, best_px = "", NEAR_PX**2
        for name, curve in self._curves.items():
            for x, y, low, high in zip(curve.x, curve.y, curve.low, curve.high, strict=True):
                at = self.getViewBox().mapViewToDevice(pyqtgraph.Point(x, y))
                if at is None:
                    return ""
                away = (at.x() - x_px) ** 2 + (at.y() - y_px) ** 2
                if away < best_px:
                    interval = f" ({figure(low)} – {figure(high)})" if low is not None and high is not None else ""
                    best, best_px = f"{word(name)}\n{word(curve.x_name)} {figure(x)}: {figure(y)}{interval}", away
        return best


def _array(values: list[float]) -> Any:
    import numpy

    return numpy.asarray(values, dtype=float)


def groups(curves: dict[str, Curve]) -> dict[str, dict[str, Curve]]:
    """Series that share their axes stand in one plot; its title is what is drawn over what."""
    found: dict[str, dict[str, Curve]] = {}
    for name, curve in curves.items():
        title = f"{curve.y_name or name} / {curve.x_name}" if curve.x_name else curve.y_name or name
        found.setdefault(title, {})[name] = curve
    return found
