"""The drafter of an arm, chosen from what there is: none, look-up, the table, trained drafters, or any folder."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFileDialog,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QWidget,
)

from app.drafters.own import names_of, own_drafters
from app.drafters.pairs import known_drafters
from app.drafters.schemes import TAPPED, Choice, Scheme, choice_of, scheme_of, table_is_there, trained
from app.drafters.wording import scheme_name, scheme_title
from app.style import set_role

FOLDER = "folder"
COMBO_PX = 208


class DrafterPicker(QWidget):
    changed = Signal()

    def __init__(
        self, target: str, parent: QWidget | None = None, drafter_folders: Sequence[Path] | None = None
    ) -> None:
        """``drafter_folders`` hold drafters trained here; None: the usual folder alone."""
        super().__init__(parent)
        self._own = own_drafters(drafter_folders)
        self.kind, self.folder = QComboBox(), QLineEdit()
        self.first, self.table = QCheckBox(), QCheckBox(self.tr("Weigh the table with it"))
        self._target = target
        self._known = known_drafters(target)
        self._scheme = Scheme.NONE
        self._fill()
        self.kind.setAccessibleName(self.tr("Drafter"))
        self.kind.setFixedWidth(COMBO_PX)
        self.folder.setAccessibleName(self.tr("Drafter folder"))
        self.folder.setPlaceholderText(self.tr("Folder or hub id"))
        self.note = QLabel()
        self.note.setWordWrap(True)
        self.note.setTextInteractionFlags(Qt.TextInteractionFlag.LinksAccessibleByMouse)
        set_role(self.note, "caption")
        choose = QPushButton(self.tr("Choose…"))
        choose.setAutoDefault(False)
        choose.clicked.connect(self._choose)
        self._folder_row = QWidget()
        row = QHBoxLayout(self._folder_row)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.folder, 1)
        row.addWidget(choose)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(7)
        grid.setColumnStretch(0, 1)
        label = QLabel(self.tr("Drafter"))
        label.setBuddy(self.kind)
        grid.addWidget(label, 0, 0)
        grid.addWidget(self.kind, 0, 1, Qt.AlignmentFlag.AlignRight)
        grid.addWidget(self._folder_row, 1, 0, 1, 2)
        grid.addWidget(self.note, 2, 0, 1, 2)
        grid.addWidget(self.first, 3, 0, 1, 2)
        grid.addWidget(self.table, 4, 0, 1, 2)
        self.kind.currentIndexChanged.connect(self._fit)
        self.folder.textChanged.connect(self._fit)
        self.first.toggled.connect(self._fit)
        self.table.toggled.connect(self._fit)
        self.note.linkActivated.connect(self.folder.setText)

    @property
    def choice(self) -> Choice:
        kind = str(self.kind.currentData())
        drafter = self.folder.text().strip() if kind == FOLDER else kind
        return Choice(drafter, *(box.isChecked() and box.isEnabled() for box in (self.first, self.table)))

    @property
    def scheme(self) -> Scheme:
        return self._scheme

    @property
    def lacks_folder(self) -> bool:
        return not self.choice.drafter

    def show_drafter(self, word: str) -> None:
        choice = choice_of(word)
        index = self.kind.findData(choice.drafter)
        if index < 0:
            index = self.kind.findData(self._listed(choice.drafter))
        if index < 0:
            self.folder.setText(choice.drafter)
            index = self.kind.findData(FOLDER)
        self.kind.setCurrentIndex(index)
        self.first.setChecked(choice.lookup_first)
        self.table.setChecked(choice.table)
        self._fit()

    def _fill(self) -> None:
        self.kind.addItem(self.tr("None (baseline)"), "none")
        self.kind.addItem(self.tr("Look-up in the text"), "lookup")
        if table_is_there():
            self.kind.addItem(self.tr("Table of frequent sequences"), "table")
        for letter, folder in trained().items():
            self.kind.addItem(f"{letter} · {scheme_name(scheme_of(folder)) or Path(folder).name}", folder)
        for name, own in zip(names_of(self._own), self._own, strict=True):
            self.kind.addItem(f"{name} · {scheme_title(own.scheme)}", str(own.folder))
            self.kind.setItemData(self.kind.count() - 1, str(own.folder), Qt.ItemDataRole.ToolTipRole)
        self.kind.addItem(self.tr("Drafter folder…"), FOLDER)

    def _listed(self, drafter: str) -> str:
        """The path under which the menu has it, where it has it under another one."""
        real = os.path.realpath(Path(drafter).expanduser())
        return next((str(own.folder) for own in self._own if os.path.realpath(own.folder) == real), drafter)

    def _fit(self) -> None:
        kind = str(self.kind.currentData())
        self._scheme = scheme_of(self.choice.drafter) if self.choice.drafter else Scheme.UNKNOWN
        # A long name is cut in the closed box.
        self.kind.setToolTip(self.kind.currentData(Qt.ItemDataRole.ToolTipRole) or "")
        self._folder_row.setVisible(kind == FOLDER)
        self.note.setText(self._note(kind))
        self.note.setVisible(bool(self.note.text()))
        alone = kind in ("none", "lookup")
        self.first.setEnabled(not alone)
        unfit = self._why_without_table()
        self.table.setEnabled(not unfit)
        weighed = self.choice.table
        self.first.setText(self.tr("Weigh look-up with it") if weighed else self.tr("Look-up first"))
        if alone:
            tip = self.tr("With no other drafter there is nothing for look-up to be asked before.")
        elif weighed:
            tip = self.tr("Look-up is weighed too, and counts for more the longer the text is that it finds again.")
        else:
            tip = self.tr(
                "Where look-up finds the text again it drafts; where it finds nothing the other drafter does."
            )
        said = self.tr(
            "Each token is the one that drafter, table and look-up, weighed against each other, hold likeliest."
        )
        for box, sentence in ((self.first, tip), (self.table, unfit or said)):
            box.setToolTip(sentence)
            box.setAccessibleDescription(sentence)
        self.changed.emit()

    def _why_without_table(self) -> str:
        """Why the drafter can't be weighed against the table; empty where it can."""
        if self._target != "embedded":
            return self.tr("The table was made for the embedded model alone.")
        if not table_is_there():
            return self.tr("The table is not installed.")
        if self._scheme not in TAPPED:
            return self.tr(
                "Only a trained drafter, one that reads its target's layers, can be weighed against the table."
            )
        return ""

    def _note(self, kind: str) -> str:
        """What the choice is, in one or two short sentences."""
        if kind == "lookup":
            return self.tr("Copies what followed the same tokens earlier in this conversation. It has no weights.")
        if kind == "table":
            return self.tr("What followed most often in text of the embedded model. Made for that model alone.")
        if kind != FOLDER:
            return ""
        name = self.folder.text().strip()
        if not name:
            said = self.tr("A small model with the same tokenizer, or a drafter made for this target.")
            if self._known:
                links = ", ".join(
                    f'<a href="{pair.drafter}">{pair.drafter}</a> ({pair.scheme})' for pair in self._known
                )
                said += " " + self.tr("Known for it: {drafters}.").format(drafters=links)
            return said
        if self._scheme is Scheme.MODEL:
            return self.tr("Scheme A: a language model that drafts token by token.")
        if self._scheme is not Scheme.UNKNOWN:
            return self.tr("Scheme {scheme}.").format(scheme=scheme_title(self._scheme))
        if Path(name).expanduser().is_dir():
            return self.tr("This folder holds no model that is known here; opening it will say more.")
        return self.tr("Its scheme is known once it is opened.")

    def _choose(self) -> None:
        folder = QFileDialog.getExistingDirectory(self, self.tr("Choose a drafter folder"))
        if folder:
            self.folder.setText(folder)
