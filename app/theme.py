"""Colours, sizes and fonts of the window, for light and dark appearance.

Views ask a ``Theme`` and never name a colour or a font themselves. Categories use the Okabe-Ito set, amounts use
viridis, so that both survive colour blindness; every text colour keeps 4.5:1 against what lies under it in both
appearances.
"""

from __future__ import annotations

from dataclasses import dataclass

GRID_PX = 8


@dataclass(frozen=True, slots=True)
class Theme:
    """One appearance. Colours are ``#rrggbb``."""

    name: str
    window: str
    card: str
    """Ground of panes and panels."""
    border: str
    field: str
    text: str
    quiet: str
    """Labels and units."""
    accent: str
    on_accent: str
    accepted_tint: str
    """Ground under accepted tokens."""
    correction: str
    bonus: str
    never_reached: str
    not_drafted: str
    selection: str
    warning: str
    target: str
    drafter: str
    caches: str
    drafter_state: str
    engine: str
    """What the engine holds besides the named parts."""
    allocator: str
    others: str
    free: str

    @property
    def is_dark(self) -> bool:
        return self.name == "dark"


LIGHT = Theme(
    name="light",
    window="#f3f3f5",
    card="#ffffff",
    border="#d9d9de",
    field="#f4f4f6",
    text="#1c1c1e",
    quiet="#636369",
    accent="#0a62d8",
    on_accent="#ffffff",
    accepted_tint="#cdeee3",
    correction="#b84a00",
    bonus="#0060a8",
    never_reached="#e4e4e9",
    not_drafted="#ffffff",
    selection="#ffd866",
    warning="#a33c00",
    target="#0072b2",
    drafter="#009e73",
    caches="#e69f00",
    drafter_state="#56b4e9",
    engine="#3a3a3c",
    allocator="#cc79a7",
    others="#8e8e93",
    free="#e4e4e9",
)

DARK = Theme(
    name="dark",
    window="#1d1d1f",
    card="#2a2a2c",
    border="#3f3f43",
    field="#1f1f21",
    text="#f2f2f4",
    quiet="#a6a6ad",
    accent="#4aa3ff",
    on_accent="#06192e",
    accepted_tint="#1f4c3f",
    correction="#ff9a52",
    bonus="#6cb8ff",
    never_reached="#3d3d42",
    not_drafted="#2a2a2c",
    selection="#806515",
    warning="#ffab66",
    target="#3a9bdc",
    drafter="#2fbf93",
    caches="#f0b429",
    drafter_state="#8fd0f7",
    engine="#d6d6dc",
    allocator="#dd92bb",
    others="#8e8e93",
    free="#3d3d42",
)
