"""The strip above the panes that says that a trace is shown and not a live conversation."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QWidget

from app.said import Said, now
from app.style import set_role


class Banner(QFrame):
    replay_wanted = Signal()
    continue_wanted = Signal()
    close_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._name = ""
        self._note: Said = ""
        self._playing = False
        set_role(self, "banner")
        self.label = QLabel()
        self.label.setMinimumWidth(80)
        self.replay, self.go_on, self.close_button = QPushButton(), QPushButton(), QPushButton()
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 6, 8, 6)
        row.setSpacing(8)
        row.addWidget(self.label, 1)
        for button, signal in (
            (self.replay, self.replay_wanted),
            (self.go_on, self.continue_wanted),
            (self.close_button, self.close_wanted),
        ):
            button.clicked.connect(signal)
            row.addWidget(button)
        self.retranslate()
        self.hide()

    def show_trace(self, name: str, note: Said) -> None:
        self._name, self._note = name, note
        self.retranslate()
        self.show()

    def set_playing(self, on: bool) -> None:
        self._playing = on
        self.retranslate()

    def retranslate(self) -> None:
        text = self.tr("Trace “{name}”, read only").format(name=self._name)
        note = now(self._note)
        self.label.setText(f"{text} · {note}" if note else text)
        self.label.setToolTip(self.label.text())
        self.replay.setText(self.tr("Show at Once") if self._playing else self.tr("Replay at True Speed"))
        self.go_on.setText(self.tr("Ask Again from Here"))
        self.go_on.setToolTip(self.tr("Continue this conversation with the engine; the trace itself stays as it is."))
        self.close_button.setText(self.tr("Close Trace"))

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)
