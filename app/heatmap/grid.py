"""The scrolling grid: rounds down, positions across. It paints the rows in view and no others.

The grid holds one ``ArmRounds`` and a cursor. It follows the newest round until the user scrolls away from it, and
resumes when the user scrolls back to the end or presses End. Rows are rounds in the order they came; positions count
from 1.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QColor,
    QFontMetrics,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QToolTip, QWidget

from app.heatmap.arm_rounds import ArmRounds
from app.heatmap.cells import number_at, outcome
from app.heatmap.geometry import CELL_GAP_PX, LABEL_GAP_PX, Columns, fit_columns
from app.heatmap.paint import paint_cell, paint_ring
from app.heatmap.wording import cell_html, cell_sentence, reason_text, row_sentence
from app.theme import LIGHT, Theme

LEAST_ROW_PX = 15


class HeatGrid(QAbstractScrollArea):
    cursorMoved = Signal(int, int)
    """Row, position (0: the whole row); -1, 0 when the selection is gone."""
    activated = Signal(int, int)
    followingChanged = Signal(bool)
    scrolled = Signal()
    columnsChanged = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme: Theme = LIGHT
        self.arm: ArmRounds | None = None
        self.columns = Columns(0, 0, 1.0)
        self.following = True
        self.row_px = LEAST_ROW_PX
        self.label_px = 0
        """Room that the footer's own labels need left of the columns."""
        self._rows_shown = 0
        self._cursor: tuple[int, int] | None = None
        self._hovered: tuple[int, int] | None = None
        self._own_scroll = False
        self.setFrameShape(QAbstractScrollArea.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setMouseTracking(True)
        self.viewport().setAutoFillBackground(False)
        self.verticalScrollBar().valueChanged.connect(self._on_scroll)

    # What is shown

    def set_arm(self, arm: ArmRounds | None) -> None:
        self.arm = arm
        self._rows_shown = 0
        self._hovered = None
        self._set_cursor(None)
        self._set_following(True)
        self.refresh()

    def refresh(self) -> None:
        """Take in the rounds that arrived since the last call."""
        self._rows_shown = len(self.arm.rounds) if self.arm else 0
        self._lay_out()
        self.viewport().update()

    def set_theme(self, theme: Theme) -> None:
        self.theme = theme
        self.viewport().update()

    @property
    def cursor_cell(self) -> tuple[int, int] | None:
        """Selected row and position (0: the whole row)."""
        return self._cursor

    def select(self, row: int | None, position: int) -> None:
        """Move the cursor; scrolls only if the row is out of view."""
        if row is None or not 0 <= row < self._rows_shown:
            self._set_cursor(None)
            return
        self._set_cursor((row, position))
        self.show_row(row)

    def show_row(self, row: int) -> None:
        bar = self.verticalScrollBar()
        top = row * self.row_px
        if top < bar.value():
            bar.setValue(top)
        elif row >= self._first_row() + self._rows_in_view():
            bar.setValue((row + 1 - self._rows_in_view()) * self.row_px)

    def follow(self) -> None:
        """Show the newest round and stay with it."""
        self._set_following(True)
        self._to_end()

    def set_following(self, following: bool) -> None:
        if following:
            self.follow()
        else:
            self._set_following(False)

    # Geometry

    def _lay_out(self) -> None:
        metrics = QFontMetrics(self.font())
        self.row_px = max(LEAST_ROW_PX, metrics.height() + 1)
        last = self.arm.rounds[-1].index if self.arm and self.arm.rounds else 0
        widest = max(3, len(str(last)))
        label = max(metrics.horizontalAdvance("0" * widest), self.label_px)
        columns = fit_columns(self.arm.columns if self.arm else 0, self.viewport().width(), label)
        if columns != self.columns:
            self.columns = columns
            self.columnsChanged.emit()
        bar = self.verticalScrollBar()
        self._own_scroll = True
        bar.setSingleStep(self.row_px)
        bar.setPageStep(max(1, self.viewport().height()))
        # In whole rows, so that none is cut at the top.
        bar.setRange(0, max(0, self._rows_shown - self._rows_in_view()) * self.row_px)
        self._own_scroll = False
        if self.following:
            self._to_end()

    def _rows_in_view(self) -> int:
        return max(1, self.viewport().height() // self.row_px)

    def _first_row(self) -> int:
        return self.verticalScrollBar().value() // self.row_px

    def visible_rows(self) -> range:
        first = self._first_row()
        return range(first, min(self._rows_shown, first + self._rows_in_view()))

    def cell_rect(self, row: int, position: int) -> QRectF:
        """In the viewport's coordinates."""
        top = (row - self._first_row()) * self.row_px
        return QRectF(self.columns.x_px(position), top + 1, self.columns.cell_px(), self.row_px - CELL_GAP_PX)

    def cell_at(self, point: QPointF | QPoint) -> tuple[int, int] | None:
        """Row and position under a point; position 0 on a row's label."""
        row = self._first_row() + int(point.y()) // self.row_px
        if row not in self.visible_rows():
            return None
        if point.x() < self.columns.left_px:
            return row, 0
        position = self.columns.position_at(point.x())
        return None if position is None else (row, position)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay_out()

    # Following

    def _to_end(self) -> None:
        self._own_scroll = True
        self.verticalScrollBar().setValue(self.verticalScrollBar().maximum())
        self._own_scroll = False

    def _on_scroll(self, value: int) -> None:
        if not self._own_scroll:
            self._set_following(value >= self.verticalScrollBar().maximum())
        self.viewport().update()
        self.scrolled.emit()

    def _set_following(self, following: bool) -> None:
        if following != self.following:
            self.following = following
            self.followingChanged.emit(following)

    # Cursor

    def _set_cursor(self, cell: tuple[int, int] | None) -> None:
        if cell == self._cursor:
            return
        self._cursor = cell
        self.viewport().update()
        if cell is not None and self.arm is not None:
            round_ = self.arm.rounds[cell[0]]
            said = cell_sentence(round_, cell[1]) if cell[1] else row_sentence(round_)
            self.setAccessibleDescription(said)
            if QAccessible.isActive() and self.hasFocus():
                QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, said))
        self.cursorMoved.emit(*(cell or (-1, 0)))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self._rows_shown:
            event.ignore()
            return
        last = self._rows_shown - 1
        row, position = self._cursor or (last, 0)
        started = self._cursor is not None
        page = max(1, self.viewport().height() // self.row_px - 1)
        columns = self.columns.count
        match event.key():
            case Qt.Key.Key_Up:
                self.select(max(0, row - 1) if started else last, max(1, position))
            case Qt.Key.Key_Down:
                self.select(min(last, row + 1), max(1, position))
            case Qt.Key.Key_Left:
                self.select(row, max(1, position - 1))
            case Qt.Key.Key_Right:
                self.select(row, min(columns, position + 1))
            case Qt.Key.Key_PageUp:
                self.select(max(0, row - page), max(1, position))
            case Qt.Key.Key_PageDown:
                self.select(min(last, row + page), max(1, position))
            case Qt.Key.Key_Home:
                self.select(0, max(1, position))
            case Qt.Key.Key_End:
                self.select(last, max(1, position))
                self.follow()
            case Qt.Key.Key_Return | Qt.Key.Key_Enter if started:
                self.activated.emit(row, position)
            case Qt.Key.Key_Escape if started:
                self._set_cursor(None)
            case _:
                event.ignore()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._set_cursor(self.cell_at(event.position()))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and (cell := self.cell_at(event.position())) is not None:
            self.activated.emit(*cell)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._hover(self.cell_at(event.position()))

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Leave:
            self._hover(None)
        elif event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            self._show_tip(event)
            return True
        return super().viewportEvent(event)

    def _hover(self, cell: tuple[int, int] | None) -> None:
        if cell != self._hovered:
            self._hovered = cell
            self.viewport().update()

    def _show_tip(self, event: QHelpEvent) -> None:
        text = self.tip_at(event.pos())
        if text:
            QToolTip.showText(event.globalPos(), text, self.viewport())
        else:
            QToolTip.hideText()

    def tip_at(self, point: QPoint) -> str:
        """Hover text at a point of the viewport."""
        cell = self.cell_at(point)
        if cell is None or self.arm is None:
            return ""
        round_ = self.arm.rounds[cell[0]]
        return cell_html(round_, cell[1]) if cell[1] else row_sentence(round_)

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(self.font())
        if self.arm is None:
            return
        for row in self.visible_rows():
            self._paint_row(painter, row)
        text = QColor(self.theme.text)
        if self._hovered and self._hovered[1]:
            paint_ring(painter, self.cell_rect(*self._hovered), text, 1)
        if self._cursor and self._cursor[1]:
            paint_ring(
                painter, self.cell_rect(*self._cursor), QColor(self.theme.accent if self.hasFocus() else text), 2
            )

    def _paint_row(self, painter: QPainter, row: int) -> None:
        assert self.arm is not None
        round_ = self.arm.rounds[row]
        first = self.cell_rect(row, 1)
        selected = self._cursor is not None and self._cursor[0] == row
        if row and self.arm.rounds[row - 1].turn != round_.turn:
            painter.setPen(QPen(QColor(self.theme.border), 1))
            painter.drawLine(QPointF(0, first.top() - 0.5), QPointF(self.viewport().width(), first.top() - 0.5))
        painter.setPen(QColor(self.theme.text if selected else self.theme.quiet))
        label = QRectF(0, first.top() - 1, self.columns.left_px - LABEL_GAP_PX, self.row_px)
        painter.drawText(label, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, str(round_.index))
        if not round_.width and round_.width_reason:
            self._paint_reason(painter, first, round_.width_reason)
        for position in range(1, min(round_.width, self.columns.count) + 1):
            found = outcome(round_, position)
            paint_cell(painter, self.cell_rect(row, position), found, number_at(round_.draft_p, position), self.theme)

    def _paint_reason(self, painter: QPainter, place: QRectF, reason: str) -> None:
        """Why a row is empty, where there is room to say it."""
        room = QRectF(place.left(), place.top() - 1, self.viewport().width() - place.left(), self.row_px)
        text = painter.fontMetrics().elidedText(reason_text(reason), Qt.TextElideMode.ElideRight, int(room.width()))
        painter.setPen(QColor(self.theme.quiet))
        painter.drawText(room, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)
