"""What commands share that walk drafters trained here over a data set's held-out answers."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from engine.commands.refuse import refuse

if TYPE_CHECKING:
    from engine.process.job import Job
    from engine.target import Target
    from engine.train.conversations import Conversations
    from engine.train.taps import Taps


def run_on(
    drafters: Sequence[Path], title: str, stage: str, work: Callable[[argparse.Namespace, Job], int],
    args: argparse.Namespace,
) -> int:  # fmt: skip
    """The exit status of ``work`` on ``args``; what can't be done is one sentence, and status 2."""
    from engine.drafters.save import is_saved
    from engine.models.errors import ModelError
    from engine.process.job import Job
    from engine.process.printer import LinePrinter
    from engine.train.conversations import DataError

    for drafter in drafters:
        if not is_saved(drafter):
            return refuse(f"{drafter} is no drafter that was trained here: name the directory of one.")
    if args.taps is not None and args.taps.is_file():
        return refuse(f"{args.taps} is a file: name a directory for taps (--taps).")
    with Job(LinePrinter(), title, (stage,), drafters[0]) as job:
        try:
            return work(args, job)
        except (ModelError, DataError) as error:
            message = str(error)
        except OSError as error:
            message = f"{error.filename or drafters[0]} can't be used ({(error.strerror or str(error)).lower()})."
        job.ended("failed", message)
        return 2


def held_taps(
    directory: Path | None, held: Conversations, layers: tuple[int, ...], target: Target, job: Job
) -> Taps | None:
    """Taps of held-out answers: computed where they are asked for, or kept in ``directory``. None where stopped."""
    from engine.train.taps import RecomputedTaps, fill_taps, open_taps

    if directory is None:
        return RecomputedTaps(layers, target, held)
    cache = open_taps(directory, "held", held, layers, target.facts.hidden_size, target.facts.name)
    return cache if fill_taps(cache, target, held, cancelled=job.cancelled) else None
