"""``slipstream compare`` on the embedded model, as a person runs it."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

import pytest

from engine.cli import main
from engine.trace.events import Round
from engine.trace.file import read

COPY = "Say this again, word for word: one two three four five six seven eight nine ten, one two three four five six."


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    import contextlib
    import io

    out = io.StringIO()
    trace = tmp_path_factory.mktemp("traces") / "session.slipstream"
    with contextlib.redirect_stdout(out):
        assert main(["compare", "--prompt", COPY, "--max-tokens", "48", "--json", "--trace", str(trace)]) == 0
    return {**json.loads(out.getvalue()), "trace": trace}


def test_baseline_and_look_up_write_the_same_ids(result: dict[str, Any]) -> None:
    baseline, lookup = result["arms"]
    assert (baseline["arm"], lookup["arm"]) == ("baseline", "lookup")
    assert baseline["ids"] == lookup["ids"]
    assert len(baseline["ids"]) > 10
    assert baseline["text"] == lookup["text"] != ""
    assert result["verdict"]["status"] == "identical"
    assert result["verdict"]["first_difference"] is None


def test_the_counts_add_up_per_round_and_in_total(result: dict[str, Any]) -> None:
    for arm in result["arms"]:
        m = arm["metrics"]
        for r in arm["rounds"]:
            assert r["emitted"] == r["accepted"] + r["corrections"] + r["bonuses"] + r["plain"]
        assert len(arm["ids"]) == m["accepted"] + m["corrections"] + m["bonuses"] + m["plain"]
        assert m["target_forwards"] == len(arm["rounds"])
        assert m["drafted"] == sum(r["width"] for r in arm["rounds"]) == sum(m["drafted_by_position"])
        assert m["accepted"] == sum(m["accepted_by_position"])
        assert m["tokens_per_forward"] == pytest.approx(len(arm["ids"]) / len(arm["rounds"]))
    baseline, lookup = (arm["metrics"] for arm in result["arms"])
    assert baseline["tokens_per_forward"] == 1
    assert lookup["tokens_per_forward"] > 1.2
    assert lookup["drafter_forwards"] == 0


def test_every_metric_of_the_contract_is_printed(result: dict[str, Any]) -> None:
    for arm in result["arms"]:
        assert {
            "tokens_per_s", "time_to_first_token_s", "tokens_per_forward", "target_forwards", "drafter_forwards",
            "drafted", "accepted", "corrections", "bonuses", "plain", "accepted_by_position", "drafted_by_position",
            "draft_share", "peak_bytes",
        } <= arm["metrics"].keys()  # fmt: skip
        assert arm["speedup"] == pytest.approx(
            arm["metrics"]["tokens_per_s"] / result["arms"][0]["metrics"]["tokens_per_s"]
        )


def test_the_trace_holds_what_was_printed(result: dict[str, Any]) -> None:
    trace = read(result["trace"])
    for arm in result["arms"]:
        ids = [i for e in trace.events if getattr(e, "arm", "") == arm["arm"] for i in getattr(e, "emitted_ids", ())]
        assert ids == arm["ids"]


def test_one_arm_alone_is_not_called_identical(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "--prompt", "Hi", "--max-tokens", "2", "--arm", "baseline", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["verdict"]["status"] == "not-comparable"


def test_stopped_it_shows_what_there_is_and_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    told: list[Any] = []

    def interrupting(event: Any) -> None:
        told.append(event)
        if isinstance(event, Round):
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr("engine.commands.compare.progress", interrupting)
    assert main(["compare", "--prompt", "Hi", "--max-tokens", "30", "--arm", "baseline"]) == 130
    assert "baseline (cancelled)" in capsys.readouterr().out
    assert 1 <= sum(isinstance(event, Round) for event in told) < 30


def test_for_people_it_prints_texts_numbers_and_the_verdict(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "--prompt", "Hi", "--max-tokens", "6", "--arm", "baseline", "--arm", "lookup,block=4"]) == 0
    out = capsys.readouterr().out
    assert "--- baseline (" in out
    assert "verdict: identical (6 tokens)" in out


@pytest.mark.parametrize(
    ("argv", "sentence"),
    [
        (["--prompt", " "], "The prompt is empty"),
        (["--prompt", "x", "--arm", "lookup,blok=3"], "'blok' in"),
        (["--prompt", "x", "--temperature", "-1"], "The temperature must be"),
        (["--prompt", "x", "--temperature", "1e9"], "The temperature must be"),
        (["--prompt", "x", "--target", "/no/such"], "There is no model directory at /no/such"),
        (["--prompt", "x", "--trace", "/no/such/folder/t.slipstream"], "can't be written"),
        (["--prompt", "word " * 9000, "--max-tokens", "4"], "The prompt has"),
    ],
)
def test_a_wrong_request_is_one_line_and_exit_status_2(
    argv: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", *argv]) == 2
    err = [line for line in capsys.readouterr().err.splitlines() if line.startswith("slipstream: ")]
    assert len(err) == 1
    assert sentence in err[0]


def test_a_letter_without_its_drafter_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("engine.arms.resources_dir", lambda: tmp_path)
    assert main(["compare", "--prompt", "x", "--arm", "A+table+lookup"]) == 2
    assert "No trained drafter of scheme A is installed" in capsys.readouterr().err


def test_a_full_disk_is_said_once_and_the_run_goes_on(capsys: pytest.CaptureFixture[str]) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("needs /dev/full")
    assert main(["compare", "--prompt", "Hi", "--max-tokens", "4", "--trace", "/dev/full"]) == 0
    captured = capsys.readouterr()
    assert captured.err.count("The trace /dev/full stops here") == 1
    assert "verdict: identical" in captured.out
