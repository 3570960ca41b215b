"""Rows of a batch give the ids that they give alone, whatever their neighbours draft, keep and when they come."""

from __future__ import annotations

from collections.abc import Iterator

import mlx.core as mx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.batch.ragged import Ends, RaggedCache
from engine.batch.server import BatchServer, QueueServer, Request
from engine.drafters.autoregressive import Autoregressive
from engine.drafters.lookup import Lookup
from engine.models.errors import ModelError
from tests.engine.batch.serving import alone, batched, drive, ended, ids, requests, rounds, service, turns
from tests.engine.drafters import blocks
from tests.engine.helpers import Scripted
from tests.tiny import VOCABULARY, tiny_target

TARGET = tiny_target("dense", seed=5)
OTHER = tiny_target("dense", seed=6)
LENGTH = 24
PROMPTS = [list(range(3, 3 + n)) for n in (1, 4, 19, 2, 9, 31)]


@pytest.fixture(autouse=True)
def _no_end(monkeypatch: pytest.MonkeyPatch) -> None:
    for target in (TARGET, OTHER):
        monkeypatch.setattr(target.tokenizer, "eos_token_ids", (), raising=False)


class Patterned(Scripted):
    """Knows the answers of all prompts; right where its pattern says so, and drafts as many tokens as it says."""

    def __init__(self, answers: list[tuple[list[int], list[int]]], right: list[bool], widths: list[int]) -> None:
        super().__init__(self._guess)
        self.answers, self.right, self.widths = answers, right, widths

    def _guess(self, text: list[int], width: int) -> list[int]:
        prompt, answer = next((p, a) for p, a in self.answers if text[: len(p)] == p and len(text) > len(p))
        start = len(text) - len(prompt)
        width = min(width, self.widths[start % len(self.widths)])
        return [
            t if self.right[(start + i) % len(self.right)] else (t + 1) % VOCABULARY
            for i, t in enumerate(answer[start : start + width])
        ]


def different(prompts: list[list[int]]) -> list[list[int]]:
    """Told apart by their first tokens, so that a drafter knows whose text it follows."""
    return [[40 + n, *prompt] for n, prompt in enumerate(prompts)]


@settings(max_examples=10, deadline=None)
@given(
    prompts=st.lists(st.lists(st.integers(3, 35), min_size=1, max_size=12), min_size=1, max_size=5),
    patterns=st.lists(
        st.tuples(st.lists(st.booleans(), min_size=1, max_size=6), st.lists(st.integers(0, 7), min_size=1, max_size=4)),
        min_size=5,
        max_size=5,
    ),
    lanes=st.integers(1, 4),
    block=st.integers(1, 8),
)
def test_ids_are_those_of_each_request_alone(
    prompts: list[list[int]], patterns: list[tuple[list[bool], list[int]]], lanes: int, block: int
) -> None:
    prompts = different(prompts)
    expected = alone(TARGET, prompts, max_tokens=LENGTH)
    answers = [(prompt, expected[n]) for n, prompt in enumerate(prompts)]
    handed: Iterator[tuple[list[bool], list[int]]] = iter(patterns * 3)
    events = batched(TARGET, lanes, prompts, lambda: Patterned(answers, *next(handed)), max_tokens=LENGTH, block=block)
    assert ids(events) == expected
    assert max(r.lanes for r in rounds(events)) <= lanes


DRAFTERS = {
    "none": lambda: None,
    "lookup": lambda: Lookup(shortest=1),
    "itself": lambda: Autoregressive(TARGET, VOCABULARY),
    "another": lambda: Autoregressive(OTHER, VOCABULARY),
    **{head: (lambda head=head: blocks.drafter(TARGET, blocks.layout(head))) for head in blocks.HEADS},
}


@pytest.mark.parametrize("drafter", DRAFTERS)
def test_every_drafter_in_a_batch(drafter: str) -> None:
    expected = alone(TARGET, PROMPTS, max_tokens=LENGTH)
    events = batched(TARGET, 4, PROMPTS, DRAFTERS[drafter], max_tokens=LENGTH, block=6)
    assert ids(events) == expected
    found = rounds(events)
    assert {r.lanes for r in found} >= {4}
    for r in found:
        assert r.emitted_ids == r.target_ids[: r.emitted_tokens]
    assert (sum(r.width for r in found) > 0) == (drafter != "none")


