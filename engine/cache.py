"""One transaction over every kind of cache: begin, run the block, commit the first n rows or none.

    transaction.begin(rows)     before the forward that verifies ``rows`` rows
    transaction.commit(n)       keep the first n of them; the rest never happened
    transaction.rollback()      commit(0)

After any pattern of commits the state is that of a run which never saw the rejected rows. How, by kind:

keys and values       the offset goes back; what lies behind it is overwritten before it is read
rotating (a window)   a block is appended in temporal order, so dropping its last rows is a slice; nothing kept means
putting
                      the arrays of ``begin`` back, since the append pushed the oldest row out
recurrent             the state has no rows to drop: it is put back, and the layer is run again over the accepted rows
of (GatedDeltaNet,       its captured input. Only the state is evaluated, so this costs the recurrence of one layer, not
Mamba, convolution)   another forward; where all rows are kept it costs nothing

Nothing here waits for the device. A cache of an unknown kind is refused by name rather than silently corrupted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import mlx.core as mx
from mlx.utils import tree_map
from mlx_lm.models.cache import (
    ArraysCache,
    CacheList,
    ConcatenateKVCache,
    KVCache,
    QuantizedKVCache,
    RotatingKVCache,
)

from engine import tree
from engine.models.errors import ModelError
from engine.watch import Call, Watch

TRIMMABLE = (KVCache, QuantizedKVCache, ConcatenateKVCache)


class CacheError(ModelError):
    """A cache of this kind cannot be rolled back."""


def leaves(caches: Sequence[Any]) -> Iterator[Any]:
    """The simple caches inside, ``CacheList`` opened."""
    for cache in caches:
        if isinstance(cache, CacheList):
            yield from leaves(cache.caches)
        elif cache is not None:
            yield cache


def check_supported(caches: Sequence[Any]) -> None:
    """Raise ``CacheError`` where speculation could not undo a block."""
    for cache in leaves(caches):
        if not isinstance(cache, (*TRIMMABLE, RotatingKVCache, ArraysCache)):
            raise CacheError(
                f"Speculation is not possible with this target: its {type(cache).__name__} cannot be rolled back. "
                "Run it as the baseline."
            )


def is_recurrent(cache: Any) -> bool:
    return any(isinstance(leaf, ArraysCache) for leaf in leaves([cache]))


def nbytes(caches: Sequence[Any]) -> int:
    """Bytes that keys, values and states occupy, unused room included."""
    return sum(array.nbytes for leaf in leaves(caches) for array in _arrays(leaf))


def state_arrays(caches: Sequence[Any]) -> list[mx.array]:
    """All arrays held, for evaluation."""
    return [array for leaf in leaves(caches) for array in _arrays(leaf)]


def rewind(caches: Sequence[Any], drop: int) -> bool:
    """Forget the last ``drop`` tokens of a text that lies behind. False, and nothing changed, where a kind can't."""
    if drop == 0:
        return True
    found = list(leaves(caches))
    if not all(isinstance(leaf, (*TRIMMABLE, RotatingKVCache)) and leaf.is_trimmable() for leaf in found):
        return False
    for leaf in found:
        leaf.trim(drop)
    return True


class Transaction:
    """Over the caches of one arm."""

    def __init__(self, caches: Sequence[Any], watch: Watch) -> None:
        check_supported(caches)
        self.caches = list(caches)
        self.watch = watch
        self._rows = 0
        self._before: dict[int, tuple[Any, ...]] = {}

    def begin(self, rows: int) -> None:
        """Args: rows: how many the coming forward will append."""
        self._rows = rows
        self._before = {id(leaf): _snapshot(leaf, in_place=rows == 1) for leaf in leaves(self.caches)}
        self.watch.capture({id(cache) for cache in self.caches if is_recurrent(cache)} if rows > 1 else set())

    def begin_steps(self) -> None:
        """Before forwards of one row each, as many as will come; ended by ``commit_steps``."""
        self._before = {id(leaf): _snapshot(leaf, in_place=True) for leaf in leaves(self.caches)}

    def commit_steps(self, rows: int, n: int) -> bool:
        """Keep the first ``n`` of the ``rows`` steps. False where the caches can only go back to the beginning: none
        is kept.
        """
        found = list(leaves(self.caches))
        if n < rows:
            n = n if all(isinstance(leaf, TRIMMABLE) for leaf in found) else 0
            for leaf in found:
                _drop(leaf, rows, n, self._before[id(leaf)])
        self._before = {}
        return n > 0 or rows == 0

    def commit(self, n: int) -> None:
        """Keep the first ``n`` rows of the block. Raises ``ValueError`` outside 0..rows."""
        if not 0 <= n <= self._rows:
            raise ValueError(f"[Transaction] commit({n}) of a block of {self._rows} rows")
        calls = self.watch.release()
        if n < self._rows:
            for cache in self.caches:
                self._undo(cache, n, calls)
        self._before, self._rows = {}, 0

    def commit_rows(self, rows: Sequence[int]) -> None:
        """Keep these rows of the block, in this order, which is the text's: a path through a tree. Where it is not the
        block's beginning, only plain keys and values can do so.
        """
        n, first = len(rows), list(range(len(rows)))
        if list(rows) != first:
            at = mx.array(list(rows))
            for leaf in leaves(self.caches):
                begin = leaf.offset - self._rows
                for held in _arrays(leaf):
                    held[..., begin : begin + n, :] = held[..., begin + at, :]
        self.commit(n)

    def rollback(self) -> None:
        self.commit(0)

    def _undo(self, cache: Any, n: int, calls: dict[int, Call]) -> None:
        if is_recurrent(cache):
            for leaf in leaves([cache]):
                _drop(leaf, self._rows, 0, self._before[id(leaf)])
            if n:
                self.watch.rerun(calls[id(cache)], n, self._rows)
        else:
            for leaf in leaves([cache]):
                _drop(leaf, self._rows, n, self._before[id(leaf)])


