"""Gives MLX's CPU backend a fast BLAS, in time.

On Linux MLX brings a reference BLAS. Its symbols give way to OpenBLAS only if OpenBLAS is in the process, with global
symbols, before MLX is. No module should have to remember that order: ``engine/__init__.py`` calls
``load_blas_before_mlx``, and from then on the first ``import mlx``, wherever it stands, finds the BLAS loaded.

This module imports nothing but the standard library. On macOS it does nothing.
"""

from __future__ import annotations

import ctypes
import functools
import importlib.abc
import os
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType

BLAS_LIBRARY = "libopenblas.so.0"
BLAS_MISSING = f"OpenBLAS ({BLAS_LIBRARY}) is missing: float32 arithmetic is 15 to 55 times slower than it could be"
BLAS_TOO_LATE = (
    "OpenBLAS was loaded after MLX and is not used: float32 arithmetic is 15 to 55 times slower than it could be"
)


@functools.cache
def setup_backend() -> str:
    """Load the BLAS, once a process; returns what is to be noted about it, nothing where all is well."""
    if sys.platform != "linux":
        return ""
    too_late = "mlx.core" in sys.modules
    try:
        ctypes.CDLL(BLAS_LIBRARY, mode=os.RTLD_GLOBAL)
    except OSError:
        return BLAS_MISSING
    return BLAS_TOO_LATE if too_late else ""


class _BlasBeforeMlx(importlib.abc.MetaPathFinder):
    """Finds nothing itself: it only learns that MLX is about to be imported."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname == "mlx":
            setup_backend()
        return None


def load_blas_before_mlx() -> None:
    """Have the first import of MLX in this process call ``setup_backend``."""
    if not any(isinstance(finder, _BlasBeforeMlx) for finder in sys.meta_path):
        sys.meta_path.insert(0, _BlasBeforeMlx())
