"""From the results of the labs to the facts that the report reasons with. Pure but for reading the files.

What a lab's ``results`` hold is stated at its ``results_from_traces``; this is the one place of the report that knows
their keys.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engine.lab.report.facts import (
    NOTHING,
    ArmFacts,
    Curve,
    CurvePoint,
    Facts,
    Figure,
    LabFacts,
    Layer,
    Position,
    ProfileArm,
)
from engine.lab.report.read_checks import concurrency, lossless, parts, sampled, stability
from engine.lab.result import LabError, LabResult, read_result
from engine.lab.suite import LABS, read_unfinished
from engine.trace.events import Arm, Machine


def results_in(directory: Path) -> dict[str, LabResult]:
    """By lab, in the order of the procedure. Raises ``LabError``."""
    if not directory.is_dir():
        raise LabError(f"{directory} is no directory: name the one that 'slipstream lab all --out DIR' wrote to.")
    found = {lab: read_result(file) for lab in LABS if (file := directory / f"{lab}.json").exists()}
    if not found:
        raise LabError(f"{directory} holds no results of the lab: run 'slipstream lab all --out {directory}' first.")
    return found


def facts_in(directory: Path) -> Facts:
    """Raises ``LabError``."""
    return facts_of(results_in(directory), read_unfinished(directory))


def facts_of(results: Mapping[str, LabResult], unfinished: Mapping[str, str] | None = None) -> Facts:
    first = next(iter(results.values()))
    widest = max(results.values(), key=lambda result: len(result.conditions.get("samples", [])))
    requests = [result.conditions.get("request", {}) for result in results.values()]
    request: dict[str, Any] = next((each for each in requests if each), {})
    main = results.get("profile", widest)
    return Facts(
        machine=first.environment.machine,
        app=first.environment.app,
        versions=first.environment.versions,
        plan=request.get("plan", "") or str(main.conditions.get("plan", "")),
        samples=tuple(main.conditions.get("samples", []) or request.get("prompts", [])),
        tokens=int(main.conditions.get("tokens", 0) or request.get("tokens", 0)),
        seed=int(main.conditions.get("seed", 0) or 0),
        arms=arms_of(results, request),
        labs=tuple(lab_facts(result) for result in results.values()),
        unfinished=dict(unfinished or {}),
        mixed=any(
            kept(result.environment.machine) != kept(first.environment.machine)
            or result.environment.app != first.environment.app
            for result in results.values()
        ),
        lossless=lossless(results["lossless"]) if "lossless" in results else None,
        sampled=sampled(results["sampling"]) if "sampling" in results else None,
        profile=profile(results["profile"]) if "profile" in results else (),
        curves=curves(results["sweep"]) if "sweep" in results else (),
        parts=parts(results["attribution"]) if "attribution" in results else (),
        concurrency=concurrency(results["concurrency"]) if "concurrency" in results else None,
        stability=stability(results["stability"]) if "stability" in results else None,
    )


def kept(machine: Machine) -> tuple[Any, ...]:
    return machine.chip, machine.memory_bytes, machine.os, machine.backend, machine.mlx


def lab_facts(result: LabResult) -> LabFacts:
    return LabFacts(
        lab=result.lab, status=result.status, seconds=result.seconds, began=result.began, traces=result.traces,
        not_tested=result.not_tested,
    )  # fmt: skip


def arms_of(results: Mapping[str, LabResult], request: Mapping[str, Any]) -> tuple[ArmFacts, ...]:
    """The arms that were asked for; where nothing says so, those of the profile or of the first lab."""
    wanted = [arm["name"] for arm in request.get("arms", [])]
    source = results.get("profile") or next(iter(results.values()))
    specs: dict[str, Arm] = {}
    for result in (source, *results.values()):
        for arm in result.arms:
            specs.setdefault(arm.name, arm)
    names = [name for name in wanted if name in specs] or [arm.name for arm in source.arms]
    targets = {name: model for result in results.values() for name, model in result.environment.targets.items()}
    drafters = {name: model for result in results.values() for name, model in result.environment.drafters.items()}
    listed = [ArmFacts(spec=specs[name], target=targets.get(name), drafter=drafters.get(name)) for name in names]
    return tuple(sorted(listed, key=lambda arm: arm.drafts))


def figure(found: Mapping[str, Any] | None) -> Figure:
    if not found:
        return NOTHING
    return Figure(
        value=found.get("value"), low=found.get("low"), high=found.get("high"), units=int(found.get("units") or 0)
    )


# Profile


def profile(result: LabResult) -> tuple[ProfileArm, ...]:
    void = len({each["sample"] for each in result.results.get("void", [])})
    return tuple(profile_arm(name, arm, void) for name, arm in result.results["arms"].items())


def profile_arm(name: str, arm: Mapping[str, Any], void: int) -> ProfileArm:
    all_of_it = arm["overall"]
    survival = {each["position"]: figure(each) for each in all_of_it["survival"]}
    return ProfileArm(
        arm=name,
        samples=all_of_it["samples"],
        speedup=figure(all_of_it["speedup"]),
        accepted_length=figure(all_of_it["accepted_length"]),
        tokens_per_forward=figure(all_of_it["tokens_per_forward"]),
        wasted_share=figure(all_of_it["wasted_share"]),
        draft_share=figure(all_of_it["draft_share"]),
        decay=all_of_it["decay"]["called"],
        positions=tuple(
            Position(
                position=each["position"], n=each["n"], conditional=figure(each),
                survival=survival.get(each["position"], NOTHING),
            )
            for each in all_of_it["conditional"]
        ),
        layers=tuple(
            Layer(
                kind=kind, layer=layer, samples=found["samples"], speedup=figure(found["speedup"]),
                accepted_length=figure(found["accepted_length"]), traces=tuple(found.get("traces", ())),
            )
            for kind, layers in arm["by"].items()
            for layer, found in layers.items()
        ),
        void=void,
    )  # fmt: skip


# Sweep


def curves(result: LabResult) -> tuple[Curve, ...]:
    settings = {arm.name: arm.settings for arm in result.arms}
    return tuple(
        curve(base, axis, found, getattr(settings.get(base), axis, None))
        for base, axes in result.results["bases"].items()
        for axis, found in axes.items()
    )


def curve(base: str, axis: str, found: Mapping[str, Any], own: float | None) -> Curve:
    knee, vanishes = found.get("knee") or {}, found.get("vanishes") or {}
    return Curve(
        arm=base,
        axis=axis,
        base=own,
        points=tuple(
            CurvePoint(
                x=cell["value"], speedup=figure(cell["speedup"]), accepted_length=figure(cell["accepted_length"]),
                kv_bytes=cell["kv_bytes"], state_bytes=cell["drafter_state_bytes"], peak_bytes=cell["peak_bytes"],
                void=cell["text"], traces=(cell["trace"],) if cell.get("trace") else (),
            )
            for cell in found["cells"]
        ),
        knee=knee.get("value"),
        knee_support=knee.get("support"),
        knee_at_end=bool(knee.get("at_end")),
        vanishes=vanishes.get("value"),
        surely=vanishes.get("surely"),
    )  # fmt: skip
