"""Taps of a data set's conversations, computed once and kept on disk: what a drafter in training reads of its target.

    taps/<part>-<layers>.f16    float16 [tokens of the part, taps, H], the order of ``fc``
    taps/<part>-<layers>.done   uint8 [conversations], 1 where a conversation's rows are written
    taps/<part>-<layers>.json   whose they are: the target's name, a hash of the text

A killed run leaves the conversations that are done; several processes may share the work. 16 bits are enough: the taps
of the embedded model reach 1,000, and a drafter reads them normalised. Where the disk is too small, ``RecomputedTaps``
gives the same numbers at the price of a forward.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import mlx.core as mx
import numpy as np
from numpy.typing import NDArray

from engine.target import Target
from engine.train.batch import half
from engine.train.conversations import Conversations, DataError, conversation, count, write_json

SPARE_BYTES = 1 << 30
"""Left free on the disk."""


class Taps(Protocol):
    """Taps of conversations, by number."""

    @property
    def layers(self) -> tuple[int, ...]: ...

    def of(self, which: Sequence[int]) -> list[NDArray[np.float16]]:
        """[length, taps, H] of each."""
        ...

    def ready(self) -> NDArray[np.bool_]:
        """[conversations], which can be asked for."""
        ...


@dataclass(frozen=True, slots=True)
class CachedTaps:
    """rows [tokens, taps, H] float16, mapped from disk; conversation i is ``rows[offsets[i]:offsets[i + 1]]``."""

    layers: tuple[int, ...]
    rows: NDArray[np.float16]
    done: NDArray[np.uint8]
    offsets: NDArray[np.int64]

    def of(self, which: Sequence[int]) -> list[NDArray[np.float16]]:
        return [self.rows[self.offsets[i] : self.offsets[i + 1]] for i in which]

    def ready(self) -> NDArray[np.bool_]:
        return np.asarray(self.done == 1)


@dataclass(frozen=True, slots=True)
class RecomputedTaps:
    """Nothing kept: a forward each time."""

    layers: tuple[int, ...]
    target: Target
    conversations: Conversations

    def of(self, which: Sequence[int]) -> list[NDArray[np.float16]]:
        return run_taps(self.target, [conversation(self.conversations, int(i)) for i in which], self.layers)

    def ready(self) -> NDArray[np.bool_]:
        return np.ones(count(self.conversations), np.bool_)


def tap_bytes(c: Conversations, layers: Sequence[int], hidden_size: int) -> int:
    return int(c.offsets[-1]) * len(layers) * hidden_size * 2


def open_taps(
    directory: Path, part: str, c: Conversations, layers: Sequence[int], hidden_size: int, target: str,
    anew: bool = False, room_bytes: int = 0,
) -> CachedTaps:  # fmt: skip
    """Mapped for reading and writing, made where it is not there.

    Raises ``DataError`` where the disk is too full, or where the taps are those of another text or target.

    Args: target: its name. anew: taps of another text are thrown away. room_bytes: that become free as they are filled.
    """
    name = f"{part}-{'-'.join(map(str, layers))}"
    directory.mkdir(parents=True, exist_ok=True)
    file, flags = directory / f"{name}.f16", directory / f"{name}.done"
    need = tap_bytes(c, layers, hidden_size)
    check_owner(directory / f"{name}.json", file, owner(c, target), anew)
    if not file.exists() or file.stat().st_size != need or not flags.exists() or flags.stat().st_size != count(c):
        free = shutil.disk_usage(directory).free + room_bytes
        if free < need + SPARE_BYTES:
            raise DataError(
                f"The taps of {c.offsets[-1]} tokens need {need / 1e9:.1f} GB in {directory}, but {free / 1e9:.1f} GB "
                "are free: make room, or let them be computed anew in each step (--taps-gb 0)."
            )
        with file.open("wb") as out:
            out.truncate(need)
        flags.write_bytes(bytes(count(c)))
    shape = (int(c.offsets[-1]), len(layers), hidden_size)
    rows = np.memmap(file, np.float16, "r+", shape=shape)
    return CachedTaps(tuple(layers), rows, np.memmap(flags, np.uint8, "r+", shape=(count(c),)), c.offsets)


def read_taps(directory: Path, part: str, c: Conversations, hidden_size: int, target: str) -> CachedTaps:
    """Taps that lie there, all of them, mapped for reading alone. Raises ``DataError``."""
    named = sorted(directory.glob(f"{part}-*.f16"))
    if not named:
        raise DataError(f"{directory} holds no taps of the {part} part: let `slipstream train` make them (--taps).")
    file = named[0]
    layers = tuple(int(layer) for layer in file.stem.split("-")[1:])
    check_owner(file.with_suffix(".json"), file, owner(c, target), anew=False)
    flags = file.with_suffix(".done")
    done = np.fromfile(flags, np.uint8) if flags.is_file() else np.zeros(0, np.uint8)
    if file.stat().st_size != tap_bytes(c, layers, hidden_size) or len(done) != count(c) or not done.all():
        raise DataError(f"{file} is not whole: let `slipstream train` complete it (--taps).")
    rows = np.memmap(file, np.float16, "r", shape=(int(c.offsets[-1]), len(layers), hidden_size))
    return CachedTaps(layers, rows, done, c.offsets)


def ready_before(directory: Path, part: str, c: Conversations, layers: Sequence[int], target: str) -> NDArray[np.bool_]:
    """[conversations], whose taps of this very text lie there; nothing is changed."""
    name = f"{part}-{'-'.join(map(str, layers))}"
    note, flags = directory / f"{name}.json", directory / f"{name}.done"
    if note.is_file() and flags.is_file() and json.loads(note.read_text(encoding="utf-8")) == owner(c, target):
        done = np.fromfile(flags, np.uint8)
        if len(done) == count(c):
            return np.asarray(done == 1)
    return np.zeros(count(c), np.bool_)


def owner(c: Conversations, target: str) -> dict[str, str]:
    text = hashlib.sha256(np.ascontiguousarray(c.tokens, np.uint32).tobytes() + c.offsets.tobytes()).hexdigest()
    return {"target": target, "text": text}


def check_owner(note: Path, file: Path, mine: dict[str, str], anew: bool) -> None:
    """Taps without a note are taken for ours."""
    before = json.loads(note.read_text(encoding="utf-8")) if note.exists() else mine
    if before != mine:
        if not anew:
            raise DataError(f"{note.parent} holds the taps of another text or target: name another directory (--taps).")
        file.unlink(missing_ok=True)
    if before != mine or not note.exists():
        write_json(note, dict(mine))


def fill_taps(
    cache: CachedTaps,
    target: Target,
    c: Conversations,
    *,
    rows: int = 16,
    share: tuple[int, int] = (0, 1),
    cancelled: Callable[[], bool] = lambda: False,
    on_progress: Callable[[int, int, float], None] = lambda *_: None,
) -> bool:
    """Compute what is missing; False where cancelled.

    Args:
        rows: conversations of one forward
        share: (i, n): this process takes every n-th batch, from the i-th
        on_progress: tokens done, tokens in all, tokens a second
    """
    lengths = np.diff(c.offsets)
    missing = [int(i) for i in np.argsort(lengths, kind="stable") if not cache.done[i] and lengths[i]]
    cache.done[lengths == 0] = 1
    batches = [missing[i : i + rows] for i in range(0, len(missing), rows)][share[0] :: share[1]]
    total, made, began = int(sum(lengths[i] for b in batches for i in b)), 0, time.perf_counter()
    for batch in batches:
        if cancelled():
            return False
        for i, taps in zip(batch, run_taps(target, [conversation(c, i) for i in batch], cache.layers), strict=True):
            cache.rows[c.offsets[i] : c.offsets[i + 1]] = taps
        cache.done[batch] = 1
        made += int(sum(lengths[i] for i in batch))
        on_progress(made, total, made / (time.perf_counter() - began))
    return True


def run_taps(target: Target, texts: Sequence[NDArray[Any]], layers: Sequence[int]) -> list[NDArray[np.float16]]:
    """Taps of several texts in one forward: [length, taps, H] of each. Text is padded at its end, which causal
    attention never looks at; the logits are never computed.
    """
    width = max(len(t) for t in texts)
    padded = np.zeros((len(texts), width), np.int32)
    for row, text in enumerate(texts):
        padded[row, : len(text)] = text
    target.watch.want(layers)
    target.model(mx.array(padded))
    found = target.watch.take()
    out = np.array(half(mx.stack([found[layer] for layer in layers], axis=2)))
    return [out[row, : len(text)] for row, text in enumerate(texts)]
