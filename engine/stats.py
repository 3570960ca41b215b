"""Statistics of measured figures: pure functions on NumPy arrays, seeded, the same answer every time.

Intervals are percentile bootstraps over units that are independent of each other, usually prompts: the units are drawn
anew with replacement, always whole, so that what belongs to one prompt (both arms, numerator and denominator) stays
together. Every pooled figure is a function of sums over units, and that is how it is written here.

    bootstrap_mean(values)                  mean
    bootstrap_ratio(numerators, denominators)     sum over sum: tokens per forward, acceptance
    bootstrap_paired_ratio(a, b)            geometric mean of a / b, prompt by prompt: speed against speed
    bootstrap_paired_difference(a, b)       mean of a - b
    bootstrap(columns, of)                  any function of the columns' sums

Tests of goodness of fit, with what they can see, are in ``engine.lab.goodness``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import ArrayLike, NDArray

from engine.trace.export.figures import wilson_interval

Floats = NDArray[np.float64]

RESAMPLES = 2000
CONFIDENCE = 0.95


class Interval(Struct, frozen=True, kw_only=True):
    """A figure and where it would lie had other units of the same kind been drawn."""

    value: float | None
    """None where nothing was measured."""
    low: float | None = None
    """None from fewer than two units: one unit says nothing about others."""
    high: float | None = None
    units: int = 0
    confidence: float = CONFIDENCE


def bootstrap(
    columns: ArrayLike,
    of: Callable[[Floats], Floats],
    *,
    seed: int = 0,
    resamples: int = RESAMPLES,
    confidence: float = CONFIDENCE,
) -> Interval:
    """Args: columns [units, K]; ``of`` maps sums of columns [..., K] to the figure [...]."""
    data = np.asarray(columns, np.float64)
    if data.ndim == 1:
        data = data[:, None]
    units = len(data)
    if units == 0:
        return Interval(value=None, confidence=confidence)
    with np.errstate(divide="ignore", invalid="ignore"):
        value = float(of(data.sum(axis=0)))
        if units == 1:
            return Interval(value=_finite(value), units=1, confidence=confidence)
        rng = np.random.default_rng(seed)
        times_drawn = rng.multinomial(units, np.full(units, 1 / units), size=resamples).astype(np.float64)
        found = np.asarray(of(times_drawn @ data), np.float64)
    found = found[np.isfinite(found)]
    if not len(found):
        return Interval(value=_finite(value), units=units, confidence=confidence)
    tail = (1 - confidence) / 2
    low, high = np.quantile(found, [tail, 1 - tail])
    return Interval(value=_finite(value), low=float(low), high=float(high), units=units, confidence=confidence)


def bootstrap_mean(
    values: ArrayLike, *, seed: int = 0, resamples: int = RESAMPLES, confidence: float = CONFIDENCE
) -> Interval:
    data = np.asarray(values, np.float64)
    columns = np.stack([data, np.ones_like(data)], axis=-1)
    return bootstrap(columns, _ratio, seed=seed, resamples=resamples, confidence=confidence)


def bootstrap_ratio(
    numerators: ArrayLike,
    denominators: ArrayLike,
    *,
    seed: int = 0,
    resamples: int = RESAMPLES,
    confidence: float = CONFIDENCE,
) -> Interval:
    """Sum of numerators over sum of denominators, both of the same units."""
    columns = _paired(numerators, denominators)
    return bootstrap(columns, _ratio, seed=seed, resamples=resamples, confidence=confidence)


def bootstrap_paired_ratio(
    a: ArrayLike, b: ArrayLike, *, seed: int = 0, resamples: int = RESAMPLES, confidence: float = CONFIDENCE
) -> Interval:
    """Geometric mean of a / b, unit by unit. All values must be above 0."""
    pairs = _paired(a, b)
    if (pairs <= 0).any():
        raise ValueError("[bootstrap_paired_ratio] all values must be above 0.")
    logs = np.log(pairs[:, 0] / pairs[:, 1])
    columns = np.stack([logs, np.ones_like(logs)], axis=-1)
    return bootstrap(columns, lambda s: np.exp(_ratio(s)), seed=seed, resamples=resamples, confidence=confidence)


def bootstrap_paired_difference(
    a: ArrayLike, b: ArrayLike, *, seed: int = 0, resamples: int = RESAMPLES, confidence: float = CONFIDENCE
) -> Interval:
    pairs = _paired(a, b)
    return bootstrap_mean(pairs[:, 0] - pairs[:, 1], seed=seed, resamples=resamples, confidence=confidence)


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """Adjusted p-values (Holm 1979): the hypotheses with one at most alpha are rejected, and the chance that any of
    them is true stays at most alpha, however the tests depend on each other."""
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    for rank, i in enumerate(order):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[i]))
        adjusted[i] = highest
    return tuple(adjusted)


def normal_two_sided(z: float) -> float:
    """P(|Z| >= |z|), Z standard normal."""
    return math.erfc(abs(z) / math.sqrt(2))


def wilson(successes: int, trials: int) -> Interval:
    """95 % interval of a share (Wilson 1927); of sense also near 0 and 1."""
    if trials == 0:
        return Interval(value=None)
    low, high = wilson_interval(successes, trials)
    return Interval(value=successes / trials, low=low, high=high, units=trials)


def _ratio(sums: Floats) -> Floats:
    return np.asarray(sums[..., 0] / sums[..., 1], np.float64)


def _paired(a: ArrayLike, b: ArrayLike) -> Floats:
    first, second = np.asarray(a, np.float64), np.asarray(b, np.float64)
    if first.shape != second.shape or first.ndim != 1:
        raise ValueError(f"[bootstrap] two lists of one length are needed but got {first.shape} and {second.shape}.")
    return np.stack([first, second], axis=-1)


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
