"""``slipstream models``: known pairs, whether a drafter belongs to a target, and drafters in 4 bits."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import msgspec

from engine.commands.refuse import refuse


def add_parser(commands: Any) -> None:
    parser: argparse.ArgumentParser = commands.add_parser("models", help="models and drafters", description=__doc__)
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")

    listed = verbs.add_parser("list", help="known pairs of a target and a drafter")
    listed.add_argument("--json", action="store_true")
    listed.set_defaults(run=run_list)

    check = verbs.add_parser("check", help="does this drafter belong to this target, and is it read as it was trained?")
    check.add_argument("drafter", help="directory or hub id of a drafter")
    check.add_argument("--target", default="embedded", metavar="MODEL")
    check.add_argument("--json", action="store_true")
    check.add_argument(
        "--save-as", type=Path, metavar="DIR", help="where another reading is better: write a copy read so"
    )
    check.set_defaults(run=run_check)

    quantize = verbs.add_parser("quantize", help="store a drafter in 4 bits; 16 keeps its precision")
    quantize.add_argument("drafter", help="directory or hub id of a drafter")
    quantize.add_argument("--out", type=Path, required=True, metavar="DIR")
    quantize.add_argument("--bits", type=int, default=4)
    quantize.add_argument("--group-size", type=int, default=64)
    quantize.set_defaults(run=run_quantize)


def run_list(args: argparse.Namespace) -> int:
    from engine.models.registry import known_pairs

    pairs = known_pairs()
    if args.json:
        print(json.dumps({"pairs": [msgspec.to_builtins(pair) for pair in pairs]}, ensure_ascii=False))
        return 0
    width = max(len(pair.target) for pair in pairs)
    for pair in pairs:
        block = f"block {pair.block}" if pair.block else ""
        run_here = "run here" if pair.run_here else "not run here"
        print(f"{pair.target:<{width}}  {pair.scheme}  {block:<9} {pair.drafter}  ({run_here})")
    print("\nNo figure is claimed for a pair that was not run.")
    return 0


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


def run_quantize(args: argparse.Namespace) -> int:
    from engine.drafters.quantize import quantize_drafter
    from engine.models.errors import ModelError
    from engine.target import resolve

    try:
        made = quantize_drafter(resolve(args.drafter)[0], args.out, group_size=args.group_size, bits=args.bits)
    except ModelError as error:
        return refuse(str(error))
    print(made)
    return 0


def note(text: str) -> None:
    print(text, file=sys.stderr)
