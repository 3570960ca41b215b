"""Taps of both parts of a data set, wherever they come from: this run's directory, the data set's own, a forward."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.drafters.layout import Layout
from engine.target import Target
from engine.train.conversations import count
from engine.train.dataset import Dataset
from engine.train.left_taps import carry_over, kept, room_bytes
from engine.train.taps import CachedTaps, RecomputedTaps, Taps, fill_taps, open_taps, ready_before, tap_bytes

if TYPE_CHECKING:
    from engine.train.drafter import Wish
    from engine.train.report import Reporter


def ready_taps(wish: Wish, data: Dataset, layout: Layout, target: Target, report: Reporter) -> tuple[Taps, Taps] | None:
    """Taps of both parts, computed where none were kept as the text was written; None where stopped."""
    width = layout.tap_size or layout.hidden_size
    written = text_of(data, target)
    # Text that is this run's own needs its kept taps nowhere else.
    move = written is not None and wish.work.absolute() in written.absolute().parents
    parts = {"train": data.train, "held": data.held}
    room = room_bytes(written) if move and written else 0
    taps: dict[str, Taps] = {}
    for part, c in parts.items():
        need = tap_bytes(c, layout.taps, width)
        if need > wish.taps_gb * 1e9:
            taps[part] = RecomputedTaps(layout.taps, target, c)
            continue
        cache = open_taps(
            wish.taps or wish.work / "taps", part, c, layout.taps, width, target.facts.name, anew=wish.taps is None,
            room_bytes=room,
        )  # fmt: skip
        # What one part will still take up is not free for the other: its file is there, but not yet filled.
        room -= int(need * (1 - cache.done.mean())) if len(cache.done) else 0
        taps[part] = cache
    caches = {part: cache for part, cache in taps.items() if isinstance(cache, CachedTaps)}
    if written is not None:
        together = [(cache, parts[part]) for part, cache in caches.items()]
        carry_over(written, together, move=move, cancelled=report.cancelled)
    for part, cache in caches.items():

        def tell_taps(done: int, total: int, _: float, part: str = part) -> None:
            report.progress("taps", done, total, "tokens", part)

        if not fill_taps(cache, target, parts[part], cancelled=report.cancelled, on_progress=tell_taps):
            return None
    return taps["train"], taps["held"]


def text_of(data: Dataset, target: Target) -> Path | None:
    """Where taps may have been kept: none of another target are taken, though its text may be."""
    return data.path if data.manifest.get("target", {}).get("name") == target.facts.name else None


def there_already(wish: Wish, part: str, data: Dataset, layout: Layout, target: Target) -> NDArray[np.bool_]:
    """[conversations of the part], whose taps need no forward."""
    c = data.train if part == "train" else data.held
    width = layout.tap_size or layout.hidden_size
    there = ready_before(wish.work / "taps", part, c, layout.taps, target.facts.name)
    if tap_bytes(c, layout.taps, width) > wish.taps_gb * 1e9:
        return np.zeros(count(c), np.bool_)
    written = text_of(data, target)
    return there if written is None else there | kept(written, layout.taps, width, c)
