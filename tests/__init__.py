"""Tests mirror the tree. Importing the engine first gives MLX its BLAS, whatever a test module imports first."""

import engine  # noqa: F401
