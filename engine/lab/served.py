"""From the traces of the concurrency lab to its figures: speed over the baseline's by lanes, where it ends, and whether
every request wrote what it writes alone.

Pure. What a trace is of stands in the labels of its runs; how many lanes a forward had is the engine's own count.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from engine.lab.evidence import plain
from engine.lab.repetition import void_reason
from engine.lab.throughput import (
    BREAK_EVEN_RULE,
    break_even,
    full,
    quantiles,
    seen,
    steps_of,
    throughput,
    throughput_ratio,
    time_per_token,
    time_per_token_ratio,
)
from engine.stats import Interval
from engine.trace.file import Trace
from engine.trace.session import ArmTurn, by_arm, group, ids_of
from engine.trace.verdict import SEVERITY, compare_turns

VOID_SHARE = 0.25
"""Where more of a cell's tokens than this belong to answers that flatter, its speeds count for nothing."""


def results_from_traces(traces: Iterable[Trace]) -> dict[str, Any]:
    """All figures, of the traces alone.

    Intervals are {value, low, high, units}, 95 %: of speeds over parts of the work, of times over samples.

        baseline     name of the arm without a drafter
        cells        [{cell, mode, arrivals, in_flight, load, per_s, requests, void, arms: {arm: FIGURES}}]
        speedup      {arm: [{lanes, throughput, time_per_token, batching_gain, draft_gain, gain_from, text}]}: of the
                     closed loops with batching, by ascending lanes; both ratios are over the baseline with as many
                     lanes. batching_gain is the baseline's throughput over its own with one lane, draft_gain is
                     ``throughput``; their product is the arm's speed over one request at a time, gain_from names the
                     factors above 1
        queueing     {arm: [{in_flight, throughput, time_per_token, first_token_s, baseline_first_token_s, lanes_max}]}
        break_even   {arm: {throughput: BREAK, time_per_token: BREAK}}, BREAK as in ``throughput.break_even``
        rule         how the break-even batch is named
        ids          {reference, status, counts: {verdict: n}, differing: [{cell, arm, request, sample, verdict,
                     first_difference, margin}]}: every request against the same prompt served alone by the single loop

    FIGURES:
        tokens_per_s (of full steps), whole_tokens_per_s (prefills and empty lanes included), time_per_token_s,
        time_per_token (mean, p50, p95 over requests), first_token_s, wait_s and gap_s (mean, p50, p95),
        forwards, lanes_mean, lanes_max, lanes_histogram, rows_per_forward, padded_share (rows that only fill up),
        full_steps (whether speeds are of full steps alone), accepted_length, drafted, accepted, wasted_share,
        peak_bytes (of the process, all arms share it)
    """
    cells = [_cell(trace) for trace in traces]
    cells.sort(key=lambda c: (c["mode"], c["arrivals"], c["load"], c["in_flight"]))
    baseline = next((c["baseline"] for c in cells), "")
    arms = list(dict.fromkeys(arm for c in cells for arm in c["turns"] if arm != baseline))
    found: dict[str, Any] = {
        "baseline": baseline,
        "cells": [],
        "speedup": {arm: [] for arm in arms},
        "queueing": {arm: [] for arm in arms},
        "break_even": {},
        "rule": BREAK_EVEN_RULE,
        "ids": _ids(cells, baseline),
    }
    for c in cells:
        found["cells"].append(
            {
                **{
                    key: c[key]
                    for key in ("cell", "mode", "arrivals", "in_flight", "load", "per_s", "requests", "void")
                },
                "arms": {arm: _figures(c, arm) for arm in c["turns"]},
            }
        )
    one_lane = _closed(cells, 1)
    ratios: dict[str, dict[str, list[tuple[int, Interval]]]] = {}
    for arm in arms:
        ratios[arm] = {"throughput": [], "time_per_token": []}
        for c in cells:
            if c["arrivals"] != "closed" or arm not in c["turns"]:
                continue
            speed, late = _ratios(c, arm, baseline)
            if c["mode"] == "queueing":
                found["queueing"][arm].append(_queued(c, arm, baseline, speed, late))
                continue
            if c["void"] == "":
                ratios[arm]["throughput"].append((c["in_flight"], speed))
                ratios[arm]["time_per_token"].append((c["in_flight"], late))
            gain = _batching_gain(c, one_lane, baseline)
            found["speedup"][arm].append(
                {
                    "lanes": c["in_flight"],
                    "throughput": plain(speed),
                    "time_per_token": plain(late),
                    "batching_gain": plain(gain),
                    "draft_gain": plain(speed),
                    "gain_from": _gain_from(gain.value, speed.value),
                    "text": c["void"],
                }
            )
        found["break_even"][arm] = {name: break_even(listed) for name, listed in ratios[arm].items()}
    return found


