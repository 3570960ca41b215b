"""``slipstream train judge``: what trained drafters are worth on held-out answers, and their cards written anew."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.commands.on_held import held_taps, run_on
from engine.commands.refuse import refuse

if TYPE_CHECKING:
    from engine.process.job import Job

USUAL_ANSWERS = 100


def add_parser(actions: Any) -> None:
    judge: argparse.ArgumentParser = actions.add_parser(
        "judge", help="judge a drafter on held-out answers",
        description="Walk trained drafters over held-out answers of their target, and write their model cards "
        "(README.md) anew with what came of it. The answers may be of your own data set.",
    )  # fmt: skip
    judge.add_argument("--drafter", type=Path, action="append", required=True, metavar="DIR",
                       help="its card is written there; repeat it, and others are compared with the first")  # fmt: skip
    judge.add_argument("--data", type=Path, required=True, metavar="DIR", help="a data set's directory")
    judge.add_argument("--taps", type=Path, metavar="DIR", help="where taps of the data set are kept")
    judge.add_argument("--target", default="embedded", metavar="MODEL")
    judge.add_argument("--held-out", dest="judged", type=int, default=USUAL_ANSWERS, metavar="N",
                       help=f"answers (default: {USUAL_ANSWERS})")  # fmt: skip
    judge.add_argument("--skip", type=int, default=0, metavar="N",
                       help="leave out the first N of them: by which its best step was chosen")  # fmt: skip
    judge.add_argument("--json", action="store_true", help="print the judgement as one JSON object")
    judge.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    if args.judged < 1 or args.skip < 0:
        return refuse("--held-out must be 1 or more, --skip 0 or more.")
    return run_on(args.drafter, "train judge", "evaluate", judge, args)


def judge(args: argparse.Namespace, job: Job) -> int:
    import msgspec

    from engine.drafters.save import read_saved, update_about
    from engine.target import load_target
    from engine.train.card import shown, write_card
    from engine.train.conversations import DataError
    from engine.train.dataset import read_dataset
    from engine.train.drafter import check_text
    from engine.train.evaluate import paired_difference
    from engine.train.judge import Judge, Judgement

    data = read_dataset(args.data)
    target = load_target(args.target)
    check_text(data, target)
    held = data.held
    layers = tuple(sorted({layer for drafter in args.drafter for layer in read_saved(drafter)[0].taps}))
    taps = held_taps(args.taps, held, layers, target, job)
    if taps is None:
        return stopped(job)
    by = Judge(target, held, taps, args.judged, skip=args.skip)
    if not by.calm:
        raise DataError(
            f"{args.data} holds no held-out answer that doesn't repeat itself beyond the first {args.skip}."
        )
    judged: list[tuple[Path, Judgement]] = []
    for n, drafter in enumerate(args.drafter):
        own = by.of_directory(drafter, "evaluate", job, (n, len(args.drafter)))
        if own is None:
            return stopped(job)
        update_about(drafter, {"held_out": msgspec.to_builtins(own.score)})
        bits = (read_saved(drafter)[2].get("quantization") or {}).get("bits", 16)
        write_card(drafter, by, own if bits == 16 else None, own, bits)
        judged.append((drafter, own))
        if not args.json:
            print(f"{drafter}: {shown(own.score)} tokens per target forward on {own.score.answers} answers", flush=True)
    first = judged[0][1]
    compared = {str(drafter): paired_difference(own.walks, first.walks) for drafter, own in judged[1:]}
    job.ended("done", "", [drafter / "README.md" for drafter, _ in judged])
    if args.json:
        facts = {
            str(drafter): {
                **msgspec.to_builtins(own.score), "loops": own.loops and msgspec.to_builtins(own.loops),
                "difference": compared.get(str(drafter)),
            }
            for drafter, own in judged
        }  # fmt: skip
        print(json.dumps(facts))
    else:
        for name, (middle, low, high) in compared.items():
            print(f"{name} - {args.drafter[0]}: {middle:+.3f} [{low:+.3f} .. {high:+.3f}]")
    return 0


def stopped(job: Job) -> int:
    job.ended("stopped", "Stopped: what was judged before has its new card.")
    return 130
