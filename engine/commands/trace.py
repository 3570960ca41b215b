"""``slipstream trace``: look at traces, export them, compare two.

Exit status: 0 done, 1 two traces differ, 2 the request was wrong (one line on stderr).
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from engine.trace.diff import Change, Difference, diff
from engine.trace.export import to_csv, to_html, to_markdown, to_perfetto
from engine.trace.export.figures import ArmReport, figures, reports, schemes
from engine.trace.export.words import LANGUAGES, translator
from engine.trace.file import Trace, TraceError, read
from engine.trace.metrics import measure, summary
from engine.trace.session import ArmTurn, ending_of, events_of, ids_of, text_of
from engine.trace.verdict import Verdict, over_turns

EXPORTS: dict[str, tuple[str, Callable[[Trace, str], str]]] = {
    "csv": (".csv", lambda trace, _: to_csv(trace)),
    "perfetto": (".perfetto.json", lambda trace, _: to_perfetto(trace)),
    "html": (".html", to_html),
    "md": (".md", to_markdown),
}
BAR_CELLS = 24


def add_parser(subparsers: Any) -> None:
    """Add ``trace`` and what it can do to the command line."""
    parser = subparsers.add_parser("trace", help="look at, export and compare session traces")
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    show = actions.add_parser("show", help="figures and verdict of a trace")
    show.add_argument("file", metavar="FILE")
    show.add_argument("--json", action="store_true", help="print one JSON object")
    export = actions.add_parser("export", help="turn a trace into a table, a timeline or a page")
    export.add_argument("file", metavar="FILE")
    export.add_argument("--to", choices=EXPORTS, required=True, help="csv, perfetto, html or md")
    export.add_argument("-o", "--out", metavar="OUT", help="file to write; - is standard output (default: beside FILE)")
    export.add_argument("--language", choices=LANGUAGES, default="en", help="language of html and md")
    compare = actions.add_parser("diff", help="what differs between two traces; status 1 where token ids do")
    compare.add_argument("first", metavar="A")
    compare.add_argument("second", metavar="B")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Carry out one ``trace`` request."""
    try:
        match args.action:
            case "show":
                return show(read(args.file), args.json)
            case "export":
                return export(Path(args.file), args.to, args.out, args.language)
            case _:
                return compare(read(args.first), read(args.second))
    except TraceError as error:
        print(f"slipstream trace: {error}", file=sys.stderr)
        return 2


# show


def show(trace: Trace, as_json: bool) -> int:
    if as_json:
        print(json.dumps(report(trace), ensure_ascii=False))
        return 0
    arms = reports(trace.events)
    print("\n".join([*environment_lines(trace), "", *(table(arms) if arms else ["This trace holds no rounds."])]))
    for arm in arms:
        if arm.metrics.drafted:
            print("\n".join(["", *bars(arm)]))
    if len(arms) > 1:
        print()
    for arm in arms:
        if arm.verdict:
            print(f"{plain(arm.name)}: {arm.verdict.wording}")
        for warning in arm.metrics.warnings:
            print(f"{plain(arm.name)}: {plain(warning)}")
    if trace.truncated:
        print(plain(trace.truncated))
    return 0


def report(trace: Trace) -> dict[str, Any]:
    """What ``show --json`` prints: arms and verdict as ``compare --json`` names them, turn by turn and together."""
    arms = reports(trace.events)
    verdicts = {arm.name: verdict_fields(arm.verdict) for arm in arms if arm.verdict}
    return {
        "schema": trace.header.schema,
        "created": trace.header.created,
        "app": trace.header.app,
        "has_text": trace.header.has_text,
        "truncated": trace.truncated,
        "arms": [
            {
                "arm": arm.name,
                "metrics": summary(arm.metrics),
                "speedup": arm.speedup,
                "turns": [turn_fields(entry) for entry in arm.turns],
            }
            for arm in arms
        ],
        "verdict": verdict_fields(over_turns((0, arm.verdict) for arm in arms if arm.verdict)) if verdicts else None,
        "verdicts": verdicts,
    }


