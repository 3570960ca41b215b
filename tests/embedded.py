"""The embedded model for tests: converted, read and expanded once a session, wherever it is asked for first."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import mlx_lm

from engine.models.demo import embedded_model
from engine.platform import expand_weights


@functools.cache
def directory() -> Path:
    return embedded_model()


@functools.cache
def tokenizer() -> Any:
    """As mlx-lm wraps it."""
    from mlx_lm.tokenizer_utils import load

    return load(directory())


@functools.cache
def expanded_model() -> Any:
    model = mlx_lm.load(str(directory()))[0]
    expand_weights(model, on="cpu")
    return model
