"""``lab profile``: how good the drafts are, position by position, and for which text.

``run`` lets all arms answer the plan's samples (``engine.lab.measure``), one trace a sample; ``results_from_traces``
makes the figures of the traces alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np
from msgspec.structs import replace

from engine.lab.budget import allowed_s
from engine.lab.decay import decay
from engine.lab.evidence import (
    Answer,
    Evidence,
    draft_share,
    evidence,
    pairs,
    plain,
    pooled,
    read_traces,
    shares,
    sources_of,
    speedup,
)
from engine.lab.measure import ORDER, Batch, Cell, Opener, Teller, measure, opener_of, trace_name
from engine.lab.plan import LAYERS, Plan
from engine.lab.result import LabError, LabResult, write_result
from engine.process.job import Job
from engine.stats import bootstrap_ratio
from engine.trace.events import Arm
from engine.trace.file import Trace
from engine.trace.metrics import measure as measure_rounds

LAB = "profile"
SAMPLE_CELL = "{sample}"
MORE_SAMPLES = 1000


def run(plan: Plan, arms: tuple[Arm, ...], out: Path, job: Job, opener: Opener | None = None) -> LabResult:
    """Measure, compute, write ``profile.json``. Raises ``LabError``."""
    if not any(arm.drafter != "none" for arm in arms):
        raise LabError("A profile needs an arm with a drafter: add --arm lookup.")
    tokens = plan.size("profile_tokens", plan.tokens, plan.tokens)
    arms = with_tokens(arms, tokens, plan.seed)
    samples = plan.some(plan.size("profile_samples", 12, MORE_SAMPLES))
    seconds = allowed_s(plan, LAB)
    batch = Batch(arms, (Cell(SAMPLE_CELL, tuple(arm.name for arm in arms)),), samples)

    teller = Teller(job)

    def look(traces: Sequence[str]) -> None:
        tell(results_from_traces(read_traces(out, traces)), teller, whole=False)

    measured = measure(LAB, [batch], out, job, opener_of(opener), seconds=seconds, look=look)
    results = results_from_traces(read_traces(out, measured.traces))
    result = LabResult(
        lab=LAB,
        status="stopped" if measured.stopped else "measured",
        environment=measured.environment,
        arms=arms,
        conditions={
            "plan": plan.name,
            "samples": [sample.name for sample in samples[: measured.samples]],
            "tokens": tokens,
            "seed": plan.seed,
            "order": ORDER,
        },
        results=results,
        traces=measured.traces,
        not_tested=not_tested(samples[: measured.samples], len(samples)),
        seconds=measured.seconds,
        began=measured.began,
    )
    write_result(out, result)
    tell(results, teller)
    return result


def with_tokens(arms: Sequence[Arm], tokens: int, seed: int) -> tuple[Arm, ...]:
    return tuple(replace(arm, settings=replace(arm.settings, max_tokens=tokens, seed=seed)) for arm in arms)


def not_tested(samples: Sequence[Any], planned: int) -> tuple[str, ...]:
    """What the samples leave out, layer by layer."""
    told = [
        f"No sample with {kind} {name} was measured."
        for kind, names in LAYERS.items()
        for name in names
        if name not in {sample.layer(kind) for sample in samples}
    ]
    if len(samples) < planned:
        told.append(f"{planned - len(samples)} of {planned} samples were left out for lack of time.")
    return tuple(told)


def results_from_traces(traces: Iterable[Trace]) -> dict[str, Any]:
    """All figures of a profile.

    Intervals are {value, low, high, units}, 95 %, over samples; value None where nothing was counted.

        baseline    name of the arm without a drafter, or null
        samples     names of the samples counted
        void        [{cell, sample, why}]: answers that repeat themselves or are too short count nowhere below
        unfinished  [{cell, sample, arm, why}]
        rule        how suffix decay is called
        arms        {arm name: {overall: FIGURES, by: {task | language | format | length | source: {layer: FIGURES}}}}

    FIGURES:
        samples, rounds, drafting_rounds, drafted, accepted, emitted      counts
        tokens_per_forward, accepted_length, accepted_drafts, draft_acceptance_rate, wasted_share, draft_share, speedup
                    intervals. accepted_length is tau, the target's own token included, accepted_drafts is tau - 1;
                    draft_share is drafting's part of all decode time; speedup is against the baseline, null without
                    one. Of a ``source`` (one drafter of a composite arm) only its own rounds count, speedup is null
        survival, conditional     [{position, n, value, low, high}], position from 1
        rejected_by_position, accepted_length_histogram       counts; positions from 1, lengths from 0
        width_reasons             {why: rounds} drafted narrower than asked, of the whole arm
        decay                     {called: falls | flat | undecided, p_value, slope: interval, positions, rule}
        traces                    files of the samples counted
    """
    found = evidence(traces)
    counted = found.counted
    names = list(dict.fromkeys(answer.arm for answer in found.answers))
    drafting = [name for name in names if any(a.arm == name and a.drafts for a in found.answers)]
    baseline = next((name for name in names if name not in drafting), None)
    return {
        "baseline": baseline,
        "samples": list(dict.fromkeys(answer.sample for answer in counted)),
        "void": found.void,
        "unfinished": list(found.unfinished),
        "rule": decay([], [])["rule"],
        "arms": {name: _arm(found, name, baseline) for name in drafting},
    }


def _arm(found: Evidence, name: str, baseline: str | None) -> dict[str, Any]:
    answers = [answer for answer in found.counted if answer.arm == name]

    def layered(kind: str) -> dict[str, Any]:
        layers = list(dict.fromkeys(answer.labels.get(kind, "") for answer in answers))
        return {
            layer: figures([a for a in answers if a.labels.get(kind, "") == layer], found.counted, baseline)
            for layer in layers
            if layer
        }

    by = {kind: layered(kind) for kind in ("task", "language", "format", "length")}
    by["source"] = {source: figures(answers, found.counted, None, source) for source in sources_of(answers)}
    return {"overall": figures(answers, found.counted, baseline), "by": by}


def figures(
    answers: Sequence[Answer],
    all_answers: Sequence[Answer],
    baseline: str | None,
    source: str = "",
) -> dict[str, Any]:
    """FIGURES of one arm's answers; with ``source`` of this drafter's rounds."""
    parts = [
        measure_rounds(item for item in answer.turn.rounds if not source or item.source == source) for answer in answers
    ]
    total = pooled(answers) if answers else None
    faster = None
    if baseline is not None and answers:
        chosen = {id(answer) for answer in answers}
        mine, theirs = pairs(all_answers, answers[0].arm, baseline)
        both = [(a, b) for a, b in zip(mine, theirs, strict=True) if id(a) in chosen]
        faster = plain(speedup([a for a, _ in both], [b for _, b in both]))
    accepted = [part.accepted_by_position for part in parts]
    drafted = [part.drafted_by_position for part in parts]
    reached = [part.reached_by_position for part in parts]
    kept, made = [part.accepted for part in parts], [part.drafted for part in parts]
    drafting = [part.drafting_rounds for part in parts]
    return {
        "samples": len(answers),
        "rounds": sum(part.rounds for part in parts),
        "drafting_rounds": sum(drafting),
        "drafted": sum(made),
        "accepted": sum(kept),
        "emitted": sum(part.emitted for part in parts),
        "tokens_per_forward": plain(
            bootstrap_ratio([part.emitted for part in parts], [part.target_forwards for part in parts])
        ),
        "accepted_length": plain(bootstrap_ratio(np.add(kept, drafting), drafting)),
        "accepted_drafts": plain(bootstrap_ratio(kept, drafting)),
        "draft_acceptance_rate": plain(bootstrap_ratio(kept, made)),
        "wasted_share": plain(bootstrap_ratio(np.subtract(made, kept), made)),
        "draft_share": plain(draft_share(answers, [source] if source else None)),
        "speedup": faster,
        "survival": listed(accepted, drafted),
        "conditional": listed(accepted, reached),
        "rejected_by_position": summed([part.rejected_by_position for part in parts]),
        "accepted_length_histogram": summed([part.accepted_length_histogram for part in parts]),
        "width_reasons": total.width_reasons if total else {},
        "decay": decay(accepted, reached),
        "traces": list(dict.fromkeys(trace_name(LAB, answer.cell) for answer in answers)),
    }


def summed(lists: Sequence[Sequence[int]]) -> list[int]:
    """Place by place; a shorter list stands for zeros."""
    return [sum(places) for places in zip_longest(*lists, fillvalue=0)]


def listed(accepted: Sequence[Sequence[int]], of: Sequence[Sequence[int]]) -> list[dict[str, Any]]:
    return [
        {"position": position, "n": n, "value": i.value, "low": i.low, "high": i.high}
        for position, (n, i) in enumerate(zip(summed(of), shares(accepted, of), strict=True), start=1)
    ]


def tell(results: dict[str, Any], teller: Teller, whole: bool = True) -> None:
    """Tokens per round by layer; of the whole also conditional acceptance by position."""
    for name, arm in results["arms"].items():
        layers = {"all": arm["overall"]}
        layers |= {f"{kind}: {layer}": found for kind, listed in arm["by"].items() for layer, found in listed.items()}
        for row, found in layers.items():
            text = "" if found["accepted_length"]["value"] is not None else "no drafts"
            teller.cell(LAB, row, name, found["accepted_length"], text, found["traces"])
        for point in arm["overall"]["conditional"] if whole else ():
            teller.point(name, point["position"], point, "position", "conditional acceptance")
