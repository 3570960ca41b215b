"""Is the text still exactly the target's own? Two arms' rounds to a verdict.

At temperature 0 two checks are made, token by token. *Own choice*: every emitted token is the argmax of the row that
emitted it; where it isn't, the acceptance is at fault, whatever the other arm did. *Comparison*: both arms emit the
same ids. Rows computed in different shapes differ in their last bits, so the first difference is excused as a near-tie
where first and second choice lie closer together than that noise in both arms; a wider margin is a fault. After the
first difference the texts are incomparable.

Tokens are counted from 0 everywhere; in words, turns from 1. The wording is part of the behaviour: it is tested,
and the window translates it by ``status`` and the fields, never by parsing it. Which token was second is not recorded,
so a near-tie is a matter of margin alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from engine.trace.events import Arm, Judged, ModelFacts, Round, Settings, Started
from engine.trace.session import ArmTurn, by_arm, ending_of, settings_of

NOISE_FLOAT32_LOGITS = 1e-3
"""Two float32 evaluations of one row differ by less than half of this."""
NOISE_BFLOAT16_LOGITS = 0.25
"""Two steps of bfloat16 between 16 and 32, where the best logits lie."""

NOISE_CACHE_LOGITS = {8: 0.6, 4: 7.0}
"""By bits of keys and values: a last bit may turn one of their codes into the next, and the layers above carry it on.
Twice the largest difference of a logit between rows computed alone and in blocks, measured on the embedded model."""

UNFINISHED = {"", "cancelled", "failed"}
"""Endings after which more tokens might have followed."""

Status = Literal["identical", "near-tie", "fail", "sampled", "not-comparable"]
SEVERITY: tuple[Status, ...] = ("identical", "sampled", "not-comparable", "near-tie", "fail")


class Verdict(Struct, frozen=True, kw_only=True):
    status: Status
    first_difference: int | None = None
    """Index of the first token that differs; with own_choice False, of the token that is not the target's own."""
    margin: float | None = None
    """Larger of the two arms' margins at the first difference, in logits; None where neither recorded one."""
    tokens: int = 0
    """Leading tokens found equal."""
    running: bool = False
    """More tokens may follow."""
    own_choice: bool = True
    """Every emitted token was the argmax of its recorded row."""
    turn: int | None = None
    """The turn it is about, for a verdict over several."""
    wording: str = ""


class Output(Struct, kw_only=True):
    """What a verdict needs to know of one arm."""

    rounds: Sequence[Round]
    settings: Settings = Settings()
    ending: str = ""
    """Reason of ``Finished``, ``failed``, or empty while the arm runs."""


def noise_logits(facts: ModelFacts, kv_bits: int = 0) -> float:
    """Bound for margins of this target: what its arithmetic may flip."""
    bound = NOISE_FLOAT32_LOGITS if facts.held_as == "float32" else NOISE_BFLOAT16_LOGITS
    return max(bound, NOISE_CACHE_LOGITS.get(kv_bits, 0.0))


def compare(reference: Output, other: Output, noise: float = NOISE_FLOAT32_LOGITS) -> Verdict:
    """Verdict on one turn. ``noise`` is the largest margin, in logits, that arithmetic alone can flip."""
    comparison = Comparison(noise)
    for item in reference.rounds:
        comparison.add_reference(item)
    for item in other.rounds:
        comparison.add_other(item)
    return comparison.verdict(reference.settings, other.settings, reference.ending, other.ending)


class Comparison:
    """The same verdict, token by token, for a view that asks again after every round."""

    def __init__(self, noise: float = NOISE_FLOAT32_LOGITS) -> None:
        self._noise = noise
        self._reference = _Emitted()
        self._other = _Emitted()
        self._equal = 0

    def add_reference(self, item: Round) -> None:
        self._reference.add(item)

    def add_other(self, item: Round) -> None:
        self._other.add(item)

    def verdict(
        self,
        reference: Settings | None = None,
        other: Settings | None = None,
        reference_ending: str = "",
        other_ending: str = "",
    ) -> Verdict:
        settings = (reference or Settings(), other or Settings())
        endings = (reference_ending, other_ending)
        running = not UNFINISHED.isdisjoint(endings)
        left, right = self._reference, self._other
        if any(each.temperature > 0 for each in settings):
            return _worded(Verdict(status="sampled", running=running))
        for side in (left, right):
            if side.not_own is not None:
                index = side.not_own
                return _worded(
                    Verdict(
                        status="fail",
                        first_difference=index,
                        margin=side.margins[index],
                        tokens=index,
                        own_choice=False,
                        running=running,
                    )
                )
        if not (left.complete and right.complete):
            return _worded(Verdict(status="not-comparable", running=running))
        shorter = min(len(left.ids), len(right.ids))
        while self._equal < shorter and left.ids[self._equal] == right.ids[self._equal]:
            self._equal += 1
        equal = self._equal
        if shorter == 0 and "failed" in endings:
            # An arm that failed before its first token has shown nothing.
            return _worded(Verdict(status="not-comparable", running=running))
        if equal == shorter and not _ended_apart((left, right), settings, endings):
            return _worded(Verdict(status="identical", tokens=equal, running=running))
        known = [side.margins[equal] for side in (left, right) if equal < len(side.ids)]
        margins = [value for value in known if value is not None]
        margin = max(margins) if margins else None
        status: Status = "near-tie" if margin is not None and margin <= self._noise else "fail"
        return _worded(Verdict(status=status, first_difference=equal, margin=margin, tokens=equal, running=running))


