"""Rows of a wave by the target's pace: no clocks, steps take what the test says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.models.errors import ModelError
from engine.train import pace
from engine.train.batch import Cancelled
from engine.train.generate import LEAST_ANSWER_TOKENS, Recipe
from engine.train.openers import TURN_TOKENS, Group, Openers
from engine.train.pace import PROBE_ROWS, PROBE_TOKENS, WAVE_SHARE, plan_wave, row_s, rows_that_fit, wave_steps
from tests.engine.train.texts import chat_target

OPENERS = Openers(groups=(Group(task="open", language="en", texts=("TELL",)),))
RECIPE = Recipe(rows=96)
STEPS = RECIPE.conversation_tokens + TURN_TOKENS


def machine(monkeypatch: pytest.MonkeyPatch, step_s: Callable[[int], float]) -> Callable[[], float]:
    """A target whose steps of so many rows take so long; its clock."""
    now = 0.0

    def write(target: Any, prompts: list[list[int]], limits: list[int], *_: Any, **more: Any) -> None:
        nonlocal now
        for _step in range(max(limits)):
            if more["cancelled"]():
                raise Cancelled
            now += step_s(len(prompts))
            more["on_tokens"](len(prompts), len(prompts), 0)

    monkeypatch.setattr(pace, "write", write)
    return lambda: now


@pytest.mark.parametrize("limit_s", [60.0, 126.0, 400.0, 2520.0, 4000.0, 1e5])
def test_a_wave_of_a_cpu_fits_into_its_share_of_the_time(monkeypatch: pytest.MonkeyPatch, limit_s: float) -> None:
    clock = machine(monkeypatch, lambda rows: 0.01 + 0.012 * rows)
    rows, rounds = plan_wave(chat_target(), RECIPE, OPENERS, limit_s, clock=clock)
    share_s = WAVE_SHARE * limit_s
    assert rows == 96 or STEPS * (0.01 + 0.012 * rows) <= share_s < STEPS * (0.01 + 0.012 * (rows + 1)) + 1e-6
    assert (rows == 96) == (limit_s >= 2520.0)
    round_s = STEPS * (0.01 + 0.012 * 96)
    assert rounds == {2520.0: 1, 4000.0: 2, 1e5: RECIPE.rounds}.get(limit_s, 1)
    assert rows < 96 or rounds * round_s <= share_s
    assert rows < 96 or rounds == RECIPE.rounds or share_s < (rounds + 1) * round_s


def test_where_more_rows_cost_nothing_all_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = machine(monkeypatch, lambda rows: 0.02)
    # So many rows are taken to cost something all the same, and so are rounds.
    assert plan_wave(chat_target(), RECIPE, OPENERS, 100.0, clock=clock) == (96, 1)
    assert plan_wave(chat_target(), RECIPE, OPENERS, 200.0, clock=clock) == (96, 2)
    assert plan_wave(chat_target(), RECIPE, OPENERS, 2000.0, clock=clock) == (96, 4)


def test_rows_that_are_taken_in_any_case_are_written_in_one_round(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = machine(monkeypatch, lambda rows: 0.2)
    recipe = msgspec.structs.replace(RECIPE, rows=32)
    assert plan_wave(chat_target(), recipe, OPENERS, 60.0, clock=clock) == (32, 1)
    whole_s = STEPS * (0.2 + 31 * row_s(0.2, 0.2)) / WAVE_SHARE
    assert plan_wave(chat_target(), recipe, OPENERS, 2.01 * whole_s, clock=clock) == (32, 2)
    assert plan_wave(chat_target(), recipe, OPENERS, 1.99 * whole_s, clock=clock) == (32, 1)


def test_a_target_that_is_too_slow_gets_the_rows_that_twice_a_single_step_pays_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = machine(monkeypatch, lambda rows: 5.0 * rows)
    assert plan_wave(chat_target(), RECIPE, OPENERS, 60.0, clock=clock) == (2, 1)
    clock = machine(monkeypatch, lambda rows: 5.0)
    assert plan_wave(chat_target(), RECIPE, OPENERS, 60.0, clock=clock) == (33, 1)


@given(single_s=st.floats(1e-4, 10), factor=st.floats(0.5, 10), most=st.integers(1, 96), step_s=st.floats(1e-6, 100))
def test_rows_are_from_one_to_the_most_and_more_time_gives_no_fewer(
    single_s: float, factor: float, most: int, step_s: float
) -> None:
    rows = rows_that_fit(single_s, factor * single_s, most, step_s)
    assert 1 <= rows <= most
    assert rows_that_fit(single_s, factor * single_s, most, 2 * step_s) >= rows


def test_prompts_are_not_fewer_than_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = machine(monkeypatch, lambda rows: 1e-5)
    assert plan_wave(chat_target(), RECIPE, ["ONE", "TWO", "THREE"], 600.0, clock=clock)[0] == 3
    assert plan_wave(chat_target(), RECIPE, ["ONE"], 600.0, clock=clock) == (1, 1)


def test_long_prompts_count_and_those_that_are_left_out_do_not() -> None:
    target = chat_target()
    target.facts = msgspec.structs.replace(target.facts, context_tokens=0)
    assert wave_steps(target, RECIPE, ["SHORT"], 9) == RECIPE.conversation_tokens
    long = wave_steps(target, RECIPE, ["SHORT", "X" * 400], 9)
    assert long >= 400 + LEAST_ANSWER_TOKENS
    assert wave_steps(target, RECIPE, ["SHORT", "X" * 400], 1) == RECIPE.conversation_tokens
    target.facts = msgspec.structs.replace(target.facts, context_tokens=300)
    assert wave_steps(target, RECIPE, ["SHORT", "X" * 4000], 9) == 300


def test_a_target_without_batches_writes_one_row(monkeypatch: pytest.MonkeyPatch) -> None:
    def step_s(rows: int) -> float:
        if rows > 1:
            raise ModelError("no batches")
        return 0.01

    clock = machine(monkeypatch, step_s)
    assert plan_wave(chat_target(), RECIPE, OPENERS, 600.0, clock=clock) == (1, 1)


def test_it_can_be_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = machine(monkeypatch, lambda rows: 1.0)
    with pytest.raises(Cancelled):
        plan_wave(chat_target(), RECIPE, OPENERS, 600.0, cancelled=lambda: True, clock=clock)


def test_a_real_target_is_timed_by_its_steps() -> None:
    ticks: list[int] = []

    def clock() -> float:
        ticks.append(len(ticks))
        return float(len(ticks))

    # A step takes a second with any number of rows and may take two.
    rows, rounds = plan_wave(chat_target(), RECIPE, OPENERS, STEPS * 2 / WAVE_SHARE, clock=clock)
    assert len(ticks) == 3 * PROBE_TOKENS
    assert rows == 1 + PROBE_ROWS / pace.SLOPE_SHARE == 33
    assert rounds == 1
