"""What is borrowed from targets whose modules are called otherwise, or whose embedding is scaled."""

from __future__ import annotations

import mlx.core as mx
import mlx.nn as nn
import pytest
from mlx_lm.models import gemma2, gpt_neox, internlm2

from engine.drafters.backbone import Model
from engine.drafters.borrow import borrow, find
from engine.target import Target
from engine.trace.events import ModelFacts
from tests.engine.drafters.blocks import layout
from tests.tiny import VOCABULARY, ByteTokenizer

SIZES = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "vocab_size": VOCABULARY}


def target_of(model: nn.Module) -> Target:
    return Target.of(model, ByteTokenizer(), ModelFacts(name="random", vocabulary=VOCABULARY))  # type: ignore[arg-type]


def other_names() -> dict[str, tuple[nn.Module, str]]:
    intern = internlm2.ModelArgs(
        model_type="internlm2", intermediate_size=64, rms_norm_eps=1e-5, bias=False, tie_word_embeddings=False, **SIZES
    )
    neox = gpt_neox.ModelArgs(
        model_type="gpt_neox", max_position_embeddings=64, layer_norm_eps=1e-5, rotary_emb_base=10000, rotary_pct=0.25,
        **SIZES,
    )  # fmt: skip
    return {"output": (internlm2.Model(intern), "output"), "embed_out": (gpt_neox.Model(neox), "model.embed_out")}


@pytest.mark.parametrize("name", ["output", "embed_out"])
def test_a_head_of_another_name_is_no_tied_embedding(name: str) -> None:
    model, path = other_names()[name]
    wanted = dict(model.named_modules())[path]
    embedding, head = find(target_of(model))
    assert head is wanted and head is not embedding
    h = mx.random.normal((3, 32))
    borrowed = borrow(layout("B"), Model(layout("B")), target_of(model))
    assert mx.array_equal(borrowed.head(h), wanted(h)).item()


def test_a_scaled_embedding_is_borrowed_as_the_plain_table() -> None:
    """As drafters were trained; a checkpoint that wants it scaled says so."""
    args = gemma2.ModelArgs(
        model_type="gemma2", intermediate_size=64, head_dim=8, rms_norm_eps=1e-5, num_key_value_heads=2, **SIZES
    )
    model = gemma2.Model(args)
    assert borrow(layout("B"), Model(layout("B")), target_of(model)).embed is model.model.embed_tokens
