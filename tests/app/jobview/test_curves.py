"""Curves: the range of a first point, and names in use."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from app.job_state import Curve
from app.jobview.curves import CurvePlot
from engine.process.jobs import JobPoint


def test_a_first_point_stands_alone_and_the_next_widens_the_axis(qtbot: QtBot) -> None:
    plot, curve = CurvePlot(), Curve()
    qtbot.addWidget(plot)
    curve.add(JobPoint(series="a", x=8, y=1.5, x_name="block length", y_name="speed"))
    plot.show_curves({"a": curve})
    assert plot.viewRange()[0] == [7.0, 9.0]
    curve.add(JobPoint(series="a", x=16, y=1.75, x_name="block length", y_name="speed"))
    plot.show_curves({"a": curve})
    plot.getViewBox().updateAutoRange()
    low, high = plot.viewRange()[0]
    assert low <= 8 and 16 <= high < 20
    assert plot.spoken() == "a: 1.75 (block length 16)"
