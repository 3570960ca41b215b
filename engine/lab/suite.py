"""Runs labs one after another into one directory, and runs none of them twice.

    DIR/<lab>.json       the lab's result (``engine.lab.result``), with what was asked for under ``conditions.request``
    DIR/traces/          what the results are computed from
    DIR/unfinished.json  labs that could not be run here, and why

A lab whose result is there for the same request on the same machine is not run again. A lab that breaks is noted and
the others go on. A job that is asked to stop keeps what is done; a lab that was cut short is run again the next time.
"""

from __future__ import annotations

import hashlib
import importlib
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import Struct

from engine import __version__
from engine.lab.budget import QUICK_S, within
from engine.lab.plan import Plan
from engine.lab.result import LabError, LabResult, read_result, write_result
from engine.models.errors import ModelError
from engine.process.job import Job
from engine.trace.events import Arm, Machine
from engine.trace.file import TraceError
from engine.trace.file import read as read_trace

MODULES = {
    "lossless": "lossless",
    "sampling": "sampled",
    "profile": "profile",
    "sweep": "sweep",
    "attribution": "attribution",
    "concurrency": "concurrency",
    "stability": "stability",
}
"""Lab and its module, in the order of the procedure: whether the text is right comes before how fast it is."""
LABS = tuple(MODULES)
UNFINISHED = "unfinished.json"

TOLD_SHARE = 0.03
"""Of the whole: before so much is done, no pace is worth being told."""
KEPT = "kept"
"""Note of a lab that was there already."""

RunLab = Callable[[Plan, tuple[Arm, ...], Path, Job], LabResult]
Outcome = Literal["done", "kept", "stopped", "broken", "not reached"]


class LabState(Struct, frozen=True, kw_only=True):
    lab: str
    outcome: Outcome
    """``kept``: it was there already. ``broken``: it could not be run, ``message`` says why."""
    result: LabResult | None = None
    message: str = ""


def load_lab(name: str) -> RunLab:
    """The lab's own module is imported when it is run: it brings MLX."""
    run: RunLab = importlib.import_module(f"engine.lab.{MODULES[name]}").run
    return run


def results_from_traces(name: str) -> Callable[..., dict[str, Any]]:
    """What recomputes a lab's results from the traces it left."""
    compute: Callable[..., dict[str, Any]] = importlib.import_module(f"engine.lab.{MODULES[name]}").results_from_traces
    return compute


def recompute(out: Path, result: LabResult) -> list[str]:
    """Keys of the results whose figures the traces don't give again; empty where all agree. Raises ``LabError``."""
    try:
        found = results_from_traces(result.lab)(read_trace(str(out / trace)) for trace in result.traces)
    except TraceError as error:
        raise LabError(f"{error}") from error
    again, held = (msgspec.json.decode(msgspec.json.encode(each)) for each in (found, result.results))
    return sorted(key for key in {*again, *held} if again.get(key) != held.get(key))


def request(plan: Plan, arms: Sequence[Arm], machine: Machine) -> dict[str, Any]:
    """What must be the same for a result to be taken as it is."""
    texts = "\0".join(f"{sample.name}\0{sample.prompt}" for sample in plan.prompts)
    return {
        "plan": plan.name,
        "prompts": [sample.name for sample in plan.prompts],
        "prompts_sha256": hashlib.sha256(texts.encode()).hexdigest(),
        "tokens": plan.tokens,
        "seed": plan.seed,
        "sizes": dict(sorted(plan.sizes.items())),
        "arms": [msgspec.to_builtins(arm) for arm in arms],
        "app": __version__,
        "machine": msgspec.to_builtins(machine),
    }


def held(out: Path, lab: str, wanted: dict[str, Any]) -> LabResult | None:
    """The result that is there, where it is whole and answers the same request."""
    file = out / f"{lab}.json"
    if not file.exists():
        return None
    try:
        result = read_result(file)
    except LabError:
        return None
    same = result.conditions.get("request") == msgspec.json.decode(msgspec.json.encode(wanted))
    traces = all((out / trace).exists() for trace in result.traces)
    return result if same and traces and result.status != "stopped" else None


