"""Text of a trace as text of a page."""

from __future__ import annotations

from html import escape


def clean(words: str) -> str:
    """Escaped, for elements and attributes, with the control characters replaced that HTML forbids."""
    return escape("".join(letter if letter >= " " or letter in "\n\t" else "\ufffd" for letter in words))
