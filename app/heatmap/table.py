"""The same rounds as a table: for screen readers, for exact numbers, and for copying into a spreadsheet."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from app.heatmap.arm_rounds import ArmRounds
from app.heatmap.cells import Outcome, number_at, outcome
from app.heatmap.wording import cell_sentence, drafter_text, outcome_text, reason_text
from engine.trace.events import Round

Index = QModelIndex | QPersistentModelIndex
NO_PARENT = QModelIndex()

LEADING = 4
"""Columns before the positions: round, width, accepted, emitted."""


class RoundTableModel(QAbstractTableModel):
    """A view of one ``ArmRounds``; ``sync`` takes in what was appended since."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.arm: ArmRounds | None = None
        self._rows = 0
        self._positions = 0

    def set_arm(self, arm: ArmRounds | None) -> None:
        self.beginResetModel()
        self.arm = arm
        self._rows = len(arm.rounds) if arm else 0
        self._positions = arm.columns if arm else 0
        self.endResetModel()

    def sync(self) -> None:
        if self.arm is None:
            return
        if self.arm.columns != self._positions:
            self.set_arm(self.arm)
        elif len(self.arm.rounds) > self._rows:
            self.beginInsertRows(QModelIndex(), self._rows, len(self.arm.rounds) - 1)
            self._rows = len(self.arm.rounds)
            self.endInsertRows()

    def headers(self) -> list[str]:
        positions = [self.tr("p {position}").format(position=k) for k in range(1, self._positions + 1)]
        times = [
            self.tr("draft ms"),
            self.tr("verify ms"),
            self.tr("accept ms"),
            self.tr("commit ms"),
            self.tr("other ms"),
        ]
        leading = [self.tr("round"), self.tr("width"), self.tr("accepted"), self.tr("emitted")]
        return [*leading, *positions, *times, self.tr("drafter"), self.tr("why this width"), self.tr("turn")]

    def position_of(self, column: int) -> int:
        """Position shown by a column; 0 for the others."""
        position = column - LEADING + 1
        return position if 1 <= position <= self._positions else 0

    def rowCount(self, parent: Index = NO_PARENT) -> int:
        return 0 if parent.isValid() else self._rows

    def columnCount(self, parent: Index = NO_PARENT) -> int:
        return 0 if parent.isValid() else LEADING + self._positions + 8

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        if orientation == Qt.Orientation.Vertical:
            return self.value(section, 0)
        return self.headers()[section]

    def value(self, row: int, column: int) -> str:
        """Plain text of a cell, as it is copied."""
        assert self.arm is not None
        round_ = self.arm.rounds[row]
        if position := self.position_of(column):
            p = number_at(round_.draft_p, position)
            return "" if p is None or position > round_.width else f"{p:.4f}"
        values = [
            *_leading(round_),
            *_times_ms(round_),
            drafter_text(round_.source),
            reason_text(round_.width_reason),
            str(round_.turn),
        ]
        return values[column if column < LEADING else column - self._positions]

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or self.arm is None:
            return None
        round_, position = (self.arm.rounds[index.row()], self.position_of(index.column()))
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self._marked(round_, position) if position else self.value(index.row(), index.column())
            case Qt.ItemDataRole.TextAlignmentRole if index.column() < LEADING + self._positions + 5:
                return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            case Qt.ItemDataRole.AccessibleTextRole | Qt.ItemDataRole.ToolTipRole if position:
                return cell_sentence(round_, position)
        return None

    def _marked(self, round_: Round, position: int) -> str:
        """Two digits and a mark: the outcome must not hang on colour."""
        p = number_at(round_.draft_p, position)
        number = "–" if p is None else f"{p:.2f}"
        match outcome(round_, position):
            case Outcome.ACCEPTED:
                return f"{number} ✓"
            case Outcome.REJECTED:
                return f"{number} ×"
            case Outcome.NEVER_REACHED | Outcome.CUT:
                return f"({number})"
            case Outcome.NOT_DRAFTED:
                return ""

    def legend(self) -> str:
        return self.tr("✓ {accepted}   × {rejected}   ( ) {never}").format(
            accepted=outcome_text(Outcome.ACCEPTED),
            rejected=outcome_text(Outcome.REJECTED),
            never=outcome_text(Outcome.NEVER_REACHED),
        )


