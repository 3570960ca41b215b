"""Arms as people write them on the command line.

    baseline                                  the target alone
    lookup                                    look-up in the context
    table                                     the embedded model's n-gram table
    A .. E                                    a trained drafter of that scheme for the embedded model
    lookup+/models/small, E+lookup            look-up first, the drafter where nothing matches
    E+table, E+table+lookup                   the drafter, the table, look-up weighed against each other
    E+table+lookup,block=16,tree=true         the same, and drafts may branch
    target=PATH,drafter=PATH,block=5,temperature=0.7,name=mine

Neither MLX nor Qt is imported here.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from engine.paths import resources_dir
from engine.trace.events import Arm, Settings
from engine.trace.limits import settings_problem
from engine.trace.word import parts

# Names on the command line; the rest are the settings' own names.
ALIASES = {"width": "candidate_width", "kv": "kv_bits", "penalty": "repetition_penalty"}
SCHEMES = ("A", "B", "C", "D", "E")
KINDS = {bool: "true or false", int: "a whole number", float: "a number"}
WITHOUT_CANDIDATES = {"none", "lookup", "table"}


class ArmError(ValueError):
    """What was written is no arm. One sentence."""


def parse_arm(text: str, defaults: Settings = Settings(), target: str = "embedded") -> Arm:
    """One arm. Raises ``ArmError``."""
    words = [word.strip() for word in text.split(",")]
    if not all(words):
        raise ArmError(f"'{text}' is no arm: a part is empty. Write baseline, lookup or key=value pairs.")
    drafter = "none"
    pairs: dict[str, str] = {}
    for i, word in enumerate(words):
        key, equals, value = word.partition("=")
        if equals:
            pairs[key.strip()] = value.strip()
        elif i == 0:
            drafter = "none" if word == "baseline" else word
        else:
            raise ArmError(f"'{word}' in '{text}' has no value: write key=value.")
    drafter = pairs.pop("drafter", drafter)
    own = parts(drafter)[-1]
    if "+" in own and not _is_there(own):
        raise ArmError(
            f"'{own}' in '{text}' names no drafter: an arm has one, to which +table and +lookup may be joined, and "
            "there is no folder of that name."
        )
    name = pairs.pop("name", _short(drafter) if drafter != "none" else "baseline")
    target = pairs.pop("target", target)
    trained = _installed(drafter)
    known = {field.name: field.type for field in msgspec.structs.fields(Settings)}
    changes: dict[str, Any] = {}
    for key, value in pairs.items():
        field = ALIASES.get(key, key)
        if field not in known:
            keys = ", ".join(sorted({"name", "target", "drafter", *known, *ALIASES}))
            raise ArmError(f"'{key}' in '{text}' is no setting of an arm. Known: {keys}.")
        changes[field] = tuple(value.split("|")) if field == "stop" else value
    if "candidate_width" in changes and set(drafter.split("+")) <= WITHOUT_CANDIDATES:
        raise ArmError(
            f"'width' in '{text}' is the number of candidates a position keeps, and {drafter} keeps none: "
            "for the number of rows verified at once write block=N."
        )
    for field, value in changes.items():
        try:
            msgspec.convert(value, known[field], strict=False)
        except msgspec.ValidationError as error:
            raise ArmError(f"'{value}' in '{text}' is no value of {field}: write {KINDS[known[field]]}.") from error
    wanted = msgspec.convert({**msgspec.structs.asdict(defaults), **changes}, Settings, strict=False)
    if problem := settings_problem(wanted):
        raise ArmError(f"{problem} (in '{text}')")
    return Arm(name=name, target=target, drafter=trained, settings=wanted)


def parse_arms(texts: Sequence[str], defaults: Settings = Settings(), target: str = "embedded") -> list[Arm]:
    """All arms of a race, with names told apart."""
    arms: list[Arm] = []
    taken: set[str] = set()
    for text in texts:
        arm = parse_arm(text, defaults, target)
        name, n = arm.name, 2
        while name in taken:
            name, n = f"{arm.name} {n}", n + 1
        taken.add(name)
        arms.append(msgspec.structs.replace(arm, name=name))
    return arms


def _short(drafter: str) -> str:
    """Without the folders, which are nobody's business in a trace that keeps no text."""
    is_hub_id = drafter.count("/") == 1 and not drafter.startswith((".", "/", "~"))
    return drafter if is_hub_id else "+".join(part.rstrip("/").rpartition("/")[2] for part in drafter.split("+"))


def _is_there(path: str) -> bool:
    try:
        return Path(path).expanduser().exists()
    except (OSError, RuntimeError):  # a name too long, a folder that may not be entered, a user that isn't known
        return False


def _installed(drafter: str) -> str:
    """A letter as the directory of the trained drafter that comes with the product."""
    own = parts(drafter)[-1]
    if own not in SCHEMES:
        return drafter
    return "+".join(_trained(part) if part == own else part for part in drafter.split("+"))


def _trained(scheme: str) -> str:
    directory = resources_dir() / "drafters" / scheme
    if not (directory / "config.json").is_file():
        raise ArmError(
            f"No trained drafter of scheme {scheme} is installed for the embedded model: "
            "use lookup, or drafter=PATH with a small model of the same tokenizer."
        )
    return str(directory)
