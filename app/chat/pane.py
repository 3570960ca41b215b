"""One arm as a card: its name and settings, its numbers, what goes on in it, and its text.

A pane shows what it is given and asks for what a person wants by signals; it knows neither the engine nor the other
panes.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPoint, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QToolButton, QVBoxLayout, QWidget

from app.chat import wording
from app.chat.notice import LOW_PX, Action, Notice
from app.chat.numbers import Numbers
from app.chat.spans import Token
from app.chat.transcript import Transcript
from app.drafters.schemes import Scheme, choice_of, scheme_of
from app.icons import icon
from app.session import Exchange, Run, Session
from app.style import set_role
from app.theme import Theme
from engine.trace.events import Arm, Round
from engine.trace.metrics import Metrics

LEAST_PX = 200


class Pane(QFrame):
    settings_wanted = Signal()
    menu_wanted = Signal(QPoint)
    chosen = Signal()
    again_wanted = Signal()

    def __init__(self, arm: Arm, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.arm = arm
        self._theme = theme
        self._session: Session | None = None
        self._summary_text = ""
        self._scheme: Scheme | None = None
        self._begun: set[int] = set()
        set_role(self, "card")
        self.title = QLabel()
        set_role(self.title, "title")
        self.summary = QPushButton()
        set_role(self.summary, "plain")
        self.summary.setCursor(Qt.CursorShape.PointingHandCursor)
        self.summary.clicked.connect(self.settings_wanted)
        self.more = QToolButton()
        set_role(self.more, "plain")
        self.more.setIconSize(QSize(16, 16))
        self.more.clicked.connect(lambda: self.menu_wanted.emit(self.more.mapToGlobal(self.more.rect().bottomLeft())))
        self.numbers = Numbers(theme)
        self.numbers.again_wanted.connect(self.again_wanted)
        self.rule = QFrame()
        set_role(self.rule, "rule")
        self.notice = Notice(theme)
        self.check, self.alarm = Notice(theme), Notice(theme)
        self._alarm_text = ""
        self.empty = QLabel()
        set_role(self.empty, "quiet")
        self.empty.setWordWrap(True)
        self.empty.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.transcript = Transcript(theme)
        self.transcript.describe = self._describe
        # Less than it asks for by itself: what stands above it is not to be cut.
        self.transcript.setMinimumHeight(32)

        head = QHBoxLayout()
        head.setSpacing(2)
        head.addWidget(self.title)
        head.addStretch(1)
        head.addWidget(self.summary)
        head.addWidget(self.more)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 10, 12, 8)
        column.setSpacing(8)
        inner = QVBoxLayout()
        inner.setContentsMargins(0, 0, 4, 0)
        inner.setSpacing(10)
        inner.addWidget(self.numbers)
        inner.addWidget(self.rule)
        inner.addWidget(self.check)
        inner.addWidget(self.alarm)
        inner.addWidget(self.notice)
        inner.addWidget(self.empty)
        column.addLayout(head)
        column.addLayout(inner)
        column.addWidget(self.transcript, 1)
        self.setMinimumWidth(LEAST_PX)
        self.set_arm(arm)

    def set_arm(self, arm: Arm) -> None:
        if (arm.drafter, arm.target) != (self.arm.drafter, self.arm.target):
            self._scheme = None
            self.notice.clear()
            self.check.clear()
        self.arm = arm
        self.numbers.set_baseline(arm.drafter == "none")
        self.retranslate()

    def set_scheme(self, scheme: Scheme) -> None:
        """What the engine found the drafter to be."""
        if scheme is not self._scheme:
            self._scheme = scheme
            self.retranslate()

    def set_theme(self, theme: Theme, size_px: int) -> None:
        self._theme = theme
        self.numbers.set_theme(theme, size_px)
        for notice in (self.check, self.alarm, self.notice):
            notice.set_theme(theme)
        self.transcript.set_theme(theme, size_px + 1)
        self.more.setIcon(icon("more", theme.quiet))
        self._elide()
        if self._session is not None and len(self.transcript.spans):
            self.rebuild(self._session)

    def retranslate(self) -> None:
        title = wording.arm_title(self.arm.name)
        self.title.setText(title)
        self._summary_text = wording.settings_summary(self.arm, self._scheme)
        drafter = choice_of(self.arm.drafter).drafter
        lines = [f"{wording.target_title(self.arm.target)} · {self._summary_text}"]
        if scheme_of(drafter) not in (Scheme.NONE, Scheme.LOOKUP, Scheme.TABLE):
            lines.append(drafter)
        self.summary.setToolTip("\n".join([*lines, self.tr("Settings of this pane")]))
        self.summary.setAccessibleName(
            self.tr("Settings of {pane}: {summary}").format(pane=title, summary=self._summary_text)
        )
        self.more.setToolTip(self.tr("More for this pane"))
        self.more.setAccessibleName(self.tr("More for {pane}").format(pane=title))
        self.transcript.setAccessibleName(self.tr("Text of {pane}").format(pane=title))
        self.setAccessibleName(title)
        if self.arm.drafter == "none":
            self.empty.setText(
                self.tr(
                    "Ask something below. The model alone answers here, one token a forward. The other panes are "
                    "measured against it."
                )
            )
        else:
            self.empty.setText(
                self.tr(
                    "Here a drafter guesses ahead and the same model checks the guesses. Guesses that were kept lie "
                    "on a tint. Click a token to see its round."
                )
            )
        self._elide()

    # --- what it shows

    def wipe(self) -> None:
        self._session = None
        self._begun.clear()
        self.transcript.wipe()
        self.notice.clear()
        self.show_metrics(None, None)
        self.empty.show()
        self.transcript.set_generating(False)

    def rebuild(self, session: Session) -> None:
        """Writes the whole conversation anew."""
        self._session = session
        bar = self.transcript.verticalScrollBar()
        at_end, place = bar.value() >= bar.maximum() - 8, bar.value()
        self._begun.clear()
        self.transcript.wipe()
        for exchange in session.exchanges:
            self.begin(session, exchange)
            run = exchange.runs.get(self.arm.name)
            if run is not None:
                self.add_rounds(run.rounds)
                self.end(run)
        bar.setValue(bar.maximum() if at_end else place)

    def begin(self, session: Session, exchange: Exchange) -> None:
        self._session = session
        self._begun.add(exchange.turn)
        self.empty.hide()
        self.check.finish()
        first = bool(exchange.system) and exchange is session.exchanges[0]
        run = exchange.runs.get(self.arm.name)
        name = wording.speaker(run.started.spec.target if run else self.arm.target)
        self.transcript.begin_turn(
            exchange.turn,
            self.tr("You"),
            exchange.prompt,
            name,
            self.tr("System") if first else "",
            exchange.system if first else "",
        )

    def has_begun(self, turn: int) -> bool:
        return turn in self._begun

    def add_rounds(self, rounds: Sequence[Round]) -> None:
        if rounds:
            self.transcript.add_rounds(rounds)

    def end(self, run: Run) -> None:
        if run.finished is not None:
            self.transcript.add_text(run.finished.tail)

    def show_metrics(self, metrics: Metrics | None, first: Metrics | None, answers: int = 0) -> None:
        self.numbers.show_metrics(metrics, first, answers)
        self._fit_numbers()
        text = wording.alarm(metrics)
        if text == self._alarm_text:
            return
        self._alarm_text = text
        if not text:
            self.alarm.clear()
        elif metrics is not None and metrics.warnings:
            self.alarm.show_error(text, self._choose_another())
        else:
            self.alarm.show_error(text)

    def show_stale(self, own: bool, ratio: bool) -> None:
        """Whether the numbers, or the ratio alone, were made with other settings than those of now."""
        self.numbers.show_stale(own, ratio)

    def show_check(self, verdict: str, sentence: str) -> None:
        """Whether the drafter belongs to the target, as the engine found when it opened them."""
        if verdict in wording.QUIET_VERDICTS:
            if self.empty.isHidden():
                return
            self.check.show_note(lambda: wording.check_line(verdict), sentence)
        else:
            self.check.show_error(sentence, self._choose_another())

    def _choose_another(self) -> Action:
        return lambda: self.tr("Choose Another Drafter"), self.settings_wanted.emit

    def set_chosen(self, on: bool) -> None:
        if self.property("chosen") != on:
            self.setProperty("chosen", on)
            self.style().unpolish(self)
            self.style().polish(self)

    def _describe(self, token: Token) -> str:
        run = self._session.run(self.arm.name, token.turn) if self._session else None
        item = None
        if (
            run is not None
            and token.round_index < len(run.rounds)
            and run.rounds[token.round_index].index == token.round_index
        ):
            item = run.rounds[token.round_index]
        return wording.token_sentence(token, item)

    # --- events

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
            if self._session is not None and len(self._session.exchanges):
                self.rebuild(self._session)
        super().changeEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.chosen.emit()
        super().mousePressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._elide()
        self._fit_numbers()

    def _fit_numbers(self) -> None:
        """A low pane keeps its place for text and shows speed and ratio only, or what went wrong in place of them."""
        low = self.height() < LOW_PX
        self.numbers.set_compact(low)
        self.rule.setVisible(not low)
        self.numbers.setVisible(not (low and self.notice.is_error and not self.notice.isHidden()))

    def _elide(self) -> None:
        room = self.width() - self.title.sizeHint().width() - 84
        metrics = QFontMetrics(self.summary.font())
        self.summary.setText(metrics.elidedText(self._summary_text, Qt.TextElideMode.ElideRight, max(24, room)))
