"""Hashes of runs of tokens, one at a time and for a whole text; both give the same numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

_FACTOR = 0x9E3779B97F4A7C15
_MASK = (1 << 64) - 1
_SHIFT = 29


def hash_of(tokens: Sequence[int]) -> int:
    """64 bits."""
    h = 0
    for token in tokens:
        h = ((h + token + 1) * _FACTOR) & _MASK
        h ^= h >> _SHIFT
    return h


def hashes(tokens: NDArray[Any], n: int) -> NDArray[np.uint64]:
    """Of all runs of ``n`` tokens, in order: [len - n + 1], or nothing where the text is shorter."""
    h = np.zeros(max(len(tokens) - n + 1, 0), np.uint64)
    for i in range(n):
        h = (h + tokens[i : i + len(h)].astype(np.uint64) + np.uint64(1)) * np.uint64(_FACTOR)
        h ^= h >> np.uint64(_SHIFT)
    return h
