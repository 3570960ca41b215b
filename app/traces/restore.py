"""Brings back a session that was interrupted: by a crash of the window or of the machine, not by a person who quit.

While a session is recorded, its file is noted in the settings, with the process of its window; a window that ends in
order takes its own note away. A note whose process is gone names the session to restore. It stays until another session
is recorded, so that a second crash loses nothing either.
"""

from __future__ import annotations

import os
from pathlib import Path

from PySide6.QtCore import QObject, Slot

from app.runner import Runner
from app.settings.keys import Key
from app.settings.store import Store
from app.traces.replay import session_of
from engine.trace.file import TraceError, read


class Restorer(QObject):
    def __init__(self, store: Store, runner: Runner) -> None:
        super().__init__(runner)
        self._store, self._runner = store, runner

    @Slot(str)
    def note(self, path: str) -> None:
        self._store.set(Key.OPEN_SESSION, f"{os.getpid()} {path}")
        self._store.sync()

    def forget(self) -> None:
        """Another living window's note is its own."""
        owner, _ = self._noted()
        if owner == os.getpid() or not lives(owner):
            self._store.remove(Key.OPEN_SESSION)

    def _noted(self) -> tuple[int, str]:
        owner, _, path = self._store.text(Key.OPEN_SESSION).partition(" ")
        return (int(owner), path) if owner.isdigit() else (0, "")

    def restore(self) -> bool:
        """Makes an interrupted session the live one; False where there is none to restore."""
        owner, path = self._noted()
        if not path or (owner != os.getpid() and lives(owner)):
            return False
        try:
            trace = read(Path(path))
        except TraceError:
            self.forget()
            return False
        session = session_of(trace)
        if not session.exchanges or not trace.header.has_text:
            return False
        self._runner.begin_session(session)
        self.note(path)
        return True


def lives(process: int) -> bool:
    """Whether a process of this number runs."""
    if process <= 0:
        return False
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
