"""How a long job speaks: JSON lines for a program that runs it, one line on stderr for a person.

``JsonPrinter`` writes the messages of ``engine.process.jobs`` to stdout. ``LinePrinter`` writes a line that is written
over on a terminal, and in a file a line every half minute. Neither ever raises because a reader has gone: ``lost`` says
so, and the job stops as if it were asked to.
"""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable
from typing import IO, Protocol

from engine.process.jobs import JobCell, JobEnded, JobMessage, JobPoint, JobProgress, JobStarted, encode

PROGRESS_EVERY_S = 0.1
"""Between two progress messages of one stage; its last one and every other message are said at once."""
TERMINAL_EVERY_S = 0.2
NOTE_EVERY_S = 30.0
"""Between two signs of life where stderr is a file."""


class Printer(Protocol):
    lost: bool
    """Nobody reads any more."""

    def say(self, message: JobMessage) -> None: ...


class JsonPrinter:
    def __init__(self, stream: IO[str] | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self.stream = stream or sys.stdout
        self.clock = clock
        self.lost = False
        self.said_s: dict[tuple[str, bool], float] = {}

    def say(self, message: JobMessage) -> None:
        if self.lost:
            return
        if isinstance(message, JobProgress) and not finished(message):
            key = (message.stage, message.whole)
            if self.clock() - self.said_s.get(key, float("-inf")) < PROGRESS_EVERY_S:
                return
            self.said_s[key] = self.clock()
        try:
            self.stream.write(encode(message).decode() + "\n")
            self.stream.flush()
        except (OSError, ValueError):
            # The program that ran the job is gone.
            self.lost = True


class LinePrinter:
    def __init__(self, stream: IO[str] | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self.stream = stream or sys.stderr
        self.clock = clock
        self.lost = False
        self.terminal = self.stream.isatty()
        self.shown_s = float("-inf")
        self.over = False
        """The line on the terminal is to be written over."""
        self.whole = ""
        """How far the whole job is; shown behind the stage at work."""

    def say(self, message: JobMessage) -> None:
        match message:
            case JobStarted():
                where = f" -> {message.out}" if message.out else ""
                self._line(f"{message.job}{where}")
            case JobProgress() if message.whole:
                self.whole = whole_text(message)
            case JobProgress():
                every_s = TERMINAL_EVERY_S if self.terminal else NOTE_EVERY_S
                if self.clock() - self.shown_s < every_s and not (self.terminal and finished(message)):
                    return
                self.shown_s = self.clock()
                line = progress_line(message) + self.whole
                if self.terminal:
                    self._write(f"\r{line}\x1b[K")
                    self.over = True
                else:
                    self._line(line)
            case JobCell():
                self._line(f"{message.table} · {message.row} · {message.column}: {cell_text(message)}")
            case JobEnded() if message.message:
                self._line(message.message)
            case JobEnded():
                self._clear()
            case JobPoint():
                # A curve is for a drawing; the progress line carries its stage.
                pass

    def _line(self, text: str) -> None:
        self._clear()
        self._write(text + "\n")

    def _clear(self) -> None:
        if self.over:
            self._write("\r\x1b[K")
            self.over = False

    def _write(self, text: str) -> None:
        with contextlib.suppress(OSError, ValueError):
            self.stream.write(text)
            self.stream.flush()


def printer(progress: str | None) -> Printer:
    """What ``--progress`` asks for: ``json`` or nothing."""
    return JsonPrinter() if progress == "json" else LinePrinter()


def finished(message: JobProgress) -> bool:
    return message.total > 0 and message.done >= message.total


def progress_line(message: JobProgress) -> str:
    of = f" of {message.total:g}" if message.total else ""
    unit = f" {message.unit}" if message.unit else ""
    rate = f", {message.per_s:.3g} a second" if message.per_s else ""
    left = f", {clock_text(message.seconds_left)} left" if message.seconds_left is not None else ""
    note = f" ({message.note})" if message.note else ""
    return f"{message.stage}: {message.done:g}{of}{unit}{rate}{left}{note}"


def whole_text(message: JobProgress) -> str:
    share = f"{100 * message.done / message.total:.0f} %" if message.total else f"{message.done:g}"
    left = f", {clock_text(message.seconds_left)} left" if message.seconds_left is not None else ""
    return f" · all: {share}{left}"


def cell_text(message: JobCell) -> str:
    if message.text or message.value is None:
        return message.text or "-"
    interval = ""
    if message.low is not None and message.high is not None:
        interval = f" [{message.low:.4g}, {message.high:.4g}]"
    return f"{message.value:.4g}{interval}"


def clock_text(seconds: float) -> str:
    if seconds < 60:
        return f"{max(1, round(seconds))} s"
    minutes = round(seconds / 60)
    return f"{minutes // 60} h {minutes % 60:02} min" if minutes >= 60 else f"{minutes} min"
