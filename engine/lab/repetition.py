"""Text that flatters: a loop or an answer of a few words says nothing of speed.

Pure. A loop is easy to guess, most of all for a look-up, and a very short answer is mostly its first and its last
round.
"""

from __future__ import annotations

from collections.abc import Sequence

GRAM_TOKENS = 8
LOOP_SHARE = 0.25
"""More than this share of an answer's 8-grams occurred in it before: it repeats itself."""
LEAST_TOKENS = 16
"""Fewer emitted tokens are no measure of speed."""

REPEATS = "repeats itself"
TOO_SHORT = "too short"


def repeated_share(ids: Sequence[int], gram: int = GRAM_TOKENS) -> float:
    """Share of the n-grams of ``ids`` that occurred before in it; 0 where there are none."""
    grams = [tuple(ids[at : at + gram]) for at in range(len(ids) - gram + 1)]
    return 1 - len(set(grams)) / len(grams) if grams else 0.0


def void_reason(ids: Sequence[int]) -> str:
    """Why the speed of this text counts for nothing; empty where it counts."""
    if len(ids) < LEAST_TOKENS:
        return TOO_SHORT
    return REPEATS if repeated_share(ids) > LOOP_SHARE else ""
