"""Do draws follow a law that is known exactly? Pure functions, and what they are able to see.

Outcomes are pooled into bins that are fixed by the law alone, before anything is drawn: each outcome whose expected
count is large enough has its own bin, the likeliest first, all others share one. An outcome that the law gives no
probability needs no statistics: seen once, the law is wrong.

    X2 = sum (O - E)^2 / E      G = 2 sum O ln(O / E)      both chi-square with bins - 1 degrees of freedom

Total variation TV(p, p') = 1/2 sum |p - p'| is what a fault is measured by. Two statements about it are published with
every test, both for the pooled bins:

bound       with the stated confidence the true law is no further from p than this:
                TV(p, true) <= TV(p, seen) + TV(seen, true)
                TV(seen, true) <= 1/2 sqrt((K - 1) / n) + sqrt(ln(1 / (1 - confidence)) / (2 n))
            the first term bounds its mean (Jensen, Cauchy-Schwarz), the second its deviation (McDiarmid 1989: one draw
            moves it by 1 / n)
detectable  the least fault that this many draws find with the stated power. A fault of total variation TV has w^2 =
            sum (p' - p)^2 / p >= 4 TV^2 (Cauchy-Schwarz), and the statistic's non-centrality is n w^2, so
                n = lambda(df, alpha, power) / (4 TV^2)
            finds every such fault, however it is spread over the bins

The tail of the chi-square law is the regularised incomplete gamma function: a series below its bend, a continued
fraction above (Numerical Recipes, section 6.2).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

LEAST_EXPECTED = 10.0
"""Of a bin: chi-square's law is a good description then (Cochran 1954 asks for 5)."""
MOST_BINS = 12
"""Few bins see more: the same fault spread over more degrees of freedom is harder to tell from chance."""
POWER = 0.95
CONFIDENCE = 0.99

Outcome = tuple[int, ...]

_ACCURACY = 1e-15
_MOST_TERMS = 100_000


class Bins(Struct, frozen=True, kw_only=True):
    """Outcomes with a bin of their own; whatever else is possible shares the last one."""

    outcomes: tuple[Outcome, ...]
    p: tuple[float, ...]
    """Of the outcomes; what is missing to 1 is the shared bin's."""

    @property
    def tail(self) -> float:
        return max(0.0, 1.0 - math.fsum(self.p))


class Fit(Struct, frozen=True, kw_only=True):
    draws: int
    bins: int
    chi_square: float
    g: float
    p_value: float
    """Of Pearson's statistic; 0 where an impossible outcome was drawn."""
    impossible: int = 0
    """Draws that the law gives no probability."""
    tv: float
    """Between the law and what was seen, over the bins. By chance alone about 1/2 sqrt((bins - 1) / draws)."""
    tv_bound: float
    confidence: float = CONFIDENCE
    """Of the bound."""
    tail: float = 0.0
    """Probability of the shared bin: faults inside it are not seen."""


def pool(law: Mapping[Outcome, float], draws: int, least: float = LEAST_EXPECTED, most: int = MOST_BINS) -> Bins:
    """Bins for a number of draws. At most ``most`` of them, the shared one included."""
    ranked = sorted((outcome for outcome in law if law[outcome] * draws >= least), key=lambda o: (-law[o], o))
    chosen = ranked[: most - 1]
    rest = 1.0 - math.fsum(law[o] for o in chosen)
    # A shared bin of hardly any mass can't stand alone: the least likely of the others joins it.
    while len(chosen) > 1 and rest > 1e-9 and rest * draws < least:
        rest += law[chosen.pop()]
    return Bins(outcomes=tuple(chosen), p=tuple(law[o] for o in chosen))


def fit(counts: Mapping[Outcome, int], bins: Bins, impossible: int = 0, confidence: float = CONFIDENCE) -> Fit:
    """``counts`` of possible outcomes; ``impossible`` of all others."""
    own = [counts.get(outcome, 0) for outcome in bins.outcomes]
    draws = sum(counts.values()) + impossible
    observed = np.array([*own, draws - sum(own)], np.float64)
    expected = np.array([*bins.p, bins.tail], np.float64)
    if expected[-1] <= 1e-9:
        impossible += round(float(observed[-1])) - impossible
        observed, expected = observed[:-1], expected[:-1] / expected[:-1].sum()
    k = len(expected)
    statistic, g = chi_square(observed, expected), g_statistic(observed, expected)
    tv = float(np.abs(observed / draws - expected).sum() / 2) if draws else 0.0
    return Fit(
        draws=draws,
        bins=k,
        chi_square=statistic,
        g=g,
        p_value=0.0 if impossible else chi_square_tail(statistic, k - 1),
        impossible=impossible,
        tv=tv,
        tv_bound=min(1.0, tv + tv_bound_of_noise(draws, k, confidence)),
        confidence=confidence,
        tail=bins.tail,
    )


