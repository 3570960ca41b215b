"""Block drafters in the real loop with real draws: the third and fourth token against the target's exact law.

The law is known by running the tiny target over every prefix, bins are fixed by it before anything is drawn, and seeds
are fixed. The drafters are random, but lean towards tokens that the target can say here, so that many drafts are kept.
"""

from __future__ import annotations

import dataclasses

import mlx.core as mx
import numpy as np
import pytest
from msgspec.structs import replace
from scipy.stats import chisquare

from engine.drafters import walker
from engine.drafters.base import Drafter
from engine.drafters.block import Block, BlockDrafter
from engine.drafters.eagle import Eagle, EagleDrafter
from engine.drafters.recurrent import block_drafter
from engine.race import race
from engine.sampling import Sampler
from engine.trace.events import Round
from tests.engine.drafters.blocks import drafter, layout
from tests.engine.helpers import arm_state
from tests.tiny import VOCABULARY, tiny_target

TARGET = tiny_target("dense", seed=5)
PROMPT = "ABC"
SETTINGS = {"temperature": 10.0, "top_k": 3, "candidate_width": 6, "timing_every": 0, "max_tokens": 3}
DRAWS = 600
SIGNIFICANCE = 1e-4


@pytest.fixture(autouse=True)
def _no_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TARGET.tokenizer, "eos_token_ids", (), raising=False)


def row(text: list[int]) -> np.ndarray:
    sampler = Sampler(arm_state(TARGET, **SETTINGS).spec.settings)
    logits = TARGET.forward(mx.array(text), TARGET.make_caches())[0][-1:]
    return np.array(sampler.probabilities(logits), np.float64)[0]


def law(seed_token: int) -> np.ndarray:
    """P(x2, x3) after the prompt and the first token."""
    text = [*TARGET.tokenizer.encode(PROMPT), seed_token]
    first = row(text)
    joint = np.zeros((VOCABULARY, VOCABULARY))
    for x in np.flatnonzero(first):
        joint[x] = first[x] * row([*text, int(x)])
    return joint / joint.sum()


def leaning(head: str) -> Drafter:
    """A drafter whose logits of what can come third are raised."""
    inner = drafter(TARGET, layout(head))
    firsts = np.flatnonzero(row(TARGET.tokenizer.encode(PROMPT)))
    possible = sum(law(int(x)).sum(axis=1) for x in firsts) > 0
    raised = mx.array(np.where(possible, 30.0, 0.0).astype(np.float32))
    if isinstance(inner, EagleDrafter):
        eagle = inner.eagle
        head_of = eagle.borrowed.head
        return EagleDrafter(Eagle(eagle.model, dataclasses.replace(eagle.borrowed, head=lambda h: head_of(h) + raised)))
    assert isinstance(inner, BlockDrafter)
    borrowed = inner.block.borrowed
    return block_drafter(
        Block.of(inner.block.model, dataclasses.replace(borrowed, head=lambda h: borrowed.head(h) + raised))
    )


def draws(inner: Drafter) -> tuple[dict[int, np.ndarray], float]:
    """Counts of (x2, x3) by first token, and how many of the first drafts were kept."""
    state = arm_state(TARGET, inner, block=4, **SETTINGS)
    found: dict[int, np.ndarray] = {}
    kept = 0
    for seed in range(DRAWS):
        state.spec = replace(state.spec, settings=replace(state.spec.settings, seed=seed))
        ids: list[int] = []
        for event in race([state], PROMPT, raw=True):
            if isinstance(event, Round):
                ids += event.emitted_ids
                kept += event.index == 1 and event.accepted > 0
        found.setdefault(ids[0], np.zeros((VOCABULARY, VOCABULARY)))[ids[1], ids[2]] += 1
    return found, kept / DRAWS


def p_value(found: dict[int, np.ndarray]) -> float:
    observed, expected = [], []
    for first, counts in found.items():
        wanted = law(first) * counts.sum()
        if counts[wanted == 0].any():
            return 0.0
        big = wanted >= 8
        observed += [*counts[big], counts[~big].sum()]
        expected += [*wanted[big], wanted[~big].sum()]
    held = np.array(expected) >= 5
    tail = np.array(expected)[~held].sum(), np.array(observed)[~held].sum()
    expected, observed = [*np.array(expected)[held], tail[0]], [*np.array(observed)[held], tail[1]]
    if expected[-1] == 0:
        expected, observed = expected[:-1], observed[:-1]
    return float(chisquare(observed, np.array(expected) * sum(observed) / sum(expected)).pvalue)


@pytest.mark.parametrize("head", ["A", "A recurrent", "B", "C vanilla", "C rnn", "D", "E"])
def test_the_loop_draws_from_the_target(head: str) -> None:
    found, kept = draws(leaning(head))
    assert 0.1 < kept < 0.9
    assert p_value(found) > SIGNIFICANCE


def test_a_walker_that_draws_from_something_else_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    real = walker.walk

    def sharp(scores: mx.array, sampler: Sampler, noise: mx.array | None) -> tuple[mx.array, mx.array | None]:
        """Takes the best candidate and says it was drawn."""
        return real(scores, sampler, None)[0], real(scores, sampler, noise)[1]

    monkeypatch.setattr(walker, "walk", sharp)
    found, _ = draws(leaning("E"))
    assert p_value(found) < SIGNIFICANCE
