"""Layouts and labels for targets of every kind."""

from __future__ import annotations

from types import SimpleNamespace

import mlx.core as mx
import numpy as np
import pytest

from engine.models.errors import ModelError
from engine.train.labels import draft_index, draft_vocabulary, final_norm, teacher
from engine.train.layouts import SCHEMES, layout_for, text_args
from tests.engine.train.trainees import conversations
from tests.tiny import VOCABULARY, tiny_target


@pytest.mark.parametrize("kind", ["dense", "sliding", "gated-delta", "short-convolution"])
def test_every_target_with_attention_has_a_layout_and_a_teacher(kind: str) -> None:
    target = tiny_target(kind)
    for scheme in SCHEMES:
        y = layout_for(target, scheme, 3, 48)
        assert (y.hidden_size, y.heads, y.kv_heads, y.head_dim, y.vocabulary) == (32, 4, 2, 8, VOCABULARY)
    assert teacher(target, y.taps) is final_norm(target)
    assert teacher(target, (0,)) is None


def test_a_target_without_attention_is_refused_in_one_sentence() -> None:
    with pytest.raises(ModelError, match="tiny mamba doesn't say how many attention heads"):
        layout_for(tiny_target("mamba"), "B")


def test_of_a_model_in_a_model_the_inner_one_counts() -> None:
    inner = SimpleNamespace(args=SimpleNamespace(num_attention_heads=4))
    outer = SimpleNamespace(args=SimpleNamespace(text_config={}), language_model=inner)
    assert text_args(SimpleNamespace(model=outer)) is inner.args  # type: ignore[arg-type]


def test_a_target_that_scales_its_logits_teaches_nothing_wrong() -> None:
    target = tiny_target("dense")
    norm = final_norm(target)
    assert norm is not None
    whole = target.model

    class Scaled(type(whole)):  # type: ignore[misc]
        def __call__(self, *args: object, **more: object) -> mx.array:
            return super().__call__(*args, **more) * 0.1

    whole.__class__ = Scaled
    assert teacher(target, (0, 1)) is None


def test_a_draft_vocabulary_holds_the_commonest_ids_and_the_ends() -> None:
    c = conversations()
    ids = draft_vocabulary(c, 10, VOCABULARY, frozenset({1, 10**6}))
    assert len(ids) == 10
    assert 1 in ids
    assert (np.diff(ids) > 0).all()
    index = draft_index(ids, VOCABULARY)
    assert (index[ids] == np.arange(10)).all()
    assert (index >= 0).sum() == 10
    assert layout_for(tiny_target("dense"), "B", 3, 8192).draft_vocabulary == 0
