"""Scripted long jobs for a window under test."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

from pytestqt.qtbot import QtBot

from app.window import Window

MOST_MS = 30000


def scripted(mode: str = "", after: int = 12, wait_in: str = "") -> Callable[[Sequence[str]], list[str]]:
    """``wait_in`` is a stage in which the job waits until it is stopped."""
    own = ["--mode", mode, "--after", str(after), "--wait-in", wait_in]
    return lambda words: [sys.executable, "-m", "tests.fake_jobs", *own, "--", *words, "--progress", "json"]


def wait_for_end(qtbot: QtBot, window: Window) -> None:
    qtbot.waitUntil(lambda: not window.work.jobs.running, timeout=MOST_MS)
