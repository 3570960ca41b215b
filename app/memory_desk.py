"""What the engine says of memory, put where a person looks for it: the pane that waits, the strip above the panes, the
gauge. And what a person can do about it: load all the same, or give all of it back.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, Slot

from app import sentences
from app.chat.page import ChatPage
from app.conversation import Conversation
from app.gauges import wording
from app.runner import Runner
from app.settings.arm_commands import ArmCommands
from app.status import Status
from engine.process.protocol import Eased, Estimate
from engine.trace.events import Event, Failed, MemorySample, Started

LOAD, EASED = "load", "eased"
"""What the strip above the panes speaks of."""


class MemoryDesk(QObject):
    def __init__(
        self,
        runner: Runner,
        chat: ChatPage,
        conversation: Conversation,
        arms: ArmCommands,
        status: Status,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._runner, self._chat, self._conversation = runner, chat, conversation
        self._arms, self._status = arms, status
        self._estimate: Estimate | None = None
        """The newest, also when it is over."""
        self._held_bytes = 0
        """By the engine, before it was asked to give all back."""
        self._told = True
        """Nothing is to be said of memory that went back."""
        runner.estimated.connect(self._estimated)
        runner.opened.connect(self._loaded)
        runner.eased.connect(self._eased)
        runner.too_large.connect(self._too_large)
        runner.refused.connect(self._loaded)
        runner.open_refused.connect(self._loaded)
        runner.running_changed.connect(self._loaded)
        runner.crashed.connect(self._gone)
        runner.events.connect(self._events)
        runner.began.connect(lambda _: chat.note.withdraw(EASED))
        runner.has_models_changed.connect(self._models)
        arms.changed.connect(self._loaded)
        arms.changed.connect(lambda _: chat.note.withdraw(LOAD))
        chat.news.anyway_wanted.connect(self.load_anyway)

    @Slot()
    def load_anyway(self) -> None:
        """A person takes the risk; a prompt that waits for it is asked again."""
        self._runner.allow(self._arms.arms)
        last = self._runner.session.last
        if last is not None and not last.runs:
            self._conversation.retry()
        else:
            self._chat.news.clear()
            self._runner.open(self._arms.arms)

    def unload(self) -> None:
        """Gives the memory of all models back; the next prompt loads them again."""
        sample = self._chat.memory.sample
        self._held_bytes = sample.process_bytes if sample else 0  # right after a load there may be no sample yet
        if self._runner.unload():
            self._told = False
            self._loaded()
            self._chat.note.clear()
            self._chat.news.finish()
            self._status.say(lambda: self.tr("Giving memory back…"), stays=True, about="unload")

    # --- what the engine says

    @Slot(object)
    def _estimated(self, estimate: Estimate) -> None:
        self._estimate = estimate
        self._chat.news.set_estimate(estimate)
        self._chat.memory.show_plan(estimate)
        if estimate.fit.verdict == "tight":
            self._chat.note.show_note(lambda: wording.tight(estimate), LOAD)
        else:
            self._chat.note.withdraw(LOAD)

    @Slot(str, str)
    def _too_large(self, sentence: str, arm: str) -> None:
        """Said where the work was; the gauge shows what it would take."""
        self._chat.note.withdraw(LOAD)
        self._chat.memory.show_plan(self._estimate)
        self._chat.news.show_too_large(sentence, arm)

    @Slot()
    def _loaded(self) -> None:
        self._chat.news.set_estimate(None)
        self._chat.memory.show_plan(None)

    @Slot(object)
    def _eased(self, eased: Eased) -> None:
        self._chat.note.show_note(lambda: sentences.translated(eased.message), EASED)
        self._chat.memory.mark(lambda: wording.eased(eased.freed_bytes), "eased")

    @Slot()
    def _gone(self) -> None:
        self._loaded()
        self._told = True
        self._status.withdraw("unload")

    @Slot(bool)
    def _models(self, there: bool) -> None:
        if there:
            # What the engine holds from now on says nothing of what it gave back.
            self._told = True
            self._status.withdraw("unload")

    @Slot(list)
    def _events(self, events: Sequence[Event]) -> None:
        for event in events:
            if isinstance(event, Started):
                self._loaded()
            elif isinstance(event, Failed) and sentences.says(event.message, sentences.OUT_OF_MEMORY):
                self._chat.memory.mark(wording.stopped, "stopped")
            elif isinstance(event, MemorySample) and self._runner.has_models:
                # Taken before the engine began anew, however late it arrives.
                self._held_bytes = event.process_bytes
            elif isinstance(event, MemorySample):
                self._gone_back(self._held_bytes - event.process_bytes)

    def _gone_back(self, size_bytes: int) -> None:
        """The engine that begins anew was heard of. It is said also where nobody knows how much went back."""
        if self._told:
            return
        self._told = True
        self._status.withdraw("unload")
        if size_bytes > 0:
            self._chat.memory.mark(lambda: wording.gone_back(size_bytes), "unloaded")
        self._status.say(lambda: wording.gone_back_sentence(size_bytes))
