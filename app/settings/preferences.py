"""Preferences of the program. Every choice applies at once."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlsplit

import msgspec
from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QPushButton,
    QScrollArea,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from app.i18n import LANGUAGES
from app.settings.keys import Key
from app.settings.store import Store
from app.style import DEFAULT_TEXT_SIZE, TEXT_SIZES, set_role

APPEARANCES = ("system", "light", "dark")
ORDERS = ("interleaved", "sequential")
DEFAULT_RESERVE_GB = 2
MOST_RESERVE_GB = 256
FIELD_PX = 230


class Preferences(QDialog):
    changed = Signal(object)
    """The key whose value changed; it is stored already."""

    def __init__(self, store: Store, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self._filling = False
        self.appearance, self.language, self.text_size, self.order = QComboBox(), QComboBox(), QComboBox(), QComboBox()
        self._keys = {
            self.appearance: Key.APPEARANCE,
            self.language: Key.LANGUAGE,
            self.text_size: Key.TEXT_SIZE,
            self.order: Key.ORDER,
        }
        for combo in self._keys:
            combo.activated.connect(lambda _, combo=combo: self._chosen(combo))
        self.endpoint, self.reserve = QLineEdit(), QSpinBox()
        self.endpoint.editingFinished.connect(self._endpoint_entered)
        self.endpoint.textChanged.connect(self._show_problem)
        self.reserve.setRange(0, MOST_RESERVE_GB)
        self.reserve.valueChanged.connect(lambda value: self._set(Key.MEMORY_RESERVE_GB, value))
        self.problem = QLabel()
        self.problem.setWordWrap(True)
        set_role(self.problem, "warning")
        self.folders = QListWidget()
        self.folders.setFixedHeight(72)
        self.folders.currentRowChanged.connect(lambda _: self._fit())
        self.add, self.remove = QPushButton(), QPushButton()
        for button in (self.add, self.remove):
            button.setAutoDefault(False)
        self.add.clicked.connect(self._choose_folder)
        self.remove.clicked.connect(self._remove_folder)
        self.keep_text = QCheckBox()
        self.keep_text.toggled.connect(lambda on: self._set(Key.TRACE_TEXT, on))
        self._note = QLabel()
        self._note.setWordWrap(True)
        set_role(self._note, "caption")
        self._labels = {field: QLabel() for field in (*self._keys, self.endpoint, self.reserve, self.folders)}
        self._captions = [QLabel() for _ in range(3)]
        column = QVBoxLayout()
        column.setContentsMargins(0, 0, 8, 0)
        column.setSpacing(6)
        for caption, card in zip(self._captions, (self._looks(), self._models(), self._traces()), strict=True):
            set_role(caption, "caption")
            column.addWidget(caption)
            column.addWidget(card)
        column.addStretch(1)
        body = QWidget()
        body.setLayout(column)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidget(body)
        self._buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        self._buttons.rejected.connect(self.reject)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(20, 16, 12, 16)
        whole.setSpacing(12)
        whole.addWidget(scroll, 1)
        whole.addWidget(self._buttons)
        self.retranslate()
        self.resize(560, min(620, body.sizeHint().height() + 96))

    # --- building

    def _card(self) -> tuple[QFrame, QGridLayout]:
        card = QFrame()
        set_role(card, "card")
        grid = QGridLayout(card)
        grid.setContentsMargins(16, 12, 16, 12)
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(8)
        grid.setColumnStretch(0, 1)
        return card, grid

    def _rows(self, grid: QGridLayout, fields: Sequence[QWidget]) -> None:
        for field in fields:
            row = grid.rowCount()
            self._labels[field].setBuddy(field)
            field.setFixedWidth(FIELD_PX)
            grid.addWidget(self._labels[field], row, 0)
            grid.addWidget(field, row, 1, Qt.AlignmentFlag.AlignRight)

    def _looks(self) -> QFrame:
        card, grid = self._card()
        self._rows(grid, tuple(self._keys))
        return card

    def _models(self) -> QFrame:
        card, grid = self._card()
        self._rows(grid, (self.reserve, self.endpoint))
        row = grid.rowCount()
        grid.addWidget(self.problem, row, 0, 1, 2)
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self._labels[self.folders], 1)
        head.addWidget(self.remove)
        head.addWidget(self.add)
        grid.addLayout(head, row + 1, 0, 1, 2)
        grid.addWidget(self.folders, row + 2, 0, 1, 2)
        return card

    def _traces(self) -> QFrame:
        card, grid = self._card()
        grid.addWidget(self.keep_text, 0, 0, 1, 2)
        grid.addWidget(self._note, 1, 0, 1, 2)
        return card

    # --- what stands in it

    def retranslate(self) -> None:
        self._filling = True
        store = self._store
        self.setWindowTitle(self.tr("Preferences"))
        captions = (self.tr("Window"), self.tr("Models"), self.tr("Traces"))
        for caption, text in zip(self._captions, captions, strict=True):
            caption.setText(text)
        for field, text in {
            self.appearance: self.tr("Appearance"),
            self.language: self.tr("Language"),
            self.text_size: self.tr("Text size"),
            self.order: self.tr("Panes run"),
            self.reserve: self.tr("Memory kept for other programs"),
            self.endpoint: self.tr("Fetch models from"),
            self.folders: self.tr("Look for models in"),
        }.items():
            self._labels[field].setText(text)
            field.setAccessibleName(text)
        self._fill(
            self.appearance,
            APPEARANCES,
            (self.tr("System"), self.tr("Light"), self.tr("Dark")),
            store.text(Key.APPEARANCE, "system"),
        )
        self._fill(
            self.language,
            LANGUAGES,
            (self.tr("System"), "English", "简体中文"),
            store.text(Key.LANGUAGE, "system"),
        )
        sizes = tuple(str(size) for size in TEXT_SIZES)
        self._fill(self.text_size, sizes, sizes, str(store.number(Key.TEXT_SIZE, DEFAULT_TEXT_SIZE)))
        orders = (self.tr("in turn, token by token"), self.tr("one after the other"))
        self._fill(self.order, ORDERS, orders, store.text(Key.ORDER, ORDERS[0]))
        self.order.setToolTip(
            self.tr("In turn, heat and load drift hit all panes alike; each clock counts only its own pane's work.")
        )
        self.reserve.setSuffix(self.tr(" GB"))
        self.reserve.setValue(store.number(Key.MEMORY_RESERVE_GB, DEFAULT_RESERVE_GB))
        self.reserve.setToolTip(self.tr("Whether a model fits is judged with this much left to everything else."))
        if not self.endpoint.hasFocus():
            self.endpoint.setText(store.text(Key.ENDPOINT))
        self.endpoint.setPlaceholderText("https://huggingface.co")
        self.endpoint.setToolTip(self.tr("The address of a mirror of the hub; empty is the hub itself."))
        self._fill_folders()
        self.add.setText(self.tr("Add…"))
        self.add.setAccessibleName(self.tr("Add a folder with models"))
        self.remove.setText(self.tr("Remove"))
        self.remove.setAccessibleName(self.tr("Remove this folder from the list"))
        self.remove.setToolTip(self.tr("Takes the folder off this list; its files stay"))
        self.keep_text.setText(self.tr("Keep prompts and texts in the traces of sessions"))
        self.keep_text.setChecked(store.flag(Key.TRACE_TEXT, True))
        self._note.setText(
            self.tr(
                "Without them a trace holds numbers only, and an interrupted session's text can't be restored. "
                "Traces stay on this computer."
            )
        )
        self._filling = False
        self._show_problem()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)

    def _fill(self, combo: QComboBox, values: tuple[str, ...], texts: tuple[str, ...], current: str) -> None:
        combo.clear()
        for value, text in zip(values, texts, strict=True):
            combo.addItem(text, value)
        combo.setCurrentIndex(max(0, combo.findData(current)))

    def _fill_folders(self) -> None:
        row = self.folders.currentRow()
        self.folders.clear()
        self.folders.addItems(self._store.strings(Key.MODEL_FOLDERS))
        self.folders.setCurrentRow(min(row, self.folders.count() - 1))
        self._fit()

    def _fit(self) -> None:
        self.remove.setEnabled(self.folders.currentRow() >= 0)

    def _show_problem(self) -> None:
        text = endpoint_problem(self.endpoint.text())
        sentence = self.tr("This is no address of a hub: write it as https://hf-mirror.com, or leave it empty.")
        self.problem.setText(sentence)
        self.problem.setVisible(text)

    # --- what a person does

    def _chosen(self, combo: QComboBox) -> None:
        key, value = self._keys[combo], str(combo.currentData())
        self._set(key, int(value) if key is Key.TEXT_SIZE else value)

    def _endpoint_entered(self) -> None:
        text = self.endpoint.text().strip().rstrip("/")
        if not endpoint_problem(text) and text != self._store.text(Key.ENDPOINT):
            self._set(Key.ENDPOINT, text)

    def _choose_folder(self) -> None:
        folder = QFileDialog.getExistingDirectory(self, self.tr("Add a Folder with Models"))
        if folder:
            self.add_folder(folder)

    def add_folder(self, folder: str) -> None:
        known = self._store.strings(Key.MODEL_FOLDERS)
        if folder not in known:
            self._set_folders([*known, folder])

    def _remove_folder(self) -> None:
        row = self.folders.currentRow()
        known = self._store.strings(Key.MODEL_FOLDERS)
        if 0 <= row < len(known):
            self._set_folders([*known[:row], *known[row + 1 :]])

    def _set_folders(self, folders: list[str]) -> None:
        self._set(Key.MODEL_FOLDERS, msgspec.json.encode(folders).decode())
        self._fill_folders()

    def _set(self, key: Key, value: str | bool | int) -> None:
        if not self._filling:
            self._store.set(key, value)
            self.changed.emit(key)


def endpoint_problem(text: str) -> bool:
    """Whether a text is no address that models could be fetched from; nothing is the hub itself."""
    text = text.strip()
    if not text:
        return False
    parts = urlsplit(text)
    return parts.scheme not in ("http", "https") or not parts.hostname or " " in text
