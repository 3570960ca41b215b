"""``lab sweep``: what block length, candidates, injected layers, temperature and context do to speed and memory.

``run`` measures the matrix of ``engine.lab.matrix``, one trace a cell; ``results_from_traces`` makes the figures of the
traces alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from msgspec.structs import asdict

from engine.lab.budget import allowed_s
from engine.lab.evidence import (
    OVERHEAD,
    ROUNDS,
    SECONDS,
    TOKENS,
    Answer,
    cost_sums,
    draft_share,
    evidence,
    pairs,
    plain,
    pooled,
    read_traces,
    speedup,
)
from engine.lab.knee import knee, vanishes
from engine.lab.matrix import SIZED, Context, ability, batches, differences, entries
from engine.lab.measure import ORDER, Opener, Teller, measure, opener_of, trace_name
from engine.lab.plan import Plan, read_samples
from engine.lab.profile import not_tested, with_tokens
from engine.lab.result import LabError, LabResult, write_result
from engine.models.errors import ModelError
from engine.process.job import Job
from engine.session import ArmState
from engine.stats import Floats, bootstrap, bootstrap_ratio
from engine.trace.events import Arm
from engine.trace.file import Trace

LAB = "sweep"
FRAME_TOKENS = 64
"""Room for the words that a chat template puts around a prompt."""


def run(plan: Plan, arms: tuple[Arm, ...], out: Path, job: Job, opener: Opener | None = None) -> LabResult:
    """Measure, compute, write ``sweep.json``. Raises ``LabError``."""
    tokens = plan.size("sweep_tokens", min(32, plan.tokens), min(128, plan.tokens))
    arms = with_tokens(arms, tokens, plan.seed)
    drafting = [arm for arm in arms if arm.drafter != "none"]
    baseline = next((arm for arm in arms if arm.drafter == "none"), None)
    if not drafting or baseline is None:
        raise LabError("A sweep needs a baseline and an arm with a drafter: add --arm baseline --arm lookup.")
    swept = drafting[: plan.size("sweep_arms", 1, len(drafting))]
    opener = opener_of(opener)
    try:
        states = dict(zip((arm.name for arm in arms), opener(arms), strict=True))
    except ModelError as error:
        raise LabError(str(error)) from error
    listed = [item for arm in swept for item in entries(plan, arm, baseline, ability(states[arm.name]))]
    samples = plan.some(plan.size("sweep_samples", 6, 24))
    made, missing = batches(listed, samples, context(plan, states[baseline.name], tokens).longer)

    teller = Teller(job)

    def look(traces: Sequence[str]) -> None:
        tell(results_from_traces(read_traces(out, traces)), teller, whole=False)

    seconds = allowed_s(plan, LAB)
    measured = measure(LAB, made, out, job, opener, seconds=seconds, look=look)
    results = results_from_traces(read_traces(out, measured.traces))
    kept = samples[: measured.samples]
    result = LabResult(
        lab=LAB,
        status="stopped" if measured.stopped else "measured",
        environment=measured.environment,
        arms=tuple(dict.fromkeys(arm for batch in made for arm in batch.arms)),
        conditions={
            "plan": plan.name,
            "samples": [sample.name for sample in kept],
            "tokens": tokens,
            "seed": plan.seed,
            "order": ORDER,
            "swept": [arm.name for arm in swept],
            "matrix": [
                {
                    "cell": item.cell,
                    "base": item.base.name,
                    "axis": item.axis,
                    "value": item.value,
                    "arm": item.arm.name,
                    "baseline": item.baseline.name,
                    "differs": differences(item.arm, item.base),
                }
                for item in listed
            ],
        },
        results=results,
        traces=measured.traces,
        not_tested=(
            *(f"{arm.name}: swept by the full plan only." for arm in drafting[len(swept) :]),
            *missing,
            *not_tested(kept, len(samples)),
        ),
        seconds=measured.seconds,
        began=measured.began,
    )
    write_result(out, result)
    tell(results, teller)
    return result


def context(plan: Plan, state: ArmState, tokens: int) -> Context:
    """Text for longer contexts, the longest samples first, with room for the answer and the chat's frame."""
    known = {sample.name: sample for sample in (*plan.prompts, *read_samples())}
    texts = sorted(known.values(), key=lambda sample: (-len(sample.prompt), sample.name))
    tokenizer, holds = state.target.tokenizer, state.target.facts.context_tokens
    most = holds - tokens - FRAME_TOKENS if holds else 0

    def encode(text: str) -> list[int]:
        return list(tokenizer.encode(text, add_special_tokens=False))

    return Context(texts, encode, lambda ids: str(tokenizer.decode(ids)), most)


