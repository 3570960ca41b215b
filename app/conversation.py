"""What a person does with the conversation: ask, ask again, edit, clear, begin anew.

Commands between the composer and menus on one side and the runner on the other. While a trace is shown, asking first
makes its conversation the live one.
"""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QGuiApplication

from app.chat.page import ChatPage
from app.runner import Runner
from app.session import Exchange
from app.settings.arm_commands import ArmCommands
from app.settings.keys import Key
from app.settings.preferences import ORDERS
from app.settings.store import Store
from app.status import Status
from app.traces.desk import TraceDesk
from app.traces.restore import Restorer


class Conversation(QObject):
    changed = Signal()
    """What can be done now may have changed."""

    def __init__(
        self,
        runner: Runner,
        chat: ChatPage,
        arms: ArmCommands,
        desk: TraceDesk,
        status: Status,
        restorer: Restorer,
        store: Store,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._runner, self._chat, self._arms, self._desk = runner, chat, arms, desk
        self._status, self._restorer, self._store = status, restorer, store
        self._cleared: list[Exchange] = []
        self._replacing = False

    @property
    def can_undo_clear(self) -> bool:
        return bool(self._cleared) and not self._runner.running

    @Slot(str)
    def ask(self, prompt: str) -> None:
        if self._desk.trace is not None:
            self._desk.go_on()
            if self._desk.trace is not None:
                self._chat.composer.set_prompt(prompt)
                return
        if self._replacing:
            self._replacing = False
            self._runner.take_back_last()
            self._chat.show_session(self._runner.session)
        self._status.clear()
        system = self._chat.composer.system.toPlainText().strip()
        self._runner.ask(prompt, system, self._arms.arms, self._store.text(Key.ORDER, ORDERS[0]))

    def run(self) -> None:
        """Sends what is written, or the last prompt again where nothing is."""
        if self._chat.composer.editor.toPlainText().strip():
            self._chat.composer.send()
        else:
            self.regenerate()

    def regenerate(self) -> None:
        if self._desk.trace is not None:
            self._desk.go_on()
        last = self._runner.take_back_last()
        if last is not None:
            self._chat.show_session(self._runner.session)
            self.ask(last.prompt)

    def retry(self) -> None:
        """Asks the last prompt again below what is there; an unfinished answer keeps its place."""
        last = self._runner.session.last
        if last is None or self._runner.running:
            return
        if any(run.rounds for run in last.runs.values()):
            self.ask(last.prompt)
        else:
            self.regenerate()

    def new(self) -> None:
        if self._runner.running:
            self._status.say(lambda: self.tr("An answer is being written: stop it first."))
            return
        self._desk.close()
        self._cleared = []
        self._runner.begin_session()
        self._restorer.forget()
        self._chat.show_session(self._runner.session)
        self._chat.composer.editor.setFocus()
        self.changed.emit()

    def clear(self) -> None:
        if self._runner.running or self._desk.trace is not None or not self._runner.session.exchanges:
            return
        self._cleared = self._runner.clear()
        self._chat.show_session(self._runner.session)
        self._status.say(
            lambda: self.tr("The conversation was cleared."), lambda: self.tr("Undo"), self.undo_clear, about="clear"
        )
        self.changed.emit()

    def undo_clear(self) -> None:
        if self.can_undo_clear:
            self._runner.put_back(self._cleared)
            self._cleared = []
            self._status.withdraw("clear")
            self._chat.show_session(self._runner.session)
            self.changed.emit()

    def edit_last(self) -> None:
        last = self._runner.session.last
        if last is not None and not self._runner.running:
            self._replacing = True
            self._chat.composer.set_prompt(last.prompt)
            self._status.say(
                lambda: self.tr("The changed prompt will replace the last one."),
                lambda: self.tr("Keep Both"),
                self._keep_both,
            )

    def _keep_both(self) -> None:
        self._replacing = False

    def recall(self) -> None:
        """The last prompt, to be changed or sent again."""
        last = self._runner.session.last
        if last is not None:
            self._chat.composer.set_prompt(last.prompt)

    def copy_answer(self, name: str = "") -> None:
        last = self._chat.session.last
        run = last.runs.get(name or self._chat.chosen) if last else None
        if run is not None:
            QGuiApplication.clipboard().setText(run.text)
