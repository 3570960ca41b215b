"""``slipstream lab``: what the product says about speculative decoding on this machine, with the evidence.

Exit status: 0 done, 1 a check failed or a lab could not be run, 2 the request was wrong (one line on stderr), 130
stopped; what is done is kept, and the same command goes on with the rest.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from engine.arms import ArmError, parse_arms
from engine.commands.refuse import refuse
from engine.lab.defaults import default_arms
from engine.paths import data_dir
from engine.process.printer import printer
from engine.trace.events import Arm, Settings

if TYPE_CHECKING:
    from engine.lab.suite import LabState

LABS = ("lossless", "sampling", "profile", "sweep", "attribution", "concurrency", "stability")
ABOUT = {
    "lossless": "is the text the target's own, token by token",
    "sampling": "is sampled text distributed as the target's own",
    "profile": "which draft positions are accepted, on which kinds of text",
    "sweep": "block length, candidate width, temperature, context: where the gain bends",
    "attribution": "does the gain come from cheap drafts or from long acceptance",
    "concurrency": "what is left of the gain when several requests run at once",
    "stability": "odd inputs, cancels, long runs, memory",
    "all": "every lab in turn, then the report",
}


def add_parser(commands: Any) -> None:
    parser: argparse.ArgumentParser = commands.add_parser(
        "lab", help="evidence about speculative decoding on this machine", description=__doc__
    )
    actions = parser.add_subparsers(dest="action", required=True, metavar="LAB")
    for lab, about in ABOUT.items():
        add_lab(actions, lab, about)
    report: argparse.ArgumentParser = actions.add_parser("report", help="write the report of a directory anew")
    report.add_argument("directory", type=Path, metavar="DIR", help="where the labs left their results")
    report.add_argument("--out", type=Path, metavar="DIR", help="directory of the report (default: DIR)")
    report.add_argument(
        "--recompute",
        action="store_true",
        help="compute every figure from the traces again; status 1 where one differs",
    )
    add_report_options(report)
    report.set_defaults(run=run_report)
    compare: argparse.ArgumentParser = actions.add_parser("compare", help="hold two reports against each other")
    compare.add_argument("first", type=Path, metavar="A", help="a directory of the lab or its report.json")
    compare.add_argument("second", type=Path, metavar="B")
    compare.add_argument("--out", type=Path, metavar="FILE", help="write a page as well")
    add_report_options(compare)
    compare.set_defaults(run=run_compare)


def add_lab(actions: Any, lab: str, about: str) -> None:
    parser: argparse.ArgumentParser = actions.add_parser(lab, help=about, description=f"{about.capitalize()}.")
    parser.add_argument(
        "--arm", action="append", metavar="ARM",
        help="as for compare; repeat it; the target alone comes first and is added where it is missing "
        "(default: the best drafters that ship for the target)",
    )  # fmt: skip
    parser.add_argument("--target", default="embedded", metavar="MODEL", help="directory or hub id of an mlx-lm model")
    parser.add_argument("--out", type=Path, metavar="DIR", help="directory of results (default: a new one of yours)")
    parser.add_argument(
        "--plan", choices=("quick", "full"), default="quick", help="quick: within half an hour on two cores"
    )
    parser.add_argument(
        "--prompts", type=Path, metavar="FILE",
        help="your own prompts: .txt, one a line; .jsonl with 'prompt'; .json as the product's own",
    )  # fmt: skip
    parser.add_argument("--tokens", type=int, default=0, metavar="N", help="longest answer (default: the plan's)")
    parser.add_argument("--block", type=int, default=8, metavar="N", help="rows verified at once (default: 8)")
    parser.add_argument("--seed", type=int, default=0, metavar="S")
    parser.add_argument("--again", action="store_true", help="run also what is there already")
    parser.add_argument("--json", action="store_true", help="print one JSON object at the end")
    parser.add_argument("--progress", choices=("json",), help="print messages, one a line, as the work goes on")
    if lab == "all":
        parser.add_argument("--only", default="", metavar="LABS", help="only these, a comma between them")
        parser.add_argument("--language", choices=("en", "zh"), default="en", help="the report's first language")
    parser.set_defaults(run=run_lab, lab=lab)


def add_report_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--language", choices=("en", "zh"), default="en", help="first language (the page has both)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


# Labs


def lab_arms(texts: Sequence[str] | None, defaults: Settings, target: str) -> list[Arm]:
    """The target alone comes first: it is what everything is compared with. Raises ``ArmError``."""
    arms = parse_arms(list(texts or default_arms(target)), defaults, target)
    plain = next((arm for arm in arms if arm.drafter == "none"), None)
    if plain is None:
        first = arms[0]
        settings = msgspec.structs.replace(first.settings, block=defaults.block)
        return [Arm(name="baseline", target=first.target, settings=settings), *arms]
    return [plain, *(arm for arm in arms if arm is not plain)]


def run_lab(args: argparse.Namespace) -> int:
    if args.json and args.progress:
        return refuse("--json and --progress json both write to stdout: choose one.")
    wanted = [args.lab] if args.lab != "all" else [lab.strip() for lab in args.only.split(",") if lab.strip()] or LABS
    if unknown := next((lab for lab in wanted if lab not in LABS), ""):
        return refuse(f"--only names '{unknown}', which is no lab. Known: {', '.join(LABS)}.")
    if args.tokens < 0 or 0 < args.tokens < 16:
        return refuse(f"--tokens must be 16 or more (got {args.tokens}): shorter answers say nothing of speed.")

    from engine.lab.plan import make_plan
    from engine.lab.result import LabError
    from engine.lab.samples import read_own

    try:
        plan = make_plan(args.plan, read_own(args.prompts) if args.prompts else None, args.seed, tokens=args.tokens)
        defaults = Settings(max_tokens=plan.tokens, seed=args.seed, block=args.block)
        arms = lab_arms(args.arm, defaults, args.target)
    except (ArmError, LabError) as error:
        return refuse(str(error))
    out = (args.out or new_directory()).absolute()
    try:
        (out / "traces").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        return refuse(f"{out} can't be made ({(error.strerror or str(error)).lower()}): name another with --out.")

    from engine.lab.suite import WeighedJob, run_labs
    from engine.platform import machine

    names = tuple(name for name in LABS if name in wanted)
    with WeighedJob(printer(args.progress), f"lab {args.lab}", names, out) as job:
        try:
            states = run_labs(names, plan, tuple(arms), out, job, machine(), args.again)
        except LabError as error:
            job.ended("failed", str(error))
            # With messages the sentence is in the last of them and on stderr; the status is that of a wrong request.
            return refuse(str(error)) if args.progress else 2
        stopped = job.cancelled() or any(state.outcome == "stopped" for state in states)
        files = [out / f"{state.lab}.json" for state in states if state.result]
        answers: list[str] = []
        if args.lab == "all" and files:
            from engine.lab.report import write_report

            report = write_report(out, language=args.language)
            files = [report.html, report.json, *files]
            answers = report.sentences
        status = exit_status(states, stopped)
        job.ended("stopped" if stopped else "failed" if status == 1 else "done", closing(states, stopped, out), files)
    if args.json:
        print(json.dumps(states_json(states, out, files), ensure_ascii=False))
    elif not args.progress:
        show(states, files, answers)
    return status


def new_directory() -> Path:
    return data_dir() / "lab" / datetime.now(UTC).astimezone().strftime("%Y-%m-%d-%H%M%S")


def exit_status(states: Sequence[LabState], stopped: bool) -> int:
    if stopped:
        return 130
    broken = any(state.outcome == "broken" for state in states)
    failed = any(state.result is not None and state.result.status == "fail" for state in states)
    return 1 if broken or failed else 0


def closing(states: Sequence[LabState], stopped: bool, out: Path) -> str:
    """One sentence at the end, where it isn't plainly done."""
    if stopped:
        done = sum(1 for state in states if state.outcome in ("done", "kept"))
        of = f"{done} of {len(states)} labs"
        return f"Stopped after {of}; {out} keeps what is done, and the same command goes on with the rest."
    said = [f"{state.lab}: {state.message}" for state in states if state.outcome == "broken"]
    said += [f"{s.lab}: a check failed." for s in states if s.result is not None and s.result.status == "fail"]
    return " ".join(said)