def results_from_traces(traces: Iterable[Trace]) -> dict[str, Any]:
    """All figures of a sweep.

    Intervals are {value, low, high, units}, 95 %, over samples; value None where nothing was counted.

        void        [{cell, sample, why}]: count nowhere below, in any cell of their axis
        unfinished  [{cell, sample, arm, why}]
        matrix      [{cell, base, axis, value, arm, baseline, settings, trace}]
        one_variable    whether the cells of every axis differ in its variable alone
        bases       {base arm: {axis: {cells: [CELL], knee, vanishes}}}, cells by ascending value

    CELL:
        value, cell, trace, baseline (name), samples, void (number of samples), text (in place of figures, or empty)
        speedup, tokens_per_s, baseline_tokens_per_s, tokens_per_forward, accepted_length, draft_acceptance_rate,
        wasted_share, draft_share      intervals, as in a profile
        round_cost          interval: own seconds of a round over those of a round of the baseline
        rows                mean rows verified a round
        prompt_tokens       mean
        kv_bytes, drafter_state_bytes, peak_bytes       largest; the peak is of the whole process, all arms of the race

    knee (null where the axis has none): {value, best, support, candidates: [{value, share}], at_end, samples, rule}
    vanishes: {value, surely}: the first value slower than the baseline, and the first whose interval lies below 1
    """
    found = evidence(traces)
    cells: dict[str, list[Answer]] = {}
    for answer in found.answers:
        if "axis" in answer.labels:
            cells.setdefault(answer.cell, []).append(answer)
    bases: dict[str, dict[str, Any]] = {}
    for answers in cells.values():
        labels = answers[0].labels
        bases.setdefault(labels["base"], {}).setdefault(labels["axis"], []).append(answers)
    matrix = [row(name, answers) for name, answers in cells.items()]
    return {
        "void": found.void,
        "unfinished": list(found.unfinished),
        "matrix": matrix,
        "one_variable": one_variable(matrix),
        "bases": {
            base: {axis: axis_figures(axis, listed) for axis, listed in axes.items()} for base, axes in bases.items()
        },
    }


def row(cell: str, answers: Sequence[Answer]) -> dict[str, Any]:
    """One line of the matrix, as the trace tells it."""
    labels = answers[0].labels
    arm, baseline = arms_of(answers)
    return {
        "cell": cell,
        "base": labels["base"],
        "axis": labels["axis"],
        "value": float(labels["value"]),
        "arm": arm.name if arm else "",
        "baseline": baseline.name if baseline else "",
        "settings": asdict(arm.settings) if arm else {},
        "trace": trace_name(LAB, cell),
    }


def arms_of(answers: Sequence[Answer]) -> tuple[Arm | None, Arm | None]:
    """The arm of a cell and its baseline."""
    arm = next((answer.spec for answer in answers if answer.drafts), None)
    return arm, next((answer.spec for answer in answers if not answer.drafts), None)


def one_variable(matrix: Sequence[dict[str, Any]]) -> bool:
    """Whether no cell differs from another of its axis in anything else."""
    rest: dict[tuple[str, str], set[str]] = {}
    for line in matrix:
        same = {name: value for name, value in line["settings"].items() if name != line["axis"]}
        rest.setdefault((line["base"], line["axis"]), set()).add(repr(same))
    return all(len(kinds) == 1 for kinds in rest.values())


def axis_figures(axis: str, cells: Sequence[Sequence[Answer]]) -> dict[str, Any]:
    """Over the samples that count in every cell of the axis."""
    ordered = sorted(cells, key=lambda answers: float(answers[0].labels["value"]))
    shared = set.intersection(*({a.sample for a in answers} for answers in ordered))
    void = {a.sample for answers in ordered for a in answers if a.void}
    counted = [[a for a in answers if a.sample in shared - void] for answers in ordered]
    listed = [figures(answers, kept, len(shared & void)) for answers, kept in zip(ordered, counted, strict=True)]
    values = [cell["value"] for cell in listed]
    return {
        "cells": listed,
        "knee": knee(values, *knee_columns(counted)) if axis in SIZED else None,
        "vanishes": vanishes(values, [cell["speedup"] for cell in listed]),
    }


