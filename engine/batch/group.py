"""The rows that are in flight together: one round is one target forward over all of them.

A row is a ``decode.Run`` without caches of its own. Its round goes through the parts that the single loop goes through
(``wanted``, ``decide``, ``read_of``, ``emit``, ``advance``, ``describe``); only the forward and the caches are shared.
Rows draft different numbers of tokens and keep different numbers of them; the forward is as wide as the widest, and
what stands behind a narrower row is padding that nobody reads.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import mlx.core as mx
from msgspec.structs import replace

from engine import decode
from engine.batch.drafting import Drafting
from engine.batch.ragged import Ends, RaggedCache, ragged_caches
from engine.decode import PLAIN, Plan, Run
from engine.drafters.base import Draft, no_draft
from engine.target import Target
from engine.trace.events import Round

PREFILL_TOKENS = 2048
"""Of all rows of one forward together."""


@dataclass(slots=True)
class Group:
    target: Target
    runs: list[Run]
    drafting: Drafting | None
    ends: Ends = field(init=False)
    caches: list[RaggedCache] = field(init=False)

    def __post_init__(self) -> None:
        self.ends = Ends([0] * len(self.runs))
        self.caches = ragged_caches(self.target, self.ends)

    @property
    def taps(self) -> tuple[int, ...]:
        return self.drafting.taps if self.drafting else ()

    def forward(self, rows: mx.array) -> tuple[mx.array, dict[int, mx.array]]:
        """[B, n] ids that follow each text -> logits [B, n, V] and {layer: [B, n, H]}, lazily; nothing is committed."""
        self.target.watch.want(self.taps)
        logits: mx.array = self.target.model(rows, cache=self.caches)
        return logits, self.target.watch.take()

    def prefill(self) -> None:
        """Process all prompts but for their last tokens, together, chunk by chunk."""
        wanted = [len(run.tokens) - 1 for run in self.runs]
        width = max(1, PREFILL_TOKENS // len(self.runs))
        while any(run.held_tokens < n for run, n in zip(self.runs, wanted, strict=True)):
            chunks = [run.tokens[run.held_tokens : min(run.held_tokens + width, n)]
                      for run, n in zip(self.runs, wanted, strict=True)]  # fmt: skip
            most = max(map(len, chunks))
            rows = mx.array([[*chunk, *[0] * (most - len(chunk))] for chunk in chunks])
            _, taps = self.forward(rows)
            kept = [len(chunk) for chunk in chunks]
            self.ends.commit(kept)
            mx.eval(self.arrays(), list(taps.values()))
            if self.drafting:
                self.drafting.observe(chunks, taps)
                mx.eval(self.drafting.arrays())
            for run, n in zip(self.runs, kept, strict=True):
                run.held_tokens += n
            mx.clear_cache()

    def round(self) -> list[Round]:
        """One forward for all rows; the round of each, with the times of the whole. The clock is left to the caller."""
        began = time.perf_counter()
        contexts = [len(run.tokens) - 1 for run in self.runs]
        plans = [self._plan(run) for run in self.runs]
        drafts = self._drafts(plans)
        mx.async_eval([d.tokens for d in drafts if d.forwards])  # type: ignore[no-untyped-call]
        drafted_s = time.perf_counter()

        widest = max(draft.width for draft in drafts)
        logits, taps = self.forward(
            mx.stack([_row(run.tokens[-1], d, widest) for run, d in zip(self.runs, drafts, strict=True)])
        )
        verified = [
            decode.decide(run, logits[row, : draft.width + 1], draft)
            for row, (run, draft) in enumerate(zip(self.runs, drafts, strict=True))
        ]
        results: list[Any] = [v.results for v in verified]
        mx.eval(results, list(taps.values()))  # the one wait
        reads = [decode.read_of(run, v) for run, v in zip(self.runs, verified, strict=True)]
        verified_s = time.perf_counter()

        emitted = [decode.emit(run, d, read) for run, d, read in zip(self.runs, drafts, reads, strict=True)]
        accepted_s = time.perf_counter()

        kept = [len(e.ids) for e in emitted]
        self.ends.commit(kept)
        if self.drafting:
            self.drafting.observe(
                [[run.tokens[-1], *e.ids[:-1]] for run, e in zip(self.runs, emitted, strict=True)], taps
            )
        for run, e in zip(self.runs, emitted, strict=True):
            decode.advance(run, e.ids)
        committed_s = time.perf_counter()

        lanes = len(self.runs)
        active, allocator, peak = mx.get_active_memory(), mx.get_cache_memory(), mx.get_peak_memory()
        kv_bytes = sum(cache.nbytes for cache in self.caches) // lanes
        said = [
            decode.describe(run, plan, draft, read, e, context)
            for run, plan, draft, read, e, context in zip(
                self.runs, plans, drafts, reads, emitted, contexts, strict=True
            )
        ]
        ended = time.perf_counter()
        return [
            replace(
                round_,
                draft_s=drafted_s - began,
                verify_s=verified_s - drafted_s,
                accept_s=accepted_s - verified_s,
                commit_s=committed_s - accepted_s,
                other_s=ended - committed_s,
                split=not any(draft.forwards for draft in drafts),
                lanes=lanes,
                active_bytes=active,
                allocator_bytes=allocator,
                peak_bytes=peak,
                kv_bytes=kv_bytes,
                drafter_state_bytes=self.drafting.state_bytes(row) if self.drafting else 0,
            )
            for row, round_ in enumerate(said)
        ]

    def _plan(self, run: Run) -> Plan:
        # As in the single loop: the first token comes from the prompt's last row alone, and a baseline never drafts.
        return decode.wanted(run) if self.drafting and run.index else PLAIN

    def _drafts(self, plans: Sequence[Plan]) -> list[Draft]:
        if self.drafting is None or not any(plan.width > 0 for plan in plans):
            return [no_draft(plan.reason) for plan in plans]
        drafts = self.drafting.propose(self.runs, [plan.width for plan in plans])
        return [draft if plan.width > 0 else no_draft(plan.reason) for draft, plan in zip(drafts, plans, strict=True)]

    def join(self, other: Group) -> None:
        """Rows that have been through their prefill go on with these."""
        for mine, theirs in zip(self.caches, other.caches, strict=True):
            mine.extend(theirs)
        self.ends.join(other.ends)
        if self.drafting and other.drafting:
            self.drafting.join(other.drafting)
        self.runs += other.runs

    def keep(self, rows: Sequence[int]) -> None:
        """All others leave."""
        index = mx.array(list(rows))
        for cache in self.caches:
            cache.keep(index)
        self.ends.keep(rows)
        if self.drafting:
            self.drafting.keep(rows)
        self.runs = [self.runs[row] for row in rows]
        mx.eval(self.arrays())
        mx.clear_cache()

    def arrays(self) -> list[mx.array]:
        return [a for cache in self.caches for a in cache.arrays()]


def _row(anchor: int, draft: Draft, widest: int) -> mx.array:
    """[widest + 1]: the anchor, its drafts, and padding."""
    parts = [mx.array([anchor], mx.int32)]
    if draft.width:
        parts.append(draft.tokens.astype(mx.int32))
    if draft.width < widest:
        parts.append(mx.zeros((widest - draft.width,), mx.int32))
    return mx.concatenate(parts)
