"""``slipstream train``: train drafters (``train_drafter``), make training text, fit n-gram tables.

Exit status: 0 done, 2 the request was wrong (one line on stderr), 130 stopped; what was written is kept.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.commands import train_drafter, train_judge, train_votes
from engine.commands.refuse import refuse

if TYPE_CHECKING:
    from engine.train.generate import Progress

ROWS_ON_CPU = 96
ROWS_ON_METAL = 32
NOTE_EVERY_S = 30.0
"""Between two signs of life where stderr is a file."""


def add_parser(commands: Any) -> None:
    parser: argparse.ArgumentParser = commands.add_parser(
        "train", help="make training text, fit drafters", description=__doc__
    )
    train_drafter.add_arguments(parser)
    actions = parser.add_subparsers(dest="action", metavar="ACTION")
    add_data(actions)
    add_table(actions)
    train_votes.add_parser(actions)
    train_judge.add_parser(actions)
    parser.set_defaults(run=run_drafter)


def run_drafter(args: argparse.Namespace) -> int:
    if not args.scheme:
        return refuse("train needs --scheme with A, B, C, D, E or table, or an ACTION: data, table, votes or judge.")
    return train_drafter.run(args)


def add_data(actions: Any) -> None:
    data: argparse.ArgumentParser = actions.add_parser(
        "data", help="let the target write conversations",
        description="Let the target write users' turns (sampled) and answer them (greedy), clean the text and divide "
        "it. A run that was stopped goes on when the same command is given again.",
    )  # fmt: skip
    data.add_argument("--target", default="embedded", metavar="MODEL", help="directory or hub id of an mlx-lm model")
    data.add_argument("--out", type=Path, required=True, metavar="DIR", help="the data set's directory")
    data.add_argument(
        "--tokens", type=int, default=1_000_000, metavar="N",
        help="answer tokens in all, before cleaning; 0 only imports and cleans (default: 1000000)",
    )  # fmt: skip
    data.add_argument(
        "--from", dest="sources", type=Path, action="append", default=[], metavar="FILE",
        help="take over an npz file or a data set's directory first; repeat it",
    )  # fmt: skip
    data.add_argument(
        "--prompts", type=Path, metavar="FILE", help="answer these prompts, one a line or JSON lines with 'prompt'"
    )
    data.add_argument("--openers", type=Path, metavar="FILE", help="beginnings of users' turns (default: ours)")
    data.add_argument("--languages", default="en=8,zh=1,mixed=1", metavar="SHARES",
                      help="shares of en, zh and mixed (default: en=8,zh=1,mixed=1)")  # fmt: skip
    data.add_argument("--length", type=int, default=256, metavar="N", help="longest conversation in tokens")
    data.add_argument(
        "--rows", type=int, default=0, metavar="N",
        help=f"conversations that are written at once (default: {ROWS_ON_METAL}, on a CPU {ROWS_ON_CPU})",
    )  # fmt: skip
    data.add_argument("--temperature", type=float, default=0.9, metavar="T", help="of the users' turns")
    data.add_argument("--seed", type=int, default=0, metavar="S")
    data.add_argument(
        "--taps-gb", type=float, default=0.0, metavar="N",
        help="keep what drafters read of the target as it is written, so much at most: training with the data set "
        "then needs no forward for it (default: 0)",
    )  # fmt: skip
    data.add_argument("--json", action="store_true", help="print the data set's facts as one JSON object")
    data.set_defaults(run=run_data)


def add_table(actions: Any) -> None:
    table: argparse.ArgumentParser = actions.add_parser(
        "table", help="fit an n-gram table to a data set",
        description="Fit an n-gram table to the training part of a data set: a drafter that costs no forward.",
    )  # fmt: skip
    table.add_argument("--data", type=Path, required=True, metavar="DIR", help="a data set's directory")
    table.add_argument("--out", type=Path, required=True, metavar="DIR")
    table.add_argument("--order", type=int, default=4, metavar="N", help="longest n-gram (default: 4)")
    table.add_argument("--megabytes", type=float, default=8.0, metavar="N", help="largest table (default: 8)")
    table.set_defaults(run=run_table)


def run_data(args: argparse.Namespace) -> int:
    for name, least in (("tokens", 0), ("length", 16), ("rows", 0), ("seed", 0)):
        if getattr(args, name) < least:
            return refuse(f"--{name} must be {least} or more (got {getattr(args, name)}).")
    if not 0 <= args.taps_gb <= 1e6:
        return refuse(f"--taps-gb must be from 0 to 1000000 (got {args.taps_gb}).")
    if not 0 < args.temperature <= 5:
        return refuse(f"--temperature must be above 0 and at most 5 (got {args.temperature}).")
    if args.prompts and args.openers:
        return refuse("--prompts and --openers exclude each other: prompts are answered as they are.")

    import msgspec

    from engine.models.errors import ModelError
    from engine.platform import backend
    from engine.target import load_target
    from engine.train.conversations import DataError
    from engine.train.dataset import begun_rounds, gather, generate, open_dataset
    from engine.train.generate import Recipe, rounds_within
    from engine.train.imports import import_dataset, import_file
    from engine.train.layouts import spread_taps
    from engine.train.openers import read_openers, read_prompts, read_weights

    stopped = threading.Event()
    before = {number: signal.signal(number, lambda *_: stopped.set()) for number in (signal.SIGINT, signal.SIGTERM)}
    show = Show()
    try:
        source, sha256 = read_prompts(args.prompts) if args.prompts else read_openers(args.openers)
        weights = read_weights(args.languages)
        target = load_target(args.target)
        recipe = Recipe(
            seed=args.seed, temperature=args.temperature, conversation_tokens=args.length,
            rows=args.rows or (ROWS_ON_METAL if backend() == "metal" else ROWS_ON_CPU),
            languages=weights, source_sha256=sha256,
        )  # fmt: skip
        rounds = begun_rounds(args.out) or rounds_within(
            recipe, args.tokens, len(source) if isinstance(source, list) else 0
        )
        recipe = msgspec.structs.replace(recipe, rounds=rounds)
        try:
            with open_dataset(args.out, target, recipe):
                for other in args.sources:
                    take_over = import_dataset if other.is_dir() else import_file
                    note(f"{other}: {take_over(args.out, other, target)} conversations")
                done = generate(
                    args.out, target, recipe, source, args.tokens, cancelled=stopped.is_set, on_progress=show.progress,
                    layers=spread_taps(len(target.model.layers)) if args.taps_gb else (), taps_bytes=args.taps_gb * 1e9,
                )  # fmt: skip
                manifest = gather(args.out, show.progress)
        except OSError as error:
            return refuse(
                f"{args.out} can't be written ({(error.strerror or str(error)).lower()}): what it holds is kept; mend "
                "that and give the same command again to go on."
            )
    except (DataError, ModelError) as error:
        return refuse(str(error))
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    print(json.dumps(manifest, ensure_ascii=False) if args.json else "\n".join(facts_lines(args.out, manifest)))
    if not done:
        note("Stopped. Give the same command again to go on.")
    return 0 if done else 130


def run_table(args: argparse.Namespace) -> int:
    from engine.drafters.table import save_table
    from engine.train.conversations import DataError
    from engine.train.dataset import read_dataset
    from engine.train.fit import fit_table

    if not 2 <= args.order <= 8:
        return refuse(f"--order must be from 2 to 8 (got {args.order}).")
    if not 0 < args.megabytes <= 1024:
        return refuse(f"--megabytes must be above 0 and at most 1024 (got {args.megabytes}).")
    began = time.perf_counter()
    try:
        table = fit_table(read_dataset(args.data), order=args.order, most_bytes=int(args.megabytes * 1e6))
        size = save_table(args.out, table)
    except DataError as error:
        return refuse(str(error))
    except OSError as error:
        return refuse(f"{args.out} can't be written ({(error.strerror or str(error)).lower()}).")
    entries = ", ".join(f"{level.contexts} of {n} tokens" for n, level in enumerate(table.levels, start=1))
    print(f"{args.out}: contexts: {entries}; {size / 1e6:.1f} MB; {time.perf_counter() - began:.1f} s")
    return 0


def facts_lines(out: Path, manifest: dict[str, Any]) -> list[str]:
    def part(name: str) -> str:
        counts = manifest[name]
        share = manifest["repeated_share"][name]
        repeated = f", {100 * share:.0f} % of 8-grams repeated in their answer" if share is not None else ""
        return f"{counts['conversations']} conversations, {counts['answer_tokens']} answer tokens{repeated}"

    def reasons(name: str) -> str:
        return ", ".join(f"{reason} {n}" for reason, n in manifest[name].items()) or "none"

    lines = [
        str(out),
        f"  raw        {part('raw')}",
        f"  train      {part('train')}",
        f"  held out   {part('held_out')}, loops {manifest['held_out_loops']}",
        f"  dropped    train: {reasons('dropped')}; held out: {reasons('dropped_held_out')}",
        f"  skipped    {reasons('skipped_turns')}",
    ]
    if kept := manifest["taps"]["conversations"]:
        of = manifest["raw"]["conversations"]
        lines.append(f"  taps       of {kept} of {of} conversations, {manifest['taps']['bytes'] / 1e9:.2f} GB")
    return lines


class Show:
    """Progress on stderr: one line that is written over, or, in a file, a line every half minute."""

    def __init__(self) -> None:
        self.shown_s = 0.0

    def progress(self, p: Progress) -> None:
        terminal = sys.stderr.isatty()
        if time.monotonic() - self.shown_s < (0.2 if terminal else NOTE_EVERY_S):
            return
        self.shown_s = time.monotonic()
        left = f", {clock(p.seconds_left)} left" if p.seconds_left is not None else ""
        line = f"{p.stage}: {progress_counts(p)}, {p.tokens_per_s:.0f} tokens/s{left}"
        sys.stderr.write(f"\r{line}\x1b[K" if terminal else line + "\n")
        sys.stderr.flush()


def progress_counts(p: Progress) -> str:
    if p.prompts:
        return f"{p.prompts_done} of {p.prompts} prompts, {p.answer_tokens} answer tokens"
    return f"{p.conversations} conversations, {p.answer_tokens} of {p.goal_tokens} answer tokens"


def clock(seconds: float) -> str:
    minutes = round(seconds / 60)
    return f"{minutes // 60} h {minutes % 60:02} min" if minutes >= 60 else f"{minutes} min"


def note(text: str) -> None:
    sys.stderr.write(("\r\x1b[K" if sys.stderr.isatty() else "") + text + "\n")
