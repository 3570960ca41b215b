"""Connects the commands in the menus with what carries them out, and greys out what can't be done now."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QUrl, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QApplication

from app.engine_link import State
from app.help import AboutDialog, HelpDialog
from app.pages import KEYS
from app.settings.arms import MOST_ARMS
from app.settings.keys import Key
from app.traces.desk import KINDS

if TYPE_CHECKING:
    from app.window import Window

EDITING = {
    "undo": "undo",
    "redo": "redo",
    "cut": "cut",
    "copy": "copy",
    "paste": "paste",
    "select_all": "selectAll",
}
"""Commands that go to whatever has the keyboard focus, and the method they call there."""


class Commands(QObject):
    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._window = window
        self._connect()

    def _connect(self) -> None:
        window = self._window
        talk, actions = window.conversation, window.actions_
        calls = {
            "new": window.new,
            "open": window.desk.choose,
            "close": window.close,
            "quit": window.close,
            "preferences": window.show_preferences,
            "copy_answer": talk.copy_answer,
            "edit_last": talk.edit_last,
            "clear": talk.clear,
            "undo_clear": talk.undo_clear,
            "run": talk.run,
            "stop": window.runner.stop,
            "regenerate": talk.regenerate,
            "add_arm": window.arms.add,
            "job": lambda: window.show_page(window.work.jobs.state.kind),
            "unload": lambda: window.memory.unload(),
            "restart_engine": window.restart_engine,
            "bigger": lambda: window.settings.resize_text(1),
            "smaller": lambda: window.settings.resize_text(-1),
            "usual_size": lambda: window.settings.resize_text(0),
            "full_screen": lambda: window.setWindowState(window.windowState() ^ Qt.WindowState.WindowFullScreen),
            "minimise": window.showMinimized,
            "zoom": lambda: window.setWindowState(window.windowState() ^ Qt.WindowState.WindowMaximized),
            **{f"{key}_page": lambda key=key: window.show_page(key) for key in KEYS},
            "keyboard": lambda: HelpDialog.keyboard(actions, window).open(),
            "definitions": lambda: HelpDialog.definitions(window).open(),
            "troubleshooting": lambda: HelpDialog.troubleshooting(window.language.current, window).open(),
            "open_log": lambda: QDesktopServices.openUrl(QUrl.fromLocalFile(str(window.link.log_path.parent))),
            "about": lambda: AboutDialog(window, window.link.hello.machine if window.link.hello else None).open(),
        }
        for name, call in calls.items():
            actions[name].triggered.connect(lambda _=False, call=call: call())
        for name in KINDS:
            actions[name].triggered.connect(
                lambda _=False, name=name: window.desk.export(name, actions["without_text"].isChecked())
            )
        for number in range(1, MOST_ARMS + 1):
            actions[f"focus_{number}"].triggered.connect(lambda _=False, number=number: self._focus_pane(number))
        for name, method in EDITING.items():
            actions[name].triggered.connect(lambda _=False, method=method: self._edit(method))
        actions.menus["open_recent"].aboutToShow.connect(self._fill_recent)

    @Slot()
    def fit(self) -> None:
        """What can't be done now is grey."""
        window = self._window
        actions = window.actions_
        running, session = window.runner.running, window.runner.session
        idle = not running and bool(session.exchanges)
        written = bool(window.chat.composer.editor.toPlainText().strip())
        for name, possible in (
            ("run", not running and (written or idle)),
            ("stop", running),
            ("regenerate", idle),
            ("edit_last", idle),
            ("clear", idle and window.desk.trace is None),
            ("undo_clear", window.conversation.can_undo_clear),
            ("new", not running),
            ("unload", not running and window.runner.has_models and window.link.state is State.READY),
            ("add_arm", window.desk.trace is None and window.arms.can_add),
            ("copy_answer", bool(window.chat.session.exchanges)),
        ):
            actions[name].setEnabled(possible)
        window.header.set_can_run(actions["run"].isEnabled())
        for number in range(1, MOST_ARMS + 1):
            actions[f"focus_{number}"].setVisible(number <= len(window.arms.arms))

    def _focus_pane(self, number: int) -> None:
        window = self._window
        panes = list(window.chat.panes)
        if number <= len(panes):
            window.show_page("chat")
            panes[number - 1].transcript.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _edit(self, method: str) -> None:
        call = getattr(QApplication.focusWidget(), method, None)
        if call is not None:
            call()

    def _fill_recent(self) -> None:
        window = self._window
        menu = window.actions_.menus["open_recent"]
        menu.clear()
        for path in window.store.strings(Key.RECENT_TRACES):
            action = menu.addAction(Path(path).stem)
            action.setMenuRole(action.MenuRole.NoRole)
            action.setToolTip(path)
            action.triggered.connect(lambda _=False, path=path: window.open_trace(Path(path)))
