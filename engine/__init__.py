"""The engine: runs models, knows nothing of windows.

Importing this package is cheap: neither MLX nor a BLAS is loaded until a module that needs them is imported.
"""

from engine import backend as _backend

__version__ = "0.1.0"

_backend.load_blas_before_mlx()
