"""The loops on tiny targets: the same greedy ids whatever is drafted, counts that add up, ends that fall inside a
block.
"""

from __future__ import annotations

from collections.abc import Callable

import mlx.core as mx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import decode
from engine.drafters.autoregressive import Autoregressive
from engine.drafters.base import Drafter, FirstOf
from engine.drafters.lookup import Lookup
from engine.session import ArmState
from engine.trace.events import Round, Started
from tests.engine.helpers import Scripted, arm_state, finished, ids, oracle, rounds, run, text
from tests.tiny import VOCABULARY, tiny_target

TARGETS = {kind: tiny_target(kind, seed=5) for kind in ("dense", "sliding", "gated-delta")}
OTHER = tiny_target("dense", seed=6)
WINDOWED = tiny_target("sliding", seed=6)
LENGTH = 60
PROMPT = "the quick brown fox"


@pytest.fixture(autouse=True)
def _no_end(monkeypatch: pytest.MonkeyPatch) -> None:
    for target in (*TARGETS.values(), OTHER, WINDOWED):
        monkeypatch.setattr(target.tokenizer, "eos_token_ids", (), raising=False)


def answer(kind: str, **more: object) -> list[int]:
    return ids(run(arm_state(TARGETS[kind], max_tokens=LENGTH, **more)))


DRAFTERS: dict[str, Callable[[str], Drafter]] = {
    "lookup": lambda kind: Lookup(shortest=1),
    "itself": lambda kind: Autoregressive(TARGETS[kind], VOCABULARY),
    "another": lambda kind: Autoregressive(OTHER, VOCABULARY),
    "windowed": lambda kind: Autoregressive(WINDOWED, VOCABULARY),
    "lookup+another": lambda kind: FirstOf([Lookup(shortest=3), Autoregressive(OTHER, VOCABULARY)]),
    "right": lambda kind: Scripted(oracle(answer(kind), len(PROMPT), lambda i: True)),
    "wrong": lambda kind: Scripted(lambda text, width: [2] * width),
    "sometimes": lambda kind: Scripted(oracle(answer(kind), len(PROMPT), lambda i: i % 7 not in (2, 5))),
    "too long": lambda kind: Scripted(oracle(answer(kind), len(PROMPT), lambda i: i % 5 != 0)),
}


@pytest.mark.parametrize("kind", TARGETS)
@pytest.mark.parametrize("drafter", DRAFTERS)
@pytest.mark.parametrize("block", [1, 2, 5, 8])
def test_greedy_ids_equal_the_baseline(kind: str, drafter: str, block: int) -> None:
    state = arm_state(TARGETS[kind], DRAFTERS[drafter](kind), max_tokens=LENGTH, block=block)
    events = run(state, PROMPT)
    assert ids(events) == answer(kind)
    assert_counts_add_up(rounds(events), block)
    assert_caches_are_those_of_a_fresh_run(state)


def assert_counts_add_up(found: list[Round], block: int) -> None:
    held = len(PROMPT) - 1
    for index, r in enumerate(found):
        origins = r.origins
        assert r.index == index
        assert r.context_tokens == held
        assert r.emitted_tokens == len(r.emitted_ids) == len(origins) == len(r.pieces)
        assert r.accepted == origins.count("accepted")
        assert r.emitted_tokens == r.accepted + sum(origins.count(o) for o in ("correction", "bonus", "plain"))
        assert len(r.draft_ids) == len(r.draft_p) == len(r.draft_q) == r.width <= block - 1
        assert len(r.target_ids) == len(r.margins) == r.width + 1
        assert list(r.emitted_ids) == list(r.target_ids[: r.emitted_tokens])
        assert r.draft_ids[: r.accepted] == r.emitted_ids[: r.accepted]
        assert ("plain" in origins) == (r.width == 0)
        assert r.width_reason or r.width == r.requested_width
        held += r.emitted_tokens


def assert_caches_are_those_of_a_fresh_run(state: ArmState) -> None:
    """Adds a row to the arm's caches: ask it last."""
    fresh = state.target.make_caches()
    for token in state.held:
        mx.eval(state.target.forward(mx.array([token]), fresh)[0])
    probe = mx.array([7])
    a, b = state.target.forward(probe, state.caches)[0], state.target.forward(probe, fresh)[0]
    assert mx.allclose(a, b, atol=2e-4).item()


