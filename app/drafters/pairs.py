"""Known drafters of a target, from ``resources/pairs.json``, offered before anything is loaded. No Qt here."""

from __future__ import annotations

import msgspec

from app.paths import RESOURCES


class Pair(msgspec.Struct, frozen=True):
    target: str
    drafter: str
    """Hub id, or a name where no hub id is known."""
    scheme: str


class _Pairs(msgspec.Struct, frozen=True):
    pairs: tuple[Pair, ...]


def known_drafters(target: str) -> tuple[Pair, ...]:
    """Pairs whose drafter can be fetched and whose target this is, in whatever precision; none where the list can't be
    read.
    """
    try:
        found = msgspec.json.decode((RESOURCES / "pairs.json").read_bytes(), type=_Pairs)
    except (OSError, msgspec.DecodeError):
        return ()
    name = plain_name(target)
    return tuple(pair for pair in found.pairs if plain_name(pair.target) == name and pair.drafter.count("/") == 1)


def plain_name(model: str) -> str:
    """Name of a model without its owner and precision: ``mlx-community/Qwen3-8B-4bit`` is ``qwen3-8b``."""
    words = model.rstrip("/").rpartition("/")[2].lower().split("-")
    while len(words) > 1 and is_precision(words[-1]):
        words.pop()
    return "-".join(words)


def is_precision(word: str) -> bool:
    return word in ("mlx", "bf16", "fp16", "dwq", "awq") or (word[:1].isdigit() and word.endswith("bit"))
