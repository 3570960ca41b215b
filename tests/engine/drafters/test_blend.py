"""The blend in the real loop: the baseline's text, each drafter's own guesses where nothing else is known."""

from __future__ import annotations

import mlx.core as mx
import pytest

from engine import tree
from engine.drafters.base import Draft, FirstOf
from engine.drafters.blend import BRANCHES, CERTAIN, Blend
from engine.drafters.block import BlockDrafter
from engine.drafters.load import tables_of
from engine.drafters.lookup import Lookup
from engine.drafters.table import TableDrafter
from engine.drafters.votes import Evidence, Votes, Weights, ranked
from engine.sampling import Sampler
from engine.trace.events import Settings
from engine.trace.of_round import drafted_of
from engine.trace.word import parts
from engine.train.dataset import Dataset
from engine.train.evaluate import replay
from engine.train.fit import fit_table
from tests.engine.drafters.blocks import GAMMA, HEADS, drafter, layout
from tests.engine.drafters.test_schemes import LENGTH, PROMPT, TARGETS, answer, assert_context_is_that_of_a_fresh_run
from tests.engine.helpers import arm_state, rounds, run
from tests.engine.train.texts import conversations


@pytest.fixture(autouse=True)
def _no_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TARGETS["dense"].tokenizer, "eos_token_ids", (), raising=False)


def table() -> TableDrafter:
    manifest = {"vocabulary": 64, "target": {"name": "tiny"}, "recipe": {"seed": 0}}
    return TableDrafter(
        fit_table(Dataset(conversations(([5], answer("dense")[:25], False)), conversations(), manifest))
    )


@pytest.mark.parametrize("head", HEADS)
def test_alone_a_drafter_says_what_its_walker_says(head: str) -> None:
    """Through whole runs, so that what one block leaves behind would be seen in the next."""
    target = TARGETS["dense"]
    own, blended = drafter(target, layout(head)), drafter(target, layout(head))
    settings = {"max_tokens": LENGTH, "block": GAMMA + 1, "candidate_width": 64}
    state = arm_state(target, Blend(blended, None, None), **settings)  # type: ignore[arg-type]
    ours = rounds(run(state, PROMPT))
    theirs = rounds(run(arm_state(target, own, **settings), PROMPT))
    assert [r.draft_ids for r in ours] == [r.draft_ids for r in theirs]
    assert [i for r in ours for i in r.emitted_ids] == answer("dense")
    assert [r.drafter_forwards for r in ours] == [r.drafter_forwards for r in theirs]
    assert_context_is_that_of_a_fresh_run(state, blended, drafter(target, layout(head)))  # type: ignore[arg-type]


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_look_up_table_and_drafter_give_the_baselines_text(head: str, temperature: float) -> None:
    target = TARGETS["dense"]
    inner = drafter(target, layout(head))
    votes = Votes(beside=Weights(lookup=(9.0,) * 6))
    blend = Blend(inner, Lookup(shortest=1), table(), votes)  # type: ignore[arg-type]
    state = arm_state(target, blend, max_tokens=LENGTH, block=9, temperature=temperature)
    found = rounds(run(state, PROMPT))
    assert max(r.width for r in found) > GAMMA  # look-up and table go on behind the drafter's own block
    if not temperature:
        assert [i for r in found for i in r.emitted_ids] == answer("dense")
        assert {r.source for r in found if r.width} >= {"lookup"}


@pytest.mark.parametrize("head", HEADS)
def test_a_tree_gives_the_baselines_text_and_rests_on_what_the_drafter_says(head: str) -> None:
    """Also of drafters that are asked row by row, which say nothing off the way on which they were asked."""
    target = TARGETS["dense"]
    inner = drafter(target, layout(head))
    blend = Blend(inner, Lookup(shortest=1), table())  # type: ignore[arg-type]
    state = arm_state(target, blend, max_tokens=LENGTH, block=9, tree=True)
    found = rounds(run(state, PROMPT))
    assert [i for r in found for i in r.emitted_ids] == answer("dense")
    assert any(r.tree_rows == 9 and any(r.sibling_ids) for r in found)
    assert_context_is_that_of_a_fresh_run(state, inner, drafter(target, layout(head)))  # type: ignore[arg-type]
    # A walk over the known answer goes the same paths.
    prompt = list(target.tokenizer.encode(PROMPT))
    whole = mx.array([*prompt, *answer("dense")])
    _, taps = target.forward(whole, target.make_caches(), blend.taps)
    walked = replay(
        blend, prompt, answer("dense"), state.spec.settings,
        lambda first, last: {layer: tap[:, first:last] for layer, tap in taps.items()},
    )  # fmt: skip
    assert walked.emitted == tuple(r.emitted_tokens for r in found)
    assert walked.drafted == tuple(r.width for r in found)
    assert walked.verified == tuple(drafted_of(r) for r in found)


