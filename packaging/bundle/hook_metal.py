"""Runs in the bundle before the program, on macOS: MLX's library is loaded from its own directory.

Its kernels (mlx.metallib) are looked for beside the library as it was loaded. Loaded later, through the link in the
bundle's root, it would look there.
"""

import contextlib
import ctypes
import os
import sys

with contextlib.suppress(OSError):
    ctypes.CDLL(os.path.join(sys._MEIPASS, "mlx", "lib", "libmlx.dylib"))  # type: ignore[attr-defined]
