"""What jobs say is shown in the language of the window; names that nobody knows stay."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication

from app import sentences
from app.i18n import Language
from app.job_state import JobState
from app.jobview import wording
from app.jobview.results import title_of
from app.jobview.words import CONTEXT, PATTERNS, WORDS, said, word
from engine.process.jobs import JobCell, JobProgress
from tests.app.test_i18n import CATALOGUE, messages

ENGINE = Path(__file__).resolve().parents[3] / "engine"
PLACE = re.compile(r"\{[^{}]*\}")
SAID_ELSEWHERE = {"", "{}"}
"""An error's own text."""


@pytest.fixture
def chinese(qapp: QCoreApplication) -> Iterator[None]:
    language = Language(qapp)
    language.set("zh_CN")
    yield
    language.set("en")


def ends_of(module: str) -> set[str]:
    """What a command's job says at its end, ``{}`` where something is put in."""
    found = set()
    for node in ast.walk(ast.parse((ENGINE / module).read_text(encoding="utf-8"))):
        is_end = isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "ended" and len(node.args) > 1
        if is_end and isinstance(node.args[1], ast.Constant):
            found.add(node.args[1].value)
        elif is_end and isinstance(node.args[1], ast.JoinedStr):
            values = node.args[1].values
            found.add("".join(part.value if isinstance(part, ast.Constant) else "{}" for part in values))
    return found - SAID_ELSEWHERE


def test_what_a_training_says_at_its_end_is_known() -> None:
    known = {PLACE.sub("{}", template) for template in sentences.TEMPLATES}
    ends = ends_of("commands/train_drafter.py")
    assert len(ends) >= 4 and ends - known == set()


def test_each_word_has_both_languages() -> None:
    translations = {source: text for context, source, text, _ in messages(CATALOGUE) if context == CONTEXT}
    assert set(translations) == {*WORDS, *PATTERNS} and len(set(WORDS)) == len(WORDS)
    same = {source for source, text in translations.items() if text == source}
    assert same == set()


def test_english_stays_english(qapp: QCoreApplication) -> None:
    for text in (*WORDS, "sweep: mine", "block 8", "E against baseline", "loss 2.101, 840 positions/s", "void: x"):
        assert word(text) == text


@pytest.mark.usefixtures("chinese")
def test_words_and_what_is_made_of_them() -> None:
    assert word("PASS") == "通过" and word("NEAR-TIE") == "近似并列"
    assert word("sweep: my arm") == "扫描: my arm" and word("block 8") == "块长 8"
    assert word("E against baseline") == "E 对比 基准" and word("mine") == "mine"
    assert word("loss 2.101, 840 positions/s") == "损失 2.101，每秒 840 个位置"
    assert word("speedup, throughput") == "加速比，吞吐量" and word("void: repeats itself") == "作废: 重复自身"
    assert title_of("conditional acceptance / position") == "条件接受率 / 位置"
    assert wording.cell_value(JobCell(table="t", row="r", column="c", text="FAIL")) == "未通过"
    assert wording.tone("FAIL") == "fail", "the colour goes by what the job said"
    state = JobState("train")
    state.apply(JobProgress(stage="train", done=3, total=10, unit="steps", note="measuring the pace"))
    assert "步" in wording.progress_line(state) and "测量速度" in wording.progress_line(state)


@pytest.mark.usefixtures("chinese")
def test_sentences_of_jobs() -> None:
    score = "1.94 tokens per target forward [1.83 .. 2.05] on 100 held-out answers."
    stopped = said(f"Stopped after step 240; the best drafter so far is kept. {score}")
    assert "240" in stopped and "1.94" in stopped and not re.search("[A-Za-z]{3,}", stopped), stopped
    checks = said("lossless: a check failed. sweep: No arm drafted anything. stability: a check failed.")
    assert checks.count("未通过") == 2 and "No arm drafted anything." in checks
