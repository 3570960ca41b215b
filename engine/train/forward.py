"""From a batch to losses, with the very modules that draft at run time.

    context   of each conversation once; its blocks share it (``backbone.Shared``), each sees what is before its anchor
    block     [anchor, mask, ...], teacher-forced: where a scheme looks at the predecessor, it is given the true one
    labels    the token that came, mixed with the target's own distribution at that place

Losses are cross-entropies over the draft vocabulary, of position k weighed by exp(-(k - 1) / decay) (DFlash,
arXiv 2602.06036). C, D and E: the corrected logits U + T, and the backbone's own U beside them, so that candidates are
good too. E: forming features of every layer read as tokens through the target's head.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import mlx.core as mx
import mlx.nn as nn
import numpy as np
from numpy.typing import NDArray

from engine.drafters.backbone import Context, Features, Model, Shared, SharedRows
from engine.drafters.borrow import Borrowed
from engine.drafters.serial import DominoHead
from engine.train.batches import Batch, following
from engine.train.conversations import Conversations
from engine.train.labels import SoftLabels
from engine.train.outputs import Outputs, every_output, sampled_outputs
from engine.train.recipe import TrainRecipe
from engine.train.taps import Taps

PAD_TOKENS = 16
"""Conversations of one step are padded to a multiple of it."""


@dataclass(frozen=True, slots=True)
class Labels:
    """What is to be learned, as places in ``Outputs``.

    Shape:
        tokens: [C, A, r] (an EAGLE-3 head: [C, S]), the tokens that came; -1 where there is nothing to learn
        likely, probabilities: [..., K], the target's own distribution there; None without soft labels
    """

    tokens: mx.array
    likely: mx.array | None = None
    probabilities: mx.array | None = None

    def map(self, change: Callable[[mx.array], mx.array]) -> Labels:
        """The same change of all arrays, along axes that they share."""
        parts = (None if a is None else change(a) for a in (self.likely, self.probabilities))
        return Labels(change(self.tokens), *parts)


@dataclass(frozen=True, slots=True)
class Blocks:
    """Blocks of r rows that are learned from; an EAGLE-3 head, which learns from every token, has the labels alone.

    Shape:
        anchors: [C, A]
        true: [C, A, r], the target's ids
    """

    anchors: mx.array
    true: mx.array
    labels: Labels


@dataclass(frozen=True, slots=True)
class Inputs:
    """One step's arrays.

    Shape:
        taps: [C, S, taps x H] float32, scaled
        tokens: [C, S] int32
        lengths: [C]
    """

    taps: mx.array
    tokens: mx.array
    lengths: mx.array
    blocks: tuple[Blocks, ...]
    """Whole blocks, and those of which the first row alone is learned."""
    outputs: Outputs


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
    soft: SoftLabels | None = None


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


def inputs_of(
    material: Material, borrowed: Borrowed, batch: Batch, gamma: int, sampled: int = 0, seed: tuple[int, int] = (0, 0),
    every_place: bool = False,
) -> Inputs:  # fmt: skip
    """
    Args:
        sampled: tokens that are drawn for the softmax; 0: all
        seed: of this draw: the run's, and the step's number
        every_place: labels of every token in place of those of blocks (an EAGLE-3 head)
    """
    c, rows = material.conversations, len(batch.which)
    width = -(-batch.tokens.shape[1] // PAD_TOKENS) * PAD_TOKENS
    taps = np.zeros((rows, width, len(material.scale)), np.float32)
    tokens = np.zeros((rows, width), np.int32)
    found = material.taps.of([int(i) for i in batch.which])
    for row, own in enumerate(found):
        taps[row, : len(own)] = own.reshape(len(own), -1)
        tokens[row, : len(own)] = batch.tokens[row, : len(own)]
    taps *= material.scale
    asked = asked_of(c, batch, tokens, gamma, every_place)
    wanted = [np.where(a.there, material.index[a.true], -1) for a in asked]
    soft: list[tuple[NDArray[Any], NDArray[Any]]] = []  # ids and probabilities of what ``asked`` holds
    if material.soft is not None:
        made = [material.soft.of(int(i), own[:, -1]) for i, own in zip(batch.which, found, strict=True)]
        ids, probabilities = (padded([m[k] for m in made], width) for k in (0, 1))
        for a in asked:
            texts = np.arange(rows).reshape(-1, *[1] * (a.places.ndim - 1))
            soft.append((ids[texts, a.places], probabilities[texts, a.places]))
    size = int(material.index.max()) + 1
    outputs, place = every_output(borrowed, size), np.arange(size, dtype=np.int32)
    if sampled:
        rng = np.random.Generator(np.random.Philox(key=[seed[0], 1 << 41 | seed[1]]))
        needed = np.concatenate([some.ravel() for some in (*wanted, *(ids for ids, _ in soft))])
        outputs, place = sampled_outputs(borrowed, size, needed, sampled, rng)
    blocks = []
    for n, (a, ids) in enumerate(zip(asked, wanted, strict=True)):
        labels = Labels(mx.array(np.where(ids < 0, -1, place[ids])))
        if soft:
            labels = Labels(labels.tokens, mx.array(place[soft[n][0]]), mx.array(soft[n][1]))
        blocks.append(Blocks(mx.array(a.anchors.astype(np.int32)), mx.array(a.true.astype(np.int32)), labels))
    lengths = mx.array(batch.lengths.astype(np.int32))
    return Inputs(mx.array(taps), mx.array(tokens), lengths, tuple(blocks), outputs)


@dataclass(frozen=True, slots=True)
class Asked:
    """
    Shape:
        anchors: [C, A]
        places: [C, A, r] (an EAGLE-3 head: [C, S]), the tokens after which something is to be said
        true: [...], the token that came there, 0 where there was none; there: [...] bool
    """

    anchors: NDArray[Any]
    places: NDArray[Any]
    true: NDArray[Any]
    there: NDArray[Any]


def asked_of(c: Conversations, batch: Batch, tokens: NDArray[Any], gamma: int, every_place: bool) -> list[Asked]:
    rows, width = tokens.shape
    if every_place:
        places = np.arange(width)[None] + np.zeros((rows, 1), np.int64)
        there = (places + 1 < batch.lengths[:, None]) & (places + 1 >= c.starts[batch.which][:, None])
        return [Asked(batch.anchors, places, np.concatenate([tokens[:, 1:], tokens[:, :1]], axis=1), there)]
    asked = []
    for anchors, n in ((batch.anchors, gamma), (batch.firsts, 1)):
        if anchors.size:
            # What is said at a place is said by the row before it.
            places = np.minimum(anchors[..., None] + np.arange(n), width - 1)
            asked.append(Asked(anchors, places, *following(batch, anchors, n)))
    return asked


def padded(rows: Sequence[NDArray[Any]], width: int) -> NDArray[Any]:
    """[n, K] each -> [C, width, K]"""
    out = np.zeros((len(rows), width, rows[0].shape[-1]), rows[0].dtype)
    for i, row in enumerate(rows):
        out[i, : len(row)] = row
    return out


def contexts_of(model: Model, x: Inputs) -> tuple[mx.array, list[tuple[mx.array, mx.array]]]:
    """What direct rows read of each token [C, S, H], and of each layer keys and values."""
    h_ctx = model.context(x.taps)
    return model.newest(x.taps, h_ctx), model.context_keys_values(h_ctx, 0)


def block_features(
    model: Model, borrowed: Borrowed, x: Inputs, blocks: Blocks | None = None,
    contexts: tuple[mx.array, list[tuple[mx.array, mx.array]]] | None = None,
) -> Features:  # fmt: skip
    """The backbone over blocks of a step (the whole ones); block number c A + a is anchor a of conversation c."""
    layout = model.layout
    blocks = blocks or x.blocks[0]
    read, keys_values = contexts or contexts_of(model, x)
    rows = blocks.true.shape[-1] + layout.block_rows - layout.gamma
    c, a = blocks.anchors.shape
    s = x.tokens.shape[1]
    visible = mx.arange(s)[None, None] < blocks.anchors[..., None]
    shared: list[Context | None] = [Shared(k, v, visible) for k, v in keys_values]
    anchor = mx.take_along_axis(x.tokens, blocks.anchors, axis=1).reshape(-1, 1)
    ids = mx.concatenate([anchor, mx.full((c * a, rows - 1), layout.mask_id, mx.int32)], axis=1)
    newest = None
    if layout.direct:
        before = mx.broadcast_to((blocks.anchors - 1)[..., None], (c, a, read.shape[-1]))
        newest = mx.take_along_axis(read, before, axis=1).reshape(c * a, 1, -1)
    if layout.recurrent:
        return recurrent_features(model, borrowed, shared, anchor, blocks, newest)
    masks = ["causal" if layout.is_causal(i) else None for i in range(layout.layers)]
    return model(borrowed.embed(ids), shared, blocks.anchors.reshape(-1), masks, borrowed.embedding_rms, newest=newest)


def recurrent_features(
    model: Model, borrowed: Borrowed, shared: Sequence[Any], anchor: mx.array, blocks: Blocks, newest: Any
) -> Features:
    """Row after row, each given the true token before it and fed what the one before it left (the training-time test of
    EAGLE-3, arXiv 2503.01840).
    """
    n, r = anchor.shape[0], blocks.true.shape[-1]
    tokens = mx.concatenate([anchor, blocks.true.reshape(n, r)[:, : r - 1]], axis=1)
    contexts = [SharedRows(context) for context in shared]
    masks = [None] * len(contexts)
    hidden: list[mx.array] = []
    began: list[mx.array] = []
    for k in range(r):
        at = blocks.anchors.reshape(-1) + k
        features = model(borrowed.embed(tokens[:, k : k + 1]), contexts, at, masks, newest=newest)
        newest = model.fed_back(features)
        assert features.began is not None
        hidden.append(features.hidden)
        began.append(features.began)
    return Features(mx.concatenate(hidden, axis=1), began=mx.concatenate(began, axis=1))


def block_loss(
    model: Model, borrowed: Borrowed, recipe: TrainRecipe, x: Inputs
) -> tuple[mx.array, dict[str, mx.array]]:
    """Mean loss a weighed position, and its parts: ``right`` is the share of first positions whose best token came."""
    contexts = contexts_of(model, x)
    weights = [position_weights(blocks.labels.tokens, recipe.decay) for blocks in x.blocks]
    whole = mx.maximum(sum((w.sum() for w in weights), mx.array(0.0)), 1e-6)
    loss, right, parts = mx.array(0.0), [], dict[str, mx.array]()
    for blocks, weight in zip(x.blocks, weights, strict=True):
        some, more, hits = loss_of_blocks(model, borrowed, recipe, x, blocks, contexts, weight / whole)
        loss = loss + some
        parts = {name: parts.get(name, 0) + part for name, part in more.items()}
        right.append(hits)
    firsts = sum(((blocks.labels.tokens[..., 0] >= 0).sum() for blocks in x.blocks), mx.array(0))
    parts["right"] = sum(right, mx.array(0)) / mx.maximum(firsts, 1)
    return loss, parts


def position_weights(labels: mx.array, decay: float) -> mx.array:
    """[C, A, r] -> [C A, r]; nothing where there is nothing to learn."""
    r = labels.shape[-1]
    weights: mx.array = mx.exp(-mx.arange(r) / decay) * (labels.reshape(-1, r) >= 0)
    return weights


def loss_of_blocks(
    model: Model, borrowed: Borrowed, recipe: TrainRecipe, x: Inputs, blocks: Blocks, contexts: Any, share: mx.array
) -> tuple[mx.array, dict[str, mx.array], mx.array]:
    """What these blocks add to the loss and to its parts, and how many of their first positions are right.

    Args: share [n, r]: of each position.
    """
    layout, outputs = model.layout, x.outputs
    n, r = share.shape
    features = block_features(model, borrowed, x, blocks, contexts)
    own = model.logits(features.hidden, outputs.head).astype(mx.float32)  # [n, r, M]
    labels = blocks.labels.map(lambda a: a.reshape(n, r, *a.shape[3:]))

    def loss_of(logits: mx.array) -> mx.array:
        return (cross_entropy(logits, labels, recipe.soft, outputs.log_weights) * share).sum()

    scores = own
    loss = loss_of(own)
    parts = {"base": loss}
    if layout.scheme in ("C", "D", "E"):
        anchor = mx.take_along_axis(x.tokens, blocks.anchors, axis=1)
        before = mx.concatenate([anchor[..., None], blocks.true[..., :-1]], axis=-1).reshape(n, r)
        scores = own + correction(model, borrowed, features, before, outputs.ids)
        corrected = loss_of(scores)
        parts["corrected"] = corrected
        loss = (recipe.base_share * loss + corrected) / (1 + recipe.base_share)
    if layout.cascade and recipe.lens_weight:
        lens = lens_loss(outputs, features, labels, share, layout.rows == "fill-in")
        parts["lens"] = lens
        loss = loss + recipe.lens_weight * lens
    if layout.markov and layout.markov.confidence:
        loss = loss + confidence_loss(model, features, scores, labels.tokens, before, share)
    hits = (mx.argmax(scores[:, 0], axis=-1) == labels.tokens[:, 0]) & (labels.tokens[:, 0] >= 0)
    return loss, parts, hits.sum()


def cross_entropy(logits: mx.array, labels: Labels, soft: float, log_weights: mx.array | None = None) -> mx.array:
    """Of each position against its label, ``soft`` of it against the target's distribution. [..., M] -> [...]"""
    said = mx.take_along_axis(logits, mx.maximum(labels.tokens, 0)[..., None], axis=-1)[..., 0]
    if soft and labels.likely is not None and labels.probabilities is not None:
        likely = mx.take_along_axis(logits, labels.likely, axis=-1)
        said = (1 - soft) * said + soft * (likely * labels.probabilities).sum(axis=-1)
    return mx.logsumexp(logits if log_weights is None else logits + log_weights, axis=-1) - said


