"""A target that counts, and drafters that really predict it, made by hand.

The target adds ``STEP`` to each token (V = 64, round and round). It is 128 wide: a token x is 1 at x; the output of
layer i is 1 at 64 + (x + i), so each layer knows another token and only layer 2 * STEP knows the one after next.

``chain``    D, three layers: each reads its predecessor's row through its convolution, adds STEP to it and writes it
             ten times as loud as the layer before, so row k holds the anchor + k STEP. Only right with the first guess
             in row 1
``reader``   B, one layer whose rows see the one token before the anchor: row 0 copies what the tap says of it. Only
             right with the tap at layer 2 * STEP
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import mlx.core as mx
import mlx.nn as nn

from engine.target import Target
from engine.trace.events import ModelFacts
from tests.tiny import ByteTokenizer

V, H = 64, 128
STEP = 5
TARGET_LAYERS = 12
GOOD_TAP = 2 * STEP
MASK = 63


def advance(n: int) -> mx.array:
    """[V, V]: a one-hot x becomes x + n."""
    return mx.eye(V)[mx.array([(i - n) % V for i in range(V)])]


class Counting(nn.Module):
    def __init__(self, index: int) -> None:
        super().__init__()
        self.index = index

    def __call__(self, x: mx.array, tokens: mx.array) -> mx.array:
        known = mx.eye(V)[(tokens + self.index) % V]
        return mx.concatenate([mx.zeros_like(known), known], axis=-1)


class Counter(nn.Module):
    def __init__(self, layers: int, width: int) -> None:
        super().__init__()
        self.embed_tokens = nn.Embedding(V, width)
        self.embed_tokens.weight = mx.eye(V, width)
        self.layers = [Counting(i) for i in range(layers)]

    def __call__(self, ids: mx.array, cache: Any = None) -> mx.array:
        x = self.embed_tokens(ids)
        for layer in self.layers:
            x = layer(x, ids)
        return 10 * mx.eye(V)[(ids + STEP) % V]


class Endless(ByteTokenizer):
    eos_token_ids = ()


def counting_target(layers: int = TARGET_LAYERS, width: int = H) -> Target:
    facts = ModelFacts(name="counter-4bit", context_tokens=512, vocabulary=V, layers=layers, hidden_size=width)
    return Target.of(Counter(layers, width), Endless(V), facts)  # type: ignore[arg-type]


def body(layers: int, intermediate: int) -> dict[str, Any]:
    return {
        "model_type": "qwen3",
        "hidden_size": H,
        "num_hidden_layers": layers,
        "num_attention_heads": 1,
        "num_key_value_heads": 1,
        "head_dim": H,
        "intermediate_size": intermediate,
        "vocab_size": V,
        "rms_norm_eps": 1e-6,
        "max_position_embeddings": 512,
        "num_target_layers": TARGET_LAYERS,
    }


def _layer(n: int, intermediate: int, **given: mx.array) -> dict[str, mx.array]:
    zero = mx.zeros((H, H))
    named = {
        "input_layernorm.weight": mx.ones(H),
        "post_attention_layernorm.weight": mx.ones(H),
        "self_attn.q_proj.weight": zero,
        "self_attn.k_proj.weight": zero,
        "self_attn.v_proj.weight": given.get("v", zero),
        "self_attn.o_proj.weight": given.get("o", zero),
        "self_attn.q_norm.weight": mx.ones(H),
        "self_attn.k_norm.weight": mx.ones(H),
        "mlp.gate_proj.weight": given.get("gate", mx.zeros((intermediate, H))),
        "mlp.up_proj.weight": given.get("up", mx.zeros((intermediate, H))),
        "mlp.down_proj.weight": given.get("down", mx.zeros((H, intermediate))),
    }
    return {f"layers.{n}.{name}": array for name, array in named.items()}


def _write(path: Path, config: dict[str, Any], tensors: dict[str, mx.array], taps: int) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    # A tap's upper half, which names a token, is all that is read of it.
    half = mx.diag(mx.array([0.0] * V + [1.0] * V))
    shared = {
        "fc.weight": mx.concatenate([half] * taps, axis=1),
        "hidden_norm.weight": mx.ones(H),
        "norm.weight": mx.ones(H),
    }
    mx.save_safetensors(str(path / "model.safetensors"), shared | tensors)
    (path / "config.json").write_text(json.dumps(config))
    return path


def write_chain(path: Path, block: int = 4, **changes: Any) -> Path:
    """z-lab's DFlash 2; ``changes`` go over its configuration."""
    layers = block - 1
    config = body(layers, V) | {
        "architectures": ["DFlash2DraftModel"],
        "is_causal": False,
        "dflash_config": {
            "target_layer_ids": [GOOD_TAP],
            "mask_token_id": MASK,
            "block_size": block,
            "conv_kernel_size": 2,
            "conv_group_size": 16,
            "selector_rank": 2,
            "selector_top_k": 16,
        },
    }
    token = mx.eye(V, H)
    tensors = {
        "candidate_selector.predecessor_codebook": mx.zeros((V, 2)),
        "candidate_selector.successor_codebook": mx.zeros((V, 2)),
        "candidate_selector.hidden_projection.weight": mx.zeros((2, H)),
    }
    same = mx.concatenate([mx.ones((1, 1, H)), mx.zeros((1, 1, H))], axis=1)
    before = mx.concatenate([mx.zeros((1, 1, H)), mx.ones((1, 1, H))], axis=1)
    for n in range(layers):
        down = mx.concatenate([advance(STEP), mx.zeros((V, V))]) * 10.0**n
        tensors |= _layer(n, V, gate=token, up=token, down=down)
        for conv, kernel in (("attention_conv", same), ("mlp_conv", before)):
            tensors[f"layers.{n}.{conv}.base_kernel"] = mx.concatenate([kernel, same])
            tensors[f"layers.{n}.{conv}.kernel_projection.weight"] = mx.zeros((2 * 2 * H // 16, H))
    return _write(path, {**config, **changes}, tensors, taps=1)


def write_reader(path: Path, tap: int = GOOD_TAP, **changes: Any) -> Path:
    """SpecForge's anchor-first file without a Markov head, one token a block; ``tap`` is the one that it declares."""
    config = body(1, 2) | {
        "architectures": ["DSparkDraftModel"],
        "block_size": 1,
        "layer_types": ["sliding_attention"],
        "sliding_window": 2,
        "dflash_config": {
            "projector_type": "dspark",
            "target_layer_ids": [tap],
            "mask_token_id": MASK,
            "markov_rank": 0,
            "enable_confidence_head": False,
        },
    }
    lower = mx.concatenate([mx.eye(V, H, k=V), mx.zeros((V, H))])  # what the tap names -> the token itself
    return _write(path, {**config, **changes}, _layer(0, 2, v=lower, o=100 * mx.eye(H)), taps=1)
