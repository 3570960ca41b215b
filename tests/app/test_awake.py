"""The computer stays awake while something runs, on a system that has a tool for it, and sleeps again afterwards."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from PySide6.QtCore import QProcess
from pytestqt.qtbot import QtBot

from app.awake import CAFFEINATE, Awake, command


def test_a_mac_is_kept_awake_for_as_long_as_this_program_lives() -> None:
    assert command("darwin") == [CAFFEINATE, "-i", "-w", str(os.getpid())]
    assert command("linux") == []


def test_nothing_is_started_where_there_is_no_tool(qtbot: QtBot) -> None:
    awake = Awake(words=[])
    awake.set(True)
    assert not awake.is_on
    awake.set(False)


def test_the_tool_runs_while_work_does_and_no_longer(qtbot: QtBot, tmp_path: Path) -> None:
    mark = tmp_path / "began"
    code = f"import pathlib, time; pathlib.Path({str(mark)!r}).write_text('x'); time.sleep(60)"
    awake = Awake(words=[sys.executable, "-c", code])
    awake.set(True)
    awake.set(True)
    qtbot.waitUntil(mark.exists, timeout=20000)
    process = awake._process
    assert isinstance(process, QProcess) and process.state() == QProcess.ProcessState.Running
    awake.set(False)
    assert not awake.is_on and process.state() == QProcess.ProcessState.NotRunning
