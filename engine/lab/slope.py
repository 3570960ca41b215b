"""A straight line through memory over rounds, with an interval for its slope. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

import numpy as np
from msgspec import Struct

WARM_SHARE = 0.2
"""The first so many samples are left out: buffers are still being made."""
LEAST_SAMPLES = 5


class Slope(Struct, frozen=True, kw_only=True):
    """Per unit of x; ``low`` and ``high`` bound it with 95 % confidence."""

    samples: int
    value: float | None = None
    """None from fewer than ``LEAST_SAMPLES`` samples."""
    low: float | None = None
    high: float | None = None


def slope(x: Sequence[float], y: Sequence[float]) -> Slope:
    """Least squares; the interval is Student's, with n - 2 degrees of freedom."""
    n = len(x)
    if n < LEAST_SAMPLES or len(set(x)) < 2:
        return Slope(samples=n)
    xs, ys = np.asarray(x, np.float64), np.asarray(y, np.float64)
    dx = xs - xs.mean()
    spread = float((dx * dx).sum())
    value = float((dx * (ys - ys.mean())).sum()) / spread
    rest = ys - ys.mean() - value * dx
    error = math.sqrt(float((rest * rest).sum()) / (n - 2) / spread)
    reach = student(0.975, n - 2) * error
    return Slope(samples=n, value=value, low=value - reach, high=value + reach)


def warm(values: Sequence[float]) -> list[float]:
    return list(values[int(len(values) * WARM_SHARE) :])


def student(p: float, degrees: int) -> float:
    """Quantile of Student's t: the expansion of Abramowitz and Stegun 26.7.5, to 1 % from 3 degrees of freedom on."""
    z = NormalDist().inv_cdf(p)
    n = float(degrees)
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + sum(term / n ** (k + 1) for k, term in enumerate(terms))
