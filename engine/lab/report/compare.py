"""Two reports held against each other: what differs in their conditions, and each figure side by side.

Two figures are called different only where their 95 % intervals don't overlap; where a condition differs besides what
was meant to be compared, the first lines say so.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from engine.lab.report import SCHEMA, Report, make_report, say, sections
from engine.lab.report.answer import QUESTIONS
from engine.lab.report.facts import Facts, Figure
from engine.lab.report.page import page
from engine.lab.report.read import facts_in
from engine.lab.report.words import translator
from engine.lab.result import LabError
from engine.trace.export.html import section
from engine.trace.export.markup import clean
from engine.trace.export.words import Translate

Change = Literal["same", "higher", "lower", "unclear", "only in A", "only in B"]


class Line(Struct, frozen=True, kw_only=True):
    lab: str
    name: tuple[str, ...]
    """Parts of the figure's name: arm, what, where."""
    a: Figure | None = None
    b: Figure | None = None
    change: Change = "unclear"
    """Of B against A; ``unclear`` where the intervals overlap or one is missing."""


class Difference(Struct, frozen=True, kw_only=True):
    name: str
    a: str
    b: str


class Comparison(Struct, frozen=True, kw_only=True):
    a: str
    b: str
    environment: tuple[Difference, ...]
    lines: tuple[Line, ...]
    answers: dict[str, tuple[Difference, ...]]
    """By language: the headline of each question."""


def load_report(path: Path) -> Report:
    """Of a directory of results or a ``report.json``. Raises ``LabError``."""
    if path.is_dir():
        saved = path / "report.json"
        created = ""
        if saved.exists():
            created = load_report(saved).created
        return make_report(facts_in(path), created)
    try:
        report = msgspec.json.decode(path.read_bytes(), type=Report)
    except OSError as error:
        raise LabError(f"{path} can't be read ({(error.strerror or str(error)).lower()}).") from error
    except (msgspec.DecodeError, ValueError) as error:
        raise LabError(f"{path} is no report of the lab ({error}): name its directory or its report.json.") from error
    if report.schema != SCHEMA:
        raise LabError(f"{path} is of schema {report.schema}, but this program reads {SCHEMA}: write it anew.")
    return report


def compare_reports(a: Report, b: Report) -> Comparison:
    first, second = figures(a.facts), figures(b.facts)
    names = [*first, *(name for name in second if name not in first)]
    return Comparison(
        a=title(a), b=title(b), environment=tuple(environment(a.facts, b.facts)),
        lines=tuple(line(name, first.get(name), second.get(name)) for name in names),
        answers={
            language: tuple(
                Difference(name=QUESTIONS[x.question], a=x.headline, b=y.headline)
                for x, y in zip(a.answers[language], b.answers[language], strict=True)
            )
            for language in a.answers
        },
    )  # fmt: skip


def title(report: Report) -> str:
    return " · ".join(filter(None, [report.facts.machine.chip, report.facts.app, report.created]))


def environment(a: Facts, b: Facts) -> Iterator[Difference]:
    for name, x, y in zip(conditions(a), conditions(a).values(), conditions(b).values(), strict=True):
        if x != y:
            yield Difference(name=name, a=x, b=y)


def conditions(facts: Facts) -> dict[str, str]:
    machine = facts.machine
    arms = "; ".join(
        " ".join(
            [
                arm.spec.name, arm.spec.target, arm.spec.drafter, f"block {arm.spec.settings.block}",
                f"temperature {arm.spec.settings.temperature:g}",
            ]
        )
        for arm in facts.arms
    )  # fmt: skip
    targets = ", ".join(sorted({f"{a.target.name} {a.target.bits}" for a in facts.arms if a.target is not None}))
    return {
        "Machine": machine.chip,
        "Memory": str(machine.memory_bytes),
        "System": machine.os,
        "Backend": machine.backend,
        "Versions": f"MLX {machine.mlx}, mlx-lm {machine.mlx_lm}, Python {machine.python}",
        "Program": facts.app,
        "Notes": " · ".join(machine.notes),
        "Plan": facts.plan,
        "Samples": ", ".join(facts.samples),
        "Longest answer": str(facts.tokens),
        "Seed": str(facts.seed),
        "Target": targets,
        "Arm": arms,
    }


