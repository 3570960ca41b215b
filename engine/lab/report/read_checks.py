"""Facts of the labs that check or take apart: losslessness, sampling, attribution, concurrency, stability."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from engine.lab.report.facts import (
    NOTHING,
    Check,
    ConcurrencyFacts,
    Figure,
    LosslessArm,
    LosslessFacts,
    Parts,
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
    return SampledFacts(status=result.status)


def concurrency(result: LabResult) -> ConcurrencyFacts:
    return ConcurrencyFacts(curves=())


def stability(result: LabResult) -> StabilityFacts:
    return StabilityFacts(status=result.status)
