"""The report of a lab's directory: ``report.html``, one file that needs nothing else, and ``report.json``.

Both are made of the results alone (``DIR/<lab>.json``), so they can be written anew at any time.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import msgspec
from msgspec import Struct

from engine.lab.report.advice import Advice, advice
from engine.lab.report.answer import QUESTIONS, Answer
from engine.lab.report.answers import answers
from engine.lab.report.facts import Facts
from engine.lab.report.page import report_page
from engine.lab.report.read import facts_in
from engine.lab.report.untested import untested
from engine.lab.report.words import LANGUAGES, translator
from engine.lab.result import LabError

SCHEMA = "slipstream-lab-report/1"


class Report(Struct, frozen=True, kw_only=True):
    """What ``report.json`` holds. Fields are only ever added."""

    schema: str = SCHEMA
    created: str
    """ISO 8601, with zone."""
    facts: Facts
    answers: dict[str, tuple[Answer, ...]]
    """By language."""
    advice: dict[str, tuple[Advice, ...]]
    not_tested: dict[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Written:
    html: Path
    json: Path
    sentences: list[str]
    """The recommendation and the five answers in short, in the first language."""


def make_report(facts: Facts, created: str) -> Report:
    by = {language: translator(language) for language in LANGUAGES}
    return Report(
        created=created,
        facts=facts,
        answers={language: answers(facts, t) for language, t in by.items()},
        advice={language: advice(facts, t) for language, t in by.items()},
        not_tested={language: tuple(untested(facts, t)) for language, t in by.items()},
    )


def write_report(directory: Path, out: Path | None = None, language: str = "en") -> Written:
    """Raises ``LabError``."""
    facts = facts_in(directory)
    created = datetime.now(UTC).astimezone().isoformat(timespec="seconds")
    report = make_report(facts, created)
    place = out or directory
    html, json = place / "report.html", place / "report.json"
    try:
        place.mkdir(parents=True, exist_ok=True)
        html.write_text(report_page(facts, created, language), encoding="utf-8")
        json.write_bytes(msgspec.json.format(msgspec.json.encode(report), indent=2))
    except OSError as error:
        why = (error.strerror or type(error).__name__).lower()
        raise LabError(f"{place} can't be written ({why}): name another directory with --out.") from error
    return Written(html, json, in_short(report, language))


def in_short(report: Report, language: str) -> list[str]:
    t = translator(language)
    lines = [each.headline for each in report.advice[language]]
    lines += [f"{t(QUESTIONS[each.question])} {each.headline}" for each in report.answers[language]]
    return lines
