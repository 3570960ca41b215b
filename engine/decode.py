"""The two loops. A round is one target forward and what it decided; both loops yield nothing but rounds.

    baseline    anchor -> one row -> one token
    speculate   anchor -> drafts -> one forward over anchor and drafts -> accept -> commit -> several tokens

Draft, verify and accept of a round are one lazy graph which Python reads once (``Read``): one wait for the device a
round.

The anchor is the newest token: already emitted, not yet processed. The caches hold all tokens before it. Round 0 is the
forward of the prompt's last token, which makes the first one.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import mlx.core as mx
from msgspec.structs import replace

from engine import accept, branches
from engine.cache import Transaction, nbytes, state_arrays
from engine.drafters.base import Draft, Drafter, no_draft, proposed
from engine.guard import Guard
from engine.platform import backend
from engine.sampling import Sampler
from engine.target import Target
from engine.text import TextStream
from engine.trace.events import FinishReason, Origin, Prefill, Round, Settings
from engine.trace.verdict import noise_logits

PREFILL_CHUNK_TOKENS = 512


@dataclass(slots=True)
class Run:
    """One arm at work on one prompt."""

    arm: str
    turn: int
    target: Target
    caches: list[Any]
    tokens: list[int]
    """The prompt and what was emitted; the last one is the anchor, the caches hold all before it."""
    held_tokens: int
    """How many of ``tokens`` the caches hold; between two rounds all but the anchor."""
    settings: Settings
    sampler: Sampler
    text: TextStream
    began_s: float
    """Zero of the run's clock (``time.perf_counter``)."""
    drafter: Drafter | None = None
    index: int = 0
    emitted_tokens: int = 0
    reason: FinishReason | None = None
    """Set once the text has ended."""
    ahead: mx.array | None = None
    """The baseline's next logits [1, V], built while its last row was computed, not yet computed themselves."""

    @property
    def held(self) -> list[int]:
        """What the caches hold now. The row of a token whose logits were built ahead is in them already."""
        return self.tokens[: self.held_tokens + (self.ahead is not None)]

    @property
    def room_tokens(self) -> int:
        """How many more tokens may be emitted."""
        room = 1 << 30
        if self.settings.max_tokens >= 0:
            room = self.settings.max_tokens - self.emitted_tokens
        if self.target.facts.context_tokens:
            room = min(room, self.target.facts.context_tokens - len(self.tokens))
        return room


@dataclass(frozen=True, slots=True)
class Plan:
    """How many drafts a round asks for, and why it asks for fewer than the block could hold."""

    requested: int
    width: int = -1
    reason: str = ""

    def __post_init__(self) -> None:
        if self.width < 0:
            object.__setattr__(self, "width", self.requested)


PLAIN = Plan(0)


def prefill(run: Run) -> Iterator[Prefill]:
    """Process the prompt but for its last token, chunk by chunk; the drafter sees each chunk with its taps."""
    total = len(run.tokens)
    own_s = 0.0
    while run.held_tokens < total - 1:
        began = time.perf_counter()
        chunk = run.tokens[run.held_tokens : min(run.held_tokens + PREFILL_CHUNK_TOKENS, total - 1)]
        _, taps = run.target.forward(mx.array(chunk), run.caches, run.drafter.taps if run.drafter else ())
        mx.eval(state_arrays(run.caches), list(taps.values()))
        if run.drafter:
            run.drafter.observe(chunk, taps)
        run.held_tokens += len(chunk)
        mx.clear_cache()
        own_s += time.perf_counter() - began
        yield Prefill(
            arm=run.arm,
            turn=run.turn,
            t_s=time.perf_counter() - run.began_s,
            processed_tokens=run.held_tokens,
            total_tokens=total,
            prefill_s=own_s,
        )


def baseline(run: Run) -> Iterator[Round]:
    """The target alone: one row, one token, until the text ends.

    The next token's graph is built while the device computes this one's, as mlx-lm does, so that the baseline is as
    fast as it can be. It is not started before its own round: between two rounds the device is idle, and another
    arm's clock is its own.
    """
    while run.reason is None:
        yield _round(run, PLAIN, ahead=True)


def speculate(run: Run, guard: Guard) -> Iterator[Round]:
    """The target with ``run.drafter``: each round verifies up to ``block - 1`` drafts in one forward."""
    assert run.drafter is not None
    transaction = Transaction(run.caches, run.target.watch)
    # 1) The prompt's last row gives the first token; there is nothing to draft from before it.
    yield _round(run, PLAIN)
    while run.reason is None:
        # 2) How many drafts the round may hold.
        plan = wanted(run)
        if guard.parked():
            plan = Plan(plan.requested, 0, "fallback")
        # 3) Draft, verify, accept, commit.
        round_ = _round(run, plan, transaction)
        guard.note(round_)
        warning = guard.warning()
        yield replace(round_, warning=warning) if warning else round_


def wanted(run: Run) -> Plan:
    """How many drafts the coming round may hold: the last token of a block is always the target's own."""
    plan = Plan(run.settings.block - 1)
    if run.room_tokens - 1 < plan.width:
        plan = Plan(plan.requested, run.room_tokens - 1, room_reason(run))
    return plan


