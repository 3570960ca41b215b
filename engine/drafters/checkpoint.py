"""From a drafter's directory, of our own format or a public one, to drafters at work for one target.

Weights are held as the backend multiplies them fastest (one policy, ``platform.expand_weights``), and otherwise in the
target's own precision, so that nothing is promoted in passing. Arms that name one drafter for one target share them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import mlx.core as mx
import mlx.nn as nn

from engine.drafters import eagle
from engine.drafters.base import Drafter
from engine.drafters.block import Block, drafter_name
from engine.drafters.borrow import Borrowed, borrow
from engine.drafters.formats import is_drafter, read_drafter
from engine.drafters.formats.tensors import build, packing
from engine.drafters.layout import Layout
from engine.drafters.recurrent import block_drafter
from engine.drafters.save import is_saved, read_saved
from engine.platform import expand_weights
from engine.target import Target, weights_bytes
from engine.trace.events import ModelFacts


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """What a directory holds; weights are lazy and under the modules' names."""

    layout: Layout
    weights: dict[str, mx.array]
    quantization: dict[str, Any] = field(default_factory=dict)
    """mlx-lm's table; empty where nothing is packed."""
    architecture: str = ""
    about: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LoadedDrafter:
    """A drafter's weights beside their target. ``drafter()`` is one arm's."""

    shared: Block | eagle.Eagle
    facts: ModelFacts

    @classmethod
    def of(cls, model: nn.Module, borrowed: Borrowed, facts: ModelFacts) -> LoadedDrafter:
        return cls(eagle.Eagle(model, borrowed) if isinstance(model, eagle.Model) else Block.of(model, borrowed), facts)

    def drafter(self) -> Drafter:
        if isinstance(self.shared, eagle.Eagle):
            return eagle.EagleDrafter(self.shared)
        return block_drafter(self.shared)


def is_block_drafter(path: Path) -> bool:
    """Whether a directory holds a drafter that reads its target's layers, rather than a language model."""
    return is_saved(path) or is_drafter(path)


def read_checkpoint(path: Path, target_layers: int = 0) -> Checkpoint:
    """Raises ``ModelError``, one sentence."""
    if is_saved(path):
        layout, weights, config = read_saved(path)
        about = dict(config.get("about", {}))
        return Checkpoint(layout, weights, dict(config.get("quantization", {})), about.pop("architecture", ""), about)
    layout, weights, facts = read_drafter(path, target_layers)
    about = {"dialect": facts.dialect, "target": facts.target, "notes": list(facts.notes)}
    return Checkpoint(layout, weights, dict(facts.quantization), facts.architecture, about)


def load_block_drafter(path: Path, target: Target, name: str = "", revision: str = "") -> LoadedDrafter:
    """A drafter beside its target. Raises ``ModelError`` where it can't be read or doesn't fit."""
    checkpoint = read_checkpoint(path, len(target.model.layers))
    layout = checkpoint.layout
    model = build(layout)
    if checkpoint.quantization:
        nn.quantize(
            model,
            class_predicate=lambda module, _: (
                dict(zip(("bits", "group_size"), packing(checkpoint.quantization, module), strict=True))
                if f"{module}.scales" in checkpoint.weights
                else False
            ),
        )
    model.load_weights(list(checkpoint.weights.items()))
    model.eval()
    held_as = expand_weights(model)
    borrowed = borrow(layout, model, target)
    model.set_dtype(borrowed.embed(mx.array([0])).dtype)
    mx.eval(model.parameters())
    return LoadedDrafter.of(
        model,
        borrowed,
        ModelFacts(
            name=name or path.name,
            path=str(path),
            revision=revision,
            architecture=checkpoint.architecture or drafter_name(layout),
            bits=int(checkpoint.quantization.get("bits", 0)),
            group_size=int(checkpoint.quantization.get("group_size", 0)),
            held_as=held_as,
            weights_bytes=weights_bytes(model) + borrowed.gathered_bytes,
            vocabulary=layout.proposed_vocabulary,
            layers=layout.layers,
            hidden_size=layout.hidden_size,
        ),
    )
