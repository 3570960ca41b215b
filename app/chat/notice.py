"""A strip inside a pane for what is going on there: a prompt being read, a model being loaded, or an error with what
helps.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QProgressBar, QPushButton, QVBoxLayout, QWidget

from app import sentences
from app.icons import icon
from app.said import Said, now
from app.style import set_role
from app.theme import Theme

Action = tuple[Said, Callable[[], object]]
LOW_PX = 264
"""In a pane below this height an error cuts its sentence to what there is room for; the rest is in its tooltip."""
LOW_LINES = 3


class Notice(QFrame):
    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._is_error = False
        self._said: Said = ""
        self._tip: Said = ""
        self._texts: list[Said] = []
        self._mark = QLabel()
        self.label = QLabel()
        self.label.setWordWrap(True)
        self.label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.label.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self._buttons: list[QPushButton] = []
        self._row = QHBoxLayout()
        self._row.setSpacing(8)
        self._row.addWidget(self._mark, 0, Qt.AlignmentFlag.AlignTop)
        self._row.addWidget(self.label, 1)
        column = QVBoxLayout(self)
        column.setSpacing(6)
        column.addLayout(self._row)
        column.addWidget(self.bar)
        self._actions = QHBoxLayout()
        self._actions.setSpacing(4)
        self._actions.addStretch(1)
        column.addLayout(self._actions)
        self._column = column
        self.hide()

    @property
    def is_error(self) -> bool:
        return self._is_error

    @property
    def buttons(self) -> list[QPushButton]:
        return self._buttons

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._mark.setPixmap(icon("warning", theme.warning).pixmap(16, 16))

    def show_progress(self, text: Said, done: int, total: int) -> None:
        """``total`` 0: it isn't known how much there is to do."""
        self._reset(error=False)
        self._said = text
        self.bar.setRange(0, total)
        self.bar.setValue(done)
        self.retranslate()
        self.bar.show()
        self.show()

    def show_error(self, sentence: Said, *actions: Action) -> None:
        """A sentence of the engine's own is said in the language of the window, where it is one that is known."""
        self._reset(error=True)
        self._said = (lambda: sentences.translated(sentence)) if isinstance(sentence, str) else sentence
        for text, call in actions:
            button = QPushButton(self)
            self._texts.append(text)
            set_role(button, "link")
            button.clicked.connect(lambda _=False, call=call: call())
            self._actions.addWidget(button)
            self._buttons.append(button)
        self.retranslate()
        self.show()

    def show_note(self, text: Said, tip: Said = "") -> None:
        """A quiet line; ``tip`` says more."""
        self._reset(error=False)
        self._said, self._tip = text, tip
        self.retranslate()
        self.show()

    def retranslate(self) -> None:
        text = now(self._said)
        self.label.setText(text)
        self.label.setToolTip(text if self._is_error else sentences.translated(now(self._tip)))
        self.bar.setAccessibleName(text)
        for button, said in zip(self._buttons, self._texts, strict=True):
            button.setText(now(said))
        self._fit()

    def finish(self) -> None:
        """Hides progress; an error stays until the next run."""
        if not self._is_error:
            self.hide()

    def clear(self) -> None:
        self._reset(error=False)
        self.hide()

    def _reset(self, error: bool) -> None:
        self._is_error = error
        for button in self._buttons:
            self._actions.removeWidget(button)
            button.hide()
            button.deleteLater()
        self._buttons, self._texts = [], []
        self._said = self._tip = ""
        self.label.setToolTip("")
        self._mark.setVisible(error)
        self._mark.setPixmap(icon("warning", self._theme.warning).pixmap(16, 16))
        set_role(self, "notice" if error else "")
        margin = 8 if error else 0
        self._column.setContentsMargins(margin, margin, margin, 4 if error else 0)
        set_role(self.label, "" if error else "caption")
        self.bar.hide()

    def _fit(self) -> None:
        """A sentence over several lines keeps their height: a layout that is short of room would cut it otherwise."""
        width = self.width() - 2 * (8 if self._is_error else 0) - (24 if self._is_error else 0)
        lines_px = max(0, self.label.heightForWidth(max(40, width)))
        pane = self.parentWidget()
        if pane is not None and pane.height() < LOW_PX:
            lines_px = min(lines_px, LOW_LINES * self.label.fontMetrics().lineSpacing())
        if self.label.minimumHeight() != lines_px:
            self.label.setMinimumHeight(lines_px)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        elif event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._fit()
