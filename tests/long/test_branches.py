"""The law of a tree's draws, from ten times as many of them as in the usual tests."""

from __future__ import annotations

import pytest

from tests.engine import test_branches as trees

DRAWS = 4_000


@pytest.fixture(autouse=True)
def _no_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trees.TARGET.tokenizer, "eos_token_ids", (), raising=False)


def test_four_thousand_draws_follow_the_targets_law() -> None:
    assert trees.p_value(trees.drawn(DRAWS)) > 1e-4


def test_a_slight_preference_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    trees.prefers_a_draft(1 / 4, monkeypatch)
    assert trees.p_value(trees.drawn(DRAWS)) < 1e-4
