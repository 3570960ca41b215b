"""Drafters trained on this computer: what lies in the user's own folders. No Qt here."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Sequence
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


def own_drafters(folders: Iterable[Path] | None = None) -> list[OwnDrafter]:
    """Folder by folder, newest first in each; each drafter once. None: the usual folder alone."""
    found: dict[str, OwnDrafter] = {}
    for base in (paths.drafters_dir(),) if folders is None else folders:
        for own in _drafters_in(base):
            found.setdefault(os.path.realpath(own.folder), own)
    return list(found.values())


def names_of(drafters: Sequence[OwnDrafter]) -> list[str]:
    """Their names; where several are named alike, each with the name of the folder that it is in."""
    count = Counter(own.name for own in drafters)
    return [f"{own.name} ({own.folder.parent.name})" if count[own.name] > 1 else own.name for own in drafters]


def _drafters_in(base: Path) -> list[OwnDrafter]:
    """Nothing where the folder isn't there or can't be read."""
    try:
        inside = [path for path in base.iterdir() if path.is_dir() and path.name[0] != "."]
        inside.sort(key=lambda path: path.stat().st_mtime, reverse=True)
    except OSError:
        return []
    return [own for path in inside[:MOST] if (own := read_own(path)) is not None]
