"""Runs one long job at a time as a process of its own: the lab, training, fetching a model.

The process is this program once more, ``slipstream <words> --progress json``, and speaks ``engine.process.jobs``. What
it says is folded into ``state``; ``changed`` tells pages to look at it again, at most every ``SHOWN_EVERY_MS``. A job
always ends with ``ended``: by what it said itself, or by a sentence made here where it crashed, was refused or had to
be killed. A line that is no message is logged and skipped, and so is one too long to be one.

``stop`` asks a job to end at its next safe point and keep what is done. One that does not end within ``patience_s`` is
killed, and the sentence says what that means.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec
from PySide6.QtCore import QObject, QProcess, QProcessEnvironment, QTimer, Signal, Slot

from app.engine_link import rotating_log
from app.job_state import JobState
from engine.process import launch
from engine.process.jobs import JobEnded, decode

SHOWN_EVERY_MS = 60
PATIENCE_S = 60.0
LONGEST_LINE_BYTES = 1 << 20
TAIL_BYTES = 4096
REFUSED = 2
"""Exit status of a request that was wrong; its last line says why."""
SIGNAL_STATUS = 128

Words = Sequence[str]


def job_command(words: Words) -> list[str]:
    return launch.command(*words, "--progress", "json")


class JobRunner(QObject):
    running_changed = Signal(bool)
    changed = Signal()
    """``state`` has news."""
    ended = Signal(object)
    """``JobEnded``, once for every job that was started."""

    def __init__(
        self,
        log_dir: Path,
        command: Callable[[Words], list[str]] = job_command,
        patience_s: float = PATIENCE_S,
        log_name: str = "jobs",
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.command, self.patience_s = command, patience_s
        self.log_path = log_dir / f"{log_name}.log"
        self.state = JobState()
        self.stopping = False
        self._log: logging.Logger | None = None
        self._process: QProcess | None = None
        self._buffer = bytearray()
        self._skipping = False
        self._tail = b""
        self._killed = False
        self._shower = QTimer(self, singleShot=True, interval=SHOWN_EVERY_MS)
        self._shower.timeout.connect(self.changed)
        self._patience = QTimer(self, singleShot=True)
        self._patience.timeout.connect(self.kill)

    @property
    def running(self) -> bool:
        return self._process is not None

    @property
    def process_id(self) -> int:
        return int(self._process.processId()) if self._process else 0

    def start(self, kind: str, words: Words, weights: Mapping[str, float] | None = None) -> bool:
        """Begins a job; False where one runs already. ``kind`` says whose job it is, ``weights`` how long its stages
        take, one against another.
        """
        if self._process is not None:
            return False
        if self._log is None:
            self._log = rotating_log(self.log_path)
        self.state = JobState(kind, weights=weights)
        self._buffer.clear()
        self._skipping, self._tail, self._killed, self.stopping = False, b"", False, False
        process = QProcess(self)
        environment = QProcessEnvironment.systemEnvironment()
        for name, value in launch.environment().items():
            environment.insert(name, value)
        process.setProcessEnvironment(environment)
        process.setStandardInputFile(QProcess.nullDevice())
        process.readyReadStandardOutput.connect(self._read)
        process.readyReadStandardError.connect(self._read_log)
        process.finished.connect(self._finished)
        process.errorOccurred.connect(self._error)
        self._process = process
        program, *arguments = self.command(words)
        self._log.info("%s: %s", kind, " ".join(map(str, words)))
        self.running_changed.emit(True)
        self.changed.emit()
        process.start(program, arguments)
        return self._process is not None

    @Slot()
    def stop(self) -> None:
        """Asks the job to end at its next safe point; a second time, it is killed."""
        if self._process is None:
            return
        if self.stopping:
            self.kill()
            return
        self.stopping = True
        self._process.terminate()
        self._patience.start(round(self.patience_s * 1000))
        self.changed.emit()

    @Slot()
    def kill(self) -> None:
        if self._process is not None:
            self._killed = True
            self._process.kill()

    def close(self, wait_ms: int = 8000) -> None:
        """Ends what runs, with time to write what it has, and lets go of the log. Returns when it is gone."""
        process = self._process
        if process is not None:
            if not self.stopping:
                self.stop()
            if not process.waitForFinished(wait_ms) and self._process is not None:
                self.kill()
                process.waitForFinished(2000)
        self._shower.stop()
        for handler in list(self._log.handlers) if self._log else ():
            self._log.removeHandler(handler)
            handler.close()
        self._log = None

    # --- what the process says

    @Slot()
    def _read(self) -> None:
        if self._process is None:
            return
        *lines, rest = (bytes(self._buffer) + self._process.readAllStandardOutput().data()).split(b"\n")
        for line in lines:
            if self._skipping:
                self._skipping = False
            elif line.strip():
                self._take(line)
        if len(rest) > LONGEST_LINE_BYTES:
            if not self._skipping:
                self._note("too long to be a message: %r", rest[:200])
            self._skipping, rest = True, b""
        self._buffer = bytearray(rest)

    def _take(self, line: bytes) -> None:
        try:
            message = decode(line)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            self._note("not a message: %r", line[:200])
            return
        if isinstance(message, JobEnded) and self.state.ended is not None:
            return
        self.state.apply(message)
        if not self._shower.isActive():
            self._shower.start()

    @Slot()
    def _read_log(self) -> None:
        if self._process is None:
            return
        said = self._process.readAllStandardError().data()
        self._tail = (self._tail + said)[-TAIL_BYTES:]
        for line in said.decode(errors="replace").splitlines():
            self._note("%s", line)

    def _note(self, text: str, *values: object) -> None:
        if self._log is not None:
            self._log.info(text, *values)

    # --- its end

    @Slot(int, QProcess.ExitStatus)
    def _finished(self, code: int, status: QProcess.ExitStatus) -> None:
        self._read()
        self._read_log()
        if self._buffer.strip() and not self._skipping:
            self._take(bytes(self._buffer))
        crashed = status == QProcess.ExitStatus.CrashExit
        if self.state.ended is None:
            self.state.apply(JobEnded(status=self._status(), message=self._sentence(code, crashed)))
        self._gone()

    @Slot(QProcess.ProcessError)
    def _error(self, error: QProcess.ProcessError) -> None:
        # A crash is followed by `finished`; only a failed start is not.
        if error == QProcess.ProcessError.FailedToStart and self._process is not None:
            program = self._process.program()
            sentence = self.tr("The job could not be started: {program} can't be run.").format(program=program)
            self.state.apply(JobEnded(status="failed", message=sentence))
            self._gone()

    def _status(self) -> str:
        return "stopped" if self.stopping or self._killed else "failed"

    def _sentence(self, code: int, crashed: bool) -> str:
        """Of a job that ended without a word."""
        if self._killed:
            return self.tr("The job did not stop in time and was ended: what it had not written yet is lost.")
        if self.stopping:
            return self.tr("The job was stopped; what it had written is kept.")
        last = last_line(self._tail)
        if code == REFUSED and last and not crashed:
            return last
        if crashed or code > SIGNAL_STATUS:
            number = code if crashed else code - SIGNAL_STATUS
            return self.tr(
                "The job crashed (signal {code}); what it had written is kept, and its log says more."
            ).format(code=number)
        return self.tr("The job ended early (exit status {code}): {reason}").format(
            code=code, reason=last or self.tr("it said nothing, but its log may.")
        )

    def _gone(self) -> None:
        process, self._process = self._process, None
        self._patience.stop()
        self._shower.stop()
        self._buffer.clear()
        if process is not None:
            process.deleteLater()
        self._note("%s", self.state.ended)
        self.stopping = False
        self.changed.emit()
        self.running_changed.emit(False)
        self.ended.emit(self.state.ended)


def last_line(said: bytes) -> str:
    """The last line of a log, without the name of the program that argparse puts before it."""
    lines = [line.strip() for line in said.decode(errors="replace").splitlines() if line.strip()]
    return re.sub(r"^slipstream[\w ]*: ", "", lines[-1])[:500] if lines else ""
