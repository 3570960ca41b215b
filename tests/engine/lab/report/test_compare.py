from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from engine.lab.report import make_report
from engine.lab.report.compare import change, compare_page, compare_reports, comparison_lines
from engine.lab.report.facts import Figure
from tests.engine.lab.report import made

A = make_report(made.WHOLE, "2026-11-29")


def test_report_equals_itself() -> None:
    found = compare_reports(A, A)
    assert found.environment == ()
    assert {line.change for line in found.lines} == {"same"}
    assert "The conditions are the same." in comparison_lines(found, "en")


def test_overlap_decides_and_conditions_are_named() -> None:
    other = replace(
        made.WHOLE, tokens=128, machine=replace(made.MACHINE, mlx="0.33.0"), profile=(made.profile(made.fig(1.8)),)
    )
    found = compare_reports(A, make_report(other, "2026-11-30"))
    assert {each.name for each in found.environment} == {"Longest answer", "Versions"}
    speed = next(line for line in found.lines if line.name == (made.DRAFTER, "speedup"))
    assert speed.change == "higher"
    gone = next(line for line in found.lines if line.name[-1] == "code")
    assert (gone.change, gone.b) == ("only in A", None)
    text = "\n".join(comparison_lines(found, "zh"))
    assert "B 更高" in text
    assert "只在 A 中" in text


def test_within_noise_is_no_difference() -> None:
    other = replace(made.WHOLE, profile=(made.profile(made.fig(1.56), made.LAYERS),))
    found = compare_reports(A, make_report(other, ""))
    assert next(line for line in found.lines if line.name == (made.DRAFTER, "speedup")).change == "unclear"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_page_needs_nothing_else(language: str) -> None:
    other = replace(made.WHOLE, seed=3, machine=replace(made.MACHINE, chip="<b>x</b>"))
    page = compare_page(compare_reports(A, make_report(other, "")), language)
    assert "<b>x" not in page
    assert "<script" not in page


figures = st.builds(
    lambda value, down, up: Figure(value=value, low=value - down, high=value + up),
    st.floats(0, 9), st.floats(0, 3), st.floats(0, 3),
)  # fmt: skip


@settings(deadline=None)
@given(a=figures, b=figures)
def test_change_turns_round_with_the_sides(a: Figure, b: Figure) -> None:
    turned = {"higher": "lower", "lower": "higher"}
    assert change(b, a) == turned.get(change(a, b), change(a, b))
