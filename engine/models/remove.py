"""Take a model away. Only what is listed as a model can be removed, so that no slip of a path removes anything else."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from engine.models import files, places
from engine.models.errors import ModelError
from engine.models.pull import remove_from_cache, repository_dir

REMOVABLE = ("hub", "own", "lmstudio")


def remove(name: str, folders: Sequence[Path] = ()) -> int:
    """By hub id or by path; the bytes that came free. Raises ``ModelError``, one sentence."""
    if name == "embedded":
        raise ModelError("The embedded model belongs to the program and can't be removed.")
    if name.count("/") == 1 and repository_dir(name).is_dir():
        return remove_from_cache(name)
    path = Path(name).expanduser()
    wanted = path.resolve()
    found = next((item for item in places.find_all(folders) if item.path.resolve() == wanted), None)
    if found is None:
        raise ModelError(f"'{name}' is no model that `slipstream models list` names: nothing was removed.")
    if found.hub:
        return remove_from_cache(found.hub)
    if found.place not in REMOVABLE:
        raise ModelError(f"{path} lies in a folder of yours that this program only reads. Remove it by hand.")
    size = files.size_bytes(path)
    gone = path.with_name(f".removed-{path.name}-{os.getpid()}")
    try:
        path.rename(gone)
        shutil.rmtree(gone)
    except OSError as error:
        raise ModelError(f"{path} can't be removed ({error.strerror or error}). Remove it by hand.") from error
    return size
