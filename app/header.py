"""The bar at the top of the window: which model, which page, export, and run or stop.

Where it is narrow the names of the pages stay whole: first the keys beside Run go, then the model's name is shortened.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QAction, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QButtonGroup, QFrame, QGridLayout, QHBoxLayout, QMenu, QPushButton, QSizePolicy, QWidget

from app.chat import wording
from app.icons import icon
from app.pages import KEYS, titles
from app.style import set_role
from app.theme import Theme

LEAST_PX = 720
MARGIN_PX, GAP_PX, NARROW_GAP_PX = 16, 12, 8
LEAST_NAME_PX, SLACK_PX = 60, 4


class Header(QWidget):
    page_chosen = Signal(str)
    target_chosen = Signal(str)
    folder_wanted = Signal()
    run_wanted = Signal()
    stop_wanted = Signal()

    def __init__(self, export: QMenu, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._running = False
        self._target = "embedded"
        self._recent: list[str] = []
        self._busy = ""
        self.target = QPushButton()
        menu = QMenu(self.target)
        menu.menuAction().setMenuRole(QAction.MenuRole.NoRole)
        self.target.setMenu(menu)
        self.target.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
        self.export = QPushButton()
        self.export.setMenu(export)
        self.run = QPushButton()
        set_role(self.run, "primary")
        self.run.clicked.connect(lambda: self.stop_wanted.emit() if self._running else self.run_wanted.emit())
        self.pages = {key: QPushButton() for key in KEYS}
        self._group = QButtonGroup(self)
        self.track = QFrame()
        set_role(self.track, "track")
        segments = QHBoxLayout(self.track)
        segments.setContentsMargins(2, 2, 2, 2)
        segments.setSpacing(2)
        for key, button in self.pages.items():
            button.setCheckable(True)
            button.setSizePolicy(QSizePolicy.Policy.Minimum, QSizePolicy.Policy.Fixed)
            set_role(button, "segment")
            self._group.addButton(button)
            button.clicked.connect(lambda _=False, key=key: self.page_chosen.emit(key))
            segments.addWidget(button)
        self.pages["chat"].setChecked(True)
        left, right = QHBoxLayout(), QHBoxLayout()
        for side in (left, right):
            side.setSpacing(NARROW_GAP_PX)
        left.addWidget(self.target)
        left.addStretch(1)
        right.addStretch(1)
        right.addWidget(self.export)
        right.addWidget(self.run)
        grid = QGridLayout(self)
        grid.setContentsMargins(MARGIN_PX, 9, MARGIN_PX, 9)
        grid.setHorizontalSpacing(GAP_PX)
        grid.addLayout(left, 0, 0)
        grid.addWidget(self.track, 0, 1)
        grid.addLayout(right, 0, 2)
        grid.setColumnStretch(0, 1)
        grid.setColumnStretch(2, 1)
        self.retranslate()
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.target.setIcon(icon("chevron-down", theme.quiet))
        self.target.setIconSize(QSize(16, 16))
        self._show_run()

    def minimumSizeHint(self) -> QSize:
        return QSize(LEAST_PX, super().minimumSizeHint().height())

    def set_target(self, target: str, recent: list[str]) -> None:
        self._target, self._recent = target, recent
        self.retranslate()

    def set_running(self, on: bool) -> None:
        self._running = on
        self._show_run()

    def set_can_run(self, on: bool) -> None:
        self.run.setEnabled(on or self._running)

    def set_page(self, key: str) -> None:
        self.pages[key].setChecked(True)

    def set_busy(self, key: str) -> None:
        """Marks the page whose work goes on; no page where ``key`` is empty."""
        if key != self._busy:
            self._busy = key
            self._show_pages()

    def _show_pages(self) -> None:
        for key, text in titles().items():
            self.pages[key].setText(f"{text} ●" if key == self._busy else text)
            self.pages[key].setAccessibleName(
                self.tr("{page}, at work").format(page=text) if key == self._busy else text
            )
        self._fit()

    def retranslate(self) -> None:
        name = wording.target_title(self._target)
        self.target.setAccessibleName(self.tr("Target model: {name}").format(name=name))
        self.target.setToolTip(f"{name}\n" + self.tr("The model that writes the text, in all panes"))
        menu = self.target.menu()
        menu.clear()
        for target in dict.fromkeys(("embedded", *self._recent)):
            text = wording.target_title(target)
            action = self._action(
                menu, text if target != "embedded" else self.tr("{name} (embedded)").format(name=text)
            )
            action.setCheckable(True)
            action.setChecked(target == self._target)
            action.triggered.connect(lambda _=False, target=target: self.target_chosen.emit(target))
        menu.addSeparator().setMenuRole(QAction.MenuRole.NoRole)
        self._action(menu, self.tr("Open Model Folder…")).triggered.connect(lambda: self.folder_wanted.emit())
        self._show_pages()
        self.export.setText(self.tr("Export…"))
        self.export.setAccessibleName(self.tr("Export"))
        self._show_run()

    def _action(self, menu: QMenu, text: str) -> QAction:
        action = menu.addAction(text)
        action.setMenuRole(QAction.MenuRole.NoRole)
        return action

    def _show_run(self) -> None:
        text = self._run_text()
        self.run.setAccessibleName(text)
        self.run.setToolTip(
            self.tr("End the run within a round; its text stays")
            if self._running
            else self.tr("Send the prompt, or run the last one again where none is written")
        )
        self._fit()

    def _run_text(self) -> str:
        return self.tr("Stop") if self._running else self.tr("Run")

    def _fit(self) -> None:
        """Gives each part the words that there is room for."""
        name, text = wording.target_title(self._target), self._run_text()
        keys = QKeySequence("Ctrl+." if self._running else "Ctrl+Return").toString(
            QKeySequence.SequenceFormat.NativeText
        )
        self.target.setText(name)
        self.run.setText(f"{text}   {keys}")
        room = self.width() - 2 * (MARGIN_PX + GAP_PX) - NARROW_GAP_PX - SLACK_PX
        parts = (self.target, self.track, self.export, self.run)
        if sum(part.sizeHint().width() for part in parts) > room:
            self.run.setText(text)
        over = sum(part.sizeHint().width() for part in parts) - room
        if over > 0:
            metrics = self.target.fontMetrics()
            left = max(LEAST_NAME_PX, metrics.horizontalAdvance(name) - over)
            self.target.setText(metrics.elidedText(name, Qt.TextElideMode.ElideMiddle, left))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._fit()
