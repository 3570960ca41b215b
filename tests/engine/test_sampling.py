"""The target's distribution: order of the processors, exact counts, and each row's own history."""

from __future__ import annotations

import mlx.core as mx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.sampling import Sampler, draw, probabilities
from engine.trace.events import Settings


def naive(logits: np.ndarray, s: Settings) -> np.ndarray:
    """The same distribution the slow way, one row, float64."""
    z = logits.astype(np.float64) / s.temperature
    p = np.exp(z - z.max())
    p /= p.sum()
    order = np.argsort(-p, kind="stable")
    keep = list(order[: s.top_k] if s.top_k else order)
    if s.top_p < 1:
        mass, kept = p[keep].sum(), []
        so_far = 0.0
        for token in keep:
            if so_far >= s.top_p:
                break
            kept.append(token)
            so_far += p[token] / mass
        keep = kept
    out = np.zeros_like(p)
    out[keep] = p[keep]
    if s.min_p:
        out[out < s.min_p * out.max()] = 0
    return out / out.sum()


@pytest.mark.parametrize("temperature", [1e-4, 1e-30, 1e-38, 1e-44, 1e-50])
def test_the_colder_the_nearer_to_greedy_and_never_no_number(temperature: float) -> None:
    logits = mx.array([[1.0, 9.0, 8.5], [-3.0, float("-inf"), -90.0]])
    s = Settings(temperature=temperature)
    assert probabilities(logits, s).tolist() == [[0, 1, 0], [1, 0, 0]]
    assert probabilities(logits, Settings(temperature=temperature, top_k=2, top_p=0.9)).tolist()[0] == [0, 1, 0]


@given(
    st.integers(0, 10_000),
    st.floats(0.05, 5),
    st.sampled_from([0, 1, 2, 5, 50]),
    st.sampled_from([0.01, 0.3, 0.9, 1.0]),
    st.sampled_from([0.0, 0.05, 0.5]),
)
@settings(max_examples=120, deadline=None)
def test_probabilities_equal_the_naive_ones(
    seed: int, temperature: float, top_k: int, top_p: float, min_p: float
) -> None:
    s = Settings(temperature=temperature, top_k=top_k, top_p=top_p, min_p=min_p)
    logits = np.random.default_rng(seed).normal(size=(3, 20)).astype(np.float32) * 3
    got = np.array(probabilities(mx.array(logits), s))
    for row, expected in zip(got, (naive(z, s) for z in logits), strict=True):
        # A top-p boundary within rounding may fall either way; everything else must agree.
        assert (
            np.abs(row - expected).max() < 1e-5
            or np.isclose(np.cumsum(np.sort(expected)[::-1]), s.top_p, atol=1e-5).any()
        )
        assert abs(row.sum() - 1) < 1e-5


def test_exactly_k_tokens_stay_where_logits_tie() -> None:
    p = np.array(probabilities(mx.zeros((1, 10)), Settings(temperature=1, top_k=3)))
    assert (p > 0).sum() == 3


def test_extreme_temperatures_stay_finite() -> None:
    logits = mx.array([[1e4, -1e4, 0.0]])
    assert np.allclose(np.array(probabilities(logits, Settings(temperature=1e-4))), [[1, 0, 0]])
    assert np.isfinite(np.array(probabilities(logits, Settings(temperature=100.0)))).all()


@given(st.integers(0, 10_000), st.integers(1, 12), st.integers(1, 20), st.integers(0, 5))
@settings(max_examples=80, deadline=None)
def test_each_row_is_penalised_by_its_own_history(seed: int, length: int, window: int, drafts: int) -> None:
    rng = np.random.default_rng(seed)
    vocabulary, penalty = 9, 1.7
    history = rng.integers(0, vocabulary, length).tolist()
    draft = rng.integers(0, vocabulary, drafts).tolist()
    logits = rng.normal(size=(drafts + 1, vocabulary)).astype(np.float32)
    sampler = Sampler(Settings(repetition_penalty=penalty, repetition_window_tokens=window))
    got = np.array(sampler.penalise(mx.array(logits), history, mx.array(draft, mx.int32)))
    for j in range(drafts + 1):
        expected = logits[j].copy()
        for token in set((history + draft[:j])[-window:]):
            expected[token] = expected[token] * penalty if expected[token] < 0 else expected[token] / penalty
        assert np.allclose(got[j], expected, atol=1e-6)


def test_penalty_off_leaves_the_logits_alone() -> None:
    logits = mx.array([[1.0, 2.0]])
    assert Sampler(Settings()).penalise(logits, [0, 1]) is logits


def test_the_same_seed_draws_the_same_and_another_does_not() -> None:
    p = mx.full((200, 8), 1 / 8)
    a, b, c = (draw(p, Sampler(Settings(seed=seed)).next_key()).tolist() for seed in (3, 3, 4))
    assert a == b
    assert a != c


def test_draws_follow_p_and_never_leave_its_support() -> None:
    from scipy.stats import chisquare

    p = np.array([0.5, 0.3, 0.0, 0.15, 0.05])
    counts = np.bincount(
        np.array(draw(mx.broadcast_to(mx.array(p.astype(np.float32)), (20_000, 5)), mx.random.key(1))), minlength=5
    )
    assert counts[2] == 0
    assert chisquare(counts[p > 0], 20_000 * p[p > 0]).pvalue > 1e-3


@pytest.mark.parametrize("greedy", [True, False])
def test_greedy_is_temperature_zero(greedy: bool) -> None:
    assert Sampler(Settings(temperature=0.0 if greedy else 0.5)).greedy is greedy
