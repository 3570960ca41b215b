"""Which conversations and anchors a step learns from: a pure function of the seed and the step's number, so that a run
can be stopped anywhere and goes on as if it never had been.

An epoch is one permutation of the conversations. Anchors are answer tokens that have at least one answer token behind
them, drawn without replacement where the answer is long enough.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.train.conversations import Conversations


@dataclass(frozen=True, slots=True)
class Batch:
    """
    Shape:
        which: [C], conversations
        tokens: [C, S] int32, padded with 0
        lengths: [C]
        anchors: [C, A], places inside each conversation, ascending
        firsts: [C, F], further anchors, of which the first position alone is learned
    """

    which: NDArray[np.int64]
    tokens: NDArray[np.int32]
    lengths: NDArray[np.int64]
    anchors: NDArray[np.int64]
    firsts: NDArray[np.int64]


def usable(c: Conversations) -> NDArray[np.int64]:
    """Conversations with an anchor in them: something before it and something after it."""
    lengths = np.diff(c.offsets)
    return np.flatnonzero(lengths - np.maximum(c.starts, 1) >= 2)


def batch_at(
    c: Conversations, among: NDArray[np.int64], step: int, rows: int, anchors: int, seed: int, firsts: int = 0
) -> Batch:
    """The batch of step number ``step``, from 0."""
    order = np.empty(0, np.int64)
    first = step * rows
    epoch = first // len(among)
    while len(order) < first - epoch * len(among) + rows:
        order = np.concatenate([order, permutation(among, seed, epoch + len(order) // len(among))])
    which = order[first - epoch * len(among) :][:rows]
    rng = np.random.Generator(np.random.Philox(key=[seed, step + 1]))
    lengths = np.diff(c.offsets)[which]
    tokens = np.zeros((rows, int(lengths.max())), np.int32)
    places = np.zeros((rows, anchors + firsts), np.int64)
    for row, i in enumerate(which):
        tokens[row, : lengths[row]] = c.tokens[c.offsets[i] : c.offsets[i + 1]]
        possible = np.arange(max(int(c.starts[i]), 1), int(lengths[row]) - 1)
        places[row] = rng.choice(possible, anchors + firsts, replace=len(possible) < anchors + firsts)
    return Batch(which, tokens, lengths, np.sort(places[:, :anchors], axis=1), np.sort(places[:, anchors:], axis=1))


def permutation(among: NDArray[np.int64], seed: int, epoch: int) -> NDArray[np.int64]:
    shuffled: NDArray[np.int64] = np.random.Generator(np.random.Philox(key=[seed, 1 << 40 | epoch])).permutation(among)
    return shuffled


def following(batch: Batch, anchors: NDArray[np.int64], n: int) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """The n tokens after each anchor, 0 where the conversation has ended, and which there are. Twice [C, A, n]"""
    places = anchors[..., None] + np.arange(1, n + 1)
    there = places < batch.lengths[:, None, None]
    rows = np.arange(len(batch.which))[:, None, None]
    found: NDArray[Any] = batch.tokens[rows, np.minimum(places, batch.tokens.shape[1] - 1)]
    return np.where(there, found, 0).astype(np.int64), there
