from __future__ import annotations

import pytest
from scipy.stats import binomtest

from engine.trace.events import Arm, ModelFacts, Settings
from engine.trace.export.figures import figures, reports, scheme, seconds, size, wilson_interval
from engine.trace.export.words import translator
from tests.engine.trace.export import sessions
from tests.engine.trace.rounds import make

T = translator()


@pytest.mark.parametrize(("part", "whole"), [(0, 5), (5, 5), (3, 9), (40, 412)])
def test_the_interval_is_wilsons(part: int, whole: int) -> None:
    expected = binomtest(part, whole).proportion_ci(method="wilson")
    assert wilson_interval(part, whole) == pytest.approx((expected.low, expected.high), abs=1e-6)


def test_speedup_is_over_the_first_arm() -> None:
    base = [make("p", arm="one", verify_s=0.2)]
    fast = [make("aab", 2, arm="two", verify_s=0.2)]
    one, two = reports([*base, *fast])
    assert (one.speedup, two.speedup) == pytest.approx((1.0, 3.0))
    assert one.verdict is None and two.verdict is not None


def test_an_unknown_figure_is_a_dash_not_a_zero() -> None:
    (arm,) = reports([make("p", verify_s=0.0)])
    values = {figure.name: figure.value for figure in figures(arm, T)}
    assert values["Speed"] == values["Draft acceptance"] == values["Mean accepted length"] == "–"


def test_counts_are_shown_as_a_sum() -> None:
    (arm,) = reports([make("p", index=0), make("aac", 4), make("aab", 2), make("p")])
    values = {figure.name: figure.value for figure in figures(arm, T)}
    assert values["Emitted tokens"] == "8 = 4 + 1 + 1 + 2"
    assert values["Draft acceptance"] == "66.7 % (4 of 6)"


def test_an_arm_in_a_few_words() -> None:
    spec = Arm(name="x", drafter="d+lookup", settings=Settings(block=5, temperature=0.7))
    assert scheme(sessions.started("x", spec=spec), T) == "look-up + d · block 5 · temperature 0.7"
    named = sessions.started("x", spec=Arm(name="x", drafter="/long/path"), drafter=ModelFacts(name="Small"))
    assert scheme(named, T) == "Small · block 8 · greedy"
    both = sessions.started("x", spec=Arm(name="x", drafter="lookup+table"), drafter=ModelFacts(name="Table of M"))
    assert scheme(both, T) == "look-up + Table of M · block 8 · greedy"
    branching = Arm(name="x", drafter="lookup+table+/e", settings=Settings(tree=True))
    assert scheme(sessions.started("x", spec=branching), T) == "look-up + table + /e · block 8 · tree · greedy"
    assert scheme(sessions.started("baseline"), T) == "target alone · greedy"


@pytest.mark.parametrize(("value", "shown"), [(None, "–"), (0.00123, "1.23 ms"), (0.41, "410 ms"), (2.5, "2.50 s")])
def test_times(value: float | None, shown: str) -> None:
    assert seconds(value) == shown


@pytest.mark.parametrize(("count", "shown"), [(512, "0.5 KiB"), (3 << 20, "3.0 MiB"), (5 << 29, "2.50 GiB")])
def test_sizes(count: int, shown: str) -> None:
    assert size(count) == shown
