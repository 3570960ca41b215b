"""The Lab page. On the left the plan, or the job at work; on the right what is measured, or the former runs."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.jobview.panel import JobPanel
from app.jobview.results import Results
from app.lab.runs_view import RunsView
from app.lab.setup import LabSetup
from app.lab.wording import lab_title
from app.page import Page
from app.style import set_role
from app.theme import Theme

LEFT_PX = 312


class LabPage(Page):
    came = Signal()
    """It was brought to the front."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        set_role(self, "page")
        self.title, self.note = QLabel(), QLabel()
        set_role(self.title, "heading")
        set_role(self.note, "quiet")
        self.note.setMinimumWidth(40)
        self.setup, self.panel = LabSetup(), JobPanel(lab_title)
        self.results, self.runs = Results(), RunsView()
        self.left, self.right = QStackedWidget(), QStackedWidget()
        at_work = QWidget()
        column = QVBoxLayout(at_work)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.panel)
        column.addStretch(1)
        self.left.addWidget(self.setup)
        self.left.addWidget(at_work)
        self.right.addWidget(self.results)
        self.right.addWidget(self.runs)
        self.segments = (QPushButton(), QPushButton())
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self.title)
        head.addSpacing(8)
        head.addWidget(self.note, 1)
        head.addWidget(self._track())
        body = QHBoxLayout()
        body.setSpacing(12)
        body.addWidget(self.left)
        body.addWidget(self.right, 1)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(16, 14, 16, 14)
        whole.setSpacing(12)
        whole.addLayout(head)
        whole.addLayout(body, 1)
        self.left.setFixedWidth(LEFT_PX)
        self.show_right(self.runs)
        self.retranslate()

    def _track(self) -> QFrame:
        track = QFrame()
        set_role(track, "track")
        row = QHBoxLayout(track)
        row.setContentsMargins(2, 2, 2, 2)
        row.setSpacing(2)
        group = QButtonGroup(self)
        for button, widget in zip(self.segments, (self.results, self.runs), strict=True):
            button.setCheckable(True)
            set_role(button, "segment")
            group.addButton(button)
            button.clicked.connect(lambda _=False, widget=widget: self.show_right(widget))
            row.addWidget(button)
        return track

    def show_right(self, widget: QWidget) -> None:
        self.right.setCurrentWidget(widget)
        self.segments[self.right.currentIndex()].setChecked(True)

    def show_setup(self, on: bool) -> None:
        self.left.setCurrentIndex(0 if on else 1)

    def set_theme(self, theme: Theme, size_px: int) -> None:
        self.left.setFixedWidth(round(LEFT_PX * max(1.0, size_px / 13)))
        self.panel.set_theme(theme)
        self.results.set_theme(theme, size_px)

    def shown(self) -> None:
        self.came.emit()
        (self.setup.start if self.left.currentIndex() == 0 else self.panel.stop).setFocus()

    def retranslate(self) -> None:
        self.title.setText(self.tr("Lab"))
        self.note.setText(self.tr("Is it lossless, where does the gain come from, and when does it vanish?"))
        self.note.setToolTip(self.note.text())
        for button, text in zip(self.segments, (self.tr("Results"), self.tr("Former Runs")), strict=True):
            button.setText(text)
            button.setAccessibleName(text)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)
