"""What a job has measured so far: its tables above, its curves below. The newest is shown until a person chooses."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QComboBox, QFrame, QHBoxLayout, QLabel, QSplitter, QVBoxLayout, QWidget

from app.job_state import JobState, Table
from app.jobview.curves import CurvePlot, groups
from app.jobview.matrix import Matrix
from app.jobview.words import word
from app.style import set_role
from app.theme import Theme

LEAST_PX = 150


def title_of(name: str) -> str:
    """Of a table or a plot; a plot's name holds both axes."""
    return " / ".join(map(word, name.split(" / ")))


class Chooser(QFrame):
    """A card whose title says what is shown and offers the others."""

    def __init__(self, body: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        set_role(self, "card")
        self.body = body
        self.picked = ""
        """What a person chose; empty while the newest is followed."""
        self.choice, self.empty = QComboBox(), QLabel()
        self.empty.setWordWrap(True)
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        set_role(self.empty, "quiet")
        self.choice.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.choice.setMinimumWidth(120)
        self.choice.activated.connect(lambda _: self.pick(str(self.choice.currentData())))
        head = QHBoxLayout()
        head.addWidget(self.choice)
        head.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 10, 12, 10)
        column.setSpacing(6)
        column.addLayout(head)
        column.addWidget(body, 1)
        column.addWidget(self.empty, 1)

    def pick(self, name: str) -> None:
        self.picked = name

    def offer(self, names: list[str]) -> str:
        """Fills the choice; gives what is to be shown, nothing where there is nothing."""
        if [self.choice.itemData(n) for n in range(self.choice.count())] != names:
            self.choice.clear()
            for name in names:
                self.choice.addItem("", name)
        for number, name in enumerate(names):
            self.choice.setItemText(number, title_of(name))
        shown = self.picked if self.picked in names else names[-1] if names else ""
        self.choice.setCurrentIndex(names.index(shown) if shown else -1)
        self.choice.setVisible(bool(names))
        self.body.setVisible(bool(names))
        self.empty.setVisible(not names)
        return shown


class Results(QWidget):
    traces_wanted = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = JobState()
        self._divided = False
        """A person has moved the divider."""
        self.matrix, self.plot = Matrix(), CurvePlot()
        self.tables, self.curves = Chooser(self.matrix), Chooser(self.plot)
        self.matrix.traces_wanted.connect(self.traces_wanted)
        for chooser in (self.tables, self.curves):
            chooser.choice.activated.connect(lambda _: self.show_state(self._state))
        self.splitter = QSplitter(Qt.Orientation.Vertical)
        self.splitter.addWidget(self.tables)
        self.splitter.addWidget(self.curves)
        self.splitter.setChildrenCollapsible(False)
        self.splitter.setHandleWidth(12)
        self.splitter.splitterMoved.connect(self._moved)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.splitter)
        self.retranslate()

    def set_theme(self, theme: Theme, size_px: int) -> None:
        self.matrix.set_theme(theme)
        self.plot.set_theme(theme, size_px)

    def show_state(self, state: JobState) -> None:
        if state is not self._state:
            self._state = state
            self.tables.picked = self.curves.picked = ""
        shown = self.tables.offer(list(state.tables))
        self.matrix.show_table(state.tables[shown] if shown else Table())
        plots = groups(state.curves)
        shown = self.curves.offer(list(plots))
        self.plot.show_curves(plots[shown] if shown else {})
        self._divide()

    def _moved(self) -> None:
        self._divided = True

    def _divide(self) -> None:
        """A small table leaves its room to the curves, until a person moves the divider."""
        room = self.splitter.height() - self.splitter.handleWidth()
        if self._divided or room < 2 * LEAST_PX:
            return
        needed = self.tables.sizeHint().height() - self.matrix.sizeHint().height() + self.matrix.needed_px()
        wanted = max(LEAST_PX, min(room * 3 // 5 if self._state.curves else room, needed))
        if not self._state.tables:
            wanted = room // 3
        self.splitter.setSizes([wanted, room - wanted])

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._divide()

    def retranslate(self) -> None:
        self.tables.choice.setAccessibleName(self.tr("Table shown"))
        self.curves.choice.setAccessibleName(self.tr("Curves shown"))
        self.matrix.setAccessibleName(self.tr("What was measured"))
        self.plot.setAccessibleName(self.tr("Curves"))
        self.tables.empty.setText(self.tr("Each cell appears here as soon as it is measured, with its interval."))
        self.curves.empty.setText(self.tr("Curves are drawn here while the work goes on."))

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
            self.show_state(self._state)
        super().changeEvent(event)
