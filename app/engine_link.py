"""The engine process as the window sees it: requests go in, replies come out in batches.

The engine is a child process that speaks ``engine.process.protocol`` on stdin and stdout. This object starts it,
parses what it says, and hands the messages on in small batches, at most every 33 ms where it keeps up, so that a fast
engine cannot make the window slow. It notices a crash and a hang; in each case one sentence is emitted
and nothing that was delivered is taken back. A line that is no message is logged and skipped. What the process writes
to stderr goes to a rotating log file.

It knows nothing of conversations or widgets.
"""

from __future__ import annotations

import logging
import logging.handlers
import time
from collections import deque
from collections.abc import Sequence
from enum import Enum
from pathlib import Path

import msgspec
from PySide6.QtCore import QObject, QProcess, QProcessEnvironment, QTimer, Signal, Slot

from engine.process import launch
from engine.process.protocol import (
    PROTOCOL,
    Cancel,
    Hello,
    Ping,
    Quit,
    Reply,
    Request,
    Unload,
    decode_reply,
    encode,
)

BATCH_MS = 33
BATCH_REPLIES = 48
"""Most messages of one batch; the rest waits, so that a click never waits for more than these."""
BACKLOG_MS = 12
"""To the next batch where messages are left over."""
PING_MS = 2000
HANG_S = 15.0
START_S = 90.0
LOG_BYTES = 1_000_000


class State(Enum):
    STOPPED = "stopped"
    STARTING = "starting"
    READY = "ready"
    HUNG = "hung"


