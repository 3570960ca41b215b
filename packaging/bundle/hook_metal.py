"""Runs in the bundle before the program, on macOS: MLX's library is loaded from its own directory.

Its kernels (mlx.metallib) are looked for beside the library as it was loaded. Loaded later, through the link in the
bundle's root, it would look there.
"""

import contextlib
import ctypes
import sys
from pathlib import Path

with contextlib.suppress(OSError):
    ctypes.CDLL(str(Path(sys._MEIPASS, "mlx", "lib", "libmlx.dylib")))  # type: ignore[attr-defined]