def _leading(round_: Round) -> list[str]:
    return [str(round_.index), str(round_.width), str(round_.accepted), str(round_.emitted_tokens)]


def _times_ms(round_: Round) -> list[str]:
    times = (round_.draft_s, round_.verify_s, round_.accept_s, round_.commit_s, round_.other_s)
    return [f"{seconds * 1000:.2f}" for seconds in times]


class RoundTable(QTableView):
    cellChosen = Signal(int, int)
    """Row, position (0 where the column shows none)."""
    cellActivated = Signal(int, int)
    scrolledByUser = Signal(bool)
    """True where the last row is in view."""

    def __init__(self, model: RoundTableModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rounds = model
        self.setModel(model)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setAlternatingRowColors(True)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setColumnHidden(0, True)  # the row's header says it, and stays in view
        self.verticalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.verticalHeader().setHighlightSections(False)
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.horizontalHeader().setHighlightSections(False)
        self.selectionModel().currentChanged.connect(self._on_current)
        self.doubleClicked.connect(self._on_activated)
        self._own_choice = False
        self.verticalScrollBar().actionTriggered.connect(self._on_scroll_action)

    def fit_rows(self) -> None:
        """Size rows and columns to the font and the header; the contents are no wider than these."""
        metrics = self.fontMetrics()
        self.verticalHeader().setDefaultSectionSize(metrics.height() + 4)
        header = self.horizontalHeader().fontMetrics()
        self.setColumnHidden(0, True)
        for column, title in enumerate(self.rounds.headers()):
            widest = metrics.horizontalAdvance("(0.00)" if self.rounds.position_of(column) else "00000")
            if column == self.rounds.columnCount() - 2:
                widest = metrics.horizontalAdvance(reason_text("drafter"))
            elif column == self.rounds.columnCount() - 3:
                widest = metrics.horizontalAdvance("autoregressive")
            self.setColumnWidth(column, max(widest, header.horizontalAdvance(title)) + 16)

    def to_end(self) -> None:
        self.scrollToBottom()

    def show_cell(self, row: int, position: int) -> None:
        """Make a cell the current one without reporting it as the user's choice."""
        self._own_choice = True
        self.setCurrentIndex(self.rounds.index(row, position + LEADING - 1 if position else 1))
        self._own_choice = False

    def _on_scroll_action(self, action: int) -> None:
        """Wheel, keys and drags on the bar; scrolling by the program triggers no action."""
        bar = self.verticalScrollBar()
        self.scrolledByUser.emit(bar.sliderPosition() >= bar.maximum())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            QGuiApplication.clipboard().setText(self.selection_tsv())
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._on_activated(self.currentIndex())
        else:
            super().keyPressEvent(event)

    def selection_tsv(self) -> str:
        """The round and the selected cells with their headers, tab-separated; a ragged selection is filled up."""
        indexes = self.selectedIndexes()
        if not indexes:
            return ""
        rows = sorted({index.row() for index in indexes})
        columns = sorted({0} | {index.column() for index in indexes})
        headers = self.rounds.headers()
        lines = ["\t".join(headers[column] for column in columns)]
        lines += ["\t".join(self.rounds.value(row, column) for column in columns) for row in rows]
        return "\n".join(lines) + "\n"

    def _on_current(self, current: QModelIndex) -> None:
        if current.isValid() and not self._own_choice:
            self.cellChosen.emit(current.row(), self.rounds.position_of(current.column()))

    def _on_activated(self, index: QModelIndex) -> None:
        if index.isValid():
            self.cellActivated.emit(index.row(), self.rounds.position_of(index.column()))
