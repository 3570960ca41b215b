"""Numbers as words: figures with their intervals, factors, lists. Pure; the language is that of ``t``."""

from __future__ import annotations

from collections.abc import Sequence

from engine.lab.report.facts import Curve, Facts, Figure
from engine.trace.export.figures import NONE, size
from engine.trace.export.words import Translate


def number(value: float | None, digits: int = 2) -> str:
    return NONE if value is None else f"{value:.{digits}f}"


def plain_number(value: float) -> str:
    """As short as it can be: values of an axis."""
    return f"{value:g}"


def interval(figure: Figure, digits: int = 2) -> str:
    """``1.32 (1.21–1.44)``."""
    if figure.value is None:
        return NONE
    value = f"{figure.value:.{digits}f}"
    if figure.low is None or figure.high is None:
        return value
    return f"{value} ({figure.low:.{digits}f}–{figure.high:.{digits}f})"


def factor(figure: Figure) -> str:
    """``×1.32 (1.21–1.44)``."""
    return NONE if figure.value is None else f"×{interval(figure)}"


def percent(figure: Figure) -> str:
    """``12 % (10–15)``."""
    if figure.value is None:
        return NONE
    value = f"{100 * figure.value:.0f} %"
    if figure.low is None or figure.high is None:
        return value
    return f"{value} ({100 * figure.low:.0f}–{100 * figure.high:.0f})"


def share(value: float) -> str:
    return f"{100 * value:.0f} %"


def listed(words: Sequence[str], t: Translate) -> str:
    """``a, b and c``."""
    if len(words) < 2:
        return "".join(words)
    return t("{first} and {last}", first=t(", ").join(words[:-1]), last=words[-1])


def bytes_text(value: float) -> str:
    return size(round(value)) if value >= 0 else f"-{size(round(-value))}"


def under(facts: Facts, t: Translate, samples: int = 0) -> str:
    """The condition that every answer begins with; ``samples`` where a lab took fewer than the profile."""
    machine = facts.machine
    return t(
        "On {chip} ({backend}), with {n} samples and answers of up to {tokens} tokens",
        chip=machine.chip, backend=machine.backend, n=samples or len(facts.samples), tokens=facts.tokens,
    )  # fmt: skip


AXES = {
    "block": "block length",
    "candidate_width": "candidate width",
    "injected_layers": "injected layers",
    "temperature": "temperature",
    "context_tokens": "text before the prompt (tokens)",
}
KINDS = {"task": "task", "language": "language", "format": "format", "length": "length", "source": "source"}


def axis(name: str, t: Translate) -> str:
    return t(AXES.get(name, name))


def layer(kind: str, name: str, t: Translate) -> str:
    return t("{kind} {layer}", kind=t(KINDS.get(kind, kind)), layer=t(f"layer {name}") if known(name, t) else name)


def known(name: str, t: Translate) -> bool:
    return t(f"layer {name}") != f"layer {name}"


def at(curve: Curve, value: float, t: Translate) -> str:
    if curve.axis == "context_tokens":
        return t("{n} tokens of text before the prompt", n=plain_number(value))
    return t("{axis} {value}", axis=axis(curve.axis, t), value=plain_number(value))


def verdict_of(figure: Figure) -> str:
    """``gain``, ``loss``, ``noise`` or ``unknown``: whether an interval of a speedup lies on one side of 1."""
    if figure.value is None or figure.low is None or figure.high is None:
        return "unknown"
    return "gain" if figure.low > 1 else "loss" if figure.high < 1 else "noise"
