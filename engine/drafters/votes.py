"""How look-up, table and a trained drafter are weighed against each other, token by token: a conditional logit.

    s(v) = a log q(v)  +  d[n] log t(v)  +  b[m] where look-up's match of m tokens says v
                                         +  c[n, sure] where v is the table's first choice
    P(v) = exp s(v) / sum of exp s over everything that may come

q is the drafter's distribution, t the table's after its longest known context of n tokens. Whatever none of the three
names shares what q and t leave over. Log-linear pooling of experts
(Genest and Zidek 1986; Hinton 2002, products of experts); that a cache, n-grams and a network know different things is
old knowledge of language modelling (Kuhn and de Mori 1990; Grave et al., arXiv 1612.04426). P is an estimate of the
chance that the target says v, so a block can be ended where going on isn't worth it.

The weights are fitted on text that the target wrote (``engine.train.votes``), and lie beside the drafter's.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
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
"""A token that the drafter, or the table, doesn't name gets this share of the probability that it left over."""


class Weights(Struct, frozen=True, kw_only=True):
    drafter: float = 1.0
    """a. 0 where there is no drafter (beyond its block)."""
    lookup: tuple[float, ...] = (0.0,) * len(MATCHES)
    """b, by ``MATCHES``."""
    table: tuple[tuple[float, ...], ...] = ((0.0,) * len(SURES),) * ORDERS
    """c, by the context's length and ``SURES``."""
    spread: tuple[float, ...] = (0.0,) * ORDERS
    """d, by the context's length."""


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
        sizes = [len(w.lookup), len(w.spread), *map(len, w.table)]
        if sizes != [len(MATCHES), ORDERS] + [len(SURES)] * ORDERS:
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
    """Its first choice: token, certainty, length of the context."""
    spread: tuple[Mapping[int, float], float] | None = None
    """The table's probabilities of the tokens that it lists, and what is left for others."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """What the formula sums over. Natural logarithms; -1 where look-up or table say nothing."""

    ids: list[int]
    log_q: list[float]
    log_t: list[float]
    left: tuple[float, float]
    """What q and t leave over."""
    looked: tuple[int, int] = (-1, 0)
    """Candidate, bin of the match."""
    tabled: tuple[int, int, int] = (-1, 0, 0)
    """Candidate, order (from 0), bin of the certainty."""


def bin_of(edges: Sequence[float], value: float) -> int:
    return max(i for i, edge in enumerate(edges) if value >= edge or not i)


def candidates(e: Evidence) -> Candidates:
    """All that anyone names."""
    listed, t_left = e.spread or ({}, 1.0)
    ids = list(dict.fromkeys([*e.ids, *listed, *(said[0] for said in (e.lookup, e.table) if said is not None)]))
    left = math.log(max(1.0 - sum(map(math.exp, e.log_q)), 1e-4)) if e.ids else 0.0
    left_t = math.log(max(t_left, 1e-4))
    log_q = [*e.log_q, *[left + REST if e.ids else 0.0] * (len(ids) - len(e.ids))]
    log_t = (
        [math.log(max(listed[v], 1e-4)) if v in listed else left_t + REST for v in ids] if listed else [0.0] * len(ids)
    )
    looked, tabled = (-1, 0), (-1, 0, 0)
    if e.lookup is not None:
        looked = ids.index(e.lookup[0]), bin_of(MATCHES, e.lookup[1])
    if e.table is not None:
        tabled = ids.index(e.table[0]), min(e.table[2], ORDERS) - 1, bin_of(SURES, e.table[1])
    return Candidates(ids, log_q, log_t, (left, left_t if listed else 0.0), looked, tabled)


def choose(e: Evidence, votes: Votes) -> tuple[int, float] | None:
    """The likeliest token and the estimated chance that it comes; None where nothing is known."""
    c = candidates(e)
    if not c.ids:
        return None
    w = votes.beside if e.ids else votes.alone
    a, d = w.drafter, w.spread[c.tabled[1]]
    scores = [a * q + d * t for q, t in zip(c.log_q, c.log_t, strict=True)]
    if c.looked[0] >= 0:
        scores[c.looked[0]] += w.lookup[c.looked[1]]
    if c.tabled[0] >= 0:
        scores[c.tabled[0]] += w.table[c.tabled[1]][c.tabled[2]]
    best = max(range(len(scores)), key=scores.__getitem__)
    whole = sum(math.exp(s - scores[best]) for s in scores) + math.exp(a * c.left[0] + d * c.left[1] - scores[best])
    return c.ids[best], 1.0 / whole
