"""Scheme C's heads against their formulas in NumPy, and the walk against a loop that does one thing at a time."""

from __future__ import annotations

from typing import Any

import mlx.core as mx
import mlx.nn as nn
import numpy as np
import pytest

from engine.drafters.block import BlockDrafter
from engine.drafters.layout import Domino, Markov
from engine.drafters.serial import PrefixGRU
from tests.engine.drafters.blocks import layout
from tests.engine.drafters.test_walker import ANCHOR, TARGET, Caught, f64, following

HEADS = ["C vanilla", "C gated", "C rnn", "C domino"]


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def corrected(inner: BlockDrafter, u: np.ndarray, h: np.ndarray) -> tuple[list[int], list[float]]:
    """Greedy tokens and confidences of a block, with the public definitions written out."""
    model, y = inner.block.model, inner.layout
    before, tokens, sure = ANCHOR, [], []
    state = np.zeros(y.domino.gru_size if y.domino else y.markov.rank)  # type: ignore[union-attr]
    for k in range(len(u)):
        if y.markov:
            head = model.markov_head
            e = f64(head.markov_w1.weight)[before]
            if y.markov.confidence:
                proj = model.confidence_head.proj
                sure.append(float(sigmoid(f64(proj.weight)[0] @ np.concatenate([h[k], e]) + f64(proj.bias)[0])))
            if y.markov.kind == "gated":
                e = sigmoid(f64(head.gate_proj.weight) @ np.concatenate([h[k], e]) + f64(head.gate_proj.bias)) * e
            elif y.markov.kind == "rnn":
                joint = f64(head.joint_proj.weight) @ np.concatenate([state, e, h[k]]) + f64(head.joint_proj.bias)
                z, c, o = np.split(joint, 3)
                state = sigmoid(z) * state + (1 - sigmoid(z)) * np.tanh(c)
                e = np.tanh(o)
            row = u[k] + f64(head.markov_w2.weight) @ e
        else:
            assert y.domino is not None
            embedding = f64(TARGET.model.model.embed_tokens.weight)[before]
            state = gru(model.prefix_gru, embedding, state)
            x = f64(model.embed_proj[0].weight) @ np.concatenate([h[k], state])
            correction = f64(model.embed_proj[2].weight) @ (x * sigmoid(x))
            row = u[k] + (correction if k >= y.domino.pure_prefix else 0)
        before = int(np.argmax(row))
        tokens.append(before)
    return tokens, sure


def gru(cell: PrefixGRU, x: np.ndarray, state: np.ndarray) -> np.ndarray:
    """PyTorch's definition: gates reset, update, new."""
    r, z, new = np.split(f64(cell.weight_ih_l0) @ x, 3)
    hr, hz, hn = np.split(f64(cell.weight_hh_l0) @ state, 3)
    reset, update = sigmoid(r + hr), sigmoid(z + hz)
    return (1 - update) * np.tanh(new + reset * hn) + update * state


@pytest.mark.parametrize("head", HEADS)
def test_a_greedy_walk_equals_the_definitions(head: str) -> None:
    inner = following(head)
    # Corrections strong enough to be seen.
    up = inner.block.model.embed_proj[2] if head == "C domino" else inner.block.model.markov_head.markov_w2
    up.weight = up.weight * 60
    caught = Caught(inner, 5, temperature=0.0)
    tokens, sure = corrected(inner, f64(caught.logits), f64(caught.features.hidden)[0])
    assert caught.walked.tokens.tolist() == tokens
    assert tokens != mx.argmax(caught.logits, axis=-1).tolist()
    if sure:
        assert caught.walked.confidence is not None
        assert np.allclose(f64(caught.walked.confidence), sure, atol=1e-4)
    else:
        assert caught.walked.confidence is None


def test_the_gru_is_mlx_s_own_with_its_biases_at_zero() -> None:
    cell, whole = PrefixGRU(6, 4), nn.GRU(6, 4, bias=False)
    whole.Wx, whole.Wh = cell.weight_ih_l0, cell.weight_hh_l0
    x = mx.random.normal((5, 6), key=mx.random.key(2))
    state, states = mx.zeros((4,)), []
    for row in x:
        state = cell(row, state)
        states.append(state)
    assert mx.allclose(mx.stack(states), whole(x), atol=1e-5).item()


@pytest.mark.parametrize("changes", [{"markov": Markov(rank=8, confidence=True, confidence_with_markov=False)}, {}])
def test_confidence_reads_the_predecessor_where_it_is_told_to(changes: dict[str, Any]) -> None:
    inner = following("C vanilla", **changes)
    width = inner.block.model.confidence_head.proj.weight.shape[-1]
    assert width == 32 + (0 if changes else 8)
    confidence = Caught(inner, 4).walked.confidence
    assert confidence is not None and confidence.shape == (4,)
    assert 0 < confidence.min().item() <= confidence.max().item() < 1


@pytest.mark.parametrize("head", HEADS)
def test_heads_take_any_batch(head: str) -> None:
    """As in training: all positions of all blocks at once, their predecessors given."""
    from engine.drafters.serial import DominoHead

    model = following(head).block.model
    correct = DominoHead(model) if head == "C domino" else model.markov_head
    hidden = mx.random.normal((2, 3, 32), key=mx.random.key(1))
    ids = mx.array([[1, 2, 3], [4, 5, 6]])
    before = TARGET.model.model.embed_tokens(ids) if head == "C domino" else ids
    out, state = correct(before, hidden, correct.start(hidden))
    assert out.shape == (2, 3, 64) and state.shape[:2] == (2, 3)
    one, _ = correct(before[1, 2], hidden[1, 2], correct.start(hidden[1, 2]))
    assert mx.allclose(out[1, 2], one, atol=1e-5).item()


def test_pure_prefix_counts_predictions() -> None:
    for pure in (0, 1, 3):
        inner = following("C domino", domino=Domino(gru_size=12, rank=8, pure_prefix=pure))
        up = inner.block.model.embed_proj[2]
        up.weight = up.weight * 40
        caught = Caught(inner, 5, temperature=0.0)
        base = mx.argmax(caught.logits, axis=-1).tolist()
        tokens = caught.walked.tokens.tolist()
        assert tokens[:pure] == base[:pure] and tokens[pure:] != base[pure:]  # type: ignore[index]
        assert layout("C domino").domino is not None
