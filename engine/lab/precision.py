"""The same model in another arithmetic: what the backend chose, float32, its packed weights, bfloat16.

Losslessness must hold in each, and float32 knows no excuse: there the texts must be equal, token by token. Which of
them a machine and a model allow is ``possible``'s answer, with the reason where it is no.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Literal

import mlx.core as mx
import mlx.nn as nn

from engine import host
from engine.platform import backend, expand_weights
from engine.session import Models
from engine.target import Hold, Target, load_target
from engine.trace.events import ModelFacts

Precision = Literal["native", "float32", "packed", "bfloat16"]
PRECISIONS: tuple[Precision, ...] = ("native", "float32", "packed", "bfloat16")

LoadHeld = Callable[[str, Precision], Target]

ROOM = 0.6
"""Share of what memory is left that a second copy of the weights may take."""


def load_held(name: str, precision: Precision) -> Target:
    """Raises ``ModelError``."""
    holds: dict[Precision, Hold | None] = {
        "native": None,
        "float32": hold_float32,
        "packed": hold_packed,
        "bfloat16": hold_bfloat16,
    }
    return load_target(name, holds[precision])


def models_in(precision: Precision, load: LoadHeld = load_held) -> Models:
    """Models that are all loaded so, a drafting language model too."""
    return Models(functools.partial(_swapped, load, precision))


def _swapped(load: LoadHeld, precision: Precision, name: str) -> Target:
    return load(name, precision)


def hold_float32(model: nn.Module) -> str:
    return expand_weights(model, on="cpu")


def hold_packed(model: nn.Module) -> str:
    """As stored. A CPU multiplies packed weights with scales in half precision 20 times slower than with float32 ones,
    which hold the same values."""
    if backend() == "cpu":
        model.set_dtype(mx.float32)
    return "packed"


def hold_bfloat16(model: nn.Module) -> str:
    expand_weights(model, on="cpu")
    model.set_dtype(mx.bfloat16)
    return "bfloat16"


def possible(precision: Precision, facts: ModelFacts, available_bytes: int | None = None) -> str:
    """Why this precision is left out for a model, of which ``facts`` tell the native one; empty where it is not."""
    if precision == "native":
        return ""
    if precision == facts.held_as:
        return "it is what the backend holds already"
    if precision == "packed" and not facts.bits:
        return f"{facts.name} is not quantised"
    need = expanded_bytes(facts)
    left = host.available_bytes() if available_bytes is None else available_bytes
    if precision != "packed" and need > ROOM * left:
        return f"{facts.name} needs {need / 2**30:.1f} GiB in float32 and {left / 2**30:.1f} GiB are left"
    return ""


def expanded_bytes(facts: ModelFacts) -> int:
    """Of all weights in float32."""
    if facts.held_as == "float32":
        return facts.weights_bytes
    return facts.weights_bytes * 32 // (facts.bits or 16)
