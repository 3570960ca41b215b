"""``slipstream train --scheme ...``: what it prints, leaves behind, refuses, and how it is stopped and gone on with."""

from __future__ import annotations

import argparse
import itertools
import json
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine import cli
from engine import target as target_module
from engine.commands import train_drafter
from engine.drafters.table import load_table
from engine.process.job import Job
from engine.process.jobs import JobEnded, JobProgress, JobStarted, decode
from engine.train import dataset as dataset_module
from engine.train import drafter as drafter_module
from engine.train.conversations import Conversations, Shard, Written, pack, write_json, write_shard
from engine.train.drafter import STAGES
from engine.train.outcome import Outcome
from tests.engine.train import trainees
from tests.engine.train.texts import chat_target
from tests.tiny import VOCABULARY

SMALL = [
    "--steps", "4", "--conversations", "2", "--anchors", "3", "--gamma", "3", "--layers", "2", "--held-out", "3",
]  # fmt: skip


@pytest.fixture(autouse=True)
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(target_module, "load_target", lambda name: chat_target(seed=3))
    monkeypatch.setattr("engine.train.loop.NOTE_STEPS", 1)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "text"
    path.mkdir()
    write_shard(path / "train.npz", Shard(trainees.conversations(6)))
    write_shard(path / "held.npz", Shard(trainees.conversations(4, seed=9)))
    manifest = {"vocabulary": VOCABULARY, "target": {"name": "tiny dense"}, "recipe": {"seed": 0}}
    write_json(path / "dataset.json", {dataset_module.KEY: dataset_module.VERSION, **manifest})
    return path


def words(data: Path, out: Path, *more: str) -> list[str]:
    return ["train", "--scheme", "B", "--data", str(data), "--out", str(out), *SMALL, *more]


def test_a_data_set_becomes_a_drafter(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "B"
    assert cli.main(words(data, out, "--json")) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["ended"], told["step"], told["out"]) == ("done", 4, str(out))
    assert told["tokens_per_forward"] >= 1
    assert {file.name for file in out.iterdir()} == {
        "README.md", "config.json", "curve.svg", "log.csv", "model.safetensors",
    }  # fmt: skip
    assert not (tmp_path / "B.training" / "taps").exists()
    # What another drafter begins with is named without saying where it lay.
    start = str(tmp_path / "B.training" / "run" / "best")
    assert cli.main(words(data, tmp_path / "E", "--scheme", "E", "--start", start, "--keep-taps")) == 0
    assert capsys.readouterr().out == f"{tmp_path / 'E'}\n"
    assert json.loads((tmp_path / "E" / "config.json").read_text())["about"]["recipe"]["start"] == "B"
    assert "begun with the backbone of `B`" in (tmp_path / "E" / "README.md").read_text()
    assert (tmp_path / "E.training" / "taps").exists()


