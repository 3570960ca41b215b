"""Opening, replaying and exporting traces: the commands between files, the chat page and the live conversation.

While a trace is shown, the live conversation waits in the runner untouched; closing the trace shows it again.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QFileDialog, QWidget

from app.chat.page import ChatPage
from app.runner import Runner
from app.settings.keys import Key
from app.settings.store import Store
from app.traces.replay import Player, session_of
from engine.trace.events import Arm
from engine.trace.file import SUFFIX, Trace, TraceError, encode, read, trace_without_text

KINDS = {
    "export_trace": SUFFIX,
    "export_csv": ".csv",
    "export_perfetto": ".json",
    "export_html": ".html",
    "export_markdown": ".md",
}


class TraceDesk(QObject):
    said = Signal(object)
    """One sentence for the status line, ``Said``."""
    shown_changed = Signal()
    """A trace is shown now, or no longer is."""
    continued = Signal(object)
    """Arms of a trace whose conversation goes on live."""

    def __init__(self, page: ChatPage, runner: Runner, store: Store, window: QWidget) -> None:
        super().__init__(window)
        self._page, self._runner, self._store, self._window = page, runner, store, window
        self.trace: Trace | None = None
        self.path: Path | None = None
        self._player: Player | None = None
        self.live_arms: tuple[Arm, ...] = ()
        """Arms of the live conversation, shown again when the trace is closed."""
        page.banner.replay_wanted.connect(self.toggle_replay)
        page.banner.close_wanted.connect(self.close)
        page.banner.continue_wanted.connect(self.go_on)

    # --- opening

    def choose(self) -> None:
        path, _ = QFileDialog.getOpenFileName(
            self._window, self.tr("Open Trace"), self._store.text(Key.EXPORT_DIR), self._filter(SUFFIX)
        )
        if path:
            self.open(Path(path))

    def open(self, path: Path) -> bool:
        """Shows a trace; says why where it can't be read."""
        if self._runner.running:
            self.said.emit(lambda: self.tr("An answer is being written: stop it, then open the trace."))
            return False
        try:
            trace = read(path)
        except TraceError as error:
            self.said.emit(str(error))
            return False
        self._drop_player()
        if self.trace is None:
            self.live_arms = self._page.arms
        self.trace, self.path = trace, path
        self._store.push_recent(Key.RECENT_TRACES, str(path))
        self._page.banner.show_trace(path.stem, self._note)
        self._show_at_once()
        self.shown_changed.emit()
        return True

    def _note(self) -> str:
        """What a person should know of the trace that is shown."""
        if self.trace is not None and self.trace.truncated:
            return self.tr("its last line is cut off")
        return self.tr("without text") if self.trace is not None and not self.trace.header.has_text else ""

    def _show_at_once(self) -> None:
        if self.trace is None:
            return
        session = session_of(self.trace)
        if session.arms():
            self._page.set_arms(session.arms())
        self._page.show_session(session)
        self._page.banner.set_playing(False)

    @Slot()
    def toggle_replay(self) -> None:
        """Begins the replay at true speed, or ends it by showing everything."""
        if self._player is not None:
            self._drop_player()
            self._show_at_once()
            return
        if self.trace is None:
            return
        self._player = Player(self.trace, parent=self)
        self._player.events.connect(self._page.apply)
        self._player.finished.connect(self._replayed)
        self._page.show_session(self._player.session)
        self._page.set_running(True)
        self._page.composer.set_running(False)
        self._page.banner.set_playing(True)
        self._player.start()

    @Slot()
    def _replayed(self) -> None:
        self._drop_player()
        self._page.banner.set_playing(False)

    def stop(self) -> None:
        """Ends a replay that runs."""
        self._drop_player()

    def _drop_player(self) -> None:
        if self._player is not None:
            self._player.stop()
            self._player.deleteLater()
            self._player = None
            self._page.set_running(False)

    @Slot()
    def close(self) -> None:
        """Back to the live conversation."""
        if self.trace is None:
            return
        self._leave()
        self._page.set_arms(self.live_arms)
        self._page.show_session(self._runner.session)
        self.shown_changed.emit()

    @Slot()
    def go_on(self) -> None:
        """Makes the trace's conversation the live one."""
        if self.trace is None:
            return
        if not self.trace.header.has_text:
            self.said.emit(
                lambda: self.tr(
                    "This trace was written without text, so its conversation can't go on: ask anew instead."
                )
            )
            return
        session = session_of(self.trace)
        self._leave()
        self._runner.begin_session(session)
        self.continued.emit(session.arms())
        self._page.show_session(session)
        self.shown_changed.emit()

    def _leave(self) -> None:
        self._drop_player()
        self.trace = self.path = None
        self._page.banner.hide()

    # --- exporting

    def export(self, kind: str, without: bool) -> None:
        """Asks where, then writes what is shown as this kind of file."""
        trace = self._current()
        if trace is None or not trace.events:
            self.said.emit(lambda: self.tr("There is nothing to export yet: ask something first."))
            return
        suffix = KINDS[kind]
        folder = self._store.text(Key.EXPORT_DIR) or str(Path.home())
        stem = (
            self.path.stem
            if self.path
            else self._runner.recorder.path.stem
            if self._runner.recorder.path
            else "slipstream"
        )
        path, _ = QFileDialog.getSaveFileName(
            self._window, self.tr("Export"), str(Path(folder) / f"{stem}{suffix}"), self._filter(suffix)
        )
        if path:
            self.write(Path(path), kind, without)

    def write(self, path: Path, kind: str, without: bool) -> bool:
        trace = self._current()
        if trace is None:
            return False
        if without:
            trace = trace_without_text(trace)
        try:
            path.write_text(_writers()[kind](trace), encoding="utf-8")
        except OSError as error:
            reason = error.strerror
            self.said.emit(
                lambda: self.tr("{path} can't be written ({reason}): choose another place.").format(
                    path=path, reason=reason
                )
            )
            return False
        self._store.set(Key.EXPORT_DIR, str(path.parent))
        self.said.emit(lambda: self.tr("Written: {path}").format(path=path))
        return True

    def _current(self) -> Trace | None:
        """What is shown, as a trace: the opened one, or the live session's own file while it holds all of it."""
        if self.trace is not None:
            return self.trace
        recorder = self._runner.recorder
        path = recorder.path
        if path is not None and recorder.keep_text and not recorder.broken:
            try:
                return read(path)
            except TraceError:
                pass
        session = self._runner.session
        if session.header is None and self._runner.link.hello is None:
            return None
        return Trace(header=self._runner.recorder.header(self._runner.link.hello), events=tuple(session.events()))

    def _filter(self, suffix: str) -> str:
        names = {
            SUFFIX: self.tr("Slipstream traces"),
            ".csv": self.tr("CSV tables"),
            ".json": self.tr("Perfetto traces"),
            ".html": self.tr("HTML reports"),
            ".md": self.tr("Markdown reports"),
        }
        return f"{names[suffix]} (*{suffix})"


def _writers() -> dict[str, Callable[[Trace], str]]:
    # Imported when needed: a window that opens has no use for them.
    from engine.trace.export import to_csv, to_html, to_markdown, to_perfetto

    return {
        "export_trace": as_lines,
        "export_csv": to_csv,
        "export_perfetto": to_perfetto,
        "export_html": to_html,
        "export_markdown": to_markdown,
    }


def as_lines(trace: Trace) -> str:
    return "".join(encode(event).decode() + "\n" for event in (trace.header, *trace.events))
