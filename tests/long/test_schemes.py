"""Every scheme on every kind of target at every width: 200 rounds each, rejections at every position. Many minutes:
``make test-long``.
"""

from __future__ import annotations

from functools import cache

import pytest

from engine.drafters.follow import Follower
from tests.engine.drafters.blocks import HEADS, Nudged, drafter, layout
from tests.engine.drafters.test_schemes import KINDS, PROMPT, TARGETS
from tests.engine.helpers import arm_state, ids, rounds, run
from tests.engine.test_decode import assert_caches_are_those_of_a_fresh_run

WIDEST = 16
ROUNDS = 200
LONGEST = 1900


@pytest.fixture(autouse=True)
def _no_end(monkeypatch: pytest.MonkeyPatch) -> None:
    for target in TARGETS.values():
        monkeypatch.setattr(target.tokenizer, "eos_token_ids", (), raising=False)


@cache
def answer(kind: str) -> list[int]:
    return ids(run(arm_state(TARGETS[kind], max_tokens=LONGEST), PROMPT))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("width", range(1, WIDEST + 1))
def test_the_baseline_s_ids_over_200_rounds(kind: str, head: str, width: int) -> None:
    target = TARGETS[kind]
    inner = drafter(target, layout(head, gamma=WIDEST))
    assert isinstance(inner, Follower)
    tokens = ROUNDS * (width + 2) // 2 + 2 * width + 2  # a round emits width / 2 + 1 tokens on average
    state = arm_state(target, Nudged(inner, answer(kind), len(PROMPT)), max_tokens=tokens, block=width + 1)
    found = rounds(run(state, PROMPT))
    assert [i for r in found for i in r.emitted_ids] == answer(kind)[:tokens]
    drafted = [r for r in found if r.width == width]
    assert len(drafted) >= ROUNDS
    assert {r.accepted for r in drafted} == set(range(width + 1))
    assert_caches_are_those_of_a_fresh_run(state)
