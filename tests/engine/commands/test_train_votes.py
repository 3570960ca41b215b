"""``slipstream train votes``: what it leaves behind, what it refuses, that what was fitted before takes no part."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
import pytest

from engine import cli
from engine.drafters.table import save_table
from engine.drafters.votes import FILE, USUAL, Votes, read_votes
from engine.train.conversations import Shard, write_shard
from engine.train.dataset import read_dataset
from engine.train.fit import fit_table
from tests.engine.commands.test_train_drafter import data, tiny, words
from tests.engine.train import trainees

__all__ = ["data", "tiny"]  # fixtures


@pytest.fixture
def drafter(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    save_table(tmp_path / "table", fit_table(read_dataset(data), order=3))
    monkeypatch.setattr("engine.drafters.table.embedded_table", lambda: tmp_path / "table")
    assert cli.main(words(data, tmp_path / "B")) == 0
    capsys.readouterr()
    return tmp_path / "B"


def votes(data: Path, drafter: Path, *more: str) -> list[str]:
    return ["train", "votes", "--drafter", str(drafter), "--data", str(data), "--held-out", "2", *more]


def test_weights_lie_beside_the_drafter(
    data: Path, drafter: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(votes(data, drafter)) == 0
    assert capsys.readouterr().out == f"{drafter / FILE}\n"
    fitted = read_votes(drafter)
    assert fitted != USUAL and fitted.fitted_on.endswith("in 2 answers")
    # A copy that is damaged is no reason not to fit anew, nor does the former one show.
    (drafter / FILE).write_text("{")
    assert cli.main(votes(data, drafter, "--taps", str(tmp_path / "taps"))) == 0
    again = read_votes(drafter)
    assert np.array(again.beside.lookup) == pytest.approx(np.array(fitted.beside.lookup), abs=0.05)
    assert (tmp_path / "taps").is_dir()


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        (["--answers", "0"], "--answers must be 1 or more (got 0)"),
        (["--drafter", "{data}"], "is no drafter that was trained here"),
        (["--held-out", "50"], "holds no held-out answer beside the 4 that judge drafters"),
        (["--data", "{drafter}"], "{drafter}"),
        (["--data", "{data}/train.npz"], "train.npz is a file: name the directory of a data set."),
        (["--taps", "{data}/train.npz"], "train.npz is a file: name a directory for taps (--taps)"),
    ],
)
def test_a_wrong_request_is_one_sentence(
    data: Path, drafter: Path, more: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    more = [word.format(data=data, drafter=drafter) for word in more]
    assert cli.main(votes(data, drafter, *more)) == 2
    err = [line for line in capsys.readouterr().err.splitlines() if line.strip()]
    assert sentence.format(drafter=drafter) in err[-1]
    assert not (drafter / FILE).exists()


def test_another_models_text_is_refused(data: Path, drafter: Path, capsys: pytest.CaptureFixture[str]) -> None:
    held = trainees.conversations(4, seed=9)
    held.tokens[3] = 900
    write_shard(data / "held.npz", Shard(held))
    assert cli.main(votes(data, drafter)) == 2
    assert "it is another model's" in capsys.readouterr().err


def test_a_stop_leaves_everything_as_it_was(
    data: Path, drafter: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("engine.process.job.Job.cancelled", lambda self: True)
    (drafter / FILE).write_bytes(msgspec.json.encode(Votes(fitted_on="before")))
    assert cli.main(votes(data, drafter)) == 130
    assert "Stopped" in capsys.readouterr().err
    assert read_votes(drafter).fitted_on == "before"