def states_json(states: Sequence[LabState], out: Path, files: Sequence[Path]) -> dict[str, Any]:
    """What ``--json`` prints: of one lab its result with its own keys on top, of several one entry each."""
    entries = [state_json(state) for state in states]
    if len(entries) == 1:
        return {**entries[0], "out": str(out), "files": [str(file) for file in files]}
    return {
        "status": overall(states),
        "labs": entries,
        "out": str(out),
        "files": [str(file) for file in files],
    }


def state_json(state: LabState) -> dict[str, Any]:
    if state.result is None:
        return {"lab": state.lab, "outcome": state.outcome, "status": None, "message": state.message}
    result = msgspec.to_builtins(state.result)
    return {**result["results"], **result, "outcome": state.outcome}


def overall(states: Sequence[LabState]) -> str:
    if any(state.result is not None and state.result.status == "fail" for state in states):
        return "fail"
    if any(state.outcome == "broken" for state in states):
        return "broken"
    return "done" if all(state.outcome in ("done", "kept") for state in states) else "stopped"


def show(states: Sequence[LabState], files: Sequence[Path], answers: Sequence[str]) -> None:
    """For people."""
    width = max(len(state.lab) for state in states)
    for state in states:
        status = state.result.status if state.result else state.outcome
        seconds = f"{state.result.seconds:7.1f} s" if state.result else ""
        note = " (there already)" if state.outcome == "kept" else ""
        print(f"{state.lab:<{width}}  {status:<10} {seconds}{note}".rstrip())
        if state.result is not None:
            for control in state.result.results.get("controls", []):
                print(f"  {'caught' if control['caught'] else 'NOT CAUGHT'}: {control['name']}")
    if answers:
        print("\n" + "\n".join(answers))
    if files:
        print(f"\n{files[0]}")


