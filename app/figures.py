"""How figures are written, on every page alike."""

from __future__ import annotations

from app.i18n import translate

NONE = "–"


def number(value: float | None, places: int) -> str:
    return NONE if value is None else f"{value:.{places}f}"


def seconds(value: float | None) -> str:
    return NONE if not value else translate("Wording", "{n} s").format(n=f"{value:.2f}")


def percent(value: float | None) -> str:
    return NONE if value is None else f"{value * 100:.0f} %"
