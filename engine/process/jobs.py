"""Long work as a process of its own: what ``lab``, ``train`` and ``models pull`` print with ``--progress json``.

One message a line on stdout and nothing else; the log goes to stderr. SIGTERM or SIGINT stops a job at its next safe
point: it keeps what is done, says so in ``JobEnded``, and ends with status 130. The window runs jobs this way; a
program of anybody's can. Neither MLX nor Qt is imported here.
"""

from __future__ import annotations

from typing import Literal

import msgspec
from msgspec import Struct


class JobStarted(Struct, frozen=True, kw_only=True, tag="job-started"):
    job: str
    """``lab all``, ``train B``, ``models pull`` ..."""
    stages: tuple[str, ...] = ()
    """The plan, in order; ``JobProgress.stage`` names one of them."""
    out: str = ""
    """Directory the results go to."""


class JobProgress(Struct, frozen=True, kw_only=True, tag="job-progress"):
    stage: str
    done: float
    total: float
    """0 where it isn't known."""
    unit: str = ""
    per_s: float | None = None
    seconds_left: float | None = None
    """Of the whole job where ``whole``, otherwise of the stage."""
    whole: bool = False
    note: str = ""


class JobPoint(Struct, frozen=True, kw_only=True, tag="job-point"):
    """A point of a curve that is drawn while the job runs."""

    series: str
    """``training loss``, ``held-out tokens per forward`` ..."""
    x: float
    y: float
    low: float | None = None
    high: float | None = None
    x_name: str = ""
    """With its unit: ``steps``, ``block length``."""
    y_name: str = ""


class JobCell(Struct, frozen=True, kw_only=True, tag="job-cell"):
    """A cell of a matrix is measured."""

    table: str
    row: str
    column: str
    value: float | None = None
    low: float | None = None
    high: float | None = None
    text: str = ""
    """Shown in place of ``value`` where there is no number: ``PASS``, ``void: repeats itself``."""
    traces: tuple[str, ...] = ()
    """Trace files behind it, absolute."""


class JobEnded(Struct, frozen=True, kw_only=True, tag="job-ended"):
    status: Literal["done", "stopped", "failed"]
    message: str = ""
    """One sentence for the user where not ``done``: what, where, what to do, and what was kept."""
    files: tuple[str, ...] = ()
    """What was made, absolute, the most important first: a report, a drafter's directory."""


JobMessage = JobStarted | JobProgress | JobPoint | JobCell | JobEnded

encode = msgspec.json.Encoder().encode
decode = msgspec.json.Decoder(JobMessage).decode