def chi_square(observed: NDArray[np.float64], p: NDArray[np.float64]) -> float:
    expected = observed.sum() * p
    return float(((observed - expected) ** 2 / expected).sum()) if observed.sum() else 0.0


def g_statistic(observed: NDArray[np.float64], p: NDArray[np.float64]) -> float:
    seen = observed > 0
    expected = observed.sum() * p
    return float(2 * (observed[seen] * np.log(observed[seen] / expected[seen])).sum())


def tv_bound_of_noise(draws: int, bins: int, confidence: float = CONFIDENCE) -> float:
    """How far what is seen lies from the true law, with this confidence."""
    if draws == 0:
        return 1.0
    return 0.5 * math.sqrt((bins - 1) / draws) + math.sqrt(math.log(1 / (1 - confidence)) / (2 * draws))


# What a test is able to see


def draws_for(tv: float, bins: int, alpha: float, power: float = POWER) -> int:
    """Draws that find every fault of this total variation."""
    return math.ceil(noncentrality(bins - 1, alpha, power) / (4 * tv * tv))


def detectable_tv(draws: int, bins: int, alpha: float, power: float = POWER) -> float:
    """The least fault that this many draws find, wherever it lies."""
    if draws == 0 or bins < 2:
        return 1.0
    return min(1.0, math.sqrt(noncentrality(bins - 1, alpha, power) / (4 * draws)))


def noncentrality(df: int, alpha: float, power: float = POWER) -> float:
    """Lambda at which a chi-square test of level ``alpha`` has this power."""
    critical = chi_square_quantile(alpha, df)
    return _root(lambda x: noncentral_tail(critical, df, x) - power, 0.0, 1.0)


def noncentral_tail(x: float, df: int, noncentral: float) -> float:
    """P(X >= x): a Poisson mixture of central laws, summed outwards from the likeliest term."""
    half = noncentral / 2
    start = int(half)
    total = 0.0
    for step, first in ((1, start), (-1, start - 1)):
        j = first
        while j >= 0:
            weight = math.exp(-half + j * math.log(half) - math.lgamma(j + 1)) if half else float(j == 0)
            total += weight * chi_square_tail(x, df + 2 * j)
            if weight < 1e-16:
                break
            j += step
    return min(1.0, total)


def chi_square_quantile(tail: float, df: int) -> float:
    """x with P(X >= x) = tail."""
    return _root(lambda x: tail - chi_square_tail(x, df), 0.0, float(df))


def chi_square_tail(x: float, df: int) -> float:
    """P(X >= x) of a chi-square law; 1 without degrees of freedom."""
    return 1.0 if df < 1 else gamma_upper(df / 2, x / 2)


def gamma_upper(a: float, x: float) -> float:
    """Q(a, x) = 1/Gamma(a) times the integral of t^(a-1) e^-t from x on."""
    if a <= 0 or x < 0:
        raise ValueError(f"[gamma_upper] 'a' must be above and 'x' not below 0 but got {a} and {x}.")
    if x == 0:
        return 1.0
    scale = math.exp(a * math.log(x) - x - math.lgamma(a))
    return 1.0 - scale * _lower_series(a, x) if x < a + 1 else scale * _upper_fraction(a, x)


def _lower_series(a: float, x: float) -> float:
    term = total = 1 / a
    for n in range(1, _MOST_TERMS):
        term *= x / (a + n)
        total += term
        if term < total * _ACCURACY:
            break
    return total


def _upper_fraction(a: float, x: float) -> float:
    """Lentz's method, modified: no partial numerator or denominator is ever 0."""
    tiny = 1e-300
    b = x + 1 - a
    c, d = 1 / tiny, 1 / b
    h = d
    for n in range(1, _MOST_TERMS):
        numerator = -n * (n - a)
        b += 2
        d = numerator * d + b
        c = b + numerator / c
        d = 1 / (d if abs(d) > tiny else tiny)
        c = c if abs(c) > tiny else tiny
        h *= d * c
        if abs(d * c - 1) < _ACCURACY:
            break
    return h


def _root(of: Callable[[float], float], low: float, high: float) -> float:
    """Where an increasing function crosses 0, upwards from ``low``."""
    while of(high) < 0:
        low, high = high, 2 * high
    for _ in range(200):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if of(middle) < 0 else (low, middle)
    return (low + high) / 2
