"""The plan of a run before it begins: which panes, which labs, how thorough, and where to."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app.chat import wording as chat_wording
from app.lab import wording
from app.lab.words import LABS, PLANS, problem_of
from app.style import set_role
from engine.trace.events import Arm


class LabSetup(QFrame):
    changed = Signal()
    """A choice was made by a person."""
    start_wanted = Signal()
    folder_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        set_role(self, "card")
        self._all: tuple[Arm, ...] = ()
        self._folder = ""
        self._blocked = ""
        self.heading, self.model, self.problem = QLabel(), QLabel(), QLabel()
        self._captions = [QLabel() for _ in range(3)]
        set_role(self.heading, "title")
        for label in (self.model, *self._captions):
            set_role(label, "caption")
        self.arm_boxes: dict[str, QCheckBox] = {}
        self._arms = QVBoxLayout()
        self._arms.setSpacing(4)
        self.lab_boxes = {lab: QCheckBox() for lab in LABS}
        self._questions = {lab: QLabel() for lab in LABS}
        self.plans = {plan: QPushButton() for plan in PLANS}
        self.plan_note, self.where = QLabel(), QLabel()
        self.folder = QPushButton()
        self.folder.clicked.connect(self.folder_wanted)
        self.start = QPushButton()
        set_role(self.start, "primary")
        self.start.clicked.connect(self.start_wanted)
        self.problem.setWordWrap(True)
        set_role(self.problem, "caption")
        self._build()
        self.retranslate()

    def _build(self) -> None:
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 0, 8, 0)
        column.setSpacing(6)
        column.addWidget(self.heading)
        self.model.setWordWrap(True)
        column.addWidget(self.model)
        column.addSpacing(4)
        column.addWidget(self._captions[0])
        column.addLayout(self._arms)
        column.addSpacing(4)
        column.addWidget(self._captions[1])
        for lab, box in self.lab_boxes.items():
            box.setChecked(True)
            box.toggled.connect(self._changed)
            question = self._questions[lab]
            question.setWordWrap(True)
            question.setIndent(22)
            set_role(question, "caption")
            row = QVBoxLayout()
            row.setSpacing(0)
            row.addWidget(box)
            row.addWidget(question)
            column.addLayout(row)
        column.addStretch(1)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setWidget(inside)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(16, 12, 8, 14)
        whole.setSpacing(8)
        whole.addWidget(scroll, 1)
        set_role(self.plan_note, "caption")
        self.plan_note.setWordWrap(True)
        self.where.setMinimumWidth(40)
        line = QHBoxLayout()
        line.setSpacing(8)
        line.addWidget(self._captions[2])
        line.addWidget(self.where, 1)
        line.addWidget(self.folder)
        foot = QVBoxLayout()
        foot.setContentsMargins(0, 0, 8, 0)
        foot.setSpacing(6)
        foot.addWidget(self._segments())
        foot.addWidget(self.plan_note)
        foot.addLayout(line)
        foot.addWidget(self.problem)
        foot.addWidget(self.start)
        whole.addLayout(foot)

    def _segments(self) -> QFrame:
        track = QFrame()
        set_role(track, "track")
        row = QHBoxLayout(track)
        row.setContentsMargins(2, 2, 2, 2)
        row.setSpacing(2)
        self._group = QButtonGroup(self)
        for button in self.plans.values():
            button.setCheckable(True)
            set_role(button, "segment")
            button.clicked.connect(self._changed)
            self._group.addButton(button)
            row.addWidget(button, 1)
        self.plans[PLANS[0]].setChecked(True)
        return track

    # --- what is chosen

    @property
    def arms(self) -> tuple[Arm, ...]:
        return tuple(arm for arm in self._all if self.arm_boxes[arm.name].isChecked())

    @property
    def labs(self) -> tuple[str, ...]:
        return tuple(lab for lab, box in self.lab_boxes.items() if box.isChecked())

    @property
    def plan(self) -> str:
        return next(plan for plan, button in self.plans.items() if button.isChecked())

    def set_choice(self, labs: tuple[str, ...], plan: str) -> None:
        for lab, box in self.lab_boxes.items():
            box.setChecked(lab in labs)
        self.plans.get(plan, self.plans[PLANS[0]]).setChecked(True)
        self._fit()

    def set_arms(self, arms: tuple[Arm, ...]) -> None:
        """The panes of the chat; one that a person left out stays left out while it is there."""
        left_out = {name for name, box in self.arm_boxes.items() if not box.isChecked()}
        for box in self.arm_boxes.values():
            self._arms.removeWidget(box)
            box.hide()
            box.deleteLater()
        self._all, self.arm_boxes = arms, {}
        for arm in arms:
            box = QCheckBox()
            box.setChecked(arm.name not in left_out or arm.drafter == "none")
            box.setEnabled(arm.drafter != "none")
            box.toggled.connect(self._changed)
            self.arm_boxes[arm.name] = box
            self._arms.addWidget(box)
        self.retranslate()

    def set_folder(self, folder: str) -> None:
        self._folder = folder
        self._show_folder()

    def set_blocked(self, sentence: str) -> None:
        """Why nothing can begin now; empty where it can."""
        self._blocked = sentence
        self._fit()

    # --- showing

    def _changed(self) -> None:
        self._fit()
        self.changed.emit()

    def _fit(self) -> None:
        problem = self._problem()
        self.problem.setText(problem)
        self.problem.setVisible(bool(problem))
        self.start.setEnabled(not problem)
        self.plan_note.setText(wording.plan_note(self.plan))

    def _problem(self) -> str:
        if self._blocked:
            return self._blocked
        if not any(arm.drafter != "none" for arm in self.arms):
            return self.tr("Choose a pane that drafts: the model alone has nothing to be compared with.")
        if not self.labs:
            return self.tr("Choose at least one lab.")
        if name := problem_of(self.arms):
            return self.tr("The folder of {name} has a comma in its name: rename it first.").format(
                name=chat_wording.arm_title(name)
            )
        return ""

    def _show_folder(self) -> None:
        name = Path(self._folder).name
        self.where.setText(name)
        self.where.setToolTip(self._folder)

    def retranslate(self) -> None:
        self.heading.setText(self.tr("New run"))
        target = self._all[0].target if self._all else "embedded"
        self.model.setText(self.tr("{model}, chosen at the top").format(model=chat_wording.target_title(target)))
        for label, text in zip(
            self._captions, (self.tr("Panes of the chat"), self.tr("Labs"), self.tr("Folder")),
            strict=True,
        ):  # fmt: skip
            label.setText(text)
        for arm in self._all:
            box = self.arm_boxes[arm.name]
            box.setText(f"{chat_wording.arm_title(arm.name)} · {chat_wording.settings_summary(arm)}")
            box.setToolTip(self.tr("What everything is compared with") if arm.drafter == "none" else box.text())
        for lab, box in self.lab_boxes.items():
            box.setText(wording.lab_title(lab))
            box.setAccessibleDescription(wording.lab_question(lab))
            self._questions[lab].setText(wording.lab_question(lab))
        for plan, button in self.plans.items():
            button.setText(wording.plan_title(plan))
            button.setAccessibleName(self.tr("Plan: {name}").format(name=button.text()))
        self.folder.setText(self.tr("Change…"))
        self.folder.setAccessibleName(self.tr("Change the folder"))
        self.start.setText(self.tr("Start"))
        self._show_folder()
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)
