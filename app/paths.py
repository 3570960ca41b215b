"""Where files of the program live: its own resources, and the user's data and log directories.

The user's directories come from platformdirs; ``SLIPSTREAM_HOME`` puts all of them under one directory (an empty
profile for a bug report or a test). Nothing is created here before it is asked for.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import platformdirs

from engine import paths

APP_NAME = "Slipstream"
RESOURCES = Path(__file__).resolve().parent.parent / "resources"


def _user(kind: str) -> Path:
    home = os.environ.get("SLIPSTREAM_HOME")
    if home:
        path = Path(home) / kind
    elif kind == "logs":
        path = platformdirs.user_log_path(APP_NAME, appauthor=False)
    else:
        path = platformdirs.user_data_path(APP_NAME, appauthor=False) / kind
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError:
        # A profile that can't be written must not keep the window from opening.
        path = Path(tempfile.mkdtemp(prefix=f"{APP_NAME}-{kind}-"))
    return path


def traces_dir() -> Path:
    """Sessions, written as they happen."""
    return _user("traces")


def logs_dir() -> Path:
    return _user("logs")


def lab_dir() -> Path:
    """Runs of the lab, a directory each."""
    return paths.data_dir() / "lab"


def drafters_dir() -> Path:
    """Drafters trained here, a directory each; they count among the user's own models."""
    return paths.data_dir() / "models" / "drafters"
