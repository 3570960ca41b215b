"""How much text fits into the hours, or is looked at in the steps: a run that is given little learns from less of it.

By hours, the pace of taps is measured on a few conversations; text beyond its share of the time is left out, from the
end. By steps, text is left out that none of them would come to, so that no taps of it are waited for. The
decision is written down, so that a run that goes on learns from the same text; before a run's first checkpoint other
hours or another text decide anew.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from engine.target import Target
from engine.train.batches import usable
from engine.train.conversations import Conversations, conversation, count, take, write_json
from engine.train.dataset import Dataset
from engine.train.judge import CHOOSING, calm_answers
from engine.train.recipe import TrainRecipe
from engine.train.taps import owner, run_taps

TAPS_SHARE = 0.35
"""Of the hours."""
HELD_SHARE = 0.1
"""Of the text that is left."""
TRIED = 8
LEAST_TRAIN, LEAST_HELD = 32, 8
"""Conversations that are kept however little time there is."""
LEAST_LOOKED_AT = 256
"""However few the steps are: head start and draft vocabulary learn from all of the text."""


def within_hours(
    data: Dataset, hours: float, asked: float, target: Target, layers: Sequence[int], file: Path, begun: bool = False,
    there: tuple[NDArray[np.bool_], NDArray[np.bool_]] | None = None,
) -> Dataset:  # fmt: skip
    """The data set, or its beginning where taps of all of it would take too long. ``file`` keeps the decision.

    Args: hours: that are left; asked: that were given; begun: there is a checkpoint; there: of which conversations of
    both parts the taps are there already, and so cost nothing.
    """
    train_there, held_there = there or (np.zeros(count(data.train), np.bool_), np.zeros(count(data.held), np.bool_))
    whose = {"hours": asked, "text": owner(data.train, target.facts.name)["text"]}
    kept = msgspec.json.decode(file.read_bytes()) if file.exists() else {}
    if kept and (begun or {name: kept.get(name) for name in whose} == whose):
        train, held = int(kept["train"]), int(kept["held"])
    else:
        none_missing = train_there.all() and held_there.all()
        tokens = 0.0 if none_missing else hours * 3600 * TAPS_SHARE * pace(data.train, target, layers)
        train = fitting(data.train, tokens * (1 - HELD_SHARE), LEAST_TRAIN, train_there)
        held = fitting(data.held, tokens * HELD_SHARE, LEAST_HELD, held_there)
        file.parent.mkdir(parents=True, exist_ok=True)
        write_json(file, {"train": train, "held": held, **whose})
    return beginning(data, train, held)


def within_steps(
    data: Dataset, recipe: TrainRecipe, held_answers: int, target: str, file: Path, begun: bool,
    there: tuple[NDArray[np.bool_], NDArray[np.bool_]],
) -> Dataset:  # fmt: skip
    """The data set, or its beginning where the steps look at no more of it and fewer answers than there are judge the
    drafter: the very ones that would judge it otherwise. ``file`` keeps the decision.

    Args: target: its name; begun, there: as of ``within_hours``.
    """
    wanted = recipe.steps * recipe.conversations
    whose = {"conversations": wanted, "held_answers": held_answers, "text": owner(data.train, target)["text"]}
    kept = msgspec.json.decode(file.read_bytes()) if file.exists() else {}
    train, held = count(data.train), count(data.held)
    if kept and (begun or {name: kept.get(name) for name in whose} == whose):
        train, held = int(kept["train"]), int(kept["held"])
    elif not begun:
        train = reaching(usable(data.train), max(wanted, LEAST_LOOKED_AT), there[0])
        held = reaching(np.array(calm_answers(data.held), np.int64), held_answers + CHOOSING + 1, there[1])
        file.parent.mkdir(parents=True, exist_ok=True)
        write_json(file, {"train": train, "held": held, **whose})
    return beginning(data, train, held)


def reaching(found: NDArray[np.int64], wanted: int, there: NDArray[np.bool_]) -> int:
    """How many conversations from the first on hold so many of those that were ``found``, and those behind them whose
    taps are there.
    """
    if wanted > len(found):
        return len(there)
    first = int(found[wanted - 1]) + 1
    missing = np.flatnonzero(~there[first:])
    return first + int(missing[0]) if len(missing) else len(there)


def beginning(data: Dataset, train: int, held: int) -> Dataset:
    if train >= count(data.train) and held >= count(data.held):
        return data
    return Dataset(take(data.train, range(train)), take(data.held, range(held)), data.manifest, data.path)


def pace(c: Conversations, target: Target, layers: Sequence[int]) -> float:
    """Tokens a second whose taps are computed, by the second of two small batches."""
    texts = [conversation(c, i) for i in range(min(TRIED, count(c)))]
    run_taps(target, texts[:1], layers)
    began = time.perf_counter()
    run_taps(target, texts, layers)
    return sum(map(len, texts)) / max(time.perf_counter() - began, 1e-6)


def fitting(c: Conversations, tokens: float, least: int, there: NDArray[np.bool_]) -> int:
    """How many conversations from the first on hold no more than so many tokens whose taps are not there; ``least`` if
    there are.
    """
    missing = np.cumsum(np.where(there, 0, np.diff(c.offsets)))
    fit = int(np.searchsorted(missing, tokens, side="right"))
    return min(max(fit, least), count(c))
