"""Drafts for all rows of a batch.

    Separate   each row has a drafter of its own, asked one after the other: tables, look-up, scheme A
    Blocks     a block drafter (schemes B to E): one forward over all rows, each with its own context and position

Both hold the rows' state; rows join and leave together with the target's caches.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, Self

import mlx.core as mx

from engine.batch.ragged import Ends, RaggedCache
from engine.decode import Run
from engine.drafters.backbone import Features
from engine.drafters.base import Draft, Drafter, no_draft
from engine.drafters.block import BlockDrafter
from engine.drafters.layout import Layout

MakeDrafter = Callable[[], Drafter | None]
"""A fresh drafter for one more request of an arm; None for the baseline."""


class Drafting(Protocol):
    """Drafters of the rows of one batch."""

    taps: tuple[int, ...]
    together: bool
    """One forward drafts for all rows."""

    def propose(self, runs: Sequence[Run], widths: Sequence[int]) -> list[Draft]:
        """One draft a row, no wider than ``widths`` says."""
        ...

    def observe(self, tokens: Sequence[Sequence[int]], taps: Mapping[int, mx.array]) -> None:
        """Each row has processed these tokens; ``taps`` {layer: [B, n, H]}, n at least the most of them."""
        ...

    def keep(self, rows: Sequence[int]) -> None: ...

    def join(self, other: Self) -> None: ...

    def arrays(self) -> list[mx.array]:
        """What should be computed once a forward has been."""
        ...

    def state_bytes(self, row: int) -> int: ...


def drafting(make: MakeDrafter, rows: int) -> Drafting | None:
    """Drafters for so many new rows; None for the baseline."""
    drafters = [make() for _ in range(rows)]
    if any(type(d) is BlockDrafter for d in drafters):
        return Blocks([d for d in drafters if type(d) is BlockDrafter])
    found = [d for d in drafters if d is not None]
    return Separate(found) if found else None


class Separate:
    together = False

    def __init__(self, drafters: Sequence[Drafter]) -> None:
        self.drafters = list(drafters)
        self.taps = self.drafters[0].taps

    def propose(self, runs: Sequence[Run], widths: Sequence[int]) -> list[Draft]:
        return [
            drafter.propose(run.tokens[-1], width, run.sampler) if width > 0 else no_draft("")
            for drafter, run, width in zip(self.drafters, runs, widths, strict=True)
        ]

    def observe(self, tokens: Sequence[Sequence[int]], taps: Mapping[int, mx.array]) -> None:
        for row, (drafter, ids) in enumerate(zip(self.drafters, tokens, strict=True)):
            drafter.observe(list(ids), {layer: tap[row : row + 1, : len(ids)] for layer, tap in taps.items()})

    def keep(self, rows: Sequence[int]) -> None:
        self.drafters = [self.drafters[row] for row in rows]

    def join(self, other: Self) -> None:
        self.drafters += other.drafters

    def arrays(self) -> list[mx.array]:
        return []

    def state_bytes(self, row: int) -> int:
        return self.drafters[row].state_bytes


class Blocks:
    """The drafters handed in are asked for their weights, their walker and their rules; their own contexts stay
    empty.
    """

    together = True

    def __init__(self, drafters: Sequence[BlockDrafter]) -> None:
        self.drafters = list(drafters)
        self.block = drafters[0].block
        self.layout: Layout = self.block.layout
        self.taps = self.layout.taps
        self.ends = Ends([0] * len(drafters))
        self.caches = [RaggedCache(self.ends) for _ in range(self.layout.layers)]
        self.newest: mx.array | None = None  # [B, 1, H], of each row's last token, where the layout reads it

    def observe(self, tokens: Sequence[Sequence[int]], taps: Mapping[int, mx.array]) -> None:
        kept = [len(ids) for ids in tokens]
        if not any(kept):
            return
        rows = mx.concatenate([taps[layer][:, : max(kept)] for layer in self.taps], axis=-1)
        model = self.block.model
        h_ctx = model.context(rows)
        for cache, (keys, values) in zip(self.caches, model.context_keys_values(h_ctx, self.ends.offset), strict=True):
            cache.append(keys, values)
        if self.layout.direct:
            self._note_newest(model.newest(rows, h_ctx), kept)
        self.ends.commit(kept)
        for drafter, ids in zip(self.drafters, tokens, strict=True):
            drafter.seen += ids

    def _note_newest(self, read: mx.array, kept: Sequence[int]) -> None:
        last = mx.array([max(n - 1, 0) for n in kept])[:, None, None]
        fresh = mx.take_along_axis(read, mx.broadcast_to(last, (len(kept), 1, read.shape[-1])), axis=1)
        if self.newest is None:
            self.newest = mx.zeros_like(fresh)
        self.newest = mx.where(mx.array(list(kept))[:, None, None] > 0, fresh, self.newest)

    def propose(self, runs: Sequence[Run], widths: Sequence[int]) -> list[Draft]:
        most = [min(width, self.layout.gamma) for width in widths]
        blank = no_draft("drafter")
        if max(most, default=0) < 1:
            return [blank for _ in runs]
        rows = self.layout.rows_for(max(most))
        anchors = [run.tokens[-1] for run in runs]
        ids = mx.array([[anchor, *[self.layout.mask_id] * (rows - 1)] for anchor in anchors])
        borrowed, model = self.block.borrowed, self.block.model
        more: dict[str, Any] = {"newest": self.newest} if self.layout.direct else {}
        features = model(
            borrowed.embed(ids),
            self.caches,
            self.ends.offset,
            [self._mask(layer, rows) for layer in range(self.layout.layers)],
            borrowed.embedding_rms,
            runs[0].settings.injected_layers,
            **more,
        )
        logits = model.logits(features.hidden, borrowed.head)
        return [
            self._row(row, run, width, logits, features) if width > 0 else blank
            for row, (run, width) in enumerate(zip(runs, most, strict=True))
        ]

    def _row(self, row: int, run: Run, width: int, logits: mx.array, features: Features) -> Draft:
        """What the single drafter makes of its own block, cut to ``width``.

        A block of several rows is as wide as its widest; positions beyond a row's own width are not looked at, and with
        rows that see the whole block their presence can change the drafts, never what is emitted.
        """
        drafter, anchor, at = self.drafters[row], run.tokens[-1], slice(row, row + 1)
        own = Features(
            features.hidden[at, :width], None if features.expected is None else features.expected[at, :width]
        )
        scored = drafter.penalised(logits[row, :width], anchor, run.sampler)
        walked = self.block.walker(scored, own, anchor, run.sampler)
        threshold = run.settings.confidence_threshold
        if threshold and walked.confidence is not None:
            return drafter._cut(walked, threshold)
        return Draft(walked.tokens, walked.q, walked.candidates, source=drafter.name, forwards=1)

    def _mask(self, layer: int, rows: int) -> mx.array | None:
        """[B, 1, rows, longest + rows] bool; None where all rows see everything there is."""
        layout, ends = self.layout, self.ends
        causal, window = layout.is_causal(layer), layout.window(layer)
        if ends.equal and not window and (not causal or rows == 1):
            return None
        place = mx.arange(ends.longest + rows)
        first, row = ends.offset[:, None, None, None], ends.places(rows)
        context, block = place < first, (place >= first) & (place < first + rows)
        if window:
            oldest = row - window + 1 if layout.window_rule == "per-query" else first - window
            context = context & (place >= oldest)
        if causal:
            block = block & (place <= row)
        return context | block

    def keep(self, rows: Sequence[int]) -> None:
        index = mx.array(list(rows))
        for cache in self.caches:
            cache.keep(index)
        if self.newest is not None:
            self.newest = self.newest[index]
        self.drafters = [self.drafters[row] for row in rows]
        self.ends.keep(rows)

    def join(self, other: Self) -> None:
        for mine, theirs in zip(self.caches, other.caches, strict=True):
            mine.extend(theirs)
        if self.newest is not None and other.newest is not None:
            self.newest = mx.concatenate([self.newest, other.newest])
        elif other.newest is not None:
            self.newest = other.newest
        self.drafters += other.drafters
        self.ends.join(other.ends)

    def arrays(self) -> list[mx.array]:
        found = [a for cache in self.caches for a in cache.arrays()]
        return found if self.newest is None else [*found, self.newest]

    def state_bytes(self, row: int) -> int:
        return sum(cache.nbytes for cache in self.caches) // max(len(self.drafters), 1)
