"""Where a speed-up comes from, in parts that add up exactly. Pure.

Of an arm X and the arm A it is compared with, over the same text: tau tokens a decode round, and C seconds a round, of
which V verify, D draft, O everything else. Speed is tau / C, so

    ln(S_X / S_A) = ln(tau_X / tau_A) + ln(C_A / C_X)        accepted length gained + round cost saved

and the second part is divided among V, D and O by Shapley's rule: each gets the mean, over all six orders in which the
three of A can be replaced by those of X, of what its own replacement changes. No order is favoured, nothing is left.
"""

from __future__ import annotations

from itertools import permutations

import numpy as np

from engine.lab.evidence import OVERHEAD, ROUNDS, SECONDS, TOKENS, draft_seconds
from engine.stats import Floats

PARTS = ("verify", "draft", "overhead")
ORDERS = tuple(permutations(range(3)))


def per_round(sums: Floats) -> tuple[Floats, Floats]:
    """Tokens a round, and seconds a round [..., 3] of verify, draft, overhead; ``sums`` as ``cost_sums`` makes them."""
    rounds = sums[..., ROUNDS]
    draft = draft_seconds(sums)
    overhead = sums[..., OVERHEAD]
    verify = sums[..., SECONDS] - draft - overhead
    costs = np.stack([verify, draft, overhead], axis=-1) / rounds[..., None]
    return np.asarray(sums[..., TOKENS] / rounds), costs


def shapley(own: Floats, other: Floats) -> Floats:
    """What each part of the cost saves, in logs [..., 3]; they add up to ln(sum(other) / sum(own)) exactly."""
    saved = np.zeros(np.broadcast_shapes(own.shape, other.shape))
    for order in ORDERS:
        mixed = np.array(np.broadcast_to(other, saved.shape))
        before = np.log(mixed.sum(axis=-1))
        for part in order:
            mixed[..., part] = own[..., part]
            after = np.log(mixed.sum(axis=-1))
            saved[..., part] += before - after
            before = after
    return np.asarray(saved / len(ORDERS))


def decompose(own: Floats, other: Floats) -> Floats:
    """In logs [..., 5]: accepted length, verify, draft, overhead, and their sum, the measured speed-up.

    Args: ``cost_sums`` of the arm [..., n] and of the one it is compared with [..., m].
    """
    tokens, costs = per_round(own)
    tokens_other, costs_other = per_round(other)
    length = np.log(tokens / tokens_other)
    saved = shapley(costs, costs_other)
    return np.concatenate([length[..., None], saved, (length + saved.sum(axis=-1))[..., None]], axis=-1)
