"""The Train page. On the left what to train, or the job at work; on the right how it learns, and the drafters made."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QScrollArea, QStackedWidget, QVBoxLayout, QWidget

from app.job_state import JobState
from app.jobview.curves import CurvePlot
from app.jobview.panel import JobPanel
from app.page import Page
from app.style import set_role
from app.theme import Theme
from app.train.setup import TrainSetup
from app.train.shelf import DrafterShelf
from app.train.wording import stage_title
from app.train.words import HELD_OUT, LOSS

LEFT_PX = 312
SHELF_PX = 168


class PlotCard(QFrame):
    """One curve under its name, or what will stand here."""

    def __init__(self, series: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        set_role(self, "card")
        self.series = series
        self.heading, self.value, self.empty, self.plot = QLabel(), QLabel(), QLabel(), CurvePlot()
        set_role(self.heading, "title")
        set_role(self.value, "quiet")
        set_role(self.empty, "quiet")
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.empty.setWordWrap(True)
        head = QHBoxLayout()
        head.addWidget(self.heading)
        head.addStretch(1)
        head.addWidget(self.value)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 10, 16, 10)
        column.setSpacing(6)
        column.addLayout(head)
        column.addWidget(self.plot, 1)
        column.addWidget(self.empty, 1)

    def show_state(self, state: JobState) -> None:
        curve = state.curves.get(self.series)
        self.plot.setVisible(curve is not None)
        self.empty.setVisible(curve is None)
        self.plot.show_curves({self.series: curve} if curve is not None else {})
        self.value.setText(f"{curve.y[-1]:.3g}" if curve is not None else "")


class TrainPage(Page):
    came = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        set_role(self, "page")
        self.title, self.note = QLabel(), QLabel()
        set_role(self.title, "heading")
        set_role(self.note, "quiet")
        self.note.setMinimumWidth(40)
        self.setup, self.panel, self.shelf = TrainSetup(), JobPanel(stage_title), DrafterShelf()
        self.loss, self.held_out = PlotCard(LOSS), PlotCard(HELD_OUT)
        self._state = JobState()
        self.left = QStackedWidget()
        at_work = QWidget()
        column = QVBoxLayout(at_work)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.panel)
        column.addStretch(1)
        self.left.addWidget(scrolled(self.setup))
        self.left.addWidget(at_work)
        plots = QHBoxLayout()
        plots.setSpacing(12)
        plots.addWidget(self.held_out, 1)
        plots.addWidget(self.loss, 1)
        right = QVBoxLayout()
        right.setSpacing(12)
        right.addLayout(plots, 1)
        right.addWidget(self.shelf)
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self.title)
        head.addSpacing(8)
        head.addWidget(self.note, 1)
        body = QHBoxLayout()
        body.setSpacing(12)
        body.addWidget(self.left)
        body.addLayout(right, 1)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(16, 14, 16, 14)
        whole.setSpacing(12)
        whole.addLayout(head)
        whole.addLayout(body, 1)
        self.left.setFixedWidth(LEFT_PX)
        self.shelf.setFixedHeight(SHELF_PX)
        self.retranslate()
        self.show_state(self._state)

    def show_state(self, state: JobState) -> None:
        self._state = state
        for card in (self.loss, self.held_out):
            card.show_state(state)

    def show_setup(self, on: bool) -> None:
        self.left.setCurrentIndex(0 if on else 1)

    def set_theme(self, theme: Theme, size_px: int) -> None:
        scale = max(1.0, size_px / 13)
        self.left.setFixedWidth(round(LEFT_PX * scale))
        self.shelf.setFixedHeight(round(SHELF_PX * scale))
        self.panel.set_theme(theme)
        for card in (self.loss, self.held_out):
            card.plot.set_theme(theme, size_px)

    def shown(self) -> None:
        self.came.emit()
        (self.setup.scheme if self.left.currentIndex() == 0 else self.panel.stop).setFocus()

    def retranslate(self) -> None:
        self.title.setText(self.tr("Train"))
        self.note.setText(self.tr("Make a drafter for this very model, from text the model writes itself."))
        self.note.setToolTip(self.note.text())
        self.panel.set_stop_text(self.tr("Stop and Keep"))
        self.loss.heading.setText(self.tr("Training loss"))
        self.loss.empty.setText(self.tr("How far off the drafter still is, step by step."))
        self.held_out.heading.setText(self.tr("Held-out tokens per forward"))
        self.held_out.heading.setToolTip(
            self.tr("On text it never learnt from: how many tokens each run of the model yields, the bonus included")
        )
        self.held_out.empty.setText(self.tr("What the drafter is worth: above 1 each run of the model yields more."))
        for card in (self.loss, self.held_out):
            card.plot.setAccessibleName(card.heading.text())

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)


def scrolled(widget: QWidget) -> QScrollArea:
    scroll = QScrollArea()
    scroll.setWidgetResizable(True)
    scroll.setFrameShape(QFrame.Shape.NoFrame)
    scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    scroll.setWidget(widget)
    return scroll
