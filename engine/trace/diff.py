"""What differs between two traces: environment, arms, prompts, emitted tokens, figures.

Two traces are *the same* where each arm of one is in the other and emitted the same ids in every turn. Times and memory
may differ all the same; they are listed, not judged.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

import msgspec
from msgspec import Struct

from engine.trace.events import Started
from engine.trace.file import Trace
from engine.trace.metrics import Metrics, measure
from engine.trace.session import ArmTurn, by_arm, events_of, group, has_ids, ids_of

COMPARED = (
    "tokens_per_s",
    "time_to_first_token_s",
    "tokens_per_forward",
    "target_forwards",
    "drafter_forwards",
    "emitted",
    "drafted",
    "accepted",
    "corrections",
    "bonuses",
    "plain",
    "draft_acceptance_rate",
    "mean_accepted_length",
    "rollbacks",
    "draft_share",
    "peak_bytes",
)
MISSING = "(not there)"


class Change(Struct, frozen=True):
    """One value that is not the same in both traces."""

    where: str
    """``machine``, ``arm lookup``, ``arm lookup, turn 1``."""
    name: str
    first: str
    second: str


class TurnDifference(Struct, frozen=True, kw_only=True):
    """Emitted tokens of one arm turn."""

    arm: str
    turn: int
    tokens: int
    """Leading tokens that are equal."""
    index: int | None = None
    """First token that differs, counted from 0."""
    first: str = ""
    second: str = ""
    unknown: bool = False
    """Ids were left out of at least one of the traces."""

    @property
    def is_same(self) -> bool:
        return self.index is None and not self.unknown


class Difference(Struct, frozen=True, kw_only=True):
    changes: list[Change]
    turns: list[TurnDifference]
    figures: list[Change]

    @property
    def is_same(self) -> bool:
        return bool(self.turns) and all(turn.is_same for turn in self.turns)


def diff(first: Trace, second: Trace) -> Difference:
    left, right = by_arm(group(first.events)), by_arm(group(second.events))
    changes = [*_changes("machine", first.header.machine, second.header.machine)]
    if first.header.app != second.header.app:
        changes.append(Change("trace", "app", first.header.app, second.header.app))
    turns: list[TurnDifference] = []
    figures: list[Change] = []
    for arm in dict.fromkeys([*left, *right]):
        if arm not in left or arm not in right:
            changes.append(
                Change(f"arm {arm}", "arm", *("there" if arm in side else MISSING for side in (left, right)))
            )
        pairs = _pairs(left.get(arm, []), right.get(arm, []))
        for one, two in pairs:
            changes += [change for change in _turn_changes(arm, one, two) if change not in changes]
            turns.append(_tokens(arm, one, two))
        if arm in left and arm in right:
            figures += _figures(arm, _metrics(left[arm]), _metrics(right[arm]))
    return Difference(changes=changes, turns=turns, figures=figures)


def _pairs(left: list[ArmTurn], right: list[ArmTurn]) -> list[tuple[ArmTurn | None, ArmTurn | None]]:
    one, two = ({entry.turn: entry for entry in side} for side in (left, right))
    return [(one.get(turn), two.get(turn)) for turn in sorted({*one, *two})]


def _metrics(entries: list[ArmTurn]) -> Metrics:
    return measure(event for entry in entries for event in events_of(entry))


def _flat(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _flat(inner, f"{name}.{key}" if name else key)
    else:
        yield name, value


def _changes(where: str, first: Any, second: Any) -> Iterator[Change]:
    """Leaves of two records that differ."""
    left, right = (dict(_flat(msgspec.to_builtins(side))) if side is not None else {} for side in (first, second))
    for name in dict.fromkeys([*left, *right]):
        one, two = left.get(name, MISSING), right.get(name, MISSING)
        if one != two:
            yield Change(where, name, shown(one), shown(two))


def _turn_changes(arm: str, one: ArmTurn | None, two: ArmTurn | None) -> Iterator[Change]:
    first, second = (entry.started if entry else None for entry in (one, two))
    if first is None or second is None:
        return
    yield from _changes(f"arm {arm}", first.spec, second.spec)
    yield from _changes(f"arm {arm}, target", first.target, second.target)
    yield from _changes(f"arm {arm}, drafter", first.drafter, second.drafter)
    where = f"arm {arm}, turn {first.turn + 1}"
    for name in ("system", "prompt", "prompt_tokens", "cached_tokens"):
        yield from _field(where, name, first, second)
    if first.prompt_ids != second.prompt_ids:
        yield Change(where, "prompt_ids", shown(len(first.prompt_ids)) + " ids", shown(len(second.prompt_ids)) + " ids")


def _field(where: str, name: str, first: Started, second: Started) -> Iterator[Change]:
    one, two = getattr(first, name), getattr(second, name)
    if one != two:
        yield Change(where, name, shown(one), shown(two))


def _tokens(arm: str, one: ArmTurn | None, two: ArmTurn | None) -> TurnDifference:
    present = one or two
    assert present is not None
    if one is None or two is None:
        return TurnDifference(
            arm=arm, turn=present.turn, tokens=0, index=0, first=_token(one, 0), second=_token(two, 0)
        )
    if not (has_ids(one) and has_ids(two)):
        return TurnDifference(arm=arm, turn=one.turn, tokens=0, unknown=True)
    pairs = enumerate(zip_longest(ids_of(one), ids_of(two)))
    index = next((index for index, (left, right) in pairs if left != right), None)
    if index is None:
        return TurnDifference(arm=arm, turn=one.turn, tokens=len(ids_of(one)))
    return TurnDifference(
        arm=arm, turn=one.turn, tokens=index, index=index, first=_token(one, index), second=_token(two, index)
    )


def _token(entry: ArmTurn | None, index: int) -> str:
    """Id and text of one emitted token."""
    if entry is None:
        return MISSING
    ids = ids_of(entry)
    if index >= len(ids):
        return "(ended)"
    pieces = [piece for item in entry.rounds for piece in item.pieces]
    return f"{ids[index]} {shown(pieces[index])}" if index < len(pieces) else str(ids[index])


def _figures(arm: str, first: Metrics, second: Metrics) -> Iterator[Change]:
    for name in COMPARED:
        one, two = getattr(first, name), getattr(second, name)
        if one != two:
            by = f" ({two / one:.2f}×)" if one and two else ""
            yield Change(f"arm {arm}", name, _number(one), _number(two) + by)


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)


def shown(value: Any) -> str:
    """A value on one line, without anything a terminal would obey; long texts are cut."""
    text = value if value == MISSING else json.dumps(value, ensure_ascii=False)
    text = "".join(letter if letter.isprintable() else f"\\u{ord(letter):04x}" for letter in text)
    return text if len(text) <= 60 else text[:57] + "..."
