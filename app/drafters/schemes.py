"""Which drafting scheme an arm uses, as far as the window can tell, and which settings that scheme reads.

A scheme is told by the drafter's word (``lookup``, ``table``), by its folder's ``config.json``, by what the engine
says of it once it is open (``ModelFacts.architecture``), and by ``Round.source`` of what it proposed. The engine alone
decides what a checkpoint is; what is read here only serves labels and greyed-out fields. No Qt here.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from app.paths import RESOURCES
from engine.trace.events import Arm, ModelFacts

FIRST = "lookup+"
TRAINED = ("A", "B", "C", "D", "E")
SERIAL_PROJECTORS = {"dspark": "dspark", "domino": "domino", "causal_v5": "domino", "dflash2": "dflash-2"}


class Scheme(StrEnum):
    """The values are the names that rounds carry in ``source``."""

    NONE = "none"
    LOOKUP = "lookup"
    TABLE = "table"
    MODEL = "autoregressive"
    EAGLE = "eagle-3"
    DFLASH = "dflash"
    DSPARK = "dspark"
    DOMINO = "domino"
    DFLASH2 = "dflash-2"
    CASCADE = "cascade"
    UNKNOWN = ""


LETTERS = {
    Scheme.MODEL: "A",
    Scheme.EAGLE: "A",
    Scheme.DFLASH: "B",
    Scheme.DSPARK: "C",
    Scheme.DOMINO: "C",
    Scheme.DFLASH2: "D",
    Scheme.CASCADE: "E",
}
_OF_LETTER = {"A": Scheme.EAGLE, "B": Scheme.DFLASH, "C": Scheme.DSPARK, "D": Scheme.DFLASH2, "E": Scheme.CASCADE}
_WORDS = (
    ("dflash2", Scheme.DFLASH2),
    ("dflash", Scheme.DFLASH),
    ("dspark", Scheme.DSPARK),
    ("domino", Scheme.DOMINO),
    ("eagle", Scheme.EAGLE),
    ("cascade", Scheme.CASCADE),
)
_READERS = {
    "candidate_width": (Scheme.DFLASH2, Scheme.CASCADE),
    "injected_layers": (Scheme.CASCADE,),
    "confidence_threshold": (Scheme.DSPARK, Scheme.TABLE),
    "timing_every": tuple(LETTERS),
}
"""Schemes that read a setting which not every drafter reads."""
DRAFTING = ("block", *_READERS, "fallback")


@dataclass(frozen=True, slots=True)
class Choice:
    """A drafter as a person chooses it: what it is, and whether look-up is asked before it."""

    drafter: str
    """``none``, ``lookup``, ``table``, or the folder or hub id of a drafter."""
    lookup_first: bool = False

    @property
    def word(self) -> str:
        """As the engine is told."""
        return (
            FIRST + self.drafter if self.lookup_first and self.drafter not in ("none", "lookup", "") else self.drafter
        )


def choice_of(word: str) -> Choice:
    if word.startswith(FIRST):
        return Choice(word.removeprefix(FIRST), True)
    if word.endswith("+lookup"):
        return Choice(word.removesuffix("+lookup"), True)
    return Choice(word)


def scheme_of(word: str) -> Scheme:
    """Scheme of an arm's drafter, look-up in front of it left out; unknown before a hub id is fetched."""
    drafter = choice_of(word).drafter
    if drafter in (Scheme.NONE, Scheme.LOOKUP, Scheme.TABLE):
        return Scheme(drafter)
    return Scheme.MODEL if drafter == "embedded" else scheme_of_folder(Path(drafter).expanduser())


def scheme_of_folder(folder: Path) -> Scheme:
    config = _config(folder)
    return _scheme_of_config(config) if config else Scheme.UNKNOWN


def _config(folder: Path) -> dict[str, Any]:
    """Empty where there is none that can be read."""
    try:
        config = json.loads((folder / "config.json").read_bytes())
    except (OSError, ValueError):
        return {}
    return config if isinstance(config, dict) else {}


