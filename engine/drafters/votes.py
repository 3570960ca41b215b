"""How look-up, table and a trained drafter are weighed against each other, token by token: a conditional logit.

    s(v) = a log q(v)  +  b[m] where look-up's match of m tokens says v  +  c[n, sure] where the table's n-gram says v
    P(v) = exp s(v) / sum of exp s over everything that may come

q is the drafter's distribution. Whatever none of the three names shares q's remainder. Log-linear pooling of experts
(Genest and Zidek 1986; Hinton 2002, products of experts); that a cache, n-grams and a network know different things is
old knowledge of language modelling (Kuhn and de Mori 1990; Grave et al., arXiv 1612.04426). P is an estimate of the
chance that the target says v, so a block can be ended where going on isn't worth it.

The weights are fitted on text that the target wrote (``engine.train.votes``), and lie beside the drafter's.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
from msgspec import Struct

from engine.models.errors import ModelError

MATCHES = (1, 2, 3, 4, 6, 9)
"""Bins of match lengths: each from here to the next."""
SURES = (0.0, 0.2, 0.4, 0.6, 0.8)
"""Bins of the table's own certainty."""
ORDERS = 3
REST = math.log(1 / 200)
"""A token that the drafter doesn't name gets this share of the probability that it left over."""


class Weights(Struct, frozen=True, kw_only=True):
    drafter: float = 1.0
    """a. 0 where there is no drafter (beyond its block)."""
    lookup: tuple[float, ...] = (0.0,) * len(MATCHES)
    """b, by ``MATCHES``."""
    table: tuple[tuple[float, ...], ...] = ((0.0,) * len(SURES),) * ORDERS
    """c, by the context's length and ``SURES``."""


class Votes(Struct, frozen=True, kw_only=True):
    """Where the drafter speaks, and where look-up and table are alone."""

    beside: Weights = Weights()
    alone: Weights = Weights(drafter=0.0)
    fitted_on: str = ""


FILE = "votes.json"
USUAL = Votes(
    beside=Weights(
        drafter=0.7, lookup=(1.5, 3.2, 3.8, 4.6, 4.5, 4.6),
        table=((0.5, 0.6, 1.1, 1.3, 1.1), (0.4, 0.5, 1.5, 1.6, 1.9), (0.9, 1.0, 1.3, 1.5, 3.3)),
    ),
    alone=Weights(
        drafter=0.0, lookup=(-1.0, 0.3, 0.6, 1.1, 1.2, 2.8),
        table=((-1.5, -1.0, -0.4, 0.3, 0.6), (-2.0, -1.1, 0.0, 0.2, 1.4), (-1.6, -0.8, -0.1, 0.4, 2.4)),
    ),
)  # fmt: skip
"""Where nothing was fitted: the mean of what ``votes.json`` of the embedded model's A and E say, to one decimal."""


def read_votes(drafter: Path) -> Votes:
    """Those that lie beside a drafter's weights; otherwise the usual ones. Raises ``ModelError``."""
    file = drafter / FILE
    if not file.is_file():
        return USUAL
    try:
        votes = msgspec.json.decode(file.read_bytes(), type=Votes)
    except (OSError, msgspec.DecodeError) as error:
        raise ModelError(f"{file} can't be read ({error}): remove it, or fit it again.") from error
    for w in (votes.beside, votes.alone):
        if len(w.lookup) != len(MATCHES) or [len(row) for row in w.table] != [len(SURES)] * ORDERS:
            raise ModelError(f"{file} doesn't have the weights that this version reads: remove it, or fit it again.")
    return votes


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known of one position. Probabilities of ``ids`` are natural logarithms."""

    ids: Sequence[int] = ()
    log_q: Sequence[float] = ()
    lookup: tuple[int, int] | None = None
    """Token, length of the match."""
    table: tuple[int, float, int] | None = None
    """Token, certainty, length of the context."""


def bin_of(edges: Sequence[float], value: float) -> int:
    return max(i for i, edge in enumerate(edges) if value >= edge or not i)


def features(e: Evidence) -> tuple[list[int], list[float], tuple[int, int], tuple[int, int, int], float]:
    """Candidates, their log q, (candidate, bin) of look-up, (candidate, order, bin) of the table, log of the rest.

    Where look-up or table say nothing their candidate is -1.
    """
    ids, log_q = list(e.ids), list(e.log_q)
    left = math.log(max(1.0 - sum(map(math.exp, log_q)), 1e-4)) if ids else 0.0
    looked, tabled = (-1, 0), (-1, 0, 0)

    def place(token: int) -> int:
        if token not in ids:
            ids.append(token)
            log_q.append(left + REST if e.ids else 0.0)
        return ids.index(token)

    if e.lookup is not None:
        looked = place(e.lookup[0]), bin_of(MATCHES, e.lookup[1])
    if e.table is not None:
        tabled = place(e.table[0]), min(e.table[2], ORDERS) - 1, bin_of(SURES, e.table[1])
    return ids, log_q, looked, tabled, left


def choose(e: Evidence, votes: Votes) -> tuple[int, float] | None:
    """The likeliest token and the estimated chance that it comes; None where nothing is known."""
    ids, log_q, looked, tabled, left = features(e)
    if not ids:
        return None
    w = votes.beside if e.ids else votes.alone
    scores = [w.drafter * q for q in log_q]
    if looked[0] >= 0:
        scores[looked[0]] += w.lookup[looked[1]]
    if tabled[0] >= 0:
        scores[tabled[0]] += w.table[tabled[1]][tabled[2]]
    best = max(range(len(ids)), key=scores.__getitem__)
    whole = sum(math.exp(s - scores[best]) for s in scores) + math.exp(w.drafter * left - scores[best])
    return ids[best], 1.0 / whole