def test_a_tree_holds_what_is_likeliest_to_be_reached() -> None:
    """With a drafter that can be asked anywhere, against all ways of up to three tokens in order of their chance."""
    inner = drafter(TARGETS["dense"], layout("D"))
    blend = Blend(inner, None, None)  # type: ignore[arg-type]
    blend.observe([1, 2, 3, 1, 2], {layer: mx.ones((1, 5, 32)) for layer in blend.taps})
    sampler = Sampler(Settings(tree=True, candidate_width=6))
    draft = blend.propose_tree(3, 7, 3, sampler)
    drafts: list[int] = draft.tokens.tolist()  # type: ignore[assignment]
    ways = {tuple(drafts[n - 1] for n in tree.path(node, draft.parents)) for node in range(1, 8)}
    assert len(ways) == 7 and max(map(len, ways)) <= 3
    rows = inner.rows(3, 3, sampler)  # type: ignore[union-attr]
    chances: dict[tuple[int, ...], float] = {}

    def follow(way: tuple[int, ...], chance: float) -> None:
        opinion = rows.at(len(way), way[-1] if way else 3)
        heard = Evidence(ids=opinion[0], log_q=opinion[1], first=not way)
        for token, likely in ranked(heard, blend.votes, BRANCHES):
            chances[*way, token] = chance * likely
            if len(way) < 2:
                follow((*way, token), chance * likely)

    follow((), 1.0)
    assert ways == set(sorted(chances, key=chances.__getitem__, reverse=True)[:7])
    least = sorted(chances.values(), reverse=True)[3] - 1e-9
    cut = blend.propose_tree(3, 7, 3, Sampler(Settings(tree=True, candidate_width=6, confidence_threshold=least)))
    assert (cut.width, cut.reason) == (4, "confidence")
    assert blend.propose_tree(3, 7, 0, sampler).width == 0


def test_sure_evidence_saves_the_forward_and_no_evidence_ends_the_block() -> None:
    target = TARGETS["dense"]
    inner = drafter(target, layout("B"))
    sure = Votes(alone=Weights(drafter=0.0, lookup=(9.0,) * 6, table=((-9.0,) * 5,) * 3))
    blend = Blend(inner, Lookup(shortest=1), None, sure)  # type: ignore[arg-type]
    found = rounds(run(arm_state(target, blend, max_tokens=LENGTH, block=9), PROMPT))
    by_source = {r.source: r for r in found if r.width}
    assert by_source["lookup"].drafter_forwards == 0 and CERTAIN < 1
    nothing = Blend(drafter(target, layout("B direct")), Lookup(), None)  # type: ignore[arg-type]
    draft = nothing.propose(3, 4, Sampler(Settings()))
    assert (draft.width, draft.reason) == (0, "no match")


def test_a_threshold_ends_the_block_where_it_is_hardly_reached() -> None:
    target = TARGETS["dense"]
    widths = []
    for least in (0.0, 0.2, 0.9999):
        blend = Blend(drafter(target, layout("B")), None, None)  # type: ignore[arg-type]
        state = arm_state(target, blend, max_tokens=LENGTH, block=GAMMA + 1, confidence_threshold=least)
        found = rounds(run(state, PROMPT))
        assert [i for r in found for i in r.emitted_ids] == answer("dense")
        widths.append(sum(r.width for r in found))
        if least:
            assert "confidence" in {r.width_reason for r in found}
    assert widths[0] > widths[1] >= widths[2]


def test_a_drafter_that_brings_nothing_rests_where_time_is_to_be_saved() -> None:
    for least, wanted in ((0.0, [1] * 10), (1e-9, [1, 1, 0, 0, 0, 0, 1, 0, 0, 0])):
        inner = drafter(TARGETS["dense"], layout("B"))
        blend = Blend(inner, Lookup(), None)  # type: ignore[arg-type]
        state = arm_state(TARGETS["dense"], blend, max_tokens=LENGTH, block=4, confidence_threshold=least)
        found = rounds(run(state, PROMPT))[1:]
        assert not any(r.accepted for r in found[:10])  # random weights
        assert [r.drafter_forwards for r in found[:10]] == wanted
    # Something that was kept wakes it.
    blend.resting, blend.asked = 3, True
    taps = {layer: mx.zeros((1, 2, 32)) for layer in blend.taps}
    blend.observe([3, 4], taps)
    assert (blend.missed, blend.resting) == (0, 0)


