"""Rounds to numbers. Pure: nothing is measured here, only counted and divided.

Let ``w_r`` be the drafts of round ``r`` and ``a_r`` those of them that were emitted. What was emitted is read from
``Round.origins``, so every count adds up to the coloured text:

    emitted = accepted + corrections + bonuses + plain         in each round, each turn and in total
    sum(rejected_by_position) = corrections
    sum(accepted_by_position) = accepted,  sum(drafted_by_position) = drafted

A stop or the token limit can cut a block. The drafts behind the cut were neither kept nor rejected: they count as
drafted and as wasted, but not as reached.

``time_s`` figures are the arm's own time. Speed counts decode rounds only: round 0 is the forward that ends the
prefill, its token belongs to the time to first token. Ratios whose denominator is 0 are None, never 0.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from msgspec import Struct

from engine.trace.events import Event, Finished, Prefill, Round, Started
from engine.trace.of_round import accepted_of, drafted_of, own_s, rejected_position


class SourceCounts(Struct, frozen=True, kw_only=True):
    """What one drafter of a composite arm brought."""

    rounds: int
    drafted: int
    accepted: int


class Metrics(Struct, frozen=True, kw_only=True):
    """Numbers of an arm: of one turn, or pooled over turns. Lists are indexed by draft position, the first is 0."""

    turns: int
    rounds: int
    """Round 0 of each turn included."""
    drafting_rounds: int
    """Rounds that verified at least one draft."""

    prompt_tokens: int
    cached_tokens: int
    emitted: int
    accepted: int
    """Emitted tokens that were drafted."""
    corrections: int
    bonuses: int
    plain: int
    drafted: int
    target_forwards: int
    drafter_forwards: int

    tokens_per_forward: float | None
    """``emitted / target_forwards``: tokens that each run of the target yielded, the bonus and round 0 included."""
    mean_accepted_length: float | None
    """tau: ``1 + accepted / drafting_rounds``, the target's own token included."""
    mean_accepted_drafts: float | None
    """tau - 1: ``accepted / drafting_rounds``, the target's own token not included."""
    draft_acceptance_rate: float | None
    """``accepted / drafted``: share of the drafts, not of the text; of a tree at most one of a place can be kept."""
    wasted_share: float | None
    """``1 - draft_acceptance_rate``."""

    drafted_by_position: list[int]
    """N_k: rounds that drafted position k; of a tree, on the path that it shows."""
    accepted_by_position: list[int]
    """A_k: rounds that emitted the draft of position k; of a tree, whichever of its drafts for that position."""
    reached_by_position: list[int]
    """Rounds in which the target judged position k: every earlier draft kept, and the block not cut before it."""
    rejected_by_position: list[int]
    """Rounds whose correction stands at position k."""
    survival_by_position: list[float | None]
    """s_k = A_k / N_k; its n is ``drafted_by_position``."""
    conditional_by_position: list[float | None]
    """alpha_k = A_k / reached_k, acceptance where all earlier drafts were kept; its n is ``reached_by_position``."""
    accepted_length_histogram: list[int]
    """Drafting rounds by accepted drafts, from 0 to the largest width."""
    rollbacks: int
    """Rounds in which at least one draft was dropped."""

    draft_s: float
    verify_s: float
    accept_s: float
    commit_s: float
    other_s: float
    decode_s: float
    """Own time of all rounds after round 0."""
    split_rounds: int
    """Rounds after round 0 whose draft and verify were timed apart: the n of ``draft_share``."""
    draft_share: float | None
    """Time of drafting over ``decode_s``. A round whose draft and verify were not timed apart counts the mean of its
    drafter's rounds that were; None where a drafter has no such round."""
    tokens_per_s: float | None
    """Tokens emitted after round 0 over ``decode_s``."""
    tokens_per_s_error: float | None
    """Relative standard error of ``tokens_per_s``, from how its rounds scatter; None below two decode rounds."""
    time_per_token_s: float | None
    time_to_first_token_s: float | None
    """Mean over turns."""

    active_bytes: int
    """Largest over rounds, as are the other byte counts."""
    allocator_bytes: int
    peak_bytes: int
    kv_bytes: int
    drafter_state_bytes: int
    active_growth_bytes: int
    """Active memory of the last round less that of the first."""

    fallback_rounds: int
    near_ties: int
    width_reasons: dict[str, int]
    """Rounds drafted narrower than asked, by reason."""
    by_source: dict[str, SourceCounts]
    warnings: list[str]
    """Each once, in order of appearance."""


