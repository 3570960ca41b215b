"""The acceptance rule: one function for every drafter, greedy and sampled.

The target has verified ``width`` drafts in ``width + 1`` rows. p_j is its distribution in row j, after the anchor and
the first j drafts; q_j is the distribution draft j was really drawn from (a point mass where the drafter just names a
token).

Sampled (Leviathan et al. 2023, theorem 1; Chen et al. 2023, algorithm 2), from left to right:

    keep draft y_j                with probability  min(1, p_j(y_j) / q_j(y_j))
    at the first one not kept     emit from         norm(max(0, p_j - q_j))          the residual
    where all are kept            emit from         p_width                          the bonus

Then y_j and the emitted token together are distributed as p, whatever q is:

    P(x) = q(x) min(1, p(x)/q(x)) + (1 - sum_y min(p(y), q(y))) * max(0, p(x) - q(x)) / sum_y max(0, p(y) - q(y))
         = min(p(x), q(x))        + max(0, p(x) - q(x))                                                           = p(x)

since both sums over max(0, p - q) and 1 - min(p, q) are the same number. A position is kept with probability sum
min(p, q).

Greedy is the same rule with p a point mass on the argmax: a draft is kept where it is the argmax of its row.

Everything is lazy MLX with shapes known beforehand; the caller reads the result once.
"""

from __future__ import annotations

from dataclasses import dataclass

import mlx.core as mx
import numpy as np

from engine.sampling import NEG_INF


@dataclass(slots=True)
class Proposal:
    """Probabilities behind a block of drafts.

    Shape:
        tokens: [width] int
        q: None (each draft is a point mass), [width, V], or [width, K] over ``candidates``
        candidates: [width, K] ids, distinct in a row; None where q covers the vocabulary
    """

    tokens: mx.array
    q: mx.array | None = None
    candidates: mx.array | None = None


@dataclass(slots=True)
class Decision:
    """Shape: accepted [], next_token [], draft_p [width], draft_q [width]; lazy."""

    accepted: mx.array
    next_token: mx.array
    draft_p: mx.array
    draft_q: mx.array


def leading(kept: mx.array) -> mx.array:
    """Length of the run of true values at the start. [width] bool -> [] int32"""
    return mx.cumprod(kept.astype(mx.int32)).sum()


def accept_greedy(argmax: mx.array, tokens: mx.array) -> Decision:
    """Args: argmax [width + 1] of the (penalised) rows, tokens [width].

    ``draft_p`` is left out: greedily it decides nothing. What is shown in its place is ``softmax_of`` the drafts.
    """
    width = tokens.shape[0]
    accepted = leading(argmax[:width] == tokens.astype(argmax.dtype)) if width else mx.array(0)
    return Decision(accepted, argmax[accepted], mx.zeros((0,)), mx.ones((width,)))


def softmax_of(logits: mx.array, tokens: mx.array) -> mx.array:
    """The model's own probability of each draft. logits [>= width, V], tokens [width] -> [width] float32, lazy."""
    rows = logits[: tokens.shape[0]].astype(mx.float32)
    chosen = mx.take_along_axis(rows, tokens[:, None].astype(mx.int32), axis=-1)[:, 0]
    return mx.exp(chosen - mx.logsumexp(rows, axis=-1))


def shown_on_host(logits: mx.array, drafts: list[int], argmax: list[int]) -> tuple[list[float], list[float]]:
    """``softmax_of`` the drafts and ``margins`` of all rows, from logits that are computed.

    On MLX's CPU backend the two cost 6 % of a round, in NumPy a third of that. The arrays share their memory.
    """
    rows = np.array(logits.astype(mx.float32), copy=None)
    best = rows[np.arange(len(argmax)), argmax]
    others = [
        max(row[:i].max(initial=NEG_INF), row[i + 1 :].max(initial=NEG_INF))
        for row, i in zip(rows, argmax, strict=True)
    ]
    drafted = np.arange(len(drafts))
    powers = rows[: len(drafts)] - best[: len(drafts), None]
    chosen = np.exp(powers[drafted, drafts])
    total = np.exp(powers, out=powers).sum(axis=-1)
    return (chosen / total).tolist(), (best - others).tolist()


