"""Where things lie on this computer. Directories are named here and made by whoever writes to them.

``SLIPSTREAM_HOME`` gathers all of a user's directories in one place, for tests and for keeping profiles apart.
Neither MLX nor Qt is imported.
"""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs

APP_NAME = "slipstream"
HOME_VARIABLE = "SLIPSTREAM_HOME"


def home() -> Path | None:
    """The directory that stands for all of the user's, where one is set."""
    value = os.environ.get(HOME_VARIABLE, "").strip()
    return Path(value).expanduser().absolute() if value else None


def cache_dir() -> Path:
    """What can be made or fetched again."""
    root = home()
    return root / "cache" if root else Path(platformdirs.user_cache_dir(APP_NAME, appauthor=False))


def data_dir() -> Path:
    """What the user made: traces, trained drafters, reports."""
    root = home()
    return root / "data" if root else Path(platformdirs.user_data_dir(APP_NAME, appauthor=False))


def logs_dir() -> Path:
    root = home()
    return root / "logs" if root else Path(platformdirs.user_log_dir(APP_NAME, appauthor=False))


def models_dir() -> Path:
    """Models converted here, one directory each."""
    return cache_dir() / "models"


def resources_dir() -> Path:
    """What ships with the product: icons, fonts, prompts, translations, demo drafters."""
    return Path(__file__).resolve().parents[1] / "resources"
