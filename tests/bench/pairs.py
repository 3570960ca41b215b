"""Paired timing: two ways of the same work in turn in one run, so that the machine's drift hits both."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Spread:
    """Median with the middle half."""

    median: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.median:.3f} [{self.low:.3f} .. {self.high:.3f}]"


def spread(values: list[float]) -> Spread:
    quartiles = statistics.quantiles(values, n=4) if len(values) > 1 else [values[0]] * 3
    return Spread(statistics.median(values), quartiles[0], quartiles[2])


def ratios(first: Callable[[], float], second: Callable[[], float], repeats: int) -> list[float]:
    """second / first of each pair, in the order A B, B A, A B, ..."""
    found = []
    for i in range(repeats):
        if i % 2:
            b = second()
            a = first()
        else:
            a = first()
            b = second()
        found.append(b / a)
    return found
