"""The head start of recurrent rows: what a row leaves stands in for the target's features of that row's token."""

from __future__ import annotations

from pathlib import Path

import mlx.core as mx

from engine.train.batches import batch_at
from engine.train.feedback import begin_feedback
from engine.train.forward import block_features, contexts_of, inputs_of
from engine.train.loop import Run
from tests.engine.train.trainees import trainee
from tests.tiny import tiny_target


def missed(run: Run, behind: int) -> float:
    """How far ``feedback`` is from what ``reader`` reads so many places behind the anchor, as a share of its size."""
    batch = batch_at(run.material.conversations, run.among, 0, len(run.among), 4, 0)
    x = inputs_of(run.material, run.borrowed, batch, 1)
    blocks = x.blocks[0]
    contexts = contexts_of(run.model, x)
    said = run.model.fed_back(block_features(run.model, run.borrowed, x, blocks, contexts))[:, 0]
    read = contexts[0]
    at = mx.broadcast_to((blocks.anchors + behind)[..., None], (*blocks.anchors.shape, read.shape[-1]))
    wanted = mx.take_along_axis(read, at, axis=1).reshape(said.shape)
    share: float = (mx.square(said - wanted).sum() / mx.square(wanted).sum()).item()  # type: ignore[assignment]
    return share


def test_feedback_begins_as_what_the_reader_would_read_of_the_rows_own_token(tmp_path: Path) -> None:
    run = trainee("A recurrent", tmp_path, tiny_target("dense"), random=True)
    assert missed(run, 0) > 0.5
    begin_feedback(run.model, run.borrowed, run.material, run.among)
    assert missed(run, 0) < 0.5 < min(missed(run, -1), missed(run, 1))
