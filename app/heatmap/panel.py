"""The acceptance heatmap: one row a round, one column a drafted position, newest round at the bottom.

The panel holds the rounds of every arm it is told of and shows those of one speculative arm. Rounds may be added in any
number at any rate: they are kept at once and painted at most every ``REFRESH_MS``. Positions count from 1; where a
signal or ``select`` names a round, it is ``Round.index``, of the newest turn unless a turn is given; ``current_round``
tells all.
"""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QFont, QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QStackedLayout, QToolButton, QVBoxLayout, QWidget

from app.card import MARGIN_PX, Card, card_column, quiet_label, small_font, title_font
from app.heatmap.arm_rounds import ArmRounds
from app.heatmap.footer import ColumnFooter
from app.heatmap.grid import HeatGrid
from app.heatmap.icons import SIDE_PX, TableButton
from app.heatmap.legend import Legend
from app.heatmap.overview import WIDTH_PX, Overview
from app.heatmap.switch import ArmSwitch
from app.heatmap.table import RoundTable, RoundTableModel
from app.heatmap.wording import summary
from app.theme import GRID_PX, Theme
from engine.trace.events import Round
from engine.trace.metrics import Metrics, measure

REFRESH_MS = 33
SPOKEN_EVERY_MS = 1000


class HeatmapPanel(Card):
    cellActivated = Signal(int, int)
    """Enter or double click: round index, position (0: the whole round)."""
    selectionChanged = Signal(int, int)
    """Round index and position (0: the whole round); -1, 0 when nothing is selected."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._arms: dict[str, ArmRounds] = {}
        self._wanted = ""
        self._shown: ArmRounds | None = None
        self._metrics: Metrics = measure(())
        self._legend_on = True
        self._build()
        self._connect()
        self._refresher = QTimer(self, singleShot=True, interval=REFRESH_MS)
        self._refresher.timeout.connect(self.refresh)
        self._speaker = QTimer(self, singleShot=True, interval=SPOKEN_EVERY_MS)
        self._speaker.timeout.connect(self._speak)
        self.apply_font(self.font())
        self.retranslate()
        self.set_theme(self.theme)
        self.refresh()

    def sizeHint(self) -> QSize:
        return QSize(350, 400)

    def minimumSizeHint(self) -> QSize:
        return QSize(260, 220)

    # What the window calls

    def apply_theme(self, theme: Theme) -> None:
        for part in (self.grid, self.overview, self.footer, self.legend, self.table_button):
            part.theme = theme
            part.update()
        self.grid.set_theme(theme)

    def clear(self) -> None:
        """Forget all arms and rounds. The arm that the user chose is shown again once it is back."""
        self._arms.clear()
        self._show_arm(None)

    def set_arm(self, name: str, columns: int, scheme_label: str, title: str = "") -> None:
        """Tell of an arm. An arm without columns drafts nothing; its rounds are not kept. ``title`` is what a person
        calls it.
        """
        known = self._arms.get(name)
        if known is None:
            self._arms[name] = ArmRounds(name, columns, scheme_label, title or name)
        else:
            known.columns = max(columns, known.columns if known.rounds else 0)
            known.scheme_label, known.title = scheme_label, title or name
        self._choose_arm()

    def add_rounds(self, rounds: Iterable[Round]) -> None:
        for round_ in rounds:
            arm = self._arms.get(round_.arm)
            if arm is None:
                self.set_arm(round_.arm, round_.requested_width, round_.arm)
                arm = self._arms[round_.arm]
            if arm.columns or round_.width:
                arm.add(round_)
        if self._shown is None:
            self._choose_arm()
        if not self._refresher.isActive():
            self._refresher.start()

    def select(self, round_index: int | None, position: int | None = None, turn: int | None = None) -> None:
        """Move the cursor to a round and bring it into view; None or an unknown round takes the selection away."""
        self.refresh()
        row = None
        if self._shown is not None and round_index is not None:
            row = self._shown.row_of(round_index, turn)
        self.grid.select(row, position or 0)

    def current_round(self) -> Round | None:
        cell = self.grid.cursor_cell
        return self._shown.rounds[cell[0]] if cell is not None and self._shown is not None else None

    @property
    def following(self) -> bool:
        return self.grid.following

    @property
    def shown_arm(self) -> str:
        return self._shown.name if self._shown else ""

    def show_arm(self, name: str) -> None:
        self._wanted = name
        self._choose_arm()

    # Building

    def _build(self) -> None:
        whole, header, self.title = card_column(self, 6)
        self.title.setMinimumHeight(SIDE_PX)  # the heading stays where it is when its buttons appear
        self.follow_button = QToolButton()
        self.follow_button.setCheckable(True)
        self.follow_button.setChecked(True)
        self.table_button = TableButton()
        self.switch = ArmSwitch()
        self.scheme = quiet_label()
        self.scheme.setMinimumWidth(1)
        self.grid = HeatGrid()
        self.overview = Overview()
        self.footer = ColumnFooter()
        self.legend = Legend()
        self.summary = quiet_label(wordWrap=True)
        self.empty = quiet_label(wordWrap=True, alignment=Qt.AlignmentFlag.AlignCenter)
        self.model = RoundTableModel(self)
        self.table = RoundTable(self.model)

        header.addWidget(self.scheme, 1)
        header.addWidget(self.follow_button)
        header.addWidget(self.table_button)
        field = QHBoxLayout()
        field.setSpacing(GRID_PX)
        field.addWidget(self.grid, 1)
        field.addWidget(self.overview)
        under = QHBoxLayout()
        under.addWidget(self.footer, 1)
        under.addSpacing(WIDTH_PX + GRID_PX)
        grid_page = QWidget()
        grid_page.setObjectName("clear")
        page = QVBoxLayout(grid_page)
        page.setContentsMargins(0, 0, 0, 0)
        page.setSpacing(0)
        page.addLayout(field, 1)
        page.addLayout(under)
        self._pages = QStackedLayout()
        for widget in (self.empty, grid_page, self.table):
            self._pages.addWidget(widget)
        whole.addWidget(self.switch)
        whole.addLayout(self._pages, 1)
        whole.addWidget(self.summary)
        whole.addWidget(self.legend)

    def _connect(self) -> None:
        self.follow_button.clicked.connect(self._on_follow_clicked)
        self.table_button.toggled.connect(self._on_table_toggled)
        self.switch.chosen.connect(self.show_arm)
        self.grid.cursorMoved.connect(lambda row, position: self.selectionChanged.emit(self._index_of(row), position))
        self.grid.activated.connect(lambda row, position: self.cellActivated.emit(self._index_of(row), position))
        self.grid.followingChanged.connect(self._show_following)
        self.grid.scrolled.connect(lambda: self.overview.set_shown(self.grid.visible_rows()))
        self.grid.columnsChanged.connect(self._show_footer)
        self.overview.rowWanted.connect(self._go_to_row)
        self.overview.wheelTurned.connect(self.grid.wheelEvent)
        self.table.cellChosen.connect(self.grid.select)
        self.table.scrolledByUser.connect(self.grid.set_following)
        self.table.cellActivated.connect(lambda row, position: self.cellActivated.emit(self._index_of(row), position))

    def apply_font(self, font: QFont) -> None:
        small = small_font(font)
        self.title.setFont(title_font(font))
        headers = (self.table.horizontalHeader(), self.table.verticalHeader())
        for part in (self.follow_button, self.scheme, self.grid, self.summary, self.table, *headers):
            part.setFont(small)
        self.table.fit_rows()
        self._refresh_shown()

    def retranslate(self) -> None:
        self.title.setText(self.tr("Rounds"))
        self.title.setToolTip(self.tr("A round is one run of the target: it judges a block of drafted tokens at once"))
        self.table_button.setToolTip(self.tr("Show the rounds as a table"))
        self.table_button.setAccessibleName(self.tr("Show the rounds as a table"))
        self.grid.setAccessibleName(self.tr("Acceptance heatmap"))
        self.table.setAccessibleName(self.tr("Table of rounds"))
        self.overview.setAccessibleName(self.tr("Overview of all rounds"))
        self.overview.setToolTip(
            self.tr("All rounds: the longer the bar, the more drafts were accepted. Press to go there")
        )
        self.summary.setToolTip(
            self.tr("Means over the rounds that drafted; the target's own token of each round not counted")
        )
        self.setAccessibleName(self.tr("Rounds"))
        self._show_following(self.grid.following)
        self._refresh_shown()

    # Showing

    def _choose_arm(self) -> None:
        speculative = [arm for arm in self._arms.values() if arm.columns]
        wanted = self._arms.get(self._wanted)
        chosen = wanted if wanted in speculative else self._shown if self._shown in speculative else None
        self._show_arm(chosen or next(iter(speculative), None))

    def _show_arm(self, arm: ArmRounds | None) -> None:
        if arm is not self._shown or arm is None:
            self._shown = arm
            self.grid.set_arm(arm)
            self.overview.arm = arm
            self.model.set_arm(arm)
            self.table.fit_rows()
        self._refresh_shown()

    def refresh(self) -> None:
        """Paint what was added; called by the timer, and before anything that needs the newest rows."""
        self._refresher.stop()
        self._refresh_shown()
        if not self._speaker.isActive():
            self._speaker.start()

    def _refresh_shown(self) -> None:
        arm = self._shown
        self._metrics = arm.tally.metrics() if arm else measure(())
        self.grid.label_px = self.footer.label_px()
        self.grid.refresh()
        self.model.sync()
        if self.grid.following and self.table.isVisible():
            self.table.to_end()
        names = {known.name: known.title for known in self._arms.values() if known.columns}
        self.switch.show_arms(names, arm.name if arm else "", small_font(self.font()))
        self.scheme.setToolTip(arm.scheme_label if arm else "")
        self._elide_scheme()
        self.overview.set_shown(self.grid.visible_rows())
        self._show_footer()
        self._show_page()

    def _show_page(self) -> None:
        has_rounds = bool(self._shown and self._shown.rounds)
        as_table = self.table_button.isChecked()
        self._pages.setCurrentIndex((2 if as_table else 1) if has_rounds else 0)
        self.follow_button.setVisible(has_rounds)
        self.table_button.setVisible(has_rounds)
        self.legend.setVisible(self._legend_on and not (has_rounds and as_table))
        self.summary.setVisible(has_rounds)
        if not has_rounds:
            self.empty.setText(self._empty_text())
        elif self._shown:
            said = summary(self._metrics)
            self.summary.setText(self.model.legend() if as_table else said)

    def _elide_scheme(self) -> None:
        metrics = QFontMetrics(self.scheme.font())
        room = self.width() - 2 * MARGIN_PX - self.title.sizeHint().width() - 8 - 12
        room -= sum(button.sizeHint().width() for button in (self.follow_button, self.table_button))
        label = self._shown.scheme_label if self._shown else ""
        self.scheme.setText(metrics.elidedText(label, Qt.TextElideMode.ElideRight, max(0, room)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._elide_scheme()

    def show_legend(self, on: bool) -> None:
        self._legend_on = on
        self._show_page()

    def _empty_text(self) -> str:
        if self._arms and not any(arm.columns for arm in self._arms.values()):
            return self.tr(
                "This run has no drafter, so there are no drafts to accept. Choose a drafter to see its rounds here."
            )
        return self.tr("Each round becomes a row here: which drafts the target accepted, and how likely it held them.")

    def _show_footer(self) -> None:
        self.footer.show_numbers(self.grid.columns, self._metrics)

    def _show_following(self, following: bool) -> None:
        self.follow_button.setChecked(following)
        self.follow_button.setText(self.tr("following") if following else self.tr("↓ newest"))
        self.follow_button.setToolTip(self.tr("Stay with the newest round (End)"))
        self.follow_button.setAccessibleName(self.tr("Follow the newest round"))
        name = "" if following else "behind"
        if self.follow_button.objectName() != name:
            self.follow_button.setObjectName(name)
            self.follow_button.style().unpolish(self.follow_button)
            self.follow_button.style().polish(self.follow_button)

    def _on_follow_clicked(self, checked: bool) -> None:
        if checked:
            self.grid.follow()
            self.table.to_end()
        else:
            self.grid.set_following(False)

    def _on_table_toggled(self, as_table: bool) -> None:
        rows = self.model.rowCount()
        if as_table and rows:
            # A table that gets the focus without a current cell takes its first: name one before it shows.
            cell = self.grid.cursor_cell
            self.table.show_cell(*(cell or (rows - 1 if self.grid.following else self.grid.visible_rows().start, 0)))
        self._show_page()
        if as_table and self.grid.following:
            self.table.to_end()

    def _go_to_row(self, row: float) -> None:
        bar = self.grid.verticalScrollBar()
        bar.setValue(round(row * self.grid.row_px - self.grid.viewport().height() / 2))

    def _index_of(self, row: int) -> int:
        return self._shown.rounds[row].index if self._shown is not None and row >= 0 else -1

    def _speak(self) -> None:
        arm = self._shown
        said = summary(self._metrics) if arm and arm.rounds else self._empty_text()
        self.setAccessibleDescription(said)
