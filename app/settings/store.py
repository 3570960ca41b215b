"""Typed reading and writing of the persisted settings. A value that can't be read any more counts as absent."""

from __future__ import annotations

import msgspec
from PySide6.QtCore import QByteArray, QSettings

from app.settings.arms import default_arms
from app.settings.keys import Key
from engine.trace.events import Arm

RECENT_LIMIT = 12


class Store:
    def __init__(self, settings: QSettings | None = None) -> None:
        self._settings = settings or QSettings()

    def text(self, key: Key, default: str = "") -> str:
        value = self._settings.value(key.value)
        return value if isinstance(value, str) else default

    def flag(self, key: Key, default: bool) -> bool:
        value = self._settings.value(key.value)
        if isinstance(value, bool):
            return value
        return value == "true" if isinstance(value, str) else default

    def number(self, key: Key, default: int) -> int:
        value = self._settings.value(key.value)
        try:
            return int(value)
        except (TypeError, ValueError):
            return default

    def blob(self, key: Key) -> QByteArray | None:
        value = self._settings.value(key.value)
        return value if isinstance(value, QByteArray) and not value.isEmpty() else None

    def strings(self, key: Key) -> list[str]:
        try:
            return msgspec.json.decode(self.text(key, "[]"), type=list[str])
        except msgspec.MsgspecError:
            return []

    def set(self, key: Key, value: str | bool | int | QByteArray) -> None:
        self._settings.setValue(key.value, value)

    def remove(self, key: Key) -> None:
        self._settings.remove(key.value)

    def push_recent(self, key: Key, item: str) -> None:
        """Puts ``item`` first in a list of recent things."""
        items = [item, *(other for other in self.strings(key) if other != item)]
        self.set(key, msgspec.json.encode(items[:RECENT_LIMIT]).decode())

    def arms(self) -> tuple[Arm, ...]:
        try:
            arms = msgspec.json.decode(self.text(Key.ARMS), type=tuple[Arm, ...])
        except msgspec.MsgspecError:
            return default_arms()
        names = {arm.name for arm in arms}
        return arms if arms and len(names) == len(arms) else default_arms()

    def set_arms(self, arms: tuple[Arm, ...]) -> None:
        self.set(Key.ARMS, msgspec.json.encode(arms).decode())

    def sync(self) -> None:
        self._settings.sync()
