"""``slipstream train --scheme A|B|C|D|E``: a drafter of any scheme, from text that the target writes itself."""

from __future__ import annotations

import argparse
import json
import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.commands.refuse import refuse

if TYPE_CHECKING:
    from engine.process.job import Job
    from engine.target import Target
    from engine.train.dataset import Dataset
    from engine.train.generate import Progress
    from engine.train.outcome import Outcome

TEXT_SHARE = 0.35
"""Of the hours, for writing text, where none is given."""
TEXT_S = 1800.0
"""For writing text, where steps are given and no hours."""
MOST_TOKENS = 4_000_000
USUAL_HOURS = 2.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--scheme", choices=("A", "B", "C", "D", "E", "table"), help="what to train; without it name an ACTION")
    add("--target", default="embedded", metavar="MODEL", help="directory or hub id of an mlx-lm model")
    add("--out", type=Path, metavar="DIR", help="the drafter's directory; work in progress lies in DIR.training")
    add("--data", type=Path, metavar="DIR", help="a data set's directory (default: text is made)")
    add("--prompts", type=Path, metavar="FILE", help="text is made of answers to these prompts")
    add("--hours", type=float, default=0.0, metavar="H", help=f"for everything together (default: {USUAL_HOURS:g})")
    add("--steps", type=int, default=0, metavar="N", help="training steps, in place of the hours")
    add("--start", type=Path, metavar="DRAFTER", help="begin with the backbone of this one, in full precision")
    add("--learning-rate", type=float, default=0.0, metavar="R", help="highest (default: 0.0005)")
    add("--conversations", type=int, default=4, metavar="N", help="of one step (default: 4)")
    add("--anchors", type=int, default=24, metavar="N", help="blocks of each conversation in one step (default: 24)")
    add("--firsts", type=int, default=96, metavar="N", help="blocks of which one position is learned (default: 96)")
    add("--sampled", type=int, default=512, metavar="N", help="tokens drawn for the softmax (default: 512; 0: all)")
    add("--decay", type=float, default=2.0, metavar="D", help="position k weighs exp(-(k - 1) / D) (default: 2)")
    add("--unroll", type=int, default=3, metavar="N", help="an EAGLE-3 head's steps on its own output (default: 3)")
    add("--gamma", type=int, default=0, metavar="N", help="drafts of a block (default: 4; A: 5)")
    add("--layers", type=int, default=0, metavar="N", help="default: 6 of the target's own; where it has none 3, A 1")
    add("--draft-vocabulary", type=int, default=None, metavar="N", help="tokens it can propose (default: 32768)")
    add("--soft", type=float, default=0.8, metavar="S", help="share of the target's distribution in the label")
    add("--bits", type=int, default=4, choices=(4, 5, 6, 8, 16), help="of the finished drafter (default: 4)")
    add("--group-size", type=int, default=32, choices=(32, 64), help="of packed weights; 64 is smaller (default: 32)")
    add("--taps", type=Path, metavar="DIR", help="where taps are kept, for several runs on one data set")
    add("--taps-gb", type=float, default=8.0, metavar="N", help="more are computed anew in each step (default: 8)")
    add("--held-out", type=int, default=100, metavar="N", help="held-out answers it is judged by (default: 100)")
    add("--seed", type=int, default=0, metavar="S")
    add("--keep-taps", action="store_true", help="leave the work directory's taps when done")
    add("--json", action="store_true", help="print the outcome as one JSON object")
    add("--progress", choices=("line", "json"), default="line", help="json: messages of a long job on stdout")


def run(args: argparse.Namespace) -> int:
    problem = wrong(args)
    if problem:
        return refuse(problem)
    from engine.drafters.layout import LayoutError
    from engine.models.errors import ModelError
    from engine.process.job import Job
    from engine.process.printer import JsonPrinter, LinePrinter
    from engine.train.conversations import DataError
    from engine.train.drafter import STAGES
    from engine.train.failures import TrainError

    printer = JsonPrinter() if args.progress == "json" else LinePrinter()
    with Job(printer, f"train {args.scheme}", STAGES, args.out) as job:
        try:
            return table(args, job) if args.scheme == "table" else drafter(args, job)
        except (TrainError, DataError, ModelError, LayoutError) as error:
            message = str(error)
        except OSError as error:
            message = f"{error.filename or args.out} can't be written ({(error.strerror or str(error)).lower()})."
        job.ended("failed", message)
        # The printer for people has said it already.
        return refuse(message) if args.progress == "json" else 2


