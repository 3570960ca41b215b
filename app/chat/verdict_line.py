"""The line under the panes: is the text still exactly the target's own? A click goes to where it isn't."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QWidget

from app.chat import wording
from app.chat.legend import Legend
from app.style import set_role
from app.theme import Theme
from engine.trace.verdict import Verdict

ROLES = {"identical": "same", "near-tie": "near", "fail": "differs", "sampled": "idle", "not-comparable": "idle"}


class VerdictLine(QWidget):
    clicked = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._verdict: Verdict | None = None
        self._pane = ""
        self.button = QPushButton()
        self.button.clicked.connect(self.clicked)
        self.summary = QLabel()
        set_role(self.summary, "quiet")
        self.summary.setMinimumWidth(40)
        self.legend = Legend(theme)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(16)
        row.addWidget(self.button)
        row.addWidget(self.summary, 1)
        row.addWidget(self.legend, 0, Qt.AlignmentFlag.AlignRight)
        self.show_verdict(None)

    @property
    def verdict(self) -> Verdict | None:
        return self._verdict

    def show_verdict(self, verdict: Verdict | None, pane: str = "") -> None:
        self._verdict, self._pane = verdict, pane
        role = ROLES[verdict.status] if verdict else "idle"
        set_role(self.button, role)
        sentence = wording.verdict_sentence(verdict, pane)
        mark = {"same": "●  ", "near": "◐  ", "differs": "○  "}.get(role, "")
        self.button.setText(mark + sentence)
        self.button.setAccessibleName(sentence)
        self.button.setEnabled(verdict is not None)
        self.button.setToolTip(
            self.tr(
                "Greedy texts must be equal token by token; a near-tie is a place where two choices are closer "
                "than the arithmetic's noise."
            )
        )

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.show_verdict(self._verdict, self._pane)
        super().changeEvent(event)
