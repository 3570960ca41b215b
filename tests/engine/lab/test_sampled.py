"""Sampling on tiny targets, with many draws: the right rule passes, a rule wrong by 0.05 does not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import mlx.core as mx
import numpy as np
import pytest
from mlx.utils import tree_map

from engine.drafters.autoregressive import Autoregressive
from engine.drafters.base import Drafter
from engine.drafters.lookup import Lookup
from engine.lab import sampled
from engine.lab.draws import Source
from engine.lab.goodness import tv_bound_of_noise
from engine.lab.remember import Remembering
from engine.lab.result import LabError, LabResult, read_result
from engine.lab.sampling_tests import results_from_traces
from engine.lab.wrong_rules import WRONG_RULES, planted
from engine.session import ArmState
from engine.trace.events import Arm, Settings
from engine.trace.file import read
from tests.engine.lab.tiny_checks import QuietJob, arm, endless, plan
from tests.tiny import VOCABULARY

TARGET = endless("dense")
NEAR = endless("dense")
mx.random.seed(1)
NEAR.model.update(tree_map(lambda a: a + 0.05 * mx.random.normal(a.shape), NEAR.model.parameters()))
DRAFTERS: dict[str, Callable[[], Drafter]] = {
    "lookup": lambda: Lookup(shortest=1),
    "near": lambda: Autoregressive(NEAR, VOCABULARY),
}


def opener(arms: Sequence[Arm]) -> list[ArmState]:
    return [ArmState(a, TARGET, DRAFTERS[a.drafter](), None) for a in arms]


def run(out: Path, drafter: str, job: QuietJob | None = None, **sizes: int) -> LabResult:
    given = {"sampling_draws": 800, "sampling_control_draws": 300, **sizes}
    return sampled.run(plan(**given), (arm(drafter),), out, job or QuietJob(), opener)  # type: ignore[arg-type]


@pytest.fixture(scope="module", params=["lookup", "near"])
def measured(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[LabResult, Path]:
    out = tmp_path_factory.mktemp(request.param)
    fewer = {"sampling_draws": 400, "sampling_control_draws": 150} if request.param == "near" else {}
    return run(out, request.param, **fewer), out


def test_the_loop_draws_from_the_targets_law(measured: tuple[LabResult, Path]) -> None:
    result, _ = measured
    found = result.results
    assert found["rejected"] == []
    names = {test["name"] for config in found["configs"] for test in config["tests"]}
    assert names >= {"token 1", "tokens 1-2", "tokens 1-3", "accepted 0", "accepted length"}
    assert any(name.startswith("accepted ") and name[9:].isdigit() and int(name[9:]) > 0 for name in names)
    assert all(each["ok"] for each in found["acceptance"])
    for config in found["configs"]:
        for test in config["tests"]:
            assert test["tv"] <= test["tv_bound"] <= 1
            assert test["draws"] <= config["draws"] == config["planned"]


def test_wrong_rules_are_rejected(measured: tuple[LabResult, Path]) -> None:
    controls = {c["name"]: c for c in measured[0].results["controls"]}
    assert set(controls) == {rule.name for rule in WRONG_RULES}
    blatant = {rule.name for rule in WRONG_RULES if not rule.subtle}
    assert all(controls[name]["caught"] for name in blatant)


def test_results_are_computed_again_from_the_traces(measured: tuple[LabResult, Path]) -> None:
    _, out = measured
    stored = read_result(out / "sampling.json")
    assert results_from_traces([read(out / name) for name in stored.traces]) == stored.results


def test_a_rule_wrong_by_five_hundredths_fails_where_the_right_one_passes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With as many draws as the mathematics asks for."""
    monkeypatch.setattr(sampled, "CONFIGS", sampled.CONFIGS[:1])
    monkeypatch.setattr(sampled, "WRONG_RULES", tuple(rule for rule in WRONG_RULES if rule.subtle))
    result = run(tmp_path, "lookup", sampling_draws=4000)
    needed = max(t["draws_for_aim"] for c in result.results["configs"] for t in c["tests"] if t["name"] == "token 1")
    assert needed <= 4000
    assert result.status == "pass"
    (control,) = result.results["controls"]
    assert (control["name"], control["draws"], control["caught"]) == ("0.05 of total variation", 4000, True)
    assert "impossible" not in " ".join(control["why"])  # found by statistics alone

    monkeypatch.setattr(sampled, "WRONG_RULES", ())
    source = Source(opener([arm("lookup", block=4)])[0])
    place = sampled.choose(source, plan())
    assert place is not None
    root = source.tree(place, sampled.settings_of(source.state.spec, sampled.CONFIGS[0]), 1, 1e-4)[()]
    with planted(root, seed=1):
        wrong = run(tmp_path / "wrong", "lookup", sampling_draws=4000)
    assert wrong.status == "fail"
    assert "lookup, temperature 1: token 1" in wrong.results["rejected"]


