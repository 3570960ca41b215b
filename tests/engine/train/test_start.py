"""What a drafter begins with does what it says."""

from __future__ import annotations

from pathlib import Path

import mlx.core as mx
import numpy as np
import pytest
from mlx.utils import tree_flatten

from engine.drafters.quantize import quantize_drafter
from engine.train.batches import batch_at
from engine.train.forward import block_features, block_loss, correction, inputs_of
from engine.train.regression import begin_head_with_regression, begin_with_regression
from engine.train.start import backbone_of, begin_with_bigrams, bigram_factors
from engine.train.unroll import eagle_loss
from tests.engine.train.trainees import GAMMA, conversations, trainee


def everything(run):
    batch = batch_at(run.material.conversations, run.among, 0, len(run.among), 12, 0)
    return inputs_of(run.material, run.borrowed, batch, GAMMA)


def test_a_regression_is_better_than_chance(tmp_path: Path) -> None:
    run = trainee("B", tmp_path)
    x = everything(run)
    before, _ = block_loss(run.model, run.borrowed, run.recipe, x)
    begin_with_regression(run.model, run.borrowed, run.material, run.among)
    after, _ = block_loss(run.model, run.borrowed, run.recipe, x)
    assert after.item() < before.item() - 0.2


def test_a_head_begins_better_than_chance_too(tmp_path: Path) -> None:
    run = trainee("A", tmp_path)
    x = run.inputs(0)
    before, _ = eagle_loss(run.model, run.borrowed, run.recipe, x)
    begin_head_with_regression(run.model, run.borrowed, run.material, run.among)
    after, _ = eagle_loss(run.model, run.borrowed, run.recipe, x)
    assert after.item() < before.item() - 0.2


def test_without_its_layers_the_drafter_is_the_regression(tmp_path: Path) -> None:
    """What its rows read points where the target's head will look."""
    run = trainee("B", tmp_path)
    begin_with_regression(run.model, run.borrowed, run.material, run.among)
    for layer in run.model.layers:
        layer.self_attn.o_proj.weight = mx.zeros_like(layer.self_attn.o_proj.weight)
        layer.mlp.down_proj.weight = mx.zeros_like(layer.mlp.down_proj.weight)
    x = everything(run)
    hidden = block_features(run.model, run.borrowed, x).hidden.reshape(-1, GAMMA, 32)
    blocks = x.blocks[0]
    last = x.taps[..., -32:] / mx.array(run.material.scale[-32:])  # of the target's last layer
    read = mx.take_along_axis(last, blocks.anchors[..., None], axis=1)
    said = run.material.teacher(read).reshape(-1, 1, 32)
    there = np.array((blocks.labels.tokens.reshape(-1, GAMMA) >= 0).all(axis=1))
    ours, theirs = np.array(hidden)[there][:, 0], np.array(said)[there][:, 0]
    cosine = (ours * theirs).sum(-1) / np.linalg.norm(ours, axis=-1) / np.linalg.norm(theirs, axis=-1)
    assert cosine.mean() > 0.5


@pytest.mark.parametrize("scheme", ["C", "D", "E"])
def test_pairs_begin_as_the_texts_bigrams(scheme: str, tmp_path: Path) -> None:
    run = trainee(scheme, tmp_path)
    x = everything(run)
    features = block_features(run.model, run.borrowed, x)
    mean = features.hidden.reshape(-1, 32).mean(axis=0)
    begin_with_bigrams(run.model, run.borrowed, run.material.conversations, run.material.index, mean)
    c, index = run.material.conversations, run.material.index
    y = run.layout
    rank = y.markov.rank if y.markov else y.dflash2.selector_rank if y.dflash2 else 48
    left, right = bigram_factors(c, index, 48, rank)
    before = mx.array([[5, 5, 5]] * x.blocks[0].anchors.size)
    scores = correction(run.model, run.borrowed, features, before)[:, 1:].mean(axis=(0, 1))
    wanted = left[index[5]] @ right.T
    assert np.corrcoef(np.array(scores), wanted)[0, 1] > (0.2 if scheme == "E" else 0.7)


def test_the_factors_are_the_best_of_their_rank() -> None:
    c = conversations(30)
    index = np.arange(64, dtype=np.int32)
    left, right = bigram_factors(c, index, 64, 8)
    full_left, full_right = bigram_factors(c, index, 64, 60)
    scores = full_left @ full_right.T
    u, w, vt = np.linalg.svd(scores)
    best = (u[:, :8] * w[:8]) @ vt[:8]
    assert np.linalg.norm(left @ right.T - scores) == pytest.approx(np.linalg.norm(best - scores), rel=0.02)


def test_a_backbone_is_taken_over(tmp_path: Path) -> None:
    one = trainee("B", tmp_path / "b", random=True)
    one.directory.mkdir()
    one.export(tmp_path / "saved", {})
    other = trainee("E", tmp_path / "e")
    taken = backbone_of(tmp_path / "saved", other.model)
    assert set(taken) == set(dict(tree_flatten(one.model.parameters()))) - {"draft_ids"}
    theirs = dict(tree_flatten(other.model.parameters()))
    ours = dict(tree_flatten(one.model.parameters()))
    name = "layers.1.mlp.up_proj.weight"
    assert mx.allclose(theirs[name], ours[name], atol=2e-3)
    assert "cascade.injection_scales" not in taken


def test_a_packed_backbone_is_taken_over_as_near_as_its_bits_allow(tmp_path: Path) -> None:
    one = trainee("B", tmp_path / "b", random=True)
    one.directory.mkdir()
    one.export(tmp_path / "saved", {})
    packed = quantize_drafter(tmp_path / "saved", tmp_path / "packed", bits=8)
    other = trainee("E", tmp_path / "e")
    taken = backbone_of(packed, other.model)
    assert "layers.1.mlp.up_proj.weight" in taken
    theirs, ours = (dict(tree_flatten(run.model.parameters())) for run in (other, one))
    name = "layers.1.mlp.up_proj.weight"
    assert mx.allclose(theirs[name], ours[name], atol=0.01)
    assert mx.array_equal(theirs["norm.weight"], ours["norm.weight"].astype(mx.float16).astype(mx.float32))
