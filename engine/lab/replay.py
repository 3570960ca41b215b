"""What the target alone says of a text: one row at a time, on caches of its own, with no speculation.

    replay      teacher-forces an emitted text and gives, token by token, how far it was from the target's choice:
                gap = largest logit - logit of the emitted token, 0 where it was that choice
    noise       how far the same rows move when they are computed in blocks: the only excuse there is for a gap
    difference  how far an arm's caches are from those of the replay

The gap needs no second run to compare with and says something of every token, also behind the first difference. Logits
z of a row computed alone and z' computed in a block differ by at most d; then a token that is the argmax of z' has a
gap of at most 2 d in z, and a larger gap is no matter of rounding.

Caches are compared row by row, key and value, layer by layer: root mean square of the difference over that of what is
right. A row that belongs to another token or another place differs by about 1, noise by about the last digit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import mlx.core as mx
import numpy as np
from mlx_lm.models.cache import ArraysCache, QuantizedKVCache, RotatingKVCache
from numpy.typing import NDArray

from engine.cache import leaves, state_arrays
from engine.decode import PREFILL_CHUNK_TOKENS
from engine.sampling import Sampler
from engine.target import Target
from engine.trace.events import Settings
from engine.trace.verdict import noise_logits

FEW_ROWS = 10_000
"""Below so many rows the largest difference seen is doubled: the largest of more rows would be larger."""
QUANTILE = 0.9999
CACHE_FACTOR = 8.0
CACHE_FLOORS = {"float32": 1e-4}
CACHE_FLOOR = 0.03
"""Relative, of half precision; whatever was measured, so much is excused. A fault is far beyond it."""
CACHE_CEILING = 0.5
"""Whatever was measured: rows of another token or place are beyond it."""

Rows = NDArray[np.float32]


@dataclass(slots=True)
class Replay:
    """One text, row by row."""

    gaps: list[float]
    """Of each emitted token, in logits."""
    margins: list[float]
    """First minus second choice of the row that emitted it."""
    caches: list[Any]
    """They hold all but the last token."""
    moved: dict[int, list[float]] = field(default_factory=dict)
    """By width of the blocks: largest difference of a logit, row by row."""
    caches_moved: dict[int, float] = field(default_factory=dict)
    """By width: the caches' difference after the text."""


@dataclass(frozen=True, slots=True)
class Noise:
    """Measured without speculation. ``logits`` excuses a gap or a margin, ``cache`` a difference of a cached row."""

    logits: float
    cache: float
    rows: int
    widths: tuple[int, ...]
    median: float
    largest: float
    cache_largest: float
    ceiling: float
    """Of ``logits``, from the arithmetic alone."""


def replay(
    target: Target,
    prompt: Sequence[int],
    ids: Sequence[int],
    settings: Settings,
    widths: Sequence[int] = (),
    cancelled: Callable[[], bool] = lambda: False,
) -> Replay:
    """Teacher-force ``ids`` after ``prompt``; beside it, the same rows in blocks of each of ``widths``."""
    sampler = Sampler(settings)
    text = [*prompt, *ids]
    caches = {width: target.make_caches(settings.kv_bits) for width in (1, *widths)}
    for held in caches.values():
        prefill(target, held, text[: len(prompt) - 1])
    found = Replay([], [], caches[1], {width: [] for width in widths})
    alone: list[mx.array] = []
    ends = {width: len(prompt) - 1 for width in widths}
    last = len(text) - 1
    for at in range(len(prompt) - 1, last):
        if cancelled():
            break
        row, _ = target.forward(mx.array([text[at]]), caches[1])
        # Penalties are those of this row's own history, nothing of a block.
        z = np.array(sampler.penalise(row, text[: at + 1]).astype(mx.float32))[0]
        first, second = np.partition(z, -2)[-1:-3:-1]
        found.gaps.append(float(first - z[text[at + 1]]))
        found.margins.append(float(first - second))
        if not widths:
            continue
        alone.append(row)
        for width in widths:
            begin, end = ends[width], at + 1
            if end - begin == width or end == last:
                block, _ = target.forward(mx.array(text[begin:end]), caches[width])
                kept = mx.concatenate(alone[begin - end :])
                moved = mx.abs(block.astype(mx.float32) - kept.astype(mx.float32)).max(axis=-1)
                mx.eval(moved, state_arrays(caches[width]))
                found.moved[width] += moved.tolist()  # type: ignore[arg-type]
                ends[width] = end
        alone = alone[-max(widths) :]
    for width in widths:
        found.caches_moved[width] = difference(caches[width], caches[1])[0]
    return found


