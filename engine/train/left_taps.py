"""Taps that were kept while a data set was written, so that training needs no forward of its target for them.

    raw/wave-000012.taps-2-9-16-23-29.npy    float16 [tokens of the wave, taps, H], in the order of wave-000012.npz

They are carried over into the taps of a part (``taps.CachedTaps``), conversation by conversation: which of them a part
holds is decided by cleaning.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.train.conversations import Conversations, conversation, count, read_shard
from engine.train.taps import SPARE_BYTES, CachedTaps

Taps = NDArray[np.float16]


def taps_file(raw: Path, layers: Sequence[int]) -> Path:
    """Where the taps of a raw file lie."""
    return raw.with_name(f"{raw.stem}.taps-{'-'.join(map(str, layers))}.npy")


def taps_files(dataset: Path) -> list[Path]:
    return sorted((dataset / "raw").glob("*.taps-*.npy"))


def keep_taps(raw: Path, layers: Sequence[int], taps: Taps, most_bytes: float) -> bool:
    """Write the taps of a wave; False where all of them would become more than ``most_bytes`` or the disk too full.

    They come before the wave's own file, so that a wave that is there has them.
    """
    before = sum(file.stat().st_size for file in taps_files(raw.parents[1]))
    if before + taps.nbytes > most_bytes or shutil.disk_usage(raw.parent).free < taps.nbytes + SPARE_BYTES:
        return False
    to = taps_file(raw, layers)
    half = to.with_name(f".{to.name}.part")
    with half.open("wb") as file:
        np.save(file, taps)
        file.flush()
        os.fsync(file.fileno())
    half.replace(to)
    return True


def carry_over(dataset: Path, cache: CachedTaps, c: Conversations) -> int:
    """Give conversations of a part the taps that were kept when they were written; how many got theirs."""
    missing = {key(conversation(c, i)): i for i in range(count(c)) if not cache.done[i]}
    carried = 0
    for raw in sorted((dataset / "raw").glob("*.npz")):
        file = taps_file(raw, cache.layers)
        if not missing or not file.exists():
            continue
        written, taps = read_shard(raw).conversations, np.load(file, mmap_mode="r")
        if taps.shape != (len(written.tokens), *cache.rows.shape[1:]):
            continue
        for j in range(count(written)):
            i = missing.pop(key(conversation(written, j)), None)
            if i is not None:
                cache.rows[c.offsets[i] : c.offsets[i + 1]] = taps[written.offsets[j] : written.offsets[j + 1]]
                cache.done[i] = 1
                carried += 1
    return carried


def key(tokens: NDArray[Any]) -> bytes:
    return tokens.astype(np.uint32).tobytes()


def drop(dataset: Path) -> None:
    """What has been carried over takes no room twice."""
    for file in taps_files(dataset):
        file.unlink()
