"""A question, its answer, and how the answer tends."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

QUESTIONS = {
    "lossless": "Is the text still the target's own?",
    "source": "Where does the gain come from?",
    "limits": "When does the gain vanish?",
    "cost": "What does it cost?",
    "seen": "Can a failure be seen?",
}
Tone = Literal["good", "mixed", "bad", "open"]
"""``open``: not tested, or not to be told from noise."""


class Answer(Struct, frozen=True, kw_only=True):
    question: str
    """Key of ``QUESTIONS``."""
    tone: Tone
    headline: str
    sentences: tuple[str, ...]
    evidence: tuple[str, ...] = ()
    """Labs."""
