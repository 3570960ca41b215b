from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from engine.lab import profile
from engine.lab.decay import cochran_armitage, decay
from engine.lab.evidence import evidence, read_traces
from engine.lab.plan import make_plan
from engine.lab.result import LabError, read_result
from engine.trace.events import Arm, Settings
from engine.trace.file import Trace
from tests.engine.lab.planted import Heard, answer, baseline, drafting, layers, trace
from tests.engine.lab.test_measure import SAMPLES, opener

FALLING = (0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3)
LEVEL = (0.75,) * 7


def profiled(alpha: Sequence[float], samples: int = 24, seed: int = 0, **more: Any) -> dict[str, Any]:
    return profile.results_from_traces(traces(alpha, samples, seed, **more))


def traces(alpha: Sequence[float], samples: int = 24, seed: int = 0, **more: Any) -> list[Trace]:
    return [
        trace(
            answer(baseline(), f"sample {i}", layers(i), seed=seed + i),
            answer(drafting(), f"sample {i}", layers(i), alpha=alpha, seed=seed + 1000 * i, **more),
        )
        for i in range(samples)
    ]


def survival_of(alpha: Sequence[float]) -> list[float]:
    kept = [1.0]
    for a in alpha:
        kept.append(kept[-1] * a)
    return kept[1:]


# The planted drafter


def test_known_acceptance_is_recovered_at_every_position() -> None:
    found = profiled(FALLING)["arms"]["spec"]["overall"]
    assert [point["position"] for point in found["conditional"]] == [1, 2, 3, 4, 5, 6, 7]
    for points, truth in ((found["conditional"], FALLING), (found["survival"], survival_of(FALLING))):
        for point, true in zip(points, truth, strict=True):
            # The last block of a text is narrower, never different.
            assert point["low"] <= true <= point["high"], point


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    held = total = 0
    for seed in range(40):
        answers = evidence(traces(FALLING[:4], samples=12, seed=seed * 100_003)).answers
        found = profile.figures([a for a in answers if a.drafts], answers, None)
        for point, true in zip(found["conditional"], FALLING, strict=False):
            held += point["low"] <= true <= point["high"]
            total += 1
    assert 0.93 <= held / total <= 1


def test_lengths_follow_from_acceptance() -> None:
    found = profiled(LEVEL, samples=60)["arms"]["spec"]["overall"]
    tau = 1 + sum(survival_of(LEVEL))
    assert found["accepted_length"]["low"] <= tau <= found["accepted_length"]["high"]
    assert found["accepted_drafts"]["value"] == pytest.approx(found["accepted_length"]["value"] - 1)
    assert found["wasted_share"]["value"] == pytest.approx(1 - found["draft_acceptance_rate"]["value"])
    assert sum(found["accepted_length_histogram"]) == found["drafting_rounds"]
    assert sum(at * n for at, n in enumerate(found["accepted_length_histogram"])) == found["accepted"]
    assert sum(found["rejected_by_position"]) == sum(found["accepted_length_histogram"][:7]) - cut(found)


def cut(found: dict[str, Any]) -> int:
    """Blocks all of whose drafts were kept, but narrower than seven."""
    kept_all = found["drafting_rounds"] - sum(found["rejected_by_position"])
    return int(kept_all - found["accepted_length_histogram"][7])


def test_speed_up_is_the_planted_one() -> None:
    found = profiled(LEVEL, cost=lambda rows: 0.15)["arms"]["spec"]["overall"]
    tokens_a_round = (found["emitted"] - 24) / (found["rounds"] - 24)
    assert found["speedup"]["value"] == pytest.approx(tokens_a_round * 0.1 / 0.15)
    assert found["draft_share"]["value"] == 0


def test_draft_share_counts_rounds_that_were_not_timed_apart() -> None:
    found = profiled(LEVEL, draft_s=0.05, split_every=8)["arms"]["spec"]["overall"]
    drafted_s = 0.05 * found["drafting_rounds"]
    rest_s = 0.1 * (found["rounds"] - found["samples"])  # the prefill's own round counts in neither
    assert found["draft_share"]["value"] == pytest.approx(drafted_s / (drafted_s + rest_s))


# Suffix decay


def test_decay_is_called_where_it_is() -> None:
    found = profiled(FALLING)["arms"]["spec"]["overall"]["decay"]
    assert found["called"] == "falls" and found["p_value"] < 1e-6
    assert found["slope"]["high"] < 0


def test_level_acceptance_is_flat_though_survival_falls() -> None:
    found = profiled(LEVEL, samples=60)["arms"]["spec"]["overall"]
    assert found["survival"][6]["value"] < 0.25 < found["survival"][0]["value"]
    assert found["decay"]["called"] == "flat"


def test_decay_is_rarely_called_where_there_is_none() -> None:
    source = random.Random(5)
    called = 0
    for _ in range(200):
        accepted, reached = [], []
        for _ in range(12):
            n, row_a, row_r = 30, [], []
            for _ in range(5):
                kept = sum(source.random() < 0.7 for _ in range(n))
                row_r.append(n)
                row_a.append(kept)
                n = kept
            accepted.append(row_a)
            reached.append(row_r)
        called += decay(accepted, reached)["called"] == "falls"
    assert called <= 6  # of 200, at a level of 1 %