def ratio(part: float, whole: float) -> float | None:
    return part / whole if whole else None


def ratio_error(a: float, b: float, n: float, aa: float, bb: float, ab: float) -> float | None:
    """Relative standard error of ``a / b``, two sums over ``n`` rounds, from their sums of squares and products.

    First order (delta method): ``var(a/b) / (a/b)^2 = (Vaa/A^2 - 2 Vab/(A B) + Vbb/B^2) / n`` with means A, B and
    sample variances V. Rounds count as independent; drift that lasts longer than a round is not in it.
    """
    if n < 2 or a <= 0 or b <= 0:
        return None
    mean_a, mean_b = a / n, b / n
    scale = n / (n - 1)
    vaa, vbb = (aa / n - mean_a**2) * scale, (bb / n - mean_b**2) * scale
    vab = (ab / n - mean_a * mean_b) * scale
    variance = (vaa / mean_a**2 - 2 * vab / (mean_a * mean_b) + vbb / mean_b**2) / n
    return math.sqrt(max(0.0, variance))


def differs(speed: Metrics, other: Metrics, sigmas: float = 2.0) -> bool:
    """Whether two speeds lie further apart than their rounds scatter (95 % for two standard errors).

    False where either speed is unknown; a spread that can't be told yet counts as too wide.
    """
    if not speed.tokens_per_s or not other.tokens_per_s:
        return False
    if speed.tokens_per_s_error is None or other.tokens_per_s_error is None:
        return False
    apart = abs(math.log(speed.tokens_per_s / other.tokens_per_s))
    return apart > sigmas * math.hypot(speed.tokens_per_s_error, other.tokens_per_s_error)


