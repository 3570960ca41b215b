"""From a batch to losses, with the very modules that draft at run time.

    context   of each conversation once; its blocks share it (``backbone.Shared``), each sees what is before its anchor
    block     [anchor, mask, ...], teacher-forced: where a scheme looks at the predecessor, it is given the true one
    labels    the token that came, mixed with the target's own distribution at that place

Losses are cross-entropies over the draft vocabulary, of position k weighed by exp(-(k - 1) / decay) (DFlash,
arXiv 2602.06036). C, D and E: the corrected logits U + T, and the backbone's own U beside them, so that candidates are
good too. E: forming features of every layer read as tokens through the target's head.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import mlx.core as mx
import mlx.nn as nn
import numpy as np

from engine.drafters.backbone import Features, Model, Shared
from engine.drafters.borrow import Borrowed
from engine.drafters.serial import DominoHead
from engine.train.batches import Batch, following
from engine.train.conversations import Conversations
from engine.train.recipe import TrainRecipe
from engine.train.taps import Taps

PAD_TOKENS = 16
"""Conversations of one step are padded to a multiple of it."""


@dataclass(frozen=True, slots=True)
class Inputs:
    """One step's arrays.

    Shape:
        taps: [C, S, taps x H] float32, scaled
        tokens: [C, S] int32
        lengths: [C]
        anchors: [C, A]
        labels: [C, A, gamma] draft ids, -1 where there is nothing to learn (scheme A: [C, S])
        true: [C, A, gamma] the target's ids
        teacher: [C, A, gamma, H] (scheme A: [C, S, H]), what the target's head read there; None without soft labels
    """

    taps: mx.array
    tokens: mx.array
    lengths: mx.array
    anchors: mx.array
    labels: mx.array
    true: mx.array
    teacher: mx.array | None


@dataclass(frozen=True, slots=True)
class Material:
    """What steps are cut from."""

    conversations: Conversations
    taps: Taps
    scale: np.ndarray[Any, Any]
    """[taps x H], one over the root mean square of each dimension."""
    index: np.ndarray[Any, Any]
    """[V], draft id of each of the target's; -1 where there is none."""
    teacher: nn.Module | None = None
    """The target's final norm, where its last layer is the last tap (``labels.teacher``)."""


SCALE_CONVERSATIONS = 200


def tap_scale(taps: Taps, c: Conversations) -> np.ndarray[Any, Any]:
    """One over the root mean square of each dimension, by the first conversations there are. [taps x H] float32"""
    which = np.flatnonzero(taps.ready() & (np.diff(c.offsets) > 0))[:SCALE_CONVERSATIONS]
    total, n = np.zeros(0), 0
    for i in which:
        rows = taps.of([int(i)])[0].astype(np.float64)
        square = (rows.reshape(len(rows), -1) ** 2).sum(axis=0)
        total, n = square if not n else total + square, n + len(rows)
    return (1.0 / np.sqrt(total / max(n, 1) + 1e-12)).astype(np.float32)


