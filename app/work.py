"""The heavy work of the window: one job at a time, and what the rest of the window shows and does meanwhile.

While a job runs the engine lets its models go, so that they don't take memory twice and the job's figures are its
own; a prompt in the chat brings them back, and so does the end of the job. That work goes on is seen on every page: a
mark at the page's name, the window's title, a line in the Run menu, and on a Mac the badge in the Dock.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QTimer, Signal, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from app.job_state import seconds_left, share_done
from app.jobs import JobRunner, Words
from app.jobview.wording import duration
from app.pages import titles
from engine.process.jobs import JobEnded

if TYPE_CHECKING:
    from app.window import Window

SHOWN_EVERY_MS = 1000
LET_GO_MS = 1500


class Work(QObject):
    blocked_changed = Signal()
    """``blocked`` may have another answer now."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._window = window
        self._closing = False
        self.jobs = JobRunner(window.link.log_path.parent, parent=self)
        self.jobs.running_changed.connect(self._running)
        self.jobs.ended.connect(self._ended)
        self._shower = QTimer(self)
        self._shower.setInterval(SHOWN_EVERY_MS)
        self._shower.timeout.connect(self.show)

    def blocked(self) -> str:
        """Why no job can begin now, in one sentence; empty where one can."""
        if self.jobs.running:
            return self.tr("{page} is at work: one heavy job at a time.").format(page=self._title())
        if self._window.runner.running:
            return self.tr("An answer is being written: stop it, or wait for its end.")
        return ""

    def start(self, kind: str, words: Words, weights: Mapping[str, float] | None = None) -> bool:
        """``kind`` is the key of the page whose job it is."""
        sentence = self.blocked()
        if sentence:
            self._window.status.say(sentence)
            return False
        self._window.link.end(wait_ms=LET_GO_MS)
        return self.jobs.start(kind, words, weights)

    def close(self) -> None:
        """Ends the job and what is shown of it; nothing begins any more."""
        self._closing = True
        self.jobs.close()
        self._shower.stop()

    def line(self) -> str:
        """``Lab: 42 %, 12 min left``; empty where nothing is at work."""
        if not self.jobs.running:
            return ""
        share, left = share_done(self.jobs.state), seconds_left(self.jobs.state)
        text = self._title() + (f": {100 * share:.0f} %" if share is not None else "")
        return self.tr("{job}, {time} left").format(job=text, time=duration(left)) if left is not None else text

    def _title(self) -> str:
        return titles().get(self.jobs.state.kind, self.jobs.state.kind)

    @Slot(bool)
    def _running(self, on: bool) -> None:
        if on:
            self._shower.start()
        else:
            self._shower.stop()
        if not self._closing:
            self._window.keep_awake()
            self.show()
            self.blocked_changed.emit()

    @Slot(object)
    def _ended(self, ended: JobEnded) -> None:
        if self._closing:
            return
        window, kind = self._window, self.jobs.state.kind
        if not window.runner.running:
            window.runner.open(window.arms.arms)
        if not window.isActiveWindow():
            QApplication.alert(window)
        page = window.page_of.get(kind)
        if page is not None and window.pages.currentWidget() is not page:
            words = {"done": self.tr("{page}: done."), "stopped": self.tr("{page}: stopped.")}
            sentence = words.get(ended.status, self.tr("{page}: ended early.")).format(page=self._title())
            window.status.say(sentence, self.tr("Show"), lambda: window.show_page(kind), stays=True)

    @Slot()
    def show(self) -> None:
        window, line = self._window, self.line()
        window.header.set_busy(self.jobs.state.kind if line else "")
        action = window.actions_["job"]
        action.setText(line)
        action.setVisible(bool(line))
        window.show_title(line)
        if sys.platform == "darwin":
            share = share_done(self.jobs.state)
            # A badge is a number: the percentage, and 1 where none is known.
            QGuiApplication.setBadgeNumber(max(1, round(100 * (share or 0))) if line else 0)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LanguageChange:
            self.show()
        return super().event(event)
