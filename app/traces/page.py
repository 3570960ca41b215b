"""The Traces page: sessions on this computer with their numbers; a double click opens one in the chat page."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from PySide6.QtCore import (
    QAbstractTableModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRunnable,
    Qt,
    QThreadPool,
    Signal,
    Slot,
)
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

from app import sentences
from app.chat import wording
from app.drafters.schemes import Scheme
from app.drafters.wording import scheme_title
from app.figures import NONE
from app.page import Page
from app.style import set_role
from app.traces.library import Summary, find, summarise

COLUMNS = 6
Index = QModelIndex | QPersistentModelIndex


class _Signals(QObject):
    ready = Signal(object)


class _Reader(QRunnable):
    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path
        self.signals = _Signals()

    def run(self) -> None:
        self.signals.ready.emit(summarise(self.path))


class TraceModel(QAbstractTableModel):
    """One row a trace; numbers appear as the files are read."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.paths: list[Path] = []
        self.summaries: dict[Path, Summary] = {}

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.paths)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return COLUMNS

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role == Qt.ItemDataRole.DisplayRole and orientation == Qt.Orientation.Horizontal:
            return (
                self.tr("When"),
                self.tr("First prompt"),
                self.tr("Panes"),
                self.tr("Tokens"),
                self.tr("Ratio"),
                self.tr("Verdict"),
            )[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        path = self.paths[index.row()]
        summary = self.summaries.get(path)
        if role == Qt.ItemDataRole.ToolTipRole:
            if summary is None or summary.problem:
                return sentences.translated(summary.problem) if summary else str(path)
            return {1: summary.prompt, 2: panes_text(summary)}.get(index.column(), str(path))
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        if summary is None:
            return (path.stem, "…", "", "", "", "")[index.column()]
        if summary.problem:
            return (path.stem, sentences.translated(summary.problem), "", "", "", "")[index.column()]
        return (
            when(summary.created) or path.stem,
            summary.prompt or self.tr("(no text kept)"),
            panes_text(summary),
            str(summary.tokens),
            NONE if summary.best_ratio is None else f"{summary.best_ratio:.2f}×",
            wording.verdict_sentence(summary.verdict) if summary.verdict else NONE,
        )[index.column()]

    def show(self, paths: list[Path]) -> None:
        self.beginResetModel()
        self.paths = paths
        self.endResetModel()

    def put(self, summary: Summary) -> None:
        self.summaries[summary.path] = summary
        if summary.path in self.paths:
            row = self.paths.index(summary.path)
            self.dataChanged.emit(self.index(row, 0), self.index(row, COLUMNS - 1))


class TracesPage(Page):
    open_wanted = Signal(str)
    choose_wanted = Signal()
    trash_wanted = Signal(str)

    def __init__(self, directory: Path, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._directory = directory
        self._only: list[Path] | None = None
        self._only_title = ""
        self._size_bytes = 0
        self._stamps: dict[Path, tuple[float, int]] = {}
        self._pool = QThreadPool(self)
        self._pool.setMaxThreadCount(1)
        set_role(self, "page")
        self.title, self.note, self.empty = QLabel(), QLabel(), QLabel()
        set_role(self.title, "heading")
        set_role(self.note, "quiet")
        set_role(self.empty, "quiet")
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.empty.setWordWrap(True)
        self.open_button, self.choose_button, self.trash_button = QPushButton(), QPushButton(), QPushButton()
        self.all_button = QPushButton()
        self.all_button.clicked.connect(self.show_all)
        self.trash_button.clicked.connect(self._trash_current)
        self.open_button.clicked.connect(self._open_current)
        self.choose_button.clicked.connect(self.choose_wanted)
        self.model = TraceModel(self)
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
        self.table.activated.connect(lambda index: self._open(index.row()))
        header = self.table.horizontalHeader()
        header.setHighlightSections(False)
        header.setMinimumSectionSize(48)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        self.table.selectionModel().selectionChanged.connect(self._fit_button)
        card = QFrame()
        set_role(card, "card")
        inside = QVBoxLayout(card)
        inside.setContentsMargins(6, 4, 6, 6)
        self._stack = QStackedLayout()
        inside.addLayout(self._stack)
        self._stack.addWidget(self.table)
        self._stack.addWidget(self.empty)
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self.title)
        head.addSpacing(8)
        head.addWidget(self.note, 1)
        head.addWidget(self.all_button)
        head.addWidget(self.trash_button)
        head.addWidget(self.choose_button)
        head.addWidget(self.open_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 14, 16, 14)
        column.setSpacing(12)
        column.addLayout(head)
        column.addWidget(card, 1)
        self.retranslate()

    def show_only(self, paths: list[Path], title: str) -> None:
        """These traces alone, wherever they lie, until all are asked for."""
        self._only, self._only_title = paths, title
        self.refresh()

    @Slot()
    def show_all(self) -> None:
        self._only, self._only_title = None, ""
        self.refresh()

    def shown(self) -> None:
        self.refresh()
        self.table.setFocus()

    def refresh(self) -> None:
        """Lists what is there now; reads only what is new or has changed."""
        paths = find(self._directory) if self._only is None else [path for path in self._only if path.is_file()]
        self.model.show(paths)
        self._size_bytes = sum(path.stat().st_size for path in paths)
        self.retranslate()
        self._stack.setCurrentIndex(0 if paths else 1)
        for path in paths:
            facts = path.stat()
            stamp = (facts.st_mtime, facts.st_size)
            if self._stamps.get(path) != stamp:
                self._stamps[path] = stamp
                reader = _Reader(path)
                reader.signals.ready.connect(self._read)
                self._pool.start(reader)
        self._fit_columns()
        self._fit_button()

    def close_readers(self) -> None:
        self._pool.clear()
        self._pool.waitForDone()

    @Slot(object)
    def _read(self, summary: Summary) -> None:
        self.model.put(summary)
        self._fit_columns()

    def _fit_columns(self) -> None:
        for column in (0, 2, 3, 4, 5):
            self.table.setColumnWidth(column, min(260, self.table.sizeHintForColumn(column) + 24))
        self.table.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 16)

    @Slot()
    def _fit_button(self) -> None:
        chosen = self.table.selectionModel().hasSelection()
        self.open_button.setEnabled(chosen)
        self.trash_button.setEnabled(chosen)

    @Slot()
    def _open_current(self) -> None:
        self._open(self.table.currentIndex().row())

    @Slot()
    def _trash_current(self) -> None:
        row = self.table.currentIndex().row()
        if 0 <= row < len(self.model.paths):
            self.trash_wanted.emit(str(self.model.paths[row]))

    def _open(self, row: int) -> None:
        if 0 <= row < len(self.model.paths):
            self.open_wanted.emit(str(self.model.paths[row]))

    def retranslate(self) -> None:
        self.title.setText(self.tr("Traces"))
        note = self.tr("Every session is written here as it happens, and stays on this computer.")
        if self._size_bytes:
            note += " · " + self.tr("{size} MB").format(size=f"{self._size_bytes / 1e6:.1f}")
        if self._only is not None:
            note = self.tr("Behind {cell}").format(cell=self._only_title)
        self.note.setText(note)
        self.note.setToolTip(str(self._directory) if self._only is None else note)
        self.all_button.setText(self.tr("All Traces"))
        self.all_button.setVisible(self._only is not None)
        self.note.setMinimumWidth(40)
        self.empty.setText(
            self.tr("No session was recorded yet. Ask something in the chat, and it will stand here with its numbers.")
        )
        self.trash_button.setText(self.tr("Move to Trash"))
        self.open_button.setText(self.tr("Open"))
        self.choose_button.setText(self.tr("Open Other…"))
        self.table.setAccessibleName(self.tr("Traces"))

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
            self.model.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, COLUMNS - 1)
            self.model.show(self.model.paths)
        super().changeEvent(event)


def panes_text(summary: Summary) -> str:
    """``Baseline, Speculative (D · DFlash 2)``."""
    titles = []
    for arm, scheme in zip(summary.arms, summary.schemes, strict=True):
        drafts = scheme not in (Scheme.NONE, Scheme.UNKNOWN)
        title = wording.arm_title(arm)
        titles.append(f"{title} ({scheme_title(scheme)})" if drafts else title)
    return ", ".join(titles)


def when(created: str) -> str:
    """Local date and time of an ISO time; empty where it is none."""
    try:
        return datetime.fromisoformat(created).astimezone().strftime("%Y-%m-%d %H:%M")
    except ValueError:
        return ""
