"""A run that was killed goes on to the same weights; one that fails says so and keeps its checkpoint."""

from __future__ import annotations

from pathlib import Path

import mlx.core as mx
import pytest
from mlx.utils import tree_flatten

from engine.train import loop
from engine.train.batches import batch_at
from engine.train.conversations import answer
from engine.train.evaluate import Score
from engine.train.failures import TrainError
from engine.train.loop import Run, read_log, train
from tests.engine.train.trainees import SCHEMES, trainee


def weights(run) -> dict[str, mx.array]:
    return dict(tree_flatten(run.model.parameters()))


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_killed_run_ends_with_the_same_weights(scheme: str, tmp_path: Path) -> None:
    whole = trainee(scheme, tmp_path / "whole")
    whole.resume()
    assert train(whole, save_steps=3) == "done"

    killed = trainee(scheme, tmp_path / "killed")
    killed.resume()
    for _ in range(3):
        killed.advance()
    killed.save()
    killed.advance()  # lost: it is after the checkpoint

    again = trainee(scheme, tmp_path / "killed")
    assert again.resume()
    assert again.step == 3
    assert train(again, save_steps=3) == "done"
    ours, theirs = weights(again), weights(whole)
    assert all(mx.array_equal(ours[name], theirs[name]) for name in theirs)
    assert again.positions == whole.positions


def test_only_what_has_a_label_counts_as_learned_from(tmp_path: Path) -> None:
    """Padding, prompts and what lies behind an answer's end have none."""
    blocks = trainee("B", tmp_path / "B")
    labels = [b.labels.tokens for b in blocks.inputs(0).blocks]
    blocks.advance()
    there = sum(int((one >= 0).sum().item()) for one in labels)
    assert blocks.positions == there <= sum(one.size for one in labels)

    chain = trainee("A", tmp_path / "A", unroll=2)
    batch = batch_at(chain.material.conversations, chain.among, 0, chain.recipe.conversations, chain.recipe.anchors, 0)
    chain.advance()
    answers = sum(len(answer(chain.material.conversations, int(i))) for i in batch.which)
    assert 0 < chain.positions <= 2 * answers


def test_training_lowers_the_loss(tmp_path: Path) -> None:
    run = trainee("B", tmp_path, steps=60)
    run.resume()
    losses = [run.advance()[0] for _ in range(60)]
    assert sum(losses[-10:]) < 0.9 * sum(losses[:10])


def test_a_loss_that_is_no_number_ends_the_run_and_keeps_the_checkpoint(tmp_path: Path) -> None:
    run = trainee("B", tmp_path)
    run.resume()
    run.advance()
    run.save()
    good = weights(trainee_resumed(tmp_path))
    run.model.norm.weight = run.model.norm.weight * float("nan")
    with pytest.raises(TrainError, match="step 2 is no number"):
        train(run)
    kept = weights(trainee_resumed(tmp_path))
    assert all(mx.array_equal(kept[name], good[name]) for name in good)


