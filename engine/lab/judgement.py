"""The rule: what was found of one text, to PASS, NEAR-TIE or FAIL. Records, and pure functions of them.

A ``Finding`` is what the rounds of a trace can't tell, since it took the model once more: the replay's gaps and the
caches' difference. It lies in the trace as a label of the arm's ``Started``: whoever holds the traces can judge again.

    fail        a token is not the argmax of its row; a gap beyond the noise; a difference from the baseline whose
                margin is beyond it; a token after the end; caches that hold another number of rows or other rows; a
                text that could not be finished. Where the check is strict, any gap and any difference.
    near-tie    a gap or a difference, all within the noise
    pass        none of it
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal

import msgspec
from msgspec import Struct

from engine.trace.file import Trace
from engine.trace.of_round import drafted_of
from engine.trace.session import ArmTurn, ending_of, group
from engine.trace.verdict import Output, Verdict, compare, output

Outcome = Literal["pass", "near-tie", "fail"]
SEVERITY: tuple[Outcome, ...] = ("pass", "near-tie", "fail")
AS_IT_IS = "as it is"
CLEAN = "clean"


class Bounds(Struct, frozen=True, kw_only=True):
    """Noise of this machine, model and arithmetic, measured without speculation."""

    logits: float
    """A gap or margin up to this is excused."""
    cache: float
    """A cached row may differ by this, relative to its size."""
    rows: int = 0
    """Rows it was measured on, all widths together."""
    widths: tuple[int, ...] = ()
    median: float = 0.0
    """Largest difference of a logit in a row: its median over rows, and its largest."""
    largest: float = 0.0
    cache_largest: float = 0.0
    ceiling: float = 0.0
    """``logits`` is never above this, whatever was measured."""


class Finding(Struct, frozen=True, kw_only=True):
    """One arm's answer to one prompt in one cell."""

    cell: str
    arm: str
    variation: str
    """What is different from the arm as it was given; a table's column."""
    prompt: str
    """Name of the sample."""
    precision: str
    held_as: str = ""
    control: str = ""
    """Name of the injected fault; ``clean`` for the same run without one; empty for arms as they are."""
    strict: bool = False
    """Rows of equal arithmetic, or float32: nothing is excused."""
    settings: dict[str, Any] = {}
    """What was varied, by its name."""
    bounds: Bounds
    replayed: int = 0
    """Emitted tokens that were replayed: all of them."""
    gaps: dict[int, float] = {}
    """Of the emitted tokens that were not the replay's choice, by index."""
    after_end: int | None = None
    """Index of the first token emitted after the text had ended."""
    rows_held: int | None = None
    """By the arm's caches; None where their kind doesn't count."""
    rows_right: int = 0
    cache_difference: float = 0.0
    cache_place: int = 0
    """Of that row, from the text's end: -1 is the last."""
    cache_layer: int = 0


class Judgement(Struct, frozen=True, kw_only=True):
    """A finding and its trace, judged."""

    finding: Finding
    trace: str
    turn: int
    outcome: Outcome
    broke: bool
    """The arm itself broke off: red, but nothing that a check has seen."""
    why: tuple[str, ...]
    """One clause for each thing that is not as it should be."""
    verdict: Verdict
    """Against the baseline."""
    tokens: int
    rounds: int
    rejections: int
    """Rounds that had drafts to roll back."""
    accepted_lengths: tuple[int, ...]
    """How many rounds kept 0, 1, 2, ... drafts."""
    gaps_above: int
    """Tokens with a gap that is not 0."""
    largest_gap: float
    cached_tokens: int
    """Of the prompt, held from the turn before."""


def judge(finding: Finding, baseline: ArmTurn, arm: ArmTurn, trace: str = "") -> Judgement:
    bounds = finding.bounds
    verdict = _compared(baseline, arm, 0.0 if finding.strict else bounds.logits)
    largest = max(finding.gaps.values(), default=0.0)
    above = list(finding.gaps)
    drafted = [r for r in arm.rounds if r.width]
    why = [*_faults(finding, verdict, largest, arm)]
    if why:
        outcome: Outcome = "fail"
    else:
        outcome = "near-tie" if above or verdict.status == "near-tie" else "pass"
        if above:
            why.append(f"{len(above)} of {finding.replayed} tokens with a gap up to {largest:.3g}, within the noise")
        if verdict.status == "near-tie":
            why.append(verdict.wording)
    lengths = [r.accepted for r in drafted]
    return Judgement(
        finding=finding,
        trace=trace,
        turn=arm.turn,
        outcome=outcome,
        broke=ending_of(arm) == "failed",
        why=tuple(why),
        verdict=verdict,
        tokens=sum(r.emitted_tokens for r in arm.rounds),
        rounds=len(arm.rounds),
        rejections=sum(r.accepted < drafted_of(r) for r in drafted),
        accepted_lengths=tuple(lengths.count(n) for n in range(max(lengths, default=-1) + 1)),
        gaps_above=len(above),
        largest_gap=largest,
        cached_tokens=arm.started.cached_tokens if arm.started else 0,
    )


