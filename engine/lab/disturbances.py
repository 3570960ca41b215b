"""What the stability lab does to an engine, and what must come of it. Pure: data and judgements, nothing runs here.

A *check* is a list of *cases*, each one turn of the check's trace, and behind them the reference prompt once more: what
it writes must be what it wrote before. A case says how it must end (``Ending``); the judgement reads the trace alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec
from msgspec import Struct

from engine.trace.of_round import accepted_of
from engine.trace.session import ArmTurn, ending_of, ids_of, text_of
from engine.trace.verdict import compare_turns

Ending = Literal["answers", "refused", "nothing", "one round", "cancelled", "context", "silent", "died", "as greedy"]

EXPECTED: dict[Ending, str] = {
    "answers": "every arm answers; the arms agree where the temperature is 0",
    "refused": "one sentence, no round, no crash",
    "nothing": "an end without a token",
    "one round": "the text ends in its first round",
    "cancelled": "it ends as cancelled",
    "context": "the text goes up to the context's end and stops there",
    "silent": "the client gives up after its time limit, the engine goes on",
    "died": "the end of the engine is said in one sentence",
    "as greedy": "the ids of temperature 0",
}

REFERENCE = "reference"
"""Label of the reference prompt's runs: ``before`` or ``after``."""
CHECK, CASES = "check", "cases"
"""Labels that the ``after`` run carries: the check's name, and its cases as JSON."""


class Case(Struct, frozen=True, kw_only=True):
    name: str
    ending: Ending
    prompt: str = ""
    settings: dict[str, Any] = {}
    """What differs from the arms' own."""


def labels_of(check: str, cases: Sequence[Case]) -> dict[str, str]:
    """Prompts and settings are left out: they are in the trace itself."""
    told = [{"name": case.name, "ending": case.ending} for case in cases]
    return {REFERENCE: "after", CHECK: check, CASES: msgspec.json.encode(told).decode()}


def cases_of(labels: Mapping[str, str]) -> list[Case]:
    return msgspec.json.decode(labels[CASES], type=list[Case])


# Judgements: empty where all is well, otherwise what is wrong


def judge(case: Case, turns: Sequence[ArmTurn], greedy: Sequence[ArmTurn] = ()) -> str:
    """Args: turns: of all arms, the first is the reference. greedy: the turns of temperature 0, for ``as greedy``."""
    if not turns:
        return "nothing happened"
    if case.ending == "answers":
        return _first(map(_answered, turns)) or _agree(turns)
    if case.ending == "as greedy":
        return _first(map(_answered, turns)) or _first(
            _same_ids(turn, other) for turn, other in zip(turns, greedy, strict=True)
        )
    return _first(_ended(case.ending, turn) for turn in turns)


def _first(found: Any) -> str:
    return next((text for text in found if text), "")


def _ended(ending: Ending, turn: ArmTurn) -> str:
    how = ending_of(turn)
    match ending:
        case "refused":
            return _sentence(turn) or ("it ran all the same" if turn.rounds else "")
        case "silent":
            return _sentence(turn) or ("" if turn.failed and "said nothing" in turn.failed.message else "no time-out")
        case "died":
            return _sentence(turn) or ("" if turn.failed and "ended" in turn.failed.message else "no word of the end")
        case "nothing":
            return _ends_with(turn, ("length", "stop")) or ("" if not ids_of(turn) else "tokens were emitted")
        case "one round":
            count = len(turn.rounds)
            return _ends_with(turn, ("stop", "length")) or ("" if count == 1 else f"{turn.arm} took {count} rounds")
        case "context":
            return _ends_with(turn, ("context",)) or _fills(turn)
        case _:
            return "" if how == ending else f"{turn.arm} ended as {how or 'nothing'}"


def _ends_with(turn: ArmTurn, reasons: tuple[str, ...]) -> str:
    how = ending_of(turn)
    if turn.failed:
        return f"{turn.arm} failed: {turn.failed.message}"
    return "" if how in reasons else f"{turn.arm} ended as {how or 'nothing'}"


def _fills(turn: ArmTurn) -> str:
    if turn.started is None or not turn.started.target.context_tokens:
        return "no context is stated"
    held = turn.started.prompt_tokens + len(ids_of(turn))
    holds = turn.started.target.context_tokens
    return "" if held == holds else f"{turn.arm} ended with {held} of {holds} tokens"


def _sentence(turn: ArmTurn) -> str:
    if turn.failed is None:
        return f"{turn.arm} was not refused"
    text = turn.failed.message
    one = text.strip() == text and "\n" not in text and text.endswith(".") and "Traceback" not in text
    return "" if one else f"no single sentence: {text[:80]!r}"


def _answered(turn: ArmTurn) -> str:
    """An answer is whole, its counts add up, and at temperature 0 every token is its row's argmax."""
    problem = _ends_with(turn, ("stop", "length", "context"))
    if problem:
        return problem
    if not ids_of(turn):
        return f"{turn.arm} wrote nothing"
    vocabulary = turn.started.target.vocabulary if turn.started else 0
    if vocabulary and not all(0 <= token < vocabulary for token in ids_of(turn)):
        return f"{turn.arm} emitted an id outside the vocabulary"
    if any(accepted_of(r) != r.accepted or r.emitted_tokens != len(r.emitted_ids) for r in turn.rounds):
        return f"the counts of a round of {turn.arm} do not add up"
    greedy = turn.started is not None and turn.started.spec.settings.temperature == 0
    if greedy and any(r.emitted_ids != r.target_ids[: r.emitted_tokens] for r in turn.rounds):
        return f"a token of {turn.arm} is not the target's own choice"
    text = text_of(turn)
    whole = text == text.encode("utf-8", "replace").decode()
    return "" if whole else f"the text of {turn.arm} holds halves of characters"


def _agree(turns: Sequence[ArmTurn]) -> str:
    """At temperature 0 all arms write the same, near-ties excepted; sampled texts can't be compared."""
    return _first(_same_ids(turn, turns[0]) for turn in turns[1:])


def _same_ids(turn: ArmTurn, other: ArmTurn) -> str:
    if turn.started and other.started and turn.started.spec.settings != other.started.spec.settings:
        # The coldest temperature is held against greedy: compared are the ids alone.
        return "" if ids_of(turn) == ids_of(other) else f"{turn.arm} wrote other ids than at temperature 0"
    verdict = compare_turns(other, turn)
    return f"{turn.arm} {verdict.wording}" if verdict.status == "fail" else ""


def same_state(before: Sequence[ArmTurn], after: Sequence[ArmTurn]) -> str:
    """Whether the reference prompt still writes what it wrote before, arm by arm."""
    if [turn.arm for turn in before] != [turn.arm for turn in after]:
        return "not all arms wrote the reference prompt again"
    for old, new in zip(before, after, strict=True):
        if new.failed:
            return f"{new.arm} failed: {new.failed.message}"
        verdict = compare_turns(old, new)
        if verdict.status not in ("identical", "near-tie") or verdict.running:
            return f"{new.arm} {verdict.wording}"
    return ""
