"""Answers that choose the best step are not those that judge it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.drafters.lookup import Lookup
from engine.train.judge import CHOOSING, Judge, apart
from engine.train.taps import RecomputedTaps
from tests.engine.train.trainees import conversations
from tests.tiny import tiny_target


@given(st.integers(2, 400), st.integers(0, 200))
def test_no_answer_does_both(there: int, answers: int) -> None:
    calm = [3 * i for i in range(there)]
    judging, choosing = apart(calm, answers)
    assert judging and choosing and not {*judging} & {*choosing}
    assert {*judging, *choosing} <= {*calm}
    assert len(choosing) <= CHOOSING
    assert not answers or len(judging) <= answers


@pytest.mark.parametrize("more", [1, 100])
def test_with_enough_of_them_the_first_ones_judge(more: int) -> None:
    """As they do in a benchmark that chooses nothing."""
    calm = [*range(100 + CHOOSING + more)]
    assert apart(calm, 100) == (calm[:100], calm[100 : 100 + CHOOSING])


def test_one_answer_has_to_do_both() -> None:
    assert apart([7], 100) == ([7], [7])
    assert apart([], 100) == ([], [])


def test_a_judge_looks_at_its_own_answers() -> None:
    target, held = tiny_target("dense"), conversations(9)
    judge = Judge(target, held, RecomputedTaps((0, 1), target, held), 4, choosing=True)
    plain = Judge(target, held, RecomputedTaps((0, 1), target, held), 4)
    assert not {*judge.calm} & {*judge.choosing} and len(judge.calm) == 4 == len(plain.calm)
    assert plain.choosing == []
    looked: list[int] = []
    judge.walks = lambda drafter, chosen, **_: looked.extend(chosen) or []  # type: ignore[method-assign]
    assert judge.quick(None) is None  # type: ignore[arg-type]
    assert looked == judge.choosing


def test_progress_goes_on_from_one_drafter_to_the_next() -> None:
    target, held = tiny_target("dense"), conversations(9)
    judge = Judge(target, held, RecomputedTaps((0, 1), target, held), 4)
    said: list[tuple[float, float]] = []

    class Told:
        def cancelled(self) -> bool:
            return False

        def progress(self, stage: str, done: float, total: float, unit: str = "", note: str = "") -> None:
            said.append((done, total))

    each = len(judge.calm) + len(judge.loops)
    for n in range(2):
        for chosen, before in ((judge.calm, 0), (judge.loops, len(judge.calm))):
            judge.walks(Lookup(shortest=1), chosen, "evaluate", Told(), of=(n * each + before, 2 * each))
    assert said == [(i, 2 * each) for i in range(1, 2 * each + 1)]
