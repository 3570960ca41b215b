from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.lab.report.charts import Row, Series, curves, factors, fitted, rows, ticks
from engine.lab.report.facts import NOTHING, Figure

positive = st.floats(0.01, 50)
figures = st.one_of(
    st.just(NOTHING),
    st.builds(lambda v: Figure(value=v), positive),
    st.builds(lambda v, d: Figure(value=v, low=v / (1 + d), high=v * (1 + d)), positive, st.floats(0, 3)),
)


def numbers(drawing: str) -> list[float]:
    return [float(x) for x in re.findall(r'(?:cx|cy|x|y)="(-?[\d.]+)"', drawing)]


@settings(deadline=None)
@given(listed=st.lists(figures, max_size=12))
def test_drawings_are_whole_whatever_is_drawn(listed: list[Figure]) -> None:
    drawings = [
        rows([Row(label=f"row {i} <&>", figure=f) for i, f in enumerate(listed)], "label"),
        curves([Series(name="<a>", points=tuple(enumerate(listed)))], "label", "x", "y", reference=1.0, spread=True),
        factors([(f"part {i}", f) for i, f in enumerate(listed)], "label"),
    ]
    for drawing in drawings:
        if any(f.value is not None for f in listed):
            ElementTree.fromstring(drawing)
            assert "nan" not in drawing
            assert "inf" not in drawing
            assert all(-30 <= n <= 2000 for n in numbers(drawing))
        else:
            assert drawing == ""


def test_intervals_on_one_side_are_told_by_more_than_place() -> None:
    drawing = rows(
        [
            Row(label="gain", figure=Figure(value=1.5, low=1.2, high=1.8)),
            Row(label="loss", figure=Figure(value=0.5, low=0.4, high=0.6)),
            Row(label="noise", figure=Figure(value=1.0, low=0.9, high=1.1)),
        ],
        "label",
    )
    assert [len(re.findall(rf'class="dot {kind}"', drawing)) for kind in ("above", "below", "unclear")] == [1, 1, 1]
    assert "1.50×  1.20–1.80" in drawing


def test_knee_is_marked_at_its_value() -> None:
    points = tuple((x, Figure(value=y)) for x, y in ((2.0, 1.0), (4.0, 1.5), (8.0, 1.4)))
    drawing = curves([Series(name="E", points=points)], "label", "x", "y", mark=4.0, mark_name="knee", spread=True)
    (at,) = re.findall(r'class="knee" d="M([\d.]+) ', drawing)
    circles = re.findall(r'cx="([\d.]+)"', drawing)
    assert circles[1] == at


@pytest.mark.parametrize(("low", "high"), [(0.7, 2.1), (0.99, 1.01), (0.0, 40.0), (1.0, 1.004)])
def test_ticks_are_few_and_inside(low: float, high: float) -> None:
    found = ticks(low, high)
    assert 2 <= len(found) <= 6
    assert all(low <= tick <= high for tick in found)


def test_label_is_cut_by_its_width() -> None:
    assert fitted("open writing", 22) == "open writing"
    assert fitted("开放写作开放写作", 8) == "开放写作…"
