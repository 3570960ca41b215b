"""A quiet strip above the panes for news that concerns all of them, until it is dismissed or no longer true."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QWidget

from app.icons import icon
from app.said import Said, now
from app.style import set_role
from app.theme import Theme


class Note(QFrame):
    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._said: Said = ""
        self._about = ""
        set_role(self, "notice")
        self._mark = QLabel()
        self.label = QLabel()
        self.label.setWordWrap(True)
        self.label.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        self.label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.label.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.dismiss = QPushButton()
        set_role(self.dismiss, "plain")
        self.dismiss.clicked.connect(self.clear)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 5, 6, 5)
        row.setSpacing(8)
        row.addWidget(self._mark)
        row.addWidget(self.label, 1)
        row.addWidget(self.dismiss)
        self.set_theme(theme)
        self.retranslate()
        self.hide()

    def set_theme(self, theme: Theme) -> None:
        self._mark.setPixmap(icon("warning", theme.warning).pixmap(16, 16))
        self.dismiss.setIcon(icon("close", theme.quiet))

    def show_note(self, said: Said, about: str) -> None:
        """``about`` names what it speaks of, for whoever knows when it is no longer true (``withdraw``)."""
        self._said, self._about = said, about
        self.retranslate()
        self.show()

    def withdraw(self, about: str) -> None:
        if about == self._about:
            self.clear()

    def clear(self) -> None:
        self._said = self._about = ""
        self.hide()

    def retranslate(self) -> None:
        self.label.setText(now(self._said))
        self.setAccessibleName(self.label.text())
        self.dismiss.setAccessibleName(self.tr("Dismiss"))
        self.dismiss.setToolTip(self.tr("Dismiss"))

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)
