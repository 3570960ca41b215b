from __future__ import annotations

import re

import pytest

from engine.trace.export import to_markdown
from engine.trace.export.figures import figures, reports
from engine.trace.export.markdown import escape
from engine.trace.export.words import translator
from tests.engine.trace.export import sessions


@pytest.mark.parametrize("language", ["en", "zh_CN"])
@pytest.mark.parametrize("name", sessions.ALL)
def test_tables_are_rectangular(name: str, language: str) -> None:
    width = 0
    for line in to_markdown(sessions.ALL[name](), language).splitlines():
        cells = len(re.findall(r"(?<!\\)\|", line))
        assert cells == 0 or width in (0, cells), line
        width = cells


def test_every_figure_of_every_arm_is_there() -> None:
    trace = sessions.golden()
    page = to_markdown(trace)
    for arm in reports(trace.events):
        for figure in figures(arm, translator()):
            assert escape(figure.value) in page and escape(figure.definition) in page


def test_texts_of_the_session_are_not_in_it() -> None:
    page = to_markdown(sessions.golden())
    assert "sky" not in page and "天空" not in page


def test_markup_in_names_stays_text() -> None:
    assert "<script" not in to_markdown(sessions.hostile()).replace("\\<", "")
    assert escape("a|b\n*c*") == "a\\|b \\*c\\*"