class _Emitted:
    """Ids of one arm, the margin of the row that emitted each, and the first that was not its row's argmax."""

    def __init__(self) -> None:
        self.ids: list[int] = []
        self.margins: list[float | None] = []
        self.not_own: int | None = None
        self.complete = True

    def add(self, item: Round) -> None:
        self.complete = self.complete and len(item.emitted_ids) == item.emitted_tokens
        for row, token in enumerate(item.emitted_ids):
            if self.not_own is None and item.target_ids and item.target_ids[row : row + 1] != (token,):
                self.not_own = len(self.ids)
            self.ids.append(token)
            self.margins.append(item.margins[row] if row < len(item.margins) else None)


def _ended_apart(
    sides: tuple[_Emitted, _Emitted], settings: tuple[Settings, Settings], endings: tuple[str, str]
) -> bool:
    """Whether an arm ended where the other, with equal tokens so far, went on against the same rules."""
    lengths = (len(sides[0].ids), len(sides[1].ids))
    if lengths[0] == lengths[1]:
        return False
    short = 0 if lengths[0] < lengths[1] else 1
    same_stop = settings[0].stop == settings[1].stop
    same_limit = settings[0].max_tokens == settings[1].max_tokens
    match endings[short]:
        case "stop":
            return same_stop
        case "length":
            return same_limit
        case _:
            return False


def _worded(verdict: Verdict) -> Verdict:
    return replace(verdict, wording=wording(verdict))


def tokens_in_words(count: int) -> str:
    return "1 token" if count == 1 else f"{count} tokens"


def wording(verdict: Verdict) -> str:
    """One line for people, without a full stop."""
    turn = "" if verdict.turn is None else f", turn {verdict.turn + 1}"
    margin = "no margin recorded" if verdict.margin is None else f"margin {verdict.margin:.3g}"
    match verdict.status:
        case "sampled":
            return "sampled: the texts are expected to differ, token by token they can't be compared"
        case "not-comparable":
            return f"not comparable token by token{turn}"
        case "near-tie":
            return f"near-tie at token {verdict.first_difference}{turn} ({margin})"
        case "fail" if not verdict.own_choice:
            return f"fault: token {verdict.first_difference}{turn} is not the target's own choice ({margin})"
        case "fail":
            return f"differs at token {verdict.first_difference}{turn} ({margin})"
        case _:
            return f"identical{' so far' if verdict.running else ''} ({tokens_in_words(verdict.tokens)})"


def output(entry: ArmTurn) -> Output:
    """One arm turn of a trace, as ``compare`` wants it."""
    return Output(rounds=entry.rounds, settings=settings_of(entry), ending=ending_of(entry))


def same_text_expected(reference: Started, other: Started) -> bool:
    """Whether two arms of a turn must write the same text: same prompt, target and whatever else changes its logits."""

    def decides(started: Started) -> tuple[object, ...]:
        spec: Arm = started.spec
        settings = spec.settings
        return (
            spec.target,
            started.target,
            settings.kv_bits,
            settings.repetition_penalty,
            settings.repetition_window_tokens if settings.repetition_penalty != 1 else 0,
            started.prompt_ids,
            started.prompt_tokens,
        )

    return decides(reference) == decides(other)


def of_judged(judged: Judged, running: bool = False) -> Verdict:
    """A verdict that was kept in a trace whose ids were left out."""
    return _worded(
        Verdict(
            status=judged.status,
            first_difference=judged.first_difference,
            margin=judged.margin,
            tokens=judged.tokens,
            own_choice=judged.own_choice,
            running=running,
        )
    )


def compare_turns(reference: ArmTurn, other: ArmTurn, noise: float | None = None) -> Verdict:
    """Verdict on one turn of a trace; the noise bound follows from how the target's weights were held."""
    if noise is None:
        begun = [entry.started for entry in (reference, other) if entry.started]
        bounds = (noise_logits(each.target, each.spec.settings.kv_bits) for each in begun)
        noise = max(bounds, default=NOISE_FLOAT32_LOGITS)
    verdict = compare(output(reference), output(other), noise)
    if verdict.status == "not-comparable" and other.judged is not None:
        return of_judged(other.judged, verdict.running)
    excused = verdict.status in ("fail", "near-tie") and verdict.own_choice
    if excused and reference.started and other.started and not same_text_expected(reference.started, other.started):
        return _worded(Verdict(status="not-comparable", tokens=verdict.tokens, running=verdict.running))
    return verdict


def over_turns(verdicts: Iterable[tuple[int, Verdict]]) -> Verdict:
    """Verdict of several turns: the most severe, with its turn; where all are identical, their tokens together."""
    listed = list(verdicts)
    if not listed:
        return _worded(Verdict(status="identical", running=True))
    worst = max((verdict.status for _, verdict in listed), key=SEVERITY.index)
    turn, chosen = next((turn, verdict) for turn, verdict in listed if verdict.status == worst)
    running = any(verdict.running for _, verdict in listed)
    if worst == "identical":
        return _worded(Verdict(status=worst, tokens=sum(verdict.tokens for _, verdict in listed), running=running))
    return _worded(replace(chosen, running=running, turn=turn if len(listed) > 1 else None))


def session_verdicts(turns: Iterable[ArmTurn]) -> dict[str, Verdict]:
    """Verdict of every arm but the first, against the first, over the turns that both have."""
    arms = by_arm(turns)
    verdicts: dict[str, Verdict] = {}
    if not arms:
        return verdicts
    names = list(arms)
    reference = {entry.turn: entry for entry in arms[names[0]]}
    for name in names[1:]:
        shared = [entry for entry in arms[name] if entry.turn in reference]
        verdicts[name] = over_turns((entry.turn, compare_turns(reference[entry.turn], entry)) for entry in shared)
    return verdicts
