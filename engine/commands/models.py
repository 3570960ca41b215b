"""``slipstream models``: what is on disk and what is known, what fits, whether a drafter belongs to a target."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import msgspec

from engine.commands.models_jobs import add_jobs
from engine.commands.refuse import refuse


def add_parser(commands: Any) -> None:
    parser: argparse.ArgumentParser = commands.add_parser("models", help="models and drafters", description=__doc__)
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")

    listed = verbs.add_parser("list", help="models and drafters on this disk, and known pairs")
    listed.add_argument("--json", action="store_true", help="one object, as engine/process/shelf.py describes it")
    add_places(listed)
    add_memory(listed)
    listed.set_defaults(run=run_list)

    check = verbs.add_parser("check", help="does this drafter belong to this target, and is it read as it was trained?")
    check.add_argument("drafter", help="directory or hub id of a drafter")
    check.add_argument("--target", default="embedded", metavar="MODEL")
    check.add_argument("--json", action="store_true")
    check.add_argument(
        "--save-as", type=Path, metavar="DIR", help="where another reading is better: write a copy read so"
    )
    check.set_defaults(run=run_check)

    fit = verbs.add_parser("fit", help="what a model, alone or with a drafter, takes in memory, before it is fetched")
    fit.add_argument("model", help="directory, hub id, or the name of a known model")
    fit.add_argument("--drafter", default="", metavar="MODEL", help="directory, hub id, or the name of a known drafter")
    fit.add_argument("--bits", type=int, default=0, help="count a full-precision model as a conversion to so many bits")
    fit.add_argument("--kv-bits", type=int, default=0, choices=(0, 4, 8), help="precision of keys and values")
    fit.add_argument(
        "--held", choices=("packed", "float32"), help="as Metal holds weights, or as a CPU does (default: this machine)"
    )
    fit.add_argument("--json", action="store_true")
    add_places(fit)
    add_memory(fit)
    fit.set_defaults(run=run_fit)
    add_jobs(verbs, add_places)


def add_places(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--folder", type=Path, action="append", default=[], metavar="DIR", help="look here too; may be repeated"
    )
    parser.add_argument(
        "--endpoint", default="", metavar="URL", help="a mirror of the hub (default: HF_ENDPOINT, or the hub itself)"
    )


def add_memory(parser: argparse.ArgumentParser) -> None:
    from engine.process.shelf import DEFAULT_CONTEXT_TOKENS, DEFAULT_RESERVE_BYTES

    parser.add_argument(
        "--tokens", type=int, default=DEFAULT_CONTEXT_TOKENS, metavar="N",
        help=f"count the caches for a text of N tokens (default: {DEFAULT_CONTEXT_TOKENS})",
    )  # fmt: skip
    parser.add_argument(
        "--reserve-gb", type=float, default=DEFAULT_RESERVE_BYTES / 1024**3, metavar="N",
        help=f"memory left to other programs (default: {DEFAULT_RESERVE_BYTES / 1024**3:g})",
    )  # fmt: skip


def memory_problem(args: argparse.Namespace) -> str:
    if args.tokens < 1:
        return f"--tokens must be 1 or more (got {args.tokens})."
    if not 0 <= args.reserve_gb < 10_000:
        return f"--reserve-gb must be 0 or more (got {args.reserve_gb:g})."
    return ""


def run_list(args: argparse.Namespace) -> int:
    from engine.models.errors import ModelError
    from engine.process import shelf as records
    from engine.shelf import shelf

    if problem := memory_problem(args):
        return refuse(problem)
    for folder in args.folder:
        if not folder.expanduser().is_dir():
            return refuse(f"There is no folder at {folder}: check --folder.")
    try:
        found = shelf(
            args.folder,
            context_tokens=args.tokens,
            reserve_bytes=int(args.reserve_gb * 1024**3),
            endpoint=args.endpoint,
        )
    except ModelError as error:
        return refuse(str(error))
    print(records.encode(found).decode() if args.json else list_text(found))
    return 0


def list_text(found: Any) -> str:
    lines = ["On this disk:"]
    for item in found.models:
        bits = f"{item.bits}-bit" if item.bits else ""
        what = f"drafter {item.scheme}".strip() if item.kind == "drafter" else item.kind
        lines.append(f"  {item.use}")
        facts = [what, item.architecture, bits, f"{item.size_bytes / 1e9:.2f} GB", item.licence, item.place]
        lines.append(f"      {', '.join(fact for fact in facts if fact)}")
        if item.message:
            lines.append(f"      {item.state}: {item.message}")
        elif item.fit:
            lines.append(f"      {item.fit.message}")
    lines.append("\nKnown pairs:")
    for pair in found.pairs:
        block = f", block {pair.block}" if pair.block else ""
        run_here = "run here" if pair.run_here else "not run here"
        lines.append(f"  {pair.target} with {pair.drafter} (scheme {pair.scheme}{block}; {run_here})")
        if pair.message:
            lines.append(f"      {pair.message}")
        if pair.fit and pair.fit.verdict != "unknown":
            lines.append(f"      {pair.fit.message}")
    lines.append("\nNo figure of speed is claimed for a pair that was not run.")
    return "\n".join(lines)


def run_check(args: argparse.Namespace) -> int:
    from engine.drafters.checkpoint import is_block_drafter
    from engine.drafters.intake import check_pair, report_text, save_reading
    from engine.drafters.load import WITHOUT_WEIGHTS, check_same_tokenizer, table_directory
    from engine.models.errors import ModelError
    from engine.target import load_target, resolve

    if args.drafter in WITHOUT_WEIGHTS or table_directory(args.drafter):
        print(f"{args.drafter} reads no layers of a target: there is nothing to check.")
        return 0
    try:
        path, _, _ = resolve(args.drafter)
        target = load_target(args.target)
        if not is_block_drafter(path):
            check_same_tokenizer(load_target(args.drafter), target)
            message = (
                f"{path.name} is a language model with the tokenizer of {target.facts.name}: it can draft (scheme A)."
            )
            print(json.dumps({"verdict": "fits", "sentence": message}) if args.json else message)
            return 0
    except ModelError as error:
        return refuse(str(error))
    report = check_pair(target, path)
    print(json.dumps(msgspec.to_builtins(report), ensure_ascii=False) if args.json else report_text(report))
    if args.save_as:
        if report.use is None:
            return refuse("No other reading of this drafter is better than its own: nothing was saved.")
        try:
            save_reading(path, report.use, args.save_as)
        except ModelError as error:
            return refuse(str(error))
        note(f"Saved as it should be read: {args.save_as}")
    return 0 if report.verdict == "fits" else 1


def run_fit(args: argparse.Namespace) -> int:
    from engine.memory.need import config_need
    from engine.models.errors import ModelError
    from engine.models.peek import configuration
    from engine.process import shelf as records

    if problem := memory_problem(args):
        return refuse(problem)
    if args.bits not in (0, 2, 3, 4, 5, 6, 8):
        return refuse(f"--bits must be 2, 3, 4, 5, 6 or 8 (got {args.bits}).")
    try:
        fit = config_need(
            configuration(args.model, args.endpoint),
            configuration(args.drafter, args.endpoint) if args.drafter else None,
            context_tokens=args.tokens,
            reserve_bytes=int(args.reserve_gb * 1024**3),
            bits=args.bits,
            kv_bits=args.kv_bits,
            held=args.held,
        )
    except ModelError as error:
        return refuse(str(error))
    print(records.encode(fit).decode() if args.json else fit_text(fit))
    return 0


def fit_text(fit: Any) -> str:
    lines = [fit.message]
    lines += [f"  {part.size_bytes / 1024**3:8.3f} GB  {part.name}" for part in fit.parts]
    lines += [f"Assumed: {sentence}" for sentence in fit.assumed]
    return "\n".join(lines)


def note(text: str) -> None:
    print(text, file=sys.stderr)
