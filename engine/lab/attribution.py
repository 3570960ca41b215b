"""``lab attribution``: where the gain comes from, and whether the costs account for it.

``run`` takes the traces of a profile of the same request where one lies in the same directory, or measures samples of
its own; then it measures the target's cost curve. ``results_from_traces`` makes the figures of the traces alone.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from engine.lab.budget import allowed_s
from engine.lab.costs import by_target, cost_curves, measure_costs, seconds_of
from engine.lab.decompose import PARTS, decompose, per_round
from engine.lab.evidence import (
    OVERHEAD,
    ROUNDS,
    SECONDS,
    Answer,
    cost_sums,
    decode_rounds,
    draft_seconds,
    drafters_of,
    evidence,
    pairs,
    plain,
    read_traces,
)
from engine.lab.measure import ORDER, Batch, Cell, Opener, Teller, Writers, environment, measure, now, opener_of
from engine.lab.plan import Plan
from engine.lab.profile import SAMPLE_CELL, with_tokens
from engine.lab.result import LabError, LabResult, read_result, write_result
from engine.models.errors import ModelError
from engine.platform import machine
from engine.process.job import Job
from engine.session import ArmState
from engine.stats import Floats, Interval, bootstrap
from engine.trace.events import Arm
from engine.trace.file import Trace
from engine.trace.of_round import rows_of

LAB = "attribution"
COMPONENTS = ("accepted_length", *PARTS)
NEAR_NOTHING = 0.01
"""A log of the speed-up this small has no shares."""


@dataclass(frozen=True, slots=True)
class Races:
    """Answers of all arms, and where they are from."""

    lab: str
    traces: tuple[str, ...]
    samples: tuple[str, ...]
    stopped: bool = False


def run(plan: Plan, arms: tuple[Arm, ...], out: Path, job: Job, opener: Opener | None = None) -> LabResult:
    """Measure, compute, write ``attribution.json``. Raises ``LabError``."""
    if {arm.drafter == "none" for arm in arms} != {True, False}:
        raise LabError("An attribution needs a baseline and an arm with a drafter: add --arm baseline --arm lookup.")
    began, began_s = now(), time.perf_counter()
    arms = with_tokens(arms, plan.size("profile_tokens", plan.tokens, plan.tokens), plan.seed)
    opener = opener_of(opener)
    races = profiled(out, plan, arms) or raced(plan, arms, out, job, opener)
    try:
        states = dict(zip((arm.name for arm in arms), opener(arms), strict=True))
    except ModelError as error:
        raise LabError(str(error)) from error
    writers = Writers(out, LAB, machine())
    try:
        whole = measure_curves(plan, states, writers, job)
    finally:
        writers.close()
    traces = (*races.traces, *writers.names())
    results = results_from_traces(read_traces(out, traces))
    result = LabResult(
        lab=LAB,
        status="measured" if whole and not races.stopped else "stopped",
        environment=environment(states, writers.machine),
        arms=arms,
        conditions={
            "plan": plan.name,
            "samples": list(races.samples),
            "tokens": arms[0].settings.max_tokens,
            "seed": plan.seed,
            "order": ORDER,
            "races_of": races.lab,
        },
        results=results,
        traces=traces,
        not_tested=("How cost and acceptance change with block length is the sweep's to say.",),
        seconds=time.perf_counter() - began_s,
        began=began,
    )
    write_result(out, result)
    tell(results, Teller(job))
    return result


def profiled(out: Path, plan: Plan, arms: tuple[Arm, ...]) -> Races | None:
    """The races of a profile in the same directory, where it measured the same arms the same way on this machine."""
    try:
        found = read_result(out / "profile.json")
    except LabError:
        return None
    same = (
        found.status == "measured"
        and found.arms == arms
        and found.environment.machine == machine()
        and found.conditions.get("plan") == plan.name
        and all((out / trace).is_file() for trace in found.traces)
    )
    return Races("profile", found.traces, tuple(found.conditions["samples"])) if same else None


def raced(plan: Plan, arms: tuple[Arm, ...], out: Path, job: Job, opener: Opener) -> Races:
    samples = plan.some(plan.size("attribution_samples", 6, 24))
    batch = Batch(arms, (Cell(SAMPLE_CELL, tuple(arm.name for arm in arms)),), samples)
    measured = measure(LAB, [batch], out, job, opener, seconds=allowed_s(plan, LAB))
    names = tuple(sample.name for sample in samples[: measured.samples])
    return Races(LAB, measured.traces, names, measured.stopped)


def measure_curves(plan: Plan, states: dict[str, ArmState], writers: Writers, job: Job) -> bool:
    """One cost curve a target; False where it was cancelled."""
    passes = plan.size("cost_passes", 6, 20)
    widest = by_target(state.spec for state in states.values())
    # A prompt of middling length stands for the contexts of the races.
    sample = sorted(plan.prompts, key=lambda s: len(s.prompt))[len(plan.prompts) // 2]
    for number, (target, rows) in enumerate(widest.items()):
        plainest = next((s for s in states.values() if s.spec.target == target and s.drafter is None), None)
        state = plainest or next(s for s in states.values() if s.spec.target == target)
        job.progress(LAB, number, len(widest), "cost curves", note=target)
        if not measure_costs(state, sample, rows, passes, writers, job.cancelled):
            return False
        job.progress(LAB, number + 1, len(widest), "cost curves", note=target)
    return True


def results_from_traces(traces: Iterable[Trace]) -> dict[str, Any]:
    """All figures of an attribution.

    Intervals are {value, low, high, units}, 95 %, over samples drawn in pairs.

        void, unfinished    as in a profile
        cost_curve          {target: [{rows, seconds, relative}]}: a forward of the target alone; relative to one row
        pairs               [PAIR]: every arm with a drafter against the baseline, then against the first such arm

    PAIR:
        arm, reference, samples
        speedup             interval, measured: tokens a second of decode rounds
        components          {accepted_length | verify | draft | overhead: {log: interval, factor, share}}; the logs add
                            up to ln(speedup) exactly, the factors multiply to it; share is of ln(speedup), null where
                            that is near 0
        tokens_per_round    {arm, reference}: intervals; rounds that drafted nothing included
        round_s             {arm | reference: {verify, draft, overhead, total}} mean seconds of a decode round
        predicted           interval or null: speed-up from tokens a round, the cost curve at the rows that were
                            verified, and draft and overhead as measured
        unexplained         {log: interval, seconds: {arm, reference}} or null: ln(measured / predicted), and what a
                            round took beyond its parts
    """
    traces = list(traces)
    found = evidence(traces)
    curves = cost_curves(traces)
    answers = found.counted
    specs = {answer.arm: answer.spec for answer in found.answers}
    drafting = [name for name, spec in specs.items() if spec.drafter != "none"]
    baseline = next((name for name in specs if name not in drafting), None)
    compared = [(name, baseline) for name in drafting if baseline is not None]
    compared += [(name, drafting[0]) for name in drafting[1:]]
    return {
        "void": found.void,
        "unfinished": list(found.unfinished),
        "cost_curve": {
            target: [
                {"rows": rows, "seconds": seconds, "relative": seconds / curve[1] if curve.get(1) else None}
                for rows, seconds in curve.items()
            ]
            for target, curve in curves.items()
        },
        "pairs": [
            pair
            for arm, reference in compared
            if (pair := pair_figures(*pairs(answers, arm, reference), arm, reference, curves)) is not None
        ],
    }


def pair_figures(
    mine: Sequence[Answer], theirs: Sequence[Answer], arm: str, reference: str, curves: dict[str, dict[int, float]]
) -> dict[str, Any] | None:
    """PAIR; None without a common sample."""
    if not mine:
        return None
    own, other = (columns(side, curves) for side in (mine, theirs))
    at = own.shape[-1]
    both = np.concatenate([own, other], axis=-1)

    def drawn(of: Callable[[Floats, Floats], Floats]) -> Interval:
        return bootstrap(both, lambda s: of(s[..., :at], s[..., at:]))

    logs = [drawn(lambda a, b, k=k: decompose(a[..., 1:], b[..., 1:])[..., k]) for k in range(len(COMPONENTS) + 1)]  # type: ignore[misc]
    total = logs[-1].value
    known = bool((own[:, 0] > 0).all() and (other[:, 0] > 0).all())
    return {
        "arm": arm,
        "reference": reference,
        "samples": len(mine),
        "speedup": plain(drawn(lambda a, b: np.exp(decompose(a[..., 1:], b[..., 1:])[..., -1]))),
        "components": {
            name: {
                "log": plain(log),
                "factor": exponential(log.value),
                "share": log.value / total if log.value is not None and total and abs(total) > NEAR_NOTHING else None,
            }
            for name, log in zip(COMPONENTS, logs, strict=False)
        },
        "tokens_per_round": {
            "arm": plain(bootstrap(own, lambda s: per_round(s[..., 1:])[0])),
            "reference": plain(bootstrap(other, lambda s: per_round(s[..., 1:])[0])),
        },
        "round_s": {"arm": round_seconds(own), "reference": round_seconds(other)},
        "predicted": plain(drawn(predicted)) if known else None,
        "unexplained": {
            "log": plain(drawn(lambda a, b: decompose(a[..., 1:], b[..., 1:])[..., -1] - np.log(predicted(a, b)))),
            "seconds": {"arm": unexplained_seconds(own), "reference": unexplained_seconds(other)},
        }
        if known
        else None,
    }


def columns(answers: Sequence[Answer], curves: dict[str, dict[int, float]]) -> Floats:
    """[samples, 1 + ``cost_sums``]: first what the verifies should have taken by the cost curve, 0 without one."""
    sources = drafters_of(answers)
    listed = []
    for answer in answers:
        curve = curves.get(answer.spec.target, {})
        rows = [rows_of(item) for item in decode_rounds(answer.turn)]
        listed.append([sum(seconds_of(curve, rows)) if curve else 0.0, *cost_sums(answer.turn, sources)])
    return np.asarray(listed, np.float64)


def predicted_round_s(sums: Floats) -> Floats:
    """Seconds of a round from its parts."""
    parts = sums[..., 0] + draft_seconds(sums[..., 1:]) + sums[..., 1 + OVERHEAD]
    return np.asarray(parts / sums[..., 1 + ROUNDS])


def predicted(own: Floats, other: Floats) -> Floats:
    """Speed-up from tokens a round and the parts' costs."""
    gained = per_round(own[..., 1:])[0] / per_round(other[..., 1:])[0]
    return np.asarray(gained * predicted_round_s(other) / predicted_round_s(own))