def test_a_rewind_reaches_every_part() -> None:
    inner = drafter(TARGETS["dense"], layout("B"))
    assert isinstance(inner, BlockDrafter)
    sure = Votes(beside=Weights(lookup=(90.0,) * 6))
    blend = Blend(inner, Lookup(shortest=1), table(), sure)
    blend.observe([1, 2, 3, 1, 2], {layer: mx.ones((1, 5, 32)) for layer in blend.taps})
    assert blend.propose(3, 1, Sampler(Settings())).tokens.tolist() == [1]
    blend.rewind(2)
    assert inner.seen == [1, 2]
    assert blend.lookup is not None and blend.lookup.context == [1, 2]
    assert blend.table is not None and blend.table.seen == [1, 2]
    assert blend.state_bytes > 0


@pytest.mark.parametrize("head", HEADS)
def test_an_arms_state_is_the_same_in_a_blend_as_alone(head: str) -> None:
    """The table of all pairs of candidates included (D, E)."""
    target, sampler = TARGETS["dense"], Sampler(Settings(candidate_width=4))
    own, blended = drafter(target, layout(head)), drafter(target, layout(head))
    blend = Blend(blended, None, None)  # type: ignore[arg-type]
    for one in (own, blend):
        one.observe([1, 2, 3, 1, 2], {layer: mx.ones((1, 5, 32)) for layer in one.taps})
        one.propose(3, GAMMA, sampler)
    assert blend.state_bytes == own.state_bytes
    pairs = GAMMA * 4 * 4 * 4
    assert getattr(blended, "table_bytes", 0) == (pairs if layout(head).scheme in "DE" else 0)


def test_tables_of_an_arm_are_found_wherever_they_are() -> None:
    one = table()
    blend = Blend(drafter(TARGETS["dense"], layout("B")), Lookup(), one)  # type: ignore[arg-type]
    for arm in (one, FirstOf([Lookup(), one]), blend):
        assert tables_of(arm) == [one.table]
    assert tables_of(Lookup()) == tables_of(None) == []


@pytest.mark.parametrize(
    ("word", "found"),
    [
        ("none", ["none"]),
        ("table+lookup", ["lookup", "table"]),
        ("lookup+table", ["lookup", "table"]),
        ("E+lookup", ["lookup", "E"]),
        ("E+table+lookup", ["lookup", "table", "E"]),
        ("lookup+table+/a+b/E", ["lookup", "table", "/a+b/E"]),
        ("table+E+lookup", ["lookup", "table", "E"]),
    ],
)
def test_what_an_arm_is_made_of(word: str, found: list[str]) -> None:
    assert parts(word) == found


def test_a_language_model_is_not_weighed() -> None:
    from engine.drafters.autoregressive import Autoregressive
    from engine.drafters.load import joined
    from engine.models.errors import ModelError

    small = Autoregressive(TARGETS["dense"], 64)
    with pytest.raises(ModelError, match="doesn't read its target's layers"):
        joined([Lookup(), table(), small], "/small")


def test_every_position_is_weighed_with_all_that_is_known_of_it() -> None:
    target = TARGETS["dense"]
    inner = drafter(target, layout("B"))
    blend = Blend(inner, Lookup(shortest=1), table(), Votes())  # type: ignore[arg-type]
    heard: list[tuple[Evidence, ...]] = []

    class Watched(Blend):
        def propose(self, anchor: int, width: int, sampler: Sampler) -> Draft:
            draft = super().propose(anchor, width, sampler)
            heard.append(tuple(self.heard))
            return draft

    blend.__class__ = Watched
    run(arm_state(target, blend, max_tokens=LENGTH, block=9), PROMPT)
    every = [e for block in heard for e in block]
    assert [e.first for block in heard for e in block[:1]] == [True] * sum(map(bool, heard))
    assert not any(e.first for block in heard for e in block[1:]) and len(every) > len(heard)
    # What the table drafts is what its list begins with, and look-up's own draft stands before the others.
    tabled = [e for e in every if e.table is not None]
    assert tabled and all(e.spread is not None and max(e.spread[0], key=e.spread[0].__getitem__) == e.table[0]
                          for e in tabled if e.table is not None)  # fmt: skip
    assert any(len(e.lookup) > 1 for e in every)
    assert all(e.lookup[0][1] == max(found[1] for found in e.lookup) for e in every if e.lookup)
