from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QAccessible, QColor, QGuiApplication, QWheelEvent
from PySide6.QtWidgets import QAbstractSlider, QApplication, QToolButton

from app.heatmap.colours import amount_colour
from app.heatmap.panel import HeatmapPanel
from app.theme import DARK, LIGHT
from tests.app.heatmap.rounds import make_round, many_rounds


@pytest.fixture
def panel(qtbot):
    panel = HeatmapPanel()
    qtbot.addWidget(panel)
    panel.resize(350, 420)
    panel.set_arm("E", 7, "E · block 8")
    panel.show()
    qtbot.waitExposed(panel)
    return panel


def fill(panel: HeatmapPanel, rounds) -> None:
    panel.add_rounds(rounds)
    panel.refresh()
    QApplication.processEvents()


def pixel(panel: HeatmapPanel, row: int, position: int, dx: float = 0.5, dy: float = 0.5) -> QColor:
    """Colour inside a cell, at a share of its width and height."""
    rect = panel.grid.cell_rect(row, position)
    image = panel.grab().toImage()
    point = panel.grid.viewport().mapTo(
        panel, QPoint(round(rect.left() + dx * rect.width()), round(rect.top() + dy * rect.height()))
    )
    ratio = image.devicePixelRatio()
    return image.pixelColor(round(point.x() * ratio), round(point.y() * ratio))


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_each_outcome_looks_its_own(panel, theme):
    panel.set_theme(theme)
    fill(panel, [make_round(0, 0, 0), make_round(1, 2, 5, p=0.9), make_round(2, 3, p=0.2)])
    assert pixel(panel, 1, 1) == amount_colour(theme, 0.9)
    assert pixel(panel, 2, 1) == amount_colour(theme, 0.2)
    assert pixel(panel, 1, 3, 0.25, 0.5) == QColor(theme.card), "a rejected cell is hollow"
    assert pixel(panel, 1, 3, 0.5, 0.5) != QColor(theme.card), "and crossed"
    assert pixel(panel, 1, 4) == QColor(theme.never_reached)
    assert pixel(panel, 1, 6) == QColor(theme.card), "not drafted is blank"
    assert pixel(panel, 0, 1) == QColor(theme.card)


def test_cut_drafts_look_never_reached(panel):
    fill(panel, [make_round(0, 5, emitted=2)])
    assert pixel(panel, 0, 2) == amount_colour(LIGHT, 0.9)
    assert pixel(panel, 0, 3) == QColor(LIGHT.never_reached)
    assert pixel(panel, 0, 6) == QColor(LIGHT.never_reached)


def test_more_p_stands_out_more():
    def contrast(theme, p):
        def luminance(colour):
            parts = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in colour.getRgbF()[:3]]
            return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

        low, high = sorted((luminance(amount_colour(theme, p)), luminance(QColor(theme.card))))
        return (high + 0.05) / (low + 0.05)

    for theme in (LIGHT, DARK):
        contrasts = [contrast(theme, p / 10) for p in range(11)]
        assert contrasts == sorted(contrasts)
        assert contrasts[0] > 1.5 and contrasts[-1] > 4.5


def test_hover_text_of_cell_and_label(panel):
    fill(panel, [make_round(0, 0, 0), make_round(1, 2)])
    tip = panel.grid.tip_at(panel.grid.cell_rect(1, 3).center().toPoint())
    assert "rejected" in tip and "␣d3" in tip and "look-up" in tip
    assert "2 of 7 drafts accepted" in panel.grid.tip_at(QPoint(4, panel.grid.row_px + 4))
    assert panel.grid.tip_at(QPoint(100, 5 * panel.grid.row_px)) == ""


def test_follows_until_the_user_scrolls_and_resumes_with_end(panel, qtbot):
    fill(panel, many_rounds(200))
    bar = panel.grid.verticalScrollBar()
    assert panel.following and bar.value() == bar.maximum() > 0
    bar.setValue(100)
    assert not panel.following and "newest" in panel.follow_button.text()
    fill(panel, [make_round(200, 1)])
    assert bar.value() == 100, "new rounds don't move what the user looks at"
    qtbot.keyClick(panel.grid, Qt.Key.Key_End)
    assert panel.following and bar.value() == bar.maximum()
    fill(panel, [make_round(201, 1)])
    assert bar.value() == bar.maximum() and panel.grid.visible_rows()[-1] == 201


def test_scrolling_back_to_the_end_resumes_following(panel):
    fill(panel, many_rounds(200))
    bar = panel.grid.verticalScrollBar()
    bar.setValue(0)
    bar.setValue(bar.maximum())
    assert panel.following


