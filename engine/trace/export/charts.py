"""Charts of the exported page as inline SVG. Marks of one kind share one path: 10,000 rounds stay a small drawing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from engine.trace.events import Round
from engine.trace.export.figures import wilson_interval
from engine.trace.export.markup import clean
from engine.trace.export.style import STEPS
from engine.trace.export.words import Translate
from engine.trace.metrics import Metrics
from engine.trace.of_round import accepted_of, own_s, rejected_position
from engine.trace.session import ArmTurn

STRIP_SLOTS = 100
DRAWING_PX = 1100
MOST_BARS = 240


def svg(width: float, height: float, body: str, label: str, fit: bool = False) -> str:
    style = ' class="fit"' if fit else ""
    size = f'width="{width:g}" height="{height:g}" viewBox="0 0 {width:g} {height:g}"'
    return f'<svg{style} {size} role="img" aria-label="{clean(label)}">{body}</svg>'


def text(x: float, y: float, words: str, anchor: str = "middle", strong: bool = False) -> str:
    kind = ' class="strong"' if strong else ""
    return f'<text{kind} x="{x:g}" y="{y:g}" text-anchor="{anchor}">{clean(words)}</text>'


def path(kind: str, marks: Sequence[str]) -> str:
    return f'<path class="{kind}" d="{"".join(marks)}"/>' if marks else ""


def rectangle(x: float, y: float, width: float, height: float) -> str:
    return f"M{x:g} {y:g}h{width:g}v{height:g}h{-width:g}z"


def crossed(x: float, y: float, side: float) -> str:
    inset, arm = side * 0.3, side * 0.4
    box = rectangle(round(x + 0.65, 2), round(y + 0.65, 2), round(side - 1.3, 2), round(side - 1.3, 2))
    return f"{box}M{x + inset:.4g} {y + inset:.4g}l{arm:.3g} {arm:.3g}m0 {-arm:.3g}l{-arm:.3g} {arm:.3g}"


def kind_of_cell(item: Round, position: int) -> str:
    """Class of one cell of the heatmap: an amount of p, rejected, never reached, or nothing."""
    if position >= item.width:
        return ""
    if position < accepted_of(item):
        p = item.draft_p[position] if position < len(item.draft_p) else 0.5
        return f"a{min(STEPS - 1, int(min(max(p, 0.0), 1.0) * STEPS))}"
    return "rejected" if position == rejected_position(item) else "never"


def heatmap(turns: Sequence[ArmTurn], positions: int, t: Translate) -> str:
    """Rounds to the right, positions downwards, in strips; an empty slot separates turns."""
    slots: list[Round | None] = []
    for entry in turns:
        slots += [None] if slots else []
        slots += entry.rounds
    pitch = max(11, min(18, (DRAWING_PX - 34) // max(1, min(len(slots), STRIP_SLOTS))))
    side, left, strip_px = pitch - 2, 34, positions * pitch + 30
    marks: dict[str, list[str]] = {}
    labels: list[str] = []
    for slot, item in enumerate(slots):
        row, column = divmod(slot, STRIP_SLOTS)
        x, y = left + column * pitch, row * strip_px
        if column == 0:
            each = range(positions) if positions <= 15 else range(0, positions, 8)
            labels += [text(left - 8, y + k * pitch + side - 1, str(k + 1), "end") for k in each]
        if item is None:
            continue
        if item.index % 10 == 0:
            labels.append(text(x + side / 2, y + positions * pitch + 13, str(item.index)))
        for position in range(item.width):
            kind = kind_of_cell(item, position)
            top = y + position * pitch
            mark = crossed(x, top, side) if kind == "rejected" else rectangle(x, top, side, side)
            marks.setdefault(kind, []).append(mark)
    width = left + min(len(slots), STRIP_SLOTS) * pitch
    height = -(-len(slots) // STRIP_SLOTS) * strip_px
    body = "".join(path(kind, listed) for kind, listed in sorted(marks.items())) + "".join(labels)
    return svg(width, height, body, t("Rounds run to the right, draft positions downwards; a gap separates turns."))


def heatmap_keys(t: Translate) -> str:
    ramp = "".join(path(f"a{step}", [rectangle(step * 9, 1, 9, 10)]) for step in range(STEPS))
    samples = [
        (svg(9 * STEPS, 12, ramp, t("accepted")), t("accepted, by the target's p from 0 to 1")),
        (svg(12, 12, path("rejected", [crossed(1, 1, 10)]), t("rejected")), t("rejected")),
        (svg(12, 12, path("never", [rectangle(1, 1, 10, 10)]), t("never reached")), t("never reached")),
    ]
    return keys(samples)


def keys(samples: Sequence[tuple[str, str]]) -> str:
    return f'<div class="keys">{"".join(f"<span>{drawing}{clean(words)}</span>" for drawing, words in samples)}</div>'


def swatch(kind: str) -> str:
    return svg(12, 12, path(kind, [rectangle(1, 1, 10, 10)]), "")


def acceptance_bars(metrics: Metrics, t: Translate) -> str:
    """Conditional acceptance by position with its n and its 95 % interval; survival as an open circle."""
    count = len(metrics.conditional_by_position)
    left, top, height = 34, 22, 130
    pitch = max(22.0, min(64.0, 500 / max(1, count)))
    base, sparse = top + height, 1 if pitch >= 34 else 2
    body = [_gridlines(left, left + count * pitch, base, height, [(0.0, "0"), (0.5, ".5"), (1.0, "1")])]
    bars, whiskers, circles = [], [], []
    for k, alpha in enumerate(metrics.conditional_by_position):
        x, n = left + k * pitch + pitch / 2, metrics.reached_by_position[k]
        if k % sparse == 0:
            body += [text(x, base + 16, str(k + 1), strong=True), text(x, base + 30, f"n {n}" if k == 0 else str(n))]
        survival = metrics.survival_by_position[k]
        if survival is not None:
            circles.append(f'<circle class="survival" cx="{x:g}" cy="{base - survival * height:.1f}" r="3.5"/>')
        if alpha is None:
            continue
        wide = pitch * 0.56
        bars.append(
            rectangle(round(x - wide / 2, 1), round(base - alpha * height, 1), round(wide, 1), round(alpha * height, 1))
        )
        low, high = wilson_interval(metrics.accepted_by_position[k], n)
        whiskers.append(f"M{x + wide / 2 - 4:.1f} {base - low * height:.1f}V{base - high * height:.1f}")
        if pitch >= 34:
            body.append(text(x, max(top, base - high * height) - 6, f"{alpha:.2f}".replace("0.", "."), strong=True))
    body += [path("bar", bars), path("whisker", whiskers), *circles]
    label = t("Of the drafts that the target reached at this position, how many it kept; n is how many it reached.")
    return svg(left + count * pitch + 4, base + 38, "".join(body), label, fit=True)


def _gridlines(left: float, right: float, base: float, height: float, ticks: Sequence[tuple[float, str]]) -> str:
    lines = [f"M{left:g} {base - share * height:.1f}H{right:.1f}" for share, _ in ticks]
    return path("axis", lines) + "".join(
        text(left - 6, base - share * height + 4, name, "end") for share, name in ticks
    )


PARTS: tuple[tuple[str, str, Callable[[Round], float]], ...] = (
    ("t-verify", "verify", lambda item: item.verify_s if item.split else 0.0),
    ("t-both", "draft and verify, not timed apart", lambda item: 0.0 if item.split else item.draft_s + item.verify_s),
    ("t-draft", "draft", lambda item: item.draft_s if item.split else 0.0),
    ("t-rest", "accept, commit, other", lambda item: item.accept_s + item.commit_s + item.other_s),
)


def decode_rounds(turns: Sequence[ArmTurn]) -> list[Round]:
    return [item for entry in turns for item in entry.rounds if item.index > 0]


def rounds_a_bar(turns: Sequence[ArmTurn]) -> int:
    return max(1, -(-len(decode_rounds(turns)) // MOST_BARS))


def round_times(turns: Sequence[ArmTurn], longest_s: float, t: Translate) -> str:
    """Stacked bars of own time; all arms share ``longest_s``, so their charts can be compared."""
    rounds, each = decode_rounds(turns), rounds_a_bar(turns)
    bins = [rounds[start : start + each] for start in range(0, len(rounds), each)]
    left, top, height, width = 40, 10, 140, 500
    base, limit = top + height, nice_ceiling(longest_s * 1000)
    pitch = min(14.0, width / max(1, len(bins)))
    gap = 1 if pitch >= 4 else 0
    marks: dict[str, list[str]] = {}
    for number, members in enumerate(bins):
        floor = float(base)
        for kind, _, value in PARTS:
            tall = sum(map(value, members)) / len(members) * 1000 / limit * height
            if tall >= 0.05:
                floor -= tall
                bar = rectangle(round(left + number * pitch, 2), round(floor, 2), round(pitch - gap, 2), round(tall, 2))
                marks.setdefault(kind, []).append(bar)
    ticks = [(share, short(limit * share)) for share in (0.0, 0.5, 1.0)]
    body = _gridlines(left, left + width, base, height, ticks) + "".join(
        path(kind, bars) for kind, bars in marks.items()
    )
    return svg(left + width + 4, base + 12, body, t("Time per round"), fit=True)


def round_time_keys(turns: Sequence[ArmTurn], t: Translate) -> str:
    rounds = decode_rounds(turns)
    return keys([(swatch(kind), t(name)) for kind, name, value in PARTS if any(value(item) for item in rounds)])


def longest_round_s(arms: Sequence[Sequence[ArmTurn]]) -> float:
    """Highest bar over all arms."""
    longest = 0.0
    for turns in arms:
        rounds, each = decode_rounds(turns), rounds_a_bar(turns)
        for start in range(0, len(rounds), each):
            members = rounds[start : start + each]
            longest = max(longest, sum(map(own_s, members)) / len(members))
    return longest


def progress(arms: Sequence[tuple[str, Sequence[ArmTurn]]], t: Translate) -> str:
    """Tokens against own time, one line an arm: the steeper, the faster; flat parts are prefills."""
    lines = [(name, points(turns)) for name, turns in arms]
    longest = nice_ceiling(max(line[-1][0] for _, line in lines) or 1.0)
    most = nice_ceiling(max(line[-1][1] for _, line in lines) or 1.0)
    left, top, height, width = 44, 36, 200, 1030
    base = top + height
    body = [_gridlines(left, left + width, base, height, [(share, short(most * share)) for share in (0.0, 0.5, 1.0)])]
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        body.append(text(left + width * share, base + 18, f"{short(longest * share)} s"))
    taken: list[tuple[float, float]] = []
    for number, (name, line) in enumerate(lines):
        drawn = [f"{left + x / longest * width:.1f} {base - y / most * height:.1f}" for x, y in line]
        body.append(f'<path class="line line{number % 4}" d="M{"L".join(drawn)}"/>')
        x, y = line[-1]
        end, above = left + x / longest * width, base - y / most * height - 8
        while any(abs(end - other) < 90 and abs(above - level) < 13 for other, level in taken):
            above -= 13
        taken.append((end, above))
        body.append(text(end, above, name, "end", strong=True))
    return svg(left + width + 16, base + 28, "".join(body), t("Tokens over own time"), fit=True)


def points(turns: Sequence[ArmTurn], most: int = 500) -> list[tuple[float, int]]:
    """Own seconds and tokens emitted so far; at most about ``most`` points."""
    line, spent, tokens = [(0.0, 0)], 0.0, 0
    for entry in turns:
        if entry.prefill:
            spent += entry.prefill[-1].prefill_s
            line.append((spent, tokens))
        for item in entry.rounds:
            spent += own_s(item)
            tokens += item.emitted_tokens
            line.append((spent, tokens))
    step = max(1, len(line) // most)
    return [*line[:-1:step], line[-1]] if len(line) > 1 else line


def short(value: float) -> str:
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def nice_ceiling(value: float) -> float:
    """The next round number, so that half of it is short too."""
    if value <= 0:
        return 1.0
    power = 1.0
    while power > value:
        power /= 10
    while power * 10 <= value:
        power *= 10
    steps = [power * factor for factor in (1, 1.2, 1.6, 2, 2.4, 3, 4, 5, 6, 8, 10)]
    return next(high for low, high in pairwise([0.0, *steps]) if low < value <= high)