def prefill(target: Target, caches: list[Any], tokens: Sequence[int]) -> None:
    """As the loop does it."""
    for start in range(0, len(tokens), PREFILL_CHUNK_TOKENS):
        target.forward(mx.array(list(tokens[start : start + PREFILL_CHUNK_TOKENS])), caches)
        mx.eval(state_arrays(caches))


def noise_of(replays: Sequence[Replay], target: Target, kv_bits: int = 0) -> Noise:
    """The bound for gaps and margins, and the one for caches, from all texts that were replayed in blocks."""
    moved = np.array([d for r in replays for rows in r.moved.values() for d in rows] or [0.0], np.float64)
    in_caches = max((d for r in replays for d in r.caches_moved.values()), default=0.0)
    ceiling = noise_logits(target.facts, kv_bits)
    largest, rows = float(moved.max()), sum(len(rows) for r in replays for rows in r.moved.values())
    reached = 2 * largest if rows < FEW_ROWS else float(np.quantile(moved, QUANTILE))
    floor = CACHE_FLOORS.get(target.facts.held_as, CACHE_FLOOR)
    # A code of a quantised cache seldom turns, and then moves everything behind it: a few texts may not show it.
    known = rows > 0 and not kv_bits
    return Noise(
        logits=min(2 * reached, ceiling) if known else ceiling,
        cache=min(max(CACHE_FACTOR * in_caches, floor), CACHE_CEILING) if known else CACHE_CEILING,
        rows=rows,
        widths=tuple(sorted({width for r in replays for width in r.moved})),
        median=float(np.median(moved)),
        largest=largest,
        cache_largest=in_caches,
        ceiling=ceiling,
    )


# Caches


def rows_held(caches: Sequence[Any]) -> int | None:
    """Tokens that the caches say they hold; None where no kind of them counts, -1 where they disagree."""
    offsets = {int(leaf.offset) for leaf in leaves(caches) if not isinstance(leaf, ArraysCache)}
    return offsets.pop() if len(offsets) == 1 else -1 if offsets else None


def difference(caches: Sequence[Any], right: Sequence[Any]) -> tuple[float, int, int]:
    """Largest difference of a row, the row's position counted from the text's end (-1 the last), and its layer."""
    worst, place, layer = 0.0, 0, 0
    for index, (mine, theirs) in enumerate(zip(leaves(caches), leaves(right), strict=True)):
        for a, b in zip(held_rows(mine), held_rows(theirs), strict=True):
            rows = min(len(a), len(b))
            if not rows:
                continue
            a, b = a[-rows:], b[-rows:]
            # Over the layer's typical row: a row near zero by itself is no fault.
            size = np.sqrt((b**2).mean(axis=-1))
            apart = np.sqrt(((a - b) ** 2).mean(axis=-1)) / np.maximum(size, max(float(np.median(size)), 1e-30))
            at = int(np.argmax(apart))
            value = float(apart[at])
            if math.isnan(value) or value > worst:
                worst, place, layer = (math.inf if math.isnan(value) else value), at - rows, index
    return worst, place, layer


def held_rows(leaf: Any) -> list[Rows]:
    """Keys and values of one cache, a row a token: [tokens, heads * size]; a recurrent state is one row."""
    if isinstance(leaf, ArraysCache):
        return [np.array(a.astype(mx.float32)).reshape(1, -1) for a in leaf.cache if a is not None]
    if leaf.keys is None:
        return []
    parts = []
    for part in (leaf.keys, leaf.values):
        if isinstance(leaf, QuantizedKVCache):
            weight, scales, biases = (x[..., : leaf.offset, :] for x in part)
            plain = mx.dequantize(weight, scales, biases, leaf.group_size, leaf.bits)
        elif isinstance(leaf, RotatingKVCache):
            plain = leaf._temporal_order(part)
            plain = plain[..., -min(leaf.offset, leaf.max_size, plain.shape[2]) :, :]
        else:
            plain = part[..., : leaf.offset, :]
        parts.append(_row_a_token(plain))
    return parts


def _row_a_token(array: mx.array) -> Rows:
    rows = np.array(array[0].astype(mx.float32))  # [heads, tokens, size]
    return rows.transpose(1, 0, 2).reshape(rows.shape[1], -1)
