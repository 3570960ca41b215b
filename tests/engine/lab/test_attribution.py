from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.lab import attribution, profile
from engine.lab.costs import cost_curves, rows_to_measure, seconds_of
from engine.lab.decompose import shapley
from engine.lab.evidence import read_traces
from engine.lab.plan import make_plan
from engine.lab.result import LabError, read_result
from engine.trace.events import Finished, Round, Started
from engine.trace.file import Trace
from tests.engine.lab.planted import FACTS, Cost, Heard, answer, baseline, drafting, flat, knee_at, layers, trace
from tests.engine.lab.test_measure import SAMPLES, opener
from tests.engine.lab.test_profile import ARMS

KEPT = (1.0,) * 3
"""Every draft of a block of 4 is right: 4 tokens a round."""


def curve_trace(cost: Cost, widths: Sequence[int] = (1, 2, 4, 8)) -> Trace:
    spec = baseline()
    start = Started(
        arm="cost baseline", turn=0, t_s=0, spec=spec, target=FACTS, prompt_tokens=9,
        labels={"purpose": "cost", "target": "embedded", "cell": "cost"},
    )  # fmt: skip
    rounds = [
        Round(arm="cost baseline", turn=0, index=i, t_s=0, context_tokens=9, requested_width=rows - 1, width=rows - 1,
              accepted=0, emitted_tokens=0, verify_s=cost(rows) * (1, 1, 5)[i % 3])
        for i, rows in enumerate(rows for rows in widths for _ in range(3))
    ]  # fmt: skip
    return trace([start, *rounds, Finished(arm="cost baseline", turn=0, t_s=1, reason="length", output_tokens=0)])


def attributed(*arms: dict[str, Any], cost: Cost = flat, samples: int = 6, plain: dict[str, Any] | None = None) -> Any:
    traces = [curve_trace(cost)]
    for i in range(samples):
        runs = [answer(baseline(), f"s{i}", layers(i), tokens=121, **(plain or {"cost": cost}))]
        for number, arm in enumerate(arms):
            runs.append(answer(drafting(f"arm {number}"), f"s{i}", layers(i), tokens=121, seed=i, **arm))
        traces.append(trace(*runs))
    return attribution.results_from_traces(traces)


def logs(pair: dict[str, Any]) -> dict[str, float]:
    return {name: part["log"]["value"] for name, part in pair["components"].items()}


# Exact on synthetic rounds


def test_parts_add_up_to_the_speed_up_exactly() -> None:
    found = attributed({"alpha": (0.7, 0.6, 0.5), "draft_s": 0.02, "overhead_s": 0.003, "cost": knee_at(2)})
    (pair,) = found["pairs"]
    assert sum(logs(pair).values()) == pytest.approx(math.log(pair["speedup"]["value"]), abs=1e-12)
    factors = [part["factor"] for part in pair["components"].values()]
    assert math.prod(factors) == pytest.approx(pair["speedup"]["value"], rel=1e-12)


def test_planted_costs_are_found_exactly() -> None:
    # 120 decode tokens: 30 rounds of 4 at 0.1 + 0.02 + 0.004 s against 120 rounds of 0.1 + 0.004 s.
    plain = {"cost": flat, "overhead_s": 0.004}
    found = attributed({"alpha": KEPT, "draft_s": 0.02, "overhead_s": 0.004}, plain=plain)
    (pair,) = found["pairs"]
    assert pair["round_s"]["arm"] == pytest.approx({"verify": 0.1, "draft": 0.02, "overhead": 0.004, "total": 0.124})
    assert pair["round_s"]["reference"] == pytest.approx(
        {"verify": 0.1, "draft": 0.0, "overhead": 0.004, "total": 0.104}
    )
    parts = logs(pair)
    assert parts["accepted_length"] == pytest.approx(math.log(4))
    assert parts["draft"] == pytest.approx(-math.log(0.124 / 0.104))
    assert parts["verify"] == pytest.approx(0, abs=1e-12) and parts["overhead"] == pytest.approx(0, abs=1e-12)


def test_a_dearer_verify_is_told_from_a_dearer_draft() -> None:
    found = attributed({"alpha": KEPT, "cost": knee_at(1, slope=0.1)})
    parts = logs(found["pairs"][0])
    assert parts["verify"] == pytest.approx(-math.log(4)) and parts["draft"] == pytest.approx(0, abs=1e-12)
    assert found["pairs"][0]["speedup"]["value"] == pytest.approx(1)


def test_drafts_that_were_timed_now_and_then_are_told_apart_all_the_same() -> None:
    every = attributed({"alpha": KEPT, "draft_s": 0.03, "split_every": 1})["pairs"][0]
    eighth = attributed({"alpha": KEPT, "draft_s": 0.03, "split_every": 8})["pairs"][0]
    assert logs(eighth) == pytest.approx(logs(every))


def test_an_arm_is_compared_with_the_first_drafting_arm_too() -> None:
    found = attributed({"alpha": KEPT, "draft_s": 0.06}, {"alpha": KEPT, "draft_s": 0.02})
    assert [(p["arm"], p["reference"]) for p in found["pairs"]] == [
        ("arm 0", "baseline"), ("arm 1", "baseline"), ("arm 1", "arm 0"),
    ]  # fmt: skip
    cheaper = logs(found["pairs"][2])
    assert cheaper["draft"] == pytest.approx(math.log(0.16 / 0.12))
    assert cheaper["accepted_length"] == pytest.approx(0, abs=1e-12)


