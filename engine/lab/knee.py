"""Where more stops paying: the knee of a sweep, and where its gain vanishes. Pure.

The *knee* is the smallest value whose speed is at least 98 % of the best value's, over the same samples: what lies
above it costs and brings nothing that counts. Speeds have errors, so the same rule is asked of samples drawn anew:
``support`` is the share of draws that name the same value, ``candidates`` are all that at least one draw in twenty
names. A knee at the end of the axis is a sign that the axis is too short (``at_end``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from engine.stats import RESAMPLES, Floats

CLOSE = 0.98
NAMED_SHARE = 0.05
RULE = "The smallest value whose speed is at least 98 % of the best value's, over the same samples."


def knee_index(speeds: Floats) -> Floats:
    """Place of the knee; ``speeds`` [..., values]."""
    best = speeds.max(axis=-1, keepdims=True)
    return np.asarray(np.argmax(speeds >= CLOSE * best, axis=-1))


def knee(
    values: Sequence[float], tokens: Sequence[Sequence[float]], seconds: Sequence[Sequence[float]], seed: int = 0
) -> dict[str, Any]:
    """Args: values ascending; tokens and seconds [samples][values], each already in units of its own baseline where
    there is one. Keys: value, best, support, candidates [{value, share}], at_end, samples, rule; value None without
    samples or with fewer than two values."""
    e, t = np.asarray(tokens, np.float64), np.asarray(seconds, np.float64)
    if len(e) == 0 or len(values) < 2:
        return {"value": None, "best": None, "support": None, "candidates": [], "at_end": False, "samples": len(e),
                "rule": RULE}  # fmt: skip
    speeds = e.sum(axis=0) / t.sum(axis=0)
    place = int(knee_index(speeds))
    support, candidates = None, [{"value": values[place], "share": 1.0}]
    if len(e) > 1:
        rng = np.random.default_rng(seed)
        drawn = rng.multinomial(len(e), np.full(len(e), 1 / len(e)), size=RESAMPLES).astype(np.float64)
        named = np.bincount(knee_index((drawn @ e) / (drawn @ t)).astype(int), minlength=len(values)) / RESAMPLES
        support = float(named[place])
        candidates = [
            {"value": value, "share": float(share)}
            for value, share in zip(values, named, strict=True)
            if share >= NAMED_SHARE
        ]
    return {
        "value": values[place],
        "best": values[int(np.argmax(speeds))],
        "support": support,
        "candidates": candidates,
        "at_end": place == len(values) - 1,
        "samples": len(e),
        "rule": RULE,
    }


def vanishes(values: Sequence[float], speedups: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """From which value on, to the end of the axis, the arm is slower than its baseline. Keys: value, where the speedup
    is below 1 there and beyond, and surely, where the whole interval is; None where it isn't at the axis's end. Values
    without a figure say nothing either way."""
    ordered = sorted(zip(values, speedups, strict=True), key=lambda pair: pair[0])

    def first_of_the_end(bound: str) -> float | None:
        found = None
        for value, speedup in reversed(ordered):
            if speedup["value"] is None:
                continue
            if speedup[bound] is None or speedup[bound] >= 1:
                break
            found = value
        return found

    return {"value": first_of_the_end("value"), "surely": first_of_the_end("high")}
