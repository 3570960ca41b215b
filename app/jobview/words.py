"""The words that jobs use in tables, curves and progress, in the language of the window. Pure functions.

A job speaks English; what is shown of it is looked up here. A name that nobody knows, as that of an arm or a sample,
stays as it is.
"""

from __future__ import annotations

import re

from PySide6.QtCore import QT_TRANSLATE_NOOP

from app import sentences
from app.i18n import translate

CONTEXT = "JobWords"
WORDS: tuple[str, ...] = (
    # what came of it
    QT_TRANSLATE_NOOP("JobWords", "pass"),
    QT_TRANSLATE_NOOP("JobWords", "PASS"),
    QT_TRANSLATE_NOOP("JobWords", "near-tie"),
    QT_TRANSLATE_NOOP("JobWords", "NEAR-TIE"),
    QT_TRANSLATE_NOOP("JobWords", "fail"),
    QT_TRANSLATE_NOOP("JobWords", "FAIL"),
    QT_TRANSLATE_NOOP("JobWords", "caught"),
    QT_TRANSLATE_NOOP("JobWords", "not caught"),
    QT_TRANSLATE_NOOP("JobWords", "missed"),
    QT_TRANSLATE_NOOP("JobWords", "void"),
    QT_TRANSLATE_NOOP("JobWords", "no drafts"),
    QT_TRANSLATE_NOOP("JobWords", "repeats itself"),
    QT_TRANSLATE_NOOP("JobWords", "kept"),
    # tables
    QT_TRANSLATE_NOOP("JobWords", "lossless"),
    QT_TRANSLATE_NOOP("JobWords", "controls"),
    QT_TRANSLATE_NOOP("JobWords", "sampling"),
    QT_TRANSLATE_NOOP("JobWords", "profile"),
    QT_TRANSLATE_NOOP("JobWords", "sweep"),
    QT_TRANSLATE_NOOP("JobWords", "attribution"),
    QT_TRANSLATE_NOOP("JobWords", "concurrency"),
    QT_TRANSLATE_NOOP("JobWords", "stability"),
    QT_TRANSLATE_NOOP("JobWords", "checks"),
    QT_TRANSLATE_NOOP("JobWords", "memory"),
    QT_TRANSLATE_NOOP("JobWords", "tokens per second"),
    QT_TRANSLATE_NOOP("JobWords", "speedup, throughput"),
    QT_TRANSLATE_NOOP("JobWords", "speedup, time per token"),
    # rows and columns
    QT_TRANSLATE_NOOP("JobWords", "baseline"),
    QT_TRANSLATE_NOOP("JobWords", "speculative"),
    QT_TRANSLATE_NOOP("JobWords", "status"),
    QT_TRANSLATE_NOOP("JobWords", "verdict"),
    QT_TRANSLATE_NOOP("JobWords", "greedy"),
    QT_TRANSLATE_NOOP("JobWords", "prefix cache off"),
    QT_TRANSLATE_NOOP("JobWords", "row by row"),
    QT_TRANSLATE_NOOP("JobWords", "every accepted length"),
    QT_TRANSLATE_NOOP("JobWords", "all"),
    QT_TRANSLATE_NOOP("JobWords", "task"),
    QT_TRANSLATE_NOOP("JobWords", "language"),
    QT_TRANSLATE_NOOP("JobWords", "format"),
    QT_TRANSLATE_NOOP("JobWords", "length"),
    QT_TRANSLATE_NOOP("JobWords", "block"),
    QT_TRANSLATE_NOOP("JobWords", "candidate_width"),
    QT_TRANSLATE_NOOP("JobWords", "candidate width"),
    QT_TRANSLATE_NOOP("JobWords", "injected_layers"),
    QT_TRANSLATE_NOOP("JobWords", "temperature"),
    QT_TRANSLATE_NOOP("JobWords", "repetition penalty"),
    QT_TRANSLATE_NOOP("JobWords", "context"),
    QT_TRANSLATE_NOOP("JobWords", "tokens"),
    QT_TRANSLATE_NOOP("JobWords", "measured"),
    QT_TRANSLATE_NOOP("JobWords", "predicted"),
    QT_TRANSLATE_NOOP("JobWords", "draft"),
    QT_TRANSLATE_NOOP("JobWords", "verify"),
    QT_TRANSLATE_NOOP("JobWords", "overhead"),
    QT_TRANSLATE_NOOP("JobWords", "verify cost"),
    # axes
    QT_TRANSLATE_NOOP("JobWords", "position"),
    QT_TRANSLATE_NOOP("JobWords", "conditional acceptance"),
    QT_TRANSLATE_NOOP("JobWords", "block length"),
    QT_TRANSLATE_NOOP("JobWords", "speed"),
    QT_TRANSLATE_NOOP("JobWords", "speedup"),
    QT_TRANSLATE_NOOP("JobWords", "speed over baseline"),
    QT_TRANSLATE_NOOP("JobWords", "requests in flight"),
    QT_TRANSLATE_NOOP("JobWords", "rows"),
    QT_TRANSLATE_NOOP("JobWords", "single rows"),
    QT_TRANSLATE_NOOP("JobWords", "steps"),
    QT_TRANSLATE_NOOP("JobWords", "training loss"),
    QT_TRANSLATE_NOOP("JobWords", "held-out tokens per forward"),
    # units and notes of progress
    QT_TRANSLATE_NOOP("JobWords", "prompts"),
    QT_TRANSLATE_NOOP("JobWords", "runs"),
    QT_TRANSLATE_NOOP("JobWords", "draws"),
    QT_TRANSLATE_NOOP("JobWords", "cost curves"),
    QT_TRANSLATE_NOOP("JobWords", "answers"),
    QT_TRANSLATE_NOOP("JobWords", "bytes"),
    QT_TRANSLATE_NOOP("JobWords", "s"),
    QT_TRANSLATE_NOOP("JobWords", "train"),
    QT_TRANSLATE_NOOP("JobWords", "held"),
    QT_TRANSLATE_NOOP("JobWords", "measuring the pace"),
    QT_TRANSLATE_NOOP("JobWords", "head start"),
)
PATTERNS: tuple[str, ...] = (
    QT_TRANSLATE_NOOP("JobWords", "{n} answer tokens"),
    QT_TRANSLATE_NOOP("JobWords", "loss {loss}, {n} positions/s"),
    QT_TRANSLATE_NOOP("JobWords", "growth over {n} rounds, bytes"),
    QT_TRANSLATE_NOOP("JobWords", "{a} against {b}"),
    QT_TRANSLATE_NOOP("JobWords", "cache of {n} bits"),
)
SEPARATOR = re.compile(r"(: | · |, )")
COUNTED = re.compile(r"(.*\D) (\d[\d.]*)")
NEXT_LAB = re.compile(r"(?<=\.) (?=[a-z]+: )")


def word(text: str) -> str:
    """A name, a cell's word or a note: as a whole, by a pattern, or part by part."""
    if text in WORDS:
        return translate(CONTEXT, text)
    for pattern in PATTERNS:
        values = sentences.matched(text, pattern)
        if values is not None:
            return translate(CONTEXT, pattern).format(**{name: word(value) for name, value in values.items()})
    parts = SEPARATOR.split(text)
    if len(parts) > 1:
        return "".join(part if SEPARATOR.fullmatch(part) else word(part) for part in parts)
    counted = COUNTED.fullmatch(text)
    return f"{word(counted[1])} {counted[2]}" if counted and counted[1] in WORDS else text


def said(message: str) -> str:
    """What a job said at its end. That of several labs names each before its sentence."""
    return " ".join(sentences.translated(part) for part in NEXT_LAB.split(message))
