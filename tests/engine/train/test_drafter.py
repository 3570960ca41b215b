"""From a wish to a drafter on disk, on a tiny target: whole, stopped, gone on with; what the card says."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import mlx.core as mx
import msgspec
import numpy as np
import pytest

from engine.drafters.checkpoint import load_block_drafter
from engine.sampling import Sampler
from engine.target import Target
from engine.trace.events import Settings
from engine.train import bounds
from engine.train import drafter as module
from engine.train import taps as taps_module
from engine.train.begin import Start
from engine.train.card import curve
from engine.train.conversations import DataError, Shard, conversation, count, write_shard
from engine.train.dataset import Dataset, gather, open_dataset, read_dataset
from engine.train.drafter import Wish, train_drafter
from engine.train.failures import TrainError
from engine.train.generate import Recipe
from engine.train.layouts import layout_for
from engine.train.left_taps import keep_taps, taps_files
from engine.train.recipe import TrainRecipe
from engine.train.taps import run_taps
from tests.engine.train.trainees import conversations
from tests.tiny import tiny_target

SMALL = {"draft_vocabulary": 48, "held_answers": 4, "held_tokens": 16, "gamma": 3}
CHANGES = {"mask_id": 63}
LAYERS = (0, 1)


class Told:
    """A job that is asked to stop after some steps."""

    def __init__(self, stop_after: int = 10**9) -> None:
        self.stop_after = stop_after
        self.steps = 0
        self.stages: list[str] = []
        self.points: list[tuple[str, float, float]] = []

    def cancelled(self) -> bool:
        return self.steps >= self.stop_after

    def progress(self, stage: str, done: float, total: float, unit: str = "", note: str = "") -> None:
        self.stages.append(stage)
        self.steps = int(done) if stage == "train" else self.steps

    def point(self, series: str, x: float, y: float, low: Any = None, high: Any = None, **_: str) -> None:
        self.points.append((series, x, y))


def dataset() -> Dataset:
    return Dataset(conversations(8), conversations(5, seed=9), {"recipe": {"seed": 0}})


def wish(out: Path, scheme: str = "E", **more: Any) -> Wish:
    recipe = TrainRecipe(scheme=scheme, steps=more.pop("steps", 8), conversations=2, anchors=3)
    return Wish(out, recipe, **{**SMALL, "changes": CHANGES, **more})


@pytest.fixture(autouse=True)
def every_step_is_told_and_none_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.train.loop.NOTE_STEPS", 1)
    monkeypatch.setattr("engine.train.loop.PATIENCE", 99)


@pytest.mark.parametrize("scheme", ["A", "B", "C", "D", "E"])
def test_a_wish_becomes_a_drafter(scheme: str, tmp_path: Path) -> None:
    target, told = tiny_target("dense"), Told()
    outcome = train_drafter(wish(tmp_path / scheme, scheme), target, dataset(), told)
    assert outcome is not None
    assert (outcome.ended, outcome.step) == ("done", 8)
    assert {"train", "evaluate", "save"} <= set(told.stages)
    assert {"training loss", "held-out tokens per forward"} == {name for name, *_ in told.points}

    loaded = load_block_drafter(tmp_path / scheme, target)
    assert loaded.facts.bits == 4
    one = loaded.drafter()
    taps = {layer: mx.zeros((1, 4, 32)) for layer in one.taps}
    one.observe([3, 4, 5, 6], taps)
    assert one.propose(7, 3, Sampler(Settings(block=4))).width == 3

    noted = json.loads((tmp_path / scheme / "config.json").read_text())["about"]["held_out"]
    assert noted["answers"] == outcome.score.answers
    assert noted["tokens_per_forward"] == outcome.score.tokens_per_forward
    card = (tmp_path / scheme / "README.md").read_text()
    assert f"scheme {scheme}" in card
    assert "8 of 8 (done)" in card
    assert "4 bits" in card
    assert (tmp_path / scheme / "log.csv").read_text().count("\n") == 9
    assert (tmp_path / scheme / "curve.svg").read_text().count("<polyline") == 2


def test_stopped_it_keeps_the_best_and_goes_on(tmp_path: Path) -> None:
    target = tiny_target("dense")
    whole = train_drafter(wish(tmp_path / "whole"), target, dataset(), Told())
    stopped = train_drafter(wish(tmp_path / "half"), target, dataset(), Told(stop_after=3))
    assert whole is not None
    assert stopped is not None
    assert (stopped.ended, stopped.step) == ("stopped", 3)
    assert (tmp_path / "half" / "config.json").exists()
    again = train_drafter(wish(tmp_path / "half"), target, dataset(), Told())
    assert again == whole
    ours, theirs = (mx.load(str(tmp_path / name / "model.safetensors")) for name in ("half", "whole"))
    assert all(mx.array_equal(ours[name], theirs[name]) for name in theirs)


def test_stopped_before_the_first_step_there_is_nothing(tmp_path: Path) -> None:
    assert train_drafter(wish(tmp_path / "none"), tiny_target("dense"), dataset(), Told(stop_after=0)) is None
    assert not (tmp_path / "none").exists()


def test_hours_become_steps_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    real = module.prepare

    def prepare(w: Wish, recipe: TrainRecipe, *rest: Any, **more: Any) -> Any:
        asked.append(recipe.steps)
        return real(w, recipe, *rest, **more)

    monkeypatch.setattr(module, "prepare", prepare)
    target = tiny_target("dense")
    timed = wish(tmp_path / "timed", "B", steps=0, hours=1e-6)
    outcome = train_drafter(timed, target, dataset(), Told(stop_after=12))
    assert outcome is not None
    assert outcome.ended == "stopped"
    steps = json.loads((timed.work / "run" / "steps.json").read_text())["steps"]
    assert asked == [1000, steps]
    outcome = train_drafter(timed, target, dataset(), Told())
    assert outcome is not None
    assert outcome.step == steps
    assert asked == [1000, steps, steps]


def test_a_head_start_costs_its_time_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The trial whose pace is measured hands its beginning on; its steps are thrown away."""
    now = [0.0]

    class Trial:
        def __init__(self) -> None:
            self.weights = {"w": mx.array([1.0])}
            self.model = SimpleNamespace(parameters=lambda: self.weights)

        def advance(self) -> None:
            now[0] += 1
            self.weights = {"w": self.weights["w"] + 1}

    def prepare(*_: Any, **__: Any) -> Trial:
        now[0] += 50
        return Trial()

    monkeypatch.setattr(module, "prepare", prepare)
    monkeypatch.setattr(module, "time", SimpleNamespace(perf_counter=lambda: now[0]))
    nothing: Any = None
    timed = wish(tmp_path / "timed", "B", steps=0, hours=1.0)
    small, large = (layout_for(tiny_target("dense"), "B", gamma) for gamma in (3, 4))
    plan = module.steps_for(timed, small, nothing, nothing, nothing, 1000.0, Told())
    assert plan.steps == 950
    assert [(name, a.item()) for name, a in plan.beginning] == [("w", 1.0)]
    assert module.steps_for(timed, small, nothing, nothing, nothing, 0.0, Told()).steps == 950, "measured once"
    # Another shape has another pace.
    assert module.steps_for(timed, large, nothing, nothing, nothing, 500.0, Told()).steps == 450


