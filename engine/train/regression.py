"""A head start by least squares: before its first step a block drafter knows what a linear map can know.

    x    taps of the token before the anchor, and the anchor's embedding
    y_k  what the target's head will read k - 1 tokens after the anchor: from it token k behind the anchor is said

One ridge regression of all y_k on x (Hoerl, Kennard 1970) by its normal equations. The taps' part is split by a
truncated singular value decomposition into ``fc`` (what every block shares) and ``direct_proj`` (a reading for each
row); layers begin by adding little, so the drafter's first guess is the regression's. That future tokens can be read
off linearly: Pal et al., Future Lens (arXiv 2311.04897).
"""

from __future__ import annotations

from typing import Any

import mlx.core as mx
import mlx.nn as nn
import numpy as np
from numpy.typing import NDArray

from engine.drafters.backbone import Model
from engine.drafters.borrow import Borrowed
from engine.train.conversations import conversation
from engine.train.forward import Material

RIDGE = 0.02
"""Of the mean diagonal."""
MOST_ROWS = 100_000
QUIET = 0.3
"""Factor on what layers add at first."""


def begin_head_with_regression(model: nn.Module, borrowed: Borrowed, material: Material, among: NDArray[Any]) -> None:
    """EAGLE-3 heads: ``fc`` reads off the taps what can be read without the next token; the layer adds its part."""
    xx, xy, said_rms, _ = normal_equations(material, borrowed, among, 1)
    xx += np.eye(len(xx), dtype=np.float32) * np.trace(xx) / len(xx) * RIDGE
    model.fc.weight = mx.array(np.linalg.solve(xx, xy)[: model.layout.fc_size].T)
    model.norm.weight = mx.full(model.norm.weight.shape, said_rms)
    layer = model.layers[0]
    layer.self_attn.o_proj.weight = layer.self_attn.o_proj.weight * QUIET
    layer.mlp.down_proj.weight = layer.mlp.down_proj.weight * QUIET


def begin_with_regression(model: Model, borrowed: Borrowed, material: Material, among: NDArray[Any]) -> None:
    """Give ``fc``, ``hidden_norm``, ``direct_proj``, ``norm`` the regression's weights. Needs ``material.teacher``."""
    layout = model.layout
    gamma, dim = layout.gamma, layout.hidden_size
    xx, xy, said_rms, n = normal_equations(material, borrowed, among, gamma)
    xx += np.eye(len(xx), dtype=np.float32) * np.trace(xx) / len(xx) * RIDGE
    solved = np.linalg.solve(xx, xy)  # [taps x H + H, gamma H]
    by_taps, by_anchor = solved[: layout.fc_size], solved[layout.fc_size :]
    # What matters is what the map makes of real taps: the factors are cut in their own metric.
    root = np.linalg.cholesky(xx[: layout.fc_size, : layout.fc_size].astype(np.float64)).T
    u, w, vt = np.linalg.svd((root @ by_taps).astype(np.float32), full_matrices=False)
    read = np.linalg.solve(root, u[:, :dim].astype(np.float64)).astype(np.float32)  # [taps x H, H]
    rows = w[:dim, None] * vt[:dim]  # [H, gamma H]
    # Each dimension of H_ctx has the same power on real taps, so its norm divides by little else than a constant.
    size = np.float32(np.sqrt(n))
    model.fc.weight = mx.array((read * size).T)
    model.hidden_norm.weight = mx.ones((dim,))
    direct = np.zeros((layout.block_rows, dim, 2 * dim), np.float32)
    first = layout.block_rows - gamma  # a fill-in block's anchor row says nothing
    direct[first:, :, :dim] = by_anchor.reshape(dim, gamma, dim).transpose(1, 2, 0)
    direct[first:, :, dim:] = (rows / size).reshape(dim, gamma, dim).transpose(1, 2, 0)
    model.direct_proj.weight = mx.array(direct.reshape(-1, 2 * dim))
    model.norm.weight = mx.full((dim,), said_rms)
    for layer in model.layers:
        layer.self_attn.o_proj.weight = layer.self_attn.o_proj.weight * QUIET
        layer.mlp.down_proj.weight = layer.mlp.down_proj.weight * QUIET


def normal_equations(
    material: Material, borrowed: Borrowed, among: NDArray[Any], gamma: int, seed: int = 0
) -> tuple[NDArray[np.float32], NDArray[np.float32], float, int]:
    """X^T X and X^T Y over anchors of conversations drawn at random, the root mean square of Y, and the rows of X."""
    assert material.teacher is not None
    c, scale = material.conversations, material.scale
    width = scale.shape[0] // len(material.taps.layers)
    xx: mx.array | None = None
    xy, square, n = mx.array(0.0), mx.array(0.0), 0
    for i in np.random.default_rng(seed).permutation(among):
        text = conversation(c, int(i))
        first, last = max(int(c.starts[i]), 1), len(text) - gamma  # anchors first..last - 1 have all of their y
        if last <= first or n >= MOST_ROWS:
            continue
        taps = mx.array(material.taps.of([int(i)])[0].reshape(len(text), -1).astype(np.float32))
        said = material.teacher(taps[:, -width:])
        anchors = borrowed.embed(mx.array(text[first:last].astype(np.int32))).astype(mx.float32)
        x = mx.concatenate([taps[first - 1 : last - 1] * mx.array(scale), anchors], axis=1)
        y = mx.concatenate([said[first + k : last + k] for k in range(gamma)], axis=1)
        xx = x.T @ x if xx is None else xx + x.T @ x
        xy = xy + x.T @ y
        square, n = square + mx.square(y).mean(axis=1).sum(), n + x.shape[0]
        mx.eval(xx, xy, square)
    assert xx is not None
    said_rms: float = mx.sqrt(square / n).item()  # type: ignore[assignment]
    return np.array(xx), np.array(xy), said_rms, n
