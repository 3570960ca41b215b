"""The live conversation: asks the engine, takes in what it says, writes it to a trace, and survives its death.

``session`` is what has been said so far; whatever happens to the engine, nothing is taken out of it. Views listen to
the signals and read the session; they never talk to the engine.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.engine_link import EngineLink, State
from app.session import Exchange, Session
from app.traces.recorder import Recorder
from engine.process.protocol import (
    Ask,
    Checked,
    Done,
    Eased,
    Estimate,
    Hello,
    Loading,
    Open,
    Opened,
    Pong,
    Refused,
    Reply,
)
from engine.process.shelf import DEFAULT_RESERVE_BYTES
from engine.trace.events import Arm, Event, Failed, Finished, MemorySample, Prefill, Round, Started

STOP_PATIENCE_MS = 6000
BUSY_S = 5.0
TRACE_EVENTS = (Started, Prefill, Round, Finished, Failed, MemorySample)


class Runner(QObject):
    began = Signal(object)
    """The ``Exchange`` that a prompt opened."""
    events = Signal(list)
    """A batch of trace events, taken in by the session already."""
    running_changed = Signal(bool)
    estimated = Signal(object)
    """What is about to be loaded takes in memory (``Estimate``)."""
    loading = Signal(object)
    opened = Signal(object)
    checked = Signal(object)
    """Whether the drafter of an arm that was opened belongs to its target."""
    stopping = Signal()
    """The run was asked to end and has not ended yet."""
    refused = Signal(str, str)
    """Sentence, arm name or nothing: a prompt can't be answered."""
    open_refused = Signal(str, str)
    """The same of arms that can't be opened."""
    too_large = Signal(str, str)
    """The same where there is no memory for it; ``allow`` loads it all the same."""
    eased = Signal(object)
    """The engine gave memory back because the machine is short of it (``Eased``)."""
    has_models_changed = Signal(bool)
    crashed = Signal(str)
    hung = Signal(str)
    busy = Signal(float)
    """Seconds that the engine's present forward has been running, where that is long."""

    def __init__(self, link: EngineLink, recorder: Recorder, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.link, self.recorder = link, recorder
        self.session = Session()
        self.running = False
        self.reserve_bytes = DEFAULT_RESERVE_BYTES
        """Memory left to other programs when a load is judged."""
        self.has_models = False
        """Models are loaded, or being loaded."""
        self.unloaded = False
        """A person wants the memory for something else: nothing is loaded before the next prompt."""
        self._allowed: tuple[Arm, ...] = ()
        """Arms that are to be loaded although there is little memory for them."""
        self._request = 0
        self._open_request = 0
        self._turn = 0
        self._arms: tuple[Arm, ...] = ()
        self._order = "interleaved"
        link.replies.connect(self._replies)
        link.crashed.connect(self._crashed)
        link.hung.connect(self.hung)
        self._patience = QTimer(self)
        self._patience.setSingleShot(True)
        self._patience.setInterval(STOP_PATIENCE_MS)
        self._patience.timeout.connect(self._stop_ignored)

    def open(self, arms: tuple[Arm, ...]) -> None:
        """Loads what these arms need ahead of the first prompt."""
        if not self.running:
            self.unloaded = False
            self._open_request = self.link.next_id()
            self.link.send(
                Open(
                    id=self._open_request,
                    arms=arms,
                    reserve_bytes=self.reserve_bytes,
                    anyway=arms == self._allowed,
                )
            )

    def allow(self, arms: tuple[Arm, ...]) -> None:
        """From now on these arms are loaded although there is little memory for them."""
        self._allowed = arms

    def ask(self, prompt: str, system: str, arms: tuple[Arm, ...], order: str = "interleaved") -> None:
        """Runs the arms on a prompt, with what was said before as its history."""
        if self.running:
            return
        self._arms, self._order = arms, order
        self.unloaded = False
        history = {arm.name: self.session.history(arm.name) for arm in arms}
        self._turn = max(self._turn, self.session.next_turn)
        exchange = self.session.begin(self._turn, prompt, system)
        self._turn += 1
        self._request = self.link.next_id()
        self.began.emit(exchange)
        self._set_running(True)
        self.link.send(
            Ask(
                id=self._request,
                turn=exchange.turn,
                arms=arms,
                prompt=prompt,
                system=system,
                history={name: turns for name, turns in history.items() if turns},
                order=order,
                reserve_bytes=self.reserve_bytes,
                anyway=arms == self._allowed,
            )
        )

    def unload(self) -> bool:
        """Gives the memory of all models back; the next prompt loads them again. False where there is none to give."""
        if self.running or not self.has_models:
            return False
        # A load that goes on is given up: the engine would carry it out first.
        self.link.cancel(self._open_request)
        self.unloaded = self.link.unload()
        return self.unloaded

    def stop(self) -> None:
        """Ends the run within a round; its text stays."""
        if not self.running:
            return
        if self.link.state in (State.STARTING, State.STOPPED):
            self.link.cancel(self._request)
            self._end_open_runs(None)
            self._set_running(False)
            return
        self.link.cancel(self._request)
        self._patience.start()
        self.stopping.emit()

    def take_back_last(self) -> Exchange | None:
        """Removes the last exchange from the conversation, to be asked again; its trace keeps it."""
        return None if self.running or not self.session.exchanges else self.session.exchanges.pop()

    def put_back(self, exchanges: Sequence[Exchange]) -> None:
        """Undoes a clear."""
        self.session.exchanges[:0] = exchanges

    def clear(self) -> list[Exchange]:
        """Empties the conversation and gives what was in it."""
        exchanges, self.session.exchanges = self.session.exchanges, []
        return exchanges

    def begin_session(self, session: Session | None = None) -> None:
        """A new conversation, empty or continued from a trace; it gets a trace file of its own."""
        self.recorder.close()
        self.session = session or Session()
        self._turn = self.session.next_turn
        if session is not None and session.exchanges:
            self.recorder.keep(tuple(session.events()), session.header)

    # --- what the engine says

    @Slot(list)
    def _replies(self, replies: list[Reply]) -> None:
        batch: list[Event] = []
        for reply in replies:
            if isinstance(reply, TRACE_EVENTS):
                if not isinstance(reply, MemorySample) and not self._is_current(reply.turn):
                    continue
                self.session.apply(reply)
                self.recorder.write(reply, self.link.hello)
                batch.append(reply)
                continue
            if batch:
                self.events.emit(batch)
                batch = []
            self._answer(reply)
        if batch:
            self.events.emit(batch)

    def _is_current(self, turn: int) -> bool:
        return self.running and turn == self._turn - 1

    def _answer(self, reply: Reply) -> None:
        if isinstance(reply, Hello):
            self._set_has_models(False)
        elif isinstance(reply, (Loading, Opened)):
            self._set_has_models(True)
        if isinstance(reply, Loading):
            self.loading.emit(reply)
        elif isinstance(reply, Opened):
            self.opened.emit(reply)
        elif isinstance(reply, Checked):
            # What is said of arms that have changed since concerns no one.
            if reply.id == self._open_request:
                self.checked.emit(reply)
        elif isinstance(reply, Done) and reply.id == self._request:
            self._set_running(False)
        elif isinstance(reply, Refused) and reply.id in (self._request, self._open_request):
            self._refused(reply)
        elif isinstance(reply, Estimate):
            self.estimated.emit(reply)
        elif isinstance(reply, Eased):
            self.eased.emit(reply)
        elif isinstance(reply, Pong) and reply.busy_s > BUSY_S:
            self.busy.emit(reply.busy_s)

    def _refused(self, reply: Refused) -> None:
        asked = reply.id == self._request
        if asked:
            self._set_running(False)
        if reply.reason == "stopped":
            return  # a person knows what they have stopped
        if reply.reason == "memory":
            self.too_large.emit(reply.message, reply.arm)
        elif asked:
            self.refused.emit(reply.message, reply.arm)
        else:
            self.open_refused.emit(reply.message, reply.arm)

    @Slot(str)
    def _crashed(self, sentence: str) -> None:
        if self.running:
            self._end_open_runs(sentence)
            self._set_running(False)
        self._set_has_models(False)
        self.crashed.emit(sentence)

    @Slot()
    def _stop_ignored(self) -> None:
        if self.running:
            self.hung.emit(self.tr("The engine does not stop; restart it, the text so far is kept."))

    def restart_engine(self) -> None:
        """Ends a hung engine and begins a new one; what was running counts as failed."""
        if self.running:
            self._end_open_runs(self.tr("The engine was restarted; the text so far is kept."))
            self._set_running(False)
        self.link.restart()

    def _end_open_runs(self, sentence: str | None) -> None:
        """Arms that the engine can't end any more are ended here, so that session and trace say what happened."""
        last = self.session.last
        batch: list[Event] = []
        for name, run in last.runs.items() if last else ():
            if run.ended:
                continue
            t_s = run.rounds[-1].t_s if run.rounds else run.started.t_s
            if sentence is None:
                event: Failed | Finished = Finished(
                    arm=name, turn=run.started.turn, t_s=t_s, reason="cancelled", output_tokens=len(run.ids)
                )
            else:
                event = Failed(arm=name, turn=run.started.turn, t_s=t_s, message=sentence)
            self.session.apply(event)
            self.recorder.write(event, self.link.hello)
            batch.append(event)
        if batch:
            self.events.emit(batch)

    def _set_has_models(self, on: bool) -> None:
        if on is not self.has_models:
            self.has_models = on
            self.has_models_changed.emit(on)

    def _set_running(self, on: bool) -> None:
        self._patience.stop()
        if on is not self.running:
            self.running = on
            self.running_changed.emit(on)
