"""How many conversations a wave writes at once where the time is short, by the target's pace on this machine.

A step of many rows takes longer than one of few: on a CPU nearly so many times longer, on a GPU hardly. So steps of 1
and of ``PROBE_ROWS`` rows are timed, and what is between and beyond is taken from the line through both. Whoever plans
keeps the result: it belongs to the recipe.
"""

from __future__ import annotations

import itertools
import statistics
import time
from collections.abc import Callable, Sequence

from engine.models.errors import ModelError
from engine.target import Target
from engine.train.batch import greedy, write
from engine.train.frame import conversation_ids, read_frame
from engine.train.generate import LEAST_ANSWER_TOKENS, Recipe
from engine.train.openers import TURN_TOKENS, Openers

WAVE_SHARE = 0.25
"""Of the time for text, for one wave: the last quarter at most stays unused."""
PROBE_ROWS = 8
PROBE_TOKENS = 4
SLOPE_SHARE = 0.25
"""A row more costs at least so much of what a row of the probe costs, however flat the measured line is."""
FREE_SHARE = 2.0
"""Rows that make a step no longer than so many single ones are taken in any case: where the target is too slow for the
time, text enough to be divided is worth more than an end in time."""


def plan_wave(
    target: Target,
    recipe: Recipe,
    source: Openers | Sequence[str],
    limit_s: float,
    *,
    cancelled: Callable[[], bool] = lambda: False,
    clock: Callable[[], float] = time.perf_counter,
) -> tuple[int, int]:
    """Rows and rounds, the recipe's at most, with which a wave takes about ``WAVE_SHARE`` of ``limit_s`` or less.

    Rows come first: many that are written at once cost less each. There are more rounds than one where all rows fit.

    Raises:
        Cancelled: asked to stop.
    """
    most = recipe.rows if isinstance(source, Openers) else min(recipe.rows, len(source))
    if most == 1:
        return 1, 1
    _step_s(target, 1, cancelled, clock)  # weights are read and kernels are built in the first one
    single_s = _step_s(target, 1, cancelled, clock)
    try:
        probe_s = _step_s(target, PROBE_ROWS, cancelled, clock)
    except ModelError:  # its caches can't be batched
        return 1, 1
    step_s = limit_s * WAVE_SHARE / wave_steps(target, recipe, source, most)
    rows = rows_that_fit(single_s, probe_s, most, step_s)
    whole_s = single_s + (most - 1) * row_s(single_s, probe_s)
    return rows, max(1, min(recipe.rounds, int(step_s / max(whole_s, 1e-9)))) if rows == most else 1


def rows_that_fit(single_s: float, probe_s: float, most: int, step_s: float) -> int:
    """The most rows with which a step takes no longer than ``step_s``, by the steps of 1 and of ``PROBE_ROWS`` rows."""
    more_s = row_s(single_s, probe_s)
    if more_s <= 0:
        return most
    allowed_s = max(step_s, FREE_SHARE * single_s)
    return max(1, min(most, 1 + int((allowed_s - single_s) / more_s)))


def row_s(single_s: float, probe_s: float) -> float:
    """What a row more costs in a step."""
    return max((probe_s - single_s) / (PROBE_ROWS - 1), SLOPE_SHARE * probe_s / PROBE_ROWS)


def wave_steps(target: Target, recipe: Recipe, source: Openers | Sequence[str], rows: int) -> int:
    """Steps of a wave at most; a token that is read counts like one that is written."""
    if isinstance(source, Openers):
        return recipe.conversation_tokens + TURN_TOKENS
    frame = read_frame(target.tokenizer, target.end_ids)
    longest = max(len(conversation_ids(target.tokenizer, frame, text)[0]) for text in source[:rows])
    steps = max(recipe.conversation_tokens, longest + LEAST_ANSWER_TOKENS)
    # A prompt that doesn't fit into the context is left out.
    return min(steps, target.facts.context_tokens) if target.facts.context_tokens else steps


def _step_s(target: Target, rows: int, cancelled: Callable[[], bool], clock: Callable[[], float]) -> float:
    times: list[float] = []
    write(
        target, [[0, 0]] * rows, [PROBE_TOKENS] * rows, greedy, frozenset(),
        cancelled=cancelled, on_tokens=lambda *_: times.append(clock()),
    )  # fmt: skip
    return statistics.median(after - before for before, after in itertools.pairwise(times))
