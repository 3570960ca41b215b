"""What is to be trained: the scheme, the text, the hours to spend, and where the drafter goes."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QEvent, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QComboBox,
    QDoubleSpinBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from app.chat.wording import target_title
from app.style import set_role
from app.train import wording
from app.train.words import LEAST_HOURS, MOST_HOURS, SCHEMES, USUAL_HOURS


class TrainSetup(QFrame):
    changed = Signal()
    """A choice was made by a person."""
    start_wanted = Signal()
    folder_wanted = Signal()
    prompts_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        set_role(self, "card")
        self._target, self._folder, self._prompts, self._blocked = "embedded", "", "", ""
        self.heading, self.model, self.scheme_note, self.where, self.problem = (QLabel() for _ in range(5))
        self._captions = [QLabel() for _ in range(4)]
        set_role(self.heading, "title")
        for label in (self.model, self.scheme_note, self.problem, *self._captions):
            set_role(label, "caption")
            label.setWordWrap(True)
        self.scheme, self.hours = QComboBox(), QDoubleSpinBox()
        self.own_text, self.own_prompts = QRadioButton(), QRadioButton()
        self.choose, self.folder, self.start = QPushButton(), QPushButton(), QPushButton()
        set_role(self.start, "primary")
        self._texts = QButtonGroup(self)
        for button in (self.own_text, self.own_prompts):
            self._texts.addButton(button)
        self.own_text.setChecked(True)
        self.hours.setRange(LEAST_HOURS, MOST_HOURS)
        self.hours.setDecimals(1)
        self.hours.setSingleStep(0.5)
        self.hours.setValue(USUAL_HOURS)
        for scheme in SCHEMES:
            self.scheme.addItem(scheme, scheme)
        self._build()
        self.scheme.currentIndexChanged.connect(self._changed)
        self.hours.valueChanged.connect(self._changed)
        self.own_text.toggled.connect(self._changed)
        self.own_prompts.clicked.connect(lambda: None if self._prompts else self.prompts_wanted.emit())
        self.choose.clicked.connect(self.prompts_wanted)
        self.folder.clicked.connect(self.folder_wanted)
        self.start.clicked.connect(self.start_wanted)
        self.retranslate()

    def _build(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 12, 16, 14)
        column.setSpacing(6)
        column.addWidget(self.heading)
        column.addWidget(self.model)
        column.addSpacing(4)
        column.addWidget(self._captions[0])
        column.addWidget(self.scheme)
        column.addWidget(self.scheme_note)
        column.addSpacing(4)
        column.addWidget(self._captions[1])
        column.addWidget(self.own_text)
        prompts = QHBoxLayout()
        prompts.setSpacing(8)
        prompts.addWidget(self.own_prompts, 1)
        prompts.addWidget(self.choose)
        column.addLayout(prompts)
        column.addSpacing(4)
        hours = QHBoxLayout()
        hours.addWidget(self._captions[2], 1)
        hours.addWidget(self.hours)
        column.addLayout(hours)
        column.addSpacing(4)
        column.addWidget(self._captions[3])
        line = QHBoxLayout()
        line.setSpacing(8)
        self.where.setMinimumWidth(40)
        line.addWidget(self.where, 1)
        line.addWidget(self.folder)
        column.addLayout(line)
        column.addStretch(1)
        column.addWidget(self.problem)
        column.addWidget(self.start)
        self.own_prompts.setMinimumWidth(40)

    # --- what is chosen

    @property
    def chosen_scheme(self) -> str:
        return str(self.scheme.currentData())

    @property
    def chosen_prompts(self) -> str:
        return self._prompts if self.own_prompts.isChecked() else ""

    def set_choice(self, scheme: str, hours: float, prompts: str) -> None:
        self.scheme.setCurrentIndex(max(0, self.scheme.findData(scheme)))
        self.hours.setValue(hours)
        self.set_prompts(prompts)

    def set_prompts(self, file: str) -> None:
        """Nothing: the model writes its own text."""
        self._prompts = file
        (self.own_prompts if file else self.own_text).setChecked(True)
        self.retranslate()

    def set_target(self, target: str) -> None:
        self._target = target
        self.retranslate()

    def set_folder(self, folder: str) -> None:
        self._folder = folder
        self.retranslate()

    def set_blocked(self, sentence: str) -> None:
        """Why nothing can begin now; empty where it can."""
        self._blocked = sentence
        self._fit()

    # --- showing

    def _changed(self) -> None:
        self._fit()
        self.changed.emit()

    def _fit(self) -> None:
        problem = self._blocked
        if not problem and self.own_prompts.isChecked() and not self._prompts:
            problem = self.tr("Choose the file with your prompts.")
        if not problem and self.chosen_prompts and not Path(self.chosen_prompts).is_file():
            problem = self.tr("{file} isn't there any more: choose another file.").format(
                file=Path(self.chosen_prompts).name
            )
        self.problem.setText(problem)
        self.problem.setVisible(bool(problem))
        self.start.setEnabled(not problem)
        self.scheme_note.setText(wording.scheme_note(self.chosen_scheme))

    def retranslate(self) -> None:
        self.heading.setText(self.tr("New drafter"))
        self.model.setText(self.tr("For {model}, chosen at the top").format(model=target_title(self._target)))
        for label, text in zip(
            self._captions,
            (self.tr("Scheme"), self.tr("Text to learn from"), self.tr("Hours to spend"), self.tr("Folder")),
            strict=True,
        ):
            label.setText(text)
        for number, scheme in enumerate(SCHEMES):
            self.scheme.setItemText(number, wording.scheme_choice(scheme))
        self.scheme.setAccessibleName(self.tr("Scheme"))
        self.hours.setAccessibleName(self.tr("Hours to spend"))
        self.hours.setToolTip(self.tr("Text, training and evaluation together; it can be stopped at any time"))
        self.own_text.setText(self.tr("Written by the model itself"))
        self.own_text.setToolTip(self.tr("The model invents users' turns and answers them on this computer"))
        name = Path(self._prompts).name
        self.own_prompts.setText(self.tr("My prompts: {file}").format(file=name) if name else self.tr("My prompts"))
        self.own_prompts.setToolTip(
            self._prompts or self.tr("One prompt a line, or JSON lines with “prompt”; the model answers them")
        )
        self.choose.setText(self.tr("Choose…"))
        self.choose.setAccessibleName(self.tr("Choose a file with prompts"))
        self.folder.setText(self.tr("Change…"))
        self.folder.setAccessibleName(self.tr("Change the folder"))
        self.start.setText(self.tr("Start"))
        self.where.setText(Path(self._folder).name)
        self.where.setToolTip(self._folder)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)
