"""Thousands of rounds of the real loop, real draws and all, against the exact law of the first two tokens.

p is known exactly by running the tiny target over every prefix. Bins are fixed by p before anything is drawn: tokens
whose expected count is below 10 share one. Draws have fixed seeds, so the test gives the same answer every time. The
rules known to be wrong must fail the very same test. ``tests/long`` draws 20,000.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable

import mlx.core as mx
import numpy as np
import pytest
from mlx.utils import tree_map
from msgspec.structs import replace
from scipy.stats import chisquare

from engine import accept
from engine.accept import Decision, Proposal
from engine.drafters.autoregressive import Autoregressive
from engine.drafters.base import Drafter
from engine.race import race
from engine.sampling import Sampler, draw
from engine.trace.events import Round
from tests.engine.helpers import Scripted, arm_state
from tests.tiny import VOCABULARY, tiny_target

TARGET = tiny_target("dense", seed=5, layers=1)
DRAFTER = tiny_target("dense", seed=5, layers=1)
# The target itself with other weights here and there: about half of its drafts are kept.
mx.random.seed(1)
DRAFTER.model.update(tree_map(lambda a: a + 0.12 * mx.random.normal(a.shape), DRAFTER.model.parameters()))
PROMPT = "ABC"
DRAWS = 3_000
WRONG_DRAWS = 1_500
SETTINGS = {"temperature": 6.0, "top_p": 0.95, "top_k": 12, "max_tokens": 3, "timing_every": 0}
SIGNIFICANCE = 1e-4


@pytest.fixture(autouse=True)
def _no_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TARGET.tokenizer, "eos_token_ids", (), raising=False)


def law() -> np.ndarray:
    """P(x1, x2): [V, V] float64 by teacher forcing."""
    sampler = Sampler(arm_state(TARGET, **SETTINGS).spec.settings)
    prompt = TARGET.tokenizer.encode(PROMPT)
    first = np.array(sampler.probabilities(TARGET.forward(mx.array(prompt), TARGET.make_caches())[0][-1:]), np.float64)[
        0
    ]
    joint = np.zeros((VOCABULARY, VOCABULARY))
    for x1 in np.flatnonzero(first):
        logits = TARGET.forward(mx.array([*prompt, int(x1)]), TARGET.make_caches())[0][-1:]
        joint[x1] = first[x1] * np.array(sampler.probabilities(logits), np.float64)[0]
    return joint / joint.sum()


def draws(drafter: Callable[[], Drafter], count: int = DRAWS) -> Counter[tuple[int, int, int]]:
    """Tokens 2 and 3 of the text (the round that drafts emits them) with how many drafts were kept."""
    state = arm_state(TARGET, drafter(), block=2, **SETTINGS)
    found: Counter[tuple[int, int, int]] = Counter()
    for seed in range(count):
        state.spec = replace(state.spec, settings=replace(state.spec.settings, seed=seed))
        ids: list[int] = []
        kept = -1
        for event in race([state], PROMPT, raw=True):
            if isinstance(event, Round):
                ids += event.emitted_ids
                kept = event.accepted if event.index == 1 else kept
            if len(ids) >= 2:
                break
        found[ids[0], ids[1], kept] += 1
    return found


def p_value(found: Counter[tuple[int, int, int]]) -> float:
    """Pearson's chi-square over joint tokens, tail pooled; 0 where a token outside the support was drawn."""
    joint, counts = law(), np.zeros((VOCABULARY, VOCABULARY))
    for (x1, x2, _), n in found.items():
        counts[x1, x2] += n
    if counts[joint == 0].any():
        return 0.0
    expected = joint * counts.sum()
    big = expected >= 10
    observed, wanted = counts[big], expected[big]
    if (tail := expected[~big].sum()) > 0:
        observed, wanted = np.append(observed, counts[~big].sum()), np.append(wanted, tail)
    return float(chisquare(observed, wanted).pvalue)


