"""Re-running layers that hand each other more than hidden states."""

from __future__ import annotations

import mlx.core as mx
import pytest
from mlx.utils import tree_map
from mlx_lm.models import rwkv7

from engine.cache import Transaction
from engine.target import Target
from engine.trace.events import ModelFacts
from tests.tiny import VOCABULARY, ByteTokenizer


@pytest.fixture(scope="module")
def rwkv() -> Target:
    """Its first layer's values go on to every other layer, row by row. Two heads of 16."""
    mx.random.seed(0)
    model = rwkv7.Model(
        rwkv7.ModelArgs(
            model_type="rwkv7", vocab_size=VOCABULARY, hidden_size=32, intermediate_size=64, norm_eps=1e-5, head_dim=16,
            num_hidden_layers=3, a_low_rank_dim=8, v_low_rank_dim=8, gate_low_rank_dim=8, decay_low_rank_dim=8,
        )
    )  # fmt: skip
    model.update(tree_map(lambda a: mx.random.normal(a.shape) * 0.3 if a.ndim > 1 else a, model.parameters()))
    return Target.of(model, ByteTokenizer(), ModelFacts(name="tiny rwkv"))  # type: ignore[arg-type]


@pytest.mark.parametrize("rows", [2, 5])
@pytest.mark.parametrize("kept", [0, 1])
def test_rows_from_another_layer_are_cut_with_the_others(rwkv: Target, rows: int, kept: int) -> None:
    prompt, block = [5, 9, 33], [7, 8, 20, 40, 3][:rows]
    caches = rwkv.make_caches()
    rwkv.forward(mx.array(prompt), caches)
    transaction = Transaction(caches, rwkv.watch)
    transaction.begin(rows)
    rwkv.forward(mx.array(block), caches)
    transaction.commit(kept)
    fresh = rwkv.make_caches()
    rwkv.forward(mx.array([*prompt, *block[:kept]]), fresh)
    probe = mx.array([11, 12])
    after, expected = rwkv.forward(probe, caches)[0], rwkv.forward(probe, fresh)[0]
    assert mx.abs(after - expected).max().item() <= 2e-5 * max(1.0, mx.abs(expected).max().item())
