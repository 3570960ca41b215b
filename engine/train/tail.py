"""A head start from the target itself: a block drafter begins as the target's own last layers.

The target would run all of its layers over the anchor. The drafter guesses what would reach the last few of them, and
runs those:

    guess    least squares of the output of layer s over the anchor, and over the places behind it, on the anchor's
             embedding and the taps of the token before it: ``reader`` and ``direct_proj``
    layers   the target's layers s + 1, ... with their own weights; the norm before attention goes into q, k and v, and
             of the MLP those neurons stay that say most, with ``down`` fitted anew to what all of them said
    context  keys and values of the very stream that those layers read: ``fc`` makes of a token's taps the output of
             layer s, for all of the layers
    head     the target's final norm

Whether a layer of ours can be one of the target's is tried out, not read off names: both are given the same rows.
That later layers of a model can go on from a state that a linear map has guessed: Wu et al., Hidden Transfer
(arXiv 2404.12022).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import mlx.core as mx
import mlx.nn as nn
import numpy as np
from mlx_lm.models.cache import KVCache
from msgspec.structs import replace
from numpy.typing import NDArray

from engine.drafters.backbone import Model, TransformerBlock
from engine.drafters.borrow import Borrowed
from engine.drafters.layout import Layout
from engine.target import Target
from engine.train.conversations import conversation
from engine.train.forward import Material
from engine.train.labels import final_norm, teacher

RIDGE = 0.005
"""Of the mean diagonal of inputs that are scaled to one."""
MOST_ROWS = 100_000
CONTEXT_ROWS = 25_000
MLP_ROWS = 16_000
"""Places by which the neurons of an MLP are chosen."""
TRIED_ROWS = 16
ALIKE = 0.02
"""Share of what a layer adds by which ours may differ: rounding, no more."""
ALIKE_ATTENTION = 0.1
"""The same of attention alone, whose softmax makes more of rounding."""

PROJECTIONS = ("q_proj", "k_proj", "v_proj")


def has_tail(target: Target, layout: Layout) -> bool:
    """Whether the target's last layers can be ours, and its last tap tells what its head reads."""
    layers, norm = target.model.layers, teacher(target, layout.taps)
    first = len(layers) - layout.layers
    below = [tap for tap in layout.taps if tap < first]
    if norm is None or not below:
        return False
    # A window or a recurrence shows in what a layer keeps of the text.
    caches = target.make_caches()
    if len(caches) != len(layers) or any(type(cache) is not KVCache for cache in caches[max(below) + 1 :]):
        return False
    x = mx.random.normal((1, TRIED_ROWS, layout.hidden_size), key=mx.random.key(0))
    try:
        plain_norm = mx.fast.rms_norm(x, norm.weight, layout.rms_norm_eps)
        return apart(norm(x), plain_norm) < ALIKE and all(is_ours(layer, layout, x) for layer in layers[first:])
    except (AttributeError, TypeError, ValueError):
        return False


def is_ours(layer: Any, layout: Layout, x: mx.array) -> bool:
    """Whether one of our layers with this one's weights says the same over x [1, rows, H]. Raises as ``copy_layer``."""
    width = plain(layer.mlp.gate_proj).shape[0]
    if layout.intermediate_size > width:
        return False
    mine = TransformerBlock(replace(layout, scheme="B", intermediate_size=width, **without_heads()))
    copy_layer(mine, layer, None)
    attended = layer.self_attn(layer.input_layernorm(x), "causal", None)
    ours = mine.self_attn(mine.input_layernorm(x), None, 0, "causal")
    if apart(attended, ours) > ALIKE_ATTENTION:
        return False
    return apart(layer(x, "causal", None) - x, mine(x, None, 0, "causal") - x) < ALIKE


def apart(theirs: mx.array, ours: mx.array) -> float:
    """Mean difference as a share of the mean size."""
    if theirs.shape != ours.shape:
        return float("inf")
    share: float = (mx.abs(ours - theirs).mean() / mx.abs(theirs).mean()).item()  # type: ignore[assignment]
    return share