def knee_columns(cells: Sequence[Sequence[Answer]]) -> tuple[list[list[float]], list[list[float]]]:
    """Tokens, and seconds in steps of the cell's own baseline, [samples][values]: cells of different races compare."""
    tokens: dict[str, list[float]] = {}
    seconds: dict[str, list[float]] = {}
    for answers in cells:
        arm, baseline = arms_of(answers)
        if arm is None or baseline is None:
            return [], []
        for mine, theirs in zip(*pairs(answers, arm.name, baseline.name), strict=True):
            own, other = cost_sums(mine.turn), cost_sums(theirs.turn)
            tokens.setdefault(mine.sample, []).append(own[TOKENS])
            seconds.setdefault(mine.sample, []).append(own[SECONDS] * other[TOKENS] / other[SECONDS])
    return list(tokens.values()), list(seconds.values())


def figures(answers: Sequence[Answer], counted: Sequence[Answer], void: int) -> dict[str, Any]:
    """CELL; ``answers`` are all of it, ``counted`` those whose speed counts."""
    labels = answers[0].labels
    arm, baseline = arms_of(answers)
    mine, theirs = pairs(counted, arm.name if arm else "", baseline.name if baseline else "")
    total = pooled(mine)
    sums = np.asarray([[*cost_sums(a.turn), *cost_sums(b.turn)] for a, b in zip(mine, theirs, strict=True)])
    half = OVERHEAD + 1
    sums = sums.reshape(len(mine), 2 * half)
    parts = [answer.metrics for answer in mine]
    made, kept = [part.drafted for part in parts], [part.accepted for part in parts]
    drafting = [part.drafting_rounds for part in parts]
    whys = sorted({answer.void for answer in answers if answer.void})

    def cost(s: Floats) -> Floats:
        return np.asarray(
            (s[..., SECONDS] / s[..., ROUNDS]) / (s[..., half + SECONDS] / s[..., half + ROUNDS]), np.float64
        )

    return {
        "value": float(labels["value"]),
        "cell": answers[0].cell,
        "trace": trace_name(LAB, answers[0].cell),
        "baseline": baseline.name if baseline else "",
        "samples": len(mine),
        "void": void,
        "text": "" if mine else f"void: {', '.join(whys)}" if whys else "nothing measured",
        "speedup": plain(speedup(mine, theirs)),
        "tokens_per_s": plain(bootstrap_ratio(sums[:, TOKENS], sums[:, SECONDS])),
        "baseline_tokens_per_s": plain(bootstrap_ratio(sums[:, half + TOKENS], sums[:, half + SECONDS])),
        "tokens_per_forward": plain(
            bootstrap_ratio([part.emitted for part in parts], [part.target_forwards for part in parts])
        ),
        "accepted_length": plain(bootstrap_ratio(np.add(kept, drafting), drafting)),
        "draft_acceptance_rate": plain(bootstrap_ratio(kept, made)),
        "wasted_share": plain(bootstrap_ratio(np.subtract(made, kept), made)),
        "draft_share": plain(draft_share(mine)),
        "round_cost": plain(bootstrap(sums, cost)),
        "rows": 1 + total.drafted / total.target_forwards if total.target_forwards else None,
        "prompt_tokens": total.prompt_tokens / total.turns if total.turns else None,
        "kv_bytes": total.kv_bytes,
        "drafter_state_bytes": total.drafter_state_bytes,
        "peak_bytes": total.peak_bytes,
    }


def tell(results: dict[str, Any], teller: Teller, whole: bool = True) -> None:
    """Speed-ups, cell by cell; of the whole also as curves."""
    for base, axes in results["bases"].items():
        for axis, found in axes.items():
            for cell in found["cells"]:
                teller.cell(
                    f"sweep: {base}", axis, f"{cell['value']:g}", cell["speedup"], cell["text"], [cell["trace"]]
                )
                if whole:
                    teller.point(f"{base}: {axis}", cell["value"], cell["speedup"], axis, "speedup")
