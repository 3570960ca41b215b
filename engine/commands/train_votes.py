"""``slipstream train votes``: weighs a drafter, the table and look-up against each other, on text new to them."""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.commands.on_held import held_taps, run_on
from engine.commands.refuse import refuse

if TYPE_CHECKING:
    from engine.process.job import Job

USUAL_ANSWERS = 80


def add_parser(actions: Any) -> None:
    votes: argparse.ArgumentParser = actions.add_parser(
        "votes", help="weigh drafter, table and look-up against each other",
        description="Fit the weights of arms such as DRAFTER+table+lookup on held-out answers that the drafter is not "
        "judged by, and write them into its directory (votes.json).",
    )  # fmt: skip
    votes.add_argument("--drafter", type=Path, required=True, metavar="DIR", help="its weights are written there")
    votes.add_argument("--data", type=Path, required=True, metavar="DIR", help="a data set's directory")
    votes.add_argument("--taps", type=Path, metavar="DIR", help="where taps of the data set are kept")
    votes.add_argument("--target", default="embedded", metavar="MODEL")
    votes.add_argument("--answers", type=int, default=USUAL_ANSWERS, metavar="N",
                       help=f"to learn from (default: {USUAL_ANSWERS})")  # fmt: skip
    votes.add_argument("--held-out", dest="judged", type=int, default=100, metavar="N",
                       help="answers that judge drafters, and are left out (default: 100)")  # fmt: skip
    votes.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    for name, value in (("answers", args.answers), ("held-out", args.judged)):
        if value < 1:
            return refuse(f"--{name} must be 1 or more (got {value}).")
    return run_on([args.drafter], "train votes", "votes", weigh, args)


def weigh(args: argparse.Namespace, job: Job) -> int:
    import msgspec

    from engine.drafters.blend import SHORTEST, Blend
    from engine.drafters.checkpoint import load_block_drafter
    from engine.drafters.load import check_same_text
    from engine.drafters.lookup import Lookup
    from engine.drafters.table import TableDrafter, embedded_table, load_table
    from engine.drafters.votes import FILE
    from engine.target import load_target
    from engine.train.clean import LOOP_SHARE
    from engine.train.conversations import DataError, count, write_json
    from engine.train.dataset import read_dataset
    from engine.train.drafter import check_text
    from engine.train.judge import Judge
    from engine.train.votes import fit_votes

    began = time.monotonic()
    data = read_dataset(args.data)
    target = load_target(args.target)
    check_text(data, target)
    table = load_table(embedded_table())
    check_same_text(table, target)
    # Not as an arm attaches them: what was fitted before, or is damaged, takes no part.
    drafter = load_block_drafter(args.drafter, target).drafter()
    blend = Blend(drafter, Lookup(shortest=SHORTEST), TableDrafter(table))  # type: ignore[arg-type]
    held = data.held
    taps = held_taps(args.taps, held, blend.taps, target, job)
    if taps is None:
        return stopped(args, job)
    judge = Judge(target, held, taps, args.judged)
    last = max([*judge.calm, *judge.loops], default=-1)
    free = [i for i in range(last + 1, count(held)) if held.repeats[i] <= LOOP_SHARE]
    if not free:
        raise DataError(
            f"{args.data} holds no held-out answer beside the {len(judge.calm)} that judge drafters: make more text, "
            "or judge by fewer (--held-out)."
        )
    votes = fit_votes(
        blend, judge, free[: args.answers], job.cancelled,
        lambda done, of: job.progress("votes", done, of, "answers"),
    )  # fmt: skip
    if votes is None:
        return stopped(args, job)
    write_json(args.drafter / FILE, msgspec.to_builtins(votes))
    job.ended("done", f"Fitted on {votes.fitted_on}; {time.monotonic() - began:.0f} s.", [args.drafter / FILE])
    print(args.drafter / FILE)
    return 0


def stopped(args: argparse.Namespace, job: Job) -> int:
    job.ended("stopped", f"Stopped: {args.drafter} is as it was.")
    return 130
