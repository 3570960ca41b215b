"""Folders with drafters trained here: the usual one first, then every other one that was chosen for them, oldest first.

The drafter menu and the Train page both read this list. A folder that isn't there now (a disk that isn't plugged in)
stays in the list; whoever looks into it finds nothing. Each place is listed once, by its real path, so that a drafter
has one path wherever it is spoken of.
"""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from app import paths
from app.settings.keys import Key
from app.settings.store import Store


def drafter_folders(store: Store) -> list[Path]:
    # The folder that is chosen now may be older than the list.
    others = [*store.strings(Key.DRAFTER_FOLDERS), store.text(Key.TRAIN_DIR)]
    return list(dict.fromkeys([paths.drafters_dir(), *(placed(other) for other in others if other)]))


def remember_folder(store: Store, folder: str | Path) -> None:
    others = [str(other) for other in drafter_folders(store)[1:]]
    place = placed(folder)
    if place != paths.drafters_dir() and str(place) not in others:
        others.append(str(place))
    store.set(Key.DRAFTER_FOLDERS, msgspec.json.encode(others).decode())


def placed(folder: str | Path) -> Path:
    """The one path under which a folder is listed, without links and relative steps."""
    usual = paths.drafters_dir()
    real = os.path.realpath(Path(folder).expanduser())
    return usual if real == os.path.realpath(usual) else Path(real)
