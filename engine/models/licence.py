"""Under which licence a model stands, by what lies in its directory."""

from __future__ import annotations

from pathlib import Path

from engine.models.demo import NAME

LINES = 200
"""Of a model card's head that are looked at."""
EMBEDDED = "Apache-2.0"
"""Of the model that comes with the product (see NOTICE)."""


def licence(path: Path) -> str:
    """As the model card's head states it; empty where nothing does."""
    if path.name == NAME:
        return EMBEDDED
    try:
        with (path / "README.md").open(encoding="utf-8", errors="replace") as file:
            if file.readline().strip() != "---":
                return ""
            for _ in range(LINES):
                key, _, value = file.readline().partition(":")
                if key.strip() == "---" or not key:
                    return ""
                if key.strip() == "license":
                    return value.strip().strip("\"'")
    except OSError:
        pass
    return ""