def room_reason(run: Run) -> str:
    by_limit = run.settings.max_tokens >= 0 and run.settings.max_tokens - run.emitted_tokens == run.room_tokens
    return "max tokens" if by_limit else "context"


def _round(run: Run, plan: Plan, transaction: Transaction | None = None, ahead: bool = False) -> Round:
    began = time.perf_counter()
    context, anchor, index = len(run.tokens) - 1, run.tokens[-1], run.index

    # Draft: lazy where the drafter is a model, done where it is a table.
    if plan.width > 0 and run.drafter:
        branching = context <= branches.MOST_TEXT_TOKENS
        draft = proposed(run.drafter, anchor, plan.requested, plan.width, run.sampler, branching)
    else:
        draft = no_draft(plan.reason)
    every = run.settings.timing_every
    waits = bool(every) and draft.forwards > 0 and index % every == 0
    if waits:
        mx.eval(draft.tokens)
    elif draft.forwards:
        # The device drafts while the verify's graph is built; nobody waits.
        mx.async_eval(draft.tokens)  # type: ignore[no-untyped-call]
    drafted_s = time.perf_counter()

    # Verify: the anchor and the drafts in one forward.
    layers = run.drafter.taps if run.drafter else ()
    rows = (
        mx.concatenate([mx.array([anchor], mx.int32), draft.tokens.astype(mx.int32)])
        if draft.width
        else mx.array([anchor])
    )
    if transaction is not None and draft.width:
        transaction.begin(draft.width + 1)
    taps: dict[int, mx.array] = {}
    if run.ahead is not None:
        logits, run.ahead = run.ahead, None
    elif draft.parents:
        logits, taps = run.target.forward_tree(rows, draft.parents, run.caches, layers)
    else:
        logits, taps = run.target.forward(rows, run.caches, layers)

    # Accept: still the same graph.
    verified = decide_tree(run, logits, draft) if draft.parents else decide(run, logits, draft)
    if ahead and run.room_tokens > 1:
        mx.async_eval(verified.results)  # type: ignore[no-untyped-call]
        run.ahead, _ = run.target.forward(verified.next_token[None], run.caches)
    mx.eval(verified.results, list(taps.values()))  # the one wait
    if draft.parents:
        read, block, path = read_tree(run, verified, draft)
    else:
        read, block, path = read_of(run, verified), draft, list(range(draft.width + 1))
    verified_s = time.perf_counter()

    # What stands: the kept drafts and one token of the target's own, cut where the text ends.
    emitted = emit(run, block, read)
    ids = emitted.ids
    accepted_s = time.perf_counter()

    # Commit: the anchor's row and those of all emitted tokens but the last, which is the new anchor.
    stay = path[: len(ids)]
    if transaction is not None and draft.width:
        transaction.commit_rows(stay)
    if run.drafter:
        run.drafter.observe([anchor, *ids[:-1]], {layer: kept_tap(tap, stay) for layer, tap in taps.items()})
    advance(run, ids)
    committed_s = time.perf_counter()

    active, allocator, peak = mx.get_active_memory(), mx.get_cache_memory(), mx.get_peak_memory()
    said = describe(run, plan, block, read, emitted, context)
    if draft.parents:
        said = replace(said, **branches.told(draft, path[1:], run.text.token_text))
    state_bytes = run.drafter.state_bytes if run.drafter else 0
    ended = time.perf_counter()
    return replace(
        said,
        t_s=ended - run.began_s,
        draft_s=drafted_s - began,
        verify_s=verified_s - drafted_s,
        accept_s=accepted_s - verified_s,
        commit_s=committed_s - accepted_s,
        other_s=ended - committed_s,
        split=waits or draft.waited or draft.forwards == 0,
        active_bytes=active,
        allocator_bytes=allocator,
        peak_bytes=peak,
        kv_bytes=nbytes(run.caches),
        drafter_state_bytes=state_bytes,
    )


# The parts of a round, in order. A batch of runs (``engine.batch``) goes through the same ones, row by row.


@dataclass(slots=True)
class Verified:
    """Shape: logits [rows, V] (penalised), next_token [], of a tree the target's own after each row [rows]; lazy."""

    logits: mx.array
    next_token: mx.array
    results: tuple[mx.array, ...]
    """What is read on the host: in the order of ``Read``, of a tree in that of ``read_tree``."""


class Read(NamedTuple):
    """The result of a round on the host, in the order in which it is read."""

    drafts: list[int]
    accepted: int
    next_token: int
    draft_p: list[float]
    draft_q: list[float]
    argmax: list[int]
    margins: list[float]


class Emitted(NamedTuple):
    ids: list[int]
    origins: list[Origin]
    pieces: list[str]


