"""The same drafter here and in a public package: random weights, a text with known taps, rounds of all lengths.

Tolerance. Both compute in float32, in different orders of summation; logits are of size 1 to 10. They agree to 2e-4.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mlx.core as mx
import numpy as np
from mlx.utils import tree_flatten, tree_map

from engine.drafters.backbone import Model, block_mask
from engine.drafters.block import Block, BlockDrafter
from engine.drafters.borrow import borrow
from engine.drafters.formats import read_drafter
from engine.drafters.layout import Layout
from engine.sampling import Sampler
from engine.target import Target
from engine.trace.events import Settings
from tests.tiny import VOCABULARY, tiny_target

TOLERANCE = 2e-4
HIDDEN = 32
TARGET_LAYERS = 8
TAPS = (1, 3, 6)
MASK = 3
WINDOW = 8
TEXT_TOKENS = 40
CANDIDATES = 4

# How many tokens each round keeps (the anchor and accepted drafts), from nothing accepted to a whole block.
KEPT = (1, 3, 1, 2, 5, 4, 1, 5, 5, 2)


def random_array(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Norms near one; matrices so large that the context, not the mask, decides what is drafted."""
    if len(shape) == 1:
        return (1 + 0.2 * rng.standard_normal(shape)).astype(np.float32)
    return (2.5 * rng.standard_normal(shape) * shape[-1] ** -0.5).astype(np.float32)


@dataclass
class Ours:
    """A drafter read from the package's own files, and what it says of a block."""

    layout: Layout
    drafter: BlockDrafter
    target: Target

    @classmethod
    def read(cls, path: Path, target: Target | None = None) -> Ours:
        layout, weights, _ = read_drafter(path, TARGET_LAYERS)
        target = target or tiny_target(layers=TARGET_LAYERS)
        model = Model(layout)
        model.load_weights(
            [
                (name, array.astype(mx.float32) if array.dtype == mx.bfloat16 else array)
                for name, array in weights.items()
            ]
        )
        return cls(layout, BlockDrafter(Block.of(model, borrow(layout, model, target))), target)

    def observe(self, tokens: list[int], taps: np.ndarray) -> None:
        """taps: [tokens, taps x H]"""
        parts = np.split(taps, len(self.layout.taps), axis=-1)
        self.drafter.observe(
            tokens, {layer: mx.array(part)[None] for layer, part in zip(self.layout.taps, parts, strict=True)}
        )

    def logits(self, anchor: int) -> np.ndarray:
        """Of the block after ``anchor``, before the head of a serial scheme. [gamma, V]"""
        drafter, layout = self.drafter, self.layout
        drafter.catch_up()
        model, borrowed = drafter.block.model, drafter.block.borrowed
        ids = mx.array([anchor, *[layout.mask_id] * (layout.block_rows - 1)])
        masks = [block_mask(layout, i, layout.block_rows, cache.seen) for i, cache in enumerate(drafter.caches)]
        features = model(borrowed.embed(ids)[None], drafter.caches, len(drafter.seen), masks)
        return np.array(model.logits(features.hidden[0], borrowed.head))

    def drafts(self, anchor: int) -> list[int]:
        settings = Settings(block=self.layout.gamma + 1, candidate_width=CANDIDATES)
        draft = self.drafter.propose(anchor, self.layout.gamma, Sampler(settings))
        return np.array(draft.tokens).tolist()


def close(mine: np.ndarray, theirs: np.ndarray) -> None:
    np.testing.assert_allclose(mine, theirs, atol=TOLERANCE, rtol=0)


def randomised(model: Any, seed: int) -> dict[str, mx.array]:
    """All parameters of an MLX model, drawn anew."""
    rng = np.random.default_rng(seed)
    model.update(tree_map(lambda a: mx.array(random_array(rng, a.shape)), model.parameters()))
    return dict(tree_flatten(model.parameters()))


def text(seed: int) -> list[int]:
    return np.random.default_rng(seed).integers(4, VOCABULARY, TEXT_TOKENS).tolist()


def taps(seed: int, tokens: int = TEXT_TOKENS) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((tokens, len(TAPS) * HIDDEN)).astype(np.float32)


def rounds() -> list[tuple[int, int]]:
    """(first, end) of what each round has newly committed; the anchor is the token at ``end``."""
    found, end = [], 6
    start = 0
    for kept in KEPT:
        found.append((start, end))
        start, end = end, end + kept
    return found
