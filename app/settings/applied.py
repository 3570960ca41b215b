"""Stored settings that take effect at once: appearance, language, text size, and what is shown."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot

from app.actions import Actions
from app.appearance import Appearance
from app.chat.page import ChatPage
from app.i18n import LANGUAGES, Language
from app.models.endpoint import use_endpoint
from app.runner import Runner
from app.settings.keys import Key
from app.settings.preferences import APPEARANCES, DEFAULT_RESERVE_GB, ORDERS
from app.settings.store import Store
from app.traces.recorder import Recorder

SWITCHES = {
    "legend": Key.SHOW_LEGEND,
    "show_rounds": Key.SHOW_ROUNDS,
    "show_memory": Key.SHOW_MEMORY,
    "system_prompt": Key.SHOW_SYSTEM_PROMPT,
    "without_text": Key.EXPORT_WITHOUT_TEXT,
    "same_sampling": Key.SAME_SAMPLING,
}
"""Actions that are on or off, and where that is stored."""
ON_AT_FIRST = (Key.SHOW_LEGEND, Key.SHOW_ROUNDS, Key.SHOW_MEMORY, Key.SAME_SAMPLING)
CHOICES = (
    ("appearance", Key.APPEARANCE, APPEARANCES),
    ("language", Key.LANGUAGE, LANGUAGES),
    ("order", Key.ORDER, ORDERS),
)


class AppliedSettings(QObject):
    def __init__(
        self,
        store: Store,
        actions: Actions,
        appearance: Appearance,
        language: Language,
        chat: ChatPage,
        recorder: Recorder,
        runner: Runner,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._store, self._actions, self._chat, self._recorder, self._runner = store, actions, chat, recorder, runner
        self._appearance, self._language = appearance, language
        self.show()
        for name, key in SWITCHES.items():
            actions[name].toggled.connect(lambda on, key=key: self.set(key, on))
        for prefix, key, values in CHOICES:
            for value in values:
                actions[f"{prefix}_{value}"].triggered.connect(
                    lambda _=False, key=key, value=value: self.set(key, value)
                )

    def restore(self) -> None:
        """Applies what was stored, where the widgets begin otherwise."""
        for key in (Key.ENDPOINT, Key.MEMORY_RESERVE_GB, Key.SHOW_LEGEND, Key.SHOW_ROUNDS, Key.SHOW_SYSTEM_PROMPT):
            self.apply(key)

    def set(self, key: Key, value: str | bool | int) -> None:
        self._store.set(key, value)
        self.apply(key)
        self.show()

    @Slot(object)
    def changed(self, key: Key) -> None:
        """A setting was stored elsewhere."""
        self.apply(key)
        self.show()

    def show(self) -> None:
        """Ticks in the menus say what is stored."""
        for name, key in SWITCHES.items():
            self._actions[name].setChecked(self._store.flag(key, key in ON_AT_FIRST))
        for prefix, key, values in CHOICES:
            value = self._store.text(key, values[0])
            self._actions[f"{prefix}_{value if value in values else values[0]}"].setChecked(True)

    def resize_text(self, step: int) -> None:
        self._appearance.resize(step)
        self._store.set(Key.TEXT_SIZE, self._appearance.size_px)

    def apply(self, key: Key) -> None:
        store, actions = self._store, self._actions
        if key is Key.APPEARANCE:
            self._appearance.choose(store.text(key, "system"))
        elif key is Key.LANGUAGE:
            self._language.set(store.text(key, "system"))
        elif key is Key.TEXT_SIZE:
            self._appearance.set_size(store.number(key, self._appearance.size_px))
        elif key is Key.SHOW_LEGEND:
            self._chat.show_legend(actions["legend"].isChecked())
        elif key in (Key.SHOW_ROUNDS, Key.SHOW_MEMORY):
            self._chat.show_side(actions["show_rounds"].isChecked(), actions["show_memory"].isChecked())
        elif key is Key.SHOW_SYSTEM_PROMPT:
            self._chat.composer.show_system(actions["system_prompt"].isChecked())
        elif key is Key.ENDPOINT:
            use_endpoint(store.text(key))
        elif key is Key.MEMORY_RESERVE_GB:
            self._runner.reserve_bytes = store.number(key, DEFAULT_RESERVE_GB) << 30
        elif key is Key.TRACE_TEXT:
            self._recorder.keep_text = store.flag(key, True)
