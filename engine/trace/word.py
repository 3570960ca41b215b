"""How an arm names what drafts (``Arm.drafter``): a drafter, and what is joined to it by ``+``."""

from __future__ import annotations

HELPERS = ("lookup", "table")
"""May stand before or behind a drafter."""


def parts(drafter: str) -> list[str]:
    """``/my/E+table+lookup`` -> [``lookup``, ``table``, ``/my/E``]. A path may hold a ``+`` of its own."""
    found: set[str] = set()
    before = ""
    while drafter != before:
        before = drafter
        for name in HELPERS:
            rest = drafter.removeprefix(f"{name}+").removesuffix(f"+{name}")
            if rest != drafter:
                found.add(name)
                drafter = rest
    return [*(name for name in HELPERS if name in found), drafter]
