"""The drafters made here, each with the button that puts it to work in the chat, and before them the training that was
stopped, to go on with.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from app.drafters.own import OwnDrafter, names_of
from app.drafters.wording import scheme_title
from app.style import set_role
from app.train.wording import scheme_choice
from app.train.words import TrainPlan


class DrafterShelf(QFrame):
    use_wanted = Signal(object)
    folder_wanted = Signal(object)
    """A ``Path``."""
    go_on_wanted = Signal(object)
    """The ``TrainPlan`` of work that was stopped."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        set_role(self, "card")
        self._drafters: list[OwnDrafter] = []
        self._stopped: list[TrainPlan] = []
        self._can_use = self._can_start = True
        self.heading, self.empty = QLabel(), QLabel()
        set_role(self.heading, "title")
        set_role(self.empty, "quiet")
        self.empty.setWordWrap(True)
        self.use_buttons: list[QPushButton] = []
        self.go_on_buttons: list[QPushButton] = []
        self._inside = QWidget()
        self._grid = QGridLayout(self._inside)
        self._grid.setContentsMargins(0, 0, 8, 0)
        self._grid.setHorizontalSpacing(8)
        self._grid.setVerticalSpacing(8)
        self._grid.setColumnStretch(0, 1)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidget(self._inside)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 12, 8, 12)
        column.setSpacing(8)
        column.addWidget(self.heading)
        column.addWidget(self.empty)
        column.addWidget(scroll, 1)
        self.retranslate()

    def show_drafters(self, drafters: list[OwnDrafter], stopped: list[TrainPlan]) -> None:
        while self._grid.count():
            item = self._grid.takeAt(0)
            if item is not None and item.widget() is not None:
                item.widget().hide()
                item.widget().deleteLater()
        for row in range(self._grid.rowCount()):
            self._grid.setRowStretch(row, 0)
        self._drafters, self.use_buttons = drafters, []
        self._stopped, self.go_on_buttons = stopped, []
        for row, plan in enumerate(stopped):
            self._add_stopped(row, plan)
        for row, (name, drafter) in enumerate(zip(names_of(drafters), drafters, strict=True), start=len(stopped)):
            self._add_drafter(row, name, drafter)
        self._grid.setRowStretch(len(stopped) + len(drafters), 1)
        self.empty.setVisible(not drafters and not stopped)
        self.set_can_use(self._can_use)
        self.set_can_start(self._can_start)

    def set_can_use(self, on: bool) -> None:
        self._can_use = on
        for button in self.use_buttons:
            button.setEnabled(on)

    def set_can_start(self, on: bool) -> None:
        self._can_start = on
        for button in self.go_on_buttons:
            button.setEnabled(on)

    def _add_drafter(self, row: int, name: str, drafter: OwnDrafter) -> None:
        made_for = scheme_title(drafter.scheme)
        if drafter.target:
            made_for += " · " + self.tr("for {model}").format(model=drafter.target)
        use = QPushButton(self.tr("Use in Chat"))
        use.setAccessibleName(self.tr("Use {name} in the chat").format(name=name))
        self._add(row, drafter.folder, name, made_for, use, lambda: self.use_wanted.emit(drafter))
        self.use_buttons.append(use)

    def _add_stopped(self, row: int, plan: TrainPlan) -> None:
        name = Path(plan.out).name
        note = f"{scheme_choice(plan.scheme)} · " + self.tr("training was stopped, what is done is kept")
        go_on = QPushButton(self.tr("Go On Training"))
        go_on.setAccessibleName(self.tr("Go on training {name}").format(name=name))
        self._add(row, plan.work, name, note, go_on, lambda: self.go_on_wanted.emit(plan))
        self.go_on_buttons.append(go_on)

    def _add(self, row: int, folder: Path, name: str, said: str, act: QPushButton, call: Callable[[], object]) -> None:
        heading, note, show = QLabel(name), QLabel(said), QPushButton(self.tr("Show in Folder"))
        set_role(note, "caption")
        for label in (heading, note):
            label.setMinimumWidth(40)
            label.setToolTip(f"{said}\n{folder}")
        show.setAccessibleName(self.tr("Show {name} in its folder").format(name=name))
        set_role(show, "plain")
        act.clicked.connect(call)
        show.clicked.connect(lambda: self.folder_wanted.emit(folder))
        holder = QWidget()
        text = QVBoxLayout(holder)
        text.setSpacing(0)
        text.setContentsMargins(0, 0, 0, 0)
        text.addWidget(heading)
        text.addWidget(note)
        self._grid.addWidget(holder, row, 0)
        self._grid.addWidget(show, row, 1)
        self._grid.addWidget(act, row, 2)

    def retranslate(self) -> None:
        self.heading.setText(self.tr("Drafters made here"))
        self.empty.setText(self.tr("A drafter that was trained stands here, and in the drafter menu of every pane."))
        self.show_drafters(self._drafters, self._stopped)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)
