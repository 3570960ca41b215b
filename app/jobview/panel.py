"""The card of a job at work: what it is, how far it is, how long it will take, its plan, and a button to stop it.

When it has ended the card says how, in one sentence, with the buttons that help.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QTimer, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QProgressBar, QPushButton, QVBoxLayout, QWidget

from app.job_state import JobState, share_done
from app.jobview import wording
from app.jobview.plan import PlanList
from app.style import set_role
from app.theme import Theme

STEPS = 1000
CLOCK_MS = 1000
Action = tuple[str, Callable[[], object]]


class JobPanel(QFrame):
    stop_wanted = Signal()

    def __init__(self, title_of: Callable[[str], str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        set_role(self, "card")
        self._state: JobState | None = None
        self._stopping = False
        self._sentence = ""
        self.title, self.line, self.sentence = QLabel(), QLabel(), QLabel()
        set_role(self.title, "title")
        set_role(self.line, "caption")
        for label in (self.line, self.sentence):
            label.setWordWrap(True)
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.plan = PlanList(title_of)
        self.stop = QPushButton()
        self.stop.clicked.connect(self.stop_wanted)
        self.buttons: list[QPushButton] = []
        self._actions = QVBoxLayout()
        self._actions.setSpacing(6)
        head = QHBoxLayout()
        head.addWidget(self.title, 1)
        head.addWidget(self.stop)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 12, 16, 14)
        column.setSpacing(10)
        column.addLayout(head)
        column.addWidget(self.bar)
        column.addWidget(self.line)
        column.addWidget(self.plan)
        column.addWidget(self.sentence)
        column.addLayout(self._actions)
        self._clock = QTimer(self)
        self._clock.setInterval(CLOCK_MS)
        self._clock.timeout.connect(self._tick)
        self._stop_text = ""
        self.retranslate()

    def set_theme(self, theme: Theme) -> None:
        self.plan.set_theme(theme)

    def set_stop_text(self, text: str) -> None:
        self._stop_text = text
        self.retranslate()

    def show_job(self, title: str, state: JobState, stopping: bool, badges: dict[str, str]) -> None:
        self._state, self._stopping = state, stopping
        self.title.setText(title)
        self.plan.show_state(state, badges)
        if state.ended is not None:
            self._clock.stop()
        elif not self._clock.isActive():
            self._clock.start()
        self.retranslate()

    def show_end(self, sentence: str, is_bad: bool, actions: list[Action]) -> None:
        """What came of it; an empty list and sentence while it is at work."""
        self._sentence = sentence
        self.sentence.setText(sentence)
        set_role(self.sentence, "warning" if is_bad else "")
        for button in self.buttons:
            self._actions.removeWidget(button)
            button.hide()
            button.deleteLater()
        self.buttons = []
        for number, (text, call) in enumerate(actions):
            button = QPushButton(text, self)
            set_role(button, "primary" if number == 0 else "")
            button.clicked.connect(lambda _=False, call=call: call())
            self._actions.addWidget(button)
            self.buttons.append(button)
        self.sentence.setVisible(bool(sentence))

    def close_clock(self) -> None:
        self._clock.stop()

    def _tick(self) -> None:
        if self._state is not None:
            self.line.setText(self._line())

    def _line(self) -> str:
        if self._stopping:
            return self.tr("Stopping: it ends at its next safe point and keeps what is done.")
        return wording.progress_line(self._state) if self._state else ""

    def retranslate(self) -> None:
        state = self._state
        running = state is not None and state.ended is None
        self.stop.setText(self.tr("End Now") if self._stopping else self._stop_text or self.tr("Stop"))
        self.stop.setAccessibleName(self.stop.text())
        self.stop.setToolTip(
            self.tr("Ends it at once: what it has not written yet is lost")
            if self._stopping
            else self.tr("Ends it at its next safe point; what is done is kept")
        )
        self.stop.setVisible(running)
        self.bar.setVisible(running)
        self.line.setVisible(running)
        if state is None:
            return
        share = share_done(state)
        self.bar.setRange(0, 0 if share is None else STEPS)
        self.bar.setValue(0 if share is None else round(share * STEPS))
        self.line.setText(self._line())
        self.bar.setAccessibleName(self.tr("Progress of the whole job"))
        self.bar.setAccessibleDescription(self.line.text())

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
            self.plan.show_state(self._state, self.plan._badges)
        super().changeEvent(event)