def turn_fields(entry: ArmTurn) -> dict[str, Any]:
    return {
        "turn": entry.turn,
        "ids": ids_of(entry),
        "text": text_of(entry),
        "finish_reason": ending_of(entry) or None,
        "rounds": len(entry.rounds),
        "metrics": summary(measure(events_of(entry))),
    }


def verdict_fields(verdict: Verdict) -> dict[str, Any]:
    return {
        "status": verdict.status,
        "first_difference": verdict.first_difference,
        "margin": verdict.margin,
        "wording": verdict.wording,
    }


def environment_lines(trace: Trace) -> list[str]:
    header = trace.header
    machine = header.machine
    return [plain(" · ".join(filter(None, [header.created, header.app, machine.chip, machine.os, machine.backend])))]


def table(arms: Sequence[ArmReport]) -> list[str]:
    t = translator()
    columns = [figures(arm, t) for arm in arms]
    head = ["", *(plain(arm.name) for arm in arms)]
    lines = [head, ["", *(plain(schemes(arm, t)) for arm in arms)]]
    lines += [[same[0].name, *(figure.value for figure in same)] for same in zip(*columns, strict=True)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines]


def bars(arm: ArmReport) -> list[str]:
    """Conditional acceptance by position: a bar, its value, and how many drafts it rests on."""
    m = arm.metrics
    lines = [f"{plain(arm.name)}: acceptance by position, of the drafts that were reached"]
    for position, (share, n) in enumerate(zip(m.conditional_by_position, m.reached_by_position, strict=True), start=1):
        value = " –  " if share is None else f"{share:.2f}"
        lines.append(f"  {position:>3} {bar(share or 0.0).ljust(BAR_CELLS)} {value}  n {n}")
    return lines


def bar(share: float) -> str:
    eighths = round(share * BAR_CELLS * 8)
    whole, rest = divmod(eighths, 8)
    return "█" * whole + " ▏▎▍▌▋▊▉"[rest].strip()


def plain(text: str) -> str:
    """Text of a file on one line, without anything a terminal would obey."""
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in text)


# export


def export(path: Path, kind: str, out: str | None, language: str) -> int:
    suffix, convert = EXPORTS[kind]
    content = convert(read(path), language)
    if out == "-":
        sys.stdout.write(content)
        return 0
    target = Path(out) if out else path.with_suffix(suffix)
    if target.exists() and target.resolve() == path.resolve():
        raise TraceError(f"{target} is the trace itself: name another file with -o.")
    try:
        target.write_text(content, encoding="utf-8")
    except OSError as error:
        why = (error.strerror or type(error).__name__).lower()
        raise TraceError(f"{target} can't be written ({why}): name another file with -o.") from error
    print(target)
    return 0


# diff


def compare(first: Trace, second: Trace) -> int:
    difference = diff(first, second)
    print("\n".join(difference_lines(difference)))
    return 0 if difference.is_same else 1


def difference_lines(difference: Difference) -> list[str]:
    lines = [line(change) for change in difference.changes]
    for turn in difference.turns:
        where = f"arm {plain(turn.arm)}, turn {turn.turn + 1}"
        if turn.unknown:
            lines.append(f"{where}: token ids were left out of a trace, the texts can't be compared")
        elif turn.index is None:
            lines.append(f"{where}: same ids ({turn.tokens} tokens)")
        else:
            lines.append(f"{where}: differs at token {turn.index}: {turn.first} → {turn.second}")
    lines += [line(change) for change in difference.figures]
    if not difference.turns:
        lines.append("Neither trace holds a turn.")
    return lines


def line(change: Change) -> str:
    return f"{plain(change.where)}: {plain(change.name)} {plain(change.first)} → {plain(change.second)}"
