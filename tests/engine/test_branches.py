"""A tree is verified as its paths would have been, one after the other, and leaves behind what the kept path leaves."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import mlx.core as mx
import numpy as np
import pytest
from msgspec.structs import replace
from scipy.stats import chisquare

from engine import branches, tree
from engine.cache import Transaction, branched
from engine.lab.rig import ByRow
from engine.models.errors import ModelError
from engine.race import race
from engine.sampling import Sampler
from engine.session import Models, Session
from engine.target import Target
from engine.trace.events import Arm, Failed, ModelFacts, Round, Settings
from engine.trace.file import _round_inconsistency
from engine.train.evaluate import path_of
from tests.engine.helpers import ScriptedTree, arm_state, finished, ids, rounds, run, text
from tests.tiny import VOCABULARY, tiny_target

PROMPT = [5, 9, 14, 3, 22, 8]
TARGET = tiny_target("dense", seed=3)
LENGTH = 40


@pytest.fixture(autouse=True)
def _no_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TARGET.tokenizer, "eos_token_ids", (), raising=False)


def random_tree(rng: random.Random, width: int, depth: int) -> list[int]:
    parents: list[int] = []
    while len(parents) < width:
        node = rng.randrange(len(parents) + 1)
        if tree.depths(parents)[node] < depth:
            parents.append(node)
    return parents


def prefilled(target: Target, tokens: list[int]) -> list[object]:
    caches = target.make_caches()
    mx.eval(target.forward(mx.array(tokens), caches)[0])
    return caches


@pytest.mark.parametrize("seed", range(5))
def test_each_row_says_what_its_way_alone_would_say(seed: int) -> None:
    rng = random.Random(seed)
    parents = random_tree(rng, 9, 5)
    drafts = [rng.randrange(VOCABULARY) for _ in parents]
    caches = prefilled(TARGET, PROMPT[:-1])
    rows = mx.array([PROMPT[-1], *drafts])
    logits, taps = TARGET.forward_tree(rows, parents, caches, (0, 1))
    assert logits.shape == (10, VOCABULARY)
    assert {layer: tap.shape for layer, tap in taps.items()} == {0: (1, 10, 32), 1: (1, 10, 32)}
    for node in range(len(parents) + 1):
        text = [PROMPT[-1], *(drafts[n - 1] for n in tree.path(node, parents))]
        alone, seen = TARGET.forward(mx.array(text), prefilled(TARGET, PROMPT[:-1]), (0, 1))
        assert mx.allclose(logits[node], alone[-1], atol=1e-4)
        assert all(mx.allclose(taps[layer][0, node], seen[layer][0, -1], atol=1e-4) for layer in (0, 1))


@pytest.mark.parametrize("seed", range(5))
def test_the_rows_that_stay_are_those_of_a_text_without_the_others(seed: int) -> None:
    rng = random.Random(seed)
    parents = random_tree(rng, 9, 5)
    drafts = [rng.randrange(VOCABULARY) for _ in parents]
    deepest = max(range(10), key=tree.depths(parents).__getitem__)
    path = tree.path(deepest, parents)
    caches = prefilled(TARGET, PROMPT[:-1])
    transaction = Transaction(caches, TARGET.watch)
    transaction.begin(10)
    TARGET.forward_tree(mx.array([PROMPT[-1], *drafts]), parents, caches)
    transaction.commit_rows([0, *path])
    text = [*PROMPT, *(drafts[n - 1] for n in path)]
    for mine, fresh in zip(caches, prefilled(TARGET, text), strict=True):
        assert mine.offset == fresh.offset == len(text)  # type: ignore[attr-defined]
        for name in ("keys", "values"):
            ours, theirs = (getattr(cache, name)[..., : len(text), :] for cache in (mine, fresh))
            assert mx.allclose(ours, theirs, atol=1e-4)


def test_the_lab_computes_a_tree_with_the_very_arithmetic_of_the_baseline() -> None:
    parents, drafts = [0, 1, 1, 0, 2], [5, 6, 8, 9, 7]
    exact = ByRow(TARGET.model, TARGET.tokenizer, TARGET.facts, TARGET.watch)
    caches = prefilled(TARGET, PROMPT[:-1])
    transaction = Transaction(caches, TARGET.watch)
    transaction.begin(6)
    logits, taps = exact.forward_tree(mx.array([PROMPT[-1], *drafts]), parents, caches, (1,))
    alone = prefilled(TARGET, PROMPT[:-1])
    rows = [TARGET.forward(mx.array([token]), alone, (1,)) for token in (PROMPT[-1], 5, 6, 7)]
    for node, (said, seen) in zip((0, 1, 2, 5), rows, strict=True):
        assert mx.array_equal(logits[node], said[0])
        assert mx.array_equal(taps[1][:, node], seen[1][:, 0])
    transaction.commit_rows([0, 1, 2, 5])
    for mine, other in zip(caches, alone, strict=True):
        assert mine.offset == other.offset  # type: ignore[attr-defined]
        held = [getattr(c, part)[..., : c.offset, :] for part in ("keys", "values") for c in (mine, other)]  # type: ignore[attr-defined]
        assert mx.array_equal(held[0], held[1]) and mx.array_equal(held[2], held[3])


def baseline(**settings: object) -> list[int]:
    return ids(run(arm_state(TARGET, max_tokens=LENGTH, **settings)))


def guessing(answer: list[int], prompt: int, seed: int) -> Callable[[list[int], int, int], tuple[list[int], list[int]]]:
    """Trees whose nodes are right as often as not, so that every kind of path is taken."""
    rng = random.Random(seed)

    def grow(text: list[int], width: int, depth: int) -> tuple[list[int], list[int]]:
        parents = random_tree(rng, width, depth)
        done, depths = len(text) - prompt, tree.depths(parents)
        below: dict[int, set[int]] = {}
        drafts: list[int] = []
        for node, parent in enumerate(parents, start=1):
            at = done + depths[node] - 1
            token = answer[at] if rng.random() < 0.6 and at < len(answer) else rng.randrange(VOCABULARY)
            while token in below.setdefault(parent, set()):
                token = rng.randrange(VOCABULARY)
            below[parent].add(token)
            drafts.append(token)
        return drafts, parents

    return grow


@pytest.mark.parametrize("block", [2, 3, 9, 16])
@pytest.mark.parametrize("penalty", [1.0, 1.4])
def test_trees_give_the_baselines_text(block: int, penalty: float) -> None:
    answer = baseline(repetition_penalty=penalty)
    prompt = len(TARGET.tokenizer.encode("the quick brown fox"))
    state = arm_state(
        TARGET, ScriptedTree(guessing(answer, prompt, block)), max_tokens=LENGTH, block=block, tree=True,
        repetition_penalty=penalty,
    )  # fmt: skip
    found = rounds(run(state))
    assert [i for r in found for i in r.emitted_ids] == answer
    assert not any(map(_round_inconsistency, found))
    assert all(r.target_ids[j] == token for r in found for j, token in enumerate(r.emitted_ids))
    assert max(len(r.emitted_ids) for r in found) > (2 if block > 3 else 1)
    branched = [r for r in found if r.tree_rows]
    assert branched
    narrow = [r for r in branched if r.width < r.requested_width]
    # Near the end the room for more is what is short.
    assert {r.width_reason for r in narrow} <= {"tree", "max tokens"}
    # The caches are those of a text that was never drafted.
    fresh = prefilled(TARGET, state.held)
    for mine, other in zip(state.caches, fresh, strict=True):
        assert mine.offset == len(state.held)
        assert mx.allclose(mine.keys[..., : mine.offset, :], other.keys[..., : mine.offset, :], atol=1e-4)


@pytest.mark.parametrize("ending", ["stop token", "stop string", "long"])
def test_a_text_that_ends_in_a_tree_ends_as_the_baselines_does(ending: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """And a second turn goes on from what it left; the long one makes the caches grow in the middle of a tree."""
    more: dict[str, Any] = {"max_tokens": 300 if ending == "long" else LENGTH}
    prompt, tokenizer = len(TARGET.tokenizer.encode("the quick brown fox")), TARGET.tokenizer
    answer = ids(run(arm_state(TARGET, **more)))
    if ending == "stop token":
        monkeypatch.setattr(tokenizer, "eos_token_ids", (answer[11],), raising=False)
    elif ending == "stop string":
        more["stop"] = (tokenizer.decode(answer[9:11]),)
    plain = run(arm_state(TARGET, **more))
    state = arm_state(TARGET, ScriptedTree(guessing(answer, prompt, 5)), block=12, tree=True, **more)
    for _ in range(2):
        found = run(state)
        assert ids(found) == ids(plain) and text(found) == text(plain)
        assert finished(found).reason == finished(plain).reason
        assert state.held == [*tokenizer.encode("the quick brown fox"), *ids(plain)[:-1]]
    assert (len(ids(plain)) < LENGTH) == (ending != "long")


def test_near_the_end_a_tree_is_as_wide_and_less_deep() -> None:
    answer = baseline()
    prompt = len(TARGET.tokenizer.encode("the quick brown fox"))
    asked: list[tuple[int, int]] = []
    grow = guessing(answer, prompt, 2)

    def listening(text: list[int], width: int, depth: int) -> tuple[list[int], list[int]]:
        asked.append((width, depth))
        return grow(text, width, depth)

    run(arm_state(TARGET, ScriptedTree(listening), max_tokens=9, block=8, tree=True))
    assert {width for width, _ in asked} == {7}
    assert [depth for _, depth in asked] == sorted((depth for _, depth in asked), reverse=True) and asked[0][1] == 7


def test_a_window_is_kept_by_each_row() -> None:
    """Of models that pass a window beside a plain cache."""
    mask = branched(prefilled(TARGET, PROMPT), [0, 1, 0])[0].make_mask(1, window_size=3)
    assert mask.shape == (4, 1, 1, 10)
    rows = mask[:, 0, 0].tolist()
    assert rows[0] == [False] * 4 + [True, True] + [True, False, False, False]
    assert rows[2] == [False] * 6 + [True, True, True, False]
    assert rows[3] == [False] * 5 + [True] + [True, False, False, True]


def test_behind_a_long_text_drafts_do_not_branch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(branches, "MOST_TEXT_TOKENS", 25)
    answer = baseline()
    prompt = len(TARGET.tokenizer.encode("the quick brown fox"))
    found = rounds(
        run(arm_state(TARGET, ScriptedTree(guessing(answer, prompt, 2)), max_tokens=LENGTH, block=6, tree=True))
    )
    assert [i for r in found for i in r.emitted_ids] == answer
    assert {bool(r.tree_rows) for r in found if r.context_tokens > 25} == {False}
    assert {bool(r.tree_rows) for r in found[1:] if r.context_tokens <= 25} == {True}


def test_trees_with_a_quantised_cache_give_its_baselines_text() -> None:
    target = tiny_target("wide", seed=4)
    answer = ids(run(arm_state(target, max_tokens=LENGTH, kv_bits=8)))
    prompt = len(target.tokenizer.encode("the quick brown fox"))
    tree_drafter = ScriptedTree(guessing(answer, prompt, 1))
    found = rounds(run(arm_state(target, tree_drafter, max_tokens=LENGTH, block=9, tree=True, kv_bits=8)))
    assert [i for r in found for i in r.emitted_ids] == answer
    assert any(r.tree_rows and r.accepted > 1 for r in found)


def test_a_round_says_what_else_was_drafted() -> None:
    answer = baseline()
    wrong = (answer[1] + 1) % VOCABULARY

    def grow(text: list[int], width: int, depth: int) -> tuple[list[int], list[int]]:
        done = len(text) - len(TARGET.tokenizer.encode("the quick brown fox"))
        return [(wrong if done == 1 else 0), answer[done], 7], [0, 0, 1]

    state = arm_state(TARGET, ScriptedTree(grow), max_tokens=3, block=4, tree=True)
    first = rounds(run(state))[1]
    assert (first.draft_ids, first.sibling_ids, first.accepted) == ((answer[1],), ((wrong,),), 1)
    assert first.sibling_texts == ((TARGET.tokenizer.decode([wrong]),),)
    assert (first.tree_rows, first.origins) == (4, ("accepted", "bonus"))


def test_a_known_text_goes_through_a_tree_as_the_loop_does() -> None:
    drafts, parents = [5, 6, 8, 9, 7], [0, 1, 1, 0, 2]
    assert path_of(drafts, parents, [5, 8, 1]) == [1, 3]
    assert path_of(drafts, parents, [5, 6, 7]) == [1, 2, 5]
    assert path_of(drafts, parents, [9]) == [4]
    assert path_of(drafts, parents, [1]) == []
    assert path_of(drafts, (), [5, 6, 8]) == [1, 2, 3]


SAMPLED = {"temperature": 6.0, "top_k": 3, "max_tokens": 4, "block": 6, "tree": True, "timing_every": 0}
DRAWS = 400


def drawn(count: int = DRAWS) -> Counter[tuple[int, int]]:
    """Tokens 2 and 3 of the text: the round that drafts emits the first, and where a draft is kept the second."""

    def grow(text: list[int], width: int, depth: int) -> tuple[list[int], list[int]]:
        # Fixed guesses, the likely tokens of the first places among them.
        return [57, 63, 61, 9, 9], [0, 0, 0, 1, 2]

    state = arm_state(TARGET, ScriptedTree(grow), **SAMPLED)
    found: Counter[tuple[int, int]] = Counter()
    for seed in range(count):
        state.spec = replace(state.spec, settings=replace(state.spec.settings, seed=seed))
        text: list[int] = []
        for event in race([state], "ABC", raw=True):
            if isinstance(event, Round):
                text += event.emitted_ids
            if len(text) >= 3:
                break
        found[text[1], text[2]] += 1
    return found


def p_value(found: Counter[tuple[int, int]]) -> float:
    """Chi-square of the joint law of two tokens, by teacher forcing; rare pairs share one bin."""
    sampler = Sampler(Settings(temperature=6.0, top_k=3))
    prompt = TARGET.tokenizer.encode("ABC")

    def law(text: list[int]) -> np.ndarray:
        logits = TARGET.forward(mx.array(text), TARGET.make_caches())[0][-1:]
        return np.array(sampler.probabilities(logits), np.float64)[0]

    joint = np.zeros((VOCABULARY, VOCABULARY))
    for a in np.flatnonzero(before := law(prompt)):
        for b in np.flatnonzero(first := law([*prompt, int(a)])):
            joint[b] += before[a] * first[b] * law([*prompt, int(a), int(b)])
    counts = np.zeros_like(joint)
    for pair, n in found.items():
        counts[pair] += n
    if counts[joint == 0].any():
        return 0.0
    expected = joint / joint.sum() * counts.sum()
    big = expected >= 8
    observed, wanted = counts[big], expected[big]
    if (tail := expected[~big].sum()) > 0:
        observed, wanted = np.append(observed, counts[~big].sum()), np.append(wanted, tail)
    return float(chisquare(observed, wanted).pvalue)


def test_a_tree_draws_from_the_target() -> None:
    assert p_value(drawn()) > 1e-4


def prefers_a_draft(share: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the first draft is possible at all, so many times it is taken whatever was drawn."""

    def biased(sampler: Sampler, logits: mx.array, argmax: mx.array) -> tuple[mx.array, mx.array | None]:
        said, p = says(sampler, logits, argmax)
        lucky = (mx.random.uniform(key=sampler.next_key()) < share) & (p[0, 57] > 0)  # type: ignore[index]
        return mx.where((mx.arange(logits.shape[0]) == 0) & lucky, mx.full(said.shape, 57, said.dtype), said), p

    says = branches.says
    monkeypatch.setattr(branches, "says", biased)