class Tally:
    """Counts one arm's events as they happen, for one turn or for several.

    ``metrics`` may be asked at any time and costs the same after 10 rounds as after 10,000.
    """

    def __init__(self) -> None:
        self._turns: set[int] = set()
        self._rounds = self._drafting = self._rollbacks = self._fallbacks = self._near_ties = 0
        self._prompt: dict[int, tuple[int, int]] = {}
        self._origins = {"accepted": 0, "correction": 0, "bonus": 0, "plain": 0}
        self._drafted = self._target_forwards = self._drafter_forwards = 0
        self._drafted_at: list[int] = []
        self._accepted_at: list[int] = []
        self._rejected_at: list[int] = []
        self._lengths = [0]
        self._times = [0.0] * 5
        self._decode_s = 0.0
        self._decoded = 0
        self._scatter = [0.0] * 4
        """Decode rounds, and sums over them of squared tokens, squared time, and tokens times time."""
        self._split = 0
        self._draft_s: dict[str, list[float]] = {}
        """By drafter: seconds of the drafts that were timed apart, their number, and that of all its rounds."""
        self._prefill_s: dict[int, float] = {}
        self._first_token_s: dict[int, float] = {}
        self._bytes = [0] * 5
        self._first_active: int | None = None
        self._last_active = 0
        self._reasons: dict[str, int] = {}
        self._sources: dict[str, list[int]] = {}
        self._warnings: dict[str, None] = {}

    def add(self, event: Event) -> None:
        """Count one event. Events that carry no number of an arm are ignored."""
        match event:
            case Round():
                self._add_round(event)
            case Started():
                self._turns.add(event.turn)
                self._prompt[event.turn] = (event.prompt_tokens, event.cached_tokens)
            case Prefill():
                self._turns.add(event.turn)
                self._prefill_s[event.turn] = event.prefill_s
            case Finished() if event.time_to_first_token_s > 0:
                self._first_token_s[event.turn] = event.time_to_first_token_s

    def _add_round(self, item: Round) -> None:
        self._turns.add(item.turn)
        self._rounds += 1
        self._count_tokens(item)
        self._count_time(item)
        sizes = (item.active_bytes, item.allocator_bytes, item.peak_bytes, item.kv_bytes, item.drafter_state_bytes)
        self._bytes = [max(pair) for pair in zip(self._bytes, sizes, strict=True)]
        if self._first_active is None:
            self._first_active = item.active_bytes
        self._last_active = item.active_bytes
        self._fallbacks += item.fallback
        self._near_ties += item.near_tie
        if item.width < item.requested_width:
            self._reasons[item.width_reason] = self._reasons.get(item.width_reason, 0) + 1
        if item.warning:
            self._warnings[item.warning] = None

    def _count_tokens(self, item: Round) -> None:
        for origin in item.origins:
            self._origins[origin] += 1
        self._target_forwards += item.target_forwards
        self._drafter_forwards += item.drafter_forwards
        if not item.width:
            return
        grow = item.width - len(self._drafted_at)
        if grow > 0:
            for counts in (self._drafted_at, self._accepted_at, self._rejected_at, self._lengths):
                counts.extend([0] * grow)
        accepted = accepted_of(item)
        self._drafting += 1
        self._drafted += drafted_of(item)
        self._rollbacks += accepted < drafted_of(item)
        self._lengths[accepted] += 1
        for position in range(item.width):
            self._drafted_at[position] += 1
        for position in range(accepted):
            self._accepted_at[position] += 1
        rejected = rejected_position(item)
        if rejected is not None:
            self._rejected_at[rejected] += 1
        source = self._sources.setdefault(item.source, [0, 0, 0])
        for slot, amount in enumerate((1, drafted_of(item), accepted)):
            source[slot] += amount

    def _count_time(self, item: Round) -> None:
        spent = own_s(item)
        if item.index == 0:
            self._first_token_s.setdefault(item.turn, self._prefill_s.get(item.turn, 0.0) + spent)
            return
        self._decode_s += spent
        tokens = len(item.origins)
        self._decoded += tokens
        for slot, amount in enumerate((1.0, tokens * tokens, spent * spent, tokens * spent)):
            self._scatter[slot] += amount
        for slot, amount in enumerate((item.draft_s, item.verify_s, item.accept_s, item.commit_s, item.other_s)):
            self._times[slot] += amount
        self._split += item.split
        draft = self._draft_s.setdefault(item.source if item.width else "", [0.0, 0, 0])
        for slot, amount in enumerate((item.draft_s, 1, 1) if item.split else (0.0, 0, 1)):
            draft[slot] += amount

    def metrics(self) -> Metrics:
        accepted = self._origins["accepted"]
        emitted = sum(self._origins.values())
        reached = [kept + lost for kept, lost in zip(self._accepted_at, self._rejected_at, strict=True)]
        firsts = self._first_token_s.values()
        mean_drafts = ratio(accepted, self._drafting)
        draft_s, verify_s, accept_s, commit_s, other_s = self._times
        active, allocator, peak, kv, drafter_state = self._bytes
        return Metrics(
            turns=len(self._turns),
            rounds=self._rounds,
            drafting_rounds=self._drafting,
            prompt_tokens=sum(tokens for tokens, _ in self._prompt.values()),
            cached_tokens=sum(cached for _, cached in self._prompt.values()),
            emitted=emitted,
            accepted=accepted,
            corrections=self._origins["correction"],
            bonuses=self._origins["bonus"],
            plain=self._origins["plain"],
            drafted=self._drafted,
            target_forwards=self._target_forwards,
            drafter_forwards=self._drafter_forwards,
            tokens_per_forward=ratio(emitted, self._target_forwards),
            mean_accepted_length=None if mean_drafts is None else 1 + mean_drafts,
            mean_accepted_drafts=mean_drafts,
            draft_acceptance_rate=ratio(accepted, self._drafted),
            wasted_share=ratio(self._drafted - accepted, self._drafted),
            drafted_by_position=self._drafted_at.copy(),
            accepted_by_position=self._accepted_at.copy(),
            reached_by_position=reached,
            rejected_by_position=self._rejected_at.copy(),
            survival_by_position=[ratio(*pair) for pair in zip(self._accepted_at, self._drafted_at, strict=True)],
            conditional_by_position=[ratio(*pair) for pair in zip(self._accepted_at, reached, strict=True)],
            accepted_length_histogram=self._lengths.copy(),
            rollbacks=self._rollbacks,
            draft_s=draft_s,
            verify_s=verify_s,
            accept_s=accept_s,
            commit_s=commit_s,
            other_s=other_s,
            decode_s=self._decode_s,
            split_rounds=self._split,
            draft_share=self._draft_share(),
            tokens_per_s=ratio(self._decoded, self._decode_s),
            tokens_per_s_error=ratio_error(self._decoded, self._decode_s, *self._scatter),
            time_per_token_s=ratio(self._decode_s, self._decoded),
            time_to_first_token_s=ratio(sum(firsts), len(firsts)),
            active_bytes=active,
            allocator_bytes=allocator,
            peak_bytes=peak,
            kv_bytes=kv,
            drafter_state_bytes=drafter_state,
            active_growth_bytes=self._last_active - (self._first_active or 0),
            fallback_rounds=self._fallbacks,
            near_ties=self._near_ties,
            width_reasons=self._reasons.copy(),
            by_source={
                name: SourceCounts(rounds=rounds, drafted=drafted, accepted=kept)
                for name, (rounds, drafted, kept) in self._sources.items()
            },
            warnings=list(self._warnings),
        )

    def _draft_share(self) -> float | None:
        """A composite's look-ups are always timed apart, its model's drafts seldom: each stands for its own alone."""
        if any(not apart for _, apart, _ in self._draft_s.values()):
            return None
        return ratio(sum(spent / apart * rounds for spent, apart, rounds in self._draft_s.values()), self._decode_s)