def wrong(args: argparse.Namespace) -> str:
    if args.out is None:
        return "--out is missing: name the directory of the new drafter."
    if args.out.is_file():
        return f"{args.out} is a file: name the directory of the new drafter (--out)."
    for name, least in (
        ("steps", 0), ("conversations", 1), ("anchors", 1), ("firsts", 0), ("sampled", 0), ("unroll", 1), ("gamma", 0),
        ("layers", 0), ("draft_vocabulary", 16), ("held_out", 1), ("seed", 0),
    ):  # fmt: skip
        if getattr(args, name) is not None and getattr(args, name) < least:
            return f"--{name.replace('_', '-')} must be {least} or more (got {getattr(args, name)})."
    for name, most in (("hours", 1000.0), ("learning_rate", 1.0), ("soft", 1.0), ("taps_gb", 1e6)):
        if not 0 <= getattr(args, name) <= most:
            return f"--{name.replace('_', '-')} must be from 0 to {most:g} (got {getattr(args, name)})."
    if not 0.1 <= args.decay <= 100:
        return f"--decay must be from 0.1 to 100 (got {args.decay})."
    if args.hours and args.steps:
        return "--hours and --steps exclude each other."
    if args.json and args.progress == "json":
        return "--json and --progress json both write to stdout: choose one."
    if args.data and args.prompts:
        return "--data and --prompts exclude each other: prompts are answered to make a data set."
    if args.taps and args.taps.is_file():
        return f"{args.taps} is a file: name a directory for taps (--taps)."
    if args.start and not args.start.exists():
        return f"There is no drafter at {args.start}."
    return ""


def drafter(args: argparse.Namespace, job: Job) -> int:
    import msgspec

    from engine.target import load_target
    from engine.train.drafter import Wish, train_drafter
    from engine.train.left_taps import drop
    from engine.train.recipe import TrainRecipe

    began = time.monotonic()
    hours = args.hours or (0.0 if args.steps else USUAL_HOURS)
    target = load_target(args.target)
    data = text(args, target, hours, job)
    if data is None:
        return ended(args, job, None)
    spent = (time.monotonic() - began) / 3600
    recipe = TrainRecipe(
        scheme=args.scheme, steps=args.steps, seed=args.seed, conversations=args.conversations, anchors=args.anchors,
        firsts=args.firsts, sampled=args.sampled, decay=args.decay, unroll=args.unroll,
        learning_rate=args.learning_rate or 5e-4, soft=args.soft,
        start=str(args.start.resolve()) if args.start else "",
    )  # fmt: skip
    wish = Wish(
        out=args.out.absolute(), recipe=recipe, hours=max(hours - spent, 0.02) if hours else 0.0, hours_asked=hours,
        gamma=args.gamma or (5 if args.scheme == "A" else 4), layers=args.layers,
        draft_vocabulary=args.draft_vocabulary, bits=args.bits, group_size=args.group_size, taps=args.taps,
        taps_gb=args.taps_gb, held_answers=args.held_out,
    )  # fmt: skip
    outcome = train_drafter(wish, target, data, job)
    if outcome is not None and outcome.ended != "stopped" and not args.keep_taps:
        shutil.rmtree(wish.work / "taps", ignore_errors=True)
        drop(wish.work / "text")  # too many of them to be used
    status = ended(args, job, outcome)
    if args.json and outcome is not None:
        print(msgspec.json.encode({**as_dict(outcome), "out": str(wish.out)}).decode())
    return status


def as_dict(outcome: Outcome) -> dict[str, Any]:
    score = outcome.score
    return {
        "ended": outcome.ended, "step": outcome.step, "best_step": outcome.best_step,
        "tokens_per_forward": score and score.tokens_per_forward, "low": score and score.low,
        "high": score and score.high, "answers": score.answers if score else 0,
    }  # fmt: skip


def ended(args: argparse.Namespace, job: Job, outcome: Outcome | None) -> int:
    from engine.drafters.save import is_saved

    stopped = job.cancelled()
    if outcome is None:
        if is_saved(args.out):
            job.ended("stopped", f"Stopped; {args.out} is as it was. Give the same command again to go on.")
        else:
            job.ended("stopped", "Stopped before there was a drafter to keep. Give the same command again to go on.")
        return 130
    said = "It is not judged: the text holds no held-out answer for that."
    if outcome.score is not None:
        s = outcome.score
        said = (
            f"{s.tokens_per_forward:.2f} tokens per target forward [{s.low:.2f} .. {s.high:.2f}] on {s.answers} "
            "held-out answers."
        )
    if outcome.before:
        best = args.out.with_name(f"{args.out.name}.training") / "run" / "best"
        said = f"{args.out} is done: {said} To train further, begin another one with it: --start {best} --out DIR."
    elif stopped:
        job.ended("stopped", f"Stopped after step {outcome.step}; the best drafter so far is kept. {said}", [args.out])
        return 130
    job.ended("done", said, [args.out])
    if args.progress == "line" and not args.json:
        print(args.out)
    return 0


