"""From the rounds of a server to its figures: what a forward held, what it cost, what a request saw.

Pure. The rounds of one forward end at the same ``t_s``; together they are a *step*. A server's speed is that of its
*full* steps, those with as many lanes as the cell has: while lanes are empty, at the end of a closed loop, it is
another cell's speed that would be measured.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.stats import Floats, Interval, bootstrap
from engine.trace.of_round import drafted_of, own_s
from engine.trace.session import ArmTurn

LEAST_FULL_STEPS = 6
"""With fewer, all steps count, and that is said."""
SEGMENTS = 12
"""Units of a speed ratio: parts of the work, each arm's first twelfth against the other's, and so on."""

BREAK_EVEN_RULE = (
    "The break-even batch is the smallest measured number of lanes from which on, at every larger number measured too, "
    "the arm is slower than the baseline with as many lanes. Between it and the next smaller number measured the "
    "crossing is where the straight line between the two logarithms of the ratio, over the logarithm of the lanes, "
    "is 0. It is certain where the whole interval of the ratio lies below 1."
)


@dataclass(frozen=True, slots=True)
class Step:
    """One target forward."""

    t_s: float
    lanes: int
    tokens: int
    seconds: float
    width: int
    """Of its widest row."""
    drafted: int
    accepted: int
    drafting: int
    """Rows that drafted."""

    @property
    def rows(self) -> int:
        return self.lanes * (self.width + 1)

    @property
    def padding(self) -> int:
        """Rows that only fill the forward up to its widest."""
        return self.rows - self.lanes - self.drafted


def steps_of(turns: Sequence[ArmTurn]) -> list[Step]:
    """The forwards of one arm's server, in order. Raises ``ValueError`` where the engine's own count of lanes is not
    the number of rounds that ended with the forward."""
    by_end: dict[float, list[Any]] = {}
    for round_ in (round_ for turn in turns for round_ in turn.rounds):
        by_end.setdefault(round_.t_s, []).append(round_)
    found = []
    for t_s, rounds in sorted(by_end.items()):
        if any(r.lanes != len(rounds) for r in rounds):
            raise ValueError(f"[steps_of] {len(rounds)} rounds end at {t_s} s but say {rounds[0].lanes} lanes")
        found.append(
            Step(
                t_s=t_s,
                lanes=len(rounds),
                tokens=sum(r.emitted_tokens for r in rounds),
                seconds=max(own_s(r) for r in rounds),
                width=max(drafted_of(r) for r in rounds),
                drafted=sum(drafted_of(r) for r in rounds),
                accepted=sum(r.accepted for r in rounds),
                drafting=sum(r.width > 0 for r in rounds),
            )
        )
    return found


def full(steps: Sequence[Step], lanes: int) -> tuple[list[Step], bool]:
    """The steps that count, and whether they are the full ones."""
    found = [step for step in steps if step.lanes == lanes]
    return (found, True) if len(found) >= LEAST_FULL_STEPS else (list(steps), False)


def segments(steps: Sequence[Step], count: int = SEGMENTS) -> list[tuple[float, float]]:
    """Tokens and seconds of consecutive parts, as many steps in each as their number allows."""
    count = min(count, len(steps))
    parts = np.array_split(np.arange(len(steps)), count) if count else []
    return [(float(sum(steps[i].tokens for i in part)), float(sum(steps[i].seconds for i in part))) for part in parts]


def throughput(steps: Sequence[Step], seed: int = 0) -> Interval:
    """Tokens a second."""
    return bootstrap(segments(steps), lambda s: s[..., 0] / s[..., 1], seed=seed)


def throughput_ratio(mine: Sequence[Step], theirs: Sequence[Step], seed: int = 0) -> Interval:
    """Tokens a second of one arm over those of the other; parts of the work are drawn in pairs."""
    count = min(SEGMENTS, len(mine), len(theirs))
    if not count:
        return Interval(value=None)
    columns = [[*a, *b] for a, b in zip(segments(mine, count), segments(theirs, count), strict=True)]
    return bootstrap(columns, _ratio_of_speeds, seed=seed)


def _ratio_of_speeds(sums: Floats) -> Floats:
    return np.asarray((sums[..., 0] / sums[..., 1]) / (sums[..., 2] / sums[..., 3]))


# What a request saw


@dataclass(frozen=True, slots=True)
class Seen:
    """One request: seconds on the server's clock."""

    number: int
    sample: str
    tokens: int
    first_s: float
    """From its arrival to its first token, the wait included."""
    wait_s: float
    """From its arrival until its prefill began."""
    later_s: float
    """From its first token to its last."""
    gaps_s: tuple[float, ...]
    """Between two rounds of its own: how long its reader waited for the next piece."""

    @property
    def time_per_token_s(self) -> float | None:
        return self.later_s / (self.tokens - 1) if self.tokens > 1 else None


