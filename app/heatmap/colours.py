"""Viridis for the target's p of a draft, turned so that more p stands out more from the card in both appearances.

The ends of the map that come too near the card's own lightness are left out, so a cell of any amount is seen as filled.
"""

from __future__ import annotations

from functools import cache

import pyqtgraph
from PySide6.QtGui import QColor

from app.theme import Theme

STEPS = 100
_LIGHT_ENDS = (0.80, 0.22)
_DARK_ENDS = (0.30, 0.92)


@cache
def ramp(is_dark: bool) -> tuple[QColor, ...]:
    """``STEPS + 1`` colours, from p = 0 to p = 1."""
    first, last = _DARK_ENDS if is_dark else _LIGHT_ENDS
    viridis = pyqtgraph.colormap.get("viridis")
    shares = (first + (last - first) * step / STEPS for step in range(STEPS + 1))
    return tuple(QColor(viridis.mapToQColor(share).rgb()) for share in shares)


def amount_colour(theme: Theme, p: float | None) -> QColor:
    """Colour of an accepted cell; a trace without p gets the middle of the map."""
    share = 0.5 if p is None else min(1.0, max(0.0, p))
    return ramp(theme.is_dark)[round(share * STEPS)]