def test_a_beginning_that_was_made_before_is_taken_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    starts: list[Start] = []
    real = module.begin
    monkeypatch.setattr(module, "begin", lambda start: (starts.append(start), real(start)))
    timed = wish(tmp_path / "timed", "B", steps=0, hours=1e-6)
    train_drafter(timed, tiny_target("dense"), dataset(), Told(stop_after=12))
    assert len(starts) == 1


def test_a_head_start_can_be_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Taps are there; what is asked for between its conversations ends it, and there is nothing to keep."""
    target, told, shared = tiny_target("dense"), Told(), tmp_path / "shared"
    train_drafter(wish(tmp_path / "first", "B", steps=2, taps=shared), target, dataset(), Told())

    def begin(start: Start) -> None:
        told.stop_after = 0
        start.between()
        raise AssertionError("it went on")

    monkeypatch.setattr(module, "begin", begin)
    assert train_drafter(wish(tmp_path / "B", "B", taps=shared), target, dataset(), told) is None
    assert not (tmp_path / "B").exists()


def test_both_parts_of_the_taps_must_fit_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their files are made before they are filled, so what one will take up is not free for the other."""
    target, data = tiny_target("dense"), dataset()
    needs = [taps_module.tap_bytes(c, LAYERS, 32) for c in (data.train, data.held)]
    free = taps_module.SPARE_BYTES + sum(needs)
    monkeypatch.setattr(taps_module.shutil, "disk_usage", lambda _: SimpleNamespace(free=free - 1))
    with pytest.raises(DataError, match="GB are free"):
        train_drafter(wish(tmp_path / "B", "B"), target, data, Told())
    monkeypatch.setattr(taps_module.shutil, "disk_usage", lambda _: SimpleNamespace(free=free))
    assert train_drafter(wish(tmp_path / "C", "B"), target, data, Told(stop_after=1)) is not None


