"""The command of the lab: requests, exit statuses, what it prints. The labs themselves are fakes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine import cli
from engine.commands.lab import lab_arms
from engine.lab import suite
from engine.lab.plan import Plan
from engine.lab.result import Environment, LabError, LabResult
from engine.process.job import Job
from engine.process.jobs import JobEnded, JobStarted, decode
from engine.trace.events import Arm, Machine, Settings

MACHINE = Machine(chip="test", memory_bytes=1, os="test", backend="cpu")
RESULTS: dict[str, dict[str, Any]] = {
    "lossless": {
        "outcome": "pass", "bound": 0.1, "crossed": [],
        "arms": [{"arm": "lookup", "status": "pass", "tokens": 9, "near_ties": 0, "largest_gap": 0.0, "samples": 1,
                  "detail": ""}],
        "controls": [{"name": "stale rows", "caught": True, "why": ["a gap"]}],
    },
}  # fmt: skip


class Fakes:
    def __init__(self) -> None:
        self.status = {"lossless": "pass"}
        self.raises: dict[str, Exception] = {}
        self.stops = ""
        self.asked: list[tuple[str, Plan, tuple[Arm, ...]]] = []

    def load(self, name: str) -> suite.RunLab:
        def run(plan: Plan, arms: tuple[Arm, ...], out: Path, job: Job) -> LabResult:
            self.asked.append((name, plan, arms))
            if name in self.raises:
                raise self.raises[name]
            if self.stops == name:
                job.stop()
            return LabResult(
                lab=name, status="stopped" if self.stops == name else self.status.get(name, "measured"),  # type: ignore[arg-type]
                environment=Environment(machine=MACHINE, app="test"), arms=arms, conditions={},
                results=RESULTS.get(name, {}),
            )  # fmt: skip

        return run


@pytest.fixture
def fakes(monkeypatch: pytest.MonkeyPatch) -> Fakes:
    made = Fakes()
    monkeypatch.setattr(suite, "load_lab", made.load)
    return made


def test_one_lab_prints_its_own_keys_on_top(fakes: Fakes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["lab", "lossless", "--out", str(tmp_path), "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["status"] == "pass"
    assert printed["controls"] == [{"name": "stale rows", "caught": True, "why": ["a gap"]}]
    assert printed["files"] == [str(tmp_path / "lossless.json")]


def test_failed_check_is_status_one(fakes: Fakes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fakes.status["lossless"] = "fail"
    assert cli.main(["lab", "lossless", "--out", str(tmp_path)]) == 1
    printed = capsys.readouterr()
    assert "fail" in printed.out
    assert "caught: stale rows" in printed.out
    assert "lossless: a check failed." in printed.err


def test_wrong_request_is_one_line_and_status_two(
    fakes: Fakes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fakes.raises["lossless"] = LabError("Losslessness is a question about an arm with a drafter: add --arm lookup.")
    assert cli.main(["lab", "lossless", "--out", str(tmp_path)]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.splitlines()[-1].endswith("add --arm lookup.")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--arm", "nonsense=1"], "no setting of an arm"),
        (["--tokens", "3"], "--tokens must be 16 or more"),
        (["--prompts", "/no/such/file.txt"], "can't be read"),
        (["--json", "--progress", "json"], "choose one"),
        (["--out", "/dev/null/x"], "can't be made"),
    ],
)
def test_request_is_refused_before_anything_runs(
    fakes: Fakes, words: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = [] if "--out" in words else ["--out", str(tmp_path)]
    assert cli.main(["lab", "profile", *place, *words]) == 2
    printed = capsys.readouterr()
    assert said in printed.err
    assert len(printed.err.splitlines()) == 1
    assert not fakes.asked


def test_messages_alone_are_on_stdout(fakes: Fakes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["lab", "lossless", "--out", str(tmp_path), "--progress", "json"]) == 0
    messages = [decode(line.encode()) for line in capsys.readouterr().out.splitlines()]
    assert isinstance(messages[0], JobStarted)
    assert messages[0].stages == ("lossless",)
    assert isinstance(messages[-1], JobEnded)
    assert messages[-1].status == "done"
    assert messages[-1].files == (str(tmp_path / "lossless.json"),)


def test_stop_is_130_and_says_what_is_kept(fakes: Fakes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fakes.stops = "lossless"
    assert cli.main(["lab", "lossless", "--out", str(tmp_path), "--progress", "json"]) == 130
    ended = decode(capsys.readouterr().out.splitlines()[-1].encode())
    assert isinstance(ended, JobEnded)
    assert ended.status == "stopped"
    assert str(tmp_path) in ended.message
    assert (tmp_path / "lossless.json").exists()


def test_all_goes_on_over_a_broken_lab_and_writes_the_report(
    fakes: Fakes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in suite.LABS[1:]:
        fakes.raises[name] = RuntimeError(f"{name} is not to be had")
    assert cli.main(["lab", "all", "--out", str(tmp_path), "--json"]) == 1
    assert [name for name, _, _ in fakes.asked] == list(suite.LABS)
    printed = json.loads(capsys.readouterr().out)
    assert printed["status"] == "broken"
    assert [lab["outcome"] for lab in printed["labs"]] == ["done", *["broken"] * 6]
    assert printed["files"][0] == str(tmp_path / "report.html")
    assert "stability is not to be had" in (tmp_path / "report.html").read_text(encoding="utf-8")
    fakes.asked.clear()
    cli.main(["lab", "all", "--out", str(tmp_path), "--json"])
    assert [name for name, _, _ in fakes.asked] == list(suite.LABS[1:])


def test_labs_of_the_command_are_those_of_the_suite() -> None:
    from engine.commands.lab import LABS

    assert LABS == suite.LABS


def test_plan_and_prompts_reach_the_lab(fakes: Fakes, tmp_path: Path) -> None:
    mine = tmp_path / "mine.txt"
    mine.write_text("Why is the sky blue?\n", encoding="utf-8")
    words = ["lab", "profile", "--out", str(tmp_path / "out"), "--plan", "full", "--prompts", str(mine)]
    assert cli.main([*words, "--tokens", "48", "--seed", "7", "--arm", "lookup"]) == 0
    ((_, plan, arms),) = fakes.asked
    assert (plan.name, plan.tokens, plan.seed) == ("full", 48, 7)
    assert [sample.prompt for sample in plan.prompts] == ["Why is the sky blue?"]
    assert [arm.name for arm in arms] == ["baseline", "lookup"]
    assert arms[1].settings.max_tokens == 48


def test_target_alone_comes_first() -> None:
    assert [arm.name for arm in lab_arms(["lookup", "baseline"], Settings(), "embedded")] == ["baseline", "lookup"]
    added = lab_arms(["lookup,temperature=0.7"], Settings(), "embedded")
    assert [arm.name for arm in added] == ["baseline", "lookup"]
    assert added[0].settings.temperature == 0.7


# report and compare


def test_report_of_an_empty_directory_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["lab", "report", str(tmp_path)]) == 2
    assert "holds no results" in capsys.readouterr().err
    assert cli.main(["lab", "report", str(tmp_path / "none")]) == 2
    assert "is no directory" in capsys.readouterr().err


def test_report_is_written_anew(fakes: Fakes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cli.main(["lab", "lossless", "--out", str(tmp_path), "--json"])
    capsys.readouterr()
    assert cli.main(["lab", "report", str(tmp_path), "--language", "zh"]) == 0
    assert "输出是否仍是目标模型自己的文本？" in capsys.readouterr().out
    assert '<html lang="zh-CN">' in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_compare_says_what_differs(fakes: Fakes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, tokens in (("a", "32"), ("b", "48")):
        cli.main(["lab", "lossless", "--out", str(tmp_path / name), "--tokens", tokens])
        cli.main(["lab", "report", str(tmp_path / name)])
    capsys.readouterr()
    words = ["lab", "compare", str(tmp_path / "a"), str(tmp_path / "b" / "report.json")]
    assert cli.main([*words, "--out", str(tmp_path / "page.html")]) == 0
    printed = capsys.readouterr().out
    assert "Longest answer: 32 | 48" in printed
    assert "<main" in (tmp_path / "page.html").read_text(encoding="utf-8")
    assert cli.main(["lab", "compare", str(tmp_path / "a"), str(tmp_path / "none.json")]) == 2
    assert cli.main(["lab", "compare", str(tmp_path / "a"), str(tmp_path / "page.html")]) == 2


def test_only_some_labs_are_run_and_reported(fakes: Fakes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["lab", "all", "--only", " lossless,", "--out", str(tmp_path), "--progress", "json"]
    assert cli.main(words) == 0
    messages = [decode(line) for line in capsys.readouterr().out.encode().splitlines()]
    assert isinstance(messages[0], JobStarted) and messages[0].stages == ("lossless",)
    assert [name for name, _, _ in fakes.asked] == ["lossless"]
    assert isinstance(messages[-1], JobEnded) and messages[-1].files[0].endswith("report.html")
    assert cli.main(["lab", "all", "--only", "lossless,nonsense", "--out", str(tmp_path)]) == 2
    assert "'nonsense', which is no lab" in capsys.readouterr().err
