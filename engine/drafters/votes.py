"""How look-up, table and a trained drafter are weighed against each other, token by token: a conditional logit.

    s(v) = a log q(v)                         what the drafter holds v for (a' more behind a block's first position)
         + d[n] log t(v)                      what the table does, after its longest known context of n tokens
         + c[n, sure]                         where v is the table's first choice
         + b[m], or o[m] and u log share(v)   where v followed an earlier place that matches m tokens: b where it is the
                                              longest match (look-up's own draft), o elsewhere; of all matching places
                                              the share that v followed
    P(v) = exp s(v) / sum of exp s over everything that may come

Whatever nobody names shares what q and t leave over. Log-linear pooling of experts
(Genest and Zidek 1986; Hinton 2002, products of experts); that a cache, n-grams and a network know different things is
old knowledge of language modelling (Kuhn and de Mori 1990; Grave et al., arXiv 1612.04426). P is an estimate of the
chance that the target says v, so a block can be ended where going on isn't worth it.

The weights are fitted on text that the target wrote (``engine.train.votes``), and lie beside the drafter's.
"""

from __future__ import annotations

import functools
import heapq
import itertools
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
LEAST = 1e-4
"""Probabilities are no smaller here."""
REST = math.log(1 / 200)
"""A token that the drafter, or the table, doesn't name gets this share of the probability that it left over."""


class Weights(Struct, frozen=True, kw_only=True):
    drafter: float = 1.0
    """a. 0 where there is no drafter (beyond its block)."""
    later: float = 0.0
    """a'."""
    lookup: tuple[float, ...] = (0.0,) * len(MATCHES)
    """b, by ``MATCHES``."""
    others: tuple[float, ...] = (0.0,) * len(MATCHES)
    """o, by ``MATCHES``."""
    share: float = 0.0
    """u."""
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
        drafter=0.8, later=-0.2, share=0.6, spread=(0.1, 0.1, 0.2), lookup=(1.3, 3.1, 3.5, 3.5, 3.2, 5.8),
        others=(1.6, 2.5, 1.3, 1.5, -0.7, 0.0),
        table=((0.3, 0.5, 0.6, 0.1, 0.7), (0.7, 0.3, 1.0, 0.8, 0.9), (0.7, 0.8, 0.7, 1.0, 2.0)),
    ),
    alone=Weights(
        drafter=0.0, share=0.4, spread=(0.6, 0.6, 0.6), lookup=(1.6, 3.4, 4.0, 4.0, 4.2, 6.6),
        others=(1.5, 2.2, 1.6, 1.8, 1.0, 0.0),
        table=((-0.5, -0.3, -0.4, 0.0, -1.0), (-0.7, -0.4, 0.3, 0.3, -0.2), (-0.4, -0.1, 0.1, 0.1, 0.7)),
    ),
)  # fmt: skip
"""Where nothing was fitted: the mean of what ``votes.json`` of the embedded model's A and E say, to one decimal."""


def read_votes(drafter: Path) -> Votes:
    """Those that lie beside a drafter's weights; otherwise the usual ones. Raises ``ModelError``.

    Weights that were fitted before the table had a list mean nothing beside one: the usual ones are taken.
    """
    file = drafter / FILE
    if not file.is_file():
        return USUAL
    try:
        written = msgspec.json.decode(file.read_bytes())
        votes = msgspec.convert(written, Votes)
        if any("spread" not in written.get(part, {}) for part in ("beside", "alone")):
            return USUAL
    except (OSError, msgspec.DecodeError, msgspec.ValidationError) as error:
        raise ModelError(f"{file} can't be read ({error}): remove it, or fit it again.") from error
    for w in (votes.beside, votes.alone):
        sizes = [len(w.lookup), len(w.others), len(w.spread), *map(len, w.table)]
        if sizes != [len(MATCHES), len(MATCHES), ORDERS] + [len(SURES)] * ORDERS:
            raise ModelError(f"{file} doesn't have the weights that this version reads: remove it, or fit it again.")
    return votes


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known of one position. Probabilities of ``ids`` are natural logarithms."""

    ids: Sequence[int] = ()
    log_q: Sequence[float] = ()
    lookup: Sequence[tuple[int, int, int]] = ()
    """What followed earlier places: token, length of its longest match, how often; the longest match first."""
    table: tuple[int, float, int] | None = None
    """Its first choice: token, certainty, length of the context."""
    spread: tuple[Mapping[int, float], float] | None = None
    """The table's probabilities of the tokens that it lists, and what is left for others."""
    first: bool = True
    """The position is its block's first."""


