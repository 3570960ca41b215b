"""Checkpoints in every dialect, tiny, with weights that give away how they are read.

Embedding and head are the identity (V = H = 64), attention is uniform. A *tap reader* copies one tap of the context
into every row; a *row reader* copies each row's own input. So the tokens proposed say which layer was tapped, and which
row came first.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mlx.core as mx

H = V = 64
LAYERS, HEADS, HEAD_DIM, INTERMEDIATE = 2, 4, 16, 8
MASK = 3
TARGET_LAYERS = 12
BLOCK = 5
RANK = 6

Tensors = dict[str, mx.array]

BODY: dict[str, Any] = {
    "model_type": "qwen3",
    "hidden_size": H,
    "num_hidden_layers": LAYERS,
    "num_attention_heads": HEADS,
    "num_key_value_heads": HEADS,
    "head_dim": HEAD_DIM,
    "intermediate_size": INTERMEDIATE,
    "vocab_size": V,
    "rms_norm_eps": 1e-6,
    "rope_theta": 10000,
    "max_position_embeddings": 256,
    "hidden_act": "silu",
    "attention_bias": False,
    "tie_word_embeddings": False,
    "use_cache": True,
}

# The taps of all of them, as outputs of layers: not evenly spread, so that no default can stand in for them.
TAPS = (1, 4, 9)


def backbone(taps: int = len(TAPS), read_tap: int | None = None) -> Tensors:
    """``read_tap``: the tap that is copied into every row; None copies nothing."""
    eye, zero = mx.eye(H), mx.zeros((H, H))
    fc = (
        mx.zeros((H, taps * H))
        if read_tap is None
        else mx.concatenate([eye if j == read_tap else zero for j in range(taps)], axis=1)
    )
    tensors: Tensors = {"fc.weight": fc, "hidden_norm.weight": mx.ones(H), "norm.weight": mx.ones(H)}
    for n in range(LAYERS):
        at = f"layers.{n}."
        copies = read_tap is not None and n == 0
        tensors |= {
            at + "input_layernorm.weight": mx.ones(H),
            at + "post_attention_layernorm.weight": mx.ones(H),
            at + "self_attn.q_proj.weight": zero,
            at + "self_attn.k_proj.weight": zero,
            at + "self_attn.v_proj.weight": eye,
            at + "self_attn.o_proj.weight": eye if copies else zero,
            at + "self_attn.q_norm.weight": mx.ones(HEAD_DIM),
            at + "self_attn.k_norm.weight": mx.ones(HEAD_DIM),
            at + "mlp.gate_proj.weight": mx.zeros((INTERMEDIATE, H)),
            at + "mlp.up_proj.weight": mx.zeros((INTERMEDIATE, H)),
            at + "mlp.down_proj.weight": mx.zeros((H, INTERMEDIATE)),
        }
    return tensors


def markov(confidence: bool = True, prefix: str = "") -> Tensors:
    tensors: Tensors = {
        prefix + "markov_head.markov_w1.weight": mx.ones((V, RANK)),
        prefix + "markov_head.markov_w2.weight": mx.zeros((V, RANK)),
    }
    if confidence:
        tensors |= {
            prefix + "confidence_head.proj.weight": mx.zeros((1, H + RANK)),
            prefix + "confidence_head.proj.bias": mx.zeros(1),
        }
    return tensors


def dflash2(suffix: str = "") -> Tensors:
    tensors: Tensors = {
        "candidate_selector.predecessor_codebook" + suffix: mx.ones((V, RANK)),
        "candidate_selector.successor_codebook" + suffix: mx.zeros((V, RANK)),
        "candidate_selector.hidden_projection.weight": mx.ones((RANK, H)),
    }
    for n in range(LAYERS):
        for conv in ("attention_conv", "mlp_conv"):
            tensors[f"layers.{n}.{conv}.base_kernel"] = mx.concatenate(
                [mx.ones((2, 1, H)), mx.zeros((2, 1, H))], axis=1
            )
            tensors[f"layers.{n}.{conv}.kernel_projection.weight"] = mx.zeros((2 * 2 * H // 16, H))
    return tensors


def domino(prefix: str = "") -> Tensors:
    return {
        prefix + "prefix_gru.weight_ih_l0": mx.zeros((3 * RANK, H)),
        prefix + "prefix_gru.weight_hh_l0": mx.zeros((3 * RANK, RANK)),
        prefix + "embed_proj.0.weight": mx.zeros((RANK, H + RANK)),
        prefix + "embed_proj.2.weight": mx.zeros((V, RANK)),
    }


def write(directory: Path, config: dict[str, Any], tensors: Tensors) -> Path:
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "config.json").write_text(json.dumps(config))
    mx.save_safetensors(str(directory / "model.safetensors"), tensors)
    return directory


DFLASH2 = {"conv_group_size": 16, "conv_kernel_size": 2, "selector_rank": RANK, "selector_top_k": 16}
DSPARK = {
    "markov_rank": RANK,
    "markov_head_type": "vanilla",
    "enable_confidence_head": True,
    "confidence_head_with_markov": True,
}
DOMINO = {"emb_dim": RANK, "gru_hidden_dim": RANK, "pure_draft_prefix_len": 1}
NESTED = {"target_layer_ids": list(TAPS), "mask_token_id": MASK}
STATES = [tap + 1 for tap in TAPS]


def speculators(kind: str, tokens: int, **more: Any) -> dict[str, Any]:
    """``tokens``: speculative_tokens as the trainer notes them."""
    return {
        "architectures": ["DFlashSpeculator"],
        "speculators_model_type": kind,
        "speculators_version": "0.9.0",
        "speculators_config": {
            "algorithm": kind,
            "proposal_methods": [{"proposal_type": "greedy", "speculative_tokens": tokens}],
            "default_proposal_method": "greedy",
            "verifier": {"name_or_path": "someone/target", "architectures": ["Qwen3ForCausalLM"]},
        },
        "transformer_layer_config": BODY,
        "draft_vocab_size": V,
        "block_size": BLOCK,
        "aux_hidden_state_layer_ids": STATES,
        "mask_token_id": MASK,
        **more,
    }


_ZLAB = {**BODY, "num_target_layers": TARGET_LAYERS}
_FORGE = {
    **_ZLAB,
    "architectures": ["DSparkDraftModel"],
    "auto_map": {"AutoModel": "dspark.DSparkDraftModel"},
    "block_size": BLOCK,
}
_DEEP = {
    **_ZLAB,
    **DSPARK,
    "architectures": ["Qwen3DSparkModel"],
    "block_size": BLOCK,
    "target_layer_ids": list(TAPS),
    "mask_token_id": MASK,
    "num_anchors": 512,
}

CONFIGS: dict[str, dict[str, Any]] = {
    "z-lab, block at the top": {
        **_ZLAB,
        "architectures": ["DFlashDraftModel"],
        "block_size": BLOCK,
        "dflash_config": NESTED,
    },
    "z-lab, block nested": {
        **_ZLAB,
        "architectures": ["DFlashDraftModel"],
        "dflash_config": {**NESTED, "block_size": BLOCK},
    },
    "dflash2": {
        **_ZLAB,
        "architectures": ["DFlash2DraftModel"],
        "is_causal": False,
        "dflash_config": {**NESTED, **DFLASH2, "block_size": BLOCK},
    },
    "deepspec dspark": _DEEP,
    "deepspec dflash": {
        **_DEEP,
        "markov_rank": 0,
        "enable_confidence_head": False,
        "confidence_head_with_markov": False,
    },
    "specforge dspark": {**_FORGE, "dflash_config": {**NESTED, **DSPARK, "projector_type": "dspark"}},
    "specforge dspark, head at the top": {**_FORGE, **DSPARK, "dflash_config": {**NESTED, "projector_type": "dspark"}},
    "domino": {**_FORGE, "dflash_config": {**NESTED, **DOMINO, "shift_label": True, "projector_type": "domino"}},
    "domino, own table": {
        **_FORGE,
        "dflash_config": {**NESTED, "projector_type": "domino"},
        "domino_config": {**DOMINO, "shift_label": True},
    },
    "domino, unshifted": {
        **_FORGE,
        "dflash_config": {**NESTED, **DOMINO, "shift_label": False, "projector_type": "domino"},
    },
    "speculators dflash": speculators("dflash", BLOCK - 1, sample_from_anchor=False),
    "speculators dflash, anchor first": speculators("dflash", BLOCK, sample_from_anchor=True),
    "speculators dflash2": speculators("dflash2", BLOCK - 1, sample_from_anchor=False, **DFLASH2),
    "speculators dspark": speculators("dspark", BLOCK, sample_from_anchor=True, **DSPARK),
    "speculators dspark, older, anchor first": speculators("dspark", BLOCK, **DSPARK),
    "speculators dspark, older, filled in": speculators("dspark", BLOCK - 1, **DSPARK),
}

ANCHOR_FIRST = {
    "deepspec dspark",
    "deepspec dflash",
    "specforge dspark",
    "specforge dspark, head at the top",
    "domino",
    "domino, own table",
    "speculators dflash, anchor first",
    "speculators dspark",
    "speculators dspark, older, anchor first",
}

HEADS_OF: dict[str, Callable[[], Tensors]] = {
    "dflash2": dflash2,
    "deepspec dspark": lambda: markov() | {"embed_tokens.weight": mx.eye(V), "lm_head.weight": mx.eye(V)},
    "deepspec dflash": lambda: {"embed_tokens.weight": mx.eye(V), "lm_head.weight": mx.eye(V)},
    "specforge dspark": markov,
    "specforge dspark, head at the top": lambda: markov(prefix="logit_head."),
    "domino": lambda: domino("logit_head."),
    "domino, own table": domino,
    "domino, unshifted": domino,
    "speculators dflash2": lambda: dflash2(".weight"),
    "speculators dspark": markov,
    "speculators dspark, older, anchor first": markov,
    "speculators dspark, older, filled in": lambda: markov(confidence=False),
}


def checkpoint(directory: Path, name: str, read_tap: int | None = None, **changes: Any) -> Path:
    """One of ``CONFIGS`` on the disk; ``changes`` are written over its configuration, None takes a field away."""
    config = {k: v for k, v in {**CONFIGS[name], **changes}.items() if v is not None}
    return write(directory, config, backbone(read_tap=read_tap) | HEADS_OF.get(name, dict)())
