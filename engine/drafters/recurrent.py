"""Scheme A with more than one layer: B's backbone run one row at a time, each row fed what the one before it left.

    first row     reads the anchor, and the target's features of the token before it, as B's anchor row does
    next rows     read the token just drafted, and ``feedback`` of the row before in place of the target's features

All rows attend to the committed context and to the rows before them. One serial forward a token, in one graph: the best
guesses, and the dearest (EAGLE's recurrence, arXiv 2401.15077, over the layers of ``engine.train.tail``).
"""

from __future__ import annotations

import functools

import mlx.core as mx

from engine.drafters.backbone import Model
from engine.drafters.base import Draft, no_draft
from engine.drafters.block import Block, BlockDrafter
from engine.drafters.context import Growing
from engine.drafters.rows import Rows, Stepwise
from engine.drafters.walker import draw_rows
from engine.sampling import Sampler


def block_drafter(block: Block) -> BlockDrafter:
    """One arm's drafter of a model that reads contexts: B to E in one forward, A row by row."""
    return RecurrentDrafter(block) if block.layout.recurrent else BlockDrafter(block)


class RecurrentDrafter(BlockDrafter):
    """One arm's drafter."""

    def propose(self, anchor: int, width: int, sampler: Sampler) -> Draft:
        width = min(width, self.layout.gamma)
        if not self.ready(width):
            return no_draft("drafter")
        rows = Unrolled(self, anchor, sampler)
        drawn = draw_rows(rows.step, anchor, width, self.block.borrowed, sampler)
        rows.end()
        return Draft(*drawn, source=self.name, forwards=width)

    def rows(self, anchor: int, width: int, sampler: Sampler) -> Rows | None:
        """What it thinks of each position, for those who choose themselves (``blend``)."""
        width = min(width, self.layout.gamma)
        if not self.ready(width):
            return None
        rows = Unrolled(self, anchor, sampler)
        return Stepwise(self.block.borrowed, width, sampler.settings.candidate_width, rows.step, True, rows.end)


class Unrolled:
    """The rows of one block, which are no part of the context once it has ended."""

    def __init__(self, drafter: BlockDrafter, anchor: int, sampler: Sampler) -> None:
        drafter.catch_up()
        self.penalised = functools.partial(drafter.penalised, anchor=anchor, sampler=sampler)
        self.model: Model = drafter.block.model
        self.borrowed = drafter.block.borrowed
        self.caches, self.newest = drafter.caches, drafter.newest
        self.held = self.place = len(drafter.seen)

    def step(self, _: int, token: mx.array) -> mx.array:
        """The next row's logits. [1] -> [1, proposed vocabulary]"""
        model = self.model
        contexts = [Growing(cache) for cache in self.caches]
        masks = [None] * len(contexts)
        features = model(self.borrowed.embed(token)[None], contexts, self.place, masks, newest=self.newest)
        self.newest, self.place = model.fed_back(features), self.place + 1
        return self.penalised(model.logits(features.hidden[0], self.borrowed.head))

    def end(self) -> None:
        for cache in self.caches:
            cache.rewind(self.held)