def measure(events: Iterable[Event]) -> Metrics:
    """Numbers of one arm, from all its events or from its rounds alone."""
    tally = Tally()
    for event in events:
        tally.add(event)
    return tally.metrics()


def macro_mean(values: Iterable[float | None]) -> float | None:
    """Mean of per-turn figures. Unlike the pooled figure it weighs a short turn like a long one: say which it is."""
    known = [value for value in values if value is not None]
    return ratio(sum(known), len(known))


SUMMARY = (
    "tokens_per_s",
    "time_to_first_token_s",
    "tokens_per_forward",
    "target_forwards",
    "drafter_forwards",
    "drafted",
    "accepted",
    "corrections",
    "bonuses",
    "plain",
    "accepted_by_position",
    "drafted_by_position",
    "draft_share",
    "peak_bytes",
    "emitted",
    "rounds",
    "drafting_rounds",
    "mean_accepted_length",
    "mean_accepted_drafts",
    "draft_acceptance_rate",
    "wasted_share",
    "reached_by_position",
    "rejected_by_position",
    "survival_by_position",
    "conditional_by_position",
    "accepted_length_histogram",
    "rollbacks",
    "time_per_token_s",
    "kv_bytes",
    "drafter_state_bytes",
    "fallback_rounds",
    "near_ties",
)


def summary(metrics: Metrics) -> dict[str, Any]:
    """What ``--json`` prints under ``metrics``; None becomes null."""
    return {name: getattr(metrics, name) for name in SUMMARY}
