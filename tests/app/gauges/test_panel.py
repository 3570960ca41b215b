from __future__ import annotations

from itertools import pairwise

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QAccessible, QColor, QFontMetrics
from PySide6.QtWidgets import QApplication

from app.card import small_font
from app.gauges.bar import DOT_PX, GAP_PX
from app.gauges.panel import MemoryPanel
from app.gauges.parts import GB, MB, Kind, size_text, widths_px
from app.gauges.wording import name
from app.theme import DARK, LIGHT
from engine.process.protocol import Estimate
from engine.process.shelf import Fit
from engine.trace.events import MemorySample


def sample(t_s: float = 0.0, **changes) -> MemorySample:
    values = {
        "t_s": t_s,
        "machine_bytes": 16 * GB,
        "available_bytes": 16 * GB - int(5.1 * GB),
        "process_bytes": 2 * GB,
        "active_bytes": int(1.6 * GB),
        "allocator_bytes": 200 * MB,
        "peak_bytes": int(1.72 * GB),
        "target_weights_bytes": 820 * MB,
        "drafter_weights_bytes": 250 * MB,
        "kv_bytes": 350 * MB,
        "drafter_state_bytes": 86 * MB,
    }
    return MemorySample(**(values | changes))


def estimate(new_bytes: int, verdict: str = "fits") -> Estimate:
    fit = Fit(
        verdict=verdict,
        total_bytes=new_bytes,
        machine_bytes=16 * GB,
        available_bytes=8 * GB,
        reserve_bytes=2 * GB,
    )
    return Estimate(id=1, fit=fit, new_bytes=new_bytes)


@pytest.fixture
def panel(qtbot):
    panel = MemoryPanel()
    qtbot.addWidget(panel)
    panel.resize(350, 260)
    panel.show()
    qtbot.waitExposed(panel)
    return panel


def show(panel: MemoryPanel, *samples: MemorySample) -> None:
    for each in samples:
        panel.add_sample(each)
    panel.refresh()
    QApplication.processEvents()


def test_empty_state_teaches(panel):
    assert panel.empty.isVisible() and not panel.line.isVisible() and panel.total.text() == ""
    show(panel, sample())
    assert not panel.empty.isVisible() and panel.line.isVisible()
    panel.clear()
    assert panel.empty.isVisible() and not panel.line.history.samples


