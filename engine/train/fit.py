"""Fits an n-gram table to the answers of a data set.

Probabilities are estimated by absolute discounting with back-off to the shorter context (Ney, Essen, Kneser 1994;
Chen, Goodman 1999):

    p_n(t | c) = max(count(c t) - D, 0) / count(c) + D kinds(c) / count(c) p_{n-1}(t | c without its first token)

A count is the number of conversations: what one of them says twice is no likelier in another. ``kinds(c)`` is how many
different tokens followed c, and D = n1 / (n1 + 2 n2) from the numbers of runs seen once and twice. A context's first
entry is the likeliest token after it; where the shorter context's likeliest token is likelier still than all that were
seen, it is that one. Up to three more that were seen follow, for those who weigh tokens against each other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.drafters.ngrams import hashes
from engine.drafters.table import KEY_SHIFT, SURE_STEPS, Level, Table
from engine.train.conversations import Conversations, DataError, answer_tokens, count, id_type
from engine.train.dataset import Dataset

_PAIR_FACTOR = np.uint64(0xD6E8FEB86659FD93)


TOKENS = 4
"""Of a context at most."""


@dataclass(slots=True)
class _Entries:
    """Contexts of one length and the tokens listed after each; all arrays [entries]."""

    keys: NDArray[np.uint32]
    next: NDArray[np.int64]
    sure: NDArray[np.float64]
    seen: NDArray[np.int64]
    """How often the context was followed by anything."""
    gain: NDArray[np.int64]
    """How many more of those times ``next`` followed than what the shorter context says; without the entry that much
    is lost. -1 of all but a context's first, which go first."""


@dataclass(slots=True)
class _Positions:
    """What the contexts so far say at each answer token; all arrays [positions]."""

    at: NDArray[np.int64]
    """Index of the answer token in the text."""
    token: NDArray[np.int64]
    text: NDArray[np.int64]
    """Number of its conversation."""
    p: NDArray[np.float64]
    """Probability of the token that came."""
    best: NDArray[np.int64]
    """The likeliest token."""
    best_p: NDArray[np.float64]


