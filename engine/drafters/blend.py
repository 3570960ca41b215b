"""Look-up, n-gram table and a trained drafter together: each token of a block is the one that all of them, weighed
against each other, hold likeliest (``votes``).

Unlike ``FirstOf``, which takes the whole block of the first that has one, look-up and table go on from every token that
was chosen, whoever named it. Drafts are point masses: exact under any sampling (accepted with probability p). The price
is one more wait a round, where the trained drafter is asked; it isn't asked where look-up and table are sure already.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import mlx.core as mx

from engine.drafters.base import Draft, Drafter, no_draft
from engine.drafters.lookup import Lookup
from engine.drafters.rows import Rows
from engine.drafters.table import TableDrafter
from engine.drafters.votes import USUAL, Evidence, Votes, choose
from engine.sampling import Sampler

CERTAIN = 0.85
"""Where look-up and table give their first token this chance, the drafter's forward is saved."""
MISSES = 2
REST_ROUNDS = 4
"""An arm with a confidence threshold, which is there to save time, leaves the drafter out for so many rounds after so
many blocks in a row of which nothing was kept, then asks it once more. Only past rounds are looked at.
"""


class Advisor(Drafter, Protocol):
    """A drafter that can say what it thinks of each position."""

    def rows(self, anchor: int, width: int, sampler: Sampler) -> Rows | None: ...


class Blend:
    """
    Args: advisor, lookup, table: any of them may be missing.
    """

    def __init__(
        self, advisor: Advisor | None, lookup: Lookup | None, table: TableDrafter | None, votes: Votes = USUAL
    ) -> None:
        self.advisor, self.lookup, self.table, self.votes = advisor, lookup, table, votes
        self.parts: list[Drafter] = [part for part in (advisor, table, lookup) if part is not None]
        self.name = "+".join(part.name for part in self.parts)
        self.taps = tuple(sorted({tap for part in self.parts for tap in part.taps}))
        self.heard: list[Evidence] = []
        """What the newest block was chosen from: for fitting the weights."""
        self.asked = False
        self.missed = self.resting = 0

    def propose(self, anchor: int, width: int, sampler: Sampler) -> Draft:
        if width < 1:
            return no_draft("drafter")
        first = choose(self.evidence(anchor, [], None, 0), self.votes)
        least = sampler.settings.confidence_threshold
        rows = None
        if self.advisor is not None and (first is None or first[1] < CERTAIN) and not self.rests(least):
            rows = self.advisor.rows(anchor, width, sampler)
        self.asked = rows is not None
        drafts: list[int] = []
        self.heard = []
        source, reason, chance = "", "", 1.0
        while len(drafts) < width:
            heard = self.evidence(anchor, drafts, rows, len(drafts))
            found = choose(heard, self.votes)
            if found is None:
                reason = "no match"
                break
            chance *= found[1]
            if chance < least:
                reason = "confidence"
                break
            self.heard.append(heard)
            source = source or self.source_of(found[0], heard)
            drafts.append(found[0])
        forwards = 0
        if rows is not None:
            rows.done()
            forwards = rows.forwards
        if not drafts:
            none = no_draft(reason)
            none.forwards = forwards
            return none
        return Draft(mx.array(drafts, mx.int32), source=source, reason=reason, forwards=forwards)

    def rests(self, least: float) -> bool:
        """Whether the drafter is left out of the coming block."""
        if not least or not self.resting:
            return False
        self.resting -= 1
        return True

    def evidence(self, anchor: int, drafts: list[int], rows: Rows | None, k: int) -> Evidence:
        ids: Sequence[int] = ()
        log_q: Sequence[float] = ()
        if rows is not None and k < rows.width:
            ids, log_q = rows.at(k, drafts[-1] if drafts else anchor)
        return Evidence(
            ids,
            log_q,
            None if self.lookup is None else self.lookup.following(anchor, drafts),
            None if self.table is None else self.table.following_of(anchor, drafts),
        )

    def source_of(self, token: int, heard: Evidence) -> str:
        """Who named a block's first token: the one that said most for it."""
        if self.lookup is not None and heard.lookup is not None and heard.lookup[0] == token:
            return self.lookup.name
        if heard.ids and heard.ids[max(range(len(heard.ids)), key=heard.log_q.__getitem__)] == token:
            assert self.advisor is not None
            return self.advisor.name
        return self.table.name if heard.table is not None and heard.table[0] == token and self.table else self.name

    def observe(self, tokens: Sequence[int], taps: Mapping[int, mx.array]) -> None:
        if self.asked and tokens:
            # The anchor, and behind it what was kept of the block.
            self.missed = 0 if len(tokens) > 1 else self.missed + 1
            self.resting = REST_ROUNDS if self.missed >= MISSES else 0
            self.asked = False
        for part in self.parts:
            part.observe(tokens, {layer: taps[layer] for layer in part.taps})

    def rewind(self, n: int) -> None:
        self.asked, self.missed, self.resting = False, 0, 0
        for part in self.parts:
            part.rewind(n)

    @property
    def state_bytes(self) -> int:
        return sum(part.state_bytes for part in self.parts)
