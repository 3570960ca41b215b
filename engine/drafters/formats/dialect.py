"""What reading a checkpoint leaves: its layout, which of its tensors take no part in drafting, and facts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from msgspec import Struct

from engine.drafters.formats.config import Config


class DrafterFacts(Struct, frozen=True, kw_only=True):
    """What a checkpoint says of itself beside its layout."""

    dialect: str
    """zlab, deepspec, specforge, speculators, eagle3 or slipstream."""
    architecture: str = ""
    target: str = ""
    """The target it names, empty where it names none."""
    target_layers: int = 0
    """How many layers it says its target has, 0 where it doesn't."""
    selector_top_k: int = 0
    """D: candidates a position had in training."""
    bits: int = 0
    """0: not quantised."""
    group_size: int = 0
    quantization: dict[str, Any] = {}
    """mlx-lm's table, with its exceptions by path."""
    weights_bytes: int = 0
    notes: tuple[str, ...] = ()
    """What was decided where the checkpoint leaves room, one sentence each."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A dialect's answer about a config."""

    layout: dict[str, Any]
    """Arguments of ``Layout`` but ``own_embedding`` and ``own_head``, which the tensors tell."""
    facts: dict[str, Any] = field(default_factory=dict)
    rename: Callable[[str], str] = lambda name: name
    """A tensor's name in the checkpoint -> the modules' name."""
    unused: frozenset[str] = frozenset()
    """Tensors, by the modules' names, that take no part in drafting."""


def draft_vocabulary(config: Config, vocabulary: int) -> int:
    """0 where nothing is reduced: some trainers write the field either way."""
    declared = config.integer("draft_vocab_size", vocabulary)
    return 0 if declared == vocabulary else declared
