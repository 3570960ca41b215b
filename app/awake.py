"""Keeps the computer from idle sleep while something runs. Does nothing where the system has no such tool."""

from __future__ import annotations

import os
import sys

from PySide6.QtCore import QObject, QProcess


class Awake(QObject):
    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._process: QProcess | None = None

    def set(self, on: bool) -> None:
        if sys.platform != "darwin" or on is (self._process is not None):
            return
        if on:
            self._process = QProcess(self)
            # -w: it ends with this program, even where this program crashes.
            self._process.start("/usr/bin/caffeinate", ["-i", "-w", str(os.getpid())])
        elif self._process is not None:
            self._process.kill()
            self._process.waitForFinished(500)
            self._process.deleteLater()
            self._process = None