def fit_table(dataset: Dataset, order: int = 4, most_bytes: int = 8_000_000) -> Table:
    """A table of the training part's answers. Raises ``DataError`` where there are none."""
    c, vocabulary = dataset.train, int(dataset.manifest["vocabulary"])
    positions = _answers(c, order - 1)
    if not len(positions.at):
        raise DataError("The data set's training part holds no answers: make more text first.")
    found = [_entries(c.tokens, positions, n) for n in range(1, order)]
    found = _prune(found, most_bytes // (4 + 1 + np.dtype(id_type(vocabulary)).itemsize))
    levels = tuple(
        Level(e.keys, e.next.astype(id_type(vocabulary)), np.round(e.sure * SURE_STEPS).astype(np.uint8)) for e in found
    )
    about = {"conversations": count(c), "answer_tokens": answer_tokens(c), "seed": dataset.manifest["recipe"]["seed"]}
    return Table(levels, vocabulary, str(dataset.manifest["target"]["name"]), about)


def _answers(c: Conversations, longest: int) -> _Positions:
    """All answer tokens that have ``longest`` tokens before them in their own conversation; without a context the
    likeliest token is the commonest."""
    begins = np.repeat(c.offsets[:-1], np.diff(c.offsets))
    inside = np.arange(len(c.tokens)) - begins
    first = np.repeat(np.maximum(c.starts, longest), np.diff(c.offsets))
    at = np.flatnonzero(inside >= first)
    token = c.tokens[at].astype(np.int64)
    share = np.bincount(token) / max(len(token), 1) if len(token) else np.zeros(1)
    commonest = int(share.argmax())
    text = np.repeat(np.arange(count(c)), np.diff(c.offsets))[at]
    return _Positions(
        at, token, text, share[token], np.full(len(at), commonest), np.full(len(at), share[commonest], np.float64)
    )


def _entries(tokens: NDArray[Any], positions: _Positions, n: int) -> _Entries:
    """Contexts of ``n`` tokens; ``positions`` moves on to what they say."""
    context = hashes(tokens, n)[positions.at - n]
    pair = _pair(context, positions.token)
    pairs, first, of_pair = np.unique(pair, return_index=True, return_inverse=True)
    _, once_each = np.unique(of_pair * (positions.text.max() + 1) + positions.text, return_index=True)
    times = np.bincount(of_pair[once_each])
    contexts, first_pair, of_context = np.unique(context[first], return_index=True, return_inverse=True)
    seen = np.bincount(of_context, weights=times)
    kinds = np.bincount(of_context)
    once, twice = int((times == 1).sum()), int((times == 2).sum())
    discount = once / (once + 2 * twice) if once else 0.0
    back_off = discount * kinds / seen
    p = (times - discount).clip(0) / seen[of_context] + back_off[of_context] * positions.p[first]

    # Pairs by context, the likeliest first.
    order = np.lexsort((-np.arange(len(p)), -p, of_context))
    rank = np.arange(len(order)) - np.searchsorted(of_context[order], of_context[order])
    best_pair = order[rank == 0]
    best, best_p = positions.token[first[best_pair]], p[best_pair]
    any_position = first[first_pair]
    shorter, shorter_p = positions.best[any_position], back_off * positions.best_p[any_position]
    unseen = shorter_p > best_p
    best, best_p = np.where(unseen, shorter, best), np.maximum(shorter_p, best_p)

    gain = _times(pairs, times, contexts, best)
    if n > 1:
        gain = gain - _times(pairs, times, contexts, shorter)
    at_position = of_context[of_pair]
    positions.p, positions.best, positions.best_p = p[of_pair], best[at_position], best_p[at_position]

    # Behind a context's first come the others that were seen; a chance that rounds to nothing isn't worth a place.
    rank = rank + unseen[of_context[order]]
    others = order[(rank > 0) & (rank < TOKENS) & (p[order] * SURE_STEPS >= 1)]
    every = np.arange(len(contexts))
    of = np.concatenate([every, of_context[others]])
    # Contexts are in the order of their hashes, so keys are too; of two with one key the first stays.
    keys = (contexts >> np.uint64(KEY_SHIFT)).astype(np.uint32)
    single = np.isin(every, np.unique(keys, return_index=True)[1])
    place = np.argsort(of, kind="stable")
    place = place[single[of[place]]]
    of = of[place]
    return _Entries(
        keys[of], np.concatenate([best, positions.token[first[others]]])[place],
        np.concatenate([best_p, p[others]])[place], seen[of].astype(np.int64),
        np.concatenate([gain, np.full(len(others), -1)])[place],
    )  # fmt: skip


def _pair(context: NDArray[np.uint64], token: NDArray[np.int64]) -> NDArray[np.uint64]:
    return (context ^ (token.astype(np.uint64) + np.uint64(1))) * _PAIR_FACTOR


def _times(
    pairs: NDArray[np.uint64], times: NDArray[np.int64], contexts: NDArray[np.uint64], token: NDArray[np.int64]
) -> NDArray[np.int64]:
    """How often each context was followed by a token."""
    wanted = _pair(contexts, token)
    at = np.minimum(np.searchsorted(pairs, wanted), len(pairs) - 1)
    return np.where(pairs[at] == wanted, times[at], 0).astype(np.int64)


def _prune(levels: list[_Entries], most: int) -> list[_Entries]:
    """The entries that gain most; among equals those whose context was seen oftener."""
    if sum(len(e.keys) for e in levels) <= most:
        return levels
    gain = np.concatenate([e.gain for e in levels])
    seen = np.concatenate([e.seen for e in levels])
    keep = np.zeros(len(gain), np.bool_)
    keep[np.lexsort((-seen, -gain))[:most]] = True
    kept: list[_Entries] = []
    for e in levels:
        here, keep = keep[: len(e.keys)], keep[len(e.keys) :]
        kept.append(_Entries(e.keys[here], e.next[here], e.sure[here], e.seen[here], e.gain[here]))
    return kept
