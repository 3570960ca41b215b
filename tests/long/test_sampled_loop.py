"""The law of the real loop's draws, from seven times as many of them as in the usual tests."""

from __future__ import annotations

import pytest

from tests.engine import test_sampled_loop as loop


def test_twenty_thousand_draws_follow_the_targets_law(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop.TARGET.tokenizer, "eos_token_ids", (), raising=False)
    assert loop.p_value(loop.draws(loop.DRAFTERS["autoregressive"], 20_000)) > loop.SIGNIFICANCE
