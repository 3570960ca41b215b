"""A step's softmax over some of the tokens: all of them give the whole loss, some of them the right sum on average."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import mlx.core as mx
import numpy as np
import pytest

from engine.train.forward import Inputs, block_loss
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
