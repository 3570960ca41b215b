"""Writes the live session to a trace file as it happens. Where it can't, one sentence says so and the session goes
on.
"""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from engine import __version__
from engine.process.protocol import Hello
from engine.trace.events import Event, Header, Machine, Started
from engine.trace.file import SUFFIX, TraceError, Writer

APP = f"Slipstream {__version__}"
UNKNOWN_MACHINE = Machine(chip="unknown", memory_bytes=0, os="unknown", backend="unknown")


class Recorder(QObject):
    failed = Signal(str)
    opened = Signal(str)
    """Path of the file that a session began."""

    def __init__(self, directory: Path, keep_text: bool = True, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.keep_text = keep_text
        self._directory = directory
        self._writer: Writer | None = None
        self._pending: tuple[Event, ...] = ()
        self._pending_header: Header | None = None
        self.broken = ""
        """Why this session is no longer recorded; empty while it is."""

    @property
    def path(self) -> Path | None:
        return self._writer.path if self._writer else None

    def keep(self, events: tuple[Event, ...], header: Header | None) -> None:
        """What the next file begins with: a conversation that is continued."""
        self._pending, self._pending_header = events, header

    def write(self, event: Event, hello: Hello | None) -> None:
        """Appends an event; the first answer opens the file, so that a window that was only looked at leaves none."""
        if self.broken:
            if isinstance(event, Started):
                # Still true, and the last answer's success may have taken the line away.
                self.failed.emit(self.broken)
            return
        if self._writer is None and isinstance(event, Started):
            self._open(hello)
        if self._writer is not None:
            self._writer.write(event)

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()
        self._writer, self.broken, self._pending, self._pending_header = None, "", (), None

    def header(self, hello: Hello | None) -> Header:
        """The first line of a trace that is written now."""
        machine = hello.machine if hello else self._pending_header.machine if self._pending_header else UNKNOWN_MACHINE
        created = datetime.now().astimezone().isoformat(timespec="seconds")
        return Header(created=created, app=APP, machine=machine, has_text=self.keep_text)

    def _open(self, hello: Hello | None) -> None:
        try:
            path = free_path(self._directory, datetime.now().strftime("%Y-%m-%d %H.%M.%S"))
            writer = Writer(path, self.keep_text, self._fail)
        except (TraceError, OSError) as error:
            self._fail(str(error))
            return
        self._writer = writer
        writer.write(self.header(hello))
        for event in self._pending:
            writer.write(event)
        self._pending = ()
        self.opened.emit(str(path))

    def _fail(self, sentence: str) -> None:
        self.broken = sentence
        self.failed.emit(sentence)


def free_path(directory: Path, stem: str) -> Path:
    """A trace file of this name, numbered where one is there already."""
    path, number = directory / f"{stem}{SUFFIX}", 1
    while path.exists():
        number += 1
        path = directory / f"{stem} {number}{SUFFIX}"
    return path
