"""``slipstream train judge``: the card says what came of it, drafters are compared, nothing else of them changes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine import cli
from tests.engine.commands.test_train_drafter import data, tiny, words

__all__ = ["data", "tiny"]  # fixtures


@pytest.fixture
def drafter(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    assert cli.main(words(data, tmp_path / "B")) == 0
    capsys.readouterr()
    return tmp_path / "B"


def judge(data: Path, *more: str) -> list[str]:
    return ["train", "judge", "--data", str(data), *more]


def test_the_card_is_written_anew(data: Path, drafter: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = {file.name: file.read_bytes() for file in drafter.iterdir()}
    assert cli.main(judge(data, "--drafter", str(drafter), "--held-out", "2", "--skip", "1")) == 0
    out = capsys.readouterr().out
    assert out.startswith(f"{drafter}: ") and out.endswith(" tokens per target forward on 2 answers\n")
    after = {file.name: file.read_bytes() for file in drafter.iterdir()}
    assert {name for name in after if after[name] != before[name]} == {"README.md", "config.json"}
    card, former = (drafter / "README.md").read_text(encoding="utf-8"), before["README.md"].decode()
    assert "The first held-out answer was left out: such answers may have chosen the best step or" in card
    assert "| 4 bits | 2 | " in card
    # What the run was is told as before.
    assert former.split("## On held-out")[0] == card.split("## On held-out")[0]
    about = json.loads((drafter / "config.json").read_text(encoding="utf-8"))["about"]
    assert about["held_out"]["answers"] == 2


def test_others_are_compared_with_the_first(
    data: Path, drafter: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    best = tmp_path / "B.training" / "run" / "best"
    words = ["--drafter", str(drafter), "--drafter", str(best)]
    assert cli.main(judge(data, *words, "--taps", str(tmp_path / "taps"))) == 0
    assert f"{best} - {drafter}: " in capsys.readouterr().out.splitlines()[-1]
    assert "| full precision |" in (best / "README.md").read_text(encoding="utf-8")
    assert cli.main(judge(data, *words, "--json")) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts[str(drafter)]["difference"] is None and len(facts[str(best)]["difference"]) == 3


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        (["--held-out", "0"], "--held-out must be 1 or more"),
        (["--drafter", "{data}"], "is no drafter that was trained here"),
        (["--data", "{data}/train.npz"], "train.npz is a file: name the directory of a data set."),
        (["--data", "{data}/train.npz/x"], "train.npz/x is no data set"),
        (["--taps", "{data}/train.npz"], "train.npz is a file: name a directory for taps (--taps)"),
        (["--drafter", "{data}/train.npz"], "is no drafter that was trained here"),
        (["--skip", "50"], "holds no held-out answer that doesn't repeat itself beyond the first 50"),
    ],
)
def test_a_wrong_request_is_one_sentence(
    more: list[str], sentence: str, data: Path, drafter: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = (drafter / "README.md").read_bytes()
    words = [word.format(data=data) for word in more]
    assert cli.main(judge(data, "--drafter", str(drafter), *words)) == 2
    err = capsys.readouterr().err
    assert sentence in err and "Errno" not in err
    assert (drafter / "README.md").read_bytes() == before
