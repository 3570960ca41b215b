"""All labs of a quick plan end in time, however slow the machine; what was skipped is said."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from engine.lab import lossless, stability
from engine.lab.budget import LEAST_S, QUICK_S, WHOLE_QUICK_S, Budget, allowed_s, left_out, within
from engine.lab.evidence import read_traces
from engine.lab.faults import FAULTS
from engine.lab.plan import make_plan
from engine.lab.report.untested import sentence
from engine.lab.report.words import translator
from engine.lab.result import read_result
from engine.lab.suite import LABS
from tests.engine.lab import tiny_lab
from tests.engine.lab.test_lossless import BASE
from tests.engine.lab.test_stability import PROCESS, SMALL, target
from tests.engine.lab.tiny_checks import QuietJob, arm, loader, plan
from tests.engine.lab.tiny_lab import Heard, session


def test_every_lab_has_its_time_and_together_they_end_within_the_half_hour() -> None:
    assert set(QUICK_S) == set(LABS)
    assert sum(QUICK_S.values()) <= WHOLE_QUICK_S < 27 * 60


@pytest.mark.parametrize("slowness", [0.5, 1.0, 1.3, 5.0])
def test_labs_that_take_longer_shorten_those_that_follow(slowness: float) -> None:
    spent = 0.0
    for number, lab in enumerate(LABS):
        given = allowed_s(within(make_plan("quick"), lab, LABS[number:], spent), lab)
        assert LEAST_S <= given <= QUICK_S[lab]
        # A slow lab overruns its time by what it can't leave out, here a fifth of it.
        spent += given * min(slowness, 1.2)
        if slowness <= 1:
            assert given == QUICK_S[lab]
    assert spent < WHOLE_QUICK_S + 120


def test_a_full_plan_and_a_given_size_are_left_alone() -> None:
    assert within(make_plan("full"), "sweep", LABS, 10_000).sizes == {}
    assert within(make_plan("quick", sizes={"sweep_seconds": 7}), "sweep", LABS, 10_000).sizes == {"sweep_seconds": 7}


def test_a_budget_by_a_clock() -> None:
    now = [10.0]
    budget = Budget(100, lambda: now[0])
    now[0] = 69.0
    assert budget.room(0.6) and budget.room()
    now[0] = 71.0
    assert not budget.room(0.6) and budget.room()
    now[0] = 110.0
    assert not budget.room()


def test_losslessness_without_time_still_has_what_its_verdict_rests_on(tmp_path: Path) -> None:
    result = lossless.run(plan(lossless_seconds=0), (BASE, arm(block=5)), tmp_path, QuietJob(), loader("wide"))  # type: ignore[arg-type]
    assert result.status == "pass"
    assert {c["name"] for c in result.results["controls"]} == {fault.name for fault in FAULTS}
    assert all(c["caught"] for c in result.results["controls"])
    whole = lossless.conditions_of(arm(block=5), plan())
    # The targets of this test are float32 already.
    assert {c["variation"] for c in result.results["cells"]} == {"as it is"} == set(result.conditions["varied"])
    (said,) = [line for line in result.not_tested if line.startswith("Stopped early: 1 of ")]
    assert int(said.split()[4]) >= len(whole) - 2
    stored = read_result(tmp_path / "lossless.json")
    assert lossless.results_from_traces(read_traces(tmp_path, stored.traces)) == stored.results


def test_stability_without_time_says_what_it_left_out(tmp_path: Path) -> None:
    heard = Heard()
    sizes: dict[str, Any] = {**SMALL, **PROCESS, "stability_seconds": 0}
    result = stability.run(tiny_lab.plan(**sizes), tiny_lab.arms(), tmp_path, heard, session(target()), client=None)
    assert result.status == "pass"
    assert result.results["checks"] == []
    assert "Stopped early: 1 of 14 disturbances fitted into the time." in result.not_tested
    assert any("cancel storm" in said for said in result.not_tested)


@pytest.mark.parametrize(
    ("said", "english", "chinese"),
    [
        (left_out("checks", 3, 26), "3 of 26 checks fitted into the time (Losslessness).", "26 项检查中有 3"),
        (left_out("draws of E greedy", 100, 3000), "100 of 3000 draws (E greedy)", "抽样 (E greedy)"),
        ("No context of 4096 tokens: the target holds less, or there is too little text.",
         "A context of 4096 tokens was not swept", "没有扫描 4096 个词元的上下文"),
        ("Not disturbed for lack of time: cancel storm, soak.", "cancel storm and soak", "连续取消"),
        ("Prompts of more than 70 tokens and answers of more than 20 were not served.",
         "Prompts of more than 70 tokens", "超过 70 个词元"),
    ],
)  # fmt: skip
def test_what_ran_out_of_time_is_said_in_both_languages(said: str, english: str, chinese: str) -> None:
    assert english in sentence(said, "lossless", translator("en"))
    assert chinese in sentence(said, "lossless", translator("zh"))