def trainee_resumed(directory: Path):
    run = trainee("B", directory)
    assert run.resume()
    return run


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        RuntimeError("[malloc] Unable to allocate 99 bytes."),
        RuntimeError("[METAL] Command buffer execution failed: Insufficient Memory (00000008:kIOGPU...)"),
    ],
)
def test_memory_that_runs_out_is_one_sentence(
    error: Exception, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = trainee("B", tmp_path)
    run.resume()

    def fail(*_: object) -> None:
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(Run, "advance", fail)
        with pytest.raises(TrainError, match="Memory ran out in step 1"):
            train(run)
    with pytest.raises(TrainError, match="Memory ran out while held-out answers were judged"):
        train(run, eval_steps=1, evaluate=fail)


def test_a_disk_that_runs_out_leaves_the_last_checkpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = trainee("B", tmp_path)
    run.resume()
    run.advance()
    run.save()
    before = run.state_file.read_bytes()

    def fail(file: str, *_: object, **__: object) -> None:
        Path(file).write_bytes(b"half")
        raise RuntimeError("[write] Unable to write 3900096 bytes to file.")

    monkeypatch.setattr(mx, "save_safetensors", fail)
    with pytest.raises(TrainError, match="make room"):
        train(run, save_steps=1)
    assert run.state_file.read_bytes() == before
    assert [file.name for file in tmp_path.glob(".*")] == []


def test_a_damaged_checkpoint_is_one_sentence(tmp_path: Path) -> None:
    run = trainee("B", tmp_path)
    run.resume()
    run.state_file.write_bytes(b"no tensors")
    with pytest.raises(TrainError, match="is damaged"):
        trainee("B", tmp_path).resume()


def test_a_judgement_that_was_stopped_is_made_up_for(tmp_path: Path) -> None:
    def judged(run: Run, values: dict[int, float], stop_at: int = 0):
        asked: list[int] = []

        def evaluate(_: object) -> Score | None:
            asked.append(run.step)
            return None if run.step == stop_at else Score(values[run.step], 1.0, 2.0, 3, 3, (3,), (1,))

        return train(run, eval_steps=3, evaluate=evaluate), asked

    values = {3: 1.4, 6: 1.2, 8: 1.3}
    whole = trainee("B", tmp_path / "whole")
    whole.resume()
    assert judged(whole, values) == ("done", [3, 6, 8])
    for stop_at in (3, 8):
        at = tmp_path / str(stop_at)
        run = trainee("B", at)
        run.resume()
        assert judged(run, values, stop_at)[0] == "stopped"
        again = trainee("B", at)
        assert again.resume()
        assert again.step == stop_at
        assert judged(again, values) == ("done", [n for n in values if n >= stop_at])
        assert (again.best, again.best_step, again.since_best) == (1.4, 3, 2)
        ours, theirs = (mx.load(str(d / "best" / "model.safetensors")) for d in (at, tmp_path / "whole"))
        assert all(mx.array_equal(ours[name], theirs[name]) for name in theirs)
        # A run that is over has nothing left to judge.
        assert judged(again, values) == ("done", [])


def test_the_time_given_ends_it(tmp_path: Path) -> None:
    run = trainee("B", tmp_path)
    run.resume()
    assert train(run, deadline_s=0.0) == "time"
    assert (tmp_path / "best" / "config.json").exists()


def test_another_recipe_is_refused_in_the_same_directory(tmp_path: Path) -> None:
    run = trainee("B", tmp_path)
    run.resume()
    run.save()
    with pytest.raises(TrainError, match=r"begun with --learning-rate 0.003 \(now 0.0001\): give"):
        trainee("B", tmp_path, learning_rate=1e-4).resume()


def test_stopping_keeps_what_was_learned(tmp_path: Path) -> None:
    run = trainee("B", tmp_path)
    run.resume()
    assert train(run, cancelled=lambda: run.step >= 2) == "stopped"
    assert trainee_resumed(tmp_path).step == 2
    assert (tmp_path / "best" / "config.json").exists()


def test_it_ends_when_it_gets_no_better_and_the_best_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop, "PATIENCE", 2)
    run = trainee("B", tmp_path)
    run.resume()
    values = iter([1.1, 1.3, 1.2, 1.25, 1.4])
    ended = train(
        run,
        eval_steps=1,
        evaluate=lambda _: Score(next(values), 1.0, 2.0, 3, 3, (3,), (1,)),
        about=lambda s: {"was": s.tokens_per_forward},
    )
    assert ended == "no better any more"
    assert (run.step, run.best, run.best_step) == (4, 1.3, 2)
    assert '"was": 1.3' in (tmp_path / "best" / "config.json").read_text()


def test_the_log_goes_on_from_the_checkpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop, "NOTE_STEPS", 1)
    run = trainee("B", tmp_path)
    run.resume()
    train(run, save_steps=3, cancelled=lambda: run.step >= 5)
    # As after a kill: rows of steps that no checkpoint holds.
    log = tmp_path / "log.csv"
    log.write_text(log.read_text() + "6,1,1,1,-1,-1,,,0.1,,,\n")
    again = trainee("B", tmp_path)
    again.resume()
    train(again)
    assert [row["step"] for row in read_log(log)] == list(range(1, 9))
    assert all(row["loss"] > 0 for row in read_log(log))