def without_heads() -> dict[str, None]:
    return dict.fromkeys(("markov", "domino", "dflash2", "cascade"))


def plain(linear: Any) -> mx.array:
    """A linear layer's weights, unpacked. [out, in] float32"""
    if "scales" in linear:
        packing = {"group_size": linear.group_size, "bits": linear.bits, "mode": getattr(linear, "mode", "affine")}
        return mx.dequantize(linear.weight, linear.scales, linear.get("biases"), **packing).astype(mx.float32)
    weight: mx.array = linear.weight.astype(mx.float32)
    return weight


def copy_layer(mine: TransformerBlock, theirs: Any, neurons: Neurons | None) -> None:
    """Raises ``AttributeError`` or ``ValueError`` where the target's layer is of another kind."""
    before = theirs.input_layernorm.weight.astype(mx.float32)
    for name in PROJECTIONS:
        projection, other = getattr(mine.self_attn, name), getattr(theirs.self_attn, name)
        set_same(projection, "weight", plain(other) * before[None])
        copy_bias(projection, other)
    for name in ("q_norm", "k_norm"):
        if name in mine.self_attn:
            set_same(mine.self_attn[name], "weight", getattr(theirs.self_attn, name).weight)
    set_same(mine.self_attn.o_proj, "weight", plain(theirs.self_attn.o_proj))
    copy_bias(mine.self_attn.o_proj, theirs.self_attn.o_proj)
    mine.input_layernorm.weight = mx.ones_like(mine.input_layernorm.weight)
    set_same(mine.post_attention_layernorm, "weight", theirs.post_attention_layernorm.weight)
    gate, up, down = (plain(getattr(theirs.mlp, name)) for name in ("gate_proj", "up_proj", "down_proj"))
    if neurons is not None:
        gate, up, down = gate[neurons.kept], up[neurons.kept], neurons.down
    for name, weight in (("gate_proj", gate), ("up_proj", up), ("down_proj", down)):
        set_same(getattr(mine.mlp, name), "weight", weight)
        copy_bias(getattr(mine.mlp, name), getattr(theirs.mlp, name))


def copy_bias(mine: Any, theirs: Any) -> None:
    """A target's biases may be in some of the projections where ours are in all of them."""
    bias = theirs.get("bias")
    if "bias" in mine:
        set_same(mine, "bias", mx.zeros(mine.bias.shape) if bias is None else bias)
    elif bias is not None:
        raise ValueError("a bias is there, none here")


def set_same(module: Any, name: str, value: mx.array) -> None:
    if module[name].shape != value.shape:
        raise ValueError(f"{name} is {list(module[name].shape)} here, {list(value.shape)} there")
    module[name] = value.astype(mx.float32)


@dataclass(frozen=True, slots=True)
class Neurons:
    """
    Shape:
        kept: [n], ascending
        down: [H, n]
    """

    kept: mx.array
    down: mx.array


