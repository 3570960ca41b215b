"""What is trained is what drafts: the same rows, the same logits, gradients that agree with finite differences."""

from __future__ import annotations

from pathlib import Path

import mlx.core as mx
import mlx.nn as nn
import numpy as np
import pytest
from mlx.utils import tree_flatten, tree_map

from engine.drafters.backbone import Given, Shared
from engine.drafters.block import Block, BlockDrafter
from engine.drafters.eagle import Eagle, EagleDrafter
from engine.sampling import Sampler
from engine.trace.events import Settings
from engine.train.forward import block_features, block_loss, correction
from engine.train.unroll import Chain, eagle_loss
from tests.engine.drafters.blocks import layout
from tests.engine.train.trainees import GAMMA, SCHEMES, VARIANTS, trainee
from tests.tiny import tiny_target


@pytest.mark.parametrize("scheme", (*SCHEMES, *VARIANTS))
def test_gradients_agree_with_finite_differences(scheme: str, tmp_path: Path) -> None:
    run = trainee(scheme, tmp_path, random=True, soft=0.5)
    x = run.inputs(0)
    loss_of = eagle_loss if scheme == "A" else block_loss

    def loss() -> mx.array:
        return loss_of(run.model, run.borrowed, run.recipe, x)[0]

    _, grads = nn.value_and_grad(run.model, loss)()
    start = run.model.trainable_parameters()
    for seed in range(3):
        mx.random.seed(100 + seed)
        way = tree_map(lambda a: mx.random.normal(a.shape), start)
        size = sum(mx.square(a).sum() for _, a in tree_flatten(way)) ** 0.5
        way = tree_map(lambda a, s=size: a / s, way)
        along = sum((dict(tree_flatten(grads))[k] * v).sum() for k, v in tree_flatten(way)).item()

        step = 0.02
        there = []
        for far in (step, -step, 2 * step, -2 * step):
            run.model.update(tree_map(lambda a, b, far=far: a + far * b, start, way))
            there.append(loss().item())
        measured = (8 * (there[0] - there[1]) - (there[2] - there[3])) / (12 * step)
        run.model.update(start)
        assert measured == pytest.approx(along, rel=0.02, abs=2e-3)


@pytest.mark.parametrize("scheme", (*SCHEMES, *VARIANTS))
def test_every_parameter_learns(scheme: str, tmp_path: Path) -> None:
    run = trainee(scheme, tmp_path, random=True)
    x = run.inputs(0)
    loss_of = eagle_loss if scheme == "A" else block_loss
    _, grads = nn.value_and_grad(run.model, lambda: loss_of(run.model, run.borrowed, run.recipe, x)[0])()
    still = [name for name, g in tree_flatten(grads) if not mx.abs(g).max().item()]
    assert not still
    assert "draft_ids" not in dict(tree_flatten(grads))


BLOCKS = [*SCHEMES[1:], *(name for name in VARIANTS if name != "A recurrent")]


@pytest.mark.parametrize("scheme", BLOCKS)
def test_training_sees_what_drafting_sees(scheme: str, tmp_path: Path) -> None:
    """Hidden rows and corrected logits of a block, teacher-forced on the drafter's own tokens."""
    target = tiny_target("dense")
    run = trainee(scheme, tmp_path, target, random=True)
    x = run.inputs(0)
    features = block_features(run.model, run.borrowed, x)
    model = run.current()
    block = Block.of(model, run.borrowed)
    drafter = BlockDrafter(block)
    which, place = 1, 2
    s = int(x.blocks[0].anchors[which, place].item())
    text = x.tokens[which].tolist()
    raw = run.material.taps.of([int(batch_row(run, 0, which))])[0]
    taps = {layer: mx.array(raw[None, :s, i].astype(np.float32)) for i, layer in enumerate(run.layout.taps)}
    drafter.observe(text[:s], taps)
    sampler = Sampler(Settings(block=GAMMA + 1, candidate_width=48))
    walked = drafter.draft(text[s], GAMMA, sampler)
    row = which * x.blocks[0].anchors.shape[1] + place
    own = model.logits(features.hidden, run.borrowed.head)[row]
    tokens = walked.tokens
    if scheme[0] != "B":
        before = mx.concatenate([mx.array([text[s]]), tokens[:-1].astype(mx.int32)])
        everywhere = mx.broadcast_to(before, (x.blocks[0].anchors.size, GAMMA))
        own = own + correction(run.model, run.borrowed, features, everywhere)[row]
    assert run.borrowed.to_target(mx.argmax(own, axis=-1)).tolist() == tokens.tolist()


def test_the_chain_sees_what_the_head_sees(tmp_path: Path) -> None:
    """Scheme A: the first drafts of a place, teacher-forced on the drafter's own tokens."""
    target = tiny_target("dense")
    run = trainee("A", tmp_path, target, random=True)
    x = run.inputs(0)
    model = run.current()
    drafter = EagleDrafter(Eagle(model, run.borrowed))
    s = 9
    text = x.tokens[0].tolist()
    raw = run.material.taps.of([int(batch_row(run, 0, 0))])[0]
    taps = {layer: mx.array(raw[None, :s, i].astype(np.float32)) for i, layer in enumerate(run.layout.taps)}
    drafter.observe(text[:s], taps)
    drafts = drafter.propose(text[s], GAMMA, Sampler(Settings(block=GAMMA + 1))).tokens.tolist()
    # The same text, with the drafts in place of what came.
    tokens = mx.array([[*text[: s + 1], *drafts]])
    embeddings = run.borrowed.embed(mx.concatenate([tokens[:, 1:], tokens[:, :1]], axis=1))
    hidden = run.model.context(mx.pad(x.taps[:1, :s], [(0, 0), (0, tokens.shape[1] - s), (0, 0)]))
    chain = Chain()
    said = []
    for j in range(GAMMA):
        if j:
            hidden = mx.pad(hidden[:, :-1], [(0, 0), (1, 0), (0, 0)])
        hidden = run.model(embeddings, hidden, chain, 0)
        logits = run.borrowed.head(run.model.norm(hidden))[0, s - 1 + j]
        said.append(int(run.borrowed.to_target(mx.argmax(logits)).item()))
    assert said == drafts


@pytest.mark.parametrize("causal", [True, False])
def test_shared_contexts_are_contexts(causal: bool) -> None:
    y = layout("B", windows=(), causal=())
    from engine.drafters.backbone import Attention

    mx.random.seed(0)
    attention = Attention(y)
    c, a, s, r = 2, 3, 7, 4
    h_ctx, rows = mx.random.normal((c, s, 32)), mx.random.normal((c * a, r, 32))
    anchors = mx.array([[2, 4, 6], [1, 3, 7]])
    keys, values = attention.keys_values(h_ctx, 0)
    visible = mx.arange(s)[None, None] < anchors[..., None]
    mask = "causal" if causal else None
    together = attention(rows, Shared(keys, values, visible), anchors.reshape(-1), mask)
    for n in range(c * a):
        at = int(anchors.reshape(-1)[n].item())
        own = Given(keys[n // a : n // a + 1, :, :at], values[n // a : n // a + 1, :, :at])
        alone = attention(rows[n : n + 1], own, at, mask)
        assert mx.allclose(together[n : n + 1], alone, atol=1e-5)


def batch_row(run, step: int, row: int) -> int:
    from engine.train.batches import batch_at

    r = run.recipe
    return int(batch_at(run.material.conversations, run.among, step, r.conversations, r.anchors, r.seed).which[row])
