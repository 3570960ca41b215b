"""Does conditional acceptance fall along the block? Survival always does; only this is suffix decay.

Pure. ``alpha_k`` is the share of the drafts at position k that were kept, of the rounds that reached k. Its trend over
the positions is tested twice: by Cochran and Armitage's test of a trend in shares, to which each round is a trial, and
by the slope, drawn anew over samples, since rounds of one text resemble each other. Rounds that get far are the easy
ones, which hides some decay: what is called here is there, what isn't may be small.

    falls       p of a fall below 0.01, and the slope's interval wholly below 0
    flat        not so, and the slope's interval above a loss of 2 points a position
    undecided   all else, and where fewer than two positions were reached 20 times
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from engine.stats import Floats, Interval, bootstrap

ALPHA = 0.01
FLAT_SLOPE = -0.02
LEAST_REACHED = 20
RULE = (
    "A fall is called where the one-sided Cochran-Armitage test gives p < 0.01 and the 95 % interval of the slope "
    "over samples lies below 0; flat where that interval lies above -0.02 a position."
)


def cochran_armitage(successes: Sequence[float], trials: Sequence[float]) -> float:
    """One-sided p of a fall along the positions; 1 where nothing varies."""
    x, n = np.asarray(successes, np.float64), np.asarray(trials, np.float64)
    t = np.arange(len(n), dtype=np.float64)
    total = n.sum()
    if len(n) < 2 or total == 0:
        return 1.0
    share = x.sum() / total
    variance = share * (1 - share) * ((n * t * t).sum() - (n * t).sum() ** 2 / total)
    if variance <= 0:
        return 1.0
    z = (t * (x - n * share)).sum() / math.sqrt(variance)
    return 0.5 * math.erfc(-z / math.sqrt(2))


def slopes(sums: Floats) -> Floats:
    """Change of acceptance a position, least squares weighted by rounds; ``sums`` [..., 2 K]: kept, then reached."""
    half = sums.shape[-1] // 2
    x, n = sums[..., :half], sums[..., half:]
    t = np.arange(half, dtype=np.float64)
    total = n.sum(axis=-1, keepdims=True)
    centred = t - (n * t).sum(axis=-1, keepdims=True) / total
    return np.asarray((centred * x).sum(axis=-1) / (n * centred * centred).sum(axis=-1))


def decay(accepted: Sequence[Sequence[int]], reached: Sequence[Sequence[int]], seed: int = 0) -> dict[str, Any]:
    """Args: [samples][positions] counts. Keys: called, p_value, slope {value, low, high, units}, positions, rule.

    ``positions``: how many were reached often enough to be tested, counted from the first.
    """
    most = max(map(len, reached), default=0)
    x, n = (np.array([[*row, *[0] * (most - len(row))] for row in side], np.float64) for side in (accepted, reached))
    tested = 0
    while tested < most and n[:, tested].sum() >= LEAST_REACHED:
        tested += 1
    if tested < 2:
        return _told("undecided", None, Interval(value=None), tested)
    x, n = x[:, :tested], n[:, :tested]
    p_value = cochran_armitage(x.sum(axis=0).tolist(), n.sum(axis=0).tolist())
    slope = bootstrap(np.concatenate([x, n], axis=1), slopes, seed=seed)
    called = "undecided"
    if slope.low is not None and slope.high is not None:
        if p_value < ALPHA and slope.high < 0:
            called = "falls"
        elif slope.low > FLAT_SLOPE:
            called = "flat"
    return _told(called, p_value, slope, tested)


def _told(called: str, p_value: float | None, slope: Interval, positions: int) -> dict[str, Any]:
    bounds = {"value": slope.value, "low": slope.low, "high": slope.high, "units": slope.units}
    return {"called": called, "p_value": p_value, "slope": bounds, "positions": positions, "rule": RULE}
