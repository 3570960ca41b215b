"""The text of one pane: what the person asked, what the arm answered, and where each token came from.

Text is only ever appended, one batch at a time; marks are painted behind the visible part of it from ``Spans`` and
are no part of the document, so a theme, a legend or a selection changes nothing but a repaint. Accepted tokens lie on
a soft tint, corrections on a line, bonus tokens on a dotted line, plain tokens on nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from PySide6.QtCore import QEvent, QLineF, QPoint, QRectF, Qt, Signal, Slot
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QHelpEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
)
from PySide6.QtWidgets import QTextEdit, QToolButton, QToolTip, QWidget

from app.chat.inks import Ink, Inks
from app.chat.spans import ORIGINS, Spans, Token, shown
from app.style import ui_font
from app.theme import Theme
from engine.trace.events import Round

LINE_HEIGHT_PERCENT = 142.0
LONGEST_PARAGRAPH = 6000
"""Qt lays a paragraph out anew for each change in it; a longer one is broken at a space."""
FOLLOW_PX = 8
ACCEPTED, CORRECTION, BONUS = (ORIGINS.index(origin) for origin in ("accepted", "correction", "bonus"))


class Transcript(QTextEdit):
    token_activated = Signal(int, int, object)
    """Turn, round, draft position or None: a token was clicked."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.spans = Spans()
        self.inks = Inks(self.document(), self.spans)
        self.describe: Callable[[Token], str] = lambda _token: ""
        """Gives the one sentence shown over a token."""
        self._theme = theme
        self._size_px = 14
        self._origins_shown = True
        self._generating = False
        self._selected = range(0)
        self._selected_number: int | None = None
        self._marked: int | None = None
        self._mark_text = ""
        self._end = 0
        self.setReadOnly(True)
        self.setUndoRedoEnabled(False)
        self.setProperty("role", "transcript")
        self.setFrameShape(QTextEdit.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.document().setDocumentMargin(2)
        self._sticks = True
        self.verticalScrollBar().valueChanged.connect(self._scrolled)
        self.verticalScrollBar().rangeChanged.connect(self._range_changed)
        self.viewport().setCursor(Qt.CursorShape.IBeamCursor)
        self.setMinimumHeight(48)
        self.newest = QToolButton(self)
        self.newest.setProperty("role", "newest")
        self.newest.setCursor(Qt.CursorShape.PointingHandCursor)
        self.newest.clicked.connect(lambda: self._follow(force=True))
        self.newest.hide()
        self.retranslate()

    def set_theme(self, theme: Theme, size_px: int) -> None:
        """Colours and text size. Text that is there already keeps its format until it is written anew."""
        self._theme, self._size_px = theme, size_px
        self.document().setDefaultFont(ui_font(size_px))
        self.inks.forget()
        self.viewport().update()

    def show_origins(self, on: bool) -> None:
        self._origins_shown = on
        self.viewport().update()

    def set_generating(self, on: bool) -> None:
        if on != self._generating:
            self._generating = on
            self.viewport().update()
            self._fit_newest()

    # --- writing

    def wipe(self) -> None:
        self.clear()
        self.spans = Spans()
        self.inks = Inks(self.document(), self.spans)
        self._selected, self._selected_number, self._marked, self._mark_text, self._end = range(0), None, None, "", 0

    def begin_turn(self, turn: int, you: str, prompt: str, name: str, system_label: str = "", system: str = "") -> None:
        """Writes the question and the label under which the answer will stand."""
        with self._appending() as cursor:
            if system:
                self._paragraph(cursor, system_label, "label")
                self._paragraph(cursor, shown(system), "system")
            self._paragraph(cursor, you, "label")
            self._paragraph(cursor, shown(prompt), "text")
            self._paragraph(cursor, name, "label")
            self._paragraph(cursor, "", "text")
        self.spans.begin_turn(turn)
        self._follow(force=True)

    def add_rounds(self, rounds: Sequence[Round]) -> None:
        """Appends what these rounds emitted."""
        following = self._sticks
        with self._appending() as cursor:
            waiting: list[str] = []
            position = self._end
            paragraph = position - cursor.block().position()
            for event in rounds:
                text, position = self.spans.add(event, position)
                waiting.append(text)
                newline = text.rfind("\n")
                paragraph = len(text) - newline if newline >= 0 else paragraph + len(text)
                if paragraph > LONGEST_PARAGRAPH and text[-1:].isspace() is False and " " in text:
                    waiting.append("\n")
                    position += 1
                    paragraph = 0
            cursor.insertText("".join(waiting))
            self._end = position
        if following:
            self._follow()

    def add_text(self, text: str) -> None:
        """Appends text that belongs to no token: what was held back when the arm ended."""
        if text:
            following = self._sticks
            with self._appending() as cursor:
                cursor.insertText(shown(text))
                self._end = cursor.position()
            if following:
                self._follow()

    def _appending(self) -> _Edit:
        return _Edit(self)

    def _paragraph(self, cursor: QTextCursor, text: str, kind: str) -> None:
        block = QTextBlockFormat()
        characters = QTextCharFormat()
        first = self.document().isEmpty()
        if kind == "label":
            block.setTopMargin(0 if first else 14)
            block.setBottomMargin(1)
            characters.setForeground(QColor(self._theme.quiet))
            characters.setFont(ui_font(self._size_px - 2, QFont.Weight.DemiBold))
        else:
            block.setLineHeight(LINE_HEIGHT_PERCENT, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
            characters.setForeground(QColor(self._theme.quiet if kind == "system" else self._theme.text))
            characters.setFont(ui_font(self._size_px))
        if first:
            cursor.setBlockFormat(block)
            cursor.setBlockCharFormat(characters)
        else:
            cursor.insertBlock(block, characters)
        cursor.insertText(text, characters)
        self._end = cursor.position()

    # --- following the newest text

    @Slot(int)
    def _scrolled(self, value: int) -> None:
        self._sticks = value >= self.verticalScrollBar().maximum() - FOLLOW_PX
        self._fit_newest()

    @Slot(int, int)
    def _range_changed(self, least: int, most: int) -> None:
        """The text or the pane changed its height: a reader who was at the end stays there."""
        if self._sticks:
            self.verticalScrollBar().setValue(most)

    def _fit_newest(self) -> None:
        """The way back, for a reader who scrolled away from text that is being written."""
        away = self._generating and not self._sticks
        if away:
            self.newest.adjustSize()
            x = (self.width() - self.newest.width()) // 2
            self.newest.move(x, self.height() - self.newest.height() - 8)
        if away is self.newest.isHidden():
            self.newest.setVisible(away)

    def retranslate(self) -> None:
        self.newest.setText(self.tr("↓ Newest"))
        self.newest.setToolTip(self.tr("Go to the newest text and stay with it"))
        self.newest.setAccessibleName(self.tr("Go to the newest text"))

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_newest()

    @property
    def is_following(self) -> bool:
        return self._sticks

    def _follow(self, force: bool = False) -> None:
        self._sticks = True
        self._fit_newest()
        if force or not self.textCursor().hasSelection():
            bar = self.verticalScrollBar()
            bar.setValue(bar.maximum())

    # --- tokens

    def select_round(self, turn: int, round_index: int, column: int | None) -> bool:
        """Highlights what a round emitted and brings it into view; False where it emitted nothing here."""
        self._selected = self.spans.of_round(turn, round_index)
        self._selected_number = None
        if column is not None and column < len(self._selected):
            self._selected_number = self._selected[column]
        self.viewport().update()
        if not self._selected:
            return False
        self._bring_into_view(self._selected[0])
        return True

    def select_nothing(self) -> None:
        self._selected, self._selected_number = range(0), None
        self.viewport().update()

    @property
    def selected_tokens(self) -> range:
        return self._selected

    def mark_difference(self, turn: int, index: int | None, sentence: str = "") -> None:
        """Marks the first token that differs from the first pane."""
        number = None if index is None else self.spans.in_turn(turn, index)
        if (number, sentence) != (self._marked, self._mark_text):
            self._marked, self._mark_text = number, sentence
            self.viewport().update()

    @property
    def marked_token(self) -> int | None:
        return self._marked

    def scroll_to(self, turn: int, index: int) -> None:
        """Brings the token with this index within its turn into view."""
        number = self.spans.in_turn(turn, index)
        if number is None:
            self._follow(force=True)
        else:
            self._bring_into_view(number)

    def _bring_into_view(self, number: int) -> None:
        cursor = QTextCursor(self.document())
        cursor.setPosition(min(self.spans.ink_starts[number], self._end))
        rect = self.cursorRect(cursor)
        if not self.viewport().rect().adjusted(0, 8, 0, -24).contains(rect.center()):
            bar = self.verticalScrollBar()
            bar.setValue(bar.value() + rect.top() - self.viewport().height() // 3)

    def _token_under(self, point: QPoint) -> Token | None:
        cursor = self.cursorForPosition(point)
        position = cursor.position()
        # A cursor lies between two characters; the one under the pointer is before it where the pointer is left of it.
        if point.x() < self.cursorRect(cursor).left():
            position -= 1
        token = self.spans.at(position)
        if token is None:
            return None
        inks = self._inks(range(token.number, token.number + 1))
        return token if any(ink.left - 4 <= point.x() <= ink.right + 4 for ink in inks) else None

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        if event.button() == Qt.MouseButton.LeftButton and not self.textCursor().hasSelection():
            token = self._token_under(event.position().toPoint())
            if token is not None:
                self._selected = self.spans.of_round(token.turn, token.round_index)
                self._selected_number = token.number
                self.viewport().update()
                self.token_activated.emit(token.turn, token.round_index, token.column)
            elif self._selected:
                self.select_nothing()

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            token = self._token_under(event.pos())
            text = ""
            if token is not None:
                text = self._mark_text if token.number == self._marked and self._mark_text else self.describe(token)
            QToolTip.showText(event.globalPos(), text, self.viewport())
            return True
        return super().viewportEvent(event)

    # --- painting

    def paintEvent(self, event: QPaintEvent) -> None:
        if (self.spans.has_marks and self._origins_shown) or self._selected or self._marked is not None:
            self._paint_marks()
        super().paintEvent(event)
        if self._generating:
            self._paint_cursor()

    def _inks(self, numbers: Iterable[int]) -> Iterator[Ink]:
        """Where the ink of these tokens lies on the viewport."""
        scroll_y = self.verticalScrollBar().value()
        for number in numbers:
            for ink in self.inks.of(number):
                yield Ink(number, ink.left, ink.right, ink.baseline - scroll_y)

    def _paint_marks(self) -> None:
        theme, spans = self._theme, self.spans
        metrics = QFontMetricsF(self.document().defaultFont())
        rise, fall = metrics.capHeight() + 4.5, metrics.descent() + 1.0
        correction = QPen(QColor(theme.correction), 1.6)
        bonus = QPen(QColor(theme.bonus), 1.8, Qt.PenStyle.CustomDashLine)
        bonus.setDashPattern([1.4, 1.4])
        codes, shown_, chosen, marked = spans.codes, self._origins_shown, self._selected, self._marked
        tints: list[QRectF] = []
        selected: list[QRectF] = []
        corrected: list[QLineF] = []
        dotted: list[QLineF] = []
        rings: list[tuple[QRectF, str]] = []
        scroll_y = self.verticalScrollBar().value()
        for line in self.inks.lines(scroll_y - rise, scroll_y + self.viewport().height() + rise):
            baseline = line.baseline - scroll_y
            for number, left, right in line.stretches:
                code = codes[number] if shown_ else 0
                if number in chosen:
                    selected.append(QRectF(left - 1.0, baseline - rise, right - left + 2.0, rise + fall))
                elif code == ACCEPTED:
                    tints.append(QRectF(left - 0.6, baseline - rise, right - left + 1.2, rise + fall))
                if code == CORRECTION:
                    corrected.append(QLineF(left, baseline + fall + 0.6, right, baseline + fall + 0.6))
                elif code == BONUS:
                    dotted.append(QLineF(left, baseline + fall + 0.6, right, baseline + fall + 0.6))
                if number in (marked, self._selected_number):
                    box = QRectF(left - 1.5, baseline - rise - 0.5, right - left + 3.0, rise + fall + 1.0)
                    rings.append((box, theme.warning if number == marked else theme.text))
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        for boxes, colour in ((tints, theme.accepted_tint), (selected, theme.selection)):
            painter.setBrush(QColor(colour))
            for box in boxes:
                painter.drawRoundedRect(box, 3, 3)
        for lines, pen in ((corrected, correction), (dotted, bonus)):
            painter.setPen(pen)
            painter.drawLines(lines)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for box, colour in rings:
            painter.setPen(QPen(QColor(colour), 1.4))
            painter.drawRoundedRect(box, 3, 3)
        painter.end()

    def _paint_cursor(self) -> None:
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        rect = QRectF(self.cursorRect(cursor))
        metrics = QFontMetricsF(self.document().defaultFont())
        height = metrics.capHeight() + 5
        painter = QPainter(self.viewport())
        # The same place on the line as the tints: measured from the baseline of the last line.
        block = self.document().lastBlock()
        lines = block.layout().lineCount()
        if lines:
            line = block.layout().lineAt(lines - 1)
            top = self.document().documentLayout().blockBoundingRect(block).top() - self.verticalScrollBar().value()
            rect.setTop(top + line.y() + line.ascent() - height + 2.5)
        painter.fillRect(
            QRectF(rect.left() + 2, rect.top(), max(6.0, self._size_px * 0.5), height), QColor(self._theme.accent)
        )
        painter.end()


class _Edit:
    """One edit block at the end of the document."""

    def __init__(self, transcript: Transcript) -> None:
        self._cursor = QTextCursor(transcript.document())

    def __enter__(self) -> QTextCursor:
        self._cursor.beginEditBlock()
        self._cursor.movePosition(QTextCursor.MoveOperation.End)
        return self._cursor

    def __exit__(self, *_: object) -> None:
        self._cursor.endEditBlock()
