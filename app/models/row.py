"""One model or one pair as a card: what it is, whether it fits, and what can be done with it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from app import sentences
from app.models import wording
from app.models.fit_bar import FitBar
from app.style import set_role
from app.theme import Theme
from engine.process.shelf import Fit, KnownPair, OnDisk

FIT_PX = 200
BUTTONS_PX = 190
"""Room for two buttons, so that the bars of most rows stand below each other."""
Button = tuple[str, str, Callable[[], object]]
"""Text, tooltip, what it does."""


class Row(QFrame):
    def __init__(self, title: str, facts: str, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        set_role(self, "card")
        self.setAccessibleName(title)
        self._texts = (title, facts)
        self.title, self.facts = QLabel(), QLabel()
        set_role(self.title, "title")
        set_role(self.facts, "caption")
        for label, text in ((self.title, title), (self.facts, facts)):
            label.setMinimumWidth(60)
            label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
            label.setToolTip(text)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            label.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.bar: FitBar | None = None
        self.fit = QLabel()
        set_role(self.fit, "caption")
        self.note = QLabel()
        self.note.setWordWrap(True)
        self.note.hide()
        self.buttons: list[QPushButton] = []
        left = QVBoxLayout()
        left.setSpacing(2)
        left.addWidget(self.title)
        left.addWidget(self.facts)
        self._middle = QVBoxLayout()
        self._middle.setSpacing(4)
        right = QWidget()
        right.setMinimumWidth(BUTTONS_PX)
        self._right = QHBoxLayout(right)
        self._right.setContentsMargins(0, 0, 0, 0)
        self._right.setSpacing(4)
        self._right.addStretch(1)
        row = QHBoxLayout()
        row.setSpacing(16)
        row.addLayout(left, 1)
        row.addLayout(self._middle)
        row.addWidget(right)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 10, 10, 10)
        column.setSpacing(4)
        column.addLayout(row)
        column.addWidget(self.note)
        self._theme = theme

    def show_fit(self, fit: Fit) -> None:
        self.bar = FitBar(fit, self._theme)
        self.bar.setMinimumWidth(FIT_PX)
        self.fit.setText(wording.fit_line(fit))
        set_role(self.fit, "caption" if fit.verdict in ("fits", "unknown") else "warning")
        details = "\n".join([wording.fit_details(fit), *map(sentences.translated, fit.assumed)])
        for widget in (self.bar, self.fit):
            widget.setToolTip(details)
        self.bar.setAccessibleName(self.fit.text())
        self.bar.setAccessibleDescription(details)
        self._middle.addStretch(1)
        self._middle.addWidget(self.bar)
        self._middle.addWidget(self.fit)
        self._middle.addStretch(1)

    def show_note(self, text: str, warning: bool) -> None:
        self.note.setText(text)
        set_role(self.note, "warning" if warning else "caption")
        self.note.setVisible(bool(text))

    def add_buttons(self, *buttons: Button) -> None:
        for text, tip, call in buttons:
            button = QPushButton(text)
            button.setToolTip(tip)
            button.setAccessibleName(f"{text}: {self._texts[0]}")
            button.clicked.connect(lambda _=False, call=call: call())
            self._right.addWidget(button, 0, Qt.AlignmentFlag.AlignVCenter)
            self.buttons.append(button)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        if self.bar is not None:
            self.bar.set_theme(theme)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        for label, text in zip((self.title, self.facts), self._texts, strict=True):
            metrics = QFontMetrics(label.font())
            label.setText(metrics.elidedText(text, Qt.TextElideMode.ElideRight, label.width()))


def disk_row(item: OnDisk, theme: Theme) -> Row:
    row = Row(item.name, wording.facts(item), theme)
    row.title.setToolTip(f"{item.name}\n{item.path}")
    if item.fit is not None and item.state == "whole":
        row.show_fit(item.fit)
    row.show_note(sentences.translated(item.message), warning=item.state != "whole")
    return row


def pair_row(pair: KnownPair, theme: Theme) -> Row:
    row = Row(wording.pair_title(pair), wording.pair_facts(pair), theme)
    if pair.fit is not None:
        row.show_fit(pair.fit)
    row.show_note(wording.pair_missing(pair), warning=False)
    return row