def run_labs(
    names: Sequence[str],
    plan: Plan,
    arms: tuple[Arm, ...],
    out: Path,
    job: Job,
    machine: Machine,
    again: bool = False,
    load: Callable[[str], RunLab] | None = None,
    clock: Callable[[], float] = time.perf_counter,
) -> list[LabState]:
    """One state a lab, in order. A wrong request raises ``LabError`` where the lab is the only one."""
    wanted = request(plan, arms, machine)
    states: list[LabState] = []
    notes = read_unfinished(out)
    began_s = clock()
    for number, lab in enumerate(names):
        if job.cancelled():
            states.append(LabState(lab=lab, outcome="not reached"))
            continue
        kept = None if again else held(out, lab, wanted)
        if kept is not None:
            job.progress(lab, 1, 1, note=KEPT)
            states.append(LabState(lab=lab, outcome="kept", result=kept))
            continue
        timed = within(plan, lab, names[number:], clock() - began_s) if len(names) > 1 else plan
        state = run_one(lab, timed, arms, out, job, wanted, load or load_lab, alone=len(names) == 1)
        notes.pop(lab, None)
        if state.outcome == "broken":
            notes[lab] = state.message
        write_unfinished(out, notes)
        states.append(state)
    return states


def run_one(
    lab: str, plan: Plan, arms: tuple[Arm, ...], out: Path, job: Job, wanted: dict[str, Any],
    load: Callable[[str], RunLab], alone: bool,
) -> LabState:  # fmt: skip
    try:
        result = load(lab)(plan, arms, out, job)
    except (LabError, ModelError) as error:
        if alone:
            raise LabError(str(error)) from error
        return LabState(lab=lab, outcome="broken", message=str(error))
    except Exception as error:  # noqa: BLE001 -- one lab's fault must not cost the others' results
        report = out / f"{lab}.error.txt"
        report.write_text(traceback.format_exc(), encoding="utf-8")
        message = f"The lab {lab} broke off ({type(error).__name__}: {error}): {report.name} says where."
        return LabState(lab=lab, outcome="broken", message=message)
    result = msgspec.structs.replace(result, conditions={**result.conditions, "request": wanted})
    write_result(out, result)
    (out / f"{lab}.error.txt").unlink(missing_ok=True)
    cut = result.status == "stopped"
    return LabState(lab=lab, outcome="stopped" if cut else "done", result=result)


def read_unfinished(out: Path) -> dict[str, str]:
    try:
        return msgspec.json.decode((out / UNFINISHED).read_bytes(), type=dict[str, str])
    except (OSError, msgspec.DecodeError):
        return {}


def write_unfinished(out: Path, notes: Mapping[str, str]) -> None:
    if notes:
        (out / UNFINISHED).write_bytes(msgspec.json.format(msgspec.json.encode(notes), indent=2))
    else:
        (out / UNFINISHED).unlink(missing_ok=True)


class WeighedJob(Job):
    """A job of several labs: says with each report how far the whole is, by what a lab is expected to take.

    The labs' paces are learnt as they go: what is left is the expected time of the rest, stretched by how long what is
    done took.
    """

    free = 0.0
    """Weight of the labs that were kept: they took no time and don't belong to the pace."""

    def progress(
        self, stage: str, done: float, total: float, unit: str = "", note: str = "", whole: bool = False
    ) -> None:
        super().progress(stage, done, total, unit, note, whole)
        if stage not in self.stages or total <= 0:
            return
        weights = {name: float(QUICK_S.get(name, 100)) for name in self.stages}
        before = sum(weights[name] for name in self.stages[: self.stages.index(stage)])
        part = min(1.0, done / total)
        share = (before + part * weights[stage]) / sum(weights.values())
        if note == KEPT:
            self.free += weights[stage]
        earned = before + part * weights[stage] - self.free
        spent = self.clock() - self.began_s
        left = None
        if earned >= TOLD_SHARE * sum(weights.values()):
            left = spent / earned * (1 - share) * sum(weights.values())
        self.whole(stage, share, left)
