"""Every scheme in the real loop on every kind of target: the baseline's ids, whole caches, one wait a round."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import mlx.core as mx
import pytest

from engine.drafters.base import Drafter, FirstOf
from engine.drafters.block import BlockDrafter
from engine.drafters.eagle import EagleDrafter
from engine.drafters.follow import Follower
from engine.drafters.layout import Markov
from engine.drafters.lookup import Lookup
from engine.race import race
from engine.session import ArmState
from engine.trace.events import Round
from tests.engine.drafters.blocks import GAMMA, HEADS, Nudged, drafter, layout
from tests.engine.helpers import arm_state, failure, ids, rounds, run
from tests.engine.test_decode import assert_caches_are_those_of_a_fresh_run
from tests.tiny import tiny_target

KINDS = ("dense", "sliding", "gated-delta", "mamba", "short-convolution")
TARGETS = {kind: tiny_target(kind, seed=5) for kind in KINDS}
LENGTH = 48
PROMPT = "the quick brown fox"


@pytest.fixture(autouse=True)
def _no_end(monkeypatch: pytest.MonkeyPatch) -> None:
    for target in TARGETS.values():
        monkeypatch.setattr(target.tokenizer, "eos_token_ids", (), raising=False)


@cache
def answer(kind: str, length: int = LENGTH) -> list[int]:
    return ids(run(arm_state(TARGETS[kind], max_tokens=length), PROMPT))


def nudged(kind: str, inner: Drafter) -> Nudged:
    return Nudged(inner, answer(kind), len(PROMPT))


def assert_context_is_that_of_a_fresh_run(state: ArmState, inner: Follower, fresh: Follower) -> None:
    """Feed the whole text at once to a new drafter beside it: the same keys and values."""
    _, taps = state.target.forward(mx.array(state.held), state.target.make_caches(), fresh.taps)
    fresh.observe(state.held, taps)
    assert fresh.seen == inner.seen == state.held
    for follower in (inner, fresh):
        follower.catch_up(follower.leave)
    for a, b in zip(inner.caches, fresh.caches, strict=True):
        assert (a.end, a.seen) == (b.end, b.seen)
        assert a.seen >= min(a.visible or 99, len(state.held) - fresh.leave)
        for x, y in zip(a.fetch(), b.fetch(), strict=True):
            assert mx.allclose(x, y, atol=2e-4).item()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("head", HEADS)
def test_greedy_ids_equal_the_baseline_through_every_length_of_acceptance(kind: str, head: str) -> None:
    target, y = TARGETS[kind], layout(head)
    inner = drafter(target, y)
    state = arm_state(target, nudged(kind, inner), max_tokens=LENGTH, block=GAMMA + 1)
    found = rounds(run(state, PROMPT))
    assert [i for r in found for i in r.emitted_ids] == answer(kind)
    whole = [r for r in found[1:] if r.width_reason != "max tokens"]
    assert {r.accepted for r in whole} == set(range(GAMMA + 1))
    assert all(r.width == GAMMA and r.source == inner.name for r in whole)
    assert all(r.drafter_forwards == (GAMMA if head[0] == "A" else 1) for r in whole)
    assert isinstance(inner, Follower)
    assert_context_is_that_of_a_fresh_run(state, inner, drafter(target, y))  # type: ignore[arg-type]
    assert_caches_are_those_of_a_fresh_run(state)


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("width", [1, 2, 5, 7, 16])
def test_any_width_below_and_above_gamma(head: str, width: int) -> None:
    target = TARGETS["dense"]
    state = arm_state(target, nudged("dense", drafter(target, layout(head))), max_tokens=30, block=width + 1)
    found = rounds(run(state, PROMPT))
    assert [i for r in found for i in r.emitted_ids] == answer("dense", 30)
    assert {r.width for r in found[1:] if r.width_reason != "max tokens"} == {min(width, GAMMA)}
    assert found[1].width_reason == ("drafter" if width > GAMMA else "")


@pytest.mark.parametrize("head", ["A", "A recurrent", "B", "C vanilla", "D", "E"])
def test_drafters_that_propose_part_of_the_vocabulary(head: str) -> None:
    target, y = TARGETS["dense"], layout(head, draft_vocabulary=40)
    for temperature in (0.0, 1.0):
        inner = drafter(target, y)
        found = rounds(run(arm_state(target, inner, max_tokens=30, block=5, temperature=temperature), PROMPT))
        # Which 40 tokens is said by the model's draft_ids; A keeps its start, the first 40.
        allowed = set(range(40)) if head == "A" else set(range(24, 64))
        assert {i for r in found for i in r.draft_ids} <= allowed
        assert sum(r.width for r in found) > 30


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_one_wait_a_round(head: str, temperature: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither an evaluation nor a value read before it, which would wait as well."""
    waits = 0
    reads: list[str] = []
    real = mx.eval

    def counted(*args: object) -> None:
        nonlocal waits
        waits += 1
        real(*args)

    def noted(name: str) -> Callable[..., Any]:
        method = getattr(mx.array, name)

        def read(self: mx.array, *args: Any) -> Any:
            reads.append(name if waits else f"{name} before the wait")
            return method(self, *args)

        return read

    monkeypatch.setattr(mx, "eval", counted)
    for name in ("tolist", "item", "__int__", "__float__", "__bool__", "__index__", "__array__"):
        monkeypatch.setattr(mx.array, name, noted(name))
    inner = drafter(TARGETS["dense"], layout(head))
    state = arm_state(
        TARGETS["dense"], inner, max_tokens=30, temperature=temperature, timing_every=0, block=5, candidate_width=8
    )
    drafted = 0
    for event in race([state], PROMPT, raw=True):
        if isinstance(event, Round) and event.index:
            drafted += event.width
            assert waits == 1
            # The seven results of the round.
            assert reads == ["tolist"] * 7
        waits = 0
        reads.clear()
    assert drafted > 30


