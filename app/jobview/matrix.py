"""A table of a job: a cell is a figure with its interval, or a word such as PASS. A cell with traces can be opened."""

from __future__ import annotations

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QFont, QGuiApplication, QKeyEvent, QKeySequence, QMouseEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from app.card import scaled, small_font
from app.job_state import Table
from app.jobview import wording
from app.jobview.words import word
from app.style import mixed, set_role
from app.theme import LIGHT, Theme
from engine.process.jobs import JobCell

Index = QModelIndex | QPersistentModelIndex
LEAST_PX = 84
MOST_PX = 220


class MatrixModel(QAbstractTableModel):
    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.table = Table()
        self._shape = (0, 0)

    def show(self, table: Table) -> None:
        shape = (len(table.rows), len(table.columns))
        if table is self.table and shape == self._shape:
            if all(shape):
                self.dataChanged.emit(self.index(0, 0), self.index(shape[0] - 1, shape[1] - 1))
            return
        self.beginResetModel()
        self.table, self._shape = table, shape
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else self._shape[0]

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else self._shape[1]

    def cell(self, index: Index) -> JobCell | None:
        return self.table.cells.get((self.table.rows[index.row()], self.table.columns[index.column()]))

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        names = self.table.columns if orientation == Qt.Orientation.Horizontal else self.table.rows
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return word(names[section])
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        cell = self.cell(index)
        if cell is None:
            return None
        value, interval = wording.cell_value(cell), wording.cell_interval(cell)
        if role == Qt.ItemDataRole.DisplayRole:
            return value
        if role == Qt.ItemDataRole.ToolTipRole:
            tip = f"{word(cell.row)} · {word(cell.column)}\n{value}" + (f" ({interval})" if interval else "")
            return tip + "\n" + self.tr("Click to see the traces behind it.") if cell.traces else tip
        if role == Qt.ItemDataRole.AccessibleTextRole:
            said = f"{word(cell.row)}, {word(cell.column)}: {value}" + (f", {interval}" if interval else "")
            return said + ". " + self.tr("Has traces.") if cell.traces else said
        return None


class CellDelegate(QStyledItemDelegate):
    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.theme: Theme = LIGHT

    def grounds(self) -> dict[str, str]:
        theme = self.theme
        return {
            "pass": theme.accepted_tint,
            "near": mixed(theme.selection, theme.card, 0.55),
            "fail": mixed(theme.warning, theme.card, 0.72),
        }

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        model = index.model()
        cell = model.cell(index) if isinstance(model, MatrixModel) else None
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(option.rect).adjusted(2, 2, -2, -2)
        tone = wording.tone(cell.text) if cell else ""
        ground = self.grounds().get(tone, self.theme.field if cell else self.theme.card)
        painter.setBrush(QColor(ground))
        view = option.widget
        is_current = isinstance(view, QAbstractItemView) and view.currentIndex() == index and view.hasFocus()
        painter.setPen(QColor(self.theme.accent) if is_current else Qt.PenStyle.NoPen)
        painter.drawRoundedRect(box, 6, 6)
        if cell is not None:
            self._write(painter, box.adjusted(8, 3, -8, -3), cell, option.font, bool(tone))
        painter.restore()

    def _write(self, painter: QPainter, box: QRectF, cell: JobCell, font: QFont, is_word: bool) -> None:
        value, interval = wording.cell_value(cell), wording.cell_interval(cell)
        bold = scaled(font, 1.0, QFont.Weight.DemiBold if is_word or cell.value is not None else QFont.Weight.Normal)
        left = Qt.AlignmentFlag.AlignLeft
        painter.setFont(bold)
        painter.setPen(QColor(self.theme.text))
        upper = QRectF(box.left(), box.top(), box.width(), box.height() * (0.56 if interval else 1.0))
        shown = painter.fontMetrics().elidedText(value, Qt.TextElideMode.ElideRight, int(box.width()))
        painter.drawText(upper, left | Qt.AlignmentFlag.AlignVCenter, shown)
        if cell.traces:
            painter.setPen(QColor(self.theme.accent))
            painter.drawText(upper, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, "›")
        if interval:
            painter.setFont(small_font(font))
            painter.setPen(QColor(self.theme.quiet))
            lower = QRectF(box.left(), upper.bottom(), box.width(), box.bottom() - upper.bottom())
            shown = painter.fontMetrics().elidedText(interval, Qt.TextElideMode.ElideRight, int(box.width()))
            painter.drawText(lower, left | Qt.AlignmentFlag.AlignVCenter, shown)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        model = index.model()
        cell = model.cell(index) if isinstance(model, MatrixModel) else None
        metrics, height = option.fontMetrics, 2 * option.fontMetrics.height() + 12
        if cell is None:
            return QSize(LEAST_PX, height)
        texts = (wording.cell_value(cell), wording.cell_interval(cell))
        width = max(metrics.horizontalAdvance(text) for text in texts) + (44 if cell.traces else 32)
        return QSize(width, height)


