"""Every text of the style sheet can be read on its ground, in both appearances."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QColor

from app.style import mixed, sheet
from app.theme import DARK, LIGHT, Theme


def luminance(name: str) -> float:
    def linear(part: float) -> float:
        return part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4

    colour = QColor(name)
    return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) + 0.0722 * linear(colour.blueF())


def contrast(a: str, b: str) -> float:
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_contrast(theme: Theme) -> None:
    pairs = {
        "text on card": (theme.text, theme.card),
        "text on window": (theme.text, theme.window),
        "text on field": (theme.text, theme.field),
        "quiet on card": (theme.quiet, theme.card),
        "quiet on window": (theme.quiet, theme.window),
        "quiet on field": (theme.quiet, theme.field),
        "text on accepted": (theme.text, theme.accepted_tint),
        "text on selection": (theme.text, theme.selection),
        "on accent": (theme.on_accent, theme.accent),
        "link on card": (theme.accent, theme.card),
        "link on notice": (theme.accent, mixed(theme.warning, theme.card, 0.93)),
        "text on notice": (theme.text, mixed(theme.warning, theme.card, 0.93)),
        "text on difference": (theme.text, mixed(theme.warning, theme.card, 0.82)),
        "warning on window": (theme.warning, theme.window),
        "text on banner": (theme.text, mixed(theme.accent, theme.window, 0.88)),
    }
    low = {name: round(contrast(*pair), 2) for name, pair in pairs.items() if contrast(*pair) < 4.5}
    assert not low


def test_lines_are_seen_on_the_card() -> None:
    for theme in (LIGHT, DARK):
        assert min(contrast(theme.correction, theme.card), contrast(theme.bonus, theme.card)) >= 3.0


def test_mixing() -> None:
    assert mixed("#000000", "#ffffff", 0.0) == "#000000"
    assert mixed("#000000", "#ffffff", 1.0) == "#ffffff"


def test_the_sheet_names_no_font_and_changes_with_the_theme() -> None:
    assert "font-family" not in sheet(LIGHT, 13)
    assert sheet(LIGHT, 13) != sheet(DARK, 13) != sheet(DARK, 15)