@pytest.mark.parametrize(
    ("head", "more"),
    [
        ("B", {"window_rule": "per-query"}),
        ("B", {"window_rule": "per-anchor"}),
        ("B", {"direct": True}),
        ("B direct", {"causal": (True, True, True), "windows": ()}),
        ("B reader", {"causal": (True, True, True), "windows": ()}),
        ("E anchor-first", {"direct": True}),
        ("C vanilla", {}),
        ("D", {"window_rule": "per-anchor"}),
        ("E", {}),
        ("E anchor-first", {}),
    ],
)
def test_a_block_drafter_drafts_in_a_batch_what_it_drafts_alone(head: str, more: dict[str, object]) -> None:
    """Far from any limit all rows draft whole blocks: then drafts, not only ids, are those of the single drafter."""
    y = blocks.layout(head, **more)
    make = lambda: blocks.drafter(TARGET, y)  # noqa: E731
    whole = batched(TARGET, 4, PROMPTS, make, max_tokens=30, block=y.gamma + 1)
    for n, prompt in enumerate(PROMPTS):
        single = QueueServer(service(TARGET, make, max_tokens=30, block=y.gamma + 1))
        own = [r for r in rounds(drive(single, requests([prompt]))) if r.width == y.gamma]
        mine = [r for r in rounds(whole) if r.turn == n and r.width == y.gamma]
        assert len(mine) > 10
        assert [r.draft_ids for r in mine][:10] == [r.draft_ids for r in own][:10]


@pytest.mark.parametrize("temperature", [0.7, 1.5])
def test_sampled_rows_draw_what_they_draw_alone(temperature: float) -> None:
    """Each row has its own keys: its neighbours change nothing."""
    make = lambda: Lookup(shortest=1)  # noqa: E731
    one = batched(TARGET, 1, PROMPTS, make, max_tokens=LENGTH, temperature=temperature, seed=3)
    many = batched(TARGET, 4, PROMPTS, make, max_tokens=LENGTH, temperature=temperature, seed=3)
    assert ids(one) == ids(many)


def test_penalties_have_each_row_s_own_history() -> None:
    more = {"max_tokens": LENGTH, "repetition_penalty": 1.5, "repetition_window_tokens": 8}
    assert ids(batched(TARGET, 4, PROMPTS, lambda: Lookup(shortest=1), **more)) == alone(TARGET, PROMPTS, **more)


def test_a_long_prompt_is_prefilled_in_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.batch.group.PREFILL_TOKENS", 20)
    events = batched(TARGET, 4, PROMPTS, lambda: blocks.drafter(TARGET, blocks.layout("B")), max_tokens=LENGTH)
    assert ids(events) == alone(TARGET, PROMPTS, max_tokens=LENGTH)


def test_who_has_waited_longest_joins_first_and_nobody_before_its_arrival() -> None:
    arrivals = [0.0, 0.0, 0.0, 1e6, 1e6]
    events = batched(TARGET, 2, PROMPTS[:5], lambda: None, arrivals, max_tokens=6)
    found = turns(events)
    assert [found[n].started.t_s for n in range(5)] == arrivals  # type: ignore[union-attr]
    assert ended(events)[:2] == [0, 1]
    for n, turn in found.items():
        assert turn.prefill[0].t_s >= arrivals[n]
        assert turn.rounds[0].t_s - arrivals[n] == pytest.approx(turn.finished.time_to_first_token_s)  # type: ignore[union-attr]
        assert turn.finished.own_s == pytest.approx(turn.finished.t_s - arrivals[n])  # type: ignore[union-attr]
    # The third waited for a lane; the others came to an idle server, which did not sleep.
    assert found[2].prefill[0].t_s >= min(found[0].finished.t_s, found[1].finished.t_s)  # type: ignore[union-attr]
    assert all(found[n].rounds[0].t_s < 1e6 + 1e3 for n in (3, 4))


