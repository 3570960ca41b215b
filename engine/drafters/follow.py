"""What drafters with taps share: they follow the committed text and turn its taps into context, late and in one go.

Taps are kept until the next draft needs them (or until they are many): a round adds a few rows to its own graph.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import mlx.core as mx

from engine.drafters.context import ContextCache
from engine.drafters.layout import Layout
from engine.sampling import Sampler

PENDING_TOKENS = 64


class Follower:
    """One arm's context of a tapped drafter.

    Args: leave: how many of the newest tokens stay pending because more must be known of them first.
    """

    def __init__(self, layout: Layout, leave: int = 0) -> None:
        self.layout = layout
        self.taps = layout.taps
        self.leave = leave
        self.caches = [ContextCache(layout.visible(i)) for i in range(layout.layers)]
        self.seen: list[int] = []
        self.pending: mx.array | None = None  # [1, n, taps x H] of the newest n tokens

    @property
    def pending_tokens(self) -> int:
        return 0 if self.pending is None else int(self.pending.shape[1])

    def observe(self, tokens: Sequence[int], taps: Mapping[int, mx.array]) -> None:
        if not tokens:
            return
        rows = mx.concatenate([taps[layer] for layer in self.taps], axis=-1)
        self.seen += tokens
        self.pending = rows if self.pending is None else mx.concatenate([self.pending, rows], axis=1)
        if self.pending_tokens - self.leave >= PENDING_TOKENS:
            self.catch_up(self.leave)
            # Begun, not waited for: a long prompt must not pile up as one graph.
            mx.async_eval([a for cache in self.caches for a in cache.arrays()])  # type: ignore[no-untyped-call]

    def rewind(self, n: int) -> None:
        drop = len(self.seen) - n
        if drop <= 0:
            return
        self.seen = self.seen[:n]
        kept = self.pending_tokens - drop
        self.pending = self.pending[:, :kept] if self.pending is not None and kept > 0 else None
        for cache in self.caches:
            cache.rewind(n)

    def catch_up(self, leave: int = 0) -> None:
        """Turn pending taps, all but the newest ``leave``, into context."""
        n = self.pending_tokens - leave
        if n <= 0 or self.pending is None:
            return
        taps, self.pending = self.pending[:, :n], self.pending[:, n:] if leave else None
        self.commit(taps, len(self.seen) - leave - n)

    def commit(self, taps: mx.array, start: int) -> None:
        """Append the tokens from position ``start`` on. taps [1, n, taps x H]"""
        raise NotImplementedError

    def penalised(self, logits: mx.array, anchor: int, sampler: Sampler) -> mx.array:
        """The repetition penalty as far as it is known before the block is drawn: by the text up to the anchor.

        q is what is drawn from, with or without it; a reduced vocabulary goes without.
        """
        if sampler.settings.repetition_penalty == 1 or self.layout.draft_vocabulary:
            return logits
        history = [*self.seen[-sampler.settings.repetition_window_tokens :], anchor]
        return sampler.penalise(logits, history, mx.full((logits.shape[0] - 1,), anchor, mx.int32))

    @property
    def state_bytes(self) -> int:
        return sum(cache.nbytes for cache in self.caches) + (0 if self.pending is None else self.pending.nbytes)
