"""Drafters trained on this computer: what lies in the user's own folder. No Qt here."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app import paths
from app.drafters.schemes import Scheme, scheme_of_folder

MOST = 100


@dataclass(frozen=True, slots=True)
class OwnDrafter:
    folder: Path
    scheme: Scheme
    target: str = ""
    """Name of the model it was trained for, as its card says; empty where it doesn't."""

    @property
    def name(self) -> str:
        return self.folder.name


def read_own(folder: Path) -> OwnDrafter | None:
    """None where the folder holds no drafter that can be used."""
    scheme = scheme_of_folder(folder)
    if scheme is Scheme.UNKNOWN:
        return None
    try:
        config = json.loads((folder / "config.json").read_bytes())
    except (OSError, ValueError):
        return None
    return OwnDrafter(folder, scheme, target_of(config))


def target_of(config: dict[str, Any]) -> str:
    about = config.get("about")
    for place in (about if isinstance(about, dict) else {}, config):
        if isinstance(place.get("target"), str):
            return place["target"]
    return ""


def own_drafters(base: Path | None = None) -> list[OwnDrafter]:
    """Newest first."""
    try:
        inside = [path for path in (base or paths.drafters_dir()).iterdir() if path.is_dir() and path.name[0] != "."]
        inside.sort(key=lambda path: path.stat().st_mtime, reverse=True)
    except OSError:
        return []
    return [own for path in inside[:MOST] if (own := read_own(path)) is not None]
