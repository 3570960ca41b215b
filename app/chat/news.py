"""News of the engine in the panes: models that load, a request that is refused, a pair that was checked.

Each stands in the pane it concerns, or in the first where it concerns all. The sentences are kept as what they mean, so
that they change with the language.
"""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal, Slot

from app.chat import wording
from app.chat.notice import Action
from app.chat.pane import Pane
from app.chat.panes import Panes
from app.drafters.schemes import scheme_at_work
from app.gauges.wording import needs
from app.said import Said
from engine.process.protocol import Checked, Estimate, Loading, Opened
from engine.trace.events import Failed, Prefill


class News(QObject):
    settings_wanted = Signal(str)
    retry_wanted = Signal()
    anyway_wanted = Signal()
    """Load what there is too little memory for."""

    def __init__(self, panes: Panes, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._panes = panes
        self._refused: set[str] = set()
        """Arms whose pane says that they, or what was asked of them, can't be."""
        self._estimate: Estimate | None = None

    def arms_changed(self) -> None:
        """What was refused of the arms as they were is no longer true of them."""
        for name in self._refused:
            pane = self._panes.pane(name)
            if pane is not None:
                pane.notice.clear()
        self._refused.clear()

    def begin(self) -> None:
        self._refused.clear()

    def set_estimate(self, estimate: Estimate | None) -> None:
        """What the models that load from now on take in memory; None where nothing is to be loaded any more."""
        self._estimate = estimate

    @Slot(object)
    def show_loading(self, loading: Loading) -> None:
        """Sign of life while models are fetched or loaded."""
        estimate = self._estimate

        def text() -> str:
            said = [self.tr("Loading {what}").format(what=loading.what)]
            if loading.total:
                said.append(f"{loading.done * 100 // loading.total} %")
            if estimate is not None:
                said.append(needs(estimate))
            return " · ".join(said)

        for pane in self._panes:
            if not pane.notice.is_error:
                pane.notice.show_progress(text, loading.done, loading.total)

    def show_waiting(self, text: Said) -> None:
        for pane in self._panes:
            pane.notice.show_progress(text, 0, 0)

    def show_prefill(self, pane: Pane, event: Prefill) -> None:
        """How far the reading of a prompt is, and how long it may still take."""
        if event.processed_tokens >= event.total_tokens:
            pane.notice.finish()
            return

        def text() -> str:
            left = wording.time_left(event.processed_tokens, event.total_tokens, event.prefill_s)
            said = self.tr("Reading the prompt: {done} of {total} tokens").format(
                done=event.processed_tokens, total=event.total_tokens
            )
            return f"{said} · {left}" if left else said

        pane.notice.show_progress(text, event.processed_tokens, event.total_tokens)

    def show_failure(self, pane: Pane, event: Failed) -> None:
        pane.notice.show_error(event.message, *self._helpers(event.arm))

    @Slot(str, str)
    def show_refusal(self, sentence: str, arm: str) -> None:
        """A request can't be carried out; without an arm's name it concerns all panes and is said in the first."""
        pane = self._panes.pane(arm) or self._panes.first
        self._refused.add(pane.arm.name)
        pane.notice.show_error(sentence, *self._helpers(pane.arm.name))

    def show_problem(self, sentence: str, *actions: Action) -> None:
        """Something happened to the engine; what the panes show stays."""
        for pane in self._panes:
            pane.transcript.set_generating(False)
            pane.notice.finish()
        self._panes.first.notice.show_error(sentence, *actions)

    @Slot(object)
    def show_opened(self, opened: Opened) -> None:
        """The models are there: their panes say which scheme the drafters are of."""
        for pane in self._panes:
            pane.notice.finish()
            if pane.arm.name in self._refused:
                pane.notice.clear()
            pane.set_scheme(scheme_at_work(pane.arm, opened.drafters.get(pane.arm.name)))
        self._refused.clear()

    @Slot(object)
    def show_check(self, checked: Checked) -> None:
        pane = self._panes.pane(checked.arm)
        if pane is not None:
            pane.show_check(checked.verdict, checked.message)

    @Slot(str, str)
    def show_open_refusal(self, sentence: str, arm: str) -> None:
        """Arms can't be opened: said before the first prompt, in the pane that it concerns."""
        self.finish()
        pane = self._panes.pane(arm) or self._panes.first
        self._refused.add(pane.arm.name)
        drafts = pane.arm.drafter != "none"
        name = pane.arm.name
        pane.notice.show_error(
            sentence,
            (
                lambda: self.tr("Choose Another Drafter") if drafts else self.tr("Settings…"),
                lambda: self.settings_wanted.emit(name),
            ),
        )

    @Slot(str, str)
    def show_too_large(self, sentence: str, arm: str) -> None:
        """There is too little memory; whoever knows better may load it all the same."""
        self.finish()
        pane = self._panes.pane(arm) or self._panes.first
        name = pane.arm.name
        self._refused.add(name)
        pane.notice.show_error(
            sentence,
            (lambda: self.tr("Load Anyway"), self.anyway_wanted.emit),
            (lambda: self.tr("Settings…"), lambda: self.settings_wanted.emit(name)),
        )

    def finish(self) -> None:
        """Progress ends everywhere; errors stay."""
        for pane in self._panes:
            pane.notice.finish()

    def clear(self) -> None:
        for pane in self._panes:
            pane.notice.clear()

    def _helpers(self, arm: str) -> tuple[Action, ...]:
        return (
            (lambda: self.tr("Retry"), self.retry_wanted.emit),
            (lambda: self.tr("Settings…"), lambda: self.settings_wanted.emit(arm)),
        )
