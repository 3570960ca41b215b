"""A strip inside a pane for what is going on there: a prompt being read, a model being loaded, or an error with what
helps.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QProgressBar, QPushButton, QVBoxLayout, QWidget

from app.icons import icon
from app.style import set_role
from app.theme import Theme

Action = tuple[str, Callable[[], object]]


class Notice(QFrame):
    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._is_error = False
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

    def show_progress(self, text: str, done: int, total: int) -> None:
        """``total`` 0: it isn't known how much there is to do."""
        self._reset(error=False)
        self.label.setText(text)
        self.bar.setRange(0, total)
        self.bar.setValue(done)
        self.bar.setAccessibleName(text)
        self.bar.show()
        self.show()

    def show_error(self, sentence: str, *actions: Action) -> None:
        self._reset(error=True)
        self.label.setText(sentence)
        for text, call in actions:
            button = QPushButton(text, self)
            set_role(button, "link")
            button.clicked.connect(lambda _=False, call=call: call())
            self._actions.addWidget(button)
            self._buttons.append(button)
        self.show()

    def show_note(self, text: str, tip: str = "") -> None:
        """A quiet line; ``tip`` says more."""
        self._reset(error=False)
        self.label.setText(text)
        self.label.setToolTip(tip)
        self.show()

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
        self._buttons = []
        self.label.setToolTip("")
        self._mark.setVisible(error)
        self._mark.setPixmap(icon("warning", self._theme.warning).pixmap(16, 16))
        set_role(self, "notice" if error else "")
        margin = 8 if error else 0
        self._column.setContentsMargins(margin, margin, margin, 4 if error else 0)
        set_role(self.label, "" if error else "caption")
        self.bar.hide()
