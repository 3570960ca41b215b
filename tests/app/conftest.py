"""Widgets are tested without a display and without OpenGL."""

from __future__ import annotations

import os

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import pyqtgraph  # noqa: E402

pyqtgraph.setConfigOptions(useOpenGL=False)