def decide(run: Run, logits: mx.array, draft: Draft) -> Verified:
    """The acceptance rule on the rows of one run, lazily. logits [width + 1, V]"""
    logits = run.sampler.penalise(logits, run.tokens, draft.tokens)
    argmax = mx.argmax(logits, axis=-1)
    on_host = backend() == "cpu"
    if run.sampler.greedy:
        decision = accept.accept_greedy(argmax, draft.tokens)
        if draft.width and not on_host:
            decision.draft_p = accept.softmax_of(logits, draft.tokens)
    else:
        p = run.sampler.probabilities(logits)
        uniforms = mx.random.uniform(shape=(draft.width,), key=run.sampler.next_key())
        noise = mx.random.gumbel(shape=(p.shape[-1],), key=run.sampler.next_key())
        decision = accept.accept_sampled(p, draft, uniforms, noise)
    shown = mx.zeros((0,)) if on_host else accept.margins(logits)
    results = (
        draft.tokens, decision.accepted, decision.next_token, decision.draft_p, decision.draft_q, argmax, shown
    )  # fmt: skip
    return Verified(logits, decision.next_token, results)


def read_of(run: Run, verified: Verified) -> Read:
    """What ``decide`` found, once it is computed."""
    values: list[Any] = [array.tolist() for array in verified.results]
    read = Read(*values)
    if backend() == "cpu":
        drafts = read.drafts if run.sampler.greedy else []
        softmax, margins = accept.shown_on_host(verified.logits, drafts, read.argmax)
        read = read._replace(margins=margins, draft_p=softmax or read.draft_p)
    return read


def decide_tree(run: Run, logits: mx.array, draft: Draft) -> Verified:
    """What the target says after each node of a tree, lazily. logits [nodes, V]"""
    return Verified(*branches.decide(run.sampler, logits, run.tokens, draft.tokens, draft.parents))


def read_tree(run: Run, verified: Verified, draft: Draft) -> tuple[Read, Draft, list[int]]:
    """The path that the text took through a tree, as if it had been the block: what was kept, and behind it what was
    drafted for the place where it ended; with the rows that it stands in.
    """
    values: list[Any] = [array.tolist() for array in verified.results]
    found, path = branches.read(values, verified.logits, draft.parents, run.sampler.greedy)
    read = Read(*found)
    reason = draft.reason or ("tree" if len(read.drafts) < draft.width else "")
    block = Draft(mx.array(read.drafts, mx.int32), source=draft.source, reason=reason, forwards=draft.forwards)
    return read, block, path


def kept_tap(tap: mx.array, rows: list[int]) -> mx.array:
    """[1, all rows, H] -> [1, rows, H]"""
    return tap[:, : len(rows)] if rows == list(range(len(rows))) else tap[:, mx.array(rows)]


def advance(run: Run, ids: Sequence[int]) -> None:
    """The emitted tokens belong to the text; the caches hold all of it but the new anchor."""
    run.tokens += ids
    run.held_tokens += len(ids)
    run.emitted_tokens += len(ids)
    run.index += 1


def describe(run: Run, plan: Plan, draft: Draft, read: Read, emitted: Emitted, context_tokens: int) -> Round:
    """The round that ``run`` has just gone through, without its times and its memory."""
    return Round(
        arm=run.arm,
        turn=run.turn,
        index=run.index - 1,
        t_s=0.0,
        context_tokens=context_tokens,
        requested_width=plan.requested,
        width=draft.width,
        width_reason=plan.reason if draft.width == plan.width else draft.reason or "drafter",
        source=draft.source,
        draft_ids=tuple(read.drafts),
        draft_q=tuple(read.draft_q),
        draft_p=tuple(read.draft_p),
        target_ids=tuple(read.argmax),
        margins=tuple(read.margins),
        accepted=sum(origin == "accepted" for origin in emitted.origins),
        emitted_ids=tuple(emitted.ids),
        emitted_tokens=len(emitted.ids),
        origins=tuple(emitted.origins),
        pieces=tuple(emitted.pieces),
        draft_texts=tuple(run.text.token_text(i) for i in read.drafts),
        target_texts=tuple(run.text.token_text(i) for i in read.argmax),
        drafter_forwards=draft.forwards,
        fallback=plan.reason == "fallback",
        near_tie=run.sampler.greedy
        and any(m <= noise_logits(run.target.facts, run.settings.kv_bits) for m in read.margins[: len(emitted.ids)]),
    )


def emit(run: Run, draft: Draft, read: Read) -> Emitted:
    """The kept drafts and the target's own token, until the text ends: a stop token, a stop string, the token limit,
    the context.
    """
    ids: list[int] = []
    origins: list[Origin] = []
    pieces: list[str] = []
    room = run.room_tokens
    limit: FinishReason = "length" if room_reason(run) == "max tokens" else "context"
    own: Origin = "plain" if not draft.width else "bonus" if read.accepted == draft.width else "correction"
    kept = read.drafts[: read.accepted]
    for token, source in [*((t, "accepted") for t in kept), (read.next_token, own)]:
        ids.append(token)
        origins.append(source)
        if token in run.target.end_ids:
            pieces.append("")
            run.reason = "stop"
            break
        pieces.append(run.text.push(token))
        if run.text.stopped:
            run.reason = "stop"
            break
        if len(ids) == room:
            run.reason = limit
            break
    return Emitted(ids, origins, pieces)
