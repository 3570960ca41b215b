"""Former runs as a list: when, which panes, what came of them; a double click opens the report."""

from __future__ import annotations

from datetime import datetime

from PySide6.QtCore import QAbstractTableModel, QEvent, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPushButton,
    QStackedLayout,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from app.chat.wording import arm_title
from app.jobview.wording import duration, status_word
from app.lab.runs import Run
from app.lab.wording import lab_title, plan_title
from app.lab.words import LABS, PLANS
from app.style import set_role

COLUMNS = 5
WIDE = 1
Index = QModelIndex | QPersistentModelIndex


class RunsModel(QAbstractTableModel):
    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.runs: list[Run] = []

    def show(self, runs: list[Run]) -> None:
        self.beginResetModel()
        self.runs = runs
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.runs)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else COLUMNS

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role == Qt.ItemDataRole.DisplayRole and orientation == Qt.Orientation.Horizontal:
            return (self.tr("When"), self.tr("Panes"), self.tr("Labs"), self.tr("Result"), self.tr("Took"))[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        run = self.runs[index.row()]
        if role == Qt.ItemDataRole.ToolTipRole:
            return str(run.path)
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        plan = f"{plan_title(run.plan)} · " if run.plan in PLANS else ""
        return (
            when(run),
            plan + ", ".join(arm_title(arm.name) for arm in run.arms),
            self.tr("{done} of {total}").format(done=len(run.statuses), total=len(LABS)),
            status_word(run.status) if run.status else self.tr("nothing measured"),
            duration(run.seconds) if run.seconds else "",
        )[index.column()]


class RunsView(QFrame):
    report_wanted = Signal(object)
    folder_wanted = Signal(object)
    traces_wanted = Signal(object)
    go_on_wanted = Signal(object)
    trash_wanted = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        set_role(self, "card")
        self._can_start = True
        self.model = RunsModel(self)
        self.table = QTableView()
        set_role(self.table, "traces")
        self.table.setModel(self.model)
        self.table.setShowGrid(False)
        self.table.setFrameShape(QFrame.Shape.NoFrame)
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.table.setTabKeyNavigation(False)
        self.table.setWordWrap(False)
        self.table.verticalHeader().hide()
        self.table.horizontalHeader().setHighlightSections(False)
        self.table.horizontalHeader().setSectionResizeMode(WIDE, QHeaderView.ResizeMode.Stretch)
        self.table.activated.connect(lambda _: self._emit(self.report_wanted))
        self.table.selectionModel().selectionChanged.connect(self.fit)
        self.empty, self.detail = QLabel(), QLabel()
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        for label in (self.empty, self.detail):
            label.setWordWrap(True)
            set_role(label, "quiet")
        self.buttons = {name: QPushButton() for name in ("report", "folder", "traces", "go_on", "trash")}
        signals = {
            "report": self.report_wanted, "folder": self.folder_wanted, "traces": self.traces_wanted,
            "go_on": self.go_on_wanted, "trash": self.trash_wanted,
        }  # fmt: skip
        row = QHBoxLayout()
        row.setSpacing(8)
        for name, button in self.buttons.items():
            button.clicked.connect(lambda _=False, name=name: self._emit(signals[name]))
            row.addWidget(button)
        row.addStretch(1)
        full = QWidget()
        body = QVBoxLayout(full)
        body.setContentsMargins(0, 0, 0, 0)
        body.setSpacing(8)
        body.addWidget(self.table, 1)
        body.addWidget(self.detail)
        body.addLayout(row)
        column = QVBoxLayout(self)
        column.setContentsMargins(10, 6, 10, 12)
        self._stack = QStackedLayout()
        column.addLayout(self._stack)
        self._stack.addWidget(full)
        self._stack.addWidget(self.empty)
        self.retranslate()

    @property
    def current(self) -> Run | None:
        row = self.table.currentIndex().row()
        return self.model.runs[row] if 0 <= row < len(self.model.runs) else None

    def show_runs(self, runs: list[Run]) -> None:
        kept = self.current
        self.model.show(runs)
        self._stack.setCurrentIndex(0 if runs else 1)
        for column in range(COLUMNS):
            if column != WIDE:
                self.table.setColumnWidth(column, min(200, self.table.sizeHintForColumn(column) + 24))
        self.table.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 16)
        paths = [run.path for run in runs]
        if runs:
            self.table.selectRow(paths.index(kept.path) if kept is not None and kept.path in paths else 0)
        self.fit()

    def set_can_start(self, on: bool) -> None:
        self._can_start = on
        self.fit()

    def fit(self) -> None:
        run = self.current
        for name, possible in (
            ("report", run is not None and run.report is not None),
            ("folder", run is not None),
            ("traces", run is not None),
            ("go_on", run is not None and self._can_start and can_go_on(run)),
            ("trash", run is not None),
        ):
            self.buttons[name].setEnabled(possible)
        statuses = run.statuses if run is not None else {}
        self.detail.setText(
            " · ".join(f"{lab_title(lab)} {status_word(statuses[lab])}" for lab in LABS if lab in statuses)
        )
        self.detail.setVisible(bool(statuses))

    def _emit(self, signal: Signal) -> None:
        if self.current is not None:
            signal.emit(self.current)

    def retranslate(self) -> None:
        texts = {
            "report": self.tr("Open Report"),
            "folder": self.tr("Show in Folder"),
            "traces": self.tr("Traces"),
            "go_on": self.tr("Go On"),
            "trash": self.tr("Move to Trash"),
        }
        for name, text in texts.items():
            self.buttons[name].setText(text)
            self.buttons[name].setAccessibleName(text)
        self.buttons["go_on"].setToolTip(self.tr("Runs the labs that are missing, with the same panes and plan"))
        self.table.setAccessibleName(self.tr("Former runs"))
        self.empty.setText(
            self.tr("Start a run: what it measures appears here while it works, and every run is kept with its report.")
        )

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
            self.model.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, COLUMNS - 1)
            self.show_runs(self.model.runs)
        super().changeEvent(event)


def can_go_on(run: Run) -> bool:
    """Something is missing of a run whose panes and plan are known."""
    unfinished = len(run.statuses) < len(LABS) or "stopped" in run.statuses.values()
    return unfinished and bool(run.arms) and run.plan in PLANS


def when(run: Run) -> str:
    """Local date and time at which it began, else the folder's name."""
    try:
        return datetime.fromisoformat(run.began).astimezone().strftime("%Y-%m-%d %H:%M")
    except ValueError:
        return run.path.name
