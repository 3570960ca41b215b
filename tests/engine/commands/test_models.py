"""``slipstream models`` as people and the window call it."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.cli import main
from engine.process import shelf as records
from engine.process.jobs import JobEnded, JobMessage, JobProgress, JobStarted, decode
from tests.engine.models.hub_server import Fault, HubServer
from tests.engine.models.samples import CONFIG, repository, write_model

REPO = "maker/model-4bit"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SLIPSTREAM_HOME", str(tmp_path / "slipstream"))
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("HF_ENDPOINT", raising=False)
    return tmp_path


@pytest.fixture
def hub() -> Iterator[HubServer]:
    with HubServer({REPO: repository(7)}) as server:
        yield server


def job(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, list[JobMessage]]:
    capsys.readouterr()
    status = main(["models", *words, "--progress", "json"])
    return status, [decode(line) for line in capsys.readouterr().out.splitlines()]


def test_a_pull_reports_and_the_list_has_it(home: Path, hub: HubServer, capsys: pytest.CaptureFixture[str]) -> None:
    status, messages = job(capsys, "pull", REPO, "--endpoint", hub.url)
    assert status == 0
    assert isinstance(messages[0], JobStarted) and messages[0].stages == (REPO,)
    progress = [message for message in messages if isinstance(message, JobProgress)]
    assert progress[-1].done == progress[-1].total > 12_000 and progress[-1].unit == "bytes"
    ended = messages[-1]
    assert isinstance(ended, JobEnded) and ended.status == "done"
    assert ended.files == (str(home / "hub" / "models--maker--model-4bit" / "snapshots" / hub.revision(REPO)),)
    assert main(["models", "list", "--json", "--tokens", "256", "--reserve-gb", "1"]) == 0
    listed = records.decode(capsys.readouterr().out)
    (item,) = [item for item in listed.models if item.place == "hub"]
    assert item.use == REPO and item.fit is not None and item.fit.context_tokens == 256
    assert listed.reserve_bytes == 1024**3
    assert main(["models", "list"]) == 0
    assert REPO in capsys.readouterr().out
    status, messages = job(capsys, "remove", REPO)
    assert status == 0 and not (home / "hub" / "models--maker--model-4bit").exists()


def test_what_lies_elsewhere_is_not_fetched_again(
    home: Path, hub: HubServer, capsys: pytest.CaptureFixture[str]
) -> None:
    there = home / ".lmstudio" / "models" / "maker" / "model-4bit"
    there.mkdir(parents=True)
    for name, content in repository(7).items():
        if "/" not in name:
            (there / name).write_bytes(content)
    status, messages = job(capsys, "pull", REPO, "--endpoint", hub.url)
    assert status == 0 and hub.requests == []
    assert isinstance(messages[-1], JobEnded) and messages[-1].files == (str(there),)
    status, _ = job(capsys, "pull", REPO, "--endpoint", hub.url, "--again")
    assert status == 0 and hub.sent_bytes > 12_000


def test_refusals_are_a_sentence_and_a_status(home: Path, hub: HubServer, capsys: pytest.CaptureFixture[str]) -> None:
    status, messages = job(capsys, "pull", "maker/other", "--endpoint", hub.url)
    assert status == 2
    assert isinstance(messages[-1], JobEnded) and messages[-1].status == "failed"
    assert "no model 'maker/other'" in messages[-1].message
    for words in (
        ["pull", "nohubid"], ["pull", REPO, "--endpoint", "ftp://x"], ["list", "--tokens", "0"],
        ["list", "--reserve-gb", "-1"], ["list", "--folder", "/nowhere"], ["fit", "nothing-known"],
        ["fit", "embedded", "--bits", "9"], ["quantize", "embedded", "--out", "x", "--bits", "7"],
        ["remove", "/"],
    ):  # fmt: skip
        capsys.readouterr()
        assert main(["models", *words]) == 2, words
        assert len(capsys.readouterr().err.splitlines()) == 1 or words[0] == "remove", words


def test_code_and_nonsense_are_refused_before_their_weights(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for change, says in (({"auto_map": {"a": "b"}}, "never does"), ({"model_type": "nonsense"}, "nonsense")):
        files = {**repository(7), "config.json": json.dumps({**CONFIG, **change}).encode()}
        with HubServer({REPO: files}) as hub:
            status, messages = job(capsys, "pull", REPO, "--endpoint", hub.url)
            assert status == 2 and isinstance(messages[-1], JobEnded) and says in messages[-1].message
            assert hub.sent_bytes < 4000


def test_sigterm_stops_a_pull_and_the_next_one_goes_on(
    home: Path, hub: HubServer, capsys: pytest.CaptureFixture[str]
) -> None:
    hub.faults = lambda asked: Fault("stall", after=1500, stall_s=5) if "00003-of" in asked.path else Fault()
    words = [sys.executable, "-m", "engine.cli", "models", "pull", REPO, "--endpoint", hub.url, "--progress", "json"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE)
    assert process.stdout is not None
    deadline_s = time.monotonic() + 120
    while not any("00003-of" in asked.path for asked in hub.requests) and time.monotonic() < deadline_s:
        time.sleep(0.05)
    process.terminate()
    out = process.stdout.read()
    assert process.wait(60) == 130
    ended = decode(out.splitlines()[-1])
    assert isinstance(ended, JobEnded) and ended.status == "stopped" and "kept" in ended.message
    hub.faults, hub.sent_bytes = lambda asked: Fault(), 0
    status, _ = job(capsys, "pull", REPO, "--endpoint", hub.url)
    assert status == 0 and hub.sent_bytes < 4300


def test_fit_of_a_hub_id_reads_its_configuration_alone(
    home: Path, hub: HubServer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["models", "fit", REPO, "--endpoint", hub.url, "--json", "--bits", "4", "--held", "packed"]) == 0
    fit = records.decode_fit(capsys.readouterr().out)
    assert fit.source == "configuration" and fit.total_bytes > 0
    assert hub.sent_bytes < 1000 and not list(home.glob("hub/*"))
    assert main(["models", "fit", "Qwen3.8-27B", "--drafter", "Qwen3.8-27B-DFlash2", "--bits", "4"]) == 0
    said = capsys.readouterr().out
    assert "drafter weights" in said and "Assumed: " in said


def test_a_target_is_quantised_as_a_job(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = write_model(home / "full", {**CONFIG, "hidden_size": 128, "intermediate_size": 256, "head_dim": 64})
    out = home / "slipstream" / "data" / "models" / "full-4bit"
    status, messages = job(capsys, "quantize", str(source), "--out", str(out))
    assert status == 0 and isinstance(messages[-1], JobEnded) and messages[-1].files == (str(out),)
    assert any(isinstance(m, JobProgress) and m.done == m.total > 0 for m in messages)
    assert main(["models", "list", "--json"]) == 0
    (item,) = [item for item in records.decode(capsys.readouterr().out).models if item.place == "own"]
    assert (item.bits, item.group_size, item.state) == (4, 64, "whole")
    status, messages = job(capsys, "quantize", str(source), "--out", str(out))
    assert status == 2 and isinstance(messages[-1], JobEnded) and "already" in messages[-1].message
