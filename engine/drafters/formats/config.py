"""A checkpoint's config.json, read field by field: what nobody read is either known to be harmless, or refused by name.

A field that is null is a field that is not there. Refusals are one sentence: which file, which field, what to do.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, NoReturn

from engine.drafters.formats.harmless import BOOKKEEPING
from engine.models.errors import ModelError

_REQUIRED: Final = object()


class Config:
    """One JSON object. ``where`` begins every refusal: the file, and the path of the object in it."""

    def __init__(self, fields: dict[str, Any], where: str) -> None:
        self.fields, self.where = fields, where
        self.read: set[str] = set()

    def refuse(self, what: str, do: str = "Use a checkpoint in one of the formats of docs/drafters.md.") -> NoReturn:
        raise ModelError(f"{self.where} {what}. {do}")

    def has(self, name: str) -> bool:
        return self.fields.get(name) is not None

    def get(self, name: str, default: Any = None) -> Any:
        self.read.add(name)
        value = self.fields.get(name)
        return default if value is None else value

    def integer(self, name: str, default: Any = _REQUIRED) -> int:
        value = self._wanted(name, default)
        if isinstance(value, bool) or not isinstance(value, int):
            self.refuse(f"has '{name}' {value!r}, which is not a whole number")
        return value

    def number(self, name: str, default: Any = _REQUIRED) -> float:
        value = self._wanted(name, default)
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            self.refuse(f"has '{name}' {value!r}, which is not a number")
        return float(value)

    def boolean(self, name: str, default: Any = _REQUIRED) -> bool:
        value = self._wanted(name, default)
        if not isinstance(value, bool):
            self.refuse(f"has '{name}' {value!r}, which is neither true nor false")
        return value

    def text(self, name: str, default: Any = _REQUIRED) -> str:
        value = self._wanted(name, default)
        if not isinstance(value, str):
            self.refuse(f"has '{name}' {value!r}, which is not a text")
        return value

    def integers(self, name: str, default: Any = _REQUIRED) -> tuple[int, ...]:
        value = self._wanted(name, default)
        if not isinstance(value, (list, tuple)) or any(isinstance(i, bool) or not isinstance(i, int) for i in value):
            self.refuse(f"has '{name}' {value!r}, which is not a list of whole numbers")
        return tuple(value)

    def table(self, name: str) -> Config:
        """An object inside, empty where it is missing."""
        value = self.get(name, {})
        if not isinstance(value, dict):
            self.refuse(f"has '{name}' {value!r}, which is not an object")
        return Config(value, f"{self.where}: '{name}'")

    def only(self, name: str, *allowed: Any) -> None:
        """Refuse any value of a field but the ones the modules compute."""
        value = self.get(name)
        if value is not None and value not in allowed:
            self.refuse(f"has '{name}' {value!r}, which changes the mathematics in a way not computed here")

    def finish(self, harmless: Iterable[str] = ()) -> None:
        """Refuse what nobody read and nobody knows to be harmless."""
        known = self.read | BOOKKEEPING | set(harmless)
        for name, value in self.fields.items():
            if value is not None and name not in known:
                self.refuse(
                    f"has the field '{name}' ({value!r}), which isn't known here and may change the mathematics"
                )

    def _wanted(self, name: str, default: Any) -> Any:
        value = self.get(name, default)
        if value is _REQUIRED:
            self.refuse(f"has no '{name}', which a drafter needs")
        return value