def seen(turn: ArmTurn) -> Seen | None:
    """None for a request that is not whole."""
    if turn.started is None or turn.finished is None or not turn.rounds:
        return None
    arrived, first, last = turn.started.t_s, turn.rounds[0].t_s, turn.rounds[-1].t_s
    own = turn.rounds[0]
    begun = turn.prefill[-1].t_s - turn.prefill[-1].prefill_s if turn.prefill else first - own_s(own)
    first_round_tokens = own.emitted_tokens
    tokens = sum(r.emitted_tokens for r in turn.rounds)
    ends = [r.t_s for r in turn.rounds]
    return Seen(
        number=turn.turn,
        sample=turn.started.labels.get("sample", str(turn.turn)),
        tokens=tokens - first_round_tokens + 1,
        first_s=first - arrived,
        wait_s=max(0.0, begun - arrived),
        later_s=last - first,
        gaps_s=tuple(b - a for a, b in itertools.pairwise(ends)),
    )


def time_per_token(requests: Sequence[Seen], seed: int = 0) -> Interval:
    """Seconds, pooled over the tokens after each request's first. Units are samples: requests that repeat a prompt are
    drawn together."""
    columns = _by_sample([(r.sample, (r.later_s, r.tokens - 1.0)) for r in requests if r.tokens > 1])
    return bootstrap(columns, lambda s: s[..., 0] / s[..., 1], seed=seed) if columns else Interval(value=None)


def time_per_token_ratio(mine: Sequence[Seen], theirs: Sequence[Seen], seed: int = 0) -> Interval:
    """The other's time per token over one's own: above 1 a reader sees text sooner. Samples are drawn in pairs."""
    other = {r.number: r for r in theirs if r.tokens > 1}
    columns = _by_sample(
        [
            (r.sample, (other[r.number].later_s, other[r.number].tokens - 1.0, r.later_s, r.tokens - 1.0))
            for r in mine
            if r.number in other and r.tokens > 1
        ]
    )
    if not columns:
        return Interval(value=None)
    return bootstrap(columns, lambda s: (s[..., 0] / s[..., 1]) / (s[..., 2] / s[..., 3]), seed=seed)


def _by_sample(found: Sequence[tuple[str, tuple[float, ...]]]) -> list[list[float]]:
    """Sums over the requests of each sample."""
    sums: dict[str, list[float]] = {}
    for sample, columns in found:
        known = sums.setdefault(sample, [0.0] * len(columns))
        sums[sample] = [a + b for a, b in zip(known, columns, strict=True)]
    return list(sums.values())


def quantiles(values: Sequence[float]) -> dict[str, float | None]:
    """Mean, median and 95th percentile."""
    if not values:
        return {"mean": None, "p50": None, "p95": None}
    p50, p95 = (float(x) for x in np.quantile(np.asarray(values, np.float64), [0.5, 0.95]))
    return {"mean": float(np.mean(values)), "p50": p50, "p95": p95}


def break_even(ratios: Sequence[tuple[int, Interval]]) -> dict[str, Any]:
    """Where the gain ends, by ``BREAK_EVEN_RULE``.

    Args: ratios: (lanes, speed over the baseline's with as many lanes), in any order
    Returns: lanes (None: nowhere up to ``up_to``), crossing (None: it lies below the smallest number measured, or
        nowhere), certain, up_to, surely_from (the same with whole intervals in place of values)
    """
    known = sorted((lanes, ratio) for lanes, ratio in ratios if ratio.value is not None)
    found: dict[str, Any] = {
        "lanes": None,
        "crossing": None,
        "certain": False,
        "up_to": known[-1][0] if known else None,
        "surely_from": None,
    }
    for lanes, ratio in reversed(known):
        if ratio.high is None or ratio.high >= 1:
            break
        found["surely_from"] = lanes
    below = len(known)
    while below and (known[below - 1][1].value or 0) < 1:
        below -= 1
    if below == len(known):
        return found
    lanes, ratio = known[below]
    found |= {"lanes": lanes, "certain": ratio.high is not None and ratio.high < 1}
    if below:
        before, higher = known[below - 1]
        a, b = math.log(higher.value or 1), math.log(ratio.value or 1)
        share = a / (a - b) if a > b else 0.0
        found["crossing"] = math.exp(math.log(before) + share * (math.log(lanes) - math.log(before)))
    return found
