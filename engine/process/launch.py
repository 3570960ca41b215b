"""How this program starts itself once more: the engine, a job, a check, each as a process of its own.

    subprocess.Popen(command("lab", "all", "--progress", "json"), env={**os.environ, **environment()})

In a bundle there is no interpreter to call: the same executable takes the same words (``packaging/entry.py``). Whoever
starts a process of ours asks here; ``sys.executable`` stands nowhere else. Neither Qt nor MLX is imported.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

MODULE = "engine.cli"
PAINT = "--paint"
"""Instead of opening the window: paint it once, say what was seen, end."""


def is_frozen() -> bool:
    """This is the bundle's executable, not a Python interpreter."""
    return bool(getattr(sys, "frozen", False))


def command(*words: str) -> list[str]:
    """``slipstream`` with these words, run by what runs now."""
    return [sys.executable, *words] if is_frozen() else [sys.executable, "-m", MODULE, *words]


def environment() -> dict[str, str]:
    """What such a process needs in its environment beside what is there."""
    extra = {"PYTHONUNBUFFERED": "1"}
    if not is_frozen():
        root = str(Path(__file__).resolve().parents[2])
        known = os.environ.get("PYTHONPATH", "")
        extra["PYTHONPATH"] = root + os.pathsep + known if known else root
    return extra
