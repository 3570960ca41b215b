"""The program starts itself: the same words, through the interpreter or through the bundle's executable."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import engine
from engine.process.launch import command, environment, is_frozen

ROOT = Path(__file__).resolve().parents[3]


def test_interpreter_runs_the_command_line_from_anywhere(tmp_path: Path) -> None:
    assert not is_frozen()
    done = subprocess.run(
        command("--version"),
        cwd=tmp_path,
        env={**os.environ, **environment()},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == f"slipstream {engine.__version__}"


def test_bundle_gives_the_words_to_its_own_executable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "executable", "/Applications/Slipstream.app/Contents/MacOS/Slipstream")
    assert command("lab", "all") == [sys.executable, "lab", "all"]
    assert "PYTHONPATH" not in environment()


def test_what_is_known_to_python_stays_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", "/somewhere")
    assert environment()["PYTHONPATH"] == f"{ROOT}{os.pathsep}/somewhere"


def test_only_this_module_names_the_interpreter() -> None:
    """`sys.executable -m` or `-c` anywhere else breaks the bundle, where no interpreter is."""
    named = {
        str(path.relative_to(ROOT))
        for folder in ("engine", "app")
        for path in (ROOT / folder).rglob("*.py")
        if re.search(r"\bsys\.executable\b", path.read_text(encoding="utf-8"))
    }
    assert named == {"engine/process/launch.py"}
