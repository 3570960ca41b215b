"""Brings back a session that was interrupted: by a crash of the window or of the machine, not by a person who quit.

While a session is recorded, its file is noted in the settings; a window that ends in order takes the note away. A
note that is still there at the next start names the session to restore.
"""

from __future__ import annotations

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
        self._store.set(Key.OPEN_SESSION, path)
        self._store.sync()

    def forget(self) -> None:
        self._store.remove(Key.OPEN_SESSION)

    def restore(self) -> bool:
        """Makes an interrupted session the live one; False where there is none to restore."""
        path = self._store.text(Key.OPEN_SESSION)
        if not path:
            return False
        self.forget()
        try:
            trace = read(Path(path))
        except TraceError:
            return False
        session = session_of(trace)
        if not session.exchanges or not trace.header.has_text:
            return False
        self._runner.begin_session(session)
        return True
