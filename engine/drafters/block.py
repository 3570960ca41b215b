"""Schemes B to E at work: the ``Drafter`` around a block model, its context and its walker.

A block shorter than the model's (the last one of a text, or a smaller ``block``) runs fewer rows, as in the public
reference. With a confidence threshold the block is cut before the first position whose confidence is below
it: the confidence of a position is read before its token is drawn, so the cut looks at nothing behind it. It needs one
more wait a round.
"""

from __future__ import annotations

from dataclasses import dataclass

import mlx.core as mx

from engine.drafters.backbone import Features, Model, block_mask
from engine.drafters.base import Draft, no_draft
from engine.drafters.borrow import Borrowed
from engine.drafters.follow import Follower
from engine.drafters.layout import Layout
from engine.drafters.rows import Rows, block_rows
from engine.drafters.walker import Walk, Walker, walker
from engine.sampling import Sampler

NAMES = {"A": "eagle-3", "B": "dflash", "C": "dspark", "D": "dflash-2", "E": "cascade"}


def drafter_name(layout: Layout) -> str:
    return "domino" if layout.domino else "eagle" if layout.recurrent else NAMES[layout.scheme]


@dataclass(frozen=True, slots=True)
class Block:
    """A block model and what it borrows: shared by all arms that name it for the same target."""

    model: Model
    borrowed: Borrowed
    walker: Walker

    @classmethod
    def of(cls, model: Model, borrowed: Borrowed) -> Block:
        return cls(model, borrowed, walker(model, borrowed))

    @property
    def layout(self) -> Layout:
        layout: Layout = self.model.layout
        return layout


class BlockDrafter(Follower):
    """One arm's drafter of scheme B, C, D or E."""

    def __init__(self, block: Block) -> None:
        super().__init__(block.layout)
        self.block = block
        self.name = drafter_name(block.layout)
        self.table_bytes = 0
        self.newest: mx.array | None = None
        """[1, 1, H], ``Model.newest`` of the last token seen, for ``direct`` layouts; None after a rewind."""

    def commit(self, taps: mx.array, start: int) -> None:
        model = self.block.model
        h_ctx = model.context(taps)
        if self.layout.direct:
            self.newest = model.newest(taps[:, -1:], h_ctx[:, -1:])
        context = model.context_keys_values(h_ctx, start)
        for cache, (keys, values) in zip(self.caches, context, strict=True):
            cache.append(keys, values)

    def propose(self, anchor: int, width: int, sampler: Sampler) -> Draft:
        width = min(width, self.layout.gamma)
        if not self.ready(width):
            return no_draft("drafter")
        walked = self.draft(anchor, width, sampler)
        self.table_bytes = walked.table_bytes
        threshold = sampler.settings.confidence_threshold
        if threshold and walked.confidence is not None:
            return self._cut(walked, threshold)
        return Draft(walked.tokens, walked.q, walked.candidates, source=self.name, forwards=1)

    def rewind(self, n: int) -> None:
        if n < len(self.seen) - self.pending_tokens:
            self.newest = None
        super().rewind(n)

    @property
    def state_bytes(self) -> int:
        """The context, and the transition cache of the newest block."""
        return super().state_bytes + self.table_bytes

    def draft(self, anchor: int, width: int, sampler: Sampler) -> Walk:
        """One forward over the block, lazily."""
        return self.block.walker(*self.forward(anchor, width, sampler), anchor, sampler)

    def rows(self, anchor: int, width: int, sampler: Sampler) -> Rows | None:
        """What the drafter thinks of each position, for those who choose themselves (``blend``)."""
        width = min(width, self.layout.gamma)
        if not self.ready(width):
            return None
        logits, features = self.forward(anchor, width, sampler)
        block = self.block
        found = block_rows(block.walker, block.borrowed, logits, features, anchor, sampler.settings.candidate_width)
        self.table_bytes = found.table_bytes
        return found

    def ready(self, width: int) -> bool:
        return width > 0 and not (self.layout.direct and self.newest is None and not self.pending_tokens)

    def forward(self, anchor: int, width: int, sampler: Sampler) -> tuple[mx.array, Features]:
        """Logits [width, proposed vocabulary] and what they were made from."""
        self.catch_up()
        layout, model, borrowed = self.layout, self.block.model, self.block.borrowed
        rows = layout.rows_for(width)
        ids = mx.array([anchor, *[layout.mask_id] * (rows - 1)])
        masks = [block_mask(layout, i, rows, cache.seen) for i, cache in enumerate(self.caches)]
        features = model(
            borrowed.embed(ids)[None],
            self.caches,
            len(self.seen),
            masks,
            borrowed.embedding_rms,
            sampler.settings.injected_layers,
            self.newest if layout.direct else None,
        )
        logits = self.penalised(model.logits(features.hidden[0], borrowed.head), anchor, sampler)
        return logits, features

    def _cut(self, walked: Walk, threshold: float) -> Draft:
        assert walked.confidence is not None
        mx.eval(walked.tokens, walked.confidence)
        sure: list[float] = walked.confidence.tolist()  # type: ignore[assignment]
        kept = next((i for i, c in enumerate(sure) if c < threshold), len(sure))
        if not kept:
            draft = no_draft("confidence")
            draft.forwards = 1
            return draft
        return Draft(
            walked.tokens[:kept],
            None if walked.q is None else walked.q[:kept],
            None if walked.candidates is None else walked.candidates[:kept],
            source=self.name,
            reason="confidence" if kept < len(sure) else "",
            forwards=1,
        )