def _compared(baseline: ArmTurn, arm: ArmTurn, noise: float) -> Verdict:
    """The very rule of the window's verdict, with the measured noise."""
    if baseline.started and arm.started and baseline.started.prompt_ids != arm.started.prompt_ids:
        # Other prompts have other answers; every token is still judged by the replay.
        verdict = compare(Output(rounds=arm.rounds), output(arm), noise)
        return verdict if verdict.status == "fail" else Verdict(status="not-comparable", wording="another prompt")
    return compare(output(baseline), output(arm), noise)


def _faults(finding: Finding, verdict: Verdict, largest: float, arm: ArmTurn) -> list[str]:
    found = []
    bounds = finding.bounds
    if finding.replayed < sum(r.emitted_tokens for r in arm.rounds):
        found.append("not every token was replayed")
    if ending_of(arm) == "failed":
        found.append(arm.failed.message if arm.failed else "the arm failed")
    if verdict.status == "fail":
        found.append(verdict.wording)
    allowed = 0.0 if finding.strict else bounds.logits
    if largest > allowed:
        at = max(finding.gaps, key=finding.gaps.__getitem__)
        limit = "nothing is excused here" if finding.strict else f"the noise is {allowed:.3g}"
        found.append(f"token {at} is {largest:.3g} below the target's choice in the replay, {limit}")
    if finding.after_end is not None:
        found.append(f"token {finding.after_end} was emitted after the text had ended")
    if finding.rows_held not in (None, finding.rows_right):
        found.append(f"the caches hold {finding.rows_held} rows of a text of {finding.rows_right}")
    if finding.cache_difference > bounds.cache:
        found.append(
            f"a cached row ({finding.cache_place} from the end, layer {finding.cache_layer}) differs by "
            f"{finding.cache_difference:.3g} of its size, the noise is {bounds.cache:.3g}"
        )
    return found


def worst(outcomes: Sequence[Outcome]) -> Outcome:
    return max(outcomes, key=SEVERITY.index, default="pass")


def first_after_end(ids: Sequence[int], ends: frozenset[int], max_tokens: int, stopped_at: int | None) -> int | None:
    """Index of the first token that stands behind an end; ``stopped_at`` is the token that completed a stop string."""
    limits = [i + 1 for i, token in enumerate(ids) if token in ends][:1]
    if stopped_at is not None:
        limits.append(stopped_at + 1)
    if max_tokens >= 0:
        limits.append(max_tokens)
    limit = min(limits, default=len(ids))
    return limit if limit < len(ids) else None


# From traces to the results

FINDING = "finding"
"""Label of ``Started`` under which a finding lies in its trace."""


def results_from_traces(traces: Iterable[Trace]) -> dict[str, Any]:
    """Everything the lab reports.

    outcome     pass, near-tie or fail; a planted fault that went unseen is a fail: nothing else can be believed then
    bound       the largest gap that this machine's noise explains, of the arms as they are
    arms        [{arm, status, tokens, near_ties, largest_gap, bound, samples, detail}], over all cells of an arm
    crossed     [{name, ok, status, detail}]: each changed condition, over all arms
    controls    [{name, caught, why, traces}]: each planted fault, and whether it turned the check red
    cells       one for each answer: its conditions, status, figures, reasons and trace
    clean       the controls' own texts without a fault, like cells
    noise       the bounds, by arm and arithmetic
    tokens, rejections      over all cells; blocks with nothing to roll back show nothing of rolling back
    """
    judged = [j for trace in traces for j in judgements(trace)]
    arms = [j for j in judged if not j.finding.control]
    clean = [j for j in judged if j.finding.control == CLEAN]
    faults = [j for j in judged if j.finding.control not in ("", CLEAN)]
    controls = [_control(name, of) for name, of in _by(faults, lambda j: j.finding.control).items()]
    caught = all(control["caught"] for control in controls)
    return plain(
        {
            "outcome": worst([j.outcome for j in [*arms, *clean]]) if caught else "fail",
            "bound": max((j.finding.bounds.logits for j in arms if j.finding.variation == AS_IT_IS), default=None),
            "arms": [_arm(name, of) for name, of in _by(arms, lambda j: j.finding.arm).items()],
            "crossed": [
                _crossed(name, of) for name, of in _by(arms, lambda j: j.finding.variation).items() if name != AS_IT_IS
            ],
            "controls": controls,
            "cells": [_row(j) for j in arms],
            "clean": [_row(j) for j in clean],
            "noise": _noise(judged),
            "tokens": sum(j.tokens for j in arms),
            "rejections": sum(j.rejections for j in arms),
        }
    )


