"""Rules for the list of arms: the default pair, names, duplicates, sampling shared by all. Pure functions."""

from __future__ import annotations

import msgspec

from app.drafters.schemes import choice_of, ships, usual_drafter
from engine.trace.events import Arm, Settings

MOST_ARMS = 4
SAMPLING_FIELDS = (
    "temperature",
    "top_p",
    "top_k",
    "min_p",
    "repetition_penalty",
    "repetition_window_tokens",
    "seed",
    "max_tokens",
    "stop",
)
"""What decides the text, and so must be equal where two arms are to be compared."""


def default_arms(target: str = "embedded") -> tuple[Arm, ...]:
    """The model alone, and beside it the best that ships for it."""
    return (
        Arm(name="baseline", target=target, drafter="none"),
        Arm(name="speculative", target=target, drafter=usual_drafter(target)),
    )


def free_name(stem: str, taken: set[str]) -> str:
    """``stem``, or ``stem 2``, ``stem 3`` ... where it is taken."""
    stem = stem.rstrip("0123456789 ") or "arm"
    number, name = 1, stem
    while name in taken:
        number += 1
        name = f"{stem} {number}"
    return name


def duplicate(arms: tuple[Arm, ...], index: int) -> tuple[Arm, ...]:
    """The arms with a copy of one of them behind it; unchanged where there are four already."""
    if len(arms) >= MOST_ARMS:
        return arms
    source = arms[index]
    # A second baseline would compare a thing with itself; what a person wants beside it is one that drafts.
    stem = source.name
    copy = msgspec.structs.replace(source, name=free_name(stem, {arm.name for arm in arms}))
    return (*arms[: index + 1], copy, *arms[index + 1 :])


def added(arms: tuple[Arm, ...]) -> tuple[Arm, ...]:
    """The arms and one more with the look-up drafter, sampling as the first arm."""
    if len(arms) >= MOST_ARMS:
        return arms
    name = free_name("speculative", {arm.name for arm in arms})
    return (*arms, Arm(name=name, target=arms[0].target, drafter="lookup", settings=arms[0].settings))


def removed(arms: tuple[Arm, ...], index: int) -> tuple[Arm, ...]:
    return arms if len(arms) == 1 else (*arms[:index], *arms[index + 1 :])


def with_target(arms: tuple[Arm, ...], target: str) -> tuple[Arm, ...]:
    """A drafter that ships fits the embedded model alone: with another model look-up takes its place."""
    return tuple(
        msgspec.structs.replace(
            arm,
            target=target,
            drafter="lookup" if target != "embedded" and ships(choice_of(arm.drafter).drafter) else arm.drafter,
        )
        for arm in arms
    )


def with_arm(arms: tuple[Arm, ...], index: int, arm: Arm, same_sampling: bool) -> tuple[Arm, ...]:
    """The arms with one replaced; with ``same_sampling`` the others take over its sampling."""
    shared = {name: getattr(arm.settings, name) for name in SAMPLING_FIELDS} if same_sampling else {}
    return tuple(
        arm
        if i == index
        else msgspec.structs.replace(other, settings=msgspec.structs.replace(other.settings, **shared))
        for i, other in enumerate(arms)
    )


def same_sampling(arms: tuple[Arm, ...]) -> bool:
    return all(_sampling(arm.settings) == _sampling(arms[0].settings) for arm in arms)


def _sampling(settings: Settings) -> tuple[object, ...]:
    return tuple(getattr(settings, name) for name in SAMPLING_FIELDS)


def with_drafter(arms: tuple[Arm, ...], drafter: str, target: str = "") -> tuple[Arm, ...]:
    """The first arm that drafts gets this drafter, or a new arm where none does; with ``target`` all get that model."""
    found = next((number for number, arm in enumerate(arms) if arm.drafter != "none"), None)
    if found is None:
        arms = added(arms)
        found = len(arms) - 1
    changed = msgspec.structs.replace(arms[found], drafter=drafter)
    arms = (*arms[:found], changed, *arms[found + 1 :])
    return with_target(arms, target) if target else arms
