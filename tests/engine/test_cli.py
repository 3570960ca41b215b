"""The command as a whole: every room is behind its door, and a wrong call is one line."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from engine.cli import main

SESSION = Path(__file__).resolve().parents[1] / "golden" / "session.slipstream"


@pytest.mark.parametrize(
    "argv",
    [
        ["compare", "--prompt", "x", "--max-tokens", "many"],
        ["compare"],
        ["dance"],
        ["models", "check"],
        ["trace", "export", "x", "--to", "pdf"],
    ],
)
def test_a_wrong_call_is_one_line_and_exit_status_2(argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(argv)
    assert ended.value.code == 2
    said = capsys.readouterr()
    assert len(said.err.splitlines()) == 1
    assert said.err.startswith("slipstream")
    assert said.out == ""


def test_known_pairs_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["models", "list", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["pairs"]


def test_a_reader_that_has_read_enough_is_no_error() -> None:
    command = [sys.executable, "-m", "engine.cli", "trace", "export", str(SESSION), "--to", "html", "-o", "-"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait(60) == 0