def test_too_few_rounds_are_undecided() -> None:
    assert decay([[3, 1]], [[5, 3]])["called"] == "undecided"
    assert decay([], [])["called"] == "undecided"
    # One sample says nothing of others, however many its rounds.
    assert decay([[900, 450]], [[1000, 900]])["called"] == "undecided"


def test_trend_of_shares_by_hand() -> None:
    # Shares 0.8 and 0.5 of 10: two positions make it the pooled test of two shares, z = -0.3 / sqrt(0.65 0.35 / 5).
    assert cochran_armitage([8, 5], [10, 10]) == pytest.approx(0.0798, abs=1e-4)
    assert cochran_armitage([5, 8], [10, 10]) == pytest.approx(1 - 0.0798, abs=1e-4)
    assert cochran_armitage([10, 10], [10, 10]) == 1
    assert cochran_armitage([1], [2]) == 1


# Layers, void samples, cut runs


def test_layers_hold_their_own_samples() -> None:
    mixed = [
        trace(
            answer(baseline(), f"sample {i}", layers(i), seed=i),
            answer(drafting(), f"sample {i}", layers(i), alpha=((0.9,) * 5, (0.2,) * 5)[i % 2], seed=i),
        )
        for i in range(12)
    ]
    by = profile.results_from_traces(mixed)["arms"]["spec"]["by"]
    assert set(by["task"]) == {"code", "question"} and set(by["length"]) == {"short", "medium", "long"}
    assert by["task"]["code"]["samples"] == by["task"]["question"]["samples"] == 6
    assert by["task"]["code"]["accepted_length"]["low"] > by["task"]["question"]["accepted_length"]["high"]
    assert by["task"]["code"]["traces"] == [f"traces/profile-sample-{i}.slipstream" for i in range(0, 12, 2)]
    assert by["source"]["scripted"]["accepted"] == sum(by["task"][task]["accepted"] for task in by["task"])
    assert by["source"]["scripted"]["speedup"] is None


def test_text_that_repeats_itself_counts_for_nothing() -> None:
    clean = traces(LEVEL, 6)
    loop = trace(
        answer(baseline(), "loop", layers(0), looping=True),
        answer(drafting(), "loop", layers(0), alpha=(1.0,) * 7, looping=True),
    )
    found = profile.results_from_traces([*clean, loop])
    assert found["void"] == [{"cell": "loop", "sample": "loop", "why": "repeats itself"}]
    assert found["arms"] == profile.results_from_traces(clean)["arms"]
    alone = profile.results_from_traces([loop])["arms"]["spec"]["overall"]
    assert (alone["samples"] == 0 and alone["speedup"] is None) or alone["speedup"]["value"] is None


def test_a_sample_that_was_cut_counts_in_no_arm() -> None:
    clean = traces(LEVEL, 4)
    part = trace(
        answer(baseline(), "cut", layers(0), reason="cancelled"), answer(drafting(), "cut", layers(0), alpha=LEVEL)
    )
    found = profile.results_from_traces([*clean, part])
    assert found["unfinished"] == [{"cell": "cut", "sample": "cut", "arm": "baseline", "why": "cancelled"}]
    assert found["arms"] == profile.results_from_traces(clean)["arms"]


# Run


ARMS = (
    Arm(name="baseline", settings=Settings()),
    Arm(name="spec", drafter="lookup", settings=Settings(block=4)),
)


def test_run_writes_what_can_be_computed_again(tmp_path: Path) -> None:
    heard = Heard()
    plan = make_plan("quick", SAMPLES, tokens=24)
    result = profile.run(plan, ARMS, tmp_path, heard, opener)  # type: ignore[arg-type]
    stored = read_result(tmp_path / "profile.json")
    assert stored.status == "measured" and stored.environment.targets["spec"].name == "tiny dense"
    again = profile.results_from_traces(read_traces(tmp_path, stored.traces))
    assert stored.results == json.loads(json.dumps(again)) == json.loads(json.dumps(result.results))
    assert stored.conditions["samples"] == [sample.name for sample in plan.prompts]
    assert len(stored.traces) == 4
    assert "No sample with language zh was measured." in stored.not_tested
    assert {cell[:3] for cell in heard.cells} >= {("profile", "all", "spec")}
    assert heard.steps[-1] == ("profile", 4, 4)


def test_a_stopped_run_says_so_and_keeps_whole_samples(tmp_path: Path) -> None:
    plan = make_plan("quick", SAMPLES, tokens=24)
    whole = Heard()
    profile.run(plan, ARMS, tmp_path / "whole", whole, opener)  # type: ignore[arg-type]
    stopping = Heard(stop_after=int(whole.asked * 0.6))
    result = profile.run(plan, ARMS, tmp_path, stopping, opener)  # type: ignore[arg-type]
    assert result.status == "stopped" and read_result(tmp_path / "profile.json").status == "stopped"
    assert 1 <= len(result.conditions["samples"]) < 4
    assert any("left out" in text for text in result.not_tested)


def test_without_a_drafter_there_is_nothing_to_profile(tmp_path: Path) -> None:
    with pytest.raises(LabError, match="needs an arm with a drafter"):
        profile.run(make_plan("quick", SAMPLES), ARMS[:1], tmp_path, Heard(), opener)  # type: ignore[arg-type]
