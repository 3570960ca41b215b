"""Which tokens the softmax of one step runs over.

Most of a small drafter's work would be its head over the whole draft vocabulary. A step looks at the tokens that matter
in it, its labels and what the target held likely there, and at some of the others drawn at random, each standing for
many: the sum under the softmax stays right on average (importance sampling: Jean et al., arXiv 1412.2007).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import mlx.core as mx
import numpy as np
from numpy.typing import NDArray

from engine.drafters.borrow import Borrowed, GatheredHead


@dataclass(frozen=True, slots=True)
class Outputs:
    """
    Shape:
        head: [..., H] -> [..., M]
        ids: [M] int32, ids of the draft vocabulary
        log_weights: [M] float32, the logarithm of how many tokens each stands for; None: each for itself
    """

    head: Callable[[mx.array], mx.array]
    ids: mx.array
    log_weights: mx.array | None = None

    def targets(self, borrowed: Borrowed) -> mx.array:
        """The target's ids. [M]"""
        return borrowed.to_target(self.ids)


def every_output(borrowed: Borrowed, size: int) -> Outputs:
    return Outputs(borrowed.head, mx.arange(size, dtype=mx.int32))


def sampled_outputs(
    borrowed: Borrowed, size: int, needed: NDArray[Any], others: int, rng: np.random.Generator
) -> tuple[Outputs, NDArray[np.int32]]:
    """The ``needed`` ids (-1 is none) and ``others`` of the rest; and of each draft id where it stands, -1 nowhere.
    [size]
    """
    first = np.unique(needed[needed >= 0])
    rest = np.setdiff1d(np.arange(size), first, assume_unique=True)
    drawn = np.sort(rng.choice(rest, min(others, len(rest)), replace=False))
    ids = np.concatenate([first, drawn]).astype(np.int32)
    place = np.full(size, -1, np.int32)
    place[ids] = np.arange(len(ids), dtype=np.int32)
    weights = np.zeros(len(ids), np.float32)
    if len(drawn):
        weights[len(first) :] = math.log(len(rest) / len(drawn))
    head = GatheredHead(head_module(borrowed.head), mx.array(ids))
    return Outputs(head, mx.array(ids), mx.array(weights)), place


def head_module(head: Any) -> Any:
    """Where the rows of a head stand: an embedding's ``as_linear`` is a method of it."""
    return getattr(head, "__self__", head)
