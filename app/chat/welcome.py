"""What a person should know at the first launch, in three sentences, with one button that begins.

It goes with the first answer, or when it is closed, and doesn't come back.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.chat import presets
from app.icons import icon
from app.style import set_role
from app.theme import Theme

FIRST_TASK, FIRST_PRESET = 1, 1
"""Copy and edit, Repeat: an answer that repeats its prompt is where a drafter without weights has most to find."""


class Welcome(QFrame):
    closed = Signal()
    prompt_wanted = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        set_role(self, "banner")
        self.sentences = [QLabel() for _ in range(3)]
        self.try_button, self.close_button = QPushButton(), QPushButton()
        set_role(self.try_button, "primary")
        set_role(self.close_button, "plain")
        self.try_button.clicked.connect(lambda: self.prompt_wanted.emit(first_prompt(self._language())))
        self.close_button.clicked.connect(self.closed)
        text = QVBoxLayout()
        text.setSpacing(4)
        for label in self.sentences:
            label.setWordWrap(True)
            text.addWidget(label)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 10, 8, 10)
        row.setSpacing(12)
        row.addLayout(text, 1)
        row.addWidget(self.try_button)
        row.addWidget(self.close_button, 0, Qt.AlignmentFlag.AlignTop)
        self.retranslate()
        self.set_theme(theme)
        self.hide()

    def set_theme(self, theme: Theme) -> None:
        self.close_button.setIcon(icon("close", theme.quiet))

    def retranslate(self) -> None:
        task, title = first_titles(self._language())
        for label, text in zip(
            self.sentences,
            (
                self.tr(
                    "The same model answers in both panes: on the left it writes token by token, on the right a "
                    "drafter guesses ahead and the model checks the guesses."
                ),
                self.tr("Begin with Presets › {task} › {preset}: there guessing ahead has most to find.").format(
                    task=task, preset=title
                ),
                self.tr(
                    "Then try a question of your own, or add a pane with Run › Add Pane; speed, ratio and verdict say "
                    "whether it helped."
                ),
            ),
            strict=True,
        ):
            label.setText(text)
        self.try_button.setText(self.tr("Try It"))
        self.try_button.setAccessibleName(self.tr("Try {preset}").format(preset=title))
        self.close_button.setAccessibleName(self.tr("Close the introduction"))
        self.close_button.setToolTip(self.tr("Close the introduction"))

    def _language(self) -> str:
        return self.tr("en", "the language of the presets: en or zh_CN")

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)


def first_titles(language: str) -> tuple[str, str]:
    """Task and preset that a person begins with, as the Presets menu names them."""
    task = presets.load()[language][FIRST_TASK]
    return task.task, task.presets[FIRST_PRESET].title


def first_prompt(language: str) -> str:
    return presets.load()[language][FIRST_TASK].presets[FIRST_PRESET].prompt