def test_messages_are_all_there_is_on_stdout(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(words(data, tmp_path / "B", "--progress", "json")) == 0
    messages = [decode(line.encode()) for line in capsys.readouterr().out.splitlines()]
    assert isinstance(messages[0], JobStarted)
    assert {m.stage for m in messages if isinstance(m, JobProgress)} <= set(STAGES)
    last = messages[-1]
    assert isinstance(last, JobEnded)
    assert (last.status, last.files) == ("done", (str(tmp_path / "B"),))
    assert "tokens per target forward" in last.message


def test_a_signal_stops_it_and_the_same_command_goes_on(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    real = drafter_module.tell

    def tell(report: Any, p: Any) -> None:
        real(report, p)
        if p.step == 2:
            signal.raise_signal(signal.SIGTERM)

    with monkeypatch.context() as patch:
        patch.setattr(drafter_module, "tell", tell)
        assert cli.main(words(data, tmp_path / "B", "--progress", "json")) == 130
    last = decode(capsys.readouterr().out.splitlines()[-1].encode())
    assert isinstance(last, JobEnded)
    assert last.status == "stopped"
    assert last.message.startswith("Stopped after step 2; the best drafter so far is kept.")
    card = (tmp_path / "B" / "README.md").read_text()
    assert "2 of 4 (stopped)" in card
    assert "judged while training" in card
    assert cli.main(words(data, tmp_path / "B")) == 0
    assert "4 of 4 (done)" in (tmp_path / "B" / "README.md").read_text()


def test_a_command_that_is_repeated_is_done_at_once(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out, best = tmp_path / "B", tmp_path / "B.training" / "run" / "best"
    assert cli.main(words(data, out, "--json")) == 0
    first = json.loads(capsys.readouterr().out)
    with monkeypatch.context() as patch:
        patch.setattr(drafter_module, "ready_taps", None)
        assert cli.main(words(data, out, "--json")) == 0
        found = capsys.readouterr()
        assert json.loads(found.out) == first
        figure = f"{first['tokens_per_forward']:.2f} tokens per target forward ["
        assert f"{out} is done: {figure}" in found.err
        assert found.err.rstrip().endswith(f"begin another one with it: --start {best} --out DIR.")
        # Another request is no repetition of it.
        assert cli.main([*words(data, out), "--steps", "9"]) == 2
        assert "begun with --steps 4 (now 9): give the same again" in capsys.readouterr().err
    # Where it isn't repeated and is stopped, what is there stays.
    monkeypatch.setattr(Job, "cancelled", lambda job: True)
    before = {file.name: file.read_bytes() for file in out.iterdir()}
    assert cli.main(words(data, out, "--bits", "8")) == 130
    assert f"Stopped; {out} is as it was. Give the same command again to go on." in capsys.readouterr().err
    assert {file.name: file.read_bytes() for file in out.iterdir()} == before


def written(seed: int, held: bool) -> Conversations:
    rng = np.random.default_rng(seed)
    rows = []
    for i in range(6):
        prompt, answer = ([60, *rng.integers(2, 50, 6).tolist(), 61], rng.integers(2, 50, 30).tolist())
        rows.append(Written(prompt, answer, (1, 7), 1000 * seed + i, held, "hand"))
    return pack(rows, VOCABULARY)


def test_a_run_that_goes_on_keeps_the_text_it_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    prompts = tmp_path / "mine.txt"
    prompts.write_text("WHY\nHOW\n")
    waves: list[int] = []
    asked: list[tuple[Any, Any]] = []

    def generate(path: Path, *_: Any, **more: Any) -> bool:
        n = len(waves)
        asked.append((more["layers"], more["taps_bytes"]))
        waves.append(n)
        write_shard(path / "raw" / f"wave-{2 * n:06}.npz", Shard(written(2 * n + 1, False)))
        write_shard(path / "raw" / f"wave-{2 * n + 1:06}.npz", Shard(written(2 * n + 2, True)))
        return True

    monkeypatch.setattr(dataset_module, "generate", generate)
    own = ["train", "--scheme", "B", "--prompts", str(prompts), "--out", str(tmp_path / "B"), *SMALL]
    assert cli.main(own) == 0
    assert cli.main(own) == 0
    assert waves == [0]
    table = ["train", "--scheme", "table", "--prompts", str(prompts), "--out", str(tmp_path / "T")]
    capsys.readouterr()
    assert cli.main([*table, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["ended"] == "done"
    assert load_table(tmp_path / "T").order > 1
    assert asked == [((0, 1), 8e9), ((), 8e9)], "a table reads nothing of the target"


def test_text_is_made_with_its_taps_and_nothing_of_them_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prompts = tmp_path / "mine.txt"
    prompts.write_text("".join(f"ASK {i}\n" for i in range(30)))
    monkeypatch.setattr("engine.train.pace.plan_wave", lambda *_, **__: (6, 2))
    monkeypatch.setattr("engine.train.taps.run_taps", None)
    monkeypatch.chdir(tmp_path)
    own = ["train", "--scheme", "B", "--prompts", str(prompts), *SMALL, "--out"]
    work = tmp_path / "B.training"
    # Stopped when the text is there: its taps have been carried over.
    real = drafter_module.prepare

    def stopped(*_: Any, **__: Any) -> Any:
        raise drafter_module.TrainError("stopped here")

    monkeypatch.setattr(drafter_module, "prepare", stopped)
    assert cli.main([*own, "B"]) == 2
    assert dataset_module.read_manifest(work / "text")["taps"]["conversations"] == 30
    assert [file.name for file in (work / "text" / "raw").iterdir() if ".taps-" in file.name] == []
    assert (work / "taps" / "train-0-1.done").read_bytes().count(b"\x01") > 0
    monkeypatch.setattr(drafter_module, "prepare", real)
    assert cli.main([*own, "B"]) == 0
    assert not (work / "taps").exists()


def limited(monkeypatch: pytest.MonkeyPatch, rows: int) -> list[float]:
    """A plan of so many rows, and a second for each look at the clock; the times that were planned for."""
    real, plans = dataset_module.generate, []

    def plan(target: Any, recipe: Any, source: Any, limit_s: float, **_: Any) -> tuple[int, int]:
        plans.append(limit_s)
        return rows, 1

    def generate(*args: Any, **more: Any) -> bool:
        return real(*args, **more, clock=itertools.count().__next__)

    monkeypatch.setattr("engine.train.pace.plan_wave", plan)
    monkeypatch.setattr(dataset_module, "generate", generate)
    return plans


def test_text_that_is_made_in_little_time_is_enough_and_the_same_after_a_stop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    prompts = tmp_path / "mine.txt"
    prompts.write_text("".join(f"ASK {i}\n" for i in range(400)))
    plans = limited(monkeypatch, 7)
    own = ["train", "--scheme", "table", "--prompts", str(prompts), "--hours", "1.0", "--progress", "json", "--out"]
    assert cli.main([*own, str(tmp_path / "through")]) == 0
    through = tmp_path / "through.training" / "text"
    shards = [shard for _, shard in dataset_module.raw_shards(through)]
    assert 3 < len(shards) < 400 / 7
    taken = [shard.about["seconds"] for shard in shards]
    assert sum(taken[:-1]) + taken[-2] <= plans[0] == 0.35 * 3600 < sum(taken) + taken[-1]
    progress = [m for m in map(decode, capsys.readouterr().out.splitlines()) if isinstance(m, JobProgress)]
    told = [m for m in progress if m.stage == "text"]
    assert all(0 <= m.done <= m.total <= 1260 for m in told) and told[-1].done == 1260

    # Stopped in the second wave; the same command goes on, and plans nothing anew.
    real = Job.progress

    def stop(job: Job, stage: str, done: float, *args: Any) -> None:
        real(job, stage, done, *args)
        if done > 1.5 * shards[0].about["seconds"]:
            job.stop()

    with monkeypatch.context() as patch:
        patch.setattr(Job, "progress", stop)
        assert cli.main([*own, str(tmp_path / "stops")]) == 130
    assert len(list(dataset_module.raw_shards(tmp_path / "stops.training" / "text"))) == 1
    assert cli.main([*own, str(tmp_path / "stops")]) == 0
    assert len(plans) == 2
    for part in ("train.npz", "held.npz"):
        assert (tmp_path / "stops.training" / "text" / part).read_bytes() == (through / part).read_bytes()
    manifests = [dataset_module.read_manifest(path) for path in (through, tmp_path / "stops.training" / "text")]
    assert manifests[0]["recipe"] == manifests[1]["recipe"] and manifests[0]["recipe"]["rows"] == 7


def test_a_stop_while_the_pace_is_measured_is_a_stop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    prompts = tmp_path / "mine.txt"
    prompts.write_text("WHY\nHOW\n")
    monkeypatch.setattr(Job, "cancelled", lambda job: True)
    own = ["train", "--scheme", "table", "--prompts", str(prompts), "--out", str(tmp_path / "T"), "--progress", "json"]
    assert cli.main(own) == 130
    last = decode(capsys.readouterr().out.splitlines()[-1].encode())
    assert isinstance(last, JobEnded) and last.status == "stopped"


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--steps", "-1"], "--steps must be 0 or more (got -1)"),
        (["--soft", "2"], "--soft must be from 0 to 1 (got 2.0)"),
        (["--hours", "1"], "--hours and --steps exclude each other"),
        (["--prompts", "x"], "--data and --prompts exclude each other"),
        (["--start", "nowhere"], "There is no drafter at nowhere"),
        (["--json", "--progress", "json"], "--json and --progress json both write to stdout"),
        (["--start", "{data}"], "{data}"),
        (["--data", "{data}/raw"], "is no data set"),
        (["--data", "{data}/train.npz"], "train.npz is a file: name the directory of a data set."),
        (["--taps", "{data}/train.npz"], "train.npz is a file: name a directory for taps (--taps)"),
        (["--start", "{data}/train.npz"], "{data}/train.npz"),
        (["--out", "{data}/dataset.json"], "dataset.json is a file: name the directory of the new drafter (--out)"),
        (["--out", "{data}"], "is there already and is no drafter of ours: choose another directory (--out)"),
    ],
)
def test_wrong_requests_are_one_sentence(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], more: list[str], message: str
) -> None:
    asked = [word.format(data=data) for word in more]
    assert cli.main(words(data, tmp_path / "B", *asked)) == 2
    found = capsys.readouterr()
    assert found.out == ""
    # On a terminal the job's first line comes before it.
    assert [line for line in found.err.splitlines() if message.format(data=data) in line]
    assert sum("train B ->" not in line for line in found.err.splitlines()) == 1


def test_another_models_text_is_refused(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    manifest = json.loads((data / "dataset.json").read_text())
    write_json(data / "dataset.json", {**manifest, "vocabulary": 65})
    assert cli.main(words(data, tmp_path / "B", "--progress", "json")) == 2
    found = capsys.readouterr()
    last = decode(found.out.splitlines()[-1].encode())
    assert isinstance(last, JobEnded)
    assert last.status == "failed"
    assert "another model than tiny dense" in last.message
    assert last.message in found.err


@pytest.mark.parametrize("stopped", [False, True])
def test_a_drafter_that_nothing_judged_is_said(stopped: bool, tmp_path: Path) -> None:
    said: list[tuple[str, str]] = []

    class Told:
        def cancelled(self) -> bool:
            return stopped

        def ended(self, status: str, message: str, files: object = ()) -> None:
            said.append((status, message))

    args = argparse.Namespace(out=tmp_path, progress="json", json=False)
    train_drafter.ended(args, Told(), Outcome("done", None, 3, 3))  # type: ignore[arg-type]
    ((status, message),) = said
    assert status == ("stopped" if stopped else "done")
    assert message.endswith("It is not judged: the text holds no held-out answer for that.")
