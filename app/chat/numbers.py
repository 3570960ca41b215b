"""The numbers at the head of a pane: speed and ratio large, everything else small and quiet.

Digits are tabular and columns have fixed places, so that changing numbers don't dance. What a number means is said in
one sentence when the pointer rests on it.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QFont, QResizeEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from app.chat import wording
from app.style import set_role, ui_font
from app.theme import Theme
from engine.trace.metrics import Metrics

TILES = ("per_forward", "first_token", "target_forwards", "drafter_forwards", "accepted", "rollbacks")
BASELINE_TILES = TILES[:3]
WIDE_PX = 392
NARROW_PX = 250


class Tile(QWidget):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self.value, self.caption = QLabel(wording.NONE), QLabel()
        set_role(self.caption, "caption")
        column.addWidget(self.value)
        column.addWidget(self.caption)


class Numbers(QWidget):
    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._size_px = 13
        self._tiles = {name: Tile(self) for name in TILES}
        self._shown: tuple[str, ...] = TILES
        self._columns = 0
        self._compact = False
        self.speed, self.unit, self.ratio = QLabel(wording.NONE), QLabel(), QLabel()
        set_role(self.unit, "quiet")
        head = QHBoxLayout()
        head.setContentsMargins(0, 0, 0, 0)
        head.setSpacing(6)
        head.addWidget(self.speed, 0, Qt.AlignmentFlag.AlignBaseline)
        head.addWidget(self.unit, 0, Qt.AlignmentFlag.AlignBaseline)
        head.addStretch(1)
        head.addWidget(self.ratio, 0, Qt.AlignmentFlag.AlignBaseline)
        self._grid = QGridLayout()
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(8)
        self._grid.setVerticalSpacing(6)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addLayout(head)
        column.addLayout(self._grid)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.retranslate()
        self.set_theme(theme, self._size_px)

    def set_theme(self, theme: Theme, size_px: int) -> None:
        self._theme, self._size_px = theme, size_px
        self._fonts()

    def set_baseline(self, on: bool) -> None:
        """A baseline has no drafts, and so no numbers about them."""
        self._shown = BASELINE_TILES if on else TILES
        self._place(force=True)

    def set_compact(self, on: bool) -> None:
        """Speed and ratio only, for a pane that is too low for more."""
        if on is not self._compact:
            self._compact = on
            self._fonts()
            self._place(force=True)

    def show_metrics(self, metrics: Metrics | None, first: Metrics | None) -> None:
        """``first`` are the numbers of the first pane; None in the first pane itself."""
        if metrics is None:
            values = dict.fromkeys(TILES, wording.NONE)
            self.speed.setText(wording.NONE)
            self.ratio.setText("")
        else:
            self.speed.setText(wording.speed(metrics))
            self.ratio.setText(wording.ratio(metrics, first))
            set_role(self.ratio, "slower" if wording.is_slower(metrics, first) else "ratio")
            values = {
                "per_forward": wording.number(metrics.tokens_per_forward, 2),
                "first_token": wording.seconds(metrics.time_to_first_token_s),
                "target_forwards": str(metrics.target_forwards),
                "drafter_forwards": str(metrics.drafter_forwards),
                "accepted": wording.percent(metrics.draft_acceptance_rate),
                "rollbacks": str(metrics.rollbacks),
            }
        set_role(self.speed, "quiet" if self.speed.text() == wording.NONE else "")
        for name, value in values.items():
            tile = self._tiles[name]
            if tile.value.text() != value:
                tile.value.setText(value)
                tile.setAccessibleName(f"{tile.caption.text()}: {value}")

    def value(self, name: str) -> str:
        return self._tiles[name].value.text()

    def retranslate(self) -> None:
        self.unit.setText(self.tr("tok/s"))
        tip = self.tr("Tokens per second of this pane's own time, the prompt's reading not counted.")
        self.speed.setToolTip(tip)
        self.unit.setToolTip(tip)
        self.ratio.setToolTip(
            self.tr("Speed of this pane divided by the speed of the first pane; below 1 it is slower.")
        )
        for name, (caption, sentence) in {
            "per_forward": (
                self.tr("per forward"),
                self.tr(
                    "Tokens per forward: how many tokens each run of the target yielded, the bonus token included."
                ),
            ),
            "first_token": (
                self.tr("first token"),
                self.tr("Time to first token: this pane's own time from the prompt to the first token."),
            ),
            "target_forwards": (self.tr("forwards"), self.tr("Target forwards: how often the large model ran.")),
            "drafter_forwards": (
                self.tr("drafter"),
                self.tr("Drafter forwards: how often the drafter's model ran; look-up needs none."),
            ),
            "accepted": (
                self.tr("accepted"),
                self.tr("Share of all drafted tokens that were kept; it is a share of the drafts, not of the text."),
            ),
            "rollbacks": (self.tr("rollbacks"), self.tr("Rounds in which at least one draft was dropped.")),
        }.items():
            self._tiles[name].caption.setText(caption)
            self._tiles[name].setToolTip(sentence)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fonts()
        self._place()

    def _fonts(self) -> None:
        big = self._size_px * (2.5 if self.width() >= NARROW_PX and not self._compact else 1.7)
        for label in (self.speed, self.ratio):
            label.setFont(ui_font(big, QFont.Weight.DemiBold, tabular=True))
        self.unit.setFont(ui_font(self._size_px + 1))
        for tile in self._tiles.values():
            tile.value.setFont(ui_font(self._size_px, QFont.Weight.DemiBold, tabular=True))
            tile.caption.setFont(ui_font(self._size_px - 2))

    def _place(self, force: bool = False) -> None:
        columns = 6 if self.width() >= WIDE_PX * self._size_px / 13 else 3
        if columns == self._columns and not force:
            return
        self._columns = columns
        for tile in self._tiles.values():
            self._grid.removeWidget(tile)
            tile.hide()
        for number, name in enumerate(() if self._compact else self._shown):
            self._grid.addWidget(self._tiles[name], number // columns, number % columns)
            self._tiles[name].show()
        for column in range(6):
            self._grid.setColumnStretch(column, 1 if column < columns else 0)
        # Panes beside each other begin their text at one height, whether they have one row of numbers or two.
        row = self._tiles["accepted"].sizeHint().height()
        rows = -(-len(self._shown) // columns)
        for line in range(2):
            reserved = line < len(TILES) // columns and not self._compact
            # A row without numbers has no gap above it.
            gap = self._grid.verticalSpacing() if line >= rows else 0
            self._grid.setRowMinimumHeight(line, row + gap if reserved else 0)