class Matrix(QTableView):
    traces_wanted = Signal(object)
    """The ``JobCell`` whose traces a person wants to see."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        set_role(self, "traces")
        self.model_ = MatrixModel(self)
        self.delegate = CellDelegate(self)
        self.setModel(self.model_)
        self.setItemDelegate(self.delegate)
        self.setShowGrid(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setTabKeyNavigation(False)
        self.setWordWrap(False)
        self.setMouseTracking(True)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        for header in (self.horizontalHeader(), self.verticalHeader()):
            header.setHighlightSections(False)
            header.setSectionsClickable(False)
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.clicked.connect(self._open)
        self.activated.connect(self._open)

    def set_theme(self, theme: Theme) -> None:
        self.delegate.theme = theme
        self.viewport().update()

    def show_table(self, table: Table) -> None:
        self.model_.show(table)
        metrics = self.fontMetrics()
        self.verticalHeader().setDefaultSectionSize(2 * metrics.height() + 12)
        longest = max((metrics.horizontalAdvance(word(row)) for row in table.rows), default=0)
        self.verticalHeader().setFixedWidth(min(MOST_PX, longest + 30))
        for column, name in enumerate(table.columns):
            wanted = max(LEAST_PX, self.sizeHintForColumn(column), metrics.horizontalAdvance(word(name)) + 26)
            self.setColumnWidth(column, min(MOST_PX, wanted))

    def needed_px(self) -> int:
        """Height of all rows, the heading and a scroll bar."""
        rows = self.model_.rowCount() * self.verticalHeader().defaultSectionSize()
        return rows + self.horizontalHeader().sizeHint().height() + 16

    def _open(self, index: QModelIndex) -> None:
        cell = self.model_.cell(index)
        if cell is not None and cell.traces:
            self.traces_wanted.emit(cell)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        index = self.indexAt(event.position().toPoint())
        cell = self.model_.cell(index) if index.isValid() else None
        has_traces = cell is not None and bool(cell.traces)
        self.viewport().setCursor(Qt.CursorShape.PointingHandCursor if has_traces else Qt.CursorShape.ArrowCursor)
        super().mouseMoveEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            QGuiApplication.clipboard().setText(as_text(self.model_.table))
            return
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space) and self.currentIndex().isValid():
            self._open(self.currentIndex())
            return
        super().keyPressEvent(event)


def as_text(table: Table) -> str:
    """The whole table with tabs between the cells, for a spreadsheet; an interval follows its figure."""

    def text(row: str, column: str) -> str:
        cell = table.cells.get((row, column))
        if cell is None:
            return ""
        interval = wording.cell_interval(cell)
        return wording.cell_value(cell) + (f" ({interval})" if interval else "")

    head = "\t".join(["", *map(word, table.columns)])
    return "\n".join(
        [head, *("\t".join([word(row), *(text(row, column) for column in table.columns)]) for row in table.rows)]
    )
