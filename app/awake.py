"""Keeps the computer from idle sleep while something runs. Does nothing where the system has no such tool."""

from __future__ import annotations

import os
import sys

from PySide6.QtCore import QObject, QProcess

CAFFEINATE = "/usr/bin/caffeinate"


def command(platform: str = sys.platform) -> list[str]:
    """What keeps this system awake for as long as it runs; empty where there is nothing."""
    # -i: no idle sleep; the display may go dark. -w: it ends with this program, even where this program crashes.
    return [CAFFEINATE, "-i", "-w", str(os.getpid())] if platform == "darwin" else []


class Awake(QObject):
    def __init__(self, parent: QObject | None = None, words: list[str] | None = None) -> None:
        super().__init__(parent)
        self._words = command() if words is None else words
        self._process: QProcess | None = None

    @property
    def is_on(self) -> bool:
        return self._process is not None

    def set(self, on: bool) -> None:
        if not self._words or on is self.is_on:
            return
        if on:
            self._process = QProcess(self)
            self._process.start(self._words[0], self._words[1:])
        elif self._process is not None:
            process, self._process = self._process, None
            process.kill()
            process.waitForFinished(500)
            process.deleteLater()
