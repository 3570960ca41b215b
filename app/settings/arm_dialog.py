"""Settings of one arm: its drafter and how it decodes. What is chosen here is what the engine is sent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QDoubleSpinBox,
    QFrame,
    QGridLayout,
    QLabel,
    QPlainTextEdit,
    QScrollArea,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from app import sentences
from app.chat import wording
from app.drafters.schemes import reads
from app.drafters.wording import unread
from app.settings.arms import drafting_with, usual_settings
from app.settings.drafter_picker import DrafterPicker
from app.settings.ranges import FIELDS, Field, parse_stops, write_stops
from app.style import set_role
from engine.trace.events import Arm, Settings
from engine.trace.limits import settings_problem

FIELD_PX = 168


class RealBox(QDoubleSpinBox):
    """Takes any value of its range from the keyboard; its arrows go up to ``usual_most`` only."""

    def __init__(self, usual_most: float, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._usual_most = usual_most

    def stepBy(self, steps: int) -> None:
        before = self.value()
        super().stepBy(steps)
        if steps > 0 and self.value() > self._usual_most:
            self.setValue(max(before, self._usual_most))


class ArmDialog(QDialog):
    """``arm`` and ``same_sampling`` hold what was chosen once the dialog is accepted."""

    def __init__(
        self,
        arm: Arm,
        same_sampling: bool,
        only_arm: bool = False,
        parent: QWidget | None = None,
        drafter_folders: Sequence[Path] | None = None,
    ) -> None:
        super().__init__(parent)
        self.arm = arm
        self._drafter_folders = drafter_folders
        self.same_sampling = same_sampling
        self.inputs: dict[str, QWidget] = {}
        self._read: dict[str, Callable[[], Any]] = {}
        self._write: dict[str, Callable[[Any], None]] = {}
        self._labels: dict[str, QLabel] = {}
        self._tips: dict[str, str] = {}
        title = wording.arm_title(arm.name)
        self.setWindowTitle(self.tr("Settings of {pane}").format(pane=title))
        heading = QLabel(title)
        set_role(heading, "heading")

        column = QVBoxLayout()
        column.setContentsMargins(0, 0, 8, 0)
        column.setSpacing(6)
        for group, name in (
            ("drafting", self.tr("Drafting")),
            ("sampling", self.tr("Sampling")),
            ("limits", self.tr("Limits")),
            ("advanced", self.tr("Advanced")),
        ):
            column.addWidget(self._group(group, name, only_arm))
        column.addStretch(1)
        body = QWidget()
        body.setLayout(column)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidget(body)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.problem = QLabel()
        self.problem.setWordWrap(True)
        set_role(self.problem, "warning")
        self.problem.hide()
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        self.defaults = self.buttons.addButton(self.tr("Reset to Defaults"), QDialogButtonBox.ButtonRole.ResetRole)
        self.defaults.clicked.connect(self.reset)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(20, 16, 12, 16)
        whole.setSpacing(10)
        whole.addWidget(heading)
        whole.addWidget(scroll, 1)
        whole.addWidget(self.problem)
        whole.addWidget(self.buttons)
        self.drafter.show_drafter(arm.drafter)
        # A table that can't be weighed here is not in the picker's word; a tree without one is not shown, for the
        # engine refuses it.
        self._drafter_shown = self.drafter.choice.word
        self._show(drafting_with(arm, self._drafter_shown).settings)
        for name in ("temperature", "repetition_penalty"):
            self.inputs[name].valueChanged.connect(self._fit)  # type: ignore[attr-defined]
        self.drafter.changed.connect(self._follow)
        self.resize(520, 640)

    # --- what a person chose

    def settings(self) -> Settings:
        return Settings(**{name: read() for name, read in self._read.items()})

    def accept(self) -> None:
        settings = self.settings()
        problem = sentences.translated(settings_problem(settings))
        if self.drafter.lacks_folder:
            problem = self.tr("No drafter is named: choose its folder, or another kind of drafter.")
        if problem:
            self.problem.setText(problem)
            self.problem.show()
            return
        self.arm = msgspec.structs.replace(self.arm, drafter=self.drafter.choice.word, settings=settings)
        self.same_sampling = self.shared.isChecked()
        super().accept()

    def reset(self) -> None:
        self._show(usual_settings(self.drafter.choice.word))
        self.problem.hide()

    # --- building

    def _group(self, group: str, name: str, only_arm: bool) -> QWidget:
        box = QWidget()
        column = QVBoxLayout(box)
        column.setContentsMargins(0, 4, 0, 4)
        column.setSpacing(4)
        label = QLabel(name)
        set_role(label, "caption")
        column.addWidget(label)
        card = QFrame()
        set_role(card, "card")
        grid = QGridLayout(card)
        grid.setContentsMargins(14, 10, 14, 10)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(7)
        grid.setColumnStretch(0, 1)
        column.addWidget(card)
        if group == "drafting":
            self.drafter = DrafterPicker(self.arm.target, drafter_folders=self._drafter_folders)
            self.drafter.changed.connect(self._fit)
            grid.addWidget(self.drafter, 0, 0, 1, 2)
        if group == "sampling":
            self.shared = QCheckBox(self.tr("Same sampling in all panes"))
            self.shared.setToolTip(self.tr("Only panes that sample alike can be compared token by token."))
            self.shared.setChecked(self.same_sampling)
            self.shared.setVisible(not only_arm)
            grid.addWidget(self.shared, grid.rowCount(), 0, 1, 2)
        for field in FIELDS:
            if field.group == group:
                self._row(grid, field)
        return box

    def _row(self, grid: QGridLayout, field: Field) -> None:
        text, tip = self._texts(field.name)
        row = grid.rowCount()
        if field.kind == "flag":
            check = QCheckBox(text)
            self._enter(field.name, check, check.isChecked, check.setChecked, text, tip)
            grid.addWidget(check, row, 0, 1, 2)
            return
        label = self._labels[field.name] = QLabel(text)
        if field.kind == "strings":
            edit = QPlainTextEdit()
            edit.setTabChangesFocus(True)
            edit.setFixedHeight(58)
            edit.setPlaceholderText(self.tr("One a line"))
            self._enter(
                field.name,
                edit,
                lambda: parse_stops(edit.toPlainText()),
                lambda value: edit.setPlainText(write_stops(value)),
                text,
                tip,
            )
            grid.addWidget(label, row, 0, Qt.AlignmentFlag.AlignTop)
            edit.setFixedWidth(FIELD_PX + 40)
            grid.addWidget(edit, row, 1, Qt.AlignmentFlag.AlignRight)
            return
        widget: QWidget
        if field.kind == "choice":
            combo = QComboBox()
            for value in field.choices:
                combo.addItem(self.tr("{n} bits").format(n=value) if value else self.tr("the model's own"), value)
            self._enter(
                field.name,
                combo,
                lambda: int(combo.currentData()),
                lambda value: combo.setCurrentIndex(combo.findData(value)),
                text,
                tip,
            )
            widget = combo
        elif field.kind == "float":
            real = RealBox(field.usual_most or field.most)
            real.setRange(field.least, field.most)
            real.setSingleStep(field.step)
            real.setDecimals(field.decimals)
            self._enter(field.name, real, lambda: round(real.value(), field.decimals), real.setValue, text, tip)
            widget = real
        else:
            whole = QSpinBox()
            whole.setRange(int(field.least), int(field.most))
            whole.setSingleStep(int(field.step))
            self._enter(field.name, whole, whole.value, whole.setValue, text, tip)
            special = {
                "max_tokens": self.tr("until it stops"),
                "top_k": self.tr("all tokens"),
                "timing_every": self.tr("never"),
                "injected_layers": self.tr("as trained"),
            }.get(field.name)
            if special:
                whole.setSpecialValueText(special)
            widget = whole
        label.setBuddy(widget)
        widget.setFixedWidth(FIELD_PX)
        grid.addWidget(label, row, 0)
        grid.addWidget(widget, row, 1, Qt.AlignmentFlag.AlignRight)

    def _enter(
        self, name: str, widget: QWidget, read: Callable[[], Any], write: Callable[[Any], None], text: str, tip: str
    ) -> None:
        self.inputs[name], self._read[name], self._write[name] = widget, read, write
        self._tips[name] = tip
        widget.setAccessibleName(text)

    def _texts(self, name: str) -> tuple[str, str]:
        return {
            "block": (
                self.tr("Block"),
                self.tr("Rows the target verifies at once: its last token and up to block − 1 drafts."),
            ),
            "candidate_width": (
                self.tr("Candidates"),
                self.tr("Candidates a position keeps, for drafters that choose among several."),
            ),
            "injected_layers": (
                self.tr("Injected layers"),
                self.tr("Layers that receive the forming predictions before them; 0 is none."),
            ),
            "confidence_threshold": (
                self.tr("Confidence at least"),
                self.tr(
                    "A drafter that says how sure it is ends its block before the first less certain position; 0 "
                    "is off."
                ),
            ),
            "tree": (
                self.tr("Tree of drafts"),
                self.tr(
                    "Where it is unclear what comes, several tokens of a position are verified at once: more of the "
                    "likely ways in the same rows, so it is of use in a block with rows to spare; a target whose "
                    "cache is not plain keys and values refuses it."
                ),
            ),
            "fallback": (
                self.tr("Go on without the drafter while it costs more than it brings"),
                self.tr("The pane says so when it happens."),
            ),
            "temperature": (
                self.tr("Temperature"),
                self.tr("0 is greedy: always the most likely token. Up to 2 is usual, up to 100 can be typed."),
            ),
            "top_p": (
                self.tr("Top-p"),
                self.tr("Keep the most likely tokens that together have this probability; 1 is off."),
            ),
            "top_k": (self.tr("Top-k"), self.tr("Keep this many of the most likely tokens; 0 keeps all.")),
            "min_p": (
                self.tr("Min-p"),
                self.tr("Drop tokens less likely than this share of the most likely one; 0 is off."),
            ),
            "repetition_penalty": (
                self.tr("Repetition penalty"),
                self.tr("Above 1, tokens that were used become less likely; 1 is off."),
            ),
            "repetition_window_tokens": (
                self.tr("Repetition window"),
                self.tr("How many of the last tokens the penalty looks at."),
            ),
            "seed": (self.tr("Seed"), self.tr("The same seed draws the same tokens again.")),
            "max_tokens": (
                self.tr("Most tokens"),
                self.tr("Length of an answer at most; −1 goes on until the model stops."),
            ),
            "stop": (
                self.tr("Stop strings"),
                self.tr("The text ends before the first of them; \\n stands for a line break."),
            ),
            "kv_bits": (
                self.tr("Cache precision"),
                self.tr("Fewer bits for keys and values save memory and may change the text."),
            ),
            "timing_every": (
                self.tr("Rounds per timing"),
                self.tr("Every n-th round waits between draft and verify, so that their times can be told apart."),
            ),
        }[name]

    def _show(self, settings: Settings) -> None:
        for name, write in self._write.items():
            write(getattr(settings, name))

    def _follow(self) -> None:
        """A setting that was the usual one becomes what is usual for the drafter chosen now."""
        shown = Arm(name=self.arm.name, drafter=self._drafter_shown, settings=self.settings())
        self._drafter_shown = self.drafter.choice.word
        usual = drafting_with(shown, self._drafter_shown).settings
        for name in ("confidence_threshold", "tree"):
            if getattr(usual, name) != getattr(shown.settings, name):
                self._write[name](getattr(usual, name))

    def _fit(self) -> None:
        """Greys out what would change nothing, and says why."""
        scheme, blend = self.drafter.scheme, self.drafter.choice.table
        for name, widget in self.inputs.items():
            why = "" if reads(scheme, name, blend) else unread(name, scheme)
            why = why or self._unread_sampling(name)
            widget.setEnabled(not why)
            tip = why or self._tips[name]
            if blend and name == "confidence_threshold":
                tip = self.tr("The block ends before the first draft whose chance to be kept is lower; 0 is off.")
            widget.setToolTip(tip)
            widget.setAccessibleDescription(tip)
            if name in self._labels:
                self._labels[name].setToolTip(tip)
                self._labels[name].setEnabled(not why)

    def _unread_sampling(self, name: str) -> str:
        greedy = self._read["temperature"]() == 0
        if greedy and name in ("top_p", "top_k", "min_p", "seed"):
            return self.tr("At temperature 0 the most likely token is taken, so this changes nothing.")
        if name == "repetition_window_tokens" and self._read["repetition_penalty"]() == 1:
            return self.tr("The repetition penalty is off, so this changes nothing.")
        return ""
