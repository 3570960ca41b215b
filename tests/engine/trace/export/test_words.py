from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import get_args

import pytest

from engine.trace import export
from engine.trace.events import FinishReason
from engine.trace.export.charts import PARTS
from engine.trace.export.html import ORIGINS
from engine.trace.export.words import CAVEAT, CHINESE, translator, verdict_line
from engine.trace.verdict import Status, Verdict, wording


def texts() -> set[str]:
    """Every text that goes through a translator, as written in the sources or listed in their tables."""
    found = {CAVEAT, "failed", *get_args(FinishReason), *(name for _, name, _ in PARTS)}
    found |= {text for _, *listed in ORIGINS.values() for text in listed}
    for source in Path(export.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(source.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "t" and node.args:
                found |= {
                    n.value for n in ast.walk(node.args[0]) if isinstance(n, ast.Constant) and isinstance(n.value, str)
                }
    return found


def test_every_text_is_translated_and_every_translation_is_used() -> None:
    assert texts() == set(CHINESE)


@pytest.mark.parametrize("text", CHINESE)
def test_a_translation_is_chinese_and_keeps_its_fields(text: str) -> None:
    assert re.search(r"[\u4e00-\u9fff]", CHINESE[text])
    assert sorted(re.findall(r"{\w+}", CHINESE[text])) == sorted(re.findall(r"{\w+}", text))


def test_an_unknown_language_is_refused() -> None:
    with pytest.raises(ValueError, match="choose one of en, zh_CN"):
        translator("fr")


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_no_two_verdicts_read_alike(language: str) -> None:
    t = translator(language)
    verdicts = [Verdict(status=status, first_difference=3, margin=0.5, tokens=3) for status in get_args(Status)]
    verdicts += [
        Verdict(status="identical", tokens=3, running=True),
        Verdict(status="fail", first_difference=3, margin=0.5, own_choice=False),
        Verdict(status="fail", first_difference=3, margin=0.5, turn=1),
        Verdict(status="fail", first_difference=3),
    ]
    lines = [verdict_line(verdict, t) for verdict in verdicts]
    assert len(set(lines)) == len(lines) and not any("{" in line for line in lines)


def test_english_says_what_the_verdict_says() -> None:
    t = translator()
    for verdict in (
        Verdict(status="near-tie", first_difference=3, margin=0.25),
        Verdict(status="fail", first_difference=0, margin=0.5),
        Verdict(status="fail", first_difference=0),
    ):
        assert verdict_line(verdict, t).lower() == wording(verdict).lower()
