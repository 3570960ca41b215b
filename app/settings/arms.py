"""Rules for the list of arms: the default pair, names, duplicates, sampling shared by all, what is usual for a drafter.
Pure functions.
"""

from __future__ import annotations

import msgspec

from app.drafters.schemes import Choice, choice_of, ships, usual_drafter
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
LEAST_CHANCE = 0.15
"""Usual confidence threshold of a blend, which goes on drafting as long as table or look-up knows a token: a draft less
likely to be kept isn't worth its row, for each row makes the target's forward longer and most of these would be thrown
away. Its drafts may branch, so there are likely ones for the rows.
"""


def default_arms(target: str = "embedded") -> tuple[Arm, ...]:
    """The model alone, and beside it the best that ships for it."""
    drafter = usual_drafter(target)
    return (
        Arm(name="baseline", target=target, drafter="none"),
        Arm(name="speculative", target=target, drafter=drafter, settings=usual_settings(drafter)),
    )


def usual_settings(drafter: str) -> Settings:
    return Settings(confidence_threshold=LEAST_CHANCE, tree=True) if choice_of(drafter).table else Settings()


def drafting_with(arm: Arm, drafter: str) -> Arm:
    """The arm with another drafter. A threshold that was the usual one becomes what is usual for the new drafter.
    Drafts begin to branch where the table comes to be weighed, and cease to where it is left out: the engine would
    refuse it.
    """
    threshold = arm.settings.confidence_threshold
    if threshold == usual_settings(arm.drafter).confidence_threshold:
        threshold = usual_settings(drafter).confidence_threshold
    tree = choice_of(drafter).table and (arm.settings.tree or not choice_of(arm.drafter).table)
    settings = msgspec.structs.replace(arm.settings, confidence_threshold=threshold, tree=tree)
    return msgspec.structs.replace(arm, drafter=drafter, settings=settings)


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
    return (*arms, drafting_with(msgspec.structs.replace(arms[0], name=name), "lookup"))


def removed(arms: tuple[Arm, ...], index: int) -> tuple[Arm, ...]:
    return arms if len(arms) == 1 else (*arms[:index], *arms[index + 1 :])


def with_target(arms: tuple[Arm, ...], target: str) -> tuple[Arm, ...]:
    """What ships fits the embedded model alone: with another model look-up takes a drafter's place, and the table
    beside a drafter of one's own is left out.
    """
    return tuple(
        drafting_with(msgspec.structs.replace(arm, target=target), fitting(arm.drafter, target)) for arm in arms
    )


def fitting(drafter: str, target: str) -> str:
    choice = choice_of(drafter)
    if target == "embedded":
        return drafter
    return "lookup" if ships(choice.drafter) else Choice(choice.drafter, choice.lookup_first).word


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
    arms = (*arms[:found], drafting_with(arms[found], drafter), *arms[found + 1 :])
    return with_target(arms, target) if target else arms
