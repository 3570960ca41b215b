"""The prompts of the Presets menu, from ``resources/prompts/presets.json``: by language, then by task."""

from __future__ import annotations

import msgspec

from app.paths import RESOURCES


class Preset(msgspec.Struct, frozen=True):
    title: str
    prompt: str


class Task(msgspec.Struct, frozen=True):
    task: str
    presets: tuple[Preset, ...]


def load() -> dict[str, tuple[Task, ...]]:
    """Tasks by language (``en``, ``zh_CN``)."""
    text = (RESOURCES / "prompts" / "presets.json").read_bytes()
    return msgspec.json.decode(text, type=dict[str, tuple[Task, ...]])