def unexplained_seconds(samples: Floats) -> float:
    """What a round took, all samples together, beyond its parts."""
    sums = samples.sum(axis=0)
    return float(sums[1 + SECONDS] / sums[1 + ROUNDS] - predicted_round_s(sums))


def round_seconds(samples: Floats) -> dict[str, float]:
    costs = per_round(samples.sum(axis=0)[1:])[1]
    return {**dict(zip(PARTS, map(float, costs), strict=True)), "total": float(costs.sum())}


def tell(results: dict[str, Any], teller: Teller) -> None:
    """Parts as factors, predicted against measured speed, and the cost curve."""
    for pair in results["pairs"]:
        row = f"{pair['arm']} against {pair['reference']}"
        for name, part in pair["components"].items():
            teller.cell(LAB, row, name, {key: exponential(part["log"][key]) for key in ("value", "low", "high")})
        teller.cell(LAB, row, "measured", pair["speedup"])
        if pair["predicted"]:
            teller.cell(LAB, row, "predicted", pair["predicted"])
    for target, curve in results["cost_curve"].items():
        for point in curve:
            found = {"value": point["relative"], "low": None, "high": None}
            teller.point(f"verify cost: {target}", point["rows"], found, "rows", "single rows")


def exponential(log: float | None) -> float | None:
    return None if log is None else math.exp(log)
