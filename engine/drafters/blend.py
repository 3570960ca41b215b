"""Look-up, n-gram table and a trained drafter together: each token of a block is the one that all of them, weighed
against each other, hold likeliest (``votes``).

Unlike ``FirstOf``, which takes the whole block of the first that has one, look-up and table go on from every token that
was chosen, whoever named it. Drafts are point masses: exact under any sampling (accepted with probability p). The price
is one more wait a round, where the trained drafter is asked; it isn't asked where look-up and table are sure already.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Protocol

import mlx.core as mx

from engine.drafters.base import Draft, Drafter, no_draft
from engine.drafters.lookup import Lookup
from engine.drafters.rows import Opinion, Rows
from engine.drafters.table import TableDrafter
from engine.drafters.votes import USUAL, Evidence, Votes, choose, ranked
from engine.sampling import Sampler

CERTAIN = 0.85
"""Where look-up and table give their first token this chance, the drafter's forward is saved."""
SHORTEST = 1
"""Matching tokens that are enough for look-up to be heard: it is weighed by how many match."""
MISSES = 2
REST_ROUNDS = 4
"""An arm with a confidence threshold, which is there to save time, leaves the drafter out for so many rounds after so
many blocks in a row of which nothing was kept, then asks it once more; look-up and table go on meanwhile. Only past
rounds are looked at. (``guard`` is for the arm as a whole: it goes by the clock, over many more rounds.)
"""


BRANCHES = 8
"""Most tokens that a tree holds for one position behind the same tokens."""


class Advisor(Drafter, Protocol):
    """A drafter that can say what it thinks of each position."""

    def rows(self, anchor: int, width: int, sampler: Sampler) -> Rows | None: ...


class Opinions:
    """A drafter's opinions of places in a tree."""

    def __init__(self, rows: Rows | None, anchor: int) -> None:
        self.rows, self.anchor = rows, anchor
        self.path: list[int] = []
        self.asked = 0

    def after(self, path: list[int]) -> Opinion | None:
        """Behind the anchor and the tokens of ``path``; None where the drafter has none."""
        k = len(path)
        if self.rows is None or k >= self.rows.width:
            return None
        if not self.rows.anywhere:
            if k != self.asked or path[:-1] != self.path:
                return None
            self.path, self.asked = path, k + 1
        return self.rows.at(k, path[-1] if path else self.anchor)


class Blend:
    """One arm's drafter. Look-up or the table may be missing."""

    def __init__(
        self, advisor: Advisor, lookup: Lookup | None, table: TableDrafter | None, votes: Votes = USUAL
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
        least = sampler.settings.confidence_threshold
        heard = self.known(anchor, [])
        rows = self.advisor.rows(anchor, width, sampler) if self.asks(heard, least) else None
        self.asked = rows is not None
        drafts: list[int] = []
        self.heard = []
        source, reason, chance = "", "", 1.0
        while len(drafts) < width:
            if drafts:
                heard = self.known(anchor, drafts)
            if rows is not None and len(drafts) < rows.width:
                ids, log_q = rows.at(len(drafts), drafts[-1] if drafts else anchor)
                heard = replace(heard, ids=ids, log_q=log_q)
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
        if rows is not None:
            rows.done()
        forwards = 0 if rows is None else rows.forwards
        return Draft(mx.array(drafts, mx.int32), source=source, reason=reason, forwards=forwards, waited=True)

    def propose_tree(self, anchor: int, width: int, depth: int, sampler: Sampler) -> Draft:
        """``width`` drafts as a tree of at most ``depth`` positions: those that are likeliest to be reached, by the
        estimated chance of all tokens that lead there (EAGLE-2, Li et al., arXiv 2406.16858). With a confidence
        threshold those alone whose chance is not below it.

        A drafter whose rows hang on the token before (A, C) is asked along one path; elsewhere look-up and table speak.
        """
        if min(width, depth) < 1:
            return no_draft("drafter")
        least = sampler.settings.confidence_threshold
        heard = self.known(anchor, [])
        rows = self.advisor.rows(anchor, min(width, depth), sampler) if self.asks(heard, least) else None
        self.asked, self.heard = rows is not None, []
        opinions = Opinions(rows, anchor)
        drafts: list[int] = []
        parents: list[int] = []
        paths: list[list[int]] = [[]]
        waiting: list[tuple[float, int, int, int]] = []
        number = itertools.count()  # of equals the earlier one is taken
        node, chance, source, reason = 0, 1.0, "", ""
        while len(drafts) < width:
            if len(paths[node]) < depth:
                if node:
                    heard = self.known(anchor, paths[node])
                if (opinion := opinions.after(paths[node])) is not None:
                    heard = replace(heard, ids=opinion[0], log_q=opinion[1])
                for token, likely in ranked(heard, self.votes, BRANCHES):
                    heapq.heappush(waiting, (-chance * likely, next(number), node, token))
                if not node and waiting:
                    source = self.source_of(waiting[0][3], heard)
            if not waiting:
                reason = "no match"
                break
            less, _, parent, token = heapq.heappop(waiting)
            chance = -less
            if chance < least:
                reason = "confidence"
                break
            drafts.append(token)
            parents.append(parent)
            paths.append([*paths[parent], token])
            node = len(drafts)
        if rows is not None:
            rows.done()
        forwards = 0 if rows is None else rows.forwards
        return Draft(
            mx.array(drafts, mx.int32), source=source if drafts else "", reason=reason, forwards=forwards, waited=True,
            parents=() if parents == list(range(len(drafts))) else tuple(parents),
        )  # fmt: skip

    def known(self, anchor: int, drafts: list[int]) -> Evidence:
        """What look-up and table say after ``drafts``."""
        said = None if self.table is None else self.table.known_of(anchor, drafts)
        return Evidence(
            lookup=() if self.lookup is None else self.lookup.following(anchor, drafts),
            table=None if said is None else said.first,
            spread=None if said is None else (said.listed, said.left),
            first=not drafts,
        )

    def asks(self, known: Evidence, least: float) -> bool:
        """Whether the coming block is worth the drafter's forward."""
        if least and self.resting:
            self.resting -= 1
            return False
        found = choose(known, self.votes)
        return found is None or found[1] < CERTAIN

    def source_of(self, token: int, heard: Evidence) -> str:
        """Who named a block's first token: look-up, the drafter where it is its own first choice, the table."""
        if self.lookup is not None and heard.lookup and heard.lookup[0][0] == token:
            return self.lookup.name
        best = heard.ids[max(range(len(heard.ids)), key=heard.log_q.__getitem__)] if heard.ids else None
        tabled = self.table is not None and heard.table is not None and heard.table[0] == token
        return TableDrafter.name if tabled and token != best else self.advisor.name

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