def test_a_run_that_goes_on_is_told_the_same_hours(tmp_path: Path) -> None:
    target = tiny_target("dense")
    timed = wish(tmp_path / "timed", "B", steps=0, hours=1e-6, hours_asked=1.0)
    train_drafter(timed, target, dataset(), Told(stop_after=12))  # more than the steps whose pace is measured
    longer = replace(timed, hours_asked=2.0)
    with pytest.raises(TrainError, match=r"begun with --hours 1 \(now 2\): give .*--start .*run/best"):
        train_drafter(longer, target, dataset(), Told())
    assert train_drafter(timed, target, dataset(), Told()) is not None
    # Before the first checkpoint nothing is decided.
    (timed.work / "run" / "state.safetensors").unlink()
    shutil.rmtree(timed.out)
    train_drafter(longer, target, dataset(), Told(stop_after=12))
    assert json.loads((timed.work / "run" / "steps.json").read_text())["hours"] == 2.0


def test_another_text_of_the_same_size_is_another_run(tmp_path: Path) -> None:
    target = tiny_target("dense")
    train_drafter(wish(tmp_path / "B", "B", taps_gb=0.0), target, dataset(), Told(stop_after=3))
    other = dataset()
    other.train.tokens[-1] = (other.train.tokens[-1] + 1) % 40
    with pytest.raises(TrainError, match="another text"):
        train_drafter(wish(tmp_path / "B", "B", taps_gb=0.0), target, other, Told())


def test_what_is_done_is_said_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target, first, again = tiny_target("dense"), Told(), Told(stop_after=0)
    done = train_drafter(wish(tmp_path / "B", "B"), target, dataset(), first)
    before = {file.name: file.read_bytes() for file in (tmp_path / "B").iterdir()}
    shutil.rmtree(tmp_path / "B.training" / "taps")
    with monkeypatch.context() as patch:
        for name in ("ready_taps", "prepare", "train"):
            patch.setattr(module, name, None)
        found = train_drafter(wish(tmp_path / "B", "B"), target, dataset(), again)
    assert done is not None and found == replace(done, before=True)
    assert again.stages == [] and {x for _, x, _ in again.points} == {x for _, x, _ in first.points}
    assert {file.name: file.read_bytes() for file in (tmp_path / "B").iterdir()} == before
    # Packed otherwise it is not what is there.
    other = train_drafter(wish(tmp_path / "B", "B", bits=8), target, dataset(), Told())
    assert other is not None and not other.before and other.step == 8
    assert load_block_drafter(tmp_path / "B", target).facts.bits == 8


def test_a_drafter_that_is_done_is_not_written_over_by_a_beginning(tmp_path: Path) -> None:
    target = tiny_target("dense")
    train_drafter(wish(tmp_path / "B", "B", steps=2), target, dataset(), Told())
    shutil.rmtree(tmp_path / "B.training")
    with pytest.raises(TrainError, match=r"B is a drafter that is done, and its run, .* is gone: choose another"):
        train_drafter(wish(tmp_path / "B", "B", steps=2), target, dataset(), Told())
    assert not (tmp_path / "B.training").exists()


def test_a_stop_while_it_is_judged_is_made_up_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target, told = tiny_target("dense"), Told()
    real = Told.progress

    def progress(self: Told, stage: str, *args: Any, **more: Any) -> None:
        real(self, stage, *args, **more)
        if stage == "evaluate":
            self.stop_after = 0

    with monkeypatch.context() as patch:
        patch.setattr(Told, "progress", progress)
        stopped = train_drafter(wish(tmp_path / "B", "B"), target, dataset(), told)
    assert stopped is not None and (stopped.ended, stopped.step) == ("stopped", 8)
    outcome = train_drafter(wish(tmp_path / "B", "B"), target, dataset(), Told())
    assert outcome is not None and (outcome.ended, outcome.before) == ("done", False)
    assert "| 4 bits |" in (tmp_path / "B" / "README.md").read_text().split("## On held-out")[1]


def test_another_request_is_refused_before_anything_is_computed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tiny_target("dense")
    train_drafter(wish(tmp_path / "B", "B"), target, dataset(), Told(stop_after=3))
    monkeypatch.setattr(module, "ready_taps", None)
    for w, said in (
        (wish(tmp_path / "B", "B", steps=9), r"begun with --steps 8 \(now 9\): give the same again"),
        (wish(tmp_path / "B", "B", steps=0, hours_asked=2.0), r"begun with --steps 8 \(now --hours 2\): give"),
        (
            wish(tmp_path / "B", "B", gamma=2, draft_vocabulary=32),
            r"--gamma 3 .now 2. and --draft-voc[^ ]* 48 .now 32.:",
        ),
    ):
        with pytest.raises(TrainError, match=said):
            train_drafter(w, target, dataset(), Told())


