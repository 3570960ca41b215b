"""The plan of a job as a list: one line a stage with a mark, its name, and how far it is."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QSizePolicy, QWidget

from app.job_state import JobState, StageState, stage_state
from app.jobview import wording
from app.style import set_role
from app.theme import LIGHT, Theme

MARK_PX = 16


class StageMark(QWidget):
    """A ring while waiting, a dot at work, a tick when done, a square or a cross where it ended early."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme: Theme = LIGHT
        self.state: StageState = "waiting"
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(MARK_PX, MARK_PX)

    def show_state(self, state: StageState, theme: Theme) -> None:
        if (state, theme) != (self.state, self.theme):
            self.state, self.theme = state, theme
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        middle, theme = QPointF(MARK_PX / 2, MARK_PX / 2), self.theme
        colour = {"running": theme.accent, "done": theme.drafter, "failed": theme.warning, "stopped": theme.warning}
        pen = QPen(QColor(colour.get(self.state, theme.others)), 1.8)
        pen.setCapStyle(Qt.PenCapStyle.RoundCap)
        painter.setPen(pen)
        if self.state == "done":
            painter.drawPolyline([QPointF(3.5, 8.5), QPointF(6.8, 11.6), QPointF(12.5, 4.8)])
        elif self.state == "failed":
            painter.drawLine(QPointF(4.5, 4.5), QPointF(11.5, 11.5))
            painter.drawLine(QPointF(11.5, 4.5), QPointF(4.5, 11.5))
        elif self.state == "left out":
            painter.drawLine(QPointF(5, 8), QPointF(11, 8))
        elif self.state == "stopped":
            painter.setBrush(pen.color())
            painter.drawRect(QRectF(5, 5, 6, 6))
        else:
            if self.state == "running":
                painter.setBrush(pen.color())
            painter.drawEllipse(middle, 4, 4)


class PlanList(QWidget):
    def __init__(self, title_of: Callable[[str], str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._title_of = title_of
        self._theme: Theme = LIGHT
        self._rows: list[tuple[StageMark, QLabel, QLabel]] = []
        self._state: JobState | None = None
        self._badges: dict[str, str] = {}
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(8)
        self._grid.setVerticalSpacing(6)
        self._grid.setColumnStretch(1, 1)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.show_state(self._state, self._badges)

    def show_state(self, state: JobState | None, badges: dict[str, str]) -> None:
        """``badges``: by stage, the status of a result that is there already."""
        self._state, self._badges = state, badges
        stages = state.stages if state else []
        while len(self._rows) < len(stages):
            self._add()
        for number, (mark, name, note) in enumerate(self._rows):
            used = number < len(stages)
            for widget in (mark, name, note):
                widget.setVisible(used)
            if state is not None and used:
                self._show(state, stages[number], mark, name, note)

    def _show(self, state: JobState, stage: str, mark: StageMark, name: QLabel, note: QLabel) -> None:
        now = stage_state(state, stage)
        mark.show_state(now, self._theme)
        name.setText(self._title_of(stage))
        set_role(name, "" if now == "running" else "quiet" if now in ("waiting", "left out") else "")
        badge = self._badges.get(stage, "") if now != "running" else ""
        progress = state.progress.get(stage)
        if badge:
            note.setText(wording.status_word(badge))
        elif now == "running" and progress is not None and progress.total > 0:
            note.setText(f"{100 * min(1.0, progress.done / progress.total):.0f} %")
        else:
            note.setText(wording.stage_word(now))
        tone = wording.tone(badge)
        set_role(note, f"badge-{tone}" if tone else "caption")
        name.setAccessibleDescription(note.text())

    def _add(self) -> None:
        row = len(self._rows)
        mark, name, note = StageMark(self), QLabel(self), QLabel(self)
        self._grid.addWidget(mark, row, 0)
        self._grid.addWidget(name, row, 1)
        # A stretch before it, so that a badge is as wide as its word and follows it at once.
        last = QHBoxLayout()
        last.addStretch(1)
        last.addWidget(note)
        self._grid.addLayout(last, row, 2)
        self._rows.append((mark, name, note))

    def texts(self) -> list[tuple[str, str]]:
        """What is shown: name and note of every stage."""
        count = len(self._state.stages) if self._state else 0
        return [(name.text(), note.text()) for _, name, note in self._rows[:count]]
