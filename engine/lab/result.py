"""What one lab leaves behind: ``DIR/<lab>.json`` beside its traces. The report reads nothing else.

``results`` is made of the traces alone, by a pure function of the lab's own module, so that whoever holds the traces
can compute every figure again. Its keys are stated where that function is.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import Struct

from engine.trace.events import Arm, Machine, ModelFacts

VERSION = 1

Status = Literal["pass", "near-tie", "fail", "measured", "stopped"]


class LabError(Exception):
    """A lab can't be run as asked. Its text is meant for the user."""


class Environment(Struct, frozen=True, kw_only=True):
    """Recorded with every result."""

    machine: Machine
    app: str
    """Version of the program."""
    versions: dict[str, str] = {}
    targets: dict[str, ModelFacts] = {}
    """By arm name."""
    drafters: dict[str, ModelFacts] = {}


class LabResult(Struct, frozen=True, kw_only=True):
    lab: str
    """``lossless``, ``sampling``, ``profile``, ``sweep``, ``attribution``, ``concurrency``, ``stability``."""
    version: int = VERSION
    status: Status
    """``stopped``: what is here is whole, but more was planned."""
    environment: Environment
    arms: tuple[Arm, ...]
    conditions: dict[str, Any]
    """Prompts (names, not texts), tokens, seeds, order, plan (``quick`` or ``full``), what was varied."""
    results: dict[str, Any]
    traces: tuple[str, ...] = ()
    """Relative to the result's own directory."""
    not_tested: tuple[str, ...] = ()
    """Sentences: what this run says nothing about."""
    seconds: float = 0.0
    began: str = ""
    """ISO 8601, UTC."""


def write_result(directory: Path, result: LabResult) -> Path:
    """The file appears whole or not at all."""
    file = directory / f"{result.lab}.json"
    half = file.with_name(f".{file.name}.part")
    half.write_bytes(msgspec.json.format(msgspec.json.encode(result), indent=2))
    half.replace(file)
    return file


def read_result(file: Path) -> LabResult:
    """Raises ``LabError``."""
    try:
        result = msgspec.json.decode(file.read_bytes(), type=LabResult)
    except OSError as error:
        raise LabError(f"{file} can't be read ({(error.strerror or str(error)).lower()}).") from error
    except (msgspec.DecodeError, ValueError) as error:
        raise LabError(f"{file} is no result of the lab ({error}): run the lab again.") from error
    if result.version != VERSION:
        raise LabError(f"{file} is of version {result.version}, but this program reads {VERSION}: run the lab again.")
    return result
