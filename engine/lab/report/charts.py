"""Pictures of the lab's report as inline SVG: intervals in rows, curves with whiskers, factors that multiply.

Drawn with the pieces of ``engine.trace.export.charts`` and the colours of the exported page, so that light, dark and
paper are right. Every picture stands beside a table or a sentence with the same figures: none is the only place of one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from msgspec import Struct

from engine.lab.report.facts import NOTHING, Figure
from engine.trace.export.charts import nice_ceiling, path, rectangle, short, svg, text

WIDTH = 500
ROW_PX = 24
LINES = 4
"""Kinds of line that the stylesheet knows."""


class Row(Struct, frozen=True, kw_only=True):
    label: str
    figure: Figure = NOTHING
    note: str = ""
    heading: bool = False


class Series(Struct, frozen=True, kw_only=True):
    name: str
    points: tuple[tuple[float, Figure], ...]


def rows(listed: Sequence[Row], label: str, reference: float | None = 1.0, unit: str = "×") -> str:
    """One interval a row, with a line at ``reference``; values left of it are losses."""
    drawn = [row.figure for row in listed if row.figure.value is not None]
    if not drawn:
        return ""
    ends = [end for f in drawn for end in (f.low, f.high, f.value) if end is not None]
    low = min([*ends, *([reference] if reference is not None else [])])
    high = max([*ends, *([reference] if reference is not None else [])])
    low, high = padded(low, high)
    left, right, top = 150.0, 128.0, 22.0
    span = WIDTH - left - right
    bottom = top + len(listed) * ROW_PX

    def x(value: float) -> float:
        return left + (value - low) / (high - low) * span

    body = [path("axis", [f"M{x(tick):.1f} {top:g}V{bottom:g}" for tick in ticks(low, high)])]
    body += [text(x(tick), top - 8, f"{tick:g}{unit}") for tick in ticks(low, high)]
    if reference is not None:
        body.append(path("reference", [f"M{x(reference):.1f} {top - 4:g}V{bottom:g}"]))
    for number, row in enumerate(listed):
        y = top + number * ROW_PX + ROW_PX / 2
        if row.heading:
            body.append(text(0, y + 4, row.label, "start", strong=True))
            continue
        body.append(text(left - 12, y + 4, fitted(row.label, 22), "end"))
        figure = row.figure
        if figure.value is None:
            body.append(text(left, y + 4, row.note, "start"))
            continue
        kind = side(figure, reference)
        if figure.low is not None and figure.high is not None:
            body.append(path(f"range {kind}", [f"M{x(figure.low):.1f} {y:g}H{x(figure.high):.1f}"]))
        body.append(f'<circle class="dot {kind}" cx="{x(figure.value):.1f}" cy="{y:g}" r="4.5"/>')
        body.append(text(WIDTH - right + 14, y + 4, said(figure, unit), "start", strong=True))
    return svg(WIDTH, bottom + 6, "".join(body), label, fit=True)


def side(figure: Figure, reference: float | None) -> str:
    if reference is None or figure.low is None or figure.high is None:
        return "unclear"
    return "above" if figure.low > reference else "below" if figure.high < reference else "unclear"


def said(figure: Figure, unit: str) -> str:
    value = f"{figure.value:.2f}{unit}"
    if figure.low is None or figure.high is None:
        return value
    return f"{value}  {figure.low:.2f}–{figure.high:.2f}"


def curves(
    series: Sequence[Series], label: str, x_name: str, y_name: str, reference: float | None = None,
    mark: float | None = None, mark_name: str = "", most: float | None = None, spread: bool = False,
) -> str:  # fmt: skip
    """Curves over values that stand in equal steps (``spread``) or at their place; ``mark`` is a vertical line."""
    listed = [(s.name, [(x, f) for x, f in s.points if f.value is not None]) for s in series]
    listed = [(name, points) for name, points in listed if points]
    if not listed:
        return ""
    values = sorted({x for _, points in listed for x, _ in points} | ({mark} if mark is not None else set()))
    tops = [f.high if f.high is not None else f.value for _, points in listed for _, f in points]
    highest = most or nice_ceiling(max([*(top for top in tops if top is not None), reference or 0.0]))
    left, right, top, height = 44.0, 92.0, 24.0, 170.0
    base, span = top + height, WIDTH - left - right

    def x(value: float) -> float:
        if len(values) == 1:
            return left + span / 2
        if spread:
            return left + values.index(value) / (len(values) - 1) * span
        return left + (value - values[0]) / (values[-1] - values[0]) * span

    def y(value: float) -> float:
        return base - min(value, highest) / highest * height

    body = [path("axis", [f"M{left:g} {y(highest * part):.1f}H{left + span:.1f}" for part in (0, 0.25, 0.5, 0.75, 1)])]
    body += [text(left - 6, y(highest * part) + 4, short(highest * part), "end") for part in (0, 0.5, 1)]
    body += [text(x(value), base + 17, f"{value:g}") for value in sparse(values)]
    body.append(text(left + span / 2, base + 36, x_name))
    body.append(text(0, top - 10, y_name, "start"))
    if reference is not None:
        body.append(path("reference", [f"M{left:g} {y(reference):.1f}H{left + span:.1f}"]))
    if mark is not None:
        body.append(path("knee", [f"M{x(mark):.1f} {top:g}V{base:g}"]))
        body.append(text(x(mark), top - 10, mark_name, strong=True))
    labels: list[float] = []
    for number, (name, points) in enumerate(listed):
        kind = f"line{(number + 1) % LINES}"
        shift = (number - (len(listed) - 1) / 2) * 3
        whiskers = [
            f"M{x(v) + shift:.1f} {y(f.low):.1f}V{y(f.high):.1f}"
            for v, f in points
            if f.low is not None and f.high is not None
        ]
        body.append(path(f"thin {kind}", whiskers))
        drawn = [(x(v) + shift, y(f.value)) for v, f in points if f.value is not None]
        body.append(f'<path class="line {kind}" d="M{"L".join(f"{a:.1f} {b:.1f}" for a, b in drawn)}"/>')
        body += [f'<circle class="point {kind}" cx="{a:.1f}" cy="{b:.1f}" r="3.5"/>' for a, b in drawn]
        at = drawn[-1][1] + 4
        while any(abs(at - other) < 13 for other in labels):
            at -= 13
        labels.append(at)
        body.append(f'<g class="name {kind}">{text(left + span + 10, at, fitted(name, 13), "start", strong=True)}</g>')
    return svg(WIDTH, base + 44, "".join(body), label, fit=True)


def factors(parts: Sequence[tuple[str, Figure]], label: str) -> str:
    """Factors of a product as bars from 1, on a scale where a halving is as long as a doubling."""
    drawn = [(name, f) for name, f in parts if f.value is not None and f.value > 0]
    if not drawn:
        return ""
    ends = [end for _, f in drawn for end in (f.value, f.low, f.high) if end is not None and end > 0]
    reach = max(0.05, *(abs(math.log(end)) for end in ends)) * 1.1
    left, right, top = 120.0, 128.0, 20.0
    span = WIDTH - left - right
    bottom = top + len(drawn) * 28

    def x(value: float) -> float:
        return left + (math.log(value) + reach) / (2 * reach) * span

    marks = [m for m in (0.1, 0.2, 0.25, 0.5, 0.8, 0.9, 1, 1.1, 1.25, 2, 4, 5, 10) if abs(math.log(m)) <= reach]
    marks = [m for m in marks if m == 1 or abs(math.log(m)) > reach * 0.25]
    body = [path("axis", [f"M{x(m):.1f} {top:g}V{bottom:g}" for m in marks])]
    body += [text(x(m), top - 7, f"×{m:g}") for m in marks]
    body.append(path("reference", [f"M{x(1):.1f} {top:g}V{bottom:g}"]))
    for number, (name, figure) in enumerate(drawn):
        assert figure.value is not None
        y = top + number * 28 + 5
        a, b = sorted((x(1), x(figure.value)))
        kind = "gains" if figure.value >= 1 else "costs"
        body.append(text(left - 12, y + 13, fitted(name, 18), "end"))
        body.append(path(kind, [rectangle(round(a, 1), y, round(max(1.0, b - a), 1), 18)]))
        if figure.low is not None and figure.high is not None and figure.low > 0:
            body.append(path("whisker", [f"M{x(figure.low):.1f} {y + 9:g}H{x(figure.high):.1f}"]))
        body.append(text(WIDTH - right + 14, y + 13, said(figure, "×"), "start", strong=True))
    return svg(WIDTH, bottom + 8, "".join(body), label, fit=True)


def padded(low: float, high: float) -> tuple[float, float]:
    room = max((high - low) * 0.06, 0.02)
    return max(0.0, low - room) if low >= 0 else low - room, high + room


def ticks(low: float, high: float) -> list[float]:
    """Three to six round numbers inside a range."""
    least = (high - low) / 5
    power = 10.0 ** math.floor(math.log10(least))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= least)
    first = math.ceil(low / step) * step
    return [round(first + k * step, 6) for k in range(12) if first + k * step <= high]


def sparse(values: Sequence[float], most: int = 16) -> list[float]:
    step = max(1, -(-len(values) // most))
    return list(values[::step])


def fitted(words: str, most: int) -> str:
    """Cut to a number of letters; a Chinese one counts for two."""
    room, kept = most, ""
    for letter in words:
        room -= 2 if ord(letter) > 0x2E80 else 1
        if room < 0:
            return kept + "…"
        kept += letter
    return kept
