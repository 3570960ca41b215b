"""n-gram table: what followed the newest tokens in text that the target wrote before.

For contexts of 1 to ``order - 1`` tokens the table holds the likeliest next tokens and how sure they are. A draft is
the first of the longest context that is known: a few binary searches and no forward; the others are for those who weigh
(``votes``). Contexts are held as 32-bit hashes: one in ten thousand unknown contexts is mistaken for a known one, which
costs a draft and nothing else.

    {"slipstream_table": 2, "vocabulary": 49152, "target": "...", "order": 4, "about": {...}}     config.json
    keys_1, next_1, sure_1, keys_2, ...                                                           table.npz
"""

from __future__ import annotations

import functools
import json
import os
import shutil
import zipfile
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import mlx.core as mx
import numpy as np
from numpy.typing import NDArray

from engine.drafters.base import Draft, no_draft
from engine.drafters.ngrams import hash_of
from engine.models.errors import ModelError
from engine.paths import resources_dir
from engine.sampling import Sampler

VERSION = 2
READ = (1, 2)
"""Of version 1, a context has one next token."""
KEY = "slipstream_table"
KEY_SHIFT = 32
SURE_STEPS = 255
LEAST_LEFT = 1e-3
"""Of the probability, whatever a context's listed tokens say, this much is left for others."""


@dataclass(frozen=True, slots=True)
class Level:
    """Contexts of one length, sorted by key; a context's next tokens stand together, the likeliest first."""

    keys: NDArray[np.uint32]
    next: NDArray[np.unsignedinteger[Any]]
    sure: NDArray[np.uint8]
    """Estimated probability of ``next``, in steps of 1/255."""

    @property
    def contexts(self) -> int:
        return len(self.keys) and 1 + int(np.count_nonzero(np.diff(self.keys)))


@dataclass(frozen=True, slots=True)
class Table:
    levels: tuple[Level, ...]
    """Contexts of 1 token, of 2, ..."""
    vocabulary: int
    target: str
    """Name of the model whose text it was fitted to."""
    about: dict[str, Any] = field(default_factory=dict)

    @property
    def order(self) -> int:
        return len(self.levels) + 1

    @property
    def nbytes(self) -> int:
        return sum(a.nbytes for level in self.levels for a in (level.keys, level.next, level.sure))


@dataclass(frozen=True, slots=True)
class Known:
    """What a table says of the next token."""

    first: tuple[int, float, int]
    """What ``following`` gives."""
    listed: dict[int, float]
    """Estimated probabilities of all tokens that any known context lists."""
    left: float
    """For the others."""


class TableDrafter:
    """Drafts are point masses: exact under any sampling (accepted with probability p).

    With a confidence threshold the block ends before the first token that is less sure.
    """

    name = "table"
    taps: tuple[int, ...] = ()

    def __init__(self, table: Table) -> None:
        self.table = table
        # Views hand out Python's own integers: a search over them is faster than NumPy's for a single key.
        self._levels = [(_view(x.keys), _view(x.next), _view(x.sure)) for x in table.levels]
        self.seen: list[int] = []

    def observe(self, tokens: Sequence[int], taps: Mapping[int, mx.array]) -> None:
        self.seen += tokens

    def propose(self, anchor: int, width: int, sampler: Sampler) -> Draft:
        longest = len(self._levels)
        text = [*self.seen[max(len(self.seen) - longest + 1, 0) :], anchor]
        least = sampler.settings.confidence_threshold
        drafts: list[int] = []
        reason = ""
        while len(drafts) < width:
            found = self.following(text)
            if found is None or found[1] < least:
                reason = "no match" if found is None else "confidence"
                break
            drafts.append(found[0])
            text = [*text[-(longest - 1) :], found[0]] if longest > 1 else [found[0]]
        if not drafts:
            return no_draft(reason)
        return Draft(mx.array(drafts, mx.int32), source=self.name, reason=reason)

    def known_of(self, anchor: int, drafts: Sequence[int]) -> Known | None:
        """``known`` after a text that ends with ``drafts``."""
        longest = len(self._levels)
        return self.known([*self.seen[max(len(self.seen) - longest, 0) :], anchor, *drafts][-longest:])

    def following(self, text: Sequence[int]) -> tuple[int, float, int] | None:
        """The likeliest token after ``text``, its estimated probability, and how many tokens of context it hangs on."""
        for n in range(min(len(self._levels), len(text)), 0, -1):
            keys, following, sure = self._levels[n - 1]
            key = hash_of(text[-n:]) >> KEY_SHIFT
            at = bisect_left(keys, key)
            if at < len(keys) and keys[at] == key:
                return following[at], sure[at] / SURE_STEPS, n
        return None

    def known(self, text: Sequence[int]) -> Known | None:
        """All that the table says after ``text``; None where it knows no context. What a context's tokens leave is
        shared out as the shorter one says of the others (Katz 1987).
        """
        first: tuple[int, float, int] | None = None
        listed: dict[int, float] = {}
        left = 1.0
        for n in range(min(len(self._levels), len(text)), 0, -1):
            keys, following, sure = self._levels[n - 1]
            key = hash_of(text[-n:]) >> KEY_SHIFT
            at = bisect_left(keys, key)
            new: dict[int, float] = {}
            stood = 0.0
            while at < len(keys) and keys[at] == key:
                first = first or (following[at], sure[at] / SURE_STEPS, n)
                if following[at] in listed:
                    stood += sure[at] / SURE_STEPS
                else:
                    new[following[at]] = sure[at] / SURE_STEPS
                at += 1
            whole = max(1.0 - stood, LEAST_LEFT)
            said = min(sum(new.values()) / whole, 1.0 - LEAST_LEFT)
            listed |= {token: left * min(p / whole, 1.0 - LEAST_LEFT) for token, p in new.items()}
            left *= 1.0 - said
        return first and Known(first, listed, left)

    def rewind(self, n: int) -> None:
        del self.seen[n:]

    @property
    def state_bytes(self) -> int:
        # The table is shared by arms, as weights are; the text lies in Python's heap.
        return 8 * len(self.seen)


