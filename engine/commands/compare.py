"""``slipstream compare``: arms on one prompt, side by side, on the command line."""

from __future__ import annotations

import argparse
import json
import signal
import sys
import threading
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from engine import __version__
from engine.arms import ArmError, parse_arms
from engine.commands.refuse import refuse
from engine.trace.events import Arm, Event, Failed, Header, Prefill, Round, Settings
from engine.trace.file import TraceError, Writer
from engine.trace.metrics import Tally, summary
from engine.trace.session import ArmTurn, ending_of, events_of, group, ids_of, text_of
from engine.trace.verdict import SEVERITY, session_verdicts


def add_parser(commands: Any) -> None:
    parser: argparse.ArgumentParser = commands.add_parser(
        "compare", help="run arms on one prompt and compare them", description=__doc__
    )
    parser.add_argument("--prompt", required=True, help="the user's turn; - reads it from standard input")
    parser.add_argument(
        "--arm", action="append", metavar="ARM",
        help="baseline, lookup, lookup+PATH, or key=value pairs such as target=PATH,drafter=PATH,block=5; repeat it "
        "(default: baseline and lookup)",
    )  # fmt: skip
    parser.add_argument("--target", default="embedded", metavar="MODEL", help="directory or hub id of an mlx-lm model")
    parser.add_argument("--system", default="", help="system prompt")
    parser.add_argument(
        "--raw", action="store_true", help="continue the prompt as it stands, without the chat template"
    )
    parser.add_argument("--max-tokens", type=int, default=256, metavar="N", help="-1: until the model stops")
    parser.add_argument("--temperature", type=float, default=0.0, metavar="T")
    parser.add_argument("--top-p", type=float, default=1.0, metavar="P")
    parser.add_argument("--top-k", type=int, default=0, metavar="K")
    parser.add_argument("--seed", type=int, default=0, metavar="S")
    parser.add_argument(
        "--block", type=int, default=8, metavar="N", help="rows verified at once: the anchor and N-1 drafts"
    )
    parser.add_argument("--stop", action="append", default=[], metavar="TEXT", help="end the text before this string")
    parser.add_argument("--order", choices=("interleaved", "sequential"), default="interleaved")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--trace", type=Path, metavar="FILE", help="write the session's trace as it happens")
    parser.add_argument("--no-text", action="store_true", help="leave prompts, texts and token ids out of the trace")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    prompt = sys.stdin.read() if args.prompt == "-" else args.prompt
    defaults = Settings(
        temperature=args.temperature, top_p=args.top_p, top_k=args.top_k, seed=args.seed, block=args.block,
        max_tokens=args.max_tokens, stop=tuple(args.stop),
    )  # fmt: skip
    try:
        arms = parse_arms(args.arm or ["baseline", "lookup"], defaults, args.target)
    except ArmError as error:
        return refuse(str(error))
    if not prompt.strip():
        return refuse("The prompt is empty: write something to answer.")

    from engine.models.errors import ModelError
    from engine.platform import machine
    from engine.race import race
    from engine.session import Session

    try:
        session = Session()
        session.fetch(arms, fetching, lambda: False)
        weigh(arms)
        opened = session.open(arms, loading)
    except ModelError as error:
        return refuse(str(error))

    stopped = threading.Event()
    before = signal.signal(signal.SIGINT, lambda *_: stopped.set())
    header = Header(
        created=datetime.now(UTC).astimezone().isoformat(timespec="seconds"), app=f"slipstream {__version__}",
        machine=machine()
    )  # fmt: skip
    events: list[Event] = []
    try:
        writer = Writer(args.trace, keep_text=not args.no_text, on_error=note) if args.trace else None
    except TraceError as error:
        return refuse(str(error))
    if writer:
        writer.write(header)
    try:
        for event in race(opened, prompt, system=args.system, raw=args.raw, order=args.order, cancelled=stopped.is_set):
            events.append(event)
            if writer:
                writer.write(event)
            if not args.json:
                progress(event)
    finally:
        signal.signal(signal.SIGINT, before)
        if writer:
            writer.close()
    failures = [event for event in events if isinstance(event, Failed)]
    if failures and not any(isinstance(event, Round) for event in events):
        return refuse(failures[0].message)
    result = report(arms, events)
    if args.json:
        print(json.dumps(result, ensure_ascii=False))
    else:
        show(result)
    if failures or result["verdict"]["status"] == "fail":
        return 1
    return 130 if stopped.is_set() else 0