def test_a_target_drafting_for_itself_is_accepted_whole() -> None:
    found = rounds(
        run(arm_state(TARGETS["dense"], Autoregressive(TARGETS["dense"], VOCABULARY), max_tokens=16, block=5))
    )
    origins = [r.origins for r in found]
    whole = ("accepted",) * 4 + ("bonus",)
    assert origins == [("plain",), whole, whole, whole]
    assert [r.drafter_forwards for r in found] == [0, 4, 4, 4]
    assert sum(r.target_forwards for r in found) == 4


@pytest.mark.parametrize("limit", [0, 1, 2, 7, 8, 9, 10, 17])
@pytest.mark.parametrize("drafter", ["right", "wrong", "itself"])
def test_max_tokens_of_every_kind(limit: int, drafter: str) -> None:
    events = run(arm_state(TARGETS["dense"], DRAFTERS[drafter]("dense"), max_tokens=limit, block=8), PROMPT)
    assert ids(events) == answer("dense")[:limit]
    assert finished(events).reason == "length"
    assert finished(events).output_tokens == limit


def test_unlimited_runs_until_the_context_is_full() -> None:
    target = tiny_target("dense", seed=5, context_tokens=40)
    target.tokenizer.eos_token_ids = ()  # type: ignore[misc]
    for drafter in (None, Lookup(shortest=1), Autoregressive(OTHER, VOCABULARY)):
        events = run(arm_state(target, drafter, max_tokens=-1), PROMPT)
        assert ids(events) == answer("dense")[: 40 - len(PROMPT)]
        assert finished(events).reason == "context"


def test_a_stop_token_inside_a_block_ends_the_text_there(monkeypatch: pytest.MonkeyPatch) -> None:
    full = answer("dense")
    end = next(t for t in full if full.index(t) >= 9)
    expected = full[: full.index(end) + 1]
    monkeypatch.setattr(TARGETS["dense"].tokenizer, "eos_token_ids", (end,))
    for drafter in (None, Scripted(oracle(full, len(PROMPT), lambda i: True))):
        state = arm_state(TARGETS["dense"], drafter, max_tokens=LENGTH)
        events = run(state, PROMPT)
        assert ids(events) == expected
        assert finished(events).reason == "stop"
        assert rounds(events)[-1].pieces[-1] == ""
        # The baseline builds one row ahead, so it holds the last token too.
        whole = [*TARGETS["dense"].tokenizer.encode(PROMPT), *expected]
        assert state.held == (whole[:-1] if drafter else whole)
        assert_caches_are_those_of_a_fresh_run(state)
    # All drafts were right, yet nothing comes after the end: no bonus.
    assert rounds(events)[-1].origins[-1] == "accepted"


def test_a_stop_string_across_tokens_ends_the_text_before_it() -> None:
    whole = text(run(arm_state(TARGETS["dense"], max_tokens=LENGTH), PROMPT))
    stop = whole[11:14]
    for drafter in (None, DRAFTERS["right"]("dense"), DRAFTERS["another"]("dense")):
        events = run(arm_state(TARGETS["dense"], drafter, max_tokens=LENGTH, stop=(stop, "never there")), PROMPT)
        assert text(events) == whole[: whole.index(stop)]
        assert finished(events).reason == "stop"
        assert finished(events).stop == stop


@pytest.mark.parametrize("drafter", ["right", "another", "lookup"])
def test_a_repetition_penalty_sees_each_row_with_its_own_history(drafter: str) -> None:
    more = {"repetition_penalty": 1.8, "repetition_window_tokens": 12}
    expected = answer("dense", **more)
    assert expected != answer("dense")
    drafters = {**DRAFTERS, "right": lambda kind: Scripted(oracle(expected, len(PROMPT), lambda i: i % 4 != 1))}
    events = run(arm_state(TARGETS["dense"], drafters[drafter]("dense"), max_tokens=LENGTH, **more), PROMPT)
    assert ids(events) == expected


def test_quantised_keys_and_values_with_a_drafter() -> None:
    target = tiny_target("wide", seed=2)
    target.tokenizer.eos_token_ids = ()  # type: ignore[misc]
    expected = ids(run(arm_state(target, max_tokens=40, kv_bits=8), PROMPT))
    drafter = Scripted(oracle(expected, len(PROMPT), lambda i: i % 3 != 0))
    assert ids(run(arm_state(target, drafter, max_tokens=40, kv_bits=8), PROMPT)) == expected


