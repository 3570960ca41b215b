"""Taps that were kept while a data set was written, so that training needs no forward of its target for them.

    raw/wave-000012.taps-2-9-16-23-29.npy    float16 [tokens of the wave, taps, H], in the order of wave-000012.npz

They are carried over into the taps of a part (``taps.CachedTaps``), conversation by conversation: which of them a part
holds is decided by cleaning.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.train.conversations import Conversations, conversation, count, read_shard
from engine.train.taps import SPARE_BYTES, CachedTaps

Taps = NDArray[np.float16]
MARK = ".taps-"


def taps_file(raw: Path, layers: Sequence[int]) -> Path:
    """Where the taps of a raw file lie."""
    return raw.with_name(f"{raw.stem}{MARK}{'-'.join(map(str, layers))}.npy")


def raw_of(taps: Path) -> Path:
    return taps.with_name(f"{taps.name[: taps.name.rindex(MARK)]}.npz")


def taps_of(raw: Path) -> list[Path]:
    """Of any layers."""
    return [file for file in taps_files(raw.parents[1]) if raw_of(file) == raw]


def taps_files(dataset: Path) -> list[Path]:
    return sorted((dataset / "raw").glob(f"*{MARK}*.npy"))


def kept_bytes(dataset: Path) -> int:
    return sum(file.stat().st_size for file in taps_files(dataset))


def keep_taps(raw: Path, layers: Sequence[int], taps: Taps, most_bytes: float) -> bool:
    """Write the taps of a wave; False where all of them would become more than ``most_bytes`` or the disk too full.

    They come before the wave's own file, so that a wave that is there has them. They can be made again, so the text
    never waits for room for them.
    """
    if kept_bytes(raw.parents[1]) + taps.nbytes > most_bytes:
        return False
    if shutil.disk_usage(raw.parent).free < taps.nbytes + SPARE_BYTES:
        return False
    to = taps_file(raw, layers)
    half = to.with_name(f".{to.name}.part")
    try:
        with half.open("wb") as file:
            np.save(file, taps)
            file.flush()
            os.fsync(file.fileno())
        half.replace(to)
    except OSError:
        half.unlink(missing_ok=True)
        return False
    return True


def left(dataset: Path, layers: Sequence[int], width: int) -> Iterator[tuple[Path, Conversations, Taps]]:
    """Files of these layers' taps that belong to their raw file, its conversations, and the taps, mapped."""
    for file in taps_files(dataset):
        raw = raw_of(file)
        if file != taps_file(raw, layers) or not raw.exists():
            continue
        written = read_shard(raw).conversations
        try:
            taps = np.load(file, mmap_mode="r")
        except (OSError, ValueError, EOFError):  # damaged: they are computed anew
            continue
        if taps.dtype == np.float16 and taps.shape == (len(written.tokens), len(layers), width):
            yield file, written, taps


def kept(dataset: Path, layers: Sequence[int], width: int, c: Conversations) -> NDArray[np.bool_]:
    """[conversations], whose taps were kept."""
    there = {key(conversation(w, i)) for _, w, _ in left(dataset, layers, width) for i in range(count(w))}
    return np.array([key(conversation(c, i)) in there for i in range(count(c))], np.bool_)


def carry_over(
    dataset: Path,
    parts: Sequence[tuple[CachedTaps, Conversations]],
    *,
    move: bool = False,
    cancelled: Callable[[], bool] = lambda: False,
) -> int:
    """Give conversations of the parts, whose layers are the same, the taps that were kept; how many got theirs.

    ``move``: each file goes away when it has been carried over, so that nothing takes room twice.
    """
    if not parts:
        return 0
    missing = {
        key(conversation(c, i)): (cache, c, i) for cache, c in parts for i in range(count(c)) if not cache.done[i]
    }
    carried = 0
    for file, written, taps in left(dataset, parts[0][0].layers, parts[0][0].rows.shape[-1]):
        if cancelled():
            break
        found = [(j, *missing.pop(k)) for j in range(count(written)) if (k := key(conversation(written, j))) in missing]
        for j, cache, c, i in found:
            cache.rows[c.offsets[i] : c.offsets[i + 1]] = taps[written.offsets[j] : written.offsets[j + 1]]
        if move:
            for cache, _ in parts:
                flush(cache.rows)
        for _, cache, _, i in found:
            cache.done[i] = 1
        carried += len(found)
        if move:
            file.unlink()
    return carried


def flush(rows: NDArray[Any]) -> None:
    """To the disk, where that is where they are."""
    if isinstance(rows, np.memmap):
        rows.flush()


def key(tokens: NDArray[Any]) -> bytes:
    return tokens.astype(np.uint32).tobytes()


def room_bytes(dataset: Path) -> int:
    """That become free as the files are moved; one that another data set shares stays there."""
    return sum(file.stat().st_size for file in taps_files(dataset) if file.stat().st_nlink == 1)


def drop(dataset: Path) -> None:
    for file in taps_files(dataset):
        file.unlink()