@given(st.lists(st.floats(1e-4, 10), min_size=6, max_size=6))
def test_savings_add_up_and_nothing_is_saved_by_what_is_the_same(values: list[float]) -> None:
    own, other = np.array(values[:3]), np.array(values[3:])
    assert shapley(own, other).sum() == pytest.approx(np.log(other.sum() / own.sum()), abs=1e-9)
    assert shapley(own, own) == pytest.approx(np.zeros(3), abs=1e-12)
    swapped = shapley(own[[1, 0, 2]], other[[1, 0, 2]])
    assert shapley(own, other) == pytest.approx(swapped[[1, 0, 2]], abs=1e-9)


# Predicted against measured


def test_where_the_costs_account_for_all_nothing_is_unexplained() -> None:
    cost = knee_at(2)
    found = attributed({"alpha": KEPT, "draft_s": 0.02, "cost": cost}, cost=cost)
    (pair,) = found["pairs"]
    assert pair["predicted"]["value"] == pytest.approx(pair["speedup"]["value"])
    assert pair["unexplained"]["log"]["value"] == pytest.approx(0, abs=1e-9)
    assert pair["unexplained"]["seconds"] == pytest.approx({"arm": 0, "reference": 0}, abs=1e-9)


def test_what_no_part_accounts_for_is_shown() -> None:
    # The forwards of the race took 0.05 s longer than those of the cost curve.
    found = attributed({"alpha": KEPT, "draft_s": 0.02, "cost": lambda rows: 0.15}, cost=flat)
    (pair,) = found["pairs"]
    assert pair["unexplained"]["seconds"]["arm"] == pytest.approx(0.05)
    assert pair["unexplained"]["seconds"]["reference"] == pytest.approx(0)
    assert pair["unexplained"]["log"]["value"] == pytest.approx(-math.log(0.17 / 0.12))
    assert pair["predicted"]["value"] == pytest.approx(4 * 0.1 / 0.12)


def test_without_a_cost_curve_nothing_is_predicted() -> None:
    runs = trace(answer(baseline(), "s", layers(0)), answer(drafting(), "s", layers(0), alpha=KEPT))
    found = attribution.results_from_traces([runs])
    assert found["cost_curve"] == {}
    assert found["pairs"][0]["predicted"] is None and found["pairs"][0]["unexplained"] is None


def test_samples_that_repeat_themselves_are_left_out() -> None:
    runs = [
        answer(baseline(), "s", layers(0), looping=True),
        answer(drafting(), "s", layers(0), alpha=KEPT, looping=True),
    ]
    found = attribution.results_from_traces([trace(*runs)])
    assert found["pairs"] == [] and found["void"][0]["why"] == "repeats itself"


# Cost curve


def test_the_cost_curve_is_the_median_and_straight_between() -> None:
    curve = cost_curves([curve_trace(knee_at(2))])["embedded"]
    assert curve == pytest.approx({1: 0.1, 2: 0.1, 4: 0.18, 8: 0.34})
    assert seconds_of(curve, [1, 3, 8, 10]) == pytest.approx([0.1, 0.14, 0.34, 0.42])


def test_one_row_and_the_widest_are_always_measured() -> None:
    assert rows_to_measure(7) == (1, 2, 3, 4, 5, 6, 7)
    assert rows_to_measure(1) == (1,)
    assert rows_to_measure(17)[-2:] == (16, 17)


# Run


def test_run_takes_the_races_of_a_profile_that_is_there(tmp_path: Path) -> None:
    plan = make_plan("quick", SAMPLES, tokens=24, sizes={"cost_passes": 2})
    first = profile.run(plan, ARMS, tmp_path, Heard(), opener)  # type: ignore[arg-type]
    result = attribution.run(plan, ARMS, tmp_path, Heard(), opener)  # type: ignore[arg-type]
    assert result.conditions["races_of"] == "profile"
    assert result.traces == (*first.traces, "traces/attribution-cost.slipstream")
    stored = read_result(tmp_path / "attribution.json")
    again = attribution.results_from_traces(read_traces(tmp_path, stored.traces))
    assert stored.results == json.loads(json.dumps(again))
    assert [point["rows"] for point in stored.results["cost_curve"]["embedded"]] == [1, 2, 3, 4]


def test_run_measures_where_the_profile_was_another(tmp_path: Path) -> None:
    plan = make_plan("quick", SAMPLES, tokens=24, sizes={"cost_passes": 1})
    profile.run(make_plan("quick", SAMPLES, tokens=20), ARMS, tmp_path, Heard(), opener)  # type: ignore[arg-type]
    result = attribution.run(plan, ARMS, tmp_path, Heard(), opener)  # type: ignore[arg-type]
    assert result.conditions["races_of"] == "attribution" and result.status == "measured"
    assert all(name.startswith("traces/attribution-") for name in result.traces)


def test_a_cancelled_run_keeps_its_races(tmp_path: Path) -> None:
    plan = make_plan("quick", SAMPLES, tokens=24, sizes={"cost_passes": 1})
    profile.run(plan, ARMS, tmp_path, Heard(), opener)  # type: ignore[arg-type]
    result = attribution.run(plan, ARMS, tmp_path, Heard(stop_after=0), opener)  # type: ignore[arg-type]
    assert result.status == "stopped" and result.results["cost_curve"] == {}


def test_without_a_drafter_there_is_nothing_to_attribute(tmp_path: Path) -> None:
    with pytest.raises(LabError, match="needs a baseline and an arm with a drafter"):
        attribution.run(make_plan("quick", SAMPLES), ARMS[:1], tmp_path, Heard(), opener)  # type: ignore[arg-type]
