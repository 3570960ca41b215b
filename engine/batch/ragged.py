"""Keys and values of many requests in one buffer, each row ending at its own place.

Rows begin at the left and no row is padded: token i of a text lies at place i of its row, whatever the others do. A
forward writes its rows behind the committed ones of each text; ``Ends.commit`` then says how many of them stand. What
was written beyond is never read and is overwritten by the next forward. So rejecting drafts costs nothing, whatever
each row kept, and nothing is ever moved but when rows join or leave.

    ends = Ends([3, 7])                  two texts, 3 and 7 tokens behind them
    model(tokens [2, n], cache=caches)   writes at 3.. and at 7..
    ends.commit([1, n])                  the first text kept one of its rows, the second all

The layers of one model share an ``Ends``. Only caches of keys and values that see everything are batched this way.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mlx.core as mx
from mlx_lm.models.cache import KVCache

from engine.models.errors import ModelError
from engine.target import Target

STEP_TOKENS = 256


class Ends:
    """How many tokens of each row are committed. Forwards of n rows each see the tokens before them and one another
    causally."""

    def __init__(self, lengths: Sequence[int]) -> None:
        self.lengths = list(lengths)
        self._changed()

    def _changed(self) -> None:
        self.offset = mx.array(self.lengths, mx.int32)
        self.longest = max(self.lengths, default=0)
        self.equal = len(set(self.lengths)) <= 1
        self._places: dict[int, mx.array] = {}
        self._masks: dict[int, mx.array] = {}

    def commit(self, kept: Sequence[int]) -> None:
        """The first so many rows of the last forward stand, in each text."""
        self.lengths = [length + n for length, n in zip(self.lengths, kept, strict=True)]
        self._changed()

    def keep(self, rows: Sequence[int]) -> None:
        self.lengths = [self.lengths[row] for row in rows]
        self._changed()

    def join(self, other: Ends) -> None:
        self.lengths = self.lengths + other.lengths
        self._changed()

    def places(self, n: int) -> mx.array:
        """Where the next n rows of each text go. [B, 1, n, 1]"""
        if n not in self._places:
            self._places[n] = (self.offset[:, None] + mx.arange(n))[:, None, :, None]
        return self._places[n]

    def causal(self, n: int) -> mx.array:
        """[B, 1, n, longest + n] bool: the text so far, and of the next n rows those up to the row itself."""
        if n not in self._masks:
            self._masks[n] = mx.arange(self.longest + n) <= self.places(n)
        return self._masks[n]


class RaggedCache:
    """One layer's keys and values. Has what mlx-lm's models ask of a cache.

    Shape: keys and values [B, kv heads, capacity, head dim]
    """

    def __init__(self, ends: Ends) -> None:
        self.ends = ends
        self.keys: mx.array | None = None
        self.values: mx.array | None = None

    @property
    def offset(self) -> mx.array:
        return self.ends.offset

    def update_and_fetch(self, keys: mx.array, values: mx.array) -> tuple[mx.array, mx.array]:
        return self.join(keys, values)

    def join(self, keys: mx.array, values: mx.array) -> tuple[mx.array, mx.array]:
        """Write rows behind the committed ones; returns what the longest text holds. [B, kv heads, n, head dim]"""
        n = keys.shape[2]
        last = self.ends.longest + n
        self.keys = self._written(self.keys, keys, last)
        self.values = self._written(self.values, values, last)
        return self.keys[:, :, :last], self.values[:, :, :last]

    def append(self, keys: mx.array, values: mx.array) -> None:
        """Write rows behind the committed ones; nobody looks at them yet."""
        self.join(keys, values)

    def make_mask(self, n: int, return_array: bool = False, window_size: int | None = None) -> mx.array | str | None:
        """Who sees whom in a forward of n rows of each text; asked before the forward."""
        if self.ends.equal and not window_size and not return_array:
            return None if n == 1 else "causal"
        mask = self.ends.causal(n)
        if window_size:
            mask = mask & (mx.arange(self.ends.longest + n) > self.ends.places(n) - window_size)
        return mask

    def keep(self, rows: mx.array) -> None:
        if self.keys is not None and self.values is not None:
            self.keys, self.values = self.keys[rows], self.values[rows]

    def extend(self, other: RaggedCache) -> None:
        """Rows of another batch join behind these."""
        self.keys = _stacked(self.keys, len(self.ends.lengths), other.keys, len(other.ends.lengths))
        self.values = _stacked(self.values, len(self.ends.lengths), other.values, len(other.ends.lengths))

    def arrays(self) -> list[mx.array]:
        return [a for a in (self.keys, self.values) if a is not None]

    @property
    def nbytes(self) -> int:
        return sum(a.nbytes for a in self.arrays())

    def _written(self, buffer: mx.array | None, rows: mx.array, last: int) -> mx.array:
        batch, heads, n, dim = rows.shape
        capacity = 0 if buffer is None else buffer.shape[2]
        if last > capacity:
            room = mx.zeros((batch, heads, -(-last // STEP_TOKENS) * STEP_TOKENS - capacity, dim), rows.dtype)
            buffer = room if buffer is None else mx.concatenate([buffer, room], axis=2)
        assert buffer is not None
        if self.ends.equal:
            buffer[:, :, last - n : last] = rows
            return buffer
        places = mx.broadcast_to(self.ends.places(n), rows.shape)
        return mx.put_along_axis(buffer, places, rows, axis=2)


def _stacked(a: mx.array | None, rows_a: int, b: mx.array | None, rows_b: int) -> mx.array | None:
    like = a if a is not None else b
    if like is None:
        return None
    capacity = max(x.shape[2] for x in (a, b) if x is not None)

    def filled(x: mx.array | None, rows: int) -> mx.array:
        have = 0 if x is None else x.shape[2]
        _, heads, _, dim = like.shape
        room = mx.zeros((rows, heads, capacity - have, dim), like.dtype)
        return room if x is None else x if have == capacity else mx.concatenate([x, room], axis=2)

    return mx.concatenate([filled(a, rows_a), filled(b, rows_b)])


def check_batchable(target: Target, kv_bits: int = 0) -> None:
    """Raise ``ModelError`` where rows of different lengths can't share this target's caches."""
    for cache in target.make_caches(kv_bits):
        if type(cache) is not KVCache:
            raise ModelError(
                f"Requests to {target.facts.name} can't share a forward: its {type(cache).__name__} is no plain cache "
                "of keys and values. Serve them one at a time (queueing)."
            )


def ragged_caches(target: Target, ends: Ends) -> list[Any]:
    return [RaggedCache(ends) for _ in target.make_caches()]