def _scheme_of_config(config: dict[str, Any]) -> Scheme:
    if "slipstream_table" in config:
        return Scheme.TABLE
    if "slipstream_drafter" in config:
        layout = config.get("layout") or {}
        return Scheme.DOMINO if layout.get("domino") else _OF_LETTER.get(str(layout.get("scheme")), Scheme.UNKNOWN)
    kind = str(config.get("speculators_model_type") or "")
    nested = config.get("dflash_config")
    projector = str(nested.get("projector_type") or "") if isinstance(nested, dict) else ""
    architectures = config.get("architectures")
    names = " ".join(map(str, architectures)) if isinstance(architectures, list) else ""
    if projector in SERIAL_PROJECTORS:
        return Scheme(SERIAL_PROJECTORS[projector])
    found = scheme_of_name(kind) or scheme_of_name(names)
    if found or nested is not None:
        return found or Scheme.DFLASH
    return Scheme.MODEL if config.get("model_type") else Scheme.UNKNOWN


def scheme_of_name(name: str) -> Scheme:
    """Scheme that an architecture's name or a round's source stands for."""
    plain = name.lower().replace("-", "").replace("_", "")
    if name in (Scheme.NONE, Scheme.LOOKUP, Scheme.TABLE, Scheme.MODEL):
        return Scheme(name)
    return next((scheme for word, scheme in _WORDS if word in plain), Scheme.UNKNOWN)


def scheme_at_work(arm: Arm, facts: ModelFacts | None = None, source: str = "") -> Scheme:
    """The best that is known: what a round says, else what the engine opened, else what the folder says."""
    if arm.drafter in (Scheme.NONE, Scheme.LOOKUP):
        return Scheme(arm.drafter)
    for name in (source if source != Scheme.LOOKUP else "", facts.architecture if facts else ""):
        if name and (found := scheme_of_name(name)):
            return found
    found = scheme_of(arm.drafter)
    # Drafters that read a target's layers name themselves; any other architecture is a language model's.
    return Scheme.MODEL if found is Scheme.UNKNOWN and facts is not None and facts.architecture else found


def reads(scheme: Scheme, setting: str) -> bool:
    """Whether a setting changes what runs under a scheme; of an unknown one nothing is ruled out."""
    if setting not in DRAFTING or scheme is Scheme.UNKNOWN:
        return True
    return scheme is not Scheme.NONE if setting not in _READERS else scheme in _READERS[setting]


def table_is_there() -> bool:
    return (RESOURCES / "drafters" / "table" / "config.json").is_file()


def trained() -> dict[str, str]:
    """Drafters that ship with the product, folder by letter."""
    folders = {letter: RESOURCES / "drafters" / letter for letter in TRAINED}
    return {letter: str(folder) for letter, folder in folders.items() if (folder / "config.json").is_file()}


def best_trained() -> str:
    """Folder of the one that yields most on text it never learnt from; of equals the furthest scheme. Empty where
    none ships.
    """
    found = [(_held_out(Path(folder)), letter, folder) for letter, folder in trained().items()]
    return max(found)[2] if found else ""


def _held_out(folder: Path) -> float:
    """Held-out tokens per forward, as training noted them; 0 where it didn't."""
    config: Any = _config(folder)
    for key in ("about", "held_out", "tokens_per_forward"):
        config = config.get(key) if isinstance(config, dict) else None
    return float(config) if isinstance(config, (int, float)) else 0.0


def usual_drafter(target: str = "embedded") -> str:
    """What a first launch drafts with: look-up first, and behind it the best that ships for this target."""
    if target != "embedded":
        return "lookup"
    best = best_trained() or ("table" if table_is_there() else "")
    return Choice(best, True).word if best else "lookup"


def ships(drafter: str) -> bool:
    """Whether it came with the product, and so fits the embedded model alone."""
    return drafter == "table" or drafter in trained().values()