def correction(
    model: Model, borrowed: Borrowed, features: Features, before: mx.array, outputs: mx.array | None = None
) -> mx.array:
    """What schemes C, D and E add to the logits of each position, given its true predecessor.

    Args:
        before: [n, r], the target's ids
        outputs: [M], the draft ids that are asked for, as a walk at run time asks for candidates; None: all
    Returns: [n, r, M] float32
    """
    layout, hidden = model.layout, features.hidden
    if layout.scheme == "C":
        head: Any = model.markov_head if layout.markov else DominoHead(model)
        state = head.start(hidden[:, 0])
        rows: list[mx.array] = []
        for k in range(before.shape[1]):
            given = before[:, k] if layout.markov else borrowed.embed(before[:, k])
            row, state = head(given, hidden[:, k], state)
            rows.append(mx.zeros_like(row) if layout.domino and k < layout.domino.pure_prefix else row)
        every = mx.stack(rows, axis=1).astype(mx.float32)
        return every if outputs is None else every[..., outputs]
    ids = borrowed.to_target(mx.arange(layout.proposed_vocabulary) if outputs is None else outputs)
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


def lens_loss(outputs: Outputs, features: Features, labels: Labels, share: mx.array, fill_in: bool) -> mx.array:
    """Forming features of every layer, read through the target's head, against the token their row will say."""
    total = mx.array(0.0)
    for forming in features.forming:
        rows = forming[:, 1:] if fill_in else forming
        logits = outputs.head(rows).astype(mx.float32)
        total = total + (cross_entropy(logits, labels, 0.0, outputs.log_weights) * share).sum()
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