def test_rounds_of_one_forward_share_their_end_and_count_their_lanes() -> None:
    events = batched(TARGET, 3, PROMPTS, lambda: Lookup(shortest=1), max_tokens=LENGTH)
    by_end: dict[float, int] = {}
    for r in rounds(events):
        by_end[r.t_s] = by_end.get(r.t_s, 0) + 1
    assert all(r.lanes == by_end[r.t_s] for r in rounds(events))
    assert max(by_end.values()) == 3


def test_the_context_ends_each_row_by_itself() -> None:
    small = tiny_target("dense", seed=5, context_tokens=20)
    small.tokenizer.eos_token_ids = ()  # type: ignore[assignment]
    prompts = [PROMPTS[1], PROMPTS[2], PROMPTS[4], list(range(3, 23))]
    events = batched(small, 4, prompts, lambda: Lookup(shortest=1), max_tokens=-1)
    assert [len(i) for i in ids(events).values()] == [16, 1, 11, 0]
    assert ids(events) == alone(small, prompts, max_tokens=-1)


@pytest.mark.parametrize("kind", ["sliding", "gated-delta", "mamba"])
def test_other_kinds_of_cache_are_refused_in_one_sentence(kind: str) -> None:
    with pytest.raises(ModelError, match=r"can't share a forward: its \w+ is no plain cache of keys and values\."):
        BatchServer(service(tiny_target(kind)), 2)


def test_quantised_caches_are_refused_as_well() -> None:
    with pytest.raises(ModelError, match="QuantizedKVCache"):
        BatchServer(service(tiny_target("wide"), kv_bits=8), 2)


def test_requests_are_submitted_in_the_order_of_their_arrival() -> None:
    server = BatchServer(service(TARGET), 2)
    server.submit(Request(0, (3, 4), 2.0))
    with pytest.raises(ValueError, match="arrives before"):
        server.submit(Request(1, (3, 4), 1.0))


@settings(max_examples=40, deadline=None)
@given(
    kept=st.lists(st.lists(st.integers(0, 3), min_size=3, max_size=3), min_size=1, max_size=8),
    seed=st.integers(0, 2**31),
)
def test_a_ragged_cache_holds_what_each_row_kept(kept: list[list[int]], seed: int) -> None:
    rng = np.random.default_rng(seed)
    ends = Ends([0, 0, 0])
    cache = RaggedCache(ends)
    expected: list[list[np.ndarray]] = [[], [], []]
    for counts in kept:
        rows = rng.standard_normal((3, 2, 3, 4)).astype(np.float32)
        keys, _ = cache.update_and_fetch(mx.array(rows), mx.array(-rows))
        assert keys.shape[2] == ends.longest + 3
        ends.commit(counts)
        for b, n in enumerate(counts):
            expected[b] += [rows[b, :, i] for i in range(n)]
    assert ends.lengths == [len(e) for e in expected]
    cache.keep(mx.array([2, 0]))
    ends.keep([2, 0])
    for b, row in enumerate((2, 0)):
        if expected[row]:
            held = np.array(cache.keys[b, :, : len(expected[row])])  # type: ignore[index]
            assert np.array_equal(held, np.stack(expected[row], axis=1))
            assert np.array_equal(np.array(cache.values[b, :, : len(expected[row])]), -held)  # type: ignore[index]


def test_requests_may_repeat_a_prompt() -> None:
    events = batched(TARGET, 4, [PROMPTS[2]] * 4, lambda: Lookup(shortest=1), max_tokens=LENGTH)
    (only,) = {tuple(i) for i in ids(events).values()}
    assert list(only) == alone(TARGET, [PROMPTS[2]], max_tokens=LENGTH)[0]


def test_the_numbers_of_requests_are_their_turns() -> None:
    assert [r.number for r in requests(PROMPTS)] == list(ended(batched(TARGET, 1, PROMPTS, lambda: None, max_tokens=2)))