def report(arms: list[Arm], events: list[Event]) -> dict[str, Any]:
    """What ``--json`` prints."""
    turns = {entry.arm: entry for entry in group(events)}
    rows = [arm_report(arm, turns[arm.name]) for arm in arms if arm.name in turns]
    base = rows[0]["metrics"]["tokens_per_s"] if rows else None
    for row in rows:
        speed = row["metrics"]["tokens_per_s"]
        row["speedup"] = speed / base if speed and base else None
    verdicts = session_verdicts(turns.values())
    chosen = max(verdicts.values(), key=lambda v: SEVERITY.index(v.status), default=None)
    verdict = {"status": "not-comparable", "first_difference": None, "margin": None, "wording": "one arm alone"}
    if chosen:
        verdict = {key: getattr(chosen, key) for key in verdict}
    return {
        "arms": rows,
        "verdict": verdict,
        "verdicts": {name: msgspec.to_builtins(v) for name, v in verdicts.items()},
    }


def arm_report(arm: Arm, entry: ArmTurn) -> dict[str, Any]:
    tally = Tally()
    for event in events_of(entry):
        tally.add(event)
    rounds = [
        {
            "width": r.width, "accepted": r.accepted, "emitted": r.emitted_tokens,
            "corrections": r.origins.count("correction"), "bonuses": r.origins.count("bonus"), "plain":
            r.origins.count("plain"), "draft_ids": list(r.draft_ids), "emitted_ids": list(r.emitted_ids), "origins":
            list(r.origins), "width_reason": r.width_reason, "source": r.source,
        }
        for r in entry.rounds
    ]  # fmt: skip
    return {
        "arm": arm.name,
        "ids": ids_of(entry),
        "text": text_of(entry),
        "finish_reason": ending_of(entry),
        "rounds": rounds,
        "metrics": summary(tally.metrics()),
        "message": entry.failed.message if entry.failed else "",
    }


def show(result: dict[str, Any]) -> None:
    """For people: texts, then one line an arm."""
    note("")
    for row in result["arms"]:
        print(f"--- {row['arm']} ({row['finish_reason']})\n{row['text']}\n")
    width = max(len(row["arm"]) for row in result["arms"])
    print(f"{'arm':<{width}}   tok/s  speed  first token  per forward  forwards  accepted")
    for row in result["arms"]:
        m = row["metrics"]
        share = 100 * m["accepted"] / m["drafted"] if m["drafted"] else None
        cells = (
            number(m["tokens_per_s"], "7.1f"), number(row["speedup"], "5.2f", "x"),
            number(m["time_to_first_token_s"], "9.2f", " s"), number(m["tokens_per_forward"], "11.2f"),
            f"{m['target_forwards']:>8}", number(share, "7.0f", " %"),
        )  # fmt: skip
        print(f"{row['arm']:<{width}} " + "  ".join(cells))
        if row["message"]:
            print(f"  {row['message']}")
    print(f"\nverdict: {result['verdict']['wording']}")


def number(value: float | None, spec: str, unit: str = "") -> str:
    wide = int(spec.split(".")[0]) + len(unit)
    return "-".rjust(wide) if value is None else format(value, spec) + unit


def progress(event: Event) -> None:
    """A sign of life on stderr."""
    if not sys.stderr.isatty():
        return
    if isinstance(event, Prefill):
        sys.stderr.write(f"\r{event.arm}: prompt {event.processed_tokens} of {event.total_tokens} tokens\x1b[K")
    elif isinstance(event, Round):
        sys.stderr.write(f"\r{event.arm}: round {event.index}\x1b[K")


def fetching(name: str, done: int, total: int) -> None:
    if sys.stderr.isatty():
        end = "\n" if done >= total else ""
        print(f"\rFetching {name}: {done / 1e9:.2f} of {total / 1e9:.2f} GB ", end=end, file=sys.stderr, flush=True)


def weigh(arms: Sequence[Arm]) -> None:
    """A warning where the load is tight; who runs this command knows the machine and is not refused."""
    from engine.memory.estimate import Held, estimate
    from engine.process.shelf import DEFAULT_RESERVE_BYTES

    load = estimate(arms, Held({}, {}), DEFAULT_RESERVE_BYTES)
    if load is not None and load.fit.verdict in ("tight", "too large"):
        note(load.fit.message)


def loading(name: str) -> None:
    if sys.stderr.isatty():
        note(f"Loading {name} ...")


def note(text: str) -> None:
    sys.stderr.write(("\r\x1b[K" if sys.stderr.isatty() else "") + text + "\n")
