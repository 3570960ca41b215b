"""Scheme A with more than one layer: B's backbone run one row at a time, each row fed what the one before it left.

    first row     reads the anchor, and the target's features of the token before it, as B's anchor row does
    next rows     read the token just drafted, and ``feedback`` of the row before in place of the target's features

All rows attend to the committed context and to the rows before them. One serial forward a token, in one graph: the best
guesses, and the dearest (EAGLE's recurrence, arXiv 2401.15077, over the layers of ``engine.train.tail``).
"""

from __future__ import annotations

import mlx.core as mx

from engine.drafters.backbone import Model
from engine.drafters.base import Draft, no_draft
from engine.drafters.block import Block, BlockDrafter
from engine.drafters.context import Growing
from engine.drafters.rows import Rows, Stepwise
from engine.drafters.walker import proposed_ids
from engine.sampling import Sampler, draw


def block_drafter(block: Block) -> BlockDrafter:
    """One arm's drafter of a model that reads contexts: B to E in one forward, A row by row."""
    return RecurrentDrafter(block) if block.layout.recurrent else BlockDrafter(block)


class RecurrentDrafter(BlockDrafter):
    """One arm's drafter."""

    def propose(self, anchor: int, width: int, sampler: Sampler) -> Draft:
        width = min(width, self.layout.gamma)
        if not self.ready(width):
            return no_draft("drafter")
        rows = Unrolled(self)
        borrowed = self.block.borrowed
        token = mx.array([anchor])
        tokens: list[mx.array] = []
        q_rows: list[mx.array] = []
        for _ in range(width):
            logits = self.penalised(rows.step(token), anchor, sampler)
            if sampler.greedy:
                ids = mx.argmax(logits, axis=-1)
            else:
                q_rows.append(sampler.probabilities(logits))
                ids = draw(q_rows[-1], sampler.next_key())
            token = borrowed.to_target(ids)
            tokens.append(token)
        rows.end()
        q = mx.concatenate(q_rows) if q_rows else None
        ids_of_q = proposed_ids(borrowed, q) if q is not None else None
        return Draft(mx.concatenate(tokens), q, ids_of_q, source=self.name, forwards=width)

    def rows(self, anchor: int, width: int, sampler: Sampler) -> Rows | None:
        """What it thinks of each position, for those who choose themselves (``blend``)."""
        width = min(width, self.layout.gamma)
        if not self.ready(width):
            return None
        rows = Unrolled(self)

        def step(_: int, before: int) -> mx.array:
            return self.penalised(rows.step(mx.array([before])), anchor, sampler)

        return Stepwise(self.block.borrowed, width, sampler.settings.candidate_width, step, True, rows.end)


class Unrolled:
    """The rows of one block, which are no part of the context once it has ended."""

    def __init__(self, drafter: BlockDrafter) -> None:
        drafter.catch_up()
        self.model: Model = drafter.block.model
        self.borrowed = drafter.block.borrowed
        self.caches, self.newest = drafter.caches, drafter.newest
        self.held = self.place = len(drafter.seen)

    def step(self, token: mx.array) -> mx.array:
        """The next row's logits. [1] -> [1, proposed vocabulary]"""
        model = self.model
        contexts = [Growing(cache) for cache in self.caches]
        masks = [None] * len(contexts)
        features = model(self.borrowed.embed(token)[None], contexts, self.place, masks, newest=self.newest)
        self.newest, self.place = model.fed_back(features), self.place + 1
        return model.logits(features.hidden[0], self.borrowed.head)

    def end(self) -> None:
        for cache in self.caches:
            cache.rewind(self.held)
