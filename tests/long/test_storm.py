"""100 pulls from a hub that lets one down in every way."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.engine.models.hub_server import BODY_FAULTS
from tests.engine.models.storm import weather


def test_100_pulls_end_whole_or_resumable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ends: Counter[str] = Counter()
    met: Counter[str] = Counter()
    for seed in range(100):
        cache = tmp_path / str(seed)
        monkeypatch.setenv("HF_HUB_CACHE", str(cache))
        outcome = weather(seed, cache)
        ends += outcome.ends
        ends["whole" if outcome.whole else "left to resume"] += 1
        met += outcome.met
    assert set(met) >= set(BODY_FAULTS), met
    assert ends["whole"] and ends["FetchError"] and ends["Stopped"], ends
