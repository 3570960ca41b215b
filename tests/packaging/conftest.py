"""The build's own functions live in ``packaging/bundle``, outside the product."""

from __future__ import annotations

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# At the end: the public package `packaging` must still be found first.
sys.path.append(str(ROOT / "packaging"))
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
