"""Little time means less text, and the same text again when a run goes on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.train import bounds, judge
from engine.train.conversations import count
from engine.train.dataset import Dataset
from engine.train.recipe import TrainRecipe
from tests.engine.train.trainees import conversations
from tests.tiny import tiny_target


@pytest.fixture
def data() -> Dataset:
    return Dataset(conversations(40), conversations(20, seed=3), {"recipe": {"seed": 0}})


def test_time_enough_keeps_everything(data: Dataset, tmp_path: Path) -> None:
    assert bounds.within_hours(data, 100.0, 100.0, tiny_target(), (0, 1), tmp_path / "text.json") is data


def test_little_time_keeps_the_beginning(data: Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "LEAST_TRAIN", 4)
    monkeypatch.setattr(bounds, "pace", lambda *_: 1000.0)
    hours = 500 / 1000 / 3600 / bounds.TAPS_SHARE
    file = tmp_path / "run" / "text.json"
    less = bounds.within_hours(data, hours, 1.0, tiny_target(), (0, 1), file)
    kept = count(less.train)
    assert int(less.train.offsets[-1]) <= 450 < int(data.train.offsets[kept + 1])
    assert less.train.tokens.tolist() == data.train.tokens[: less.train.offsets[-1]].tolist()
    assert count(less.held) == bounds.LEAST_HELD
    # Whatever the machine does now: a run that goes on has the same text.
    monkeypatch.setattr(bounds, "pace", lambda *_: 1.0)
    again = bounds.within_hours(data, hours, 1.0, tiny_target(), (0, 1), file)
    assert count(again.train) == kept
    # Other hours decide anew, until there is a checkpoint.
    assert count(bounds.within_hours(data, hours, 2.0, tiny_target(), (0, 1), file, begun=True).train) == kept
    assert count(bounds.within_hours(data, hours, 2.0, tiny_target(), (0, 1), file).train) == 4


def test_taps_that_are_there_cost_no_time(data: Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "LEAST_TRAIN", 1)
    monkeypatch.setattr(bounds, "LEAST_HELD", 1)
    monkeypatch.setattr(bounds, "pace", lambda *_: 1000.0)
    hours = 500 / 1000 / 3600 / bounds.TAPS_SHARE
    there = np.zeros(40, np.bool_)
    there[[0, 2, 3, 5, 8, 9, 11]] = True
    file = tmp_path / "run" / "text.json"
    args = data, hours, 1.0, tiny_target(), (0, 1), file
    less = bounds.within_hours(*args, there=(there, np.ones(20, np.bool_)))
    kept = count(less.train)
    missing = np.where(there, 0, np.diff(data.train.offsets))
    assert missing[:kept].sum() <= 450 < missing[: kept + 1].sum()
    assert count(less.held) == 20
    # Nothing is measured where nothing is missing, and what was decided stays when it is missing.
    file.unlink()
    monkeypatch.setattr(bounds, "pace", None)
    whole = bounds.within_hours(*args, there=(np.ones(40, np.bool_), np.ones(20, np.bool_)))
    assert whole is data
    assert bounds.within_hours(*args) is data


def none(data: Dataset) -> tuple[np.ndarray, np.ndarray]:
    return np.zeros(count(data.train), np.bool_), np.zeros(count(data.held), np.bool_)


def test_few_steps_keep_what_they_look_at_and_what_judges_them(
    data: Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounds, "LEAST_LOOKED_AT", 5)
    monkeypatch.setattr(bounds, "CHOOSING", 3)
    monkeypatch.setattr(judge, "CHOOSING", 3)
    data.held.repeats[[1, 4]] = 0.9  # loops
    file = tmp_path / "run" / "text.json"

    def kept(steps: int, held: int, begun: bool = False, there: Any = None) -> tuple[int, int]:
        recipe = TrainRecipe(scheme="B", steps=steps, conversations=3)
        less = bounds.within_steps(data, recipe, held, "tiny", file, begun, there or none(data))
        assert less.train.tokens.tolist() == data.train.tokens[: less.train.offsets[-1]].tolist()
        return count(less.train), count(less.held)

    assert kept(1, 4) == (5, 10)
    assert kept(4, 100) == (12, 20)
    assert kept(100, 100) == (40, 20)
    # Taps that are there cost nothing; what was decided stays, also when it is asked otherwise after the beginning.
    there = none(data)
    there[0][[12, 13, 15]], there[1][:] = True, True
    assert kept(4, 2, there=there) == (14, 20)
    assert kept(4, 2) == (14, 20) == kept(9, 3, begun=True)
    file.unlink()
    assert kept(4, 2, begun=True) == (40, 20), "a run of before there were bounds"
    # Whoever judges finds the same answers.
    calm = judge.calm_answers(data.held)
    assert judge.apart([i for i in calm if i < kept(1, 4)[1]], 4) == judge.apart(calm, 4)


def test_the_pace_is_a_measurement(data: Dataset) -> None:
    assert bounds.pace(data.train, tiny_target(), (0, 1)) > 0
