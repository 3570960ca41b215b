"""One line at the foot of the window for news that belongs to no pane, with at most one button that helps."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QTimer
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QWidget

from app import sentences
from app.icons import icon
from app.said import Said, now
from app.style import set_role
from app.theme import Theme

SHOWN_MS = 12000


class Status(QFrame):
    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._call: Callable[[], object] | None = None
        self._said: Said = ""
        self._action: Said = ""
        self._about = ""
        set_role(self, "status")
        self.label = QLabel()
        self.label.setMinimumWidth(80)
        self.button = QPushButton()
        set_role(self.button, "link")
        self.button.clicked.connect(self._help)
        self.dismiss = QPushButton()
        set_role(self.dismiss, "plain")
        self.dismiss.clicked.connect(self.clear)
        row = QHBoxLayout(self)
        row.setContentsMargins(18, 4, 10, 4)
        row.setSpacing(8)
        row.addWidget(self.label, 1)
        row.addWidget(self.button)
        row.addWidget(self.dismiss)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(SHOWN_MS)
        self._timer.timeout.connect(self.clear)
        self.set_theme(theme)
        self.retranslate()
        self.hide()

    @property
    def text(self) -> str:
        return self.label.text() if not self.isHidden() else ""

    def set_theme(self, theme: Theme) -> None:
        self.dismiss.setIcon(icon("close", theme.quiet))

    def say(
        self,
        sentence: Said,
        action: Said = "",
        call: Callable[[], object] | None = None,
        stays: bool = False,
        about: str = "",
    ) -> None:
        """``about`` names what the line speaks of, for whoever knows when it is no longer true (``withdraw``)."""
        self._said = (lambda: sentences.translated(sentence)) if isinstance(sentence, str) else sentence
        self._action, self._call, self._about = action, call, about
        self.button.setVisible(bool(action))
        self.retranslate()
        self.show()
        self._timer.stop()
        if not stays:
            self._timer.start()

    def clear(self) -> None:
        self._timer.stop()
        self._call = None
        self._said = self._action = self._about = ""
        self.hide()

    def withdraw(self, about: str) -> None:
        """Takes the line away where it speaks of this."""
        if about and about == self._about:
            self.clear()

    def retranslate(self) -> None:
        sentence = now(self._said)
        self.label.setText(sentence)
        self.label.setToolTip(sentence)
        self.button.setText(now(self._action))
        self.dismiss.setAccessibleName(self.tr("Dismiss"))
        self.dismiss.setToolTip(self.tr("Dismiss"))

    def _help(self) -> None:
        call = self._call
        self.clear()
        if call is not None:
            call()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)
