"""``slipstream models pull | quantize | remove``: what takes long or changes the disk, with progress and a stop."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from engine.commands.refuse import refuse

STOPPED_STATUS = 130


def add_jobs(verbs: Any, add_places: Callable[[argparse.ArgumentParser], None]) -> None:
    pull = verbs.add_parser("pull", help="fetch models or drafters by hub id; a pull that ended early goes on")
    pull.add_argument("repo", nargs="+", metavar="OWNER/NAME")
    pull.add_argument("--revision", default="main", metavar="REV", help="branch, tag or commit (default: main)")
    pull.add_argument("--again", action="store_true", help="fetch into the cache though it lies elsewhere on this disk")
    add_places(pull)
    add_progress(pull)
    pull.set_defaults(run=run_pull)

    quantize = verbs.add_parser(
        "quantize", help="a model or a drafter in full precision as a 4-bit copy; for drafters 16 keeps the precision"
    )
    quantize.add_argument("drafter", metavar="MODEL", help="directory or hub id of a model or a drafter")
    quantize.add_argument("--out", type=Path, required=True, metavar="DIR")
    quantize.add_argument("--bits", type=int, default=4)
    quantize.add_argument("--group-size", type=int, default=64)
    add_progress(quantize)
    quantize.set_defaults(run=run_quantize)

    remove = verbs.add_parser("remove", help="take a model away from this disk")
    remove.add_argument("name", metavar="MODEL", help="as `slipstream models list` names it")
    remove.add_argument("--folder", type=Path, action="append", default=[], metavar="DIR", help="look here too")
    add_progress(remove)
    remove.set_defaults(run=run_remove)


def add_progress(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--progress", choices=("json",), help="print messages, one a line, as the work goes on")


def run_job(
    args: argparse.Namespace, name: str, stages: Sequence[str], out: Path | str, work: Callable[[Any], list[Path]]
) -> int:
    """Carry ``work`` out as a job; it returns what was made."""
    from engine.models.errors import ModelError
    from engine.models.fetch import FetchError, Stopped
    from engine.process.job import Job
    from engine.process.printer import printer

    with Job(printer(args.progress), name, stages, out) as job:
        try:
            made = work(job)
        except Stopped as error:
            job.ended("stopped", str(error))
            return STOPPED_STATUS
        except FetchError as error:
            job.ended("failed", str(error))
            return 1
        except ModelError as error:
            job.ended("failed", str(error))
            # The printer for people has said it already.
            return refuse(str(error)) if args.progress else 2
        job.ended("done", files=made)
    if not args.progress:
        for path in made:
            print(path)
    return 0


def run_pull(args: argparse.Namespace) -> int:
    from engine.memory.shapes import architecture_problem
    from engine.models import files, places
    from engine.models.errors import ModelError
    from engine.models.fetch import Patience, Stopped
    from engine.models.pull import Progress, make_plan, pull
    from engine.shelf import has_tokenizer, is_drafter_directory

    def inspect(path: Path) -> str:
        """Before any weight: will this program compute it?"""
        if is_drafter_directory(path):
            return ""
        if problem := files.code_problem(path) or architecture_problem(path, files.read_fields(path)):
            return problem
        return "" if has_tokenizer(path) else f"{path} has no tokenizer: it is no language model. Choose another one."

    def work(job: Any) -> list[Path]:
        made = []
        for repo in args.repo:
            elsewhere = None if args.again else places.lies_elsewhere(repo, args.folder)
            if elsewhere is not None and files.is_whole(elsewhere):
                job.progress(repo, 1, 1, note=f"on this disk already: {elsewhere}")
                made.append(elsewhere)
                continue
            job.progress(repo, 0, 0, "bytes", "asking what there is")
            plan = make_plan(repo, revision=args.revision, endpoint=args.endpoint, patience=Patience())
            if job.cancelled():
                raise Stopped("Stopped; what was fetched is kept.")

            def tell(progress: Progress, stage: str = repo) -> None:
                note = progress.note or progress.file
                job.printer.say(
                    JobProgress(
                        stage=stage, done=progress.done_bytes, total=progress.total_bytes, unit="bytes",
                        per_s=progress.per_s, seconds_left=progress.seconds_left, note=note,
                    )
                )  # fmt: skip

            made.append(pull(plan, on_progress=tell, stopped=job.cancelled, inspect=inspect))
        return made

    from engine.process.jobs import JobProgress

    for repo in args.repo:
        if repo.count("/") != 1:
            return refuse(f"'{repo}' is no hub id: write OWNER/NAME.")
    if args.endpoint and not args.endpoint.startswith(("http://", "https://")):
        return refuse(f"--endpoint must be an address that begins with https:// (got '{args.endpoint}').")
    try:
        return run_job(args, "models pull", args.repo, places.hub_cache(), work)
    except ModelError as error:
        return refuse(str(error))


def run_quantize(args: argparse.Namespace) -> int:
    from engine.drafters.quantize import quantize_drafter
    from engine.models.convert import convert_target
    from engine.models.errors import ModelError
    from engine.shelf import is_drafter_directory
    from engine.target import resolve

    if args.bits not in (2, 3, 4, 5, 6, 8, 16):
        return refuse(f"--bits must be 2, 3, 4, 5, 6, 8 or 16 (got {args.bits}).")
    if args.group_size not in (32, 64, 128):
        return refuse(f"--group-size must be 32, 64 or 128 (got {args.group_size}).")

    def work(job: Any) -> list[Path]:
        source = resolve(args.drafter)[0]
        if is_drafter_directory(source):
            job.progress("quantize", 0, 0)
            return [quantize_drafter(source, args.out, group_size=args.group_size, bits=args.bits)]
        if args.bits == 16:
            raise ModelError(f"{source} is a language model: 16 bits would only copy it. Choose 4 or 8.")
        return [
            convert_target(
                source, args.out, bits=args.bits, group_size=args.group_size,
                on_bytes=lambda done, total: job.progress("quantize", done, total, "bytes"), stopped=job.cancelled,
            )
        ]  # fmt: skip

    return run_job(args, "models quantize", ("quantize",), args.out, work)


def run_remove(args: argparse.Namespace) -> int:
    from engine.models.remove import remove

    def work(job: Any) -> list[Path]:
        freed = remove(args.name, args.folder)
        job.progress("remove", freed, freed, "bytes")
        return []

    return run_job(args, "models remove", ("remove",), "", work)
