"""The panes beside each other: up to three in a row, four in two rows; three in two rows where they would be too narrow
for their text size.
"""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSplitter, QVBoxLayout, QWidget

from app.chat.pane import LEAST_PX, Pane
from app.theme import GRID_PX, Theme
from engine.trace.events import Arm

GAP_PX = GRID_PX + 4
MOST_IN_ROW = 3


class Panes(QWidget):
    created = Signal(object)
    """A new ``Pane``, to be connected."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._size_px = 13
        self._panes: dict[str, Pane] = {}
        self._in_row = MOST_IN_ROW
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self.splitter = self._splitter(Qt.Orientation.Horizontal)
        self._column.addWidget(self.splitter)

    def __iter__(self) -> Iterator[Pane]:
        return iter(self._panes.values())

    def __len__(self) -> int:
        return len(self._panes)

    def pane(self, name: str) -> Pane | None:
        return self._panes.get(name)

    @property
    def first(self) -> Pane:
        return next(iter(self._panes.values()))

    def set_theme(self, theme: Theme, size_px: int) -> None:
        self._theme, self._size_px = theme, size_px
        for pane in self:
            pane.set_theme(theme, size_px)
        self._fit()

    def set_arms(self, arms: tuple[Arm, ...]) -> list[Pane]:
        """Shows one pane an arm, in this order. Panes of arms that stay are kept; gives the new ones."""
        same_place = [arm.name for arm in arms] == list(self._panes)
        known, self._panes, new = self._panes, {}, []
        for arm in arms:
            pane = known.pop(arm.name, None)
            if pane is None:
                pane = Pane(arm, self._theme)
                pane.set_theme(self._theme, self._size_px)
                new.append(pane)
                self.created.emit(pane)
            elif pane.arm != arm:
                pane.set_arm(arm)
            self._panes[arm.name] = pane
        for pane in known.values():
            pane.setParent(None)
            pane.deleteLater()
        if not same_place:
            self._place()
        return new

    def _room_for(self) -> int:
        """How many panes find room beside each other."""
        least_px = LEAST_PX * self._size_px / 13 + GAP_PX
        return MOST_IN_ROW if self.width() + GAP_PX >= MOST_IN_ROW * least_px else MOST_IN_ROW - 1

    def _fit(self) -> None:
        in_row = self._room_for()
        if in_row != self._in_row:
            self._in_row = in_row
            if len(self) == MOST_IN_ROW:
                self._place()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _place(self) -> None:
        panes = list(self)
        in_row = self.splitter.orientation() == Qt.Orientation.Horizontal and self.splitter.count() == len(panes)
        sizes = self.splitter.sizes() if in_row else []
        for pane in panes:
            pane.setParent(None)
        old = self.splitter
        if len(panes) <= min(self._in_row, MOST_IN_ROW):
            self.splitter = self._row(panes)
        else:
            half = (len(panes) + 1) // 2
            self.splitter = self._splitter(Qt.Orientation.Vertical)
            self.splitter.addWidget(self._row(panes[:half]))
            self.splitter.addWidget(self._row(panes[half:]))
        self._column.replaceWidget(old, self.splitter)
        old.setParent(None)
        old.deleteLater()
        if sizes:
            self.splitter.setSizes(sizes)
        for pane in panes:
            pane.show()

    def _row(self, panes: list[Pane]) -> QSplitter:
        row = self._splitter(Qt.Orientation.Horizontal)
        for pane in panes:
            row.addWidget(pane)
        row.setSizes([1000] * len(panes))
        return row

    def _splitter(self, orientation: Qt.Orientation) -> QSplitter:
        splitter = QSplitter(orientation)
        splitter.setHandleWidth(GAP_PX)
        splitter.setChildrenCollapsible(False)
        return splitter
