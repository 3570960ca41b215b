"""Where a prompt is written: Return sends, Shift+Return begins a line, Up in an empty editor recalls the last prompt.

Return is handled in the editor and only while no input method is composing: for a person writing Chinese it confirms a
candidate and must not send.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QMimeData, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QInputMethodEvent, QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from app.chat import presets
from app.icons import icon
from app.style import set_role
from app.theme import Theme

EDITOR_LINES = 5
CONTROL_PX = 40


class Editor(QPlainTextEdit):
    sent = Signal()
    recalled = Signal()
    file_dropped = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._composing = False
        self.setTabChangesFocus(True)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.WidgetWidth)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        set_role(self, "composer")
        self.document().setDocumentMargin(2)
        self.document().contentsChanged.connect(self._fit)
        self._fit()

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        self._composing = bool(event.preeditString())
        super().inputMethodEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        shifted = event.modifiers() & (Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.AltModifier)
        if enter and not shifted and not self._composing:
            self.sent.emit()
            return
        if event.key() == Qt.Key.Key_Up and not self.toPlainText() and not self._composing:
            self.recalled.emit()
            return
        super().keyPressEvent(event)

    def insertFromMimeData(self, source: QMimeData) -> None:
        for url in source.urls():
            if url.isLocalFile():
                self.file_dropped.emit(url.toLocalFile())
                return
        super().insertFromMimeData(source)

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        return source.hasUrls() or super().canInsertFromMimeData(source)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._fit()

    def _fit(self) -> None:
        """As high as its text, up to a few lines."""
        lines = min(EDITOR_LINES, max(1, self.document().blockCount(), round(self.document().size().height())))
        height = max(CONTROL_PX, lines * self.fontMetrics().lineSpacing() + 24)
        if self.height() != height or self.minimumHeight() != height:
            self.setFixedHeight(height)


class Composer(QWidget):
    sent = Signal(str)
    stopped = Signal()
    recalled = Signal()
    file_dropped = Signal(str)
    system_changed = Signal(str)
    said = Signal(object)
    """Why what is written is not sent at once, ``Said``."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._running = False
        self._stopping = False
        self._waiting = False
        """What is written is to be sent once the run has stopped."""
        self._panes = 2
        self.editor = Editor()
        self.editor.sent.connect(self.send)
        self.editor.recalled.connect(self.recalled)
        self.editor.file_dropped.connect(self.file_dropped)
        self.presets = QPushButton()
        menu = QMenu(self.presets)
        menu.menuAction().setMenuRole(menu.menuAction().MenuRole.NoRole)
        self.presets.setMenu(menu)
        self.send_button = QPushButton()
        set_role(self.send_button, "primary")
        self.send_button.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
        self.send_button.clicked.connect(self._button)
        for button in (self.presets, self.send_button):
            button.setFixedHeight(CONTROL_PX)
            button.setIconSize(QSize(16, 16))
        self.presets.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
        self.system_label = QLabel()
        set_role(self.system_label, "caption")
        self.system = QPlainTextEdit()
        self.system.setTabChangesFocus(True)
        self.system.setFixedHeight(56)
        self.system.document().setDocumentMargin(0)
        self.system.textChanged.connect(lambda: self.system_changed.emit(self.system.toPlainText().strip()))
        self.system_label.setBuddy(self.system)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.editor, 1)
        row.addWidget(self.presets, 0, Qt.AlignmentFlag.AlignBottom)
        row.addWidget(self.send_button, 0, Qt.AlignmentFlag.AlignBottom)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(self.system_label)
        column.addWidget(self.system)
        column.addLayout(row)
        self.show_system(False)
        self.retranslate()
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.presets.setIcon(icon("chevron-down", theme.quiet))
        self._show_button()

    def show_system(self, on: bool) -> None:
        self.system_label.setVisible(on)
        self.system.setVisible(on)

    def set_running(self, on: bool) -> None:
        self._running, self._stopping = on, False
        self._show_button()
        if not on and self._waiting:
            self._waiting = False
            # After everyone else has heard of the end: only then can another run begin.
            QTimer.singleShot(0, self, self.send)

    def set_stopping(self) -> None:
        """The run is asked to stop: what is sent from now on waits for its end."""
        self._stopping = self._running

    def set_panes(self, count: int) -> None:
        self._panes = count
        self.retranslate()

    def set_prompt(self, text: str) -> None:
        """Puts text into the editor, ready to be changed or sent."""
        self.editor.setPlainText(text)
        cursor = self.editor.textCursor()
        cursor.movePosition(cursor.MoveOperation.End)
        self.editor.setTextCursor(cursor)
        self.editor.setFocus()

    def send(self) -> None:
        text = self.editor.toPlainText().strip()
        if not text:
            return
        if not self._running:
            self.editor.clear()
            self.sent.emit(text)
        elif self._stopping:
            self._waiting = True
            self.said.emit(lambda: self.tr("The prompt is sent as soon as the run has stopped."))
        else:
            self.said.emit(lambda: self.tr("An answer is being written: stop it first, or send this afterwards."))

    def _button(self) -> None:
        if self._running:
            self.stopped.emit()
        else:
            self.send()

    def _show_button(self) -> None:
        text = self.tr("Stop") if self._running else self.tr("Send")
        self.send_button.setText(text)
        self.send_button.setAccessibleName(text)
        self.send_button.setIcon(icon("stop" if self._running else "send", self._theme.on_accent))

    def retranslate(self) -> None:
        ask = {1: self.tr("Ask…"), 2: self.tr("Ask both…")}.get(self._panes, self.tr("Ask all…"))
        self.editor.setPlaceholderText(ask)
        self.editor.setAccessibleName(self.tr("Prompt"))
        self.presets.setText(self.tr("Presets"))
        self.presets.setAccessibleName(self.tr("Presets"))
        self.presets.setToolTip(self.tr("Prompts by task, to compare like with like"))
        self.system_label.setText(self.tr("System prompt, for all panes"))
        self.system.setAccessibleName(self.tr("System prompt, for all panes"))
        self.system.setPlaceholderText(self.tr("You are a helpful assistant."))
        self._show_button()
        self._fill_presets()

    def _fill_presets(self) -> None:
        menu = self.presets.menu()
        menu.clear()
        for language, heading in (("en", "English"), ("zh_CN", "中文")):
            section = menu.addSection(heading)
            section.setMenuRole(section.MenuRole.NoRole)
            for task in presets.load()[language]:
                branch = menu.addMenu(task.task)
                branch.menuAction().setMenuRole(section.MenuRole.NoRole)
                for preset in task.presets:
                    action = branch.addAction(preset.title)
                    action.setMenuRole(action.MenuRole.NoRole)
                    action.triggered.connect(lambda _=False, text=preset.prompt: self.set_prompt(text))

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)
