"""Intervals against known truths, corrections against worked examples."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as reference

from engine.stats import (
    bootstrap,
    bootstrap_mean,
    bootstrap_paired_difference,
    bootstrap_paired_ratio,
    bootstrap_ratio,
    holm,
    normal_two_sided,
    wilson,
)


def test_the_mean_of_a_bootstrap_agrees_with_scipys() -> None:
    values = np.random.default_rng(1).normal(3, 2, 60)
    found = bootstrap_mean(values, seed=4, resamples=8000)
    theirs = reference.bootstrap(
        (values,), np.mean, n_resamples=8000, method="percentile", rng=np.random.default_rng(4)
    ).confidence_interval
    assert found.value == pytest.approx(values.mean())
    assert found.low == pytest.approx(theirs.low, abs=0.03)
    assert found.high == pytest.approx(theirs.high, abs=0.03)
    assert found.units == 60


def test_a_95_percent_interval_holds_the_truth_about_95_times_in_100() -> None:
    rng = np.random.default_rng(7)
    truth = held = 0
    for i in range(400):
        forwards = rng.integers(10, 40, 80)
        tokens = forwards * 2 + rng.normal(0, 5, 80)
        found = bootstrap_ratio(tokens, forwards, seed=i, resamples=400)
        truth += 1
        held += found.low <= 2.0 <= found.high
    assert 0.91 <= held / truth <= 0.985


def test_a_ratio_is_of_sums_and_a_paired_ratio_of_units() -> None:
    a, b = [1.0, 100.0], [1.0, 50.0]
    assert bootstrap_ratio(a, b).value == pytest.approx(101 / 51)
    assert bootstrap_paired_ratio(a, b).value == pytest.approx(np.sqrt(2))
    assert bootstrap_paired_difference(a, b).value == pytest.approx(25)


def test_pairs_stay_together() -> None:
    """Prompts differ a hundredfold, the ratio hardly: an interval of unpaired arms would be as wide as the prompts."""
    rng = np.random.default_rng(2)
    base = np.exp(rng.normal(0, 2, 30))
    found = bootstrap_paired_ratio(base * 1.5 * np.exp(rng.normal(0, 0.01, 30)), base)
    assert 1.48 < found.low < 1.5 < found.high < 1.52


def test_any_function_of_sums() -> None:
    columns = np.array([[3.0, 1.0, 2.0], [5.0, 2.0, 2.0], [4.0, 1.0, 1.0]])
    found = bootstrap(columns, lambda s: s[..., 0] / (s[..., 1] + s[..., 2]), seed=1)
    assert found.value == pytest.approx(12 / 9)
    assert found.low <= found.value <= found.high


def test_the_same_seed_gives_the_same_interval() -> None:
    values = np.random.default_rng(0).normal(size=40)
    assert bootstrap_mean(values, seed=3) == bootstrap_mean(values, seed=3)
    assert bootstrap_mean(values, seed=3) != bootstrap_mean(values, seed=4)


def test_too_few_units_have_no_interval() -> None:
    assert (bootstrap_mean([]).value, bootstrap_mean([]).units) == (None, 0)
    one = bootstrap_mean([2.0])
    assert (one.value, one.low, one.high, one.units) == (2.0, None, None, 1)
    assert bootstrap_ratio([1, 1], [0, 0]).value is None


def test_what_does_not_pair_is_refused() -> None:
    with pytest.raises(ValueError, match="two lists of one length"):
        bootstrap_ratio([1, 2], [1])
    with pytest.raises(ValueError, match="above 0"):
        bootstrap_paired_ratio([1, 0], [1, 1])


def test_holm_on_a_worked_example() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]) == ()


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_never_lowers_a_p_value_and_keeps_their_order(p_values: list[float]) -> None:
    adjusted = holm(p_values)
    assert all(a >= p and a <= 1 for a, p in zip(adjusted, p_values, strict=True))
    ranked = [a for _, a in sorted(zip(p_values, adjusted, strict=True))]
    assert ranked == sorted(ranked)


def test_normal_tail_and_wilson_agree_with_scipy() -> None:
    for z in (0.0, 0.5, -1.96, 4.0):
        assert normal_two_sided(z) == pytest.approx(2 * reference.norm.sf(abs(z)), rel=1e-12)
    for k, n in ((0, 10), (3, 10), (10, 10), (421, 3000)):
        theirs = reference.binomtest(k, n).proportion_ci(0.95, method="wilson")
        mine = wilson(k, n)
        assert (mine.low, mine.high) == pytest.approx((theirs.low, theirs.high), abs=1e-7)
    assert wilson(0, 0).value is None
