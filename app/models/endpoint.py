"""The mirror that models are fetched from, for the processes that this program starts: they inherit its environment."""

from __future__ import annotations

import os

VARIABLE = "HF_ENDPOINT"
_given = os.environ.get(VARIABLE, "")
"""What the user's own environment says, used again where no mirror is set."""


def use_endpoint(endpoint: str) -> None:
    """Processes that start from now on fetch from here; an engine that runs goes on as it began."""
    chosen = endpoint.strip() or _given
    if chosen:
        os.environ[VARIABLE] = chosen
    else:
        os.environ.pop(VARIABLE, None)