def test_follow_button(panel, qtbot):
    fill(panel, many_rounds(200))
    qtbot.mouseClick(panel.follow_button, Qt.MouseButton.LeftButton)
    assert not panel.following
    panel.grid.verticalScrollBar().setValue(0)
    qtbot.mouseClick(panel.follow_button, Qt.MouseButton.LeftButton)
    assert panel.following and panel.grid.verticalScrollBar().value() == panel.grid.verticalScrollBar().maximum()


def test_keyboard_moves_the_cursor(panel, qtbot):
    fill(panel, many_rounds(50))
    seen: list[tuple[int, int]] = []
    panel.selectionChanged.connect(lambda index, position: seen.append((index, position)))
    keys = [Qt.Key.Key_Up, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Left, Qt.Key.Key_Left, Qt.Key.Key_Home]
    for key in keys:
        qtbot.keyClick(panel.grid, key)
    assert seen == [(49, 1), (49, 2), (48, 2), (48, 1), (0, 1)]
    assert panel.grid.visible_rows()[0] == 0 and not panel.following
    with qtbot.waitSignal(panel.cellActivated) as activated:
        qtbot.keyClick(panel.grid, Qt.Key.Key_Return)
    assert activated.args == [0, 1]
    qtbot.keyClick(panel.grid, Qt.Key.Key_Escape)
    assert seen[-1] == (-1, 0) and panel.current_round() is None


def test_mouse_selects_and_double_click_activates(panel, qtbot):
    fill(panel, many_rounds(5))
    where = panel.grid.cell_rect(3, 2).center().toPoint()
    with qtbot.waitSignal(panel.selectionChanged) as selected:
        qtbot.mouseClick(panel.grid.viewport(), Qt.MouseButton.LeftButton, pos=where)
    assert selected.args == [3, 2]
    with qtbot.waitSignal(panel.cellActivated) as activated:
        qtbot.mouseDClick(panel.grid.viewport(), Qt.MouseButton.LeftButton, pos=where)
    assert activated.args == [3, 2]


def test_select_scrolls_only_when_it_must(panel, qtbot):
    fill(panel, many_rounds(300))
    panel.select(299, 1)
    assert panel.following
    with qtbot.waitSignal(panel.selectionChanged) as selected:
        panel.select(10, None)
    assert selected.args == [10, 0]
    assert 10 in panel.grid.visible_rows() and not panel.following
    with qtbot.assertNotEmitted(panel.selectionChanged):
        panel.select(10, None)
    panel.select(5000, 1)
    assert panel.current_round() is None


def test_select_finds_rounds_of_the_newest_turn_or_the_turn_named(panel):
    fill(panel, [make_round(0, 1), make_round(1, 2), make_round(0, 3, turn=2)])
    panel.select(0, 1)
    assert panel.current_round().turn == 2
    panel.select(0, 1, turn=1)
    assert panel.current_round().turn == 1
    panel.select(1, 1)
    assert panel.current_round().turn == 1, "no other turn has such a round"


def test_arms_switch(panel, qtbot):
    fill(panel, many_rounds(5))
    assert not panel.switch.isVisible()
    panel.set_arm("baseline", 0, "")
    assert not panel.switch.isVisible(), "an arm without drafts is no choice"
    panel.set_arm("lookup", 4, "look-up")
    assert panel.switch.isVisible() and panel.shown_arm == "E"
    fill(panel, [make_round(0, 1, 4, arm="lookup"), make_round(0, 0, 0, arm="baseline")])
    panel.show_arm("lookup")
    assert panel.shown_arm == "lookup" and panel.model.rowCount() == 1 and panel.scheme.toolTip() == "look-up"
    panel.clear()
    assert panel.shown_arm == "" and panel.model.rowCount() == 0
    panel.set_arm("E", 7, "")
    panel.set_arm("lookup", 4, "")
    assert panel.shown_arm == "lookup", "the user's choice outlives a new prompt"


def test_empty_states_teach(qtbot):
    panel = HeatmapPanel()
    qtbot.addWidget(panel)
    panel.show()
    assert panel.empty.isVisible() and "becomes a row" in panel.empty.text()
    panel.set_arm("baseline", 0, "")
    assert "no drafter" in panel.empty.text()
    panel.add_rounds([make_round(0, 0, 0, arm="baseline", requested=0)])
    panel.refresh()
    assert panel.empty.isVisible()
    panel.set_arm("E", 7, "")
    fill(panel, [make_round(0, 1)])
    assert not panel.empty.isVisible() and panel.grid.isVisible()


