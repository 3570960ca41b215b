"""How long the heatmap takes to take in and to paint rounds: ``python -m tests.bench.heatmap [ROUNDS]``.

Prints the median and the 95th percentile of a refresh with one new round, and of painting the panel at scroll positions
spread over all rounds.
"""

from __future__ import annotations

import os
import sys
import time

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from app.heatmap.panel import HeatmapPanel
from tests.app.heatmap.rounds import make_round, many_rounds

FRAMES = 200


def percentiles(seconds: list[float]) -> str:
    ordered = sorted(seconds)
    p50, p95 = (ordered[int(len(ordered) * share)] * 1000 for share in (0.5, 0.95))
    return f"p50 {p50:.2f} ms  p95 {p95:.2f} ms"


def measure(count: int) -> None:
    panel = HeatmapPanel()
    panel.resize(350, 420)
    panel.set_arm("E", 7, "E · block 8")
    panel.show()
    start = time.perf_counter()
    panel.add_rounds(many_rounds(count))
    panel.refresh()
    print(f"add {count:,} rounds  {(time.perf_counter() - start) * 1000:.1f} ms")
    image = QImage(panel.size() * 2, QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(2)
    appended, painted, scrolled = [], [], []
    bar = panel.grid.verticalScrollBar()
    for frame in range(FRAMES):
        start = time.perf_counter()
        panel.add_rounds([make_round(count + frame, frame % 8)])
        panel.refresh()
        appended.append(time.perf_counter() - start)
        start = time.perf_counter()
        panel.render(image)
        painted.append(time.perf_counter() - start)
    for frame in range(FRAMES):
        start = time.perf_counter()
        bar.setValue(bar.maximum() * frame // FRAMES)
        panel.render(image)
        scrolled.append(time.perf_counter() - start)
    print(f"append and refresh      {percentiles(appended)}")
    print(f"paint, following        {percentiles(painted)}")
    print(f"scroll and paint        {percentiles(scrolled)}")
    panel.close()


if __name__ == "__main__":
    application = QApplication([])
    measure(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
