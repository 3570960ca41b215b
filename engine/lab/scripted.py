"""A drafter that knows the answer and is wrong on purpose, so that every accepted length occurs.

Real drafters leave out what they never do: one that is always wrong shows no bonus, a good one hardly a rejection in
the first place. Block after block this one is right in its first 0, 1, ... all drafts and wrong in the next; behind a
wrong draft it goes on with the right ones, so that a row that should have been forgotten looks as plausible as can be.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import mlx.core as mx

from engine.drafters.base import Draft, no_draft
from engine.sampling import Sampler


class Known:
    """Drafts are point masses."""

    name = "scripted"
    taps: tuple[int, ...] = ()

    def __init__(self, prompt_tokens: int, answer: Sequence[int], vocabulary: int) -> None:
        self.prompt_tokens, self.answer, self.vocabulary = prompt_tokens, list(answer), vocabulary
        self.seen: list[int] = []
        self.blocks = 0

    def propose(self, anchor: int, width: int, sampler: Sampler) -> Draft:
        begins = len(self.seen) + 1 - self.prompt_tokens
        right = self.answer[begins : begins + width]
        if not right:
            return no_draft("no match")
        # The longest first: a text that ends early has shown a bonus all the same.
        wrong_at = width - self.blocks % (width + 1)
        self.blocks += 1
        tokens = [(t + 1) % self.vocabulary if i == wrong_at else t for i, t in enumerate(right)]
        return Draft(mx.array(tokens, mx.int32), source=self.name, reason="" if len(tokens) == width else "drafter")

    def observe(self, tokens: Sequence[int], taps: Mapping[int, mx.array]) -> None:
        self.seen += tokens

    def rewind(self, n: int) -> None:
        self.seen = self.seen[:n]

    @property
    def state_bytes(self) -> int:
        return 8 * (len(self.seen) + len(self.answer))
