"""Where columns lie. The grid, its footer and its hit tests share one ``Columns``, so they can't drift apart."""

from __future__ import annotations

from dataclasses import dataclass

LABEL_GAP_PX = 8
CELL_GAP_PX = 2
WIDEST_COLUMN_PX = 48
NARROWEST_COLUMN_PX = 7


@dataclass(frozen=True, slots=True)
class Columns:
    count: int
    left_px: int
    """Right edge of the labels' column, gap included."""
    pitch_px: float

    def x_px(self, position: int) -> float:
        return self.left_px + (position - 1) * self.pitch_px

    def cell_px(self) -> float:
        return self.pitch_px - CELL_GAP_PX

    def position_at(self, x_px: float) -> int | None:
        """Position under a point; None left of the cells or right of them."""
        if x_px < self.left_px or self.count == 0:
            return None
        position = int((x_px - self.left_px) // self.pitch_px) + 1
        return position if position <= self.count else None


def fit_columns(count: int, width_px: int, label_px: int) -> Columns:
    """Share ``width_px`` out: whole pixels where the cells are wide enough to spare the remainder."""
    left = label_px + LABEL_GAP_PX
    if count == 0:
        return Columns(0, left, float(WIDEST_COLUMN_PX))
    pitch = max(float(NARROWEST_COLUMN_PX), min(float(WIDEST_COLUMN_PX), (width_px - left) / count))
    return Columns(count, left, float(int(pitch)) if pitch >= 16 else pitch)


def labels_every(pitch_px: float, text_px: int) -> int:
    """Every how many columns a text of this width fits beneath them."""
    every = 1
    while every * pitch_px < text_px + 4:
        every += 1
    return every
