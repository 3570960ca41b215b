"""What is on disk, what is known, and what would fit: records between the engine and whoever shows them.

``slipstream models list --json`` prints one ``Shelf``; ``slipstream models fit --json`` one ``Fit``. All sizes are
bytes, all sentences are meant for the user. Fields are only ever added. Neither MLX nor Qt is imported here.
"""

from __future__ import annotations

from typing import Literal

import msgspec
from msgspec import Struct

SCHEMA = "slipstream-shelf/1"

DEFAULT_RESERVE_BYTES = 2 * 1024**3
"""Memory left to the rest of the machine when a load is judged."""
DEFAULT_CONTEXT_TOKENS = 8192
"""For how long a text the caches are counted where nobody says."""

Kind = Literal["model", "drafter", "table"]
Place = Literal["embedded", "hub", "lmstudio", "folder", "own"]
"""embedded  the model that comes with the product
hub        the user's Hugging Face cache
lmstudio   a folder of LM Studio
folder     a folder the user named
own        made here: quantised or trained
"""
State = Literal["whole", "incomplete", "refused"]
Verdict = Literal["fits", "tight", "too large", "unknown"]
"""fits       within what is free, the reserve left alone
tight      within what is free or could be freed by closing other programs, but not with the reserve
too large  more than this machine has, the reserve left alone
unknown    the size isn't known
"""


class Part(Struct, frozen=True, kw_only=True):
    """One part of what a load takes."""

    name: str
    """``target weights``, ``drafter weights``, ``keys and values``, ``window keys and values``, ``recurrent state``,
    ``drafter context``, ``drafter tables``, ``working room``."""
    size_bytes: int


class Fit(Struct, frozen=True, kw_only=True):
    """What a target, alone or with a drafter, takes in memory with a text of ``context_tokens``."""

    verdict: Verdict = "unknown"
    total_bytes: int = 0
    parts: tuple[Part, ...] = ()
    context_tokens: int = 0
    machine_bytes: int = 0
    available_bytes: int = 0
    reserve_bytes: int = 0
    source: Literal["files", "headers", "configuration", "published", ""] = ""
    """What the weights' size was taken from."""
    assumed: tuple[str, ...] = ()
    """What isn't known and was assumed, one sentence each."""
    message: str = ""
    """``Fits this Mac: 17.9 of 32 GB (weights 16.0, caches 0.9, ...)``."""


class OnDisk(Struct, frozen=True, kw_only=True):
    """A directory with a model or a drafter."""

    name: str
    """As shown."""
    use: str
    """What an arm's ``target`` or ``drafter`` is set to: ``embedded``, a hub id or a path."""
    path: str
    place: Place
    kind: Kind
    state: State = "whole"
    message: str = ""
    """One sentence where the state isn't ``whole``: what is wrong and what to do."""
    size_bytes: int = 0
    """On disk."""
    missing_bytes: int = 0
    """Of an incomplete fetch, where known."""
    architecture: str = ""
    bits: int = 0
    """0: not quantised."""
    group_size: int = 0
    layers: int = 0
    context_tokens: int = 0
    """The longest text it was made for; 0 unknown."""
    scheme: str = ""
    """Of a drafter: ``A`` to ``E``; empty where it is a language model or can't be told."""
    hub: str = ""
    """Hub id, where it came from there."""
    revision: str = ""
    licence: str = ""
    removable: bool = False
    """``slipstream models remove USE`` takes it away."""
    fit: Fit | None = None
    """Of a model alone; None for drafters and for what can't be loaded."""


class KnownPair(Struct, frozen=True, kw_only=True):
    """A pair of the registry beside what of it is on disk."""

    target: str
    drafter: str
    scheme: str
    block: int | None = None
    note: str = ""
    run_here: bool = False
    target_hub: str = ""
    """Hub id to pull; empty where none is known: quantise a full-precision directory instead."""
    drafter_hub: str = ""
    target_licence: str = ""
    drafter_licence: str = ""
    target_use: str = ""
    """``OnDisk.use`` of the half that is there; empty where it isn't."""
    drafter_use: str = ""
    target_bytes: int = 0
    """To fetch, or as published; 0 unknown."""
    drafter_bytes: int = 0
    missing: tuple[Literal["target", "drafter"], ...] = ()
    pull: tuple[str, ...] = ()
    """Hub ids that ``slipstream models pull`` would fetch to complete the pair."""
    message: str = ""
    """One sentence: what is missing and how to get it; empty where both are there."""
    fit: Fit | None = None
    """Of both together."""


class Shelf(Struct, frozen=True, kw_only=True):
    schema: str = SCHEMA
    models: tuple[OnDisk, ...] = ()
    pairs: tuple[KnownPair, ...] = ()
    folders: tuple[str, ...] = ()
    """Where was looked, absolute; those that don't exist are left out."""
    hub_cache: str = ""
    endpoint: str = ""
    """Where pulls come from."""
    machine_bytes: int = 0
    available_bytes: int = 0
    reserve_bytes: int = 0
    disk_free_bytes: int = 0
    """Where pulls go to."""


encode = msgspec.json.Encoder().encode
decode = msgspec.json.Decoder(Shelf).decode
decode_fit = msgspec.json.Decoder(Fit).decode
