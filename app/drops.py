"""What is dropped on the window: a trace is opened, a folder becomes the model, a text becomes the prompt."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QMimeData, QObject, Slot

from engine.trace.file import SUFFIX

if TYPE_CHECKING:
    from app.window import Window


class Drops(QObject):
    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._window = window

    def takes(self, data: QMimeData) -> bool:
        return data.hasUrls() or data.hasText()

    def take(self, data: QMimeData) -> bool:
        """Whether there was something in it: the first file, otherwise the text."""
        for url in data.urls():
            if url.isLocalFile():
                self.take_file(url.toLocalFile())
                return True
        if data.hasText():
            self._window.chat.composer.set_prompt(data.text())
            return True
        return False

    @Slot(str)
    def take_file(self, name: str) -> None:
        window, path = self._window, Path(name)
        if path.suffix == SUFFIX:
            window.open_trace(path)
        elif path.is_dir():
            window.arms.set_target(str(path))
        else:
            try:
                window.chat.composer.set_prompt(path.read_text(encoding="utf-8"))
            except (OSError, UnicodeDecodeError):
                window.status.say(
                    lambda: self.tr("{name} is neither a trace, a model folder nor a text: drop one of these.").format(
                        name=path.name
                    )
                )
