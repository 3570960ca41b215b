"""Which speculative arm the heatmap shows: one small button an arm, seen only where there is a choice."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QSizePolicy, QToolButton, QWidget


class ArmSwitch(QWidget):
    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._group = QButtonGroup(self)
        self._group.setExclusive(True)
        self._group.buttonClicked.connect(lambda button: self.chosen.emit(button.property("arm")))
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(4)
        self.hide()

    def show_arms(self, titles: dict[str, str], shown: str, font: QFont) -> None:
        """Titles by arm name."""
        if titles != {button.property("arm"): button.property("title") for button in self._group.buttons()}:
            for button in self._group.buttons():
                self._group.removeButton(button)
                self._row.removeWidget(button)
                button.hide()
                button.deleteLater()
            for name, title in titles.items():
                self._add(name, title)
        for button in self._group.buttons():
            button.setFont(font)
            button.setChecked(button.property("arm") == shown)
        self.setVisible(len(titles) > 1)
        self._elide()

    def _add(self, name: str, title: str) -> None:
        button = QToolButton()
        button.setObjectName("arm")
        button.setCheckable(True)
        button.setProperty("arm", name)
        button.setProperty("title", title)
        button.setToolTip(self.tr("Show the rounds of {arm}").format(arm=title))
        button.setAccessibleName(self.tr("Show the rounds of {arm}").format(arm=title))
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        button.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._group.addButton(button)
        self._row.addWidget(button, 1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._elide()

    def _elide(self) -> None:
        """Cut long names in the middle: their ends tell arms apart."""
        buttons = self._group.buttons()
        room = (self.width() - 4 * (len(buttons) - 1)) // max(1, len(buttons)) - 16
        for button in buttons:
            metrics = QFontMetrics(button.font())
            button.setText(metrics.elidedText(button.property("title"), Qt.TextElideMode.ElideMiddle, max(20, room)))