def test_footer_and_summary(panel):
    fill(panel, [make_round(index, 2 if index < 30 else 0) for index in range(40)])
    assert "of 40 drafts" in panel.footer.tip_at(panel.grid.columns.x_px(1) + 2)
    assert "30 were accepted (.75)" in panel.footer.tip_at(panel.grid.columns.x_px(1) + 2)
    assert "no draft" in panel.footer.tip_at(panel.grid.columns.x_px(4) + 2)
    assert panel.summary.text() == "40 rounds · 1.50 of 7.0 drafts accepted a round"


def test_few_rounds_are_called_rough(panel):
    fill(panel, [make_round(index, 1) for index in range(5)])
    assert "rough" in panel.footer.tip_at(panel.grid.columns.x_px(1) + 2)


def test_overview_goes_where_it_is_pressed(panel, qtbot):
    fill(panel, many_rounds(2000))
    height = panel.overview.height()
    qtbot.mouseClick(panel.overview, Qt.MouseButton.LeftButton, pos=QPoint(6, height // 2))
    assert 1000 in panel.grid.visible_rows() and not panel.following


def test_accessible_names_and_descriptions(panel, qtbot):
    fill(panel, many_rounds(30))
    interface = QAccessible.queryAccessibleInterface(panel.grid)
    assert interface.text(QAccessible.Text.Name) == "Acceptance heatmap"
    panel.select(3, 1)
    assert interface.text(QAccessible.Text.Description).startswith("Round 3, Position 1")
    for widget in (panel, panel.table, panel.table_button, panel.follow_button, panel.overview):
        assert QAccessible.queryAccessibleInterface(widget).text(QAccessible.Text.Name), widget
    qtbot.waitUntil(lambda: "30 rounds" in panel.accessibleDescription())


def test_theme_switch_recolours(panel):
    fill(panel, [make_round(0, 0)])
    light = panel.grab().toImage().pixelColor(8, 60)
    panel.set_theme(DARK)
    dark = panel.grab().toImage().pixelColor(8, 60)
    assert light == QColor(LIGHT.card) and dark == QColor(DARK.card)


def test_ten_thousand_rounds(panel):
    fill(panel, many_rounds(10_000))
    assert panel.model.rowCount() == 10_000
    assert panel.grid.visible_rows()[-1] == 9_999
    assert len(panel.grid.visible_rows()) < 40
    assert not panel.grab().isNull()


def test_rounds_come_in_batches_and_are_painted_later(panel, qtbot):
    panel.add_rounds(many_rounds(10))
    assert panel.model.rowCount() == 0
    qtbot.waitUntil(lambda: panel.model.rowCount() == 10)


def test_a_wider_block_than_announced_gets_its_columns(panel):
    fill(panel, [make_round(0, 9, 9)])
    assert panel.grid.columns.count == 9 and panel.model.position_of(12) == 9


def test_table_holds_the_rounds(panel, qtbot):
    rounds = many_rounds(20)
    fill(panel, rounds)
    qtbot.mouseClick(panel.table_button, Qt.MouseButton.LeftButton)
    assert panel.table.isVisible() and not panel.grid.isVisible()
    model = panel.model
    assert model.headers()[:5] == ["round", "width", "accepted", "emitted", "p 1"]
    assert len(model.headers()) == model.columnCount()
    for row, round_ in enumerate(rounds):
        values = [model.value(row, column) for column in range(model.columnCount())]
        assert values[:4] == [str(round_.index), str(round_.width), str(round_.accepted), str(round_.emitted_tokens)]
        assert values[4:11] == [f"{p:.4f}" for p in round_.draft_p] + [""] * (7 - round_.width)
        assert values[11:16] == ["4.00", "20.00", "1.00", "0.50", "0.10"]
        assert values[-1] == "1"


def test_table_marks_outcomes_without_colour(panel):
    fill(panel, [make_round(0, 1, 4)])
    shown = [panel.model.data(panel.model.index(0, 4 + k)) for k in range(7)]
    assert shown == ["0.90 ✓", "0.12 ×", "(0.12)", "(0.12)", "", "", ""]
    spoken = panel.model.data(panel.model.index(0, 5), Qt.ItemDataRole.AccessibleTextRole)
    assert "Position 2" in spoken and "rejected" in spoken


def test_table_copies_tab_separated_text(panel, qtbot):
    fill(panel, [make_round(7, 1), make_round(8, 2)])
    qtbot.mouseClick(panel.table_button, Qt.MouseButton.LeftButton)
    panel.table.selectAll()
    qtbot.keyClick(panel.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    lines = QGuiApplication.clipboard().text().splitlines()
    assert lines[0].split("\t") == panel.model.headers()
    assert lines[1].split("\t")[:5] == ["7", "7", "1", "2", "0.9000"]
    assert len(lines) == 3


def test_table_and_grid_share_the_selection(panel, qtbot):
    fill(panel, many_rounds(100))
    panel.select(40, 3)
    qtbot.mouseClick(panel.table_button, Qt.MouseButton.LeftButton)
    assert panel.table.currentIndex().row() == 40
    with qtbot.waitSignal(panel.selectionChanged) as selected:
        panel.table.setCurrentIndex(panel.model.index(41, 5))
    assert selected.args == [41, 2]


def test_opening_the_table_keeps_selection_and_following(panel, qtbot):
    fill(panel, many_rounds(100))
    panel.activateWindow()
    panel.grid.setFocus()
    panel.select(95, 2)
    with qtbot.assertNotEmitted(panel.selectionChanged):
        panel.table_button.toggle()
        panel.table.setFocus()
        panel.table_button.toggle()
    assert panel.following and panel.grid.cursor_cell == (95, 2)
    panel.select(None)
    with qtbot.assertNotEmitted(panel.selectionChanged):
        panel.table_button.toggle()
        panel.table.setFocus()
    assert panel.following and panel.grid.cursor_cell is None and panel.table.currentIndex().row() == 99


def test_scrolling_the_table_stops_following(panel, qtbot):
    fill(panel, many_rounds(200))
    panel.table_button.toggle()
    QApplication.processEvents()
    bar = panel.table.verticalScrollBar()
    assert panel.following and bar.value() == bar.maximum() > 0
    bar.triggerAction(QAbstractSlider.SliderAction.SliderPageStepSub)
    assert not panel.following
    before = bar.value()
    fill(panel, [make_round(200, 1)])
    assert bar.value() == before
    bar.triggerAction(QAbstractSlider.SliderAction.SliderToMaximum)
    assert panel.following
    fill(panel, [make_round(201, 1)])
    assert bar.value() == bar.maximum()


def test_wheel_over_the_overview_scrolls_the_grid(panel):
    fill(panel, many_rounds(200))
    where = QPointF(5, 20)
    turn = QWheelEvent(
        where,
        panel.overview.mapToGlobal(where),
        QPoint(),
        QPoint(0, 120),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(panel.overview, turn)
    assert not panel.following


@pytest.mark.parametrize("height", range(300, 330, 5))
def test_no_row_is_cut_at_an_edge(panel, height):
    panel.resize(350, height)
    fill(panel, many_rounds(200))
    rows = panel.grid.visible_rows()
    for row in (rows[0], rows[-1]):
        rect = panel.grid.cell_rect(row, 1)
        assert rect.top() >= 0 and rect.bottom() <= panel.grid.viewport().height()
    panel.grid.verticalScrollBar().setValue(panel.grid.row_px * 10 + 5)
    assert panel.grid.cell_rect(panel.grid.visible_rows()[0], 1).top() >= 0


def test_the_switch_shows_titles(panel):
    panel.set_arm("E", 7, "E", "Speculative")
    panel.set_arm("lookup", 4, "look-up", "Speculative 2")
    texts = [button.text() for button in panel.switch.findChildren(QToolButton) if not button.isHidden()]
    assert texts == ["Speculative", "Speculative 2"]


def test_the_legend_is_one_line_where_it_fits_and_can_be_hidden(panel):
    fill(panel, many_rounds(5))
    panel.resize(336, 420)
    QApplication.processEvents()
    assert len(panel.legend.rows()) == 1 and panel.legend.height() < 24
    panel.resize(700, 420)
    QApplication.processEvents()
    assert [len(row) for row in panel.legend.rows()] == [4]
    panel.show_legend(False)
    assert not panel.legend.isVisible()
    panel.show_legend(True)
    assert panel.legend.isVisible()


def test_a_row_without_drafts_says_why(panel):
    fill(panel, [make_round(0, 0, 0, reason="no match"), make_round(1, 0, 0)])
    image = panel.grid.viewport().grab().toImage()

    def inked(row: int) -> bool:
        top = panel.grid.row_px * row
        left = round(panel.grid.columns.x_px(1))
        places = ((x, y) for x in range(left, left + 80) for y in range(top, top + panel.grid.row_px))
        return len({image.pixelColor(x, y).name() for x, y in places}) > 1

    assert inked(0) and not inked(1)
