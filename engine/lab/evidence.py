"""From traces to what the labs count: whole answers, whether their speed counts, and sums that can be drawn anew.

Pure. A sample counts in a cell where every arm of the cell answered it whole; it is *void* where any arm's answer
flatters (``engine.lab.repetition``), for all arms alike, so that both sides of a ratio have the same samples.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from engine.lab.repetition import void_reason
from engine.stats import Floats, Interval, bootstrap, wilson
from engine.trace.events import Arm, Round
from engine.trace.file import Trace, read
from engine.trace.metrics import Metrics, measure
from engine.trace.of_round import own_s
from engine.trace.session import ArmTurn, ending_of, events_of, group, ids_of

UNFINISHED = ("", "cancelled", "failed")


def read_traces(directory: Path, names: Iterable[str]) -> list[Trace]:
    """Those that a result names; raises ``TraceError``."""
    return [read(directory / name) for name in names]


@dataclass(frozen=True, slots=True)
class Answer:
    """What one arm wrote to one sample, whole."""

    spec: Arm
    cell: str
    sample: str
    labels: dict[str, str]
    turn: ArmTurn
    metrics: Metrics
    void: str
    """Why the speed of this sample counts for nothing, in every arm of the cell; empty where it counts."""

    @property
    def arm(self) -> str:
        return self.spec.name

    @property
    def drafts(self) -> bool:
        return self.spec.drafter != "none"


@dataclass(frozen=True, slots=True)
class Evidence:
    answers: tuple[Answer, ...]
    """In order of happening; those of unfinished samples are not among them."""
    unfinished: tuple[dict[str, str], ...]
    """cell, sample, arm, why."""

    @property
    def counted(self) -> tuple[Answer, ...]:
        return tuple(answer for answer in self.answers if not answer.void)

    @property
    def void(self) -> list[dict[str, str]]:
        """Samples whose speed counts for nothing: cell, sample, why; each once."""
        found = {(a.cell, a.sample): a.void for a in self.answers if a.void}
        return [{"cell": cell, "sample": sample, "why": why} for (cell, sample), why in found.items()]


def evidence(traces: Iterable[Trace]) -> Evidence:
    """Of the runs that are labelled with a sample."""
    cells: dict[tuple[str, str], list[ArmTurn]] = {}
    for trace in traces:
        for turn in group(trace.events):
            if turn.started is not None and "sample" in turn.started.labels:
                labels = turn.started.labels
                cells.setdefault((labels.get("cell", ""), labels["sample"]), []).append(turn)
    answers: list[Answer] = []
    unfinished: list[dict[str, str]] = []
    for (cell, sample), turns in cells.items():
        cut = [turn for turn in turns if ending_of(turn) in UNFINISHED]
        if cut:
            unfinished += [
                {"cell": cell, "sample": sample, "arm": turn.arm, "why": _why(turn)} for turn in cut
            ]  # fmt: skip
            continue
        reasons = [void_reason(ids_of(turn)) for turn in turns]
        void = next(filter(None, reasons), "")
        for turn in turns:
            assert turn.started is not None
            answers.append(
                Answer(turn.started.spec, cell, sample, turn.started.labels, turn, measure(events_of(turn)), void)
            )
    return Evidence(tuple(answers), tuple(unfinished))


def _why(turn: ArmTurn) -> str:
    return turn.failed.message if turn.failed else ending_of(turn) or "cut"


def pooled(answers: Iterable[Answer]) -> Metrics:
    """Metrics of several answers of one arm together."""
    listed = list(answers)
    # A turn's number is its own cell's: told apart, or first tokens of two cells would be one.
    return measure(
        msgspec.structs.replace(event, turn=number)
        for number, answer in enumerate(listed)
        for event in events_of(answer.turn)
        if hasattr(event, "turn")
    )


# Sums: what one answer adds to a pooled figure

TOKENS, ROUNDS, SECONDS, OVERHEAD = range(4)
"""First columns of ``cost_sums``; then four for each drafter."""
PER_SOURCE = 4


def decode_rounds(turn: ArmTurn) -> list[Round]:
    """All but the forward that ends the prefill."""
    return [item for item in turn.rounds if item.index > 0]


def sources_of(answers: Iterable[Answer]) -> list[str]:
    """Drafters that proposed anything; a composite arm has several."""
    return sorted({source for answer in answers for source in answer.metrics.by_source})


def drafters_of(answers: Iterable[Answer]) -> list[str]:
    """What drafting time is counted by: each drafter, and "" for rounds in which none had anything to propose."""
    return ["", *sources_of(answers)]


def cost_sums(turn: ArmTurn, sources: Sequence[str] = ()) -> list[float]:
    """Of one answer's decode rounds: tokens, rounds, seconds, seconds outside draft and verify; then for each drafter
    the draft's seconds where it was timed apart, the number of those rounds, of all its rounds, and its seconds as
    the host saw them."""
    rounds = decode_rounds(turn)
    sums = [
        float(sum(item.emitted_tokens for item in rounds)),
        float(len(rounds)),
        sum(own_s(item) for item in rounds),
        sum(item.accept_s + item.commit_s + item.other_s for item in rounds),
    ]
    for source in sources:
        own = [item for item in rounds if (item.source if item.width else "") == source]
        apart = [item for item in own if item.split]
        sums += [sum(item.draft_s for item in apart), len(apart), len(own), sum(item.draft_s for item in own)]
    return sums


def draft_seconds(sums: Floats) -> Floats:
    """Seconds of drafting in all rounds; ``sums`` [..., columns of ``cost_sums``].

    Where a drafter is a model only every n-th round tells its time from the verify's: the mean of those stands for the
    others, drafter by drafter. Where none was timed apart, what is left is the host's time, a lower bound.
    """
    total = np.zeros(sums.shape[:-1])
    for at in range(OVERHEAD + 1, sums.shape[-1], PER_SOURCE):
        apart_s, apart, rounds, host_s = (sums[..., at + k] for k in range(PER_SOURCE))
        total = total + np.where(apart > 0, apart_s / np.maximum(apart, 1) * rounds, host_s)
    return np.asarray(total)


def pairs(answers: Sequence[Answer], arm: str, reference: str) -> tuple[list[Answer], list[Answer]]:
    """Answers of two arms to the same samples of the same cells, in one order."""
    theirs = {(a.cell, a.sample): a for a in answers if a.arm == reference}
    mine = [a for a in answers if a.arm == arm and (a.cell, a.sample) in theirs]
    return mine, [theirs[a.cell, a.sample] for a in mine]


def speedup(mine: Sequence[Answer], theirs: Sequence[Answer], seed: int = 0) -> Interval:
    """Tokens a second of one arm over those of the other, pooled over samples that are drawn in pairs."""
    columns = [[*cost_sums(a.turn), *cost_sums(b.turn)] for a, b in zip(mine, theirs, strict=True)]
    return bootstrap(columns, speed_ratio, seed=seed) if columns else Interval(value=None)


def speed_ratio(sums: Floats) -> Floats:
    """``sums`` [..., 14]: ``cost_sums`` of an arm, then of the one it is compared with."""
    half = sums.shape[-1] // 2
    own = sums[..., TOKENS] / sums[..., SECONDS]
    other = sums[..., half + TOKENS] / sums[..., half + SECONDS]
    return np.asarray(own / other)


def shares(accepted: Sequence[Sequence[int]], of: Sequence[Sequence[int]], seed: int = 0) -> list[Interval]:
    """Share at each position with its interval; [samples][positions], shorter lists stand for zeros.

    The interval is the wider, at either end, of Wilson's, to which each round is one trial, and of the bootstrap's, to
    which each sample is: few rounds widen the first, samples that differ the second.
    """
    most = max(map(len, of), default=0)
    parts, wholes = (np.array([[*row, *[0] * (most - len(row))] for row in side]) for side in (accepted, of))
    found = []
    for position in range(most):
        part, whole = parts[:, position], wholes[:, position]
        drawn = bootstrap(np.stack([part, whole], axis=-1), lambda s: s[..., 0] / s[..., 1], seed=seed)
        exact = wilson(int(part.sum()), int(whole.sum()))
        found.append(widest(drawn, exact))
    return found


def draft_share(answers: Sequence[Answer], sources: Sequence[str] | None = None, seed: int = 0) -> Interval:
    """Seconds of drafting, by some drafters or all, over those of all decode rounds: ``Metrics.draft_share``, pooled.
    None, as there, where a drafter was never timed apart."""
    sources = drafters_of(answers) if sources is None else sources
    columns = np.asarray([cost_sums(answer.turn, sources) for answer in answers], np.float64)
    if not len(columns):
        return Interval(value=None)
    total = columns.sum(axis=0)
    if any(total[at + 2] and not total[at + 1] for at in range(OVERHEAD + 1, len(total), PER_SOURCE)):
        return Interval(value=None)
    return bootstrap(columns, lambda s: draft_seconds(s) / s[..., SECONDS], seed=seed)


def widest(first: Interval, second: Interval) -> Interval:
    lows = [x.low for x in (first, second) if x.low is not None]
    highs = [x.high for x in (first, second) if x.high is not None]
    return msgspec.structs.replace(first, low=min(lows, default=None), high=max(highs, default=None))


def plain(interval: Interval) -> dict[str, Any]:
    """As results hold it: value, low, high, units."""
    return {"value": interval.value, "low": interval.low, "high": interval.high, "units": interval.units}