def test_total_and_peak(panel):
    show(panel, sample())
    assert panel.total.text() == "5.1 of 16.0 GB"
    assert panel.peak.text() == "peak 1.72 GB"


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_bar_paints_each_part_in_its_colour(panel, theme):
    panel.set_theme(theme)
    show(panel, sample())
    image = panel.bar.grab().toImage()
    x = 0.0
    for part, width in zip(panel.bar.parts, widths_px(panel.bar.parts, panel.bar.width()), strict=True):
        if width > 6:
            middle = image.pixelColor(round((x + width / 2) * image.devicePixelRatio()), image.height() // 2)
            assert middle == QColor(getattr(theme, part.kind)), part
        x += width


def test_parts_are_explained_on_hover(panel):
    show(panel, sample())
    for widget in (panel.bar, panel.legend):
        seen = {
            part.kind
            for x in range(widget.width())
            for y in range(0, widget.height(), 4)
            if (part := widget.part_at(QPointF(x, y)))
        }
        assert seen == set(Kind), widget


def test_warning_only_under_pressure(panel):
    show(panel, sample())
    assert panel.total.objectName() == "quiet" and not panel.pressure.isVisible()
    show(panel, sample(1.0, pressure="warn"))
    assert panel.total.objectName() == "warning" and panel.pressure.isVisible()
    tight = panel.pressure.text()
    show(panel, sample(2.0, pressure="critical"))
    assert panel.pressure.text() not in ("", tight)
    show(panel, sample(3.0))
    assert panel.total.objectName() == "quiet" and not panel.pressure.isVisible()


@pytest.mark.parametrize("measured", [False, True])
@pytest.mark.parametrize(
    ("size_bytes", "verdict", "said", "colour"),
    [
        (4 * GB, "fits", "Loading needs 4.0 GB, 8.0 GB are free.", "accent"),
        (7 * GB, "tight", "Loading needs 7.0 GB, 8.0 GB are free.", "warning"),
        (30 * GB, "too large", "Loading would need 30.0 GB, 8.0 GB are free.", "warning"),
    ],
)
def test_what_is_to_be_loaded_is_hatched_where_it_will_lie(panel, measured, size_bytes, verdict, said, colour):
    panel.set_theme(LIGHT)
    if measured:
        show(panel, sample(available_bytes=8 * GB))
    panel.show_plan(estimate(size_bytes, verdict))
    QApplication.processEvents()
    assert panel.coming.isVisible() and panel.coming.text() == said
    assert panel.coming.objectName() == ("quiet" if verdict == "fits" else "warning")
    left, width = panel.bar.planned_px()
    assert left == pytest.approx(panel.bar.width() / 2, abs=8)
    assert width == pytest.approx(min(size_bytes / 16 / GB, 0.5) * panel.bar.width(), abs=8)
    image = panel.bar.grab().toImage()
    wanted = QColor(getattr(LIGHT, colour))
    painted = [
        x
        for x in range(int(left), image.width())
        if (seen := image.pixelColor(x, image.height() // 2)).name() != LIGHT.free
        and abs(seen.red() - wanted.red()) + abs(seen.blue() - wanted.blue()) < 40
    ]
    assert len(painted) > 4 and max(painted) == pytest.approx(left + width, abs=4)
    panel.show_plan(None)
    QApplication.processEvents()
    assert not panel.coming.isVisible() and panel.bar.grab().toImage() != image


def test_marks_stand_in_the_history_until_they_leave_it(panel):
    panel.mark(lambda: "too early", "eased")
    show(panel, sample(0.0), sample(10.0))
    panel.mark(lambda: "given back", "eased")
    panel.mark(lambda: "given back again", "eased")
    panel.mark(lambda: "stopped", "stopped")
    assert panel.line.said_of_marks() == ["given back", "stopped"], "the same at the same time is marked once"
    assert panel.line.tip_at(panel.line.width() - 1).startswith("given back")
    assert len(panel.line._marks.points()) == 2
    for point in panel.line._marks.points():
        assert point.pos().x() < 0 < point.pos().y(), "not cut by an edge"
    show(panel, sample(60.0))
    assert panel.line.tip_at(panel.line.width() * (1 - 50 / 120)) == "given back, 50 s before the newest sample"
    show(panel, sample(131.0))
    assert panel.line.said_of_marks() == [] and len(panel.line._marks.points()) == 0
    panel.mark(lambda: "unloaded", "unloaded")
    panel.clear()
    assert panel.line.said_of_marks() == []


def test_history_line_and_peak(panel):
    show(panel, *(sample(float(t), active_bytes=GB + t * MB) for t in range(60)))
    x, y = panel.line._line.getData()
    assert list(y) == [GB + t * MB for t in range(60)]
    assert x[0] == -59 and x[-1] == 0
    assert panel.line._peak.isVisible() and panel.line._peak.value() == int(1.72 * GB)
    assert "59 s" in panel.line.tip_at(panel.line.width() * (1 - 59 / 120))


def test_line_is_drawn_in_the_accent_colour(panel):
    show(panel, *(sample(float(t)) for t in range(100)))
    image = panel.line.grab().toImage()
    accent = QColor(LIGHT.accent)
    column = [image.pixelColor(image.width() // 2, y) for y in range(image.height())]
    assert any(abs(c.red() - accent.red()) + abs(c.blue() - accent.blue()) < 60 for c in column)


def test_numbers_are_spoken_at_most_once_a_second(panel, qtbot):
    show(panel, sample())
    qtbot.waitUntil(lambda: "5.1 of 16.0 GB" in panel.accessibleDescription())
    said = panel.accessibleDescription()
    assert "target 0.8 GB" in said and "drafter caches 86 MB" in said and "peak 1.72 GB" in said
    show(panel, sample(1.0, kv_bytes=3 * GB))
    assert panel.accessibleDescription() == said, "not at once"
    qtbot.waitUntil(lambda: "caches 3.0 GB" in panel.accessibleDescription())
    for widget in (panel, panel.bar, panel.line):
        assert QAccessible.queryAccessibleInterface(widget).text(QAccessible.Text.Name), widget


def test_samples_are_painted_together(panel, qtbot):
    panel.add_sample(sample())
    assert panel.total.text() == ""
    qtbot.waitUntil(lambda: panel.total.text() == "5.1 of 16.0 GB")


def test_narrow_card_puts_the_legend_in_one_column(panel):
    show(panel, sample())
    panel.resize(700, 300)
    wide = panel.legend.height()
    panel.resize(240, 400)
    QApplication.processEvents()
    assert panel.legend.height() == 2 * wide


def full(part_count: int, panel: MemoryPanel) -> bool:
    """Every name and size of the legend has room for its whole text."""
    metrics = QFontMetrics(small_font(panel.font()))
    return len(panel.legend._places()) == part_count and all(
        DOT_PX + GAP_PX + metrics.horizontalAdvance(name(part.kind) + size_text(part.size_bytes)) <= place.width()
        for part, place in zip(panel.legend.parts, panel.legend._places(), strict=True)
    )


def test_two_columns_where_the_texts_leave_room_for_them(panel):
    show(panel, sample(available_bytes=9 * GB))
    panel.resize(336, 260)
    QApplication.processEvents()
    assert panel.legend._columns() == 2 and full(8, panel)
    panel.resize(280, 300)
    QApplication.processEvents()
    assert full(8, panel)


@pytest.mark.parametrize("width", range(280, 421, 20))
@pytest.mark.parametrize("height", [220, 240, 260, 300, 400])
@pytest.mark.parametrize("pressure", ["normal", "critical"])
@pytest.mark.parametrize("loading", [False, True])
def test_nothing_overlaps_at_any_size(panel, width, height, pressure, loading):
    show(panel, sample(pressure=pressure))
    panel.show_plan(estimate(4 * GB) if loading else None)
    panel.setMinimumSize(width, height)
    panel.resize(width, height)
    QApplication.processEvents()
    assert (panel.width(), panel.height()) == (width, height)
    parts = [panel.title, panel.bar, panel.coming, panel.pressure, panel.legend, panel.since, panel.line]
    seen = [part.geometry() for part in parts if part.isVisible()]
    for above, below in pairwise(seen):
        assert above.bottom() < below.top(), (above, below)
    assert seen[-1].bottom() <= height
    assert panel.line.isVisible() == panel.since.isVisible()


def test_the_history_has_no_menu_and_does_not_move(panel, qtbot):
    show(panel, *(sample(float(t)) for t in range(60)))
    box = panel.line.getViewBox()
    before = box.viewRange()
    assert not box.menuEnabled() and box.state["mouseEnabled"] == [False, False]
    view = panel.line.viewport()
    qtbot.mousePress(view, Qt.MouseButton.LeftButton, pos=QPoint(20, 20))
    qtbot.mouseMove(view, QPoint(80, 30))
    qtbot.mouseRelease(view, Qt.MouseButton.LeftButton, pos=QPoint(80, 30))
    assert box.viewRange() == before
