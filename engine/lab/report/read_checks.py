"""Facts of the labs that check or take apart: losslessness, sampling, attribution, concurrency, stability."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from engine.lab.report.facts import (
    NOTHING,
    Arrivals,
    Check,
    ConcurrencyFacts,
    Figure,
    Load,
    LoadCurve,
    LosslessArm,
    LosslessFacts,
    Parts,
    SampledConfig,
    SampledFacts,
    StabilityFacts,
)
from engine.lab.result import LabResult


def exponential(found: Mapping[str, Any] | None) -> Figure:
    """A figure in logs as a factor."""
    if not found or found.get("value") is None:
        return NOTHING
    low, high = found.get("low"), found.get("high")
    return Figure(
        value=math.exp(found["value"]), low=None if low is None else math.exp(low),
        high=None if high is None else math.exp(high), units=int(found.get("units") or 0),
    )  # fmt: skip


def parts(result: LabResult) -> tuple[Parts, ...]:
    return tuple(pair_parts(pair) for pair in result.results["pairs"])


def pair_parts(pair: Mapping[str, Any]) -> Parts:
    components = pair["components"]
    unexplained = pair.get("unexplained") or {}

    def factor(name: str) -> Figure:
        return exponential(components.get(name, {}).get("log"))

    return Parts(
        arm=pair["arm"], against=pair["reference"], accepted_length=factor("accepted_length"), draft=factor("draft"),
        verify=factor("verify"), overhead=factor("overhead"), predicted=plain(pair.get("predicted")),
        measured=plain(pair.get("speedup")), rest=exponential(unexplained.get("log")),
    )  # fmt: skip


def plain(found: Mapping[str, Any] | None) -> Figure:
    if not found:
        return NOTHING
    return Figure(
        value=found.get("value"), low=found.get("low"), high=found.get("high"), units=int(found.get("units") or 0)
    )


def lossless(result: LabResult) -> LosslessFacts:
    found = result.results
    return LosslessFacts(
        status=result.status,
        arms=tuple(
            LosslessArm(
                arm=arm["arm"], status=arm["status"], tokens=arm["tokens"], near_ties=arm["near_ties"],
                largest_gap=arm["largest_gap"], detail=arm["detail"],
            )
            for arm in found["arms"]
        ),
        bound=found["bound"],
        controls=tuple(
            Check(name=each["name"], ok=each["caught"], detail=next(iter(each["why"]), ""))
            for each in found["controls"]
        ),
        crossed=tuple(
            Check(name=each["name"], ok=each["ok"], detail=each["detail"]) for each in found["crossed"]
        ),
        samples=max((arm["samples"] for arm in found["arms"]), default=0),
    )  # fmt: skip


def sampled(result: LabResult) -> SampledFacts:
    found = result.results
    return SampledFacts(
        status=result.status,
        tests=found["tests"],
        rejected=tuple(found["rejected"]),
        draws=found["draws"],
        tv_bound=found["tv_bound"],
        detectable_tv=found["detectable_tv"],
        acceptance=tuple(Check(name=a["name"], ok=a["ok"], detail=a["detail"]) for a in found["acceptance"]),
        controls=tuple(
            Check(name=c["name"], ok=c["caught"], detail=next(iter(c["why"]), "")) for c in found["controls"]
        ),
        configs=tuple(sampled_config(each) for each in found["configs"]),
    )


def sampled_config(found: Mapping[str, Any]) -> SampledConfig:
    tests = found["tests"]
    return SampledConfig(
        arm=found["arm"], config=found["config"], draws=found["draws"], tests=len(tests),
        smallest_p=min((test["adjusted"] for test in tests), default=None),
        tv_bound=max((test["tv_bound"] for test in tests), default=None),
        rejected=any(test["rejected"] for test in tests),
    )  # fmt: skip


def concurrency(result: LabResult) -> ConcurrencyFacts:
    found = result.results
    figures = {
        (cell["mode"], cell["in_flight"], arm): figures
        for cell in found["cells"]
        if cell["arrivals"] == "closed"
        for arm, figures in cell["arms"].items()
    }

    def load(mode: str, requests: int, arm: str, point: Mapping[str, Any]) -> Load:
        return Load(
            requests=requests, throughput=plain(point["throughput"]), per_token=plain(point["time_per_token"]),
            rows_per_forward=figures.get((mode, requests, arm), {}).get("rows_per_forward"), void=point.get("text", ""),
            batching=plain(point.get("batching_gain")),
        )  # fmt: skip

    curves = [
        LoadCurve(arm=arm, regime="queueing", points=tuple(load("queueing", p["in_flight"], arm, p) for p in points))
        for arm, points in found["queueing"].items()
        if points
    ]
    for arm, points in found["speedup"].items():
        end = found["break_even"].get(arm, {})
        throughput, late = end.get("throughput", {}), end.get("time_per_token", {})
        if points:
            curves.append(
                LoadCurve(
                    arm=arm, regime="batching", points=tuple(load("batching", p["lanes"], arm, p) for p in points),
                    break_even=throughput.get("lanes"), surely=bool(throughput.get("certain")),
                    late_from=late.get("lanes"),
                )
            )  # fmt: skip
    ids = found["ids"]
    counts = ", ".join(f"{verdict}: {n}" for verdict, n in ids["counts"].items())
    return ConcurrencyFacts(
        curves=tuple(curves),
        rows_equal=None if not ids["counts"] else ids["status"] not in ("fail", "not-comparable"),
        rows_detail=counts,
        arrivals=tuple(
            arrival for cell in found["cells"] if cell["arrivals"] != "closed" for arrival in arrivals(cell)
        ),
    )


def arrivals(cell: Mapping[str, Any]) -> Iterator[Arrivals]:
    for arm, figures in cell["arms"].items():
        yield Arrivals(
            arm=arm, regime=cell["mode"], kind=cell["arrivals"], load=cell["load"], per_s=cell["per_s"],
            requests=cell["requests"], wait_s=figures["wait_s"]["p95"], first_token_s=figures["first_token_s"]["p95"],
            gap_s=figures["gap_s"]["p95"], lanes_mean=figures["lanes_mean"], void=cell["void"],
        )  # fmt: skip


def stability(result: LabResult) -> StabilityFacts:
    found = result.results
    checks = [Check(name=c["check"], ok=c["status"] == "PASS", detail=c["detail"]) for c in found["checks"]]
    # A run that was too short to tell is no check; the lab itself lists it as not tested.
    told = [m for m in found["memory"] if m["status"] in ("PASS", "FAIL")]
    checks += [Check(name=m["soak"], ok=m["status"] == "PASS", detail=m["detail"]) for m in told]
    own = next((m for m in told if m["soak"] == "soak"), None)
    return StabilityFacts(
        status=result.status, checks=tuple(checks), rounds=own["rounds"] if own else 0,
        slope_bytes_per_1000_rounds=found["slope_bytes_per_1000_rounds"] if own else None,
        grows=found["grows"] if told else None,
    )  # fmt: skip
