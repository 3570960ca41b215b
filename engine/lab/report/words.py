"""The words of the lab's report in the languages of the product.

The English text is the key. Codes (``layer zh``, ``status pass``) have an English text too. A test sees to it that no
sentence is without its translation.
"""

from __future__ import annotations

from typing import Any

from engine.lab.report.chinese import CHINESE
from engine.trace.export.words import CHINESE as PAGE_CHINESE
from engine.trace.export.words import Translate

LANGUAGES = ("en", "zh")


def translator(language: str = "en") -> Translate:
    if language not in LANGUAGES:
        raise ValueError(f"There is no language {language!r}: choose one of {', '.join(LANGUAGES)}.")
    table = {**PAGE_CHINESE, **CHINESE} if language == "zh" else ENGLISH

    def translate(text: str, **fields: Any) -> str:
        translated = table.get(text, text)
        return translated.format(**fields) if fields else translated

    return translate


ENGLISH = {
    "plan quick": "quick plan",
    "plan full": "full plan",
    "lab lossless": "Losslessness",
    "lab sampling": "Sampled losslessness",
    "lab profile": "Profile of the drafts",
    "lab sweep": "Sweep",
    "lab attribution": "Where the gain comes from",
    "lab concurrency": "Concurrency",
    "lab stability": "Stability",
    "status pass": "pass",
    "status near-tie": "near tie",
    "status fail": "FAIL",
    "status measured": "measured",
    "status stopped": "stopped early",
    "regime queueing": "one request after another (queueing)",
    "regime batching": "several requests in one forward (batching)",
    "served queueing": "queueing",
    "served batching": "batching",
    "arrivals poisson": "Poisson arrivals",
    "arrivals burst": "bursts",
    "layer short": "short",
    "layer medium": "medium",
    "layer long": "long",
    "layer cloze": "cloze",
    "layer open": "open writing",
    "layer summary": "summary",
    "layer question": "question",
    "layer edit": "editing",
    "layer extract": "extraction",
    "layer en": "English",
    "layer zh": "Chinese",
    "layer mixed": "mixed",
    "layer plain": "plain text",
    "layer list": "list",
    "layer table": "table",
    "layer code": "code",
    "layer json": "JSON",
    "layer other": "unlabelled",
}