@pytest.mark.parametrize("head", HEADS)
def test_the_next_turn_goes_on_from_where_it_parts(head: str) -> None:
    target, y = TARGETS["dense"], layout(head)
    inner = drafter(target, y)
    state = arm_state(target, inner, max_tokens=12, block=5)
    run(state, PROMPT)
    other = PROMPT[:14] + " something else"
    assert ids(run(state, other)) == ids(run(arm_state(target, max_tokens=12), other))
    fresh = drafter(target, y)
    assert isinstance(inner, Follower) and isinstance(fresh, Follower)
    if head == "A":
        # The last place kept was read with the token that followed it in the first turn.
        assert inner.seen == state.held and inner.caches[0].end == len(state.held) - inner.pending_tokens
    else:
        assert_context_is_that_of_a_fresh_run(state, inner, fresh)


@pytest.mark.parametrize("head", ["A", "B", "E"])
def test_a_long_prompt_becomes_context_chunk_by_chunk(head: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from engine import decode

    monkeypatch.setattr(decode, "PREFILL_CHUNK_TOKENS", 100)
    target, y, prompt = TARGETS["dense"], layout(head), PROMPT * 30
    inner = drafter(target, y)
    state = arm_state(target, inner, max_tokens=10, block=5)
    assert ids(run(state, prompt)) == ids(run(arm_state(target, max_tokens=10), prompt))
    assert isinstance(inner, Follower)
    assert inner.pending_tokens <= 5
    assert_context_is_that_of_a_fresh_run(state, inner, drafter(target, y))  # type: ignore[arg-type]
    # A layer with a window doesn't keep the whole text.
    if head != "A":
        assert inner.caches[1].nbytes < inner.caches[0].nbytes


def test_look_up_first_then_a_block_drafter() -> None:
    inner = drafter(TARGETS["dense"], layout("B"))
    state = arm_state(TARGETS["dense"], FirstOf([Lookup(shortest=2), inner]), max_tokens=LENGTH, block=5)
    found = rounds(run(state, PROMPT))
    assert [i for r in found for i in r.emitted_ids] == answer("dense")
    assert {"lookup", "dflash"} <= {r.source for r in found}


def test_rounds_without_drafts_pile_up_no_taps() -> None:
    inner = drafter(TARGETS["dense"], layout("B"))
    assert isinstance(inner, BlockDrafter)
    for _ in range(200):
        inner.observe([3], {0: mx.ones((1, 1, 32)), 1: mx.ones((1, 1, 32))})
        assert inner.pending_tokens <= 64
    assert len(inner.seen) == 200


def test_state_bytes_are_those_of_the_context() -> None:
    state = arm_state(TARGETS["dense"], drafter(TARGETS["dense"], layout("B")), max_tokens=20, block=4)
    (*_, last) = rounds(run(state, PROMPT))
    # Two full layers hold 256 tokens, the windowed one 8 + 256 and a block; 2 heads of 8, keys and values, 4 bytes.
    assert last.drafter_state_bytes >= (2 * 256 + 264) * 2 * 8 * 2 * 4
    assert last.drafter_state_bytes < 2 * (2 * 256 + 264) * 2 * 8 * 2 * 4


@pytest.mark.parametrize("head", ["D", "E"])
def test_state_bytes_count_the_transition_cache(head: str) -> None:
    """Scores of all pairs of candidates at each position, 4 bytes each."""

    def held(candidate_width: int) -> int:
        inner = drafter(TARGETS["dense"], layout(head))
        state = arm_state(TARGETS["dense"], inner, max_tokens=20, block=GAMMA + 1, candidate_width=candidate_width)
        return rounds(run(state, PROMPT))[1].drafter_state_bytes

    assert held(16) - held(4) == GAMMA * (16 * 16 - 4 * 4) * 4


@pytest.mark.parametrize("temperature", [0.0, 0.9])
def test_a_confidence_threshold_ends_the_block(temperature: float) -> None:
    target = TARGETS["dense"]
    y = layout("C vanilla", markov=Markov(rank=8, confidence=True))

    def widths(threshold: float) -> list[Round]:
        state = arm_state(
            target, drafter(target, y, seed=4), max_tokens=40, block=7, temperature=temperature,
            confidence_threshold=threshold,
        )  # fmt: skip
        events = run(state, PROMPT)
        if temperature == 0:
            assert ids(events) == answer("dense", 40)
        return rounds(events)[1:-6]

    assert all(r.width == GAMMA for r in widths(0.0))
    cut = widths(0.6)
    assert {r.width for r in cut} - {GAMMA}
    assert all(r.width_reason == ("confidence" if r.width < GAMMA else "") for r in cut)
    assert all(r.width == 0 for r in widths(0.999999))


def test_a_cut_block_is_the_beginning_of_the_whole_one() -> None:
    """The rule looks at nothing behind the cut, so what stands before it is what would have been drafted anyway."""
    target, y = TARGETS["dense"], layout("C vanilla")
    for seed in range(4):
        whole = arm_state(target, drafter(target, y, seed), max_tokens=20, block=7, temperature=0.8)
        cut = arm_state(
            target, drafter(target, y, seed), max_tokens=20, block=7, temperature=0.8, confidence_threshold=0.55
        )
        a, b = rounds(run(whole, PROMPT))[1], rounds(run(cut, PROMPT))[1]
        assert a.draft_ids[: b.width] == b.draft_ids
        assert a.draft_q[: b.width] == b.draft_q


def test_an_eagle_head_waits_for_taps_after_a_rewind() -> None:
    inner = drafter(TARGETS["dense"], layout("A"))
    assert isinstance(inner, EagleDrafter)
    from engine.sampling import Sampler
    from engine.trace.events import Settings

    inner.observe([3, 4, 5], {0: mx.ones((1, 3, 32)), 1: mx.ones((1, 3, 32))})
    assert inner.propose(7, 4, Sampler(Settings())).width == 4
    inner.rewind(2)
    assert inner.propose(7, 4, Sampler(Settings())).width == 0
    inner.observe([9], {0: mx.ones((1, 1, 32)), 1: mx.ones((1, 1, 32))})
    assert inner.propose(7, 4, Sampler(Settings())).width == 4


def test_a_drafter_out_of_step_cannot_change_the_text() -> None:
    inner = drafter(TARGETS["dense"], layout("B"))
    state = arm_state(TARGETS["dense"], inner, max_tokens=20)
    inner.observe([0] * 5, {0: mx.ones((1, 5, 32)), 1: mx.ones((1, 5, 32))})
    assert ids(run(state, PROMPT)) == answer("dense", 20)


def test_a_drafter_that_breaks_fails_its_arm_with_one_sentence() -> None:
    inner = drafter(TARGETS["dense"], layout("B"))
    assert isinstance(inner, BlockDrafter)
    state = arm_state(TARGETS["dense"], inner, max_tokens=20)
    del inner.caches[0]
    assert failure(run(state, PROMPT)).startswith("The engine stopped this arm: ValueError")
