"""The embedded model for tests: converted, read and expanded once a session, wherever it is asked for first.

It is converted anew, not taken from the user's cache: that one may be an older conversion's.
"""

from __future__ import annotations

import atexit
import functools
import shutil
import tempfile
from pathlib import Path
from typing import Any

import mlx_lm

from engine.models import demo
from engine.platform import expand_weights


@functools.cache
def directory() -> Path:
    place = tempfile.mkdtemp(prefix="slipstream-tests-")
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    demo.convert(demo.source_file(), Path(place), lambda what, done, total: None)
    return Path(place)


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