def _cell(trace: Trace) -> dict[str, Any]:
    turns = by_arm(group(trace.events))
    first = next(turn.started for listed in turns.values() for turn in listed if turn.started)
    labels = first.labels
    baseline = next(
        (name for name, listed in turns.items() if listed[0].started and listed[0].started.spec.drafter == "none"),
        next(iter(turns)),
    )
    lanes = int(labels["in_flight"]) if labels["mode"] == "batching" else 1
    return {
        "cell": labels["cell"],
        "mode": labels["mode"],
        "arrivals": labels["arrivals"],
        "in_flight": int(labels["in_flight"]),
        "load": float(labels.get("load", 0)),
        "per_s": float(labels["per_s"]) if "per_s" in labels else None,
        "requests": max(len(listed) for listed in turns.values()),
        "void": _void(turns),
        "baseline": baseline,
        "lanes": lanes,
        "turns": turns,
        "steps": {arm: steps_of(listed) for arm, listed in turns.items()},
    }


def _void(turns: dict[str, list[ArmTurn]]) -> str:
    """Why the cell's speeds count for nothing; empty where they count."""
    texts = [ids_of(turn) for listed in turns.values() for turn in listed]
    reasons = [(void_reason(ids), len(ids)) for ids in texts]
    total = sum(size for _, size in reasons)
    flatters = [(reason, size) for reason, size in reasons if reason]
    if total and sum(size for _, size in flatters) > VOID_SHARE * total:
        return f"void: {max(flatters, key=lambda pair: pair[1])[0]}"
    return ""


def _closed(cells: Sequence[dict[str, Any]], lanes: int) -> dict[str, Any] | None:
    wanted = (c for c in cells if c["mode"] == "batching" and c["arrivals"] == "closed" and c["in_flight"] == lanes)
    return next(wanted, None)


def _ratios(c: dict[str, Any], arm: str, baseline: str) -> tuple[Interval, Interval]:
    mine, mine_full = full(c["steps"][arm], c["lanes"])
    theirs, theirs_full = full(c["steps"][baseline], c["lanes"])
    if not (mine_full and theirs_full):
        mine, theirs = c["steps"][arm], c["steps"][baseline]
    requests = {name: [s for turn in c["turns"][name] if (s := seen(turn))] for name in (arm, baseline)}
    return throughput_ratio(mine, theirs), time_per_token_ratio(requests[arm], requests[baseline])


def _batching_gain(c: dict[str, Any], one_lane: dict[str, Any] | None, baseline: str) -> Interval:
    if one_lane is None:
        return Interval(value=None)
    return throughput_ratio(full(c["steps"][baseline], c["lanes"])[0], full(one_lane["steps"][baseline], 1)[0])


def _gain_from(batching: float | None, drafts: float | None) -> str:
    """Where more tokens a second than one request at a time come from."""
    if batching is None or drafts is None:
        return ""
    named = [name for name, factor in (("batching", batching), ("drafts", drafts)) if factor > 1]
    return " and ".join(named) or "nothing"