def self_made(text: list[int], width: int) -> list[int]:
    """A point mass that is sometimes right: tokens the truncated target likes."""
    return [(7 * text[-1] + 3) % VOCABULARY] * width


DRAFTERS: dict[str, Callable[[], Drafter]] = {
    "autoregressive": lambda: Autoregressive(DRAFTER, VOCABULARY),
    "point mass": lambda: Scripted(self_made),
}


@functools.cache
def by_the_right_rule(drafter: str) -> Counter[tuple[int, int, int]]:
    return draws(DRAFTERS[drafter])


@pytest.mark.parametrize("drafter", DRAFTERS)
def test_the_loop_draws_from_the_target(drafter: str) -> None:
    assert p_value(by_the_right_rule(drafter)) > SIGNIFICANCE


def test_drafts_are_kept_as_often_as_p_and_q_overlap() -> None:
    """Efficiency: a rule that rejects too much would be lossless and useless."""
    prompt = TARGET.tokenizer.encode(PROMPT)
    sampler = Sampler(arm_state(TARGET, **SETTINGS).spec.settings)
    first = law().sum(axis=1)
    overlap = 0.0
    for x1 in np.flatnonzero(first):
        rows = [
            np.array(
                sampler.probabilities(m.forward(mx.array([*prompt, int(x1)]), m.make_caches())[0][-1:]), np.float64
            )[0]
            for m in (TARGET, DRAFTER)
        ]
        overlap += first[x1] * np.minimum(*rows).sum()
    found = by_the_right_rule("autoregressive")
    kept = sum(n for (_, _, accepted), n in found.items() if accepted >= 1) / DRAWS
    assert abs(kept - overlap) < 4 * np.sqrt(overlap * (1 - overlap) / DRAWS)


def _wrong_no_residual(p: mx.array, proposal: Proposal) -> mx.array:
    return p


def _wrong_raw_q(p: mx.array, proposal: Proposal) -> tuple[mx.array, mx.array]:
    if proposal.q is None:
        return accept.drafted(p, proposal)
    flat = mx.power(proposal.q, 3)
    return _drafted(p, Proposal(proposal.tokens, flat / flat.sum(axis=-1, keepdims=True)))


def _wrong_greedy(p: mx.array, proposal: Proposal, uniforms: mx.array, noise: mx.array) -> Decision:
    return accept.accept_greedy(mx.argmax(p, axis=-1), proposal.tokens)


def _wrong_match(p: mx.array, proposal: Proposal, uniforms: mx.array, noise: mx.array) -> Decision:
    """Accepts a draft with p(y), as for a point mass, although it was drawn from q, and corrects from p - q."""
    draft_p, _ = accept.drafted(p, proposal)
    accepted = accept.leading(uniforms < draft_p)
    rest = accept.residuals(p, proposal)[accepted]
    return Decision(accepted, mx.argmax(mx.log(rest) + noise), draft_p, draft_p)


_drafted = accept.drafted


@pytest.mark.parametrize(
    ("name", "wrong", "count"),
    [
        ("residuals", _wrong_no_residual, WRONG_DRAWS),
        ("drafted", _wrong_raw_q, 2 * WRONG_DRAWS),
        ("accept_sampled", _wrong_greedy, WRONG_DRAWS // 4),
        ("accept_sampled", _wrong_match, WRONG_DRAWS),
    ],
)
def test_wrong_rules_fail_the_same_test(name: str, wrong: object, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(accept, name, wrong)
    assert p_value(draws(DRAFTERS["autoregressive"], count)) < SIGNIFICANCE


def test_a_drafter_that_ignores_the_temperature_it_declares_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Drafts are drawn from one distribution while q is another."""
    from engine.drafters import autoregressive

    monkeypatch.setattr(autoregressive, "draw", lambda q, key: draw(mx.power(q, 3), key))
    assert p_value(draws(DRAFTERS["autoregressive"], WRONG_DRAWS)) < SIGNIFICANCE