def _arrays(leaf: Any) -> list[mx.array]:
    if isinstance(leaf, ArraysCache):
        return [a for a in leaf.cache if a is not None]
    if leaf.keys is None:
        return []
    parts = (leaf.keys, leaf.values)
    return [a for part in parts for a in (part if isinstance(part, (tuple, list)) else (part,))]


def _snapshot(leaf: Any, in_place: bool) -> tuple[Any, ...]:
    if isinstance(leaf, ArraysCache):
        return (list(leaf.cache),)
    if isinstance(leaf, RotatingKVCache):
        keys, values = leaf.keys, leaf.values
        if in_place and keys is not None:
            # One row is written into the array itself: hold copies.
            keys, values = mx.array(keys), mx.array(values)
        return keys, values, leaf.offset, leaf._idx
    return ()


def _drop(leaf: Any, rows: int, n: int, before: tuple[Any, ...]) -> None:
    """Keep the first n of the last ``rows`` rows of one cache."""
    if isinstance(leaf, ArraysCache):
        (leaf.cache,) = before
    elif isinstance(leaf, RotatingKVCache):
        if n == 0:
            leaf.keys, leaf.values, leaf.offset, leaf._idx = before
        else:
            end = leaf._idx - (rows - n)
            leaf.keys, leaf.values = leaf.keys[..., :end, :], leaf.values[..., :end, :]
            leaf.offset -= rows - n
            leaf._idx = end
    else:
        leaf.trim(rows - n)


# A tree of drafts (``tree``)


class Branched:
    """One layer's cache while a tree is verified. Has what mlx-lm's models ask of a cache.

    Each node is run as a text of its own, one row long, at its own depth: a row of a batch. All of them share the keys
    and values of the text so far, and see of each other what leads to them. So models of mlx-lm's with plain caches of
    keys and values need no change; their attention may copy the text's keys and values for each row.
    """

    def __init__(self, cache: KVCache | QuantizedKVCache, offset: mx.array, mask: mx.array) -> None:
        self.cache, self.offset, self.mask = cache, offset, mask
        if isinstance(cache, QuantizedKVCache):
            # What mlx-lm's attention knows a quantised cache by.
            self.bits, self.group_size = cache.bits, cache.group_size

    def update_and_fetch(self, keys: mx.array, values: mx.array) -> Any:
        """Twice [nodes, kv heads, 1, D] -> [nodes, kv heads, text and nodes, D], of a quantised cache three of each."""
        nodes = keys.shape[0]
        found = self.cache.update_and_fetch(keys.swapaxes(0, 2), values.swapaxes(0, 2))
        return tree_map(lambda a: mx.broadcast_to(a, (nodes, *a.shape[1:])), found)

    def make_mask(self, n: int, return_array: bool = False, window_size: int | None = None) -> mx.array:
        """[nodes, 1, 1, text and nodes] bool"""
        if not window_size:
            return self.mask
        text = self.mask.shape[-1] - self.offset.shape[0]
        places = mx.concatenate([mx.arange(text), self.offset])
        return self.mask & (places > self.offset[:, None, None, None] - window_size)


def branched(caches: Sequence[Any], parents: Sequence[int]) -> list[Branched]:
    """The caches of all layers for the rows of a tree."""
    text = caches[0].offset
    nodes = len(parents) + 1
    sees = mx.concatenate([mx.ones((nodes, text), mx.bool_), mx.array(tree.seen(parents))], axis=1)
    offset = text + mx.array(tree.depths(parents), mx.int32)
    return [Branched(cache, offset, sees[:, None, None, :]) for cache in caches]
