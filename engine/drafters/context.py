"""What a block drafter keeps of the committed text: keys and values of each layer, and nothing of any block.

Keys are kept with their absolute positions turned in. Buffers grow in steps; the rows of a block are written behind the
committed ones, where the next commit overwrites them, so no round copies the context.

A layer with a window holds a little more than it sees. Going back further than that (``rewind``) leaves it with what it
still holds: the drafts are weaker for a window's length, the output is the same.
"""

from __future__ import annotations

import mlx.core as mx

STEP_TOKENS = 256


class ContextCache:
    """One layer's context, of one arm.

    Args: visible: how many of the newest tokens the layer sees, 0 for all.

    Shape: keys and values [1, kv heads, capacity, head dim]; ``held`` rows are committed, the last at ``end - 1``.
    """

    def __init__(self, visible: int = 0) -> None:
        self.visible = visible
        self.keys: mx.array | None = None
        self.values: mx.array | None = None
        self.held = 0
        self.end = 0

    @property
    def seen(self) -> int:
        """How many committed tokens a block sees."""
        return min(self.held, self.visible) if self.visible else self.held

    def append(self, keys: mx.array, values: mx.array) -> None:
        """Commit the next tokens. [1, kv heads, n, head dim]"""
        n = keys.shape[2]
        self.end += n
        if self.visible and n > self.visible:
            keys, values = keys[:, :, -self.visible :], values[:, :, -self.visible :]
            self.held, n = 0, self.visible
        self._write(keys, values)
        self.held += n

    def join(self, keys: mx.array, values: mx.array) -> tuple[mx.array, mx.array]:
        """The visible context and behind it the rows of a block, not committed. [1, kv heads, rows, head dim]"""
        self._write(keys, values)
        return self._rows(self.held + keys.shape[2])

    def fetch(self) -> tuple[mx.array, mx.array]:
        """The visible context."""
        return self._rows(self.held)

    def rewind(self, n: int) -> None:
        """Only the first ``n`` tokens still stand."""
        dropped = max(0, self.end - n)
        self.held = max(0, self.held - dropped)
        self.end -= dropped
        if not self.end:
            # Nothing is left to be kept: the room goes back to the machine.
            self.keys = self.values = None

    def arrays(self) -> list[mx.array]:
        return [a for a in (self.keys, self.values) if a is not None]

    @property
    def nbytes(self) -> int:
        return sum(a.nbytes for a in self.arrays())

    def _rows(self, last: int) -> tuple[mx.array, mx.array]:
        assert self.keys is not None and self.values is not None
        first = self.held - self.seen
        return self.keys[:, :, first:last], self.values[:, :, first:last]

    def _write(self, keys: mx.array, values: mx.array) -> None:
        """Place rows behind the committed ones."""
        rows = keys.shape[2]
        self._make_room(keys, values, rows)
        assert self.keys is not None and self.values is not None
        self.keys[:, :, self.held : self.held + rows] = keys
        self.values[:, :, self.held : self.held + rows] = values

    def _make_room(self, keys: mx.array, values: mx.array, rows: int) -> None:
        capacity = 0 if self.keys is None else self.keys.shape[2]
        if self.held + rows <= capacity:
            return
        # A window lets go of what it no longer sees; everything else grows.
        kept = self.seen if self.visible and self.held >= self.visible + STEP_TOKENS else self.held
        needed = -(-(kept + rows) // STEP_TOKENS) * STEP_TOKENS
        if self.visible:
            needed = max(needed, self.visible + STEP_TOKENS + rows)
        self.keys = _moved(self.keys, keys, self.held - kept, self.held, needed)
        self.values = _moved(self.values, values, self.held - kept, self.held, needed)
        self.held = kept


def _moved(old: mx.array | None, like: mx.array, first: int, last: int, capacity: int) -> mx.array:
    """A buffer that begins with rows first..last of the old one."""
    kept = last - first
    batch, heads, _, dim = like.shape
    room = mx.zeros((batch, heads, capacity - kept, dim), like.dtype)
    return room if old is None or not kept else mx.concatenate([old[:, :, first:last], room], axis=2)


class Growing:
    """A context to which each row of a block is added, until the block is done and they are taken back (``rewind``)."""

    def __init__(self, cache: ContextCache) -> None:
        self.cache = cache

    def join(self, keys: mx.array, values: mx.array) -> tuple[mx.array, mx.array]:
        self.cache.append(keys, values)
        return self.cache.fetch()
