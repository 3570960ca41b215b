"""How much text fits into the hours: a run that is given little time learns from less of it, and is told so once.

The pace of taps is measured on a few conversations; text beyond its share of the time is left out, from the end. The
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
from engine.train.conversations import Conversations, conversation, count, take, write_json
from engine.train.dataset import Dataset
from engine.train.taps import owner, run_taps

TAPS_SHARE = 0.35
"""Of the hours."""
HELD_SHARE = 0.1
"""Of the text that is left."""
TRIED = 8
LEAST_TRAIN, LEAST_HELD = 32, 8
"""Conversations that are kept however little time there is."""


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