# Where each weight stands in ``flat``.
DRAFTER, LATER, SHARE, SPREAD = 0, 1, 2, 3
LOOKUP = SPREAD + ORDERS
OTHERS = LOOKUP + len(MATCHES)
TABLE = OTHERS + len(MATCHES)


@functools.lru_cache(maxsize=64)
def flat(w: Weights) -> tuple[float, ...]:
    return (w.drafter, w.later, w.share, *w.spread, *w.lookup, *w.others, *itertools.chain(*w.table))


def weights_of(numbers: Sequence[float]) -> Weights:
    """The other way round."""
    n = len(SURES)
    return Weights(
        drafter=numbers[DRAFTER], later=numbers[LATER], share=numbers[SHARE], spread=tuple(numbers[SPREAD:LOOKUP]),
        lookup=tuple(numbers[LOOKUP:OTHERS]), others=tuple(numbers[OTHERS:TABLE]),
        table=tuple(tuple(numbers[at : at + n]) for at in range(TABLE, TABLE + ORDERS * n, n)),
    )  # fmt: skip


Factors = list[tuple[int, float]]
"""The terms of one token's sum: which weight, and what it is multiplied with."""


def bin_of(edges: Sequence[float], value: float) -> int:
    return max(i for i, edge in enumerate(edges) if value >= edge or not i)


def terms(e: Evidence) -> tuple[list[int], list[Factors]]:
    """All tokens that anyone names, and the terms of each; behind them the terms of the rest."""
    listed, t_left = e.spread or ({}, 1.0)
    named = [*e.ids, *listed, *(said[0] for said in e.lookup), *(() if e.table is None else e.table[:1])]
    ids = list(dict.fromkeys(named))
    rows: list[Factors] = [[] for _ in range(len(ids) + 1)]
    if e.ids:
        left = math.log(max(1.0 - sum(map(math.exp, e.log_q)), LEAST))
        for row, log_q in zip(rows, [*e.log_q, *[left + REST] * (len(ids) - len(e.ids)), left], strict=True):
            row += [(DRAFTER, log_q)] if e.first else [(DRAFTER, log_q), (LATER, log_q)]
    if listed and e.table is not None:
        left = math.log(max(t_left, LEAST))
        log_t = [math.log(max(listed[v], LEAST)) if v in listed else left + REST for v in ids]
        weight = SPREAD + min(e.table[2], ORDERS) - 1
        for row, log_p in zip(rows, [*log_t, left], strict=True):
            row.append((weight, log_p))
    if e.table is not None:
        token, sure, order = e.table
        rows[ids.index(token)].append((TABLE + (min(order, ORDERS) - 1) * len(SURES) + bin_of(SURES, sure), 1.0))
    places = sum(times for *_, times in e.lookup)
    for n, (token, matched, times) in enumerate(e.lookup):
        weight = (OTHERS if n else LOOKUP) + bin_of(MATCHES, matched)
        rows[ids.index(token)] += [(weight, 1.0), (SHARE, math.log(times / places))]
    return ids, rows


def choose(e: Evidence, votes: Votes) -> tuple[int, float] | None:
    """The likeliest token and the estimated chance that it comes; None where nothing is known."""
    return next(iter(ranked(e, votes, 1)), None)


def ranked(e: Evidence, votes: Votes, most: int) -> list[tuple[int, float]]:
    """The likeliest tokens and the estimated chance that each comes, the likeliest first."""
    ids, rows = terms(e)
    if not ids:
        return []
    w = flat(votes.beside if e.ids else votes.alone)
    scores = [sum(w[weight] * factor for weight, factor in row) for row in rows]
    *named, _ = scores  # the last is that of everything else
    top = max(named)
    whole = sum(math.exp(score - top) for score in scores)
    best = heapq.nlargest(most, range(len(ids)), key=named.__getitem__)
    return [(ids[i], math.exp(named[i] - top) / whole) for i in best]
