"""The Models page: what is on disk, the known pairs, and a place to fetch more. It decides nothing; what a person wants
leaves it as signals.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QLineEdit, QPushButton, QScrollArea, QVBoxLayout, QWidget

from app import sentences
from app.models import wording, words
from app.models.job_strip import JobStrip
from app.models.row import Button, Row, disk_row, pair_row
from app.page import Page
from app.style import set_role
from app.theme import LIGHT, Theme
from engine.process.shelf import KnownPair, OnDisk, Shelf


class ModelsPage(Page):
    came = Signal()
    """The page was brought to the front."""
    pull_wanted = Signal(object)
    """Hub ids, in their order."""
    use_wanted = Signal(str, str)
    """Target and drafter of the chat's panes; empty leaves it as it is."""
    quantize_wanted = Signal(object)
    remove_wanted = Signal(object)
    folder_wanted = Signal()
    forget_folder_wanted = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        set_role(self, "page")
        self._theme: Theme = LIGHT
        self._shelf: Shelf | None = None
        self._problem = ""
        self._added: tuple[str, ...] = ()
        self.rows: dict[str, Row] = {}
        """By what an arm's target or drafter is set to; pairs by their title."""
        self.title, self.note = QLabel(), QLabel()
        set_role(self.title, "heading")
        set_role(self.note, "quiet")
        self.note.setMinimumWidth(40)
        self.folder = QPushButton()
        self.folder.clicked.connect(self.folder_wanted)
        self.hub = QLineEdit()
        self.hub.textChanged.connect(self._fit)
        self.hub.returnPressed.connect(self._fetch)
        self.fetch = QPushButton()
        set_role(self.fetch, "primary")
        self.fetch.clicked.connect(self._fetch)
        self.strip = JobStrip()
        self.message = QLabel()
        set_role(self.message, "warning")
        self.message.setWordWrap(True)
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self.title)
        head.addSpacing(8)
        head.addWidget(self.note, 1)
        head.addWidget(self.folder)
        get = QHBoxLayout()
        get.setSpacing(8)
        get.addWidget(self.hub, 1)
        get.addWidget(self.fetch)
        self._list = QWidget()
        self._column = QVBoxLayout(self._list)
        self._column.setContentsMargins(0, 0, 6, 0)
        self._column.setSpacing(8)
        self.scroll = QScrollArea()
        self.scroll.setWidgetResizable(True)
        self.scroll.setFrameShape(QFrame.Shape.NoFrame)
        self.scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.scroll.setWidget(self._list)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 14, 16, 14)
        column.setSpacing(12)
        column.addLayout(head)
        column.addLayout(get)
        column.addWidget(self.strip)
        column.addWidget(self.message)
        column.addWidget(self.scroll, 1)
        self.retranslate()

    # --- what it shows

    def set_theme(self, theme: Theme, size_px: int) -> None:
        self._theme = theme
        for row in self.rows.values():
            row.set_theme(theme)

    def shown(self) -> None:
        self.hub.setFocus()
        self.came.emit()

    def show_shelf(self, shelf: Shelf, added: tuple[str, ...] = ()) -> None:
        """``added`` are the folders that a person added here, and can take off the list again."""
        self._shelf, self._problem, self._added = shelf, "", added
        self.retranslate()

    def show_problem(self, sentence: str) -> None:
        self._problem = sentence
        self._say_problem()

    def retranslate(self) -> None:
        self.title.setText(self.tr("Models"))
        self.folder.setText(self.tr("Add Folder…"))
        self.folder.setToolTip(self.tr("Look for models in this folder, too; nothing is copied or changed"))
        self.hub.setPlaceholderText(self.tr("Hub id or address, as mlx-community/SmolLM2-360M-Instruct-4bit"))
        self.hub.setAccessibleName(self.tr("Hub id of a model to fetch"))
        self.fetch.setText(self.tr("Fetch"))
        self._say_problem()
        shelf = self._shelf
        if shelf is None:
            self.note.setText(self.tr("Looking at what is on this disk…"))
        else:
            self.note.setText(
                self.tr(
                    "{free} free on the disk · {memory} GB of memory, {kept} GB of it kept for other programs"
                ).format(
                    free=wording.disk_size(shelf.disk_free_bytes),
                    memory=wording.memory_size(shelf.machine_bytes),
                    kept=wording.memory_size(shelf.reserve_bytes),
                )
            )
            self.note.setToolTip(
                "\n".join(
                    [
                        self.tr("Looked for in:"),
                        *shelf.folders,
                        self.tr("Fetched from {url}").format(url=shelf.endpoint),
                    ]
                )
            )
        self._fill()
        self._fit()

    def _say_problem(self) -> None:
        self.message.setText(sentences.translated(self._problem))
        self.message.setVisible(bool(self._problem))

    def _fill(self) -> None:
        place = self.scroll.verticalScrollBar().value()
        while (item := self._column.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        self.rows = {}
        shelf = self._shelf
        if shelf is None:
            return
        self._section(self.tr("On this disk"))
        for model in shelf.models:
            row = disk_row(model, self._theme)
            row.add_buttons(*self._model_buttons(model))
            self._put(model.use, row)
        for folder in self._added:
            self._put(folder, self._folder_row(folder))
        self._section(self.tr("Known pairs"))
        for pair in shelf.pairs:
            row = pair_row(pair, self._theme)
            row.add_buttons(*self._pair_buttons(pair))
            self._put(wording.pair_title(pair), row)
        self._column.addStretch(1)
        self.scroll.verticalScrollBar().setValue(place)

    def _section(self, text: str) -> None:
        label = QLabel(text)
        set_role(label, "caption")
        label.setContentsMargins(2, 6, 0, 0)
        self._column.addWidget(label)

    def _put(self, key: str, row: Row) -> None:
        self.rows[key] = row
        self._column.addWidget(row)

    def _folder_row(self, folder: str) -> Row:
        row = Row(folder, self.tr("A folder that you added"), self._theme)
        row.add_buttons(
            (
                self.tr("Forget Folder"),
                self.tr("Takes the folder off this list; its files stay"),
                lambda: self.forget_folder_wanted.emit(folder),
            )
        )
        return row

    def _model_buttons(self, item: OnDisk) -> list[Button]:
        buttons: list[Button] = []
        if item.state == "incomplete" and item.hub:
            tip = self.tr("Fetches what is missing; what is here is kept")
            buttons.append((self.tr("Resume"), tip, lambda: self.pull_wanted.emit((item.hub,))))
        if item.state == "whole" and item.kind in ("model", "drafter") and item.bits == 0:
            tip = self.tr("Writes a copy in 4 bits beside it: a fourth of the size, and faster")
            buttons.append((self.tr("Quantise…"), tip, lambda: self.quantize_wanted.emit(item)))
        if item.removable:
            tip = self.tr("Deletes its files from this disk")
            buttons.append((self.tr("Remove…"), tip, lambda: self.remove_wanted.emit(item)))
        if item.state == "whole":
            buttons.append(
                self._use(item.use if item.kind == "model" else "", item.use if item.kind != "model" else "")
            )
        return buttons

    def _pair_buttons(self, pair: KnownPair) -> list[Button]:
        buttons: list[Button] = []
        if pair.pull:
            tip = "\n".join(pair.pull)
            half = self.tr("Fetch Drafter") if pair.pull[0] == pair.drafter_hub else self.tr("Fetch Target")
            text = self.tr("Fetch Both") if len(pair.pull) > 1 else half
            buttons.append((text, tip, lambda: self.pull_wanted.emit(pair.pull)))
        if not pair.missing and pair.target_use and pair.drafter_use:
            buttons.append(self._use(pair.target_use, pair.drafter_use))
        return buttons

    def _use(self, target: str, drafter: str) -> Button:
        tip = self.tr("Sets it in the panes of the chat")
        call: Callable[[], object] = lambda: self.use_wanted.emit(target, drafter)  # noqa: E731
        return self.tr("Use in Chat"), tip, call

    def _fit(self) -> None:
        self.fetch.setEnabled(bool(words.hub_id(self.hub.text())))

    def _fetch(self) -> None:
        repo = words.hub_id(self.hub.text())
        if repo:
            self.hub.clear()
            self.pull_wanted.emit((repo,))

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)
