"""A step's softmax over some of the tokens: all of them give the whole loss, some of them the right sum on average."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import mlx.core as mx
import numpy as np
import pytest

from engine.train.forward import Inputs, Labels, block_loss, cross_entropy
from engine.train.outputs import sampled_outputs
from engine.train.unroll import eagle_loss
from tests.engine.train.trainees import SCHEMES, VARIANTS, trainee
from tests.tiny import tiny_target


@pytest.mark.parametrize("scheme", (*SCHEMES, *VARIANTS))
def test_all_tokens_drawn_are_the_whole_softmax(scheme: str, tmp_path: Path) -> None:
    losses = []
    for sampled in (0, 1000):
        run = trainee(scheme, tmp_path, tiny_target("dense"), random=True, sampled=sampled)
        loss_of = eagle_loss if scheme == "A" else block_loss
        losses.append(loss_of(run.model, run.borrowed, run.recipe, run.inputs(0))[0].item())
    assert losses[0] == pytest.approx(losses[1], rel=1e-5)


def test_the_sum_is_right_on_average_over_every_draw(tmp_path: Path) -> None:
    run = trainee("B", tmp_path)
    size, others = 9, 3
    needed = np.array([[1, 4], [-1, 4]])
    hidden = mx.random.normal((5, 32), key=mx.random.key(2))
    logits = run.borrowed.head(hidden)[:, :size]

    class Drawn:
        """In place of the generator."""

        def __init__(self, picked: tuple[int, ...]) -> None:
            self.picked = picked

        def choice(self, rest: Any, n: int, replace: bool) -> Any:
            assert len(rest) == size - 2 and n == others and not replace
            return rest[list(self.picked)]

    sums = []
    for picked in combinations(range(size - 2), others):
        outputs, place = sampled_outputs(run.borrowed, size, needed, others, Drawn(picked))  # type: ignore[arg-type]
        assert outputs.log_weights is not None and place[1] == 0 and place[4] == 1
        assert (place >= 0).sum() == outputs.ids.size == 2 + others
        found = outputs.head(hidden)
        assert mx.allclose(found, mx.take(logits, outputs.ids, axis=1), atol=1e-5)
        sums.append(np.array(mx.exp(found + outputs.log_weights).sum(axis=-1)))
    assert np.mean(sums, axis=0) == pytest.approx(np.array(mx.exp(logits).sum(axis=-1)), rel=1e-4)
    assert np.std(sums, axis=0).min() > 0


def test_a_step_draws_the_same_tokens_again(tmp_path: Path) -> None:
    run = trainee("B", tmp_path)
    one, two, other = run.inputs(3), run.inputs(3), run.inputs(4)
    assert one.outputs.ids.tolist() == two.outputs.ids.tolist() != other.outputs.ids.tolist()


@pytest.mark.parametrize("scheme", SCHEMES[1:])
def test_an_anchor_of_one_position_is_a_blocks_first_row(scheme: str, tmp_path: Path) -> None:
    """Where later positions weigh nothing, whole blocks and first rows give the same loss."""

    def parts(x: Inputs, as_firsts: bool) -> dict[str, float]:
        whole = x.blocks[0]
        first = type(whole)(whole.anchors, whole.true[..., :1], whole.labels.map(lambda a: a[:, :, :1]))
        y = Inputs(x.taps, x.tokens, x.lengths, (first if as_firsts else whole,), x.outputs)
        loss, more = block_loss(run.model, run.borrowed, run.recipe, y)
        return {"loss": loss.item(), **{name: part.item() for name, part in more.items()}}

    run = trainee(scheme, tmp_path, random=True, decay=0.01)
    x = run.inputs(0)
    assert parts(x, True) == pytest.approx(parts(x, False), rel=1e-4)


def test_what_is_learned_is_what_came_and_what_the_target_held_likely(tmp_path: Path) -> None:
    """Places, read off the text and a plain forward of the target once more."""
    target = tiny_target("dense")
    run = trainee("B", tmp_path, target, sampled=4)
    x = run.inputs(0)
    ids = x.outputs.targets(run.borrowed).tolist()
    assert [blocks.true.shape[-1] for blocks in x.blocks] == [3, 1]
    said = target.model(x.tokens)
    known = np.array(run.borrowed.to_target(mx.arange(48)))
    checked = 0
    for blocks in x.blocks:
        for c, a, k in np.ndindex(*blocks.true.shape):
            place = int(blocks.anchors[c, a].item()) + k  # the token before the one to be said
            label = int(blocks.labels.tokens[c, a, k].item())
            if place + 1 >= int(x.lengths[c].item()):
                assert label == -1
                continue
            came = int(x.tokens[c, place + 1].item())
            assert blocks.true[c, a, k].item() == came
            assert (ids[label] == came) if label >= 0 else came not in known
            assert blocks.labels.likely is not None and blocks.labels.probabilities is not None
            own = np.array(said[c, place])[known]
            likely = {ids[i] for i in blocks.labels.likely[c, a, k].tolist()}  # type: ignore[union-attr]
            assert likely == set(known[np.argsort(-own)[: len(likely)]].tolist())
            best = int(mx.argmax(blocks.labels.probabilities[c, a, k]).item())
            assert ids[int(blocks.labels.likely[c, a, k, best].item())] == known[own.argmax()]
            checked += 1
    assert checked > 10


def test_the_loss_runs_over_what_each_token_stands_for() -> None:
    rng = np.random.default_rng(0)
    logits, weights = rng.standard_normal((2, 5)).astype(np.float32), np.log([1, 1, 7, 7, 7]).astype(np.float32)
    labels = Labels(mx.array([1, 0]), mx.array([[0, 1], [1, 2]]), mx.array([[0.9, 0.1], [0.4, 0.6]]))
    found = cross_entropy(mx.array(logits), labels, 0.25, mx.array(weights))
    whole = np.log(np.exp(logits + weights).sum(axis=-1))
    soft = [0.9 * logits[0, 0] + 0.1 * logits[0, 1], 0.4 * logits[1, 1] + 0.6 * logits[1, 2]]
    hard = [logits[0, 1], logits[1, 0]]
    assert np.array(found) == pytest.approx(whole - 0.75 * np.array(hard) - 0.25 * np.array(soft), abs=1e-5)