def _view(array: NDArray[Any]) -> memoryview:
    return np.ascontiguousarray(array).data


# Directories


def embedded_table() -> Path:
    """Where the embedded model's own table ships."""
    return resources_dir() / "drafters" / "table"


def is_table(path: Path) -> bool:
    try:
        return KEY in json.loads((path / "config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError, TypeError):
        return False


def card(table: Table) -> str:
    """The model card: what it was made from, how much it knows."""
    facts = [
        ("target", table.target),
        *((name.replace("_", " "), value) for name, value in table.about.items()),
        *((f"contexts of {n} tokens", level.contexts) for n, level in enumerate(table.levels, start=1)),
    ]
    return (
        f"# n-gram table for {table.target}\n\nThe likeliest next tokens after up to {table.order - 1} tokens, and how "
        "sure they are. Fitted by Slipstream to text that the target wrote itself; the target's licence applies.\n\n"
        "| | |\n|---|---|\n" + "".join(f"| {name} | {value} |\n" for name, value in facts)
    )


def save_table(path: Path, table: Table) -> int:
    """Write a table's directory, in place of what is there, whole or not at all; returns its size in bytes."""
    config = {
        KEY: VERSION, "vocabulary": table.vocabulary, "target": table.target, "order": table.order,
        "about": table.about,
    }  # fmt: skip
    arrays = {
        f"{name}_{n}": getattr(level, name)
        for n, level in enumerate(table.levels, start=1)
        for name in ("keys", "next", "sure")
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_name(f".{path.name}.{os.getpid()}.part")
    shutil.rmtree(half, ignore_errors=True)
    half.mkdir()
    try:
        np.savez_compressed(half / "table.npz", **arrays)
        (half / "config.json").write_text(json.dumps(config, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        (half / "README.md").write_text(card(table), encoding="utf-8")
        if path.exists():
            shutil.rmtree(path)
        half.rename(path)
    finally:
        shutil.rmtree(half, ignore_errors=True)
    return sum(file.stat().st_size for file in path.iterdir())


def load_table(path: Path) -> Table:
    """Raises ``ModelError``, one sentence. Read once however many arms name it."""
    if not is_table(path):
        raise ModelError(f"There is no n-gram table in {path}: make one with `slipstream train table`.")
    return _read(path, (path / "table.npz").stat().st_mtime_ns if (path / "table.npz").is_file() else 0)


@functools.lru_cache(maxsize=8)
def _read(path: Path, _modified_ns: int) -> Table:
    config = json.loads((path / "config.json").read_text(encoding="utf-8"))
    if config[KEY] not in READ:
        raise ModelError(f"The table in {path} is of version {config[KEY]!r}, not {VERSION}: fit it again.")
    try:
        vocabulary, order = int(config["vocabulary"]), int(config["order"])
        with np.load(path / "table.npz", allow_pickle=False) as file:
            levels = tuple(Level(file[f"keys_{n}"], file[f"next_{n}"], file[f"sure_{n}"]) for n in range(1, order))
    except (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile) as error:
        raise ModelError(f"The table in {path} can't be read ({error}): fit it again.") from error
    for level in levels:
        _check_level(path, level, vocabulary)
    return Table(levels, vocabulary, str(config.get("target", "")), dict(config.get("about", {})))


def _check_level(path: Path, level: Level, vocabulary: int) -> None:
    types = [level.keys.dtype.str[1:], level.next.dtype.str[1:], level.sure.dtype.str[1:]]
    flat = level.keys.ndim == level.next.ndim == level.sure.ndim == 1
    if (
        types not in (["u4", "u2", "u1"], ["u4", "u4", "u1"])
        or not flat
        or not len(level.keys) == len(level.next) == len(level.sure)
    ):
        raise ModelError(f"The table in {path} is damaged: its arrays don't belong together. Fit it again.")
    if (level.keys[1:] < level.keys[:-1]).any() or (len(level.next) and int(level.next.max()) >= vocabulary):
        raise ModelError(f"The table in {path} is damaged: its entries are out of order or range. Fit it again.")
