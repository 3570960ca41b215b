"""What is being fetched or converted now: name, progress, time left, and the way to stop it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QProgressBar, QPushButton, QVBoxLayout, QWidget

from app import sentences
from app.job_state import JobState, share_done
from app.models import wording
from app.style import set_role

STEPS = 1000


class JobStrip(QFrame):
    stop_wanted = Signal()
    resume_wanted = Signal()
    dismissed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        set_role(self, "banner")
        self._name = ""
        self._waiting = 0
        self._state: JobState | None = None
        self._stopping = False
        self._can_resume = False
        self.title, self.detail = QLabel(), QLabel()
        set_role(self.title, "title")
        set_role(self.detail, "quiet")
        self.detail.setWordWrap(True)
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.stop, self.resume, self.dismiss = QPushButton(), QPushButton(), QPushButton()
        self.stop.clicked.connect(self.stop_wanted)
        self.resume.clicked.connect(self.resume_wanted)
        self.dismiss.clicked.connect(self.dismissed)
        text = QVBoxLayout()
        text.setSpacing(4)
        text.addWidget(self.title)
        text.addWidget(self.bar)
        text.addWidget(self.detail)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 10, 10, 10)
        row.setSpacing(12)
        row.addLayout(text, 1)
        for button in (self.resume, self.dismiss, self.stop):
            row.addWidget(button)
        self.retranslate()
        self.hide()

    def show_job(self, name: str, state: JobState, waiting: int, stopping: bool, can_resume: bool) -> None:
        """A job that runs, or has ended and has something to say about it."""
        self._name, self._state, self._waiting = name, state, waiting
        self._stopping, self._can_resume = stopping, can_resume
        self.retranslate()
        self.show()

    def retranslate(self) -> None:
        self.stop.setText(self.tr("Cancel"))
        self.stop.setToolTip(self.tr("Stops soon; what was fetched is kept and need not be fetched again"))
        self.resume.setText(self.tr("Resume"))
        self.dismiss.setText(self.tr("Close"))
        for button in (self.stop, self.resume, self.dismiss):
            button.setAccessibleName(f"{button.text()}: {self._name}" if self._name else button.text())
        state = self._state
        if state is None:
            return
        ended = state.ended
        self.stop.setVisible(ended is None)
        self.stop.setEnabled(not self._stopping)
        self.resume.setVisible(ended is not None and self._can_resume)
        self.dismiss.setVisible(ended is not None)
        self.bar.setVisible(ended is None)
        share = share_done(state)
        self.bar.setRange(0, STEPS if share is not None else 0)
        self.bar.setValue(round(STEPS * (share or 0)))
        if ended is None:
            self.title.setText(self.tr("Stopping {name}…").format(name=self._name) if self._stopping else self._name)
            line = wording.job_line(state)
            if self._waiting:
                line += " · " + self.tr("{n} more waiting").format(n=self._waiting)
            self.detail.setText(line)
        else:
            titles = {"stopped": self.tr("Stopped: {name}"), "failed": self.tr("Not finished: {name}")}
            self.title.setText(titles.get(ended.status, "{name}").format(name=self._name))
            self.detail.setText(sentences.translated(ended.message))
        self.bar.setAccessibleName(f"{self.title.text()}: {self.detail.text()}")

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)
