"""What a drafter begins with, beside random numbers.

    another drafter    its backbone as far as names and shapes agree: how C, D and E go on from one trained B
    bigrams            C, D, E: the scores of pairs as the text's own statistics, log p(b | a) - log p(b), of low rank

Bigram scores S [V', V'] are positive (pairs that attract); their truncated singular value decomposition U W V^T gives
both factors. D and E multiply by a function of the hidden state, which begins as one on the average row: its weights
are the least-squares solution for that. E's factors are functions of token embeddings: S is projected onto them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mlx.core as mx
import mlx.nn as nn
import numpy as np
from mlx.utils import tree_flatten
from numpy.typing import NDArray

from engine.drafters.backbone import Model
from engine.drafters.borrow import Borrowed
from engine.drafters.checkpoint import read_checkpoint
from engine.drafters.formats.tensors import build
from engine.drafters.quantize import unpack
from engine.models.errors import ModelError
from engine.train.conversations import Conversations, answer, count

SMOOTH = 0.5
"""Of absolute discounting: counts of pairs less this."""
STRENGTH = 0.5
"""Share of the statistics that pairs begin with: the backbone knows part of it already."""
OVERSAMPLE = 16


def backbone_of(path: Path, model: nn.Module) -> list[str]:
    """Copy a trained drafter's parameters into ``model`` where names and shapes agree. Returns what was copied.

    The draft vocabulary stays the model's own: its head is gathered already, and its text may be another.
    """
    checkpoint = read_checkpoint(path)
    other = build(checkpoint.layout)
    weights = unpack(checkpoint.weights, checkpoint.quantization) if checkpoint.quantization else checkpoint.weights
    other.load_weights(list(weights.items()))
    theirs = dict(tree_flatten(other.parameters()))
    mine = dict(tree_flatten(model.parameters()))
    name = "direct_proj.weight"
    if name in theirs and name in mine and theirs[name].shape[1] == mine[name].shape[1]:
        # The rows that both have: blocks may be of different lengths, and recurrent rows all read as the first one did.
        theirs[name] = mx.concatenate([theirs[name], mine[name][len(theirs[name]) :]])[: len(mine[name])]
    same = {
        k: v.astype(mine[k].dtype)
        for k, v in theirs.items()
        if k in mine and mine[k].shape == v.shape and k != "draft_ids"
    }
    if not any(name.startswith("layers.") for name in same):
        raise ModelError(f"{path} shares no layer with the drafter to be trained: it has another shape.")
    model.load_weights(list(same.items()), strict=False)
    return sorted(same)


def bigram_factors(
    c: Conversations, index: NDArray[np.int32], size: int, rank: int, seed: int = 0
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Factors of max(log p(b | a) - log p(b), 0) over the draft vocabulary. Twice [V', rank]"""
    pairs: list[NDArray[np.int64]] = []
    single = np.zeros(size)
    for i in range(count(c)):
        text = index[answer(c, i).astype(np.int64)]
        np.add.at(single, text[text >= 0], 1)
        both = (text[:-1] >= 0) & (text[1:] >= 0)
        pairs.append(text[:-1][both].astype(np.int64) * size + text[1:][both])
    keys, times = np.unique(np.concatenate(pairs), return_counts=True)
    a, b = keys // size, keys % size
    followed = np.bincount(a, weights=times, minlength=size)
    p = (times - SMOOTH) / followed[a]
    gain = np.log(p) - np.log((single[b] + 1) / (single.sum() + size))
    # A pair seen once says little; what is certain from many counts says much. Most pairs never come, so of the scores
    # S [V', V'] those that are something are held.
    scores = (np.maximum(gain, 0) * (times - SMOOTH) / times).astype(np.float32)

    def multiplied(x: NDArray[np.float32], at: NDArray[np.int64], of: NDArray[np.int64]) -> NDArray[np.float32]:
        """S x, or S^T x with the pairs the other way round. [V', k]"""
        rows = scores[:, None] * x[of]
        return np.stack([np.bincount(at, column, size) for column in rows.T], axis=1).astype(np.float32)

    rng = np.random.default_rng(seed)
    basis = np.linalg.qr(multiplied(rng.standard_normal((size, rank + OVERSAMPLE)).astype(np.float32), a, b))[0]
    for _ in range(2):
        basis = np.linalg.qr(multiplied(multiplied(basis, b, a), a, b))[0]
    u, w, vt = np.linalg.svd(multiplied(basis, b, a).T, full_matrices=False)
    root = np.sqrt(w[:rank])
    left, right = (basis @ u)[:, :rank] * root, vt[:rank].T * root
    none = ((0, 0), (0, rank - left.shape[1]))  # of a vocabulary below the rank
    return np.pad(left, none).astype(np.float32), np.pad(right, none).astype(np.float32)


def begin_with_bigrams(
    model: Model, borrowed: Borrowed, c: Conversations, index: NDArray[np.int32], mean_hidden: mx.array
) -> None:
    """Give the scores of pairs of C, D or E the text's statistics.

    Args: mean_hidden [H]: the average row of ``Features.hidden``.
    """
    layout = model.layout
    size = layout.proposed_vocabulary
    ids: Any = borrowed.draft_ids if borrowed.draft_ids is not None else mx.arange(size)
    one = (mean_hidden / mx.maximum(mx.square(mean_hidden).sum(), 1e-6))[None]  # [1, H]: 1 on the average row
    scale = STRENGTH**0.5
    if layout.markov:
        left, right = bigram_factors(c, index, size, layout.markov.rank)
        model.markov_head.markov_w1.weight = scatter(model.markov_head.markov_w1.weight, ids, left * scale)
        model.markov_head.markov_w2.weight = mx.array(right * scale)
    elif layout.dflash2:
        left, right = bigram_factors(c, index, size, layout.dflash2.selector_rank)
        selector = model.candidate_selector
        selector.predecessor_codebook = scatter(selector.predecessor_codebook, ids, left * scale)
        selector.successor_codebook = scatter(selector.successor_codebook, ids, right * scale)
        selector.hidden_projection.weight = mx.broadcast_to(one, selector.hidden_projection.weight.shape) + 0
    elif layout.cascade:
        rank = layout.cascade.transition_rank
        left, right = bigram_factors(c, index, size, rank)
        table = np.array(borrowed.embed(ids).astype(mx.float32))
        # Ridge regression of each factor on the embeddings.
        gram = table.T @ table
        gram += np.eye(len(gram), dtype=np.float32) * np.trace(gram) / len(gram) * 0.1
        head = model.cascade
        head.transition_predecessor.weight = mx.array(np.linalg.solve(gram, table.T @ left).T * scale)
        head.transition_successor.weight = mx.array(np.linalg.solve(gram, table.T @ right).T * scale)
        head.transition_hidden.weight = mx.broadcast_to(one, head.transition_hidden.weight.shape) + 0


def scatter(table: mx.array, ids: mx.array, rows: NDArray[np.float32]) -> mx.array:
    """``table`` with zeros but for the rows of ``ids``. [V, rank]"""
    empty = mx.zeros(table.shape)
    empty[ids] = mx.array(rows)
    return empty
