"""What a card says, and what it does not say where nobody knows it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from engine.train.card import left_out, time_text
from engine.train.drafter import train_drafter
from engine.train.loop import Run
from tests.engine.train.test_drafter import Told, dataset, wish
from tests.tiny import tiny_target


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.04, "0.0 s"), (2.34, "2.3 s"), (59.0, "59.0 s"), (90.0, "1.5 min"), (7199.0, "120 min")]
)
def test_short_times_are_not_nothing(seconds: float, text: str) -> None:
    assert time_text(seconds) == text


def test_what_was_left_out_is_all_that_is_claimed() -> None:
    assert left_out(150) == (
        "The first 150 held-out answers were left out: such answers may have chosen the best step or the weights of "
        "votes."
    )
    assert left_out(1).startswith("The first held-out answer was left out: ")


def test_a_run_stopped_before_its_first_note_has_no_curve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = Told()
    real = Run.advance

    def advance(run: Run) -> Any:
        told.stop_after = 0
        return real(run)

    monkeypatch.setattr(Run, "advance", advance)
    outcome = train_drafter(wish(tmp_path / "B", "B"), tiny_target("dense"), dataset(), told)
    assert outcome is not None
    assert (outcome.ended, outcome.step) == ("stopped", 1)
    assert {file.name for file in (tmp_path / "B").iterdir()} == {"config.json", "model.safetensors", "README.md"}
    card = (tmp_path / "B" / "README.md").read_text(encoding="utf-8")
    assert "log.csv" not in card and "curve.svg" not in card
    assert "1 of 8 (stopped)" in card and " s of training steps" in card
