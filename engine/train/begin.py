"""What a drafter begins with before its first step: another drafter, its target's layers, what least squares know.

In this order: weights (``tail``, ``regression``, or another drafter's backbone), ``feedback`` of recurrent rows, scores
of pairs of C, D and E.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mlx.core as mx
import numpy as np
from numpy.typing import NDArray

from engine.drafters.borrow import Borrowed
from engine.drafters.checkpoint import read_checkpoint
from engine.target import Target
from engine.train.batches import batch_at
from engine.train.feedback import begin_feedback
from engine.train.forward import Material, block_features, inputs_of
from engine.train.loop import READ_TAPS
from engine.train.recipe import TrainRecipe
from engine.train.regression import begin_head_with_regression, begin_with_regression
from engine.train.start import backbone_of, begin_with_bigrams
from engine.train.tail import begin_with_tail


@dataclass(frozen=True, slots=True)
class Start:
    model: Any
    borrowed: Borrowed
    material: Material
    among: NDArray[Any]
    """Conversations to learn from."""
    recipe: TrainRecipe
    target: Target
    between: Callable[[], None] = lambda: None
    """Called often; what it raises ends the head start."""


def begin(s: Start) -> None:
    """Give the model, whose parameters are random, its head start."""
    layout, c = s.model.layout, s.material.conversations
    if s.recipe.start:
        take_over(s)
    elif s.recipe.regression and s.material.teacher is not None:
        longer = np.diff(c.offsets) - np.maximum(c.starts, 1) > (1 if layout.eagle else layout.gamma)
        # Answers that no block fits into have nothing to regress on.
        if longer[s.among].any():
            regress(s)
    if layout.recurrent and not (s.recipe.start and read_checkpoint(Path(s.recipe.start)).layout.recurrent):
        begin_feedback(s.model, s.borrowed, s.material, s.among, s.between)
    if s.recipe.bigrams and layout.scheme in "CDE" and not layout.domino:
        first = batch_at(c, s.among, 0, max(s.recipe.conversations, 8), s.recipe.anchors, s.recipe.seed)
        rows = block_features(s.model, s.borrowed, inputs_of(s.material, s.borrowed, first, layout.gamma)).hidden
        mean = rows.reshape(-1, layout.hidden_size).mean(axis=0)
        begin_with_bigrams(s.model, s.borrowed, c, s.material.index, mean)


def take_over(s: Start) -> None:
    """The backbone of another drafter. Saved, it reads taps as they are; in training it reads them scaled."""
    for name in READ_TAPS.intersection(backbone_of(Path(s.recipe.start), s.model)):
        module = s.model[name.removesuffix(".weight")]
        module.weight = module.weight / mx.array(s.material.scale)[None]


def regress(s: Start) -> None:
    layout = s.model.layout
    if layout.reader:
        begin_with_tail(s.model, s.borrowed, s.material, s.among, s.target, s.between)
    elif layout.eagle:
        begin_head_with_regression(s.model, s.borrowed, s.material, s.among)
    elif layout.direct:
        begin_with_regression(s.model, s.borrowed, s.material, s.among)
