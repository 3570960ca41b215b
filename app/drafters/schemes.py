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
from engine.trace.word import parts

TRAINED = ("A", "B", "C", "D", "E")
SERIAL_PROJECTORS = {"dspark": "dspark", "domino": "domino", "causal_v5": "domino", "dflash2": "dflash-2"}


class Scheme(StrEnum):
    """The values are the names that rounds carry in ``source``."""

    NONE = "none"
    LOOKUP = "lookup"
    TABLE = "table"
    MODEL = "autoregressive"
    EAGLE = "eagle-3"
    RECURRENT = "eagle"
    DFLASH = "dflash"
    DSPARK = "dspark"
    DOMINO = "domino"
    DFLASH2 = "dflash-2"
    CASCADE = "cascade"
    UNKNOWN = ""


LETTERS = {
    Scheme.MODEL: "A",
    Scheme.EAGLE: "A",
    Scheme.RECURRENT: "A",
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
    ("eagle3", Scheme.EAGLE),
    ("eagle", Scheme.RECURRENT),
    ("cascade", Scheme.CASCADE),
)
TAPPED = tuple(scheme for scheme in LETTERS if scheme is not Scheme.MODEL)
"""Drafters that read their target's layers: those that can be weighed against the table."""
_READERS = {
    "candidate_width": (Scheme.DFLASH2, Scheme.CASCADE),
    "injected_layers": (Scheme.CASCADE,),
    "confidence_threshold": (Scheme.DSPARK, Scheme.TABLE),
    "timing_every": tuple(LETTERS),
}
"""Schemes that read a setting which not every drafter reads."""
_READ_BY_BLENDS = ("candidate_width", "confidence_threshold")
"""Read wherever a drafter is weighed against the table: each position has candidates, and a chance to be reached."""
_READ_BY_BLENDS_ALONE = ("tree",)
"""Whatever the scheme, and unknown ones too: the engine refuses a tree of any other drafter."""
DRAFTING = ("block", *_READERS, "fallback")


@dataclass(frozen=True, slots=True)
class Choice:
    """A drafter as a person chooses it: what it is, and what drafts beside it."""

    drafter: str
    """``none``, ``lookup``, ``table``, or the folder or hub id of a drafter."""
    lookup_first: bool = False
    """Look-up is asked before the drafter; with the table it is weighed like the others."""
    table: bool = False
    """A blend: drafter and table, and look-up where it is chosen, are weighed against each other token by token."""

    @property
    def word(self) -> str:
        """As the engine is told."""
        if self.drafter in ("none", "lookup", ""):
            return self.drafter
        beside = ["lookup"] * self.lookup_first + ["table"] * (self.table and self.drafter != "table")
        return "+".join([*beside, self.drafter])


def choice_of(word: str) -> Choice:
    *beside, drafter = parts(word)
    return Choice(drafter, "lookup" in beside, "table" in beside)


def scheme_of(word: str) -> Scheme:
    """Scheme of an arm's drafter, what drafts beside it left out; unknown before a hub id is fetched."""
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
        for name, scheme in (("domino", Scheme.DOMINO), ("recurrent", Scheme.RECURRENT)):
            if layout.get(name) is not None:
                return scheme
        return _OF_LETTER.get(str(layout.get("scheme")), Scheme.UNKNOWN)
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
    for name in (source if tells_scheme(arm, source) else "", facts.architecture if facts else ""):
        if name and (found := scheme_of_name(name)):
            return found
    found = scheme_of(arm.drafter)
    # Drafters that read a target's layers name themselves; any other architecture is a language model's.
    return Scheme.MODEL if found is Scheme.UNKNOWN and facts is not None and facts.architecture else found


def tells_scheme(arm: Arm, source: str) -> bool:
    """Whether a round's source is the arm's drafter itself, not look-up or the table beside it."""
    beside = (Scheme.LOOKUP, Scheme.TABLE) if choice_of(arm.drafter).table else (Scheme.LOOKUP,)
    return bool(source) and source not in beside


def reads(scheme: Scheme, setting: str, blend: bool = False) -> bool:
    """Whether a setting changes what runs under a scheme; of an unknown one nothing is ruled out."""
    if setting in _READ_BY_BLENDS_ALONE:
        return blend
    if setting not in DRAFTING or scheme is Scheme.UNKNOWN or (blend and setting in _READ_BY_BLENDS):
        return True
    return scheme is not Scheme.NONE if setting not in _READERS else scheme in _READERS[setting]


def table_is_there() -> bool:
    return (RESOURCES / "drafters" / "table" / "config.json").is_file()


def trained() -> dict[str, str]:
    """Drafters that ship with the product, folder by letter."""
    folders = {letter: RESOURCES / "drafters" / letter for letter in TRAINED}
    return {letter: str(folder) for letter, folder in folders.items() if (folder / "config.json").is_file()}


def best_trained() -> str:
    """Folder of the one that yields most on text it never learnt from; of equals the furthest scheme. One of scheme A
    comes last: it pays a forward for each draft, where the others pay one for a block. Empty where none ships.
    """
    found = [(letter != "A", _held_out(Path(folder)), letter, folder) for letter, folder in trained().items()]
    return max(found)[3] if found else ""


def _held_out(folder: Path) -> float:
    """Held-out tokens per forward, as training noted them; 0 where it didn't."""
    config: Any = _config(folder)
    for key in ("about", "held_out", "tokens_per_forward"):
        config = config.get(key) if isinstance(config, dict) else None
    return float(config) if isinstance(config, (int, float)) else 0.0


def usual_drafter(target: str = "embedded") -> str:
    """What a first launch drafts with: the best that ships for this target, weighed against table and look-up; look-up
    first where one of them is missing.
    """
    if target != "embedded":
        return "lookup"
    table = table_is_there()
    best = best_trained() or ("table" if table else "lookup")
    return Choice(best, True, table and best != "table").word


def ships(drafter: str) -> bool:
    """Whether it came with the product, and so fits the embedded model alone."""
    return drafter == "table" or drafter in trained().values()
