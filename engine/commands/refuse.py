"""How a command says that the request was wrong."""

from __future__ import annotations

import sys


def refuse(message: str) -> int:
    """One line on stderr. Returns the exit status."""
    print(f"slipstream: {message}", file=sys.stderr)
    return 2