def text(args: argparse.Namespace, target: Target, hours: float, job: Job) -> Dataset | None:
    """The data set that is named, or one that is made; None where stopped."""
    import msgspec

    from engine.paths import resources_dir
    from engine.platform import backend
    from engine.train.conversations import DataError, count
    from engine.train.dataset import gather, generate, open_dataset, planned_wave, read_dataset
    from engine.train.generate import Cancelled, Recipe
    from engine.train.imports import import_file
    from engine.train.layouts import spread_taps
    from engine.train.openers import read_openers, read_prompts, read_weights
    from engine.train.pace import plan_wave

    if args.data:
        data = read_dataset(args.data)
        if data.manifest["vocabulary"] != target.facts.vocabulary:
            raise DataError(
                f"{args.data} is text of {data.manifest['target']['name']}, another model than {target.facts.name}: "
                "name a data set of the target."
            )
        return data
    directory = args.out.with_name(f"{args.out.name}.training") / "text"
    source, sha256 = read_prompts(args.prompts) if args.prompts else read_openers(None)
    recipe = Recipe(
        seed=args.seed, rows=32 if backend() == "metal" else 96, languages=read_weights("en=8,zh=1,mixed=1"),
        source_sha256=sha256,
    )  # fmt: skip
    goal_s = hours * 3600 * TEXT_SHARE if hours else TEXT_S

    def tell(p: Progress) -> None:
        done, total = text_seconds(p, goal_s)
        job.progress("text", done, total, "s", f"{p.answer_tokens} answer tokens")

    shipped = resources_dir() / "text" / "embedded.npz"
    whole = directory / "whole"
    # Text of the embedded model comes with the product.
    comes_along = args.target == "embedded" and not args.prompts and shipped.is_file()
    if not comes_along:
        try:
            wave = planned_wave(directory, goal_s)
            rows, rounds = wave or plan_wave(target, recipe, source, goal_s, cancelled=job.cancelled)
        except Cancelled:
            return None
        recipe = msgspec.structs.replace(recipe, rows=rows, rounds=rounds)
    with open_dataset(directory, target, recipe, 0.0 if comes_along else goal_s):
        if whole.exists():
            # A run that goes on learns from the very text that it began with.
            return read_dataset(directory)
        if comes_along:
            import_file(directory, shipped, target)
        else:
            generate(
                directory, target, recipe, source, MOST_TOKENS, limit_s=goal_s, on_progress=tell,
                cancelled=job.cancelled,
                layers=() if args.scheme == "table" else spread_taps(len(target.model.layers)),
                taps_bytes=args.taps_gb * 1e9,
            )  # fmt: skip
        if job.cancelled():
            return None
        gather(directory, tell)
    data = read_dataset(directory)
    if not count(data.train) or not count(data.held):
        raise DataError(
            "The text that was made is too little to learn from and to judge by: give more --hours, more prompts, or a "
            "data set (--data)."
        )
    whole.touch()
    return data


def text_seconds(p: Progress, goal_s: float) -> tuple[int, int]:
    """Seconds that writing took, and that it will have taken: less than ``goal_s`` where prompts end before."""
    if p.stage == "cleaning":
        return round(goal_s), round(goal_s)
    spent_s = min(p.spent_s, goal_s)
    total_s = goal_s if p.seconds_left is None else min(goal_s, spent_s + p.seconds_left)
    return round(spent_s), round(total_s)


def table(args: argparse.Namespace, job: Job) -> int:
    """An n-gram table: the text, then seconds."""
    from engine.drafters.table import save_table
    from engine.target import load_target
    from engine.train.fit import fit_table

    data = text(args, load_target(args.target), args.hours or USUAL_HOURS, job)
    if data is None:
        job.ended("stopped", "Stopped before there was text enough. Give the same command again to go on.")
        return 130
    job.progress("train", 0, 1)
    size = save_table(args.out, fit_table(data))
    job.progress("save", 1, 1)
    job.ended("done", f"A table of {size / 1e6:.1f} MB.", [args.out])
    if args.json:
        print(json.dumps({"ended": "done", "bytes": size, "out": str(args.out.absolute())}))
    elif args.progress == "line":
        print(args.out)
    return 0
