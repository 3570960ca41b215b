"""The drafters made here, each with the button that puts it to work in the chat."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from app.drafters.own import OwnDrafter
from app.drafters.wording import scheme_title
from app.style import set_role


class DrafterShelf(QFrame):
    use_wanted = Signal(object)
    folder_wanted = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        set_role(self, "card")
        self._drafters: list[OwnDrafter] = []
        self._can_use = True
        self.heading, self.empty = QLabel(), QLabel()
        set_role(self.heading, "title")
        set_role(self.empty, "quiet")
        self.empty.setWordWrap(True)
        self.use_buttons: list[QPushButton] = []
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

    def show_drafters(self, drafters: list[OwnDrafter]) -> None:
        while self._grid.count():
            item = self._grid.takeAt(0)
            if item is not None and item.widget() is not None:
                item.widget().hide()
                item.widget().deleteLater()
        self._drafters, self.use_buttons = drafters, []
        for row, drafter in enumerate(drafters):
            self._add(row, drafter)
        self._grid.setRowStretch(len(drafters), 1)
        self.empty.setVisible(not drafters)
        self.set_can_use(self._can_use)

    def set_can_use(self, on: bool) -> None:
        self._can_use = on
        for button in self.use_buttons:
            button.setEnabled(on)

    def _add(self, row: int, drafter: OwnDrafter) -> None:
        name, made_for = QLabel(drafter.name), scheme_title(drafter.scheme)
        if drafter.target:
            made_for += " · " + self.tr("for {model}").format(model=drafter.target)
        note = QLabel(made_for)
        set_role(note, "caption")
        for label in (name, note):
            label.setMinimumWidth(40)
            label.setToolTip(str(drafter.folder))
        use, show = QPushButton(self.tr("Use in Chat")), QPushButton(self.tr("Show in Folder"))
        use.setAccessibleName(self.tr("Use {name} in the chat").format(name=drafter.name))
        show.setAccessibleName(self.tr("Show {name} in its folder").format(name=drafter.name))
        set_role(show, "plain")
        use.clicked.connect(lambda: self.use_wanted.emit(drafter))
        show.clicked.connect(lambda: self.folder_wanted.emit(drafter))
        text = QVBoxLayout()
        text.setSpacing(0)
        holder = QWidget()
        holder.setLayout(text)
        text.setContentsMargins(0, 0, 0, 0)
        text.addWidget(name)
        text.addWidget(note)
        self._grid.addWidget(holder, row, 0)
        self._grid.addWidget(show, row, 1)
        self._grid.addWidget(use, row, 2)
        self.use_buttons.append(use)

    def retranslate(self) -> None:
        self.heading.setText(self.tr("Drafters made here"))
        self.empty.setText(self.tr("A drafter that was trained stands here, and in the drafter menu of every pane."))
        self.show_drafters(self._drafters)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)
