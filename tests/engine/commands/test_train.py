from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from engine import cli
from engine import target as target_module
from engine.commands import train
from engine.drafters.table import load_table
from engine.train import dataset
from engine.train.conversations import Shard, write_json
from engine.train.dataset import read_dataset
from engine.train.left_taps import taps_files
from tests.engine.train.test_imports import foreign
from tests.engine.train.texts import chat_target

SMALL = ["--rows", "5", "--length", "90", "--languages", "en=1"]


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(target_module, "load_target", lambda name: chat_target(seed=3))


@pytest.fixture
def openers(tmp_path: Path) -> Path:
    file = tmp_path / "openers.json"
    groups = [{"task": "open", "language": "en", "texts": ["TELL", "WHY", "HOW"], "turn_tokens": 8}]
    file.write_text(json.dumps({"groups": groups}))
    return file


def test_text_is_made_and_a_table_fitted_to_it(
    tmp_path: Path, tiny: None, openers: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = ["train", "data", "--out", str(tmp_path / "d"), "--tokens", "600", "--openers", str(openers), *SMALL]
    assert cli.main([*data, "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["raw"]["answer_tokens"] >= 600
    assert facts["recipe"]["rows"] == 5
    assert cli.main(data) == 0  # nothing is left to do
    assert f"{facts['raw']['conversations']} conversations" in capsys.readouterr().out
    assert (
        cli.main(["train", "table", "--data", str(tmp_path / "d"), "--out", str(tmp_path / "t"), "--order", "3"]) == 0
    )
    table = load_table(tmp_path / "t")
    assert table.order == 3
    assert table.about["answer_tokens"] == facts["train"]["answer_tokens"]
    assert "contexts:" in capsys.readouterr().out


def test_taps_are_kept_as_text_is_written(
    tmp_path: Path, tiny: None, openers: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = ["train", "data", "--out", str(tmp_path / "d"), "--tokens", "300", "--openers", str(openers), *SMALL]
    assert cli.main([*data, "--taps-gb", "0"]) == 0
    assert "  taps  " not in capsys.readouterr().out
    assert not taps_files(tmp_path / "d")
    more = [*data[:5], "900", *data[6:], "--taps-gb", "1"]
    assert cli.main([*more, "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    kept, of = facts["taps"]["conversations"], facts["raw"]["conversations"]
    assert 0 < kept < of, "of the text that is written from then on"
    assert cli.main(more) == 0
    assert f"  taps       of {kept} of {of} conversations, 0.00 GB" in capsys.readouterr().out
    assert {np.load(file).shape[1:] for file in taps_files(tmp_path / "d")} == {(2, 32)}


def test_rounds_are_those_of_the_waves_that_are_there(
    tmp_path: Path, tiny: None, openers: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = ["train", "data", "--out", str(tmp_path / "d"), "--openers", str(openers), *SMALL]
    data += ["--rows", "1", "--json", "--tokens"]

    def rounds(tokens: int) -> int:
        assert cli.main([*data, str(tokens)]) == 0
        return int(json.loads(capsys.readouterr().out)["recipe"]["rounds"])

    assert rounds(0) == 1
    assert rounds(720) == 2, "no wave had been written"
    assert rounds(1080) == 2
    # A data set of before there were rounds goes on as it was.
    data[3] = str(tmp_path / "old")
    assert rounds(100) == 1
    manifest = dataset.read_manifest(tmp_path / "old")
    del manifest["recipe"]["rounds"]
    write_json(tmp_path / "old" / "dataset.json", manifest)
    assert cli.main([*data, "720"]) == 0
    assert "rounds" not in json.loads(capsys.readouterr().out)["recipe"]


def test_another_file_is_taken_over_without_writing_text(
    tmp_path: Path, tiny: None, capsys: pytest.CaptureFixture[str]
) -> None:
    file = foreign(tmp_path / "other.npz")
    assert cli.main(["train", "data", "--out", str(tmp_path / "d"), "--tokens", "0", "--from", str(file)]) == 0
    assert "40 conversations" in capsys.readouterr().err
    data = read_dataset(tmp_path / "d")
    assert len(data.held.starts) == 4


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--tokens", "-1"], "--tokens must be 0 or more (got -1)"),
        (["--taps-gb", "-1"], "--taps-gb must be from 0 to 1000000 (got -1.0)"),
        (["--length", "3"], "--length must be 16 or more"),
        (["--temperature", "0"], "--temperature must be above 0"),
        (["--languages", "fr=1"], "write en=8,zh=1,mixed=1"),
        (["--prompts", "none.txt"], "none.txt can't be read"),
        (["--prompts", "a", "--openers", "b"], "exclude each other"),
        (["--from", "none.npz"], "There is no file none.npz"),
    ],
)
def test_wrong_requests_are_one_sentence(
    tmp_path: Path, tiny: None, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    assert cli.main(["train", "data", "--out", str(tmp_path / "d"), "--tokens", "10", *words]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "is no data set"),
        (["--data", __file__], "is a file: name the directory of a data set."),
        (["--order", "1"], "--order must be from 2 to 8"),
        (["--megabytes", "0"], "--megabytes must be above 0"),
    ],
)
def test_wrong_requests_for_a_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    assert cli.main(["train", "table", "--data", str(tmp_path), "--out", str(tmp_path / "t"), *words]) == 2
    err = capsys.readouterr().err
    assert message in err and "Errno" not in err


def test_a_full_disk_is_one_sentence_and_loses_nothing(
    tmp_path: Path, tiny: None, openers: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    data = ["train", "data", "--out", str(tmp_path / "d"), "--tokens", "1200", "--openers", str(openers), *SMALL]
    whole = [*data[:3], str(tmp_path / "whole"), *data[4:]]
    assert cli.main(whole) == 0
    capsys.readouterr()
    real = dataset.write_shard

    def full(path: Path, shard: Shard) -> None:
        if path.name == "wave-000001.npz":
            raise OSError(errno.ENOSPC, "No space left on device")
        real(path, shard)

    with monkeypatch.context() as patch:
        patch.setattr(dataset, "write_shard", full)
        assert cli.main(data) == 2
    err = capsys.readouterr().err
    (line,) = [line for line in err.splitlines() if "slipstream:" in line]
    assert f"{tmp_path / 'd'} can't be written (no space left on device)" in line and "go on" in line
    assert [file.name for file in (tmp_path / "d" / "raw").iterdir()] == ["wave-000000.npz"]
    assert cli.main(data) == 0
    parts = [(tmp_path / name / "train.npz").read_bytes() for name in ("d", "whole")]
    assert parts[0] == parts[1]


def test_a_file_of_prompts_shows_how_many_are_answered(
    tmp_path: Path, tiny: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(train, "NOTE_EVERY_S", 0.0)
    prompts = tmp_path / "mine.txt"
    prompts.write_text("".join(f"ASK {i}\n" for i in range(12)))
    assert cli.main(["train", "data", "--out", str(tmp_path / "d"), "--prompts", str(prompts), *SMALL]) == 0
    lines = [line for line in capsys.readouterr().err.splitlines() if line.startswith("answers:")]
    assert any(" of 12 prompts, " in line and line.endswith(" left") for line in lines)
    assert not any("1000000" in line for line in lines)


STOPPED = """
import sys
from engine import cli
from engine import target as target_module
from tests.engine.train.texts import chat_target

target_module.load_target = lambda name: chat_target(seed=3)
sys.exit(cli.main(sys.argv[1:]))
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_it_and_leaves_a_whole_data_set(tmp_path: Path, openers: Path, number: int) -> None:
    words = ["train", "data", "--out", str(tmp_path / "d"), "--tokens", "1000000000", "--openers", str(openers), *SMALL]
    process = subprocess.Popen(
        [sys.executable, "-c", STOPPED, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        until = time.monotonic() + 120
        while not (tmp_path / "d/raw/wave-000001.npz").exists():
            assert process.poll() is None
            assert time.monotonic() < until
            time.sleep(0.02)
        os.kill(process.pid, number)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130
    assert "Give the same command again" in err
    data = read_dataset(tmp_path / "d")
    assert f"{data.manifest['raw']['conversations']} conversations" in out
    assert np.unique(data.train.prompt_hashes).size == len(data.train.starts) > 0
