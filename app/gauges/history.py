"""The engine's memory over the last two minutes, with its peak marked."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Literal

import pyqtgraph
from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QColor, QHelpEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from app.gauges.parts import size_text
from app.said import Said, now
from app.theme import LIGHT, Theme

WINDOW_S = 120.0
NEXT_RUN_S = 1.0
"""Where the clock starts anew with another run, its first sample is drawn this long after the last."""


MARK_PX = 9
"""A mark answers to the pointer within this distance."""


MarkKind = Literal["eased", "stopped", "unloaded"]
SYMBOLS: dict[MarkKind, str] = {"eased": "d", "stopped": "x", "unloaded": "o"}


@dataclass(frozen=True, slots=True)
class Mark:
    """Something happened to the memory at this time."""

    t_s: float
    size_bytes: int
    said: Said
    kind: MarkKind


class History:
    """Samples of the last two minutes, on one clock over all runs."""

    def __init__(self) -> None:
        self.samples: deque[tuple[float, int]] = deque()
        self.marks: deque[Mark] = deque()
        self._offset_s = 0.0
        self._last_t_s = 0.0

    def add(self, t_s: float, size_bytes: int) -> None:
        if self.samples and t_s < self._last_t_s:
            self._offset_s = self.samples[-1][0] + NEXT_RUN_S - t_s
        self._last_t_s = t_s
        now_s = t_s + self._offset_s
        self.samples.append((now_s, size_bytes))
        # One sample older than the window stays, so that the line reaches its left edge.
        while len(self.samples) > 2 and self.samples[1][0] < now_s - WINDOW_S:
            self.samples.popleft()
        while self.marks and self.marks[0].t_s < now_s - WINDOW_S:
            self.marks.popleft()

    def mark(self, said: Said, kind: MarkKind) -> None:
        """At the newest sample; the same is marked once."""
        if not self.samples:
            return
        t_s, size_bytes = self.samples[-1]
        made = Mark(t_s, size_bytes, said, kind)
        if not self.marks or (self.marks[-1].t_s, self.marks[-1].kind) != (t_s, kind):
            self.marks.append(made)

    def mark_ages_s(self) -> list[float]:
        return [mark.t_s - self.samples[-1][0] for mark in self.marks]

    def ages_s(self) -> list[float]:
        """Time of each sample before the newest, as numbers up to 0."""
        return [t_s - self.samples[-1][0] for t_s, _ in self.samples]

    def sizes(self) -> list[int]:
        return [size_bytes for _, size_bytes in self.samples]


class HistoryLine(pyqtgraph.PlotWidget):  # type: ignore[misc]
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, useOpenGL=False, antialias=True)
        self.theme: Theme = LIGHT
        self.history = History()
        self.peak_bytes = 0
        self._top_bytes = 1.0
        self.setMenuEnabled(False)
        self.setMouseEnabled(False, False)
        self.hideButtons()
        self.hideAxis("left")
        self.hideAxis("bottom")
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setFrameShape(self.Shape.NoFrame)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMenuEnabled(False)
        self.setMouseEnabled(x=False, y=False)
        self.hideButtons()
        self.plotItem.setContentsMargins(0, 0, 0, 0)
        self.plotItem.layout.setContentsMargins(0, 2, 0, 0)
        self.getViewBox().setDefaultPadding(0)
        self.setXRange(-WINDOW_S, 0, padding=0)
        self._line = self.plot([], [], fillLevel=0)
        self._peak = pyqtgraph.InfiniteLine(angle=0)
        self._peak.hide()
        self._ground = pyqtgraph.InfiniteLine(angle=0, pos=0)
        self._marks = pyqtgraph.ScatterPlotItem(pxMode=True)
        for item in (self._ground, self._peak, self._marks):
            self.addItem(item, ignoreBounds=True)
        self.set_theme(LIGHT)

    def sizeHint(self) -> QSize:
        return QSize(200, 72)

    def minimumSizeHint(self) -> QSize:
        return QSize(100, 44)

    def set_theme(self, theme: Theme) -> None:
        self.theme = theme
        self.setBackground(QColor(theme.card))
        fill = QColor(theme.accent)
        fill.setAlpha(36)
        self._line.setPen(pyqtgraph.mkPen(theme.accent, width=1.6))
        self._line.setBrush(fill)
        self._peak.setPen(pyqtgraph.mkPen(theme.quiet, width=1, style=Qt.PenStyle.DashLine))
        self._ground.setPen(pyqtgraph.mkPen(theme.border, width=1))
        self._show_marks()

    def clear_history(self) -> None:
        self.history = History()
        self.peak_bytes = 0
        self.show_history()

    def show_history(self) -> None:
        sizes = self.history.sizes()
        self._line.setData(self.history.ages_s(), sizes)
        self._peak.setPos(self.peak_bytes)
        self._peak.setVisible(self.peak_bytes > 0)
        # A mark at the top of the line is seen whole.
        self._top_bytes = max([self.peak_bytes, *sizes, 1]) * (1.2 if self.history.marks else 1.08)
        self.setYRange(0, self._top_bytes, padding=0)
        self._show_marks()

    def _show_marks(self) -> None:
        # Nor is one at an edge cut.
        inset_s = MARK_PX / max(1, self.width()) * WINDOW_S
        inset_bytes = MARK_PX / max(1, self.height()) * self._top_bytes
        self._marks.setData(
            [
                {
                    "pos": (min(age_s, -inset_s), max(mark.size_bytes, inset_bytes)),
                    "symbol": SYMBOLS[mark.kind],
                    "size": 11,
                    "brush": pyqtgraph.mkBrush(self.theme.warning if mark.kind == "stopped" else self.theme.card),
                    "pen": pyqtgraph.mkPen(
                        self.theme.accent if mark.kind == "unloaded" else self.theme.warning, width=1.5
                    ),
                }
                for age_s, mark in zip(self.history.mark_ages_s(), self.history.marks, strict=True)
            ]
        )

    def said_of_marks(self) -> list[str]:
        return [now(mark.said) for mark in self.history.marks]

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self.tip_at(event.pos().x()), self)
            return True
        return bool(super().viewportEvent(event))

    def tip_at(self, x_px: float) -> str:
        """Size at the time under the pointer, and how long ago that was."""
        if not self.history.samples:
            return ""
        wanted_s = (x_px / max(1, self.width()) - 1) * WINDOW_S
        within_s = MARK_PX / max(1, self.width()) * WINDOW_S
        for age_s, mark in zip(self.history.mark_ages_s(), self.history.marks, strict=True):
            if abs(age_s - wanted_s) <= within_s:
                return self.tr("{what}, {seconds} s before the newest sample").format(
                    what=now(mark.said), seconds=f"{-age_s:.0f}"
                )
        age_s, size_bytes = min(
            zip(self.history.ages_s(), self.history.sizes(), strict=True), key=lambda pair: abs(pair[0] - wanted_s)
        )
        said = self.tr("{size} in use by the models, {seconds} s before the newest sample")
        return said.format(size=size_text(size_bytes, 2), seconds=f"{-age_s:.0f}")
