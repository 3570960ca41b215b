"""The bar at the top keeps the names of the pages whole at every text size and in both languages."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication

from app.chat.wording import target_title
from app.pages import KEYS
from app.style import TEXT_SIZES
from tests.app.conftest import OpenWindow

LONG = "/models/mlx-community--Qwen3.8-27B-Instruct-with-a-long-name-4bit"


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_no_page_name_is_clipped_at_the_least_width(open_window: OpenWindow, language: str) -> None:
    window = open_window(begin=False)
    window.resize(960, 600)
    window.language.set(language)
    header = window.header
    header.set_target(LONG, [])
    for size_px in (TEXT_SIZES[0], 13, TEXT_SIZES[-1]):
        window.appearance.set_size(size_px)
        for key in ("lab", "traces"):
            header.set_busy(key)
            header.set_page(key)
            QApplication.processEvents()
            assert header.width() == window.width() == 960
            for button in (*header.pages.values(), header.target, header.export, header.run):
                assert button.width() >= button.sizeHint().width(), (size_px, key, button.text())
    assert "…" in header.target.text()
    assert target_title(LONG) in header.target.accessibleName() and target_title(LONG) in header.target.toolTip()


def test_the_keys_beside_run_come_back_with_the_room(open_window: OpenWindow) -> None:
    window = open_window(begin=False)
    header = window.header
    window.appearance.set_size(19)
    window.resize(960, 600)
    QApplication.processEvents()
    assert header.run.text() == "Run" and header.target.text() == target_title("embedded")
    assert set(header.pages) == set(KEYS)
    window.resize(1280, 800)
    QApplication.processEvents()
    assert header.run.text().startswith("Run   ")
