"""A trace as Markdown: verdict, figures and environment, to paste into a report. Texts of the session are not in it."""

from __future__ import annotations

from collections.abc import Sequence

from engine.trace.export.environment import rows
from engine.trace.export.figures import ArmReport, figures, reports, schemes, times
from engine.trace.export.words import CAVEAT, Translate, translator, verdict_line
from engine.trace.file import Trace


def to_markdown(trace: Trace, language: str = "en") -> str:
    t = translator(language)
    arms = reports(trace.events)
    parts = [f"# {t('Slipstream session')}"]
    if not arms:
        parts.append(t("This trace holds no rounds."))
    for arm in arms[1:]:
        if arm.verdict:
            parts.append(f"**{escape(arm.name)}**: {verdict_line(arm.verdict, t)} · {times(arm.speedup)}")
    if arms:
        parts += [numbers(arms, t), f"## {t('Acceptance by position')}"]
        parts += [by_position(arm, t) for arm in arms if arm.metrics.drafted]
    parts += [f"## {t('Environment')}", table([("", "")], rows(trace, arms, t))]
    parts.append(t(CAVEAT))
    return "\n\n".join(parts) + "\n"


def numbers(arms: Sequence[ArmReport], t: Translate) -> str:
    columns = [figures(arm, t) for arm in arms]
    head = (t("Figure"), *(f"{arm.name} ({schemes(arm, t)})" for arm in arms), "")
    body = [
        (same[0].name, *(figure.value for figure in same), same[0].definition) for same in zip(*columns, strict=True)
    ]
    return table([head], body)


def by_position(arm: ArmReport, t: Translate) -> str:
    m = arm.metrics
    shares = zip(m.conditional_by_position, m.reached_by_position, strict=True)
    cells = ["–" if share is None else f"{share:.2f} (n {n})" for share, n in shares]
    return table([(t("position"), *map(str, range(1, len(cells) + 1)))], [(arm.name, *cells)])


def table(head: Sequence[Sequence[str]], body: Sequence[Sequence[str]]) -> str:
    lines = [line(head[0]), "|" + " --- |" * len(head[0]), *map(line, body)]
    return "\n".join(lines)


def line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(map(escape, cells)) + " |"


def escape(text: str) -> str:
    """Text that Markdown leaves as it is."""
    for letter in "\\`*_[]<>|#":
        text = text.replace(letter, "\\" + letter)
    return " ".join(text.split())