def plain(results: dict[str, Any]) -> dict[str, Any]:
    """As a file gives them back."""
    found: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(results))
    return found


def judgements(trace: Trace) -> list[Judgement]:
    """Of one trace; the baseline stands first in it."""
    turns = {(turn.arm, turn.turn): turn for turn in group(trace.events)}
    first = next(iter(turns), ("", 0))[0]
    found = []
    for (_, number), turn in turns.items():
        labels = turn.started.labels if turn.started else {}
        if FINDING in labels and (first, number) in turns:
            finding = msgspec.json.decode(labels[FINDING], type=Finding)
            found.append(judge(finding, turns[first, number], turn, labels.get("trace", "")))
    return found


def label_of(finding: Finding) -> str:
    return msgspec.json.encode(finding).decode()


def _by(judged: Sequence[Judgement], key: Callable[[Judgement], str]) -> dict[str, list[Judgement]]:
    found: dict[str, list[Judgement]] = {}
    for j in judged:
        found.setdefault(key(j), []).append(j)
    return found


def _control(name: str, tries: Sequence[Judgement]) -> dict[str, Any]:
    caught = any(j.outcome == "fail" and not j.broke for j in tries)
    why = [why for j in tries if j.outcome == "fail" for why in j.why]
    return {"name": name, "caught": caught, "why": why, "traces": list(dict.fromkeys(j.trace for j in tries))}


def _arm(name: str, of: Sequence[Judgement]) -> dict[str, Any]:
    status = worst([j.outcome for j in of])
    gaps = [j.largest_gap for j in of]
    return {
        "arm": name,
        "status": status,
        "tokens": sum(j.tokens for j in of),
        "near_ties": sum(j.gaps_above for j in of),
        "largest_gap": max(gaps),
        "bound": max(j.finding.bounds.logits for j in of),
        "samples": len({j.finding.prompt for j in of}),
        "detail": _detail(of, status),
    }


def _crossed(name: str, of: Sequence[Judgement]) -> dict[str, Any]:
    status = worst([j.outcome for j in of])
    return {"name": name, "ok": status != "fail", "status": status, "detail": _detail(of, status)}


def _detail(of: Sequence[Judgement], status: Outcome) -> str:
    """The first reason for the status."""
    reasons = [f"{j.finding.variation}, {j.finding.prompt}: {why}" for j in of if j.outcome == status for why in j.why]
    return reasons[0] if reasons else ""


def _row(j: Judgement) -> dict[str, Any]:
    f = j.finding
    return {
        "cell": f.cell, "arm": f.arm, "variation": f.variation, "prompt": f.prompt, "turn": j.turn, "trace": j.trace,
        "precision": f.precision, "held_as": f.held_as, "strict": f.strict, "settings": f.settings,
        "status": j.outcome, "why": list(j.why), "verdict": j.verdict.status,
        "first_difference": j.verdict.first_difference, "margin": j.verdict.margin,
        "own_choice": j.verdict.own_choice, "tokens": j.tokens, "rounds": j.rounds, "rejections": j.rejections,
        "accepted_lengths": list(j.accepted_lengths), "gaps_above": j.gaps_above, "largest_gap": j.largest_gap,
        "gap_bound": 0.0 if f.strict else f.bounds.logits, "cache_difference": f.cache_difference,
        "cache_bound": f.bounds.cache, "cache_rows": f.rows_held, "after_end": f.after_end,
        "cached_tokens": j.cached_tokens,
    }  # fmt: skip


def _noise(judged: Sequence[Judgement]) -> list[dict[str, Any]]:
    found: dict[tuple[str, str], Bounds] = {}
    for j in judged:
        if j.finding.bounds.rows:
            found.setdefault((j.finding.precision, j.finding.held_as), j.finding.bounds)
    return [
        {"precision": precision, "held_as": held_as, **msgspec.to_builtins(bounds)}
        for (precision, held_as), bounds in found.items()
    ]