def test_the_planted_rule_is_wrong_by_exactly_what_it_says() -> None:
    p = np.array([0.5, 0.3, 0.15, 0.05])
    often = 0.05 / (1 - 0.3)
    mixed = (1 - often) * p + often * np.eye(4)[1]
    assert np.abs(mixed - p).sum() / 2 == pytest.approx(0.05)


def test_a_remembering_target_gives_what_the_target_gives() -> None:
    """Along a random walk of blocks, drops and repeats: the same logits, whatever was answered from memory."""
    target, plain = Remembering.of_target(TARGET), TARGET
    caches, others = target.make_caches(), plain.make_caches()
    rng = np.random.default_rng(0)
    before = 0
    for _ in range(60):
        rows = rng.integers(2, 4, rng.integers(1, 3)).tolist()
        a, b = target.forward(mx.array(rows), caches)[0], plain.forward(mx.array(rows), others)[0]
        assert mx.allclose(a, b, atol=2e-4).item()
        drop = int(rng.integers(0, len(rows) + 1)) if before < 4 else before + len(rows)
        for leaf in (*caches, *others):
            leaf.offset -= drop
        before += len(rows) - drop
    assert len(target.known) < 50  # some of the 60 were answered from memory


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    from engine.lab import remember

    monkeypatch.setattr(remember, "MOST_BYTES", 4 * VOCABULARY * 4)
    target = Remembering.of_target(TARGET)
    for token in range(2, 30):
        target.forward(mx.array([token]), target.make_caches())
    assert target.nbytes <= remember.MOST_BYTES
    assert len(target.known) <= 4


def test_windows_are_drawn_from_as_well(tmp_path: Path) -> None:
    sliding = endless("sliding")

    def open_sliding(arms: Sequence[Arm]) -> list[ArmState]:
        return [ArmState(a, sliding, Lookup(shortest=1), None) for a in arms]

    sizes: dict[str, Any] = {"sampling_draws": 200, "sampling_control_draws": 200}
    result = sampled.run(plan(**sizes), (arm("lookup"),), tmp_path, QuietJob(), open_sliding)  # type: ignore[arg-type]
    assert result.results["rejected"] == []


def test_a_stop_keeps_what_was_drawn(tmp_path: Path) -> None:
    job = QuietJob(stop_after=3)
    result = run(tmp_path, "lookup", job)
    assert result.status == "stopped"
    drawn = result.results["configs"][0]["draws"]
    assert 0 < drawn < 800


def test_draws_that_time_cut_short_are_judged_by_bins_for_their_number(tmp_path: Path) -> None:
    result = run(tmp_path, "lookup", sampling_draws=4000, sampling_seconds=0)
    assert result.status == "pass"
    for config in result.results["configs"]:
        assert config["draws"] == sampled.LEAST_CUT < config["planned"] == 4000
        for test in config["tests"]:
            assert 2 <= test["bins"] <= test["draws"] / 5
    assert any("Stopped early: 100 of 4000 draws of lookup temperature 1 " in said for said in result.not_tested)
    # A fault of 0.05 can't be told from 100 draws: a control that had too few says nothing, rather than "not caught".
    assert all(control["caught"] for control in result.results["controls"])
    stored = read_result(tmp_path / "sampling.json")
    assert results_from_traces([read(tmp_path / name) for name in stored.traces]) == stored.results


def test_the_bound_holds_for_all_tests_together(measured: tuple[LabResult, Path]) -> None:
    found = measured[0].results
    tests = [test for config in found["configs"] for test in config["tests"]]
    assert len(tests) == found["family"] > 1
    for test in tests:
        alone = test["tv"] + tv_bound_of_noise(test["draws"], test["bins"], 0.99)
        together = test["tv"] + tv_bound_of_noise(test["draws"], test["bins"], 1 - 0.01 / len(tests))
        assert test["tv_bound"] == pytest.approx(min(1.0, together))
        assert together > alone


def test_an_arm_that_never_drafts_is_said_not_tested(tmp_path: Path) -> None:
    def silent(arms: Sequence[Arm]) -> list[ArmState]:
        return [ArmState(a, TARGET, Lookup(shortest=12), None) for a in arms]

    with pytest.raises(LabError, match="No arm drafted anything"):
        sampled.run(plan(), (arm("lookup"),), tmp_path, QuietJob(), silent)  # type: ignore[arg-type]


def test_settings_of_a_config_change_only_the_sampler() -> None:
    spec = arm("lookup", block=4, kv_bits=8, max_tokens=9)
    settings = sampled.settings_of(spec, sampled.CONFIGS[0])
    assert (settings.kv_bits, settings.block, settings.max_tokens) == (8, 4, -1)
    assert settings.temperature == 1.0
    assert isinstance(settings, Settings)