class EngineLink(QObject):
    replies = Signal(list)
    """A batch of ``Reply`` messages, oldest first; ``Hello`` and ``Pong`` included."""
    state_changed = Signal(object)
    crashed = Signal(str)
    """One sentence. The process is gone; ``start`` begins a new one."""
    hung = Signal(str)
    """One sentence. The process lives but does not answer; ``restart`` ends it."""

    def __init__(
        self, log_dir: Path, command: Sequence[str] | None = None, hang_s: float = HANG_S, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self.state = State.STOPPED
        self.hello: Hello | None = None
        self.log_path = log_dir / "engine.log"
        self._command = list(command) if command else launch.command("engine")
        self._hang_s = hang_s
        self._process: QProcess | None = None
        self._buffer = bytearray()
        self._lines: deque[bytes] = deque()
        self._waiting: list[Request] = []
        self._ids = 0
        self._ending = False
        self._heard_s = 0.0
        self._garbage = 0
        self._log = rotating_log(self.log_path)
        self._batch = QTimer(self)
        self._batch.setInterval(BATCH_MS)
        self._batch.timeout.connect(self._deliver)
        self._ping = QTimer(self)
        self._ping.setInterval(min(PING_MS, max(50, round(hang_s * 300))))
        self._ping.timeout.connect(self._watch)

    def next_id(self) -> int:
        self._ids += 1
        return self._ids

    @Slot()
    def start(self) -> None:
        """Begins a process where none runs."""
        if self._process is not None:
            return
        process = QProcess(self)
        environment = QProcessEnvironment.systemEnvironment()
        for name, value in launch.environment().items():
            environment.insert(name, value)
        process.setProcessEnvironment(environment)
        process.readyReadStandardOutput.connect(self._read)
        process.readyReadStandardError.connect(self._read_log)
        process.finished.connect(self._finished)
        process.errorOccurred.connect(self._error)
        self._process = process
        self._ending = False
        self._garbage = 0
        self._buffer.clear()
        self._lines.clear()
        self._heard_s = time.monotonic()
        self._set_state(State.STARTING)
        process.start(self._command[0], self._command[1:])
        self._batch.start()
        self._ping.start()

    def send(self, request: Request) -> None:
        """Sends at once, or as soon as the engine has said hello."""
        if self.state is State.STARTING or self._process is None:
            self._waiting.append(request)
            self.start()
            return
        self._write(request)

    def cancel(self, request_id: int = 0) -> None:
        self._waiting = [request for request in self._waiting if getattr(request, "id", None) != request_id]
        if self._process is not None and self.state is not State.STARTING:
            self._write(Cancel(id=request_id))

    def unload(self) -> bool:
        """The process gives all its memory back and begins anew; what is sent meanwhile waits for its hello. False
        where none is ready to.
        """
        if self.state is not State.READY:
            return False
        self._write(Unload(id=self.next_id()))
        self.hello = None
        self._heard_s = time.monotonic()
        self._set_state(State.STARTING)
        return True

    def restart(self) -> None:
        self.end(wait_ms=200)
        self.start()

    def end(self, wait_ms: int = 2000) -> None:
        """Asks the process to quit, and ends it where it does not. Returns when it is gone."""
        process, self._process = self._process, None
        self._batch.stop()
        self._ping.stop()
        self._waiting.clear()
        if process is not None:
            self._ending = True
            process.finished.disconnect(self._finished)
            process.errorOccurred.disconnect(self._error)
            process.readyReadStandardOutput.disconnect(self._read)
            if process.state() != QProcess.ProcessState.NotRunning:
                process.write(encode(Quit()) + b"\n")
                process.closeWriteChannel()
                if not process.waitForFinished(wait_ms):
                    process.terminate()
                    if not process.waitForFinished(500):
                        process.kill()
                        process.waitForFinished(1000)
            process.deleteLater()
        self.hello = None
        self._set_state(State.STOPPED)

    def close(self) -> None:
        """Ends the process and lets go of the log file."""
        self.end()
        for handler in list(self._log.handlers):
            self._log.removeHandler(handler)
            handler.close()

    @property
    def process_id(self) -> int:
        return int(self._process.processId()) if self._process else 0

    def _write(self, request: Request) -> None:
        if self._process is not None:
            self._process.write(encode(request) + b"\n")

    def _set_state(self, state: State) -> None:
        if state is not self.state:
            self.state = state
            self.state_changed.emit(state)

    @Slot()
    def _read(self) -> None:
        if self._process is None:
            return
        self._buffer += self._process.readAllStandardOutput().data()
        *lines, rest = self._buffer.split(b"\n")
        self._lines.extend(map(bytes, lines))
        self._buffer = bytearray(rest)

    @Slot()
    def _read_log(self) -> None:
        if self._process is None:
            return
        for line in bytes(self._process.readAllStandardError().data()).decode(errors="replace").splitlines():
            self._log.info(line)

    @Slot()
    def _deliver(self, all_of_it: bool = False) -> None:
        if not self._lines:
            return
        batch: list[Reply] = []
        while self._lines and (all_of_it or len(batch) < BATCH_REPLIES):
            line = self._lines.popleft()
            if not line.strip():
                continue
            try:
                reply = decode_reply(line)
            except (msgspec.MsgspecError, UnicodeDecodeError):
                self._garbage += 1
                self._log.warning("not a message: %r", bytes(line[:200]))
                continue
            if isinstance(reply, Hello) and not self._greeted(reply):
                return
            batch.append(reply)
        self._batch.setInterval(BACKLOG_MS if self._lines else BATCH_MS)
        self._heard_s = time.monotonic()
        if batch and self.state is State.HUNG:
            self._set_state(State.READY)
        if batch:
            self.replies.emit(batch)

    def _greeted(self, hello: Hello) -> bool:
        if hello.protocol != PROTOCOL:
            self.end(wait_ms=200)
            self.crashed.emit(
                self.tr(
                    "The engine speaks protocol {theirs}, this window {ours}; install both from one version."
                ).format(theirs=hello.protocol, ours=PROTOCOL)
            )
            return False
        self.hello = hello
        self._set_state(State.READY)
        waiting, self._waiting = self._waiting, []
        for request in waiting:
            self._write(request)
        return True

    @Slot()
    def _watch(self) -> None:
        silent_s = time.monotonic() - self._heard_s
        if self.state is State.STARTING:
            if silent_s > max(START_S, self._hang_s):
                self._fail_start(
                    self.tr("The engine did not start within {n} s; its log says why.").format(n=round(silent_s))
                )
            return
        if self._lines:
            return
        self._write(Ping(id=self.next_id()))
        if self.state is State.READY and silent_s > self._hang_s:
            self._set_state(State.HUNG)
            self.hung.emit(
                self.tr("The engine has not answered for {n} s; wait for it, or restart it and ask again.").format(
                    n=round(silent_s)
                )
            )

    @Slot(int, QProcess.ExitStatus)
    def _finished(self, code: int, status: QProcess.ExitStatus) -> None:
        if self._ending:
            return
        self._read()
        self._read_log()
        self._deliver(all_of_it=True)
        started = self.hello is not None
        self._gone()
        if not started:
            sentence = self.tr("The engine could not start (exit status {code}); its log says why.")
        elif status == QProcess.ExitStatus.CrashExit:
            sentence = self.tr("The engine crashed (signal {code}); the text so far is kept.")
        else:
            sentence = self.tr("The engine stopped (exit status {code}); the text so far is kept.")
        self.crashed.emit(sentence.format(code=code))

    @Slot(QProcess.ProcessError)
    def _error(self, error: QProcess.ProcessError) -> None:
        # A crash is followed by `finished`; only a failed start is not.
        if error == QProcess.ProcessError.FailedToStart:
            self._fail_start(
                self.tr("The engine could not be started: {program} can't be run.").format(program=self._command[0])
            )

    def _fail_start(self, sentence: str) -> None:
        self.end(wait_ms=100)
        self.crashed.emit(sentence)

    def _gone(self) -> None:
        process, self._process = self._process, None
        self._batch.stop()
        self._ping.stop()
        self._waiting.clear()
        self.hello = None
        if process is not None:
            process.deleteLater()
        self._set_state(State.STOPPED)


def rotating_log(path: Path) -> logging.Logger:
    log = logging.getLogger(f"slipstream.engine.{path}")
    log.propagate = False
    log.setLevel(logging.INFO)
    if not log.handlers:
        handler = logging.handlers.RotatingFileHandler(
            path, maxBytes=LOG_BYTES, backupCount=3, encoding="utf-8", delay=True
        )
        handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
        log.addHandler(handler)
    return log
