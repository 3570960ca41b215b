"""A head start for recurrent rows: what a row leaves, turned into what the target's features would have said.

    u    a row's stream at its end and at its beginning, as the model makes them of an anchor (``Model.fed_back``)
    y    what ``reader`` reads off the target's taps of that anchor, once they are known

``feedback`` begins as the ridge regression of y on u: the best linear stand-in for features that a drafted token has
not got yet.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mlx.core as mx
import numpy as np
from numpy.typing import NDArray

from engine.drafters.backbone import Model
from engine.drafters.borrow import Borrowed
from engine.train.batches import batch_at
from engine.train.forward import Material, block_features, contexts_of, inputs_of

RIDGE = 0.003
"""Of the mean diagonal."""
CONVERSATIONS, PLACES, BATCHES = 8, 96, 50


def begin_feedback(
    model: Model, borrowed: Borrowed, material: Material, among: NDArray[Any],
    between: Callable[[], None] = lambda: None, seed: int = 0,
) -> None:  # fmt: skip
    """Give a recurrent drafter whose layers have begun, or have been trained, its ``feedback``."""
    uu, uy = mx.array(0.0), mx.array(0.0)
    for step in range(min(BATCHES, max(len(among) // CONVERSATIONS, 1))):
        between()
        batch = batch_at(material.conversations, among, step, CONVERSATIONS, 1, seed, PLACES)
        x = inputs_of(material, borrowed, batch, 1)
        blocks = x.blocks[-1]
        read, keys_values = contexts_of(model, x)
        u = model.left(block_features(model, borrowed, x, blocks, (read, keys_values)))[:, 0].astype(mx.float32)
        at = mx.broadcast_to(blocks.anchors[..., None], (*blocks.anchors.shape, read.shape[-1]))
        y = mx.take_along_axis(read, at, axis=1).reshape(u.shape[0], -1).astype(mx.float32)
        uu, uy = uu + u.T @ u, uy + u.T @ y
        mx.eval(uu, uy)
    gram = np.array(uu)
    gram += np.eye(len(gram), dtype=np.float32) * np.trace(gram) / len(gram) * RIDGE
    model.feedback.weight = mx.array(np.linalg.solve(gram, np.array(uy)).T.astype(np.float32))