# Reports


def run_report(args: argparse.Namespace) -> int:
    from engine.lab.report import write_report
    from engine.lab.result import LabError

    differing: list[str] = []
    try:
        if args.recompute:
            from engine.lab.report.read import results_in
            from engine.lab.suite import recompute

            for lab, result in results_in(args.directory).items():
                differing += [f"{lab}.json: {key}" for key in recompute(args.directory, result)]
        report = write_report(args.directory, args.out, args.language)
    except LabError as error:
        return refuse(str(error))
    if args.json:
        sys.stdout.write(report.json.read_text(encoding="utf-8"))
    else:
        print("\n".join([*report.sentences, "", str(report.html)]))
    for each in differing:
        print(f"slipstream: {each} is not what the traces give.", file=sys.stderr)
    return 1 if differing else 0


def run_compare(args: argparse.Namespace) -> int:
    from engine.lab.report.compare import compare_page, compare_reports, comparison_lines, load_report
    from engine.lab.result import LabError

    try:
        comparison = compare_reports(load_report(args.first), load_report(args.second))
    except LabError as error:
        return refuse(str(error))
    if args.out:
        try:
            args.out.write_text(compare_page(comparison, args.language), encoding="utf-8")
        except OSError as error:
            return refuse(f"{args.out} can't be written ({(error.strerror or str(error)).lower()}).")
    if args.json:
        print(json.dumps(msgspec.to_builtins(comparison), ensure_ascii=False))
    else:
        print("\n".join(comparison_lines(comparison, args.language)))
    return 0
