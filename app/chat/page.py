"""The chat page: panes, heatmap, memory, verdict and composer, all of them views of one ``Session``.

The page is given events in batches, after the session has taken them in, and passes them to its views: text at once,
numbers and verdict at most ten times a second. What a person asks for leaves it as signals.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QByteArray, QEvent, QPoint, Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import QFrame, QScrollArea, QSplitter, QVBoxLayout, QWidget

from app.chat import wording
from app.chat.banner import Banner
from app.chat.composer import Composer
from app.chat.news import News
from app.chat.note import Note
from app.chat.pane import Pane
from app.chat.panes import GAP_PX, Panes
from app.chat.verdict_line import VerdictLine
from app.chat.welcome import Welcome
from app.drafters.schemes import Scheme, scheme_at_work, scheme_of_name, tells_scheme
from app.gauges.panel import MemoryPanel
from app.heatmap.panel import HeatmapPanel
from app.session import Exchange, Session
from app.settings.arms import same_sampling
from app.style import set_role
from app.theme import Theme
from app.verdicts import of_session, worst
from engine.trace.events import Arm, Event, Failed, Finished, MemorySample, Prefill, Round, Started
from engine.trace.judge import Judge

NUMBERS_MS = 100
ROUNDS_PX = 220
"""Height below which the heatmap would show too few rounds."""


class ChatPage(QWidget):
    settings_wanted = Signal(str)
    pane_menu_wanted = Signal(str, QPoint)
    retry_wanted = Signal()
    again_wanted = Signal()
    """The last prompt, with the settings of now in place of those it ran with."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.session = Session()
        self._verdicts = Judge()
        self._dirty = False
        self._syncing = False
        self._legend_on = True
        self._schemes: dict[str, Scheme] = {}
        """As the heatmap names them, by arm."""
        self.arms: tuple[Arm, ...] = ()
        self.chosen = ""
        self.banner = Banner()
        self.welcome = Welcome(theme)
        self.note = Note(theme)
        self.panes = Panes(theme)
        self.panes.created.connect(self._connect_pane)
        self.news = News(self.panes, self)
        self.news.settings_wanted.connect(self.settings_wanted)
        self.news.retry_wanted.connect(self.retry_wanted)
        self.heatmap, self.memory = HeatmapPanel(), MemoryPanel()
        self.verdict = VerdictLine(theme)
        self.composer = Composer(theme)
        self._build()
        self.heatmap.selectionChanged.connect(self._select_tokens)
        self.heatmap.cellActivated.connect(self._select_tokens)
        self.verdict.clicked.connect(self.go_to_difference)
        self._numbers = QTimer(self)
        self._numbers.setInterval(NUMBERS_MS)
        self._numbers.timeout.connect(self._refresh)
        self.set_theme(theme, 13)

    def _build(self) -> None:
        set_role(self, "page")
        self.side = QSplitter(Qt.Orientation.Vertical)
        self.side.addWidget(self.heatmap)
        self.side.addWidget(self.memory)
        self.side.setStretchFactor(0, 1)
        self.side.setStretchFactor(1, 0)
        self.splitter = QSplitter(Qt.Orientation.Horizontal)
        self.splitter.addWidget(self.panes)
        # A column that is too low for both panels scrolls; neither of them is cut.
        self.side_scroll = QScrollArea()
        self.side_scroll.setWidgetResizable(True)
        self.side_scroll.setFrameShape(QFrame.Shape.NoFrame)
        self.side_scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.side_scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.side_scroll.setMinimumWidth(280)
        self.side_scroll.setWidget(self.side)
        self.splitter.addWidget(self.side_scroll)
        self.splitter.setStretchFactor(0, 1)
        self.splitter.setStretchFactor(1, 0)
        self.splitter.setSizes([900, 336])
        for splitter in (self.side, self.splitter):
            splitter.setHandleWidth(GAP_PX)
            splitter.setChildrenCollapsible(False)
        foot = QFrame()
        set_role(foot, "card")
        inner = QVBoxLayout(foot)
        inner.setContentsMargins(14, 10, 14, 12)
        inner.setSpacing(8)
        inner.addWidget(self.verdict)
        inner.addWidget(self.composer)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 14, 16, 14)
        column.setSpacing(GAP_PX)
        column.addWidget(self.banner)
        column.addWidget(self.welcome)
        column.addWidget(self.note)
        column.addWidget(self.splitter, 1)
        column.addWidget(foot)

    # --- appearance

    def set_theme(self, theme: Theme, size_px: int) -> None:
        self._theme = theme
        self.panes.set_theme(theme, size_px)
        self.heatmap.set_theme(theme)
        self.heatmap.setMinimumHeight(round(ROUNDS_PX * size_px / 13))
        self.memory.set_theme(theme)
        self.verdict.legend.set_theme(theme)
        self.composer.set_theme(theme)
        self.welcome.set_theme(theme)
        self.note.set_theme(theme)

    def show_legend(self, on: bool) -> None:
        """Marks under the tokens, and what they mean."""
        self._legend_on = on
        self.verdict.legend.setVisible(on)
        self.heatmap.show_legend(on)
        for pane in self.panes:
            pane.transcript.show_origins(on)

    def show_side(self, rounds: bool, memory: bool) -> None:
        self.heatmap.setVisible(rounds)
        self.memory.setVisible(memory)
        self.side_scroll.setVisible(rounds or memory)

    def layout_state(self) -> tuple[QByteArray, QByteArray, QByteArray]:
        return self.splitter.saveState(), self.side.saveState(), self.panes.splitter.saveState()

    def restore_layout(self, page: QByteArray | None, side: QByteArray | None, panes: QByteArray | None) -> None:
        for splitter, state in ((self.splitter, page), (self.side, side), (self.panes.splitter, panes)):
            if state is not None:
                splitter.restoreState(state)

    # --- arms

    def set_arms(self, arms: tuple[Arm, ...]) -> None:
        names = {arm.name for arm in arms}
        same_names = names == {arm.name for arm in self.arms}
        if arms != self.arms:
            self.news.arms_changed()
        self.arms = arms
        for pane in self.panes.set_arms(arms):
            pane.transcript.show_origins(self._legend_on)
            if self.session.exchanges:
                pane.rebuild(self.session)
        if not same_names:
            self._fill_heatmap()
        self.composer.set_panes(len(arms))
        self.retranslate()
        if self.chosen not in names:
            self._choose(next((arm.name for arm in arms if arm.drafter != "none"), arms[0].name))
        self._dirty = True
        self._refresh()

    def retranslate(self) -> None:
        for exchange in self.session.exchanges:
            for name, run in exchange.runs.items():
                if self.panes.pane(name) is not None:
                    self._announce(run.started, self._schemes.get(name, Scheme.UNKNOWN))
        if self.arms:
            self.verdict.summary.setText(wording.sampling_summary(self.arms, same_sampling(self.arms)))
        self._dirty = True
        self._refresh()

    @Slot(object)
    def _connect_pane(self, pane: Pane) -> None:
        pane.settings_wanted.connect(lambda: self.settings_wanted.emit(pane.arm.name))
        pane.menu_wanted.connect(lambda point: self.pane_menu_wanted.emit(pane.arm.name, point))
        pane.again_wanted.connect(self.again_wanted)
        pane.chosen.connect(lambda: self._choose(pane.arm.name))
        pane.transcript.token_activated.connect(
            lambda turn, index, column: self._select_cell(pane.arm.name, turn, index, column)
        )

    def _choose(self, name: str) -> None:
        self.chosen = name
        for pane in self.panes:
            pane.set_chosen(pane.arm.name == name and len(self.panes) > 2)
        self.heatmap.show_arm(name)

    # --- the session

    def show_session(self, session: Session) -> None:
        """Shows a whole conversation at once."""
        self.session = session
        self._verdicts = of_session(session)
        self.memory.clear()
        self._fill_heatmap()
        for sample in session.memories:
            self.memory.add_sample(sample)
        for pane in self.panes:
            pane.wipe()
            if session.exchanges:
                pane.rebuild(session)
                answer = session.exchanges[-1].runs.get(pane.arm.name)
                if answer is not None and answer.failed is not None:
                    pane.notice.show_error(answer.failed.message)
        self._dirty = True
        self._refresh()

    def _fill_heatmap(self) -> None:
        """The rounds of the arms that have a pane."""
        self.heatmap.clear()
        for exchange in self.session.exchanges:
            for name, run in exchange.runs.items():
                if self.panes.pane(name) is not None:
                    self._announce(run.started)
                    self._name_schemes(run.rounds)
                    self.heatmap.add_rounds(run.rounds)

    def begin(self, exchange: Exchange) -> None:
        """A prompt was sent: it stands in every pane before the engine has said a word."""
        self.news.begin()
        for pane in self.panes:
            pane.notice.clear()
            pane.begin(self.session, exchange)
            pane.transcript.set_generating(True)
        self._dirty = True
        self._refresh()

    def set_running(self, on: bool) -> None:
        self.composer.set_running(on)
        if on:
            self._numbers.start()
            return
        self._numbers.stop()
        for pane in self.panes:
            pane.transcript.set_generating(False)
            pane.notice.finish()
        self._dirty = True
        self._refresh()

    def apply(self, events: Sequence[Event]) -> None:
        """Shows events that the session has taken in already."""
        rounds: list[Round] = []
        by_arm: dict[str, list[Round]] = {}
        for event in events:
            if isinstance(event, Round):
                rounds.append(event)
                by_arm.setdefault(event.arm, []).append(event)
            elif isinstance(event, MemorySample):
                self.memory.add_sample(event)
            elif isinstance(event, (Started, Prefill, Finished, Failed)):
                pane = self.panes.pane(event.arm)
                if pane is not None:
                    pane.add_rounds(by_arm.pop(event.arm, []))
                    self._show_event(pane, event)
            self._verdicts.add(event)
        for name, items in by_arm.items():
            pane = self.panes.pane(name)
            if pane is not None:
                pane.notice.finish()
                pane.add_rounds(items)
        if rounds:
            self._name_schemes(rounds)
            self.heatmap.add_rounds(rounds)
        self._dirty = True
        if not self._numbers.isActive():
            self._refresh()

    def _show_event(self, pane: Pane, event: Started | Prefill | Finished | Failed) -> None:
        if isinstance(event, Started):
            self._announce(event)
            exchange = self.session.exchange(event.turn)
            if exchange is not None and not pane.has_begun(event.turn):
                pane.begin(self.session, exchange)
            pane.transcript.set_generating(True)
            pane.notice.finish()
        elif isinstance(event, Prefill):
            self.news.show_prefill(pane, event)
        else:
            ended = self.session.run(event.arm, event.turn)
            if ended is not None and isinstance(event, Finished):
                pane.end(ended)
                pane.notice.finish()
            if isinstance(event, Failed):
                self.news.show_failure(pane, event)
            pane.transcript.set_generating(False)

    def _announce(self, event: Started, source: str = "") -> None:
        scheme = self._schemes[event.arm] = scheme_at_work(event.spec, event.drafter, source)
        self.heatmap.set_arm(
            event.arm, event.columns, wording.settings_summary(event.spec, scheme), wording.arm_title(event.arm)
        )
        if event.arm == self.chosen:
            self.heatmap.show_arm(event.arm)
        pane = self.panes.pane(event.arm)
        if pane is not None and pane.arm == event.spec:
            pane.set_scheme(scheme)

    def _name_schemes(self, rounds: Sequence[Round]) -> None:
        """A round says who drafted it, which is surer than what the drafter's files say."""
        for event in rounds:
            if event.source and event.source not in (Scheme.LOOKUP, self._schemes.get(event.arm)):
                run = self.session.run(event.arm, event.turn)
                if run is not None and scheme_of_name(event.source) and tells_scheme(run.started.spec, event.source):
                    self._announce(run.started, event.source)

    # --- numbers and verdict

    @Slot()
    def _refresh(self) -> None:
        if not self._dirty:
            return
        self._dirty = False
        last = self.session.last
        answers = sum(bool(exchange.runs) for exchange in self.session.exchanges)
        first, first_stale = None, False
        for number, pane in enumerate(self.panes):
            run = last.runs.get(pane.arm.name) if last else None
            metrics = run.tally.metrics() if run else None
            stale = run is not None and run.ended and run.started.spec != pane.arm
            pane.show_metrics(metrics, first, answers)
            pane.show_stale(stale, metrics is not None and (stale or first_stale))
            if number == 0:
                first, first_stale = metrics, stale
        self._show_verdict(last)

    def _show_verdict(self, last: Exchange | None) -> None:
        verdicts = self._verdicts.of_turn(last.turn) if last else {}
        found = worst(verdicts)
        if found is None:
            self.verdict.show_verdict(None)
        else:
            name = wording.arm_title(found[0]) if len(verdicts) > 1 else ""
            self.verdict.show_verdict(found[1], name)
        for pane in self.panes:
            verdict = verdicts.get(pane.arm.name)
            differs = verdict is not None and verdict.status in ("near-tie", "fail")
            pane.transcript.mark_difference(
                last.turn if last else 0,
                verdict.first_difference if verdict and differs else None,
                wording.verdict_sentence(verdict) if verdict else "",
            )

    @Slot()
    def go_to_difference(self) -> None:
        """Scrolls all panes to the first token that differs, or to the newest."""
        last, verdict = self.session.last, self.verdict.verdict
        if last is None or verdict is None:
            return
        index = verdict.first_difference if verdict.first_difference is not None else max(0, verdict.tokens - 1)
        for pane in self.panes:
            pane.transcript.scroll_to(last.turn, index)

    # --- tokens and cells

    def _select_cell(self, arm: str, turn: int, index: int, column: int | None) -> None:
        self._syncing = True
        self._choose(arm)
        for pane in self.panes:
            if pane.arm.name != arm:
                pane.transcript.select_nothing()
        if self.heatmap.shown_arm == arm:
            self.heatmap.select(index, None if column is None else column + 1, turn)
        self._syncing = False

    @Slot(int, int)
    def _select_tokens(self, index: int, position: int) -> None:
        if self._syncing:
            return
        item = self.heatmap.current_round()
        for pane in self.panes:
            if item is not None and index >= 0 and pane.arm.name == self.heatmap.shown_arm:
                pane.transcript.select_round(item.turn, index, position - 1 if position else None)
            else:
                pane.transcript.select_nothing()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)