def test_prefill_in_chunks_gives_the_same_text(monkeypatch: pytest.MonkeyPatch) -> None:
    prompt = PROMPT * 9
    expected = ids(run(arm_state(TARGETS["dense"], max_tokens=20), prompt))
    monkeypatch.setattr(decode, "PREFILL_CHUNK_TOKENS", 16)
    events = run(arm_state(TARGETS["dense"], DRAFTERS["another"]("dense"), max_tokens=20), prompt)
    assert ids(events) == expected
    progress = [e.processed_tokens for e in events if type(e).__name__ == "Prefill"]
    assert progress == [*range(16, len(prompt) - 1, 16), len(prompt) - 1]


@pytest.mark.parametrize("kind", TARGETS)
def test_the_next_turn_reuses_what_is_held(kind: str) -> None:
    state = arm_state(TARGETS[kind], Lookup(), max_tokens=10)
    first = run(state, PROMPT)
    longer = PROMPT + text(first) + " and then?"
    from engine.process.protocol import Turn

    history = {"arm": (Turn(user=PROMPT, assistant=text(first)),)}
    second = run(state, longer, history=history)
    started = next(e for e in second if isinstance(e, Started))
    # All but the newest token of the last answer were held.
    assert started.cached_tokens == len(PROMPT) + 10 - 1
    assert ids(second) == ids(run(arm_state(TARGETS[kind], max_tokens=10), longer))


def test_a_conversation_that_begins_otherwise_goes_back_to_where_it_parts() -> None:
    for kind in TARGETS:
        state = arm_state(TARGETS[kind], Autoregressive(OTHER, VOCABULARY), max_tokens=10)
        run(state, PROMPT)
        other = PROMPT[:12] + " something else"
        assert ids(run(state, other)) == ids(run(arm_state(TARGETS[kind], max_tokens=10), other))


@pytest.mark.parametrize("drafter", [None, "lookup"])
def test_cancelling_stops_before_the_next_round_and_keeps_the_text(drafter: str | None) -> None:
    seen = 0

    def cancelled() -> bool:
        return seen >= 3

    state = arm_state(TARGETS["dense"], Lookup(shortest=1) if drafter else None, max_tokens=LENGTH)
    from engine.race import race

    events = []
    for event in race([state], PROMPT, raw=True, cancelled=cancelled):
        events.append(event)
        seen += isinstance(event, Round)
    assert len(rounds(events)) == 3
    assert finished(events).reason == "cancelled"
    assert ids(events) == answer("dense")[: len(ids(events))]
    assert ids(run(state, PROMPT))[:4] == answer("dense")[:4]
    assert_caches_are_those_of_a_fresh_run(state)


def test_a_consumer_that_stops_half_way_leaves_whole_caches() -> None:
    from engine.race import race

    state = arm_state(TARGETS["dense"], Lookup(shortest=1), max_tokens=LENGTH)
    events = race([state], PROMPT, raw=True)
    for event in events:
        if isinstance(event, Round) and event.index == 4:
            break
    events.close()
    assert ids(run(state, PROMPT)) == answer("dense")
    assert_caches_are_those_of_a_fresh_run(state)


@given(seed=st.integers(0, 10_000), block=st.integers(2, 9))
@settings(max_examples=25, deadline=None)
def test_any_pattern_of_right_and_wrong_guesses(seed: int, block: int) -> None:
    rng = np.random.default_rng(seed)
    right = rng.random(LENGTH + 20) < rng.random()
    for kind in TARGETS:
        expected = ids(run(arm_state(TARGETS[kind], max_tokens=30), PROMPT))
        drafter = Scripted(oracle(expected, len(PROMPT), lambda i: bool(right[i])))
        state = arm_state(TARGETS[kind], drafter, max_tokens=30, block=block)
        assert ids(run(state, PROMPT)) == expected


def test_one_wait_a_round(monkeypatch: pytest.MonkeyPatch) -> None:
    waits = 0
    real = mx.eval

    def counted(*args: object) -> None:
        nonlocal waits
        waits += 1
        real(*args)

    monkeypatch.setattr(mx, "eval", counted)
    for every, expected in ((0, 1), (1, 2)):
        drafter = Autoregressive(OTHER, VOCABULARY)
        state = arm_state(TARGETS["dense"], drafter, max_tokens=LENGTH, timing_every=every)
        from engine.race import race

        for event in race([state], PROMPT, raw=True):
            if isinstance(event, Round) and event.index:
                assert waits == (expected if event.width else 1)
                assert event.split is (every == 1 or event.width == 0)
            waits = 0