def _queued(c: dict[str, Any], arm: str, baseline: str, speed: Interval, late: Interval) -> dict[str, Any]:
    mine, theirs = _figures(c, arm), _figures(c, baseline)
    return {
        "in_flight": c["in_flight"],
        "throughput": plain(speed),
        "time_per_token": plain(late),
        "first_token_s": mine["first_token_s"],
        "baseline_first_token_s": theirs["first_token_s"],
        "lanes_max": mine["lanes_max"],
    }


def _figures(c: dict[str, Any], arm: str) -> dict[str, Any]:
    turns: list[ArmTurn] = c["turns"][arm]
    steps = c["steps"][arm]
    counted, is_full = full(steps, c["lanes"])
    requests = [s for turn in turns if (s := seen(turn))]
    rows, padding = sum(s.rows for s in steps), sum(s.padding for s in steps)
    drafted, accepted = sum(s.drafted for s in steps), sum(s.accepted for s in steps)
    drafting = sum(s.drafting for s in steps)
    tokens = sum(s.tokens for s in steps)
    begins = [turn.started.t_s for turn in turns if turn.started]
    ends = [turn.finished.t_s for turn in turns if turn.finished]
    makespan = max(ends) - min(begins) if ends else 0.0
    histogram: dict[str, int] = {}
    for step in steps:
        histogram[str(step.lanes)] = histogram.get(str(step.lanes), 0) + 1
    return {
        "tokens_per_s": plain(throughput(counted)),
        "whole_tokens_per_s": tokens / makespan if makespan else None,
        "full_steps": is_full,
        "time_per_token_s": plain(time_per_token(requests)),
        "time_per_token": quantiles([t for r in requests if (t := r.time_per_token_s) is not None]),
        "first_token_s": quantiles([r.first_s for r in requests]),
        "wait_s": quantiles([r.wait_s for r in requests]),
        "gap_s": quantiles([gap for r in requests for gap in r.gaps_s]),
        "tokens": tokens,
        "forwards": len(steps),
        "lanes_mean": sum(s.lanes for s in steps) / len(steps) if steps else None,
        "lanes_max": max((s.lanes for s in steps), default=0),
        "lanes_histogram": dict(sorted(histogram.items(), key=lambda item: int(item[0]))),
        "rows_per_forward": rows / len(steps) if steps else None,
        "padded_share": padding / rows if rows else None,
        "accepted_length": 1 + accepted / drafting if drafting else None,
        "drafted": drafted,
        "accepted": accepted,
        "wasted_share": 1 - accepted / drafted if drafted else None,
        "peak_bytes": max((r.peak_bytes for turn in turns for r in turn.rounds), default=0),
    }


def _ids(cells: Sequence[dict[str, Any]], baseline: str) -> dict[str, Any]:
    """Every request of every cell against the same prompt alone."""
    reference: dict[str, ArmTurn] = {}
    alone = ""
    for c in cells:
        if c["mode"] == "queueing" and not reference and baseline in c["turns"]:
            alone = c["cell"]
            for turn in c["turns"][baseline]:
                if turn.started and turn.finished:
                    reference.setdefault(turn.started.labels["sample"], turn)
    counts: dict[str, int] = {}
    differing: list[dict[str, Any]] = []
    for c in cells:
        for arm, turns in c["turns"].items():
            for turn in turns:
                other = reference.get(turn.started.labels["sample"]) if turn.started else None
                if other is None or other is turn:
                    continue
                verdict = compare_turns(other, turn)
                counts[verdict.status] = counts.get(verdict.status, 0) + 1
                if verdict.status in ("near-tie", "fail", "not-comparable"):
                    differing.append(
                        {"cell": c["cell"], "arm": arm, "request": turn.turn,
                         "sample": turn.started.labels["sample"] if turn.started else "", "verdict": verdict.status,
                         "first_difference": verdict.first_difference, "margin": verdict.margin}
                    )  # fmt: skip
    worst = max(counts, key=SEVERITY.index, default="")
    return {"reference": f"{baseline} in {alone}" if alone else "", "status": worst, "counts": counts,
            "differing": differing}  # fmt: skip