def test_a_tree_that_prefers_its_drafts_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two times of three; a fourth of the times is caught by the draws of ``tests/long``."""
    prefers_a_draft(2 / 3, monkeypatch)
    assert p_value(drawn()) < 1e-4


def test_what_cannot_branch_is_refused_in_one_sentence() -> None:
    plain = ScriptedTree(lambda text, width, depth: ([], []))
    branches.check_branching(TARGET, plain, TARGET.make_caches())
    with pytest.raises(ModelError, match="weighed with a table"):
        branches.check_branching(TARGET, None, TARGET.make_caches())
    sliding = tiny_target("sliding")
    with pytest.raises(ModelError, match="RotatingKVCache is no plain cache"):
        branches.check_branching(sliding, plain, sliding.make_caches())
    # Its layers compute in a way that doesn't take rows at different places: found out by trying.
    from mlx_lm.models import llama

    rope = {"type": "dynamic", "factor": 2.0}
    dynamic = llama.Model(
        llama.ModelArgs(
            model_type="llama", hidden_size=32, num_hidden_layers=1, intermediate_size=64, num_attention_heads=4,
            num_key_value_heads=2, rms_norm_eps=1e-5, vocab_size=VOCABULARY, rope_scaling=rope,
            max_position_embeddings=64,
        )
    )  # fmt: skip
    odd = Target.of(dynamic, TARGET.tokenizer, ModelFacts(name="odd", vocabulary=VOCABULARY))
    with pytest.raises(ModelError, match="rows that don't follow one another"):
        branches.check_branching(odd, plain, odd.make_caches())
    assert odd.branches is False and TARGET.branches is True
    failed = run(arm_state(odd, plain, tree=True, max_tokens=4))[-1]
    assert isinstance(failed, Failed) and failed.message.startswith("A tree of drafts is not possible with odd")
    session = Session(Models())
    with pytest.raises(ModelError, match="weighed with a table"):
        session.open([Arm(name="a", drafter="lookup", settings=Settings(tree=True))])