def test_few_steps_wait_for_no_more_taps_than_they_need(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "LEAST_LOOKED_AT", 1)
    target = tiny_target("dense")
    own = wish(tmp_path / "B", "B", steps=2)
    own.work.mkdir()
    made = replace(dataset(), path=own.work / "text")
    first = train_drafter(own, target, made, Told(stop_after=1))
    assert first is not None and first.step == 1
    assert json.loads((own.work / "run" / "run.json").read_text())["facts"]["conversations"] == 4
    monkeypatch.setattr(bounds, "LEAST_LOOKED_AT", 99)  # decided is decided
    again = train_drafter(own, target, made, Told())
    assert again is not None and again.ended == "done"
    named = wish(tmp_path / "named", "B", steps=2)
    train_drafter(named, target, dataset(), Told())
    assert json.loads((named.work / "run" / "run.json").read_text())["facts"]["conversations"] == 8


def test_going_on_tells_the_curves_from_their_beginning(tmp_path: Path) -> None:
    target, first, second = tiny_target("dense"), Told(stop_after=4), Told()
    train_drafter(wish(tmp_path / "B", "B"), target, dataset(), first)
    train_drafter(wish(tmp_path / "B", "B"), target, dataset(), second)
    xs = [x for name, x, _ in second.points if name == "training loss"]
    assert xs == [*range(1, 9)]
    before = {(name, x): y for name, x, y in first.points}
    assert {(name, x) for name, x, _ in second.points} >= set(before)
    assert all(before[name, x] == pytest.approx(y, abs=1e-3) for name, x, y in second.points if (name, x) in before)


def test_a_drafter_of_other_taps_is_no_beginning(tmp_path: Path) -> None:
    target = tiny_target("dense")
    train_drafter(wish(tmp_path / "B", "B"), target, dataset(), Told(stop_after=2))
    best = tmp_path / "B.training" / "run" / "best"
    config = json.loads((best / "config.json").read_text())
    taps = config["layout"]["taps"]
    config["layout"]["taps"] = taps[::-1]
    (best / "config.json").write_text(json.dumps(config))
    recipe = TrainRecipe(scheme="E", steps=2, conversations=2, anchors=3, start=str(best))
    with pytest.raises(TrainError, match="reads the outputs of the target's layers"):
        train_drafter(Wish(tmp_path / "E", recipe, **SMALL, changes=CHANGES), target, dataset(), Told())


def test_taps_that_are_too_many_are_computed_anew(tmp_path: Path) -> None:
    target = tiny_target("dense")
    kept = train_drafter(wish(tmp_path / "kept", "B"), target, dataset(), Told())
    anew = train_drafter(wish(tmp_path / "anew", "B", taps_gb=0.0), target, dataset(), Told())
    assert (tmp_path / "kept.training" / "taps").exists()
    assert not (tmp_path / "anew.training" / "taps").exists()
    assert kept is not None
    assert anew is not None
    ours, theirs = (
        mx.load(str(tmp_path / f"{n}.training" / "run" / "best" / "model.safetensors")) for n in ("kept", "anew")
    )
    for name, array in theirs.items():
        assert mx.allclose(ours[name].astype(mx.float32), array.astype(mx.float32), atol=0.02), name


def written(path: Path, target: Target) -> Dataset:
    """A data set that was written with its taps."""
    train, held = conversations(8), conversations(5, seed=9)
    hashes = held.prompt_hashes + np.uint64(100)
    held = replace(held, held=np.ones(5, np.bool_), prompt_hashes=hashes)
    with open_dataset(path, target, Recipe()):
        for wave, c in enumerate((train, held)):
            raw = path / "raw" / f"wave-{wave:06}.npz"
            texts = [conversation(c, i) for i in range(count(c))]
            assert keep_taps(raw, LAYERS, np.concatenate(run_taps(target, texts, LAYERS)), 1e9)
            write_shard(raw, Shard(c))
        gather(path)
    data = read_dataset(path)
    assert count(data.train) == 8 and count(data.held) == 5
    return data