def inputs_of(material: Material, batch: Batch, gamma: int, every_place: bool = False) -> Inputs:
    """``every_place``: labels of every token in place of those of blocks (scheme A)."""
    c, rows = material.conversations, len(batch.which)
    width = -(-batch.tokens.shape[1] // PAD_TOKENS) * PAD_TOKENS
    taps = np.zeros((rows, width, len(material.scale)), np.float32)
    tokens = np.zeros((rows, width), np.int32)
    for row, found in enumerate(material.taps.of([int(i) for i in batch.which])):
        n = len(found)
        taps[row, :n] = found.reshape(n, -1)
        tokens[row, :n] = batch.tokens[row, :n]
    taps *= material.scale
    if every_place:
        places = np.arange(width)[None] + np.zeros((rows, 1), np.int64)
        there = (places + 1 < batch.lengths[:, None]) & (places + 1 >= c.starts[batch.which][:, None])
        true = np.concatenate([tokens[:, 1:], tokens[:, :1]], axis=1)
    else:
        true, there = following(batch, gamma)
        # What is said at a place is said by the row before it.
        places = batch.anchors[..., None] + np.arange(gamma)
    labels = np.where(there, material.index[true], -1)
    said_by = None
    if material.teacher is not None:
        width = taps.shape[-1] // len(material.taps.layers)
        rows_of_texts = np.arange(rows).reshape(-1, *[1] * (places.ndim - 1))
        spots = np.minimum(places, taps.shape[1] - 1)
        said_by = material.teacher(mx.array(taps[rows_of_texts, spots, -width:] / material.scale[-width:]))
    return Inputs(
        mx.array(taps), mx.array(tokens), mx.array(batch.lengths.astype(np.int32)),
        mx.array(batch.anchors.astype(np.int32)), mx.array(labels.astype(np.int32)), mx.array(true.astype(np.int32)),
        said_by,
    )  # fmt: skip


def block_features(model: Model, borrowed: Borrowed, x: Inputs) -> Features:
    """The backbone over all blocks of a step; block number c A + a is anchor a of conversation c."""
    layout = model.layout
    rows = layout.block_rows
    c, a = x.anchors.shape
    s = x.tokens.shape[1]
    h_ctx = model.context(x.taps)
    visible = mx.arange(s)[None, None] < x.anchors[..., None]
    contexts = [Shared(k, v, visible) for k, v in model.context_keys_values(h_ctx, 0)]
    anchor = mx.take_along_axis(x.tokens, x.anchors, axis=1).reshape(-1, 1)
    ids = mx.concatenate([anchor, mx.full((c * a, rows - 1), layout.mask_id, mx.int32)], axis=1)
    newest = None
    if layout.direct:
        before = mx.broadcast_to((x.anchors - 1)[..., None], (c, a, h_ctx.shape[-1]))
        newest = mx.take_along_axis(h_ctx, before, axis=1).reshape(c * a, 1, -1)
    masks = ["causal" if layout.is_causal(i) else None for i in range(layout.layers)]
    return model(borrowed.embed(ids), contexts, x.anchors.reshape(-1), masks, borrowed.embedding_rms, newest=newest)


def block_loss(
    model: Model, borrowed: Borrowed, recipe: TrainRecipe, x: Inputs
) -> tuple[mx.array, dict[str, mx.array]]:
    """Mean loss a weighed position, and its parts: ``right`` is the share of first positions whose best token came."""
    layout = model.layout
    gamma = layout.gamma
    n = x.anchors.size
    features = block_features(model, borrowed, x)
    own = model.logits(features.hidden, borrowed.head).astype(mx.float32)  # [n, gamma, V']
    labels = x.labels.reshape(n, gamma)
    weights = mx.exp(-mx.arange(gamma) / recipe.decay) * (labels >= 0)
    share = weights / mx.maximum(weights.sum(), 1e-6)
    said_by = None if x.teacher is None else x.teacher.reshape(n, gamma, -1)
    soft = soft_labels(borrowed, said_by) if recipe.soft else None

    def loss_of(logits: mx.array) -> mx.array:
        return (cross_entropy(logits, labels, soft, recipe.soft) * share).sum()

    scores = own
    loss = loss_of(own)
    parts = {"base": loss}
    if layout.scheme != "B":
        before = mx.concatenate(
            [mx.take_along_axis(x.tokens, x.anchors, axis=1)[..., None], x.true[..., :-1]], axis=-1
        ).reshape(n, gamma)
        scores = own + correction(model, borrowed, features, before)
        corrected = loss_of(scores)
        parts["corrected"] = corrected
        loss = (recipe.base_share * loss + corrected) / (1 + recipe.base_share)
    if layout.cascade and recipe.lens_weight:
        lens = lens_loss(borrowed, features, labels, share, layout.rows == "fill-in")
        parts["lens"] = lens
        loss = loss + recipe.lens_weight * lens
    if layout.markov and layout.markov.confidence:
        loss = loss + confidence_loss(model, features, scores, labels, before, share)
    right = (mx.argmax(scores, axis=-1) == labels) & (labels >= 0)
    parts["right"] = right[:, 0].sum() / mx.maximum((labels[:, 0] >= 0).sum(), 1)
    return loss, parts


def soft_labels(borrowed: Borrowed, said_by: mx.array | None) -> mx.array | None:
    """The target's distributions over the draft vocabulary. [..., H] -> [..., V'] float32"""
    if said_by is None:
        return None
    return mx.stop_gradient(mx.softmax(borrowed.head(said_by).astype(mx.float32), axis=-1))


def cross_entropy(logits: mx.array, labels: mx.array, soft: mx.array | None, share: float) -> mx.array:
    """Of each position against its label, mixed with the target's distribution. [..., V'], [...] -> [...]"""
    said = mx.take_along_axis(logits, mx.maximum(labels, 0)[..., None], axis=-1)[..., 0]
    if soft is not None:
        said = (1 - share) * said + share * (logits * soft).sum(axis=-1)
    return mx.logsumexp(logits, axis=-1) - said


def correction(model: Model, borrowed: Borrowed, features: Features, before: mx.array) -> mx.array:
    """What schemes C, D and E add to the logits of each position, given its true predecessor. Over the whole draft
    vocabulary, where a walk at run time asks for candidates only.

    Args: before [n, gamma], the target's ids. Returns: [n, gamma, V'] float32
    """
    layout, hidden = model.layout, features.hidden
    if layout.scheme == "C":
        head: Any = model.markov_head if layout.markov else DominoHead(model)
        state = head.start(hidden[:, 0])
        rows: list[mx.array] = []
        for k in range(layout.gamma):
            given = before[:, k] if layout.markov else borrowed.embed(before[:, k])
            row, state = head(given, hidden[:, k], state)
            rows.append(mx.zeros_like(row) if layout.domino and k < layout.domino.pure_prefix else row)
        return mx.stack(rows, axis=1).astype(mx.float32)
    ids = borrowed.draft_ids if borrowed.draft_ids is not None else mx.arange(layout.vocabulary)
    # As the heads' own ``scores``, with a single predecessor a position and one set of candidates for all.
    if layout.dflash2:
        selector = model.candidate_selector
        left = selector.pair_left(hidden, before[..., None])[..., 0, :]
        right = selector.successor_codebook[ids]
        scores: mx.array = left.astype(mx.float32) @ right.astype(mx.float32).T
        return scores
    assert features.expected is not None
    cascade = model.cascade
    left = cascade.pair_left(hidden, borrowed.embed(before)[..., None, :], features.expected)[..., 0, :]
    right = cascade.transition_successor(borrowed.embed(ids))
    table: mx.array = left.astype(mx.float32) @ right.astype(mx.float32).T
    return table


def lens_loss(borrowed: Borrowed, features: Features, labels: mx.array, share: mx.array, fill_in: bool) -> mx.array:
    """Forming features of every layer, read through the target's head, against the token their row will say."""
    total = mx.array(0.0)
    for forming in features.forming:
        rows = forming[:, 1:] if fill_in else forming
        logits = borrowed.head(rows).astype(mx.float32)
        total = total + (cross_entropy(logits, labels, None, 0.0) * share).sum()
    return total / max(len(features.forming), 1)


def confidence_loss(
    model: Model, features: Features, scores: mx.array, labels: mx.array, before: mx.array, share: mx.array
) -> mx.array:
    """How likely a position's token is kept, against the probability it gives the token that came (DSpark)."""
    sure = model.confidence_head(features.hidden, model.markov_head.markov_w1(before))
    kept = mx.stop_gradient(
        mx.take_along_axis(mx.softmax(scores, axis=-1), mx.maximum(labels, 0)[..., None], axis=-1)[..., 0]
    )
    sure = mx.clip(sure, 1e-6, 1 - 1e-6)
    loss: mx.array = -((kept * mx.log(sure) + (1 - kept) * mx.log(1 - sure)) * share).sum()
    return loss
