"""Preferences of the program. Every choice applies at once."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFrame,
    QGridLayout,
    QLabel,
    QVBoxLayout,
    QWidget,
)

from app.i18n import LANGUAGES
from app.settings.keys import Key
from app.settings.store import Store
from app.style import DEFAULT_TEXT_SIZE, TEXT_SIZES, set_role

APPEARANCES = ("system", "light", "dark")
ORDERS = ("interleaved", "sequential")


class Preferences(QDialog):
    changed = Signal(object)
    """The key whose value changed; it is stored already."""

    def __init__(self, store: Store, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self._filling = False
        self.appearance, self.language, self.text_size, self.order = QComboBox(), QComboBox(), QComboBox(), QComboBox()
        self.keep_text = QCheckBox()
        self._labels = [QLabel() for _ in range(4)]
        self._note = QLabel()
        self._note.setWordWrap(True)
        set_role(self._note, "caption")
        card = QFrame()
        set_role(card, "card")
        grid = QGridLayout(card)
        grid.setContentsMargins(16, 14, 16, 14)
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(8)
        grid.setColumnStretch(0, 1)
        for row, (label, combo) in enumerate(zip(self._labels, self._combos(), strict=True)):
            label.setBuddy(combo)
            combo.setMinimumWidth(210)
            combo.activated.connect(lambda _, combo=combo: self._chosen(combo))
            grid.addWidget(label, row, 0)
            grid.addWidget(combo, row, 1, Qt.AlignmentFlag.AlignRight)
        grid.addWidget(self.keep_text, 4, 0, 1, 2)
        grid.addWidget(self._note, 5, 0, 1, 2)
        self.keep_text.toggled.connect(lambda on: self._set(Key.TRACE_TEXT, on))
        self._buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        self._buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 20, 20, 16)
        column.setSpacing(12)
        column.addWidget(card)
        column.addWidget(self._buttons)
        self.retranslate()
        self.setMinimumWidth(480)

    def retranslate(self) -> None:
        self._filling = True
        self.setWindowTitle(self.tr("Preferences"))
        texts = (self.tr("Appearance"), self.tr("Language"), self.tr("Text size"), self.tr("Panes run"))
        for label, combo, text in zip(self._labels, self._combos(), texts, strict=True):
            label.setText(text)
            combo.setAccessibleName(text)
        self._fill(
            self.appearance,
            APPEARANCES,
            (self.tr("System"), self.tr("Light"), self.tr("Dark")),
            self._store.text(Key.APPEARANCE, "system"),
        )
        self._fill(
            self.language,
            LANGUAGES,
            (self.tr("System"), "English", "简体中文"),
            self._store.text(Key.LANGUAGE, "system"),
        )
        sizes = tuple(str(size) for size in TEXT_SIZES)
        self._fill(self.text_size, sizes, sizes, str(self._store.number(Key.TEXT_SIZE, DEFAULT_TEXT_SIZE)))
        orders = (self.tr("in turn, round by round"), self.tr("one after the other"))
        self._fill(self.order, ORDERS, orders, self._store.text(Key.ORDER, ORDERS[0]))
        self.order.setToolTip(
            self.tr("In turn, heat and load drift hit all panes alike; each clock counts only its own pane's work.")
        )
        self.keep_text.setText(self.tr("Keep prompts and texts in the traces of sessions"))
        self.keep_text.setChecked(self._store.flag(Key.TRACE_TEXT, True))
        self._note.setText(
            self.tr(
                "Without them a trace holds numbers only, and an interrupted session's text can't be restored. "
                "Traces stay on this computer."
            )
        )
        self._filling = False

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)

    def _combos(self) -> tuple[QComboBox, ...]:
        return (self.appearance, self.language, self.text_size, self.order)

    def _fill(self, combo: QComboBox, values: tuple[str, ...], texts: tuple[str, ...], current: str) -> None:
        combo.clear()
        for value, text in zip(values, texts, strict=True):
            combo.addItem(text, value)
        combo.setCurrentIndex(max(0, combo.findData(current)))

    def _chosen(self, combo: QComboBox) -> None:
        key = dict(zip(self._combos(), (Key.APPEARANCE, Key.LANGUAGE, Key.TEXT_SIZE, Key.ORDER), strict=True))[combo]
        value = str(combo.currentData())
        self._set(key, int(value) if key is Key.TEXT_SIZE else value)

    def _set(self, key: Key, value: str | bool | int) -> None:
        if not self._filling:
            self._store.set(key, value)
            self.changed.emit(key)