@pytest.fixture
def no_forward(monkeypatch: pytest.MonkeyPatch) -> None:
    """For taps."""

    def refuse(*_: Any) -> None:
        raise AssertionError("taps were computed that had been kept")

    monkeypatch.setattr(taps_module, "run_taps", refuse)
    monkeypatch.setattr(bounds, "run_taps", refuse)


def test_taps_that_were_kept_with_the_text_are_not_computed(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    target = tiny_target("dense")
    whole = train_drafter(wish(tmp_path / "computed", "B"), target, dataset(), Told())
    own, elsewhere = wish(tmp_path / "own", "B"), wish(tmp_path / "elsewhere", "B")
    data, other = written(own.work / "text", target), written(tmp_path / "data", target)
    request.getfixturevalue("no_forward")
    stopped = train_drafter(own, target, data, Told(stop_after=3))
    assert stopped is not None and stopped.step == 3
    assert not taps_files(own.work / "text"), "they are with the run's other taps now"
    again = train_drafter(own, target, data, Told())
    assert train_drafter(elsewhere, target, other, Told()) == again
    assert len(taps_files(tmp_path / "data")) == 2, "others may need them"
    assert again is not None and whole is not None
    assert (again.step, again.ended) == (8, "done")
    ours, theirs, computed = (
        mx.load(str(w / "model.safetensors")) for w in (tmp_path / n for n in ("own", "elsewhere", "computed"))
    )
    assert all(mx.array_equal(ours[name], theirs[name]) for name in theirs)
    assert ours.keys() == computed.keys()


def test_little_time_leaves_out_no_text_whose_taps_were_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    target = tiny_target("dense")
    timed = wish(tmp_path / "timed", "B", steps=0, hours=1e-6, hours_asked=1.0)
    data = written(timed.work / "text", target)
    request.getfixturevalue("no_forward")
    monkeypatch.setattr(bounds, "LEAST_TRAIN", 1)
    monkeypatch.setattr(bounds, "LEAST_HELD", 1)

    def learned() -> int:
        return int(json.loads((timed.work / "run" / "text.json").read_text())["train"])

    assert train_drafter(timed, target, data, Told(stop_after=12)) is not None
    assert learned() == 8 and not taps_files(timed.work / "text")
    # Gone on with, and, before there is a checkpoint, begun anew with other hours.
    assert train_drafter(timed, target, data, Told(stop_after=14)) is not None
    (timed.work / "run" / "state.safetensors").unlink()
    train_drafter(replace(timed, hours_asked=2.0), target, data, Told(stop_after=12))
    assert learned() == 8


def test_taps_of_another_target_are_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tiny_target("dense")
    data = written(tmp_path / "data", target)
    target.facts = msgspec.structs.replace(target.facts, name="other")
    computed: list[int] = []
    real = taps_module.run_taps

    def count_them(target: Target, texts: Any, layers: Any) -> Any:
        computed.append(len(texts))
        return real(target, texts, layers)

    monkeypatch.setattr(taps_module, "run_taps", count_them)
    assert train_drafter(wish(tmp_path / "B", "B", steps=2), target, data, Told()) is not None
    assert sum(computed) == 8 + 5


def test_kept_taps_that_are_too_many_stay_where_they_are(tmp_path: Path) -> None:
    target = tiny_target("dense")
    w = wish(tmp_path / "B", "B", steps=2, taps_gb=0.0)
    data = written(w.work / "text", target)
    assert train_drafter(w, target, data, Told()) is not None
    assert len(taps_files(w.work / "text")) == 2 and not (w.work / "taps").exists()


def test_another_drafters_backbone_is_the_beginning(tmp_path: Path) -> None:
    target = tiny_target("dense")
    train_drafter(wish(tmp_path / "B", "B"), target, dataset(), Told())
    best = tmp_path / "B.training" / "run" / "best"
    recipe = TrainRecipe(scheme="E", steps=2, conversations=2, anchors=3, learning_rate=0.0, start=str(best))
    more = Wish(tmp_path / "E", recipe, **SMALL, changes=CHANGES)
    assert train_drafter(more, target, dataset(), Told()) is not None
    ours = mx.load(str(tmp_path / "E.training" / "run" / "best" / "model.safetensors"))
    theirs = mx.load(str(best / "model.safetensors"))
    for name in theirs:
        assert mx.allclose(ours[name].astype(mx.float32), theirs[name].astype(mx.float32), rtol=2e-2, atol=2e-3), name
    assert "begun with the backbone of" in (tmp_path / "E" / "README.md").read_text()


def test_a_curve_without_points_is_a_picture_still() -> None:
    assert curve([]).startswith("<svg")