def begin_with_tail(
    model: Model, borrowed: Borrowed, material: Material, among: NDArray[Any], target: Target,
    between: Callable[[], None] = lambda: None, seed: int = 0,
) -> None:  # fmt: skip
    """Give a drafter with a ``reader`` the target's last layers and the guess of what reaches them.

    Args: between: called for every conversation; what it raises ends the head start.
    """
    layout = model.layout
    order = np.random.default_rng(seed).permutation(among)
    first = len(target.model.layers) - layout.layers
    guess_stream(model, borrowed, material, order, target, first - 1, between)
    norm: Any = final_norm(target)
    model.norm.weight = norm.weight.astype(mx.float32)
    rows, some = 0, []
    for i in order[: MLP_ROWS // 64]:
        if rows >= MLP_ROWS:
            break
        between()
        some.append(stream(material.taps.of([int(i)])[0], material.taps.layers, target, first - 1))
        rows += some[-1].shape[1]
    for mine, theirs in zip(model.layers, target.model.layers[first:], strict=True):
        between()
        copy_layer(mine, theirs, choose_neurons(theirs, some, layout.intermediate_size))
        some = [theirs(x, "causal", None) for x in some]
        mx.eval(some, mine.parameters())


def stream(taps: NDArray[Any], taken: Sequence[int], target: Target, layer: int) -> mx.array:
    """The output of a layer over a conversation, from the nearest tap at or below it. [1, S, H] float32

    Args:
        taps: [S, taps, H]
        taken: after which layers
    """
    at, nearest = max((at, n) for n, at in enumerate(taken) if at <= layer)
    x = mx.array(taps[:, nearest].astype(np.float32))[None]
    for above in target.model.layers[at + 1 : layer + 1]:
        x = above(x, "causal", None)
    return x


def choose_neurons(theirs: Any, streams: Sequence[mx.array], size: int) -> Neurons | None:
    """Those of an MLP that say most over these rows; None: all of them."""
    gate, up, down = (plain(getattr(theirs.mlp, name)) for name in ("gate_proj", "up_proj", "down_proj"))
    if size >= gate.shape[0]:
        return None
    said = []
    for x in streams:
        h = x + theirs.self_attn(theirs.input_layernorm(x), "causal", None)
        z = theirs.post_attention_layernorm(h)[0]
        said.append(nn.silu(z @ gate.T) * (z @ up.T))
        mx.eval(said[-1])
    acts = mx.concatenate(said)
    power = mx.square(acts).mean(axis=0) * mx.square(down).sum(axis=0)
    kept = mx.sort(mx.argsort(-power)[:size])
    some = acts[:, kept]
    gram = np.array(some.T @ some)
    gram += np.eye(size, dtype=np.float32) * np.trace(gram) / size * RIDGE
    fitted = np.linalg.solve(gram, np.array(some.T @ (acts @ down.T)))
    return Neurons(kept, mx.array(fitted.T))


def guess_stream(
    model: Model, borrowed: Borrowed, material: Material, order: NDArray[Any], target: Target, layer: int,
    between: Callable[[], None] = lambda: None,
) -> None:  # fmt: skip
    """``reader``, ``direct_proj`` and ``fc`` by least squares.

    x    taps of the token before the anchor, and the anchor's embedding, both scaled to one
    y_k  the output of the layer k places behind the anchor; of y_0 the taps' part is what ``reader`` reads, in
         coordinates of equal power, and every row's part of ``direct_proj`` makes the best of that
    """
    layout = model.layout
    dim, wide = layout.hidden_size, layout.fc_size
    gamma = 1 if layout.recurrent else layout.gamma
    sums = sums_of(borrowed, material, order, target, layer, gamma, between)
    xx = sums.xx + np.eye(len(sums.xx), dtype=np.float32) * np.trace(sums.xx) / len(sums.xx) * RIDGE
    spread = np.sqrt(sums.square / sums.rows)  # [gamma H]
    by_taps = np.linalg.solve(xx, sums.xy[:, :dim])[:wide] / spread[:dim]
    root = np.linalg.cholesky(xx[:wide, :wide].astype(np.float64)).T
    u = np.linalg.svd((root @ by_taps).astype(np.float32), full_matrices=False)[0]
    read = np.linalg.solve(root, u[:, :dim].astype(np.float64)).astype(np.float32) * np.float32(np.sqrt(sums.rows))
    rms = np.float32(sums.embedding_rms)
    both = np.zeros((wide + dim, 2 * dim), np.float32)  # x -> [embedding, what is read]
    both[wide:, :dim], both[:wide, dim:] = np.eye(dim, dtype=np.float32), read
    zz, zy = both.T @ xx @ both, both.T @ sums.xy
    zz += np.eye(2 * dim, dtype=np.float32) * np.trace(zz) / (2 * dim) * RIDGE
    solved = np.linalg.solve(zz, zy)  # [2 H, gamma H]
    solved[:dim] /= rms
    direct = np.zeros((layout.direct_rows, dim, 2 * dim), np.float32)
    said = layout.direct_rows - gamma  # a fill-in block's anchor row says nothing
    direct[said:] = solved.reshape(2 * dim, gamma, dim).transpose(1, 2, 0)
    if not said:  # the anchor's row has its embedding already
        direct[0, :, :dim] -= np.eye(dim, dtype=np.float32) * np.float32(layout.embedding_scale)
    model.reader.weight = mx.array(read.T)
    model.direct_proj.weight = mx.array(direct.reshape(-1, 2 * dim))
    model.fc.weight = mx.array(stream_of_taps(material, order, target, layer, between).T)
    model.hidden_norm.weight = mx.ones((dim,))


def stream_of_taps(
    material: Material, order: NDArray[Any], target: Target, layer: int, between: Callable[[], None] = lambda: None
) -> NDArray[np.float32]:
    """What makes of a token's scaled taps the output of a layer: the nearest tap at or below it, and what the layers
    between add, by least squares. All tokens count: the first of a text is unlike the others, which all attend to it.
    [taps x H, H]
    """
    layers = material.taps.layers
    at, tap = max((at, n) for n, at in enumerate(layers) if at <= layer)
    dim = material.scale.shape[0] // len(layers)
    own = slice(tap * dim, (tap + 1) * dim)
    out = np.zeros((material.scale.shape[0], dim), np.float32)
    out[own] = np.diag(1 / material.scale[own])
    if at == layer:
        return out
    xx, xy, rows = mx.array(0.0), mx.array(0.0), 0
    for i in order:
        if rows >= CONTEXT_ROWS:
            break
        between()
        found = material.taps.of([int(i)])[0]
        taps = mx.array(found.astype(np.float32))
        x = taps.reshape(taps.shape[0], -1) * mx.array(material.scale)
        xx, xy = xx + x.T @ x, xy + x.T @ (stream(found, layers, target, layer)[0] - taps[:, tap])
        rows += x.shape[0]
        mx.eval(xx, xy)
    gram = np.array(xx)
    gram += np.eye(len(gram), dtype=np.float32) * np.trace(gram) / len(gram) * RIDGE
    added: NDArray[np.float32] = np.linalg.solve(gram, np.array(xy))
    return out + added


@dataclass(frozen=True, slots=True)
class Sums:
    """
    Shape:
        xx: [X, X], xy: [X, gamma H] of the anchor and the places behind it; X is taps x H + H
        square: [gamma H], sum of y^2
    """

    xx: NDArray[np.float32]
    xy: NDArray[np.float32]
    square: NDArray[np.float32]
    rows: int
    embedding_rms: float


def sums_of(
    borrowed: Borrowed, material: Material, order: NDArray[Any], target: Target, layer: int, gamma: int,
    between: Callable[[], None] = lambda: None,
) -> Sums:  # fmt: skip
    c, scale = material.conversations, mx.array(material.scale)
    some = borrowed.embed(mx.array(np.unique(conversation(c, int(order[0]))).astype(np.int32))).astype(mx.float32)
    rms: float = mx.sqrt(mx.square(some).mean()).item()  # type: ignore[assignment]
    sums: list[mx.array] = []
    rows = 0
    for i in order:
        text = conversation(c, int(i))
        first, last = max(int(c.starts[i]), 1), len(text) - gamma  # anchors first..last - 1 have all of their y
        if last <= first or rows >= MOST_ROWS:
            continue
        between()
        found = material.taps.of([int(i)])[0]
        taps = mx.array(found.reshape(len(text), -1).astype(np.float32)) * scale
        anchors = borrowed.embed(mx.array(text[first:last].astype(np.int32))).astype(mx.float32) / rms
        before = taps[first - 1 : last - 1]
        x = mx.concatenate([before, anchors], axis=1)
        out = stream(found, material.taps.layers, target, layer)[0]
        y = mx.concatenate([out[first + k : last + k] for k in range(gamma)], axis=1)
        fresh = [x.T @ x, x.T @ y, mx.square(y).sum(axis=0)]
        sums = [a + b for a, b in zip(sums, fresh, strict=True)] if sums else fresh
        rows += x.shape[0]
        mx.eval(sums)
    xx, xy, square = map(np.array, sums)
    return Sums(xx, xy, square, rows, rms)
