"""The numbers at the head of a pane: speed and ratio large, everything else small and quiet.

Digits are tabular and columns have fixed places, so that changing numbers don't dance. What a number means is said in
one sentence when the pointer rests on it.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from app import figures
from app.chat import wording
from app.style import set_role, ui_font
from app.theme import Theme
from engine.trace.metrics import Metrics

TILES = ("per_forward", "first_token", "target_forwards", "drafter_forwards", "accepted", "rollbacks")
BASELINE_TILES = TILES[:3]
WIDE_PX = 392
TIGHT_PX = 190
"""Below this three numbers beside each other would not have room for their captions."""
BIG, LEAST_BIG = 2.5, 1.1
"""Size of speed and ratio over the text's, where there is room and where there is least."""


class Tile(QWidget):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self.value, self.caption = QLabel(figures.NONE), QLabel()
        set_role(self.caption, "caption")
        column.addWidget(self.value)
        column.addWidget(self.caption)


class Numbers(QWidget):
    again_wanted = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._size_px = 13
        self._tiles = {name: Tile(self) for name in TILES}
        self._shown: tuple[str, ...] = TILES
        self._columns = 0
        self._compact = False
        self._answers = 0
        self._stale = False
        self._spread = ""
        self.speed, self.unit, self.ratio = QLabel(figures.NONE), QLabel(), QLabel()
        set_role(self.unit, "quiet")
        self.again = QPushButton()
        set_role(self.again, "link")
        self.again.clicked.connect(self.again_wanted)
        self.again.hide()
        head = QHBoxLayout()
        head.setContentsMargins(0, 0, 0, 0)
        head.setSpacing(6)
        head.addWidget(self.speed, 0, Qt.AlignmentFlag.AlignBaseline)
        head.addWidget(self.unit, 0, Qt.AlignmentFlag.AlignBaseline)
        head.addStretch(1)
        head.addWidget(self.ratio, 0, Qt.AlignmentFlag.AlignBaseline)
        head.addWidget(self.again, 0, Qt.AlignmentFlag.AlignVCenter)
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

    def show_metrics(self, metrics: Metrics | None, first: Metrics | None, answers: int = 0) -> None:
        """Of the last answer. ``first`` are the numbers of the first pane; None in the first pane itself. ``answers``
        is how many the conversation has: where there are several, it is said which these numbers are of.
        """
        if metrics is None:
            values = dict.fromkeys(TILES, figures.NONE)
            self.speed.setText(figures.NONE)
            self.ratio.setText("")
        else:
            self.speed.setText(wording.speed(metrics))
            self.ratio.setText(wording.ratio(metrics, first))
            set_role(self.ratio, wording.ratio_role(metrics, first))
            values = {
                "per_forward": figures.number(metrics.tokens_per_forward, 2),
                "first_token": figures.seconds(metrics.time_to_first_token_s),
                "target_forwards": str(metrics.target_forwards),
                "drafter_forwards": str(metrics.drafter_forwards),
                "accepted": figures.percent(metrics.draft_acceptance_rate),
                "rollbacks": str(metrics.rollbacks),
            }
        self._spread = wording.ratio_spread(metrics, first) if metrics else ""
        self._answers = answers
        self._say_what()
        self._fonts()
        set_role(self.speed, "quiet" if self.speed.text() == figures.NONE else "")
        for name, value in values.items():
            tile = self._tiles[name]
            if tile.value.text() != value:
                tile.value.setText(value)
                tile.setAccessibleName(f"{tile.caption.text()}: {value}")

    def show_stale(self, own: bool, ratio: bool) -> None:
        """The numbers, or the ratio alone, were made with other settings than those that are set now."""
        changed = (own or ratio) != self.again.isVisibleTo(self) or own is not self._stale
        self._stale = own
        self.again.setVisible(own or ratio)
        self.ratio.setVisible(not (own or ratio))
        if changed:
            for tile in self._tiles.values():
                set_role(tile.value, "stale" if own else "")
            self._fonts()
        if own:
            set_role(self.speed, "stale")

    def value(self, name: str) -> str:
        return self._tiles[name].value.text()

    def retranslate(self) -> None:
        self._say_what()
        tip = self.tr("Tokens per second of this pane's own time, the prompt's reading not counted.")
        self.speed.setToolTip(tip)
        self.unit.setToolTip(tip)
        self.again.setText(self.tr("Settings changed:\nrun again"))
        self.again.setAccessibleName(self.again.text().replace("\n", " "))
        self.again.setToolTip(
            self.tr("These numbers were made with other settings. Runs the last prompt again with those of now.")
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

    def _say_what(self) -> None:
        """What the speed is of, and how sure the ratio is."""
        lines = self._unit_lines()
        narrow = self.width() < WIDE_PX * self._size_px / 13
        self.unit.setText(("\n" if narrow else ", ").join(lines))
        tips = [
            self.tr("Speed of this pane divided by the speed of the first pane; below 1 it is slower."),
            self.tr("Coloured only where the difference is larger than the scatter of the rounds."),
        ]
        self.ratio.setToolTip("\n".join([*tips, self._spread] if self._spread else tips))

    def _unit_lines(self) -> list[str]:
        unit = self.tr("tok/s")
        return [unit, self.tr("last answer")] if self._answers > 1 and not self._compact else [unit]

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._say_what()
        self._fonts()
        self._place()

    def _fonts(self) -> None:
        several = "\n" in self.unit.text()
        self.unit.setFont(ui_font(self._size_px - 2 if several else self._size_px + 1))
        self.again.setFont(ui_font(self._size_px - 2))
        for label in (self.speed, self.ratio):
            label.setFont(self._big_font())
        for tile in self._tiles.values():
            tile.value.setFont(ui_font(self._size_px, QFont.Weight.DemiBold, tabular=True))
            tile.caption.setFont(ui_font(self._size_px - 2))

    def _big_font(self) -> QFont:
        """As large as speed, unit and ratio leave room for; a speed may grow by a digit without a jump."""
        lines = QFontMetrics(self.unit.font())
        room = self.width() - max(lines.horizontalAdvance(line) for line in self.unit.text().split("\n")) - 24
        last = self.again if self.again.isVisibleTo(self) else None
        if last is not None:
            room -= last.sizeHint().width()
        digits = max(len(self.speed.text()), 4) + (0 if last is not None else max(len(self.ratio.text()), 5))
        size = self._size_px * (1.7 if self._compact else BIG)
        while size > self._size_px * LEAST_BIG:
            font = ui_font(size, QFont.Weight.DemiBold, tabular=True)
            if QFontMetrics(font).horizontalAdvance("0" * digits) <= room:
                return font
            size -= 1
        return ui_font(self._size_px * LEAST_BIG, QFont.Weight.DemiBold, tabular=True)

    def _place(self, force: bool = False) -> None:
        per_px = self.width() * 13 / self._size_px
        columns = 6 if per_px >= WIDE_PX else 3 if per_px >= TIGHT_PX else 2
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
        for line in range(3):
            reserved = line < len(TILES) // columns and not self._compact
            # A row without numbers has no gap above it.
            gap = self._grid.verticalSpacing() if line >= rows else 0
            self._grid.setRowMinimumHeight(line, row + gap if reserved else 0)
