"""The model card of a trained drafter, written by the program: README.md, log.csv and curve.svg in its directory.

All that it says is in the drafter's config (``about``), its log and a judgement, so it can be written again when the
drafter is judged again (``slipstream train judge``).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from engine.drafters.layout import Layout
from engine.drafters.save import read_saved
from engine.train.evaluate import Score
from engine.train.judge import Judge, Judgement
from engine.train.loop import read_log

WIDTH, HEIGHT = 720, 300
LEFT, RIGHT, TOP, BOTTOM = 56, 56, 24, 44
LOSS, HELD_OUT = "#0072B2", "#D55E00"

NAMES = {
    "A": "Autoregressive (EAGLE-3 head)",
    "A recurrent": "Autoregressive (a backbone row by row)",
    "B": "Parallel backbone (DFlash)",
    "C": "Backbone and Markov head (DSpark)",
    "D": "Backbone with convolutions and a candidate selector (DFlash 2)",
    "E": "Cascade with a transition cache",
}


def write_card(directory: Path, judge: Judge, full: Judgement | None, packed: Judgement | None, bits: int) -> None:
    """Of the drafter that lies there, with the log of its run.

    Args: full, packed: judgements in full precision and as it is; bits: of its weights
    """
    layout, _, config = read_saved(directory)
    log = read_log(directory / "log.csv")
    if log:
        (directory / "curve.svg").write_text(curve(log), encoding="utf-8")
    text = card(layout, config["about"], judge, full, packed, bits, bool(log))
    (directory / "README.md").write_text(text, encoding="utf-8")


def card(
    layout: Layout, about: dict[str, Any], judge: Judge, full: Judgement | None, packed: Judgement | None, bits: int,
    logged: bool = True,
) -> str:  # fmt: skip
    """Args: logged: curve and log of the run are there; one that was stopped soon has none."""
    scheme, data, recipe, machine = layout.scheme, about["data"], about["recipe"], about["machine"]
    name = NAMES["A recurrent" if layout.recurrent else scheme]
    # Drafters of an earlier version don't say how their run ended; they were saved when it was done.
    steps, ended = about.get("steps_done", recipe["steps"]), about.get("ended", "done")
    began_with = f", begun with the backbone of `{recipe['start']}`" if recipe["start"] else ""
    named = f", {about['target_licence']}," if about.get("target_licence") else ""
    lines = [
        f"# Drafter of scheme {scheme} for {about['target']}",
        "",
        f"{name}: {layout.layers} layers, blocks of up to {layout.gamma} drafts, "
        f"a vocabulary of {layout.proposed_vocabulary} tokens. Trained by Slipstream on text that the target wrote "
        "itself.",
        "",
        "| | |",
        "|---|---|",
        f"| data | {data['conversations']} conversations, {data['answer_tokens']} answer tokens, seed {data['seed']} |",
        f"| steps | {steps} of {recipe['steps']} ({ended}), the best after {about['step']}{began_with} |",
        f"| positions learned from | {about['positions']} |",
        f"| time | {time_text(about['training_seconds'])} of training steps |",
        f"| machine | {machine['chip']}, {machine['backend']}, mlx {machine['mlx']} |",
        f"| precision | {bits} bits |" if bits < 16 else "| precision | float16 |",
        f"| held-out tokens the vocabulary covers | {100 * data['coverage_of_draft_vocabulary']:.1f} % |",
        "",
        "## On held-out answers",
        "",
        f"Up to {judge.tokens} tokens of each, greedy, blocks of {layout.gamma + 1} rows. Tokens per target "
        "forward, the target's own token included, with the 95 % bootstrap interval over answers."
        + (f" {left_out(judge.skipped)}" if judge.skipped else ""),
        "",
        "| | answers | tokens per forward |",
        "|---|---|---|",
        *(score_rows("full precision", full) if full else [] if packed else judged_while_training(about)),
        *(score_rows(f"{bits} bits", packed) if bits < 16 and packed else []),
        "",
    ]
    if packed is not None:
        lines += acceptance(packed.score)
    lines += [
        "",
        *(["The curve of the run is `curve.svg`, its numbers are `log.csv`.", ""] if logged else []),
        "## Licence",
        "",
        f"The weights were made from the target's own text: the target's licence{named} applies to them.",
        "",
    ]
    return "\n".join(lines)


def left_out(skipped: int) -> str:
    first = "The first held-out answer was" if skipped == 1 else f"The first {skipped} held-out answers were"
    return f"{first} left out: such answers may have chosen the best step or the weights of votes."


def time_text(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.1f} s"
    return f"{seconds / 60:.1f} min" if seconds < 600 else f"{seconds / 60:.0f} min"


def judged_while_training(about: dict[str, Any]) -> list[str]:
    """A run that was stopped takes no time for a judgement of its own."""
    if not about["held_out"]:
        return ["| full precision | 0 | |"]
    one = msgspec.convert(about["held_out"], Score)
    return [f"| full precision, judged while training | {one.answers} | {shown(one)} |"]


def score_rows(name: str, judged: Judgement) -> list[str]:
    rows = [f"| {name} | {judged.score.answers} | {shown(judged.score)} |"]
    if judged.loops is not None:
        rows.append(f"| {name}, answers that repeat themselves | {judged.loops.answers} | {shown(judged.loops)} |")
    return rows


def acceptance(score: Score) -> list[str]:
    """By position: how often a draft that stood there was accepted, and of those that were reached."""
    places = range(1, len(score.drafted_by_position) + 1)
    reached = [score.forwards, *score.accepted_by_position]
    of_drafted = zip(score.accepted_by_position, score.drafted_by_position, strict=True)
    of_reached = zip(score.accepted_by_position, reached, strict=False)
    return [
        "| position | " + " | ".join(map(str, places)) + " |",
        "|---" * (len(places) + 1) + "|",
        "| accepted of drafted | " + " | ".join(share(a, d) for a, d in of_drafted) + " |",
        "| accepted of reached | " + " | ".join(share(a, r) for a, r in of_reached) + " |",
    ]


def share(part: int, whole: int) -> str:
    return f"{part / whole:.3f}" if whole else "–"


def shown(score: Score) -> str:
    return f"{score.tokens_per_forward:.3f} [{score.low:.3f} .. {score.high:.3f}]"


def curve(rows: Sequence[dict[str, float]]) -> str:
    """Training loss (left scale) and held-out tokens per forward (right scale) over the steps, as one SVG."""
    losses = [(row["step"], row["loss"]) for row in rows if "loss" in row]
    scores = [(row["step"], row["tokens_per_forward"]) for row in rows if "tokens_per_forward" in row]
    last = max((x for x, _ in [*losses, *scores]), default=1.0)
    body = [f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>']
    body += axis(losses, last, LOSS, "training loss", left=True) + axis(
        scores, last, HELD_OUT, "held-out tokens per forward", left=False
    )
    body.append(label(WIDTH / 2, HEIGHT - 8, f"steps (0 to {last:.0f})", "middle", "#333"))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'font-family="system-ui, sans-serif" font-size="12">{"".join(body)}</svg>\n'
    )


def axis(points: Sequence[tuple[float, float]], last: float, colour: str, name: str, left: bool) -> list[str]:
    x, anchor = (LEFT, "start") if left else (WIDTH - RIGHT, "end")
    body = [label(x, 14, name, anchor, colour)]
    if not points:
        return body
    low, high = min(y for _, y in points), max(y for _, y in points)
    spread = high - low or 1.0
    at = [
        (LEFT + (WIDTH - LEFT - RIGHT) * s / last, HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (y - low) / spread)
        for s, y in points
    ]
    line = " ".join(f"{a:.1f},{b:.1f}" for a, b in at)
    body.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
    body += [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3" fill="{colour}"/>' for a, b in at if len(at) < 40]
    edge, side = (LEFT - 6, "end") if left else (WIDTH - RIGHT + 6, "start")
    body.append(label(edge, HEIGHT - BOTTOM, f"{low:.2f}", side, colour))
    body.append(label(edge, TOP + 10, f"{high:.2f}", side, colour))
    return body


def label(x: float, y: float, words: str, anchor: str, colour: str) -> str:
    return f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}" fill="{colour}">{words}</text>'
