"""The mathematics against scipy, the bounds against simulation, the power against planted faults."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special, stats

from engine.lab.goodness import (
    Bins,
    chi_square,
    chi_square_quantile,
    chi_square_tail,
    detectable_tv,
    draws_for,
    fit,
    g_statistic,
    gamma_upper,
    noncentral_tail,
    noncentrality,
    pool,
    tv_bound_of_noise,
)

LAW = {(i,): w / 55 for i, w in enumerate(range(10, 0, -1))}


def counts(rng: np.random.Generator, p: np.ndarray, draws: int) -> Counter[tuple[int, ...]]:
    return Counter({(i,): int(n) for i, n in enumerate(rng.multinomial(draws, p)) if n})


def law(p: np.ndarray) -> dict[tuple[int, ...], float]:
    return {(i,): float(x) for i, x in enumerate(p)}


@given(st.floats(0.5, 400), st.floats(0, 900))
@settings(max_examples=300, deadline=None)
def test_the_incomplete_gamma_function_is_scipys(a: float, x: float) -> None:
    assert gamma_upper(a, x) == pytest.approx(special.gammaincc(a, x), rel=1e-9, abs=1e-13)


def test_tails_far_out_keep_their_digits() -> None:
    for df, x in ((1, 50.0), (9, 120.0), (19, 300.0)):
        assert chi_square_tail(x, df) == pytest.approx(stats.chi2.sf(x, df), rel=1e-9)
    assert chi_square_tail(3.0, 0) == 1.0
    with pytest.raises(ValueError, match="above"):
        gamma_upper(0, 1)


@pytest.mark.parametrize("df", [1, 4, 11])
@pytest.mark.parametrize("tail", [0.05, 0.001, 1e-6])
def test_quantiles_are_scipys(df: int, tail: float) -> None:
    assert chi_square_quantile(tail, df) == pytest.approx(stats.chi2.isf(tail, df), rel=1e-9)


@pytest.mark.parametrize(("df", "noncentral"), [(1, 0.0), (1, 7.8), (9, 38.7), (19, 120.0)])
def test_noncentral_tails_are_scipys(df: int, noncentral: float) -> None:
    for x in (0.5, 10.0, 60.0):
        expected = stats.ncx2.sf(x, df, noncentral) if noncentral else stats.chi2.sf(x, df)
        assert noncentral_tail(x, df, noncentral) == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize(
    ("df", "alpha", "power", "expected"),
    [(1, 0.05, 0.8, 7.8), (9, 0.05, 0.95, 23.6), (9, 0.001, 0.95, 38.7), (49, 0.01, 0.8, 39.6)],
)
def test_noncentrality_of_published_tables(df: int, alpha: float, power: float, expected: float) -> None:
    assert noncentrality(df, alpha, power) == pytest.approx(expected, abs=0.06)


def test_statistics_are_scipys() -> None:
    p, observed = np.array([0.5, 0.3, 0.2]), np.array([55.0, 20.0, 25.0])
    assert chi_square(observed, p) == pytest.approx(stats.chisquare(observed, 100 * p).statistic)
    g = stats.power_divergence(observed, 100 * p, lambda_="log-likelihood").statistic
    assert g_statistic(observed, p) == pytest.approx(g)


def test_bins_are_fixed_by_the_law_and_hold_enough() -> None:
    bins = pool(LAW, 200, least=10, most=6)
    assert bins.outcomes == ((0,), (1,), (2,), (3,), (4,))
    assert bins.tail == pytest.approx(15 / 55)
    alone = pool({(0,): 0.96, (1,): 0.031, (2,): 0.008, (3,): 0.001}, 1000, least=10)
    assert alone.outcomes == ((0,),)  # 9 expected in the shared bin are too few: (1,) joins it
    whole = pool({(0,): 0.25, (1,): 0.75}, 100)
    assert whole.tail == pytest.approx(0, abs=1e-12)


def test_impossible_outcomes_fail_without_statistics() -> None:
    bins = pool({(0,): 0.25, (1,): 0.75}, 100)
    assert fit({(0,): 25, (1,): 75}, bins).p_value == 1.0
    assert fit({(0,): 25, (1,): 75}, bins, impossible=1).p_value == 0.0
    assert fit({(0,): 25, (1,): 74, (7,): 1}, bins).impossible == 1


def test_p_values_of_a_true_law_are_uniform() -> None:
    rng = np.random.default_rng(3)
    p = np.array(list(LAW.values()))
    found = [fit(counts(rng, p, 2000), pool(LAW, 2000)).p_value for _ in range(600)]
    assert stats.kstest(found, "uniform").pvalue > 0.01


def test_the_bound_on_total_variation_holds() -> None:
    """The true law is a planted 0.03 away from the tested one: beyond the bound no more than once in 100."""
    rng = np.random.default_rng(4)
    p = np.array(list(LAW.values()))
    true = p + np.array([0.03, -0.03, 0, 0, 0, 0, 0, 0, 0, 0])
    bins = pool(LAW, 3000)
    bounds = np.array([fit(counts(rng, true, 3000), bins).tv_bound for _ in range(500)])
    assert (bounds < 0.03).mean() <= 0.01
    assert bounds.mean() < 0.11


def test_a_fault_that_should_be_found_is_found_as_often_as_promised() -> None:
    alpha, tv = 0.001, 0.05
    draws = draws_for(tv, 10, alpha)
    assert detectable_tv(draws, 10, alpha) == pytest.approx(tv, rel=1e-3)
    rng = np.random.default_rng(5)
    p = np.array(list(LAW.values()))
    # The hardest fault of this size: every bin is wrong by the same share.
    true = p * (1 + 2 * tv * np.where(np.cumsum(p) <= 0.5, 1, -1))
    true /= true.sum()
    real = np.abs(true - p).sum() / 2
    bins = pool(LAW, draws)
    found = np.mean([fit(counts(rng, true, draws), bins).p_value < alpha for _ in range(300)])
    assert real <= 0.0505
    assert found > 0.9


def test_the_figure_that_is_published_for_ten_thousand_draws() -> None:
    assert tv_bound_of_noise(10_000, 20, 0.999) == pytest.approx(0.0218 + 0.0186, abs=1e-3)
    assert (tv_bound_of_noise(0, 5), detectable_tv(0, 5, 0.01), detectable_tv(100, 1, 0.01)) == (1.0, 1.0, 1.0)


def test_nothing_drawn_is_no_evidence() -> None:
    found = fit({}, Bins(outcomes=((0,),), p=(0.4,)))
    assert (found.draws, found.tv_bound, found.p_value) == (0, 1.0, 1.0)