def accept_sampled(p: mx.array, proposal: Proposal, uniforms: mx.array, noise: mx.array) -> Decision:
    """The rule above.

    Args:
        p: [width + 1, V], the target's distribution in each row
        proposal: the drafts and what they were drawn from
        uniforms: [width] in [0, 1), independent of the draws of the drafts
        noise: [V] standard Gumbel, chooses the emitted token
    """
    width = proposal.tokens.shape[0]
    if width == 0:
        return Decision(mx.array(0), mx.argmax(mx.log(p[0]) + noise), mx.zeros((0,)), mx.zeros((0,)))
    draft_p, draft_q = drafted(p, proposal)
    accepted = leading(kept(draft_p, draft_q, uniforms))
    rest = residuals(p, proposal)[accepted]
    return Decision(accepted, mx.argmax(mx.log(rest) + noise), draft_p, draft_q)


def kept(draft_p: mx.array, draft_q: mx.array, uniforms: mx.array) -> mx.array:
    """u < min(1, p / q) without the division. [width] -> [width] bool. A token with p = 0 is never kept."""
    return uniforms * draft_q < draft_p


def drafted(p: mx.array, proposal: Proposal) -> tuple[mx.array, mx.array]:
    """p and q of the drafts themselves: two arrays [width]."""
    width = proposal.tokens.shape[0]
    tokens = proposal.tokens.astype(mx.int32)[:, None]
    draft_p = mx.take_along_axis(p[:width], tokens, axis=-1)[:, 0]
    if proposal.q is None:
        return draft_p, mx.ones_like(draft_p)
    if proposal.candidates is None:
        return draft_p, mx.take_along_axis(proposal.q, tokens, axis=-1)[:, 0]
    at = proposal.candidates == tokens.astype(proposal.candidates.dtype)  # [width, K]
    return draft_p, mx.where(at, proposal.q, mx.zeros_like(proposal.q)).sum(axis=-1)


def residuals(p: mx.array, proposal: Proposal) -> mx.array:
    """What is emitted from after j kept drafts, j = 0..width. [width + 1, V], each row normalised.

    Row j < width is norm(max(0, p_j - q_j)), the last row p itself. No mass is left only where rounding ate it
    (p = q exactly would have kept the draft); such a row falls back to p.
    """
    width = proposal.tokens.shape[0]
    rows = p[:width]
    if proposal.q is None:
        index = proposal.tokens.astype(mx.int32)[:, None]
        rest = mx.put_along_axis(rows, index, mx.zeros(index.shape, rows.dtype), axis=-1)
    elif proposal.candidates is None:
        rest = mx.maximum(rows - proposal.q, 0)
    else:
        at_candidates = mx.take_along_axis(rows, proposal.candidates, axis=-1)
        rest = mx.put_along_axis(rows, proposal.candidates, mx.maximum(at_candidates - proposal.q, 0), axis=-1)
    mass = rest.sum(axis=-1, keepdims=True)
    rest = mx.where(mass > 0, rest / mx.where(mass > 0, mass, mx.ones_like(mass)), rows)
    return mx.concatenate([rest, p[width:]], axis=0)


def margins(logits: mx.array) -> mx.array:
    """First minus second choice of each row. [rows, V] -> [rows] float32"""
    best = mx.argmax(logits, axis=-1, keepdims=True)
    first = mx.take_along_axis(logits, best, axis=-1)
    others = mx.put_along_axis(logits, best, mx.full(best.shape, NEG_INF, logits.dtype), axis=-1)
    return (first[:, 0] - others.max(axis=-1)).astype(mx.float32)
