"""Asks ``slipstream models list`` what is on disk, as a process of its own, and gives the ``Shelf`` it prints."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec
from PySide6.QtCore import QObject, QProcess, Signal, Slot

from app.jobs import last_line
from engine.process import launch
from engine.process.shelf import decode

CLOSE_MS = 2000


class ShelfReader(QObject):
    ready = Signal(object)
    """A ``Shelf``."""
    failed = Signal(str)

    def __init__(self, command: Callable[..., list[str]] = launch.command, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.command = command
        self._process: QProcess | None = None
        self._again: list[str] | None = None

    @property
    def reading(self) -> bool:
        return self._process is not None

    def read(self, words: Sequence[str]) -> None:
        """Reads anew; while a reading runs, once more after it."""
        if self._process is not None:
            self._again = list(words)
            return
        program, *arguments = self.command(*words)
        self._process = QProcess(self)
        self._process.finished.connect(self._finished)
        self._process.errorOccurred.connect(self._error)
        self._process.start(program, arguments)

    def close(self) -> None:
        """Ends a reading without a word."""
        process, self._process, self._again = self._process, None, None
        if process is not None:
            process.finished.disconnect(self._finished)
            process.errorOccurred.disconnect(self._error)
            process.kill()
            process.waitForFinished(CLOSE_MS)
            process.deleteLater()

    @Slot(int, QProcess.ExitStatus)
    def _finished(self, code: int, status: QProcess.ExitStatus) -> None:
        process = self._process
        if process is None:
            return
        said = bytes(process.readAllStandardOutput().data())
        complaint = last_line(bytes(process.readAllStandardError().data()))
        self._gone()
        if code == 0 and status == QProcess.ExitStatus.NormalExit:
            try:
                self.ready.emit(decode(said))
                return
            except msgspec.MsgspecError as error:
                complaint = str(error)
        self.failed.emit(complaint or self.tr("What is on disk can't be listed (exit status {n}).").format(n=code))

    @Slot(QProcess.ProcessError)
    def _error(self, error: QProcess.ProcessError) -> None:
        # A crash is followed by `finished`; only a failed start is not.
        if error == QProcess.ProcessError.FailedToStart and self._process is not None:
            program = self._process.program()
            self._gone()
            self.failed.emit(
                self.tr("What is on disk can't be listed: {program} can't be run.").format(program=program)
            )

    def _gone(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.deleteLater()
        again, self._again = self._again, None
        if again is not None:
            self.read(again)