def figures(facts: Facts) -> dict[tuple[str, ...], Figure]:
    """Every figure of a report by lab and name."""
    found: dict[tuple[str, ...], Figure] = {}
    for arm in facts.profile:
        own = {
            "speedup": arm.speedup, "accepted length": arm.accepted_length,
            "tokens per forward": arm.tokens_per_forward,
            "draft share of time": arm.draft_share, "dropped drafts": arm.wasted_share,
        }  # fmt: skip
        found |= {("profile", arm.arm, name): figure for name, figure in own.items()}
        for p in arm.positions:
            found["profile", arm.arm, "conditional", f"{p.position}"] = p.conditional
        for each in arm.layers:
            found["profile", arm.arm, "speedup", each.kind, each.layer] = each.speedup
    for curve in facts.curves:
        for point in curve.points:
            found["sweep", curve.arm, "speedup", curve.axis, f"{point.x:g}"] = point.speedup
    for part in facts.parts:
        named = {
            "accepted length": part.accepted_length, "draft": part.draft, "verify": part.verify,
            "everything else": part.overhead, "unexplained": part.rest,
        }  # fmt: skip
        found |= {("attribution", part.arm, part.against, name): figure for name, figure in named.items()}
    if facts.concurrency is not None:
        for loads in facts.concurrency.curves:
            for load in loads.points:
                where = ("concurrency", loads.arm, loads.regime, f"{load.requests:g}")
                found[(*where, "throughput")] = load.throughput
                found[(*where, "time per token")] = load.per_token
    return {name: figure for name, figure in found.items() if figure.value is not None}


def line(name: tuple[str, ...], a: Figure | None, b: Figure | None) -> Line:
    return Line(lab=name[0], name=name[1:], a=a, b=b, change=change(a, b))


def change(a: Figure | None, b: Figure | None) -> Change:
    if a is None:
        return "only in B"
    if b is None:
        return "only in A"
    if a.value == b.value:
        return "same"
    if a.low is None or a.high is None or b.low is None or b.high is None:
        return "unclear"
    return "higher" if b.low > a.high else "lower" if b.high < a.low else "unclear"


# For people


CHANGES = {
    "same": "the same",
    "higher": "B is higher",
    "lower": "B is lower",
    "unclear": "within noise",
    "only in A": "only in A",
    "only in B": "only in B",
}


def named(parts: tuple[str, ...], t: Translate) -> str:
    said = []
    for part in parts:
        key = f"layer {part}"
        said.append(t(key) if t(key) != key else say.axis(part, t) if part in say.AXES else t(part))
    return " · ".join(said)


def comparison_lines(found: Comparison, language: str) -> list[str]:
    t = translator(language)
    lines = [f"A: {found.a}", f"B: {found.b}", ""]
    if found.environment:
        lines.append(t("These conditions differ:"))
        lines += [f"  {t(each.name)}: {each.a} | {each.b}" for each in found.environment]
    else:
        lines.append(t("The conditions are the same."))
    rows = [
        (named((each.lab, *each.name), t), shown(each.a), shown(each.b), t(CHANGES[each.change]))
        for each in found.lines
        if each.change not in ("unclear", "same")
    ]
    same = len(found.lines) - len(rows)
    lines += ["", t("{n} figures differ beyond noise or are on one side only, {same} don't.", n=len(rows), same=same)]
    widths = [max((len(row[k]) for row in rows), default=0) for k in range(3)]
    lines += [
        "  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[-1]]) for row in rows
    ]
    return lines


def shown(figure: Figure | None) -> str:
    return "–" if figure is None else say.interval(figure)


def compare_page(found: Comparison, language: str) -> str:
    return page(lambda t: t("Two lab reports"), lambda t: compare_body(found, t), language)


def compare_body(found: Comparison, t: Translate) -> Iterator[str]:
    yield f"<header><h1>{clean(t('Two lab reports'))}</h1>"
    yield f'<p class="quiet small">A: {clean(found.a)}<br>B: {clean(found.b)}</p></header>'
    if found.environment:
        rows = [(clean(t(each.name)), clean(each.a), clean(each.b)) for each in found.environment]
        content = f'<div class="card">{sections.table(("", "A", "B"), rows)}</div>'
    else:
        content = f'<p class="card">{clean(t("The conditions are the same."))}</p>'
    yield section(t("What differs in the conditions"), content)
    heads = found.answers["zh" if t("en") == "zh" else "en"]
    answered = [(clean(t(each.name)), clean(each.a), clean(each.b)) for each in heads]
    yield section(t("Five questions"), f'<div class="card">{sections.table(("", "A", "B"), answered)}</div>')
    for lab in dict.fromkeys(each.lab for each in found.lines):
        own = [each for each in found.lines if each.lab == lab]
        lines = [
            (
                clean(named(each.name, t)), clean(shown(each.a)), clean(shown(each.b)),
                f'<span class="{"" if each.change in ("unclear", "same") else "state changed"}">'
                f"{clean(t(CHANGES[each.change]))}</span>",
            )
            for each in own
        ]  # fmt: skip
        yield section(t(f"lab {lab}"), f'<div class="card">{sections.table(("", "A", "B", ""), lines)}</div>')
    note = t("Two figures are called different where their 95 % intervals don't overlap.")
    yield f"<footer>{clean(note)}</footer>"
