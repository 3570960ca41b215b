"""The stability lab on a tiny target: all passes when all is well, and planted faults are found."""

from __future__ import annotations

import copy
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from engine.lab import stability
from engine.lab.disturbances import Case, judge
from engine.lab.evidence import read_traces
from engine.lab.result import LabResult, read_result
from engine.lab.slope import slope, student
from engine.process.client import EngineClient
from engine.target import Target
from engine.trace.events import MemorySample, Round
from engine.trace.file import Trace
from tests.engine.lab.tiny_lab import Heard, arms, plan, session
from tests.tiny import tiny_target

SMALL = {
    "stability_cancels": 4, "stability_soak_s": 30, "stability_rounds": 120, "stability_soak_tokens": 10,
    "stability_small_rounds": 400, "stability_small_s": 30,
}  # fmt: skip
PROCESS = {"engine_cancels": 2}


def target() -> Target:
    made = tiny_target("dense", seed=5, context_tokens=400)
    made.tokenizer.eos_token_ids = ()  # type: ignore[assignment]
    return made


def lab(out: Path, job: Any = None, **more: Any) -> LabResult:
    more = {"client": None, **more}
    return stability.run(plan(**{**SMALL, **PROCESS}), arms(), out, job or Heard(), session(target()), **more)


@pytest.fixture(scope="module")
def passed(tmp_path_factory: pytest.TempPathFactory) -> tuple[LabResult, Path]:
    out = tmp_path_factory.mktemp("stability")
    return lab(out), out


def failures(result: LabResult) -> dict[str, str]:
    return {c["check"]: c["detail"] for c in result.results["checks"] if c["status"] == "FAIL"}


def test_all_is_well(passed: tuple[LabResult, Path]) -> None:
    result, _ = passed
    assert failures(result) == {}
    assert result.status == "pass"
    assert result.results["exit_status"] == 0
    names = [c["check"] for c in result.results["checks"]]
    assert {"over-long prompts", "temperatures", "cancel storm", "end of the context", "hostile drafters"} <= set(names)
    assert all(m["status"] == "PASS" and m["rounds"] >= 100 for m in result.results["memory"])


def test_the_file_holds_it_and_the_traces_give_it_again(passed: tuple[LabResult, Path]) -> None:
    result, out = passed
    stored = read_result(out / "stability.json")
    again = stability.results_from_traces(read_traces(out, stored.traces))
    assert json.loads(json.dumps(again)) == stored.results
    assert all((out / name).exists() for name in result.traces)


def test_what_was_short_of_time_is_said(passed: tuple[LabResult, Path]) -> None:
    told = passed[0].not_tested
    assert any("rounds" in sentence for sentence in told)
    assert any("process was not disturbed" in sentence for sentence in told)


def test_a_stopped_lab_keeps_what_is_done(tmp_path: Path) -> None:
    result = lab(tmp_path, Heard(stop_after=12))
    assert result.status == "stopped"
    assert 0 < len(result.results["checks"]) < 6
    assert read_result(tmp_path / "stability.json").status == "stopped"


# Planted faults


def planted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, at: str, fault: Callable[..., Any]) -> dict[str, str]:
    monkeypatch.setattr(at, fault)
    return failures(lab(tmp_path))


def test_caches_that_keep_rejected_rows_are_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from engine.cache import Transaction

    own = Transaction.commit

    def too_many(self: Transaction, n: int) -> None:
        own(self, min(n + 1, self._rows))

    found = planted(monkeypatch, tmp_path, "engine.cache.Transaction.commit", too_many)
    assert found


def test_state_that_one_turn_leaves_wrong_for_the_next_is_found(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The arm believes that its caches hold the anchor too."""
    fault = property(lambda run: run.tokens[: run.held_tokens + 1 + (run.ahead is not None)])
    assert "cancel storm" in planted(monkeypatch, tmp_path, "engine.decode.Run.held", fault)


def test_a_crash_on_odd_input_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from engine import chat

    own = chat.render

    def fragile(tokenizer: Any, system: str, history: Any, prompt: str) -> str:
        if "\x00" in prompt:
            raise RuntimeError("boom")
        return own(tokenizer, system, history, prompt)

    found = planted(monkeypatch, tmp_path, "engine.race.render", fragile)
    assert list(found) == ["special characters"]
    assert "control characters: baseline failed" in found["special characters"]


def grown(trace: Trace, bytes_per_round: float) -> Trace:
    rounds, events = 0, []
    for event in trace.events:
        rounds += isinstance(event, Round)
        if isinstance(event, MemorySample):
            event = replace(event, active_bytes=event.active_bytes + int(rounds * bytes_per_round))
        events.append(event)
    made = copy.copy(trace)
    made.events = tuple(events)
    return made


def test_a_leak_is_found_and_its_slope_named(passed: tuple[LabResult, Path]) -> None:
    result, out = passed
    traces = [grown(t, 4096) for t in read_traces(out, result.traces)]
    found = stability.results_from_traces(traces)
    assert [m["status"] for m in found["memory"]] == ["FAIL", "FAIL"]
    before = {m["soak"]: m["active"]["bytes_per_round"] for m in result.results["memory"]}
    for m in found["memory"]:
        assert m["active"]["bytes_per_round"] - before[m["soak"]] == pytest.approx(4096, rel=0.01)
    assert found["exit_status"] == 1 and found["grows"]


# The engine's process


def engine() -> EngineClient:
    return EngineClient([sys.executable, "-m", "tests.engine.lab.tiny_engine"])


def test_the_engine_s_process_is_disturbed(tmp_path: Path) -> None:
    sizes = {**SMALL, **PROCESS, "stability_rounds": 10, "stability_small_rounds": 10}
    result = stability.run(plan(**sizes), arms(), tmp_path, Heard(), session(target()), client=engine)
    checks = [c["check"] for c in result.results["checks"] if c["check"].startswith("engine")]
    assert failures(result) == {}
    assert len(checks) == 6
    assert {m["status"] for m in result.results["memory"]} == {"TOO SHORT"}


# Judgements


def test_a_case_without_events_fails() -> None:
    assert judge(Case(name="x", ending="answers"), []) == "nothing happened"


# Slope


def test_slope_of_a_line_and_of_noise() -> None:
    import numpy as np

    rng = np.random.default_rng(3)
    x = list(np.arange(200.0))
    inside = 0
    for _ in range(200):
        found = slope(x, [5 * a + b for a, b in zip(x, rng.normal(0, 50, 200), strict=True)])
        assert found.low is not None and found.high is not None
        inside += found.low <= 5 <= found.high
    assert 180 <= inside <= 199
    exact = slope(x, [3 * a + 1 for a in x])
    assert (exact.value, exact.low) == (pytest.approx(3), pytest.approx(3))
    assert slope([1, 2, 3], [1, 2, 3]).value is None


@pytest.mark.parametrize("degrees", [3, 5, 10, 30, 200])
def test_student_s_quantile(degrees: int) -> None:
    from scipy import stats

    assert student(0.975, degrees) == pytest.approx(stats.t.ppf(0.975, degrees), rel=0.01)
