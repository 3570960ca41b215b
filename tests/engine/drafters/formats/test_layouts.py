"""What each dialect says about masks, windows, heads and vocabularies, in the one layout."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest

from engine.drafters.formats import is_drafter, read_drafter
from engine.drafters.layout import Layout
from tests.engine.drafters.formats.checkpoints import (
    BLOCK,
    BODY,
    CONFIGS,
    HEADS_OF,
    MASK,
    NESTED,
    RANK,
    STATES,
    TAPS,
    H,
    V,
    backbone,
    checkpoint,
    markov,
    speculators,
    write,
)

SLIDING = {"layer_types": ["sliding_attention", "full_attention"], "sliding_window": 8, "use_sliding_window": True}


def layout_of(directory: Path, name: str, **changes: Any) -> Layout:
    return read_drafter(checkpoint(directory, name, **changes))[0]


@pytest.mark.parametrize("name", CONFIGS)
def test_backbone_and_scheme(name: str, tmp_path: Path) -> None:
    layout = layout_of(tmp_path, name)
    scheme = "D" if "dflash2" in name else "C" if "dspark" in name or "domino" in name else "B"
    assert (layout.scheme, layout.taps, layout.mask_id, layout.hidden_size) == (scheme, TAPS, MASK, H)
    assert layout.gamma == (BLOCK if layout.rows == "anchor-first" else BLOCK - 1)
    assert layout.qk_norm and not layout.causal and not layout.windows
    assert layout.own_head == layout.own_embedding == ("deepspec" in name)
    if layout.markov:
        assert (layout.markov.kind, layout.markov.rank) == ("vanilla", RANK)
        assert layout.markov.confidence == ("filled in" not in name)  # that one comes without its tensors
    if layout.domino:
        assert (layout.domino.gru_size, layout.domino.rank, layout.domino.pure_prefix) == (RANK, RANK, 1)
    if layout.dflash2:
        assert (layout.dflash2.conv_kernel, layout.dflash2.conv_group, layout.dflash2.selector_rank) == (2, 16, RANK)
    assert is_drafter(tmp_path)


@pytest.mark.parametrize(
    ("name", "changes", "causal", "windows", "rule"),
    [
        # Not said: a sliding layer is causal in its block, a full one is not. Said: it holds for all of them.
        ("z-lab, block at the top", SLIDING, (True, False), (8, 0), "per-query"),
        ("z-lab, block at the top", {**SLIDING, "is_causal": False}, (), (8, 0), "per-query"),
        ("z-lab, block at the top", {"is_causal": True}, (True, True), (), "per-query"),
        ("specforge dspark", SLIDING, (True, False), (8, 0), "per-query"),
        ("dflash2", SLIDING, (), (8, 0), "per-query"),
        ("deepspec dspark", {"dflash_query_causal": True}, (True, True), (), "per-query"),
        ("speculators dflash", {"transformer_layer_config": {**BODY, **SLIDING}}, (True, False), (8, 0), "per-anchor"),
        (
            "speculators dflash",
            {"transformer_layer_config": {**BODY, **SLIDING}, "sliding_window_non_causal": True},
            (),
            (8, 0),
            "per-anchor",
        ),
        ("speculators dflash2", {"transformer_layer_config": {**BODY, **SLIDING}}, (), (8, 0), "per-anchor"),
        # Qwen3's configuration drops a window that isn't switched on.
        (
            "speculators dflash",
            {"transformer_layer_config": {**BODY, **SLIDING, "use_sliding_window": False}},
            (),
            (),
            "per-anchor",
        ),
    ],
)
def test_masks_and_windows(
    name: str, changes: dict[str, Any], causal: tuple[bool, ...], windows: tuple[int, ...], rule: str, tmp_path: Path
) -> None:
    layout = layout_of(tmp_path, name, **changes)
    assert (layout.causal, layout.windows, layout.window_rule) == (causal, windows, rule)


def test_taps_that_are_not_named_are_spread_over_the_target(tmp_path: Path) -> None:
    """The values of the public Qwen3-4B drafters, whose files name them; here they have to be found."""
    nested = {"mask_token_id": MASK, "block_size": BLOCK}
    body = {**BODY, "num_hidden_layers": 2, "num_target_layers": 30, "architectures": ["DFlashDraftModel"]}
    path = write(tmp_path, {**body, "dflash_config": nested}, backbone(taps=2))
    assert read_drafter(path)[0].taps == (1, 27)


def test_logits_and_embeddings_of_dflash(tmp_path: Path) -> None:
    nested = {**NESTED, "output_multiplier": 0.5, "input_embedding_scale": 3.0, "final_logit_softcapping": 20.0}
    layout = layout_of(tmp_path, "z-lab, block at the top", dflash_config=nested)
    assert (layout.logit_multiplier, layout.embedding_scale, layout.logit_softcap) == (0.5, 3.0, 20.0)
    assert layout_of(tmp_path / "old", "z-lab, block at the top", final_logit_softcapping=7).logit_softcap == 7


@pytest.mark.parametrize(
    ("changes", "theta", "scaling"),
    [
        ({"rope_theta": 5000}, 5000, None),
        ({"rope_theta": None, "rope_parameters": {"rope_type": "default", "rope_theta": 2e6}}, 2e6, None),
        (
            {"rope_parameters": {"rope_type": "default", "rope_theta": 10000, "partial_rotary_factor": 0.25}},
            10000,
            None,
        ),
        ({"rope_scaling": {"type": "linear", "factor": 2.0}}, 10000, {"rope_type": "linear", "factor": 2.0}),
        (
            {"rope_scaling": {"rope_type": "yarn", "factor": 4.0}},
            10000,
            {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 256},
        ),
    ],
)
def test_rope(changes: dict[str, Any], theta: float, scaling: dict[str, Any] | None, tmp_path: Path) -> None:
    rope = layout_of(tmp_path, "z-lab, block at the top", **changes).rope
    assert (rope.theta, rope.scaling, rope.dims, rope.traditional) == (theta, scaling, 0, False)


def test_lfm2_keeps_its_fields_in_dflash_config_and_interleaves_its_rope(tmp_path: Path) -> None:
    layout = layout_of(
        tmp_path,
        "deepspec dspark",
        architectures=["Lfm2DSparkDraftModel"],
        target_layer_ids=None,
        mask_token_id=None,
        dflash_config=NESTED,
        rope_is_neox_style=False,
        conv_L_cache=3,
    )
    assert (layout.taps, layout.mask_id, layout.rows, layout.rope.traditional) == (TAPS, MASK, "anchor-first", True)


def test_deepspec_with_a_reserved_anchor(tmp_path: Path) -> None:
    layout = layout_of(tmp_path, "deepspec dspark", sample_from_anchor=False)
    assert (layout.rows, layout.gamma) == ("fill-in", BLOCK - 1)


def test_sample_from_anchor_stands_above_speculative_tokens(tmp_path: Path) -> None:
    layout, _, facts = read_drafter(checkpoint(tmp_path, "speculators dspark", sample_from_anchor=False))
    assert (layout.rows, layout.gamma) == ("fill-in", BLOCK - 1)
    assert "the first was followed" in facts.notes[0]


def test_an_old_file_that_tells_nothing_reserves_the_anchors_row(tmp_path: Path) -> None:
    config = {**CONFIGS["speculators dspark"], **speculators("dspark", 2)}
    del config["sample_from_anchor"]
    layout, _, facts = read_drafter(write(tmp_path, config, backbone() | markov()))
    assert (layout.rows, layout.gamma) == ("fill-in", BLOCK - 1)
    assert "row 1" in facts.notes[0]


def test_a_reduced_vocabulary_is_told_by_steps(tmp_path: Path) -> None:
    """d2t[i] is how far draft id i is from the target's id, not the id."""
    kept = [2, 5, 6, 40]
    steps = [k - i for i, k in enumerate(kept)]
    heads = markov() | {
        "markov_head.markov_w2.weight": mx.zeros((len(kept), RANK)),
        "lm_head.weight": mx.eye(V)[mx.array(kept)],
        "d2t": mx.array(steps, mx.int64),
        "t2d": mx.zeros(V, mx.bool_),
    }
    path = write(tmp_path, {**CONFIGS["speculators dspark"], "draft_vocab_size": len(kept)}, backbone() | heads)
    layout, weights, _ = read_drafter(path)
    assert (layout.draft_vocabulary, layout.own_head, layout.own_embedding) == (len(kept), True, False)
    assert weights["draft_ids"].tolist() == kept


EAGLE = {
    **BODY,
    "num_hidden_layers": 1,
    "model_type": "llama",
    "architectures": ["LlamaForCausalLMEagle3"],
    "draft_vocab_size": 4,
}


def eagle3(prefix: str) -> dict[str, mx.array]:
    tensors = {
        "fc.weight": mx.ones((H, 3 * H)),
        "norm.weight": mx.ones(H),
        "lm_head.weight": mx.ones((4, H)),
        "d2t": mx.array([0, 1, 2, 3], mx.int64),
        "t2d": mx.zeros(V, mx.bool_),
        prefix + "hidden_norm.weight": mx.ones(H),
        prefix + "self_attn.q_proj.weight": mx.ones((H, 2 * H)),
        prefix + "self_attn.k_proj.weight": mx.ones((H, 2 * H)),
        prefix + "self_attn.v_proj.weight": mx.ones((H, 2 * H)),
    }
    layer = {n.removeprefix("layers.0."): t for n, t in backbone().items() if n.startswith("layers.0.")}
    for name in ("input_layernorm.weight", "post_attention_layernorm.weight", "self_attn.o_proj.weight"):
        tensors[prefix + name] = layer[name]
    return tensors | {prefix + n: t for n, t in layer.items() if n.startswith("mlp.")}


@pytest.mark.parametrize(
    ("config", "taps"),
    [
        (
            {**EAGLE, "eagle_config": {"eagle_aux_hidden_state_layer_ids": list(TAPS), "use_aux_hidden_state": True}},
            TAPS,
        ),
        ({**EAGLE, "target_layer_ids": list(TAPS)}, TAPS),
        (EAGLE, (1, 14, 26)),  # of a target of 30 layers
    ],
)
def test_eagle3(config: dict[str, Any], taps: tuple[int, ...], tmp_path: Path) -> None:
    layout, weights, facts = read_drafter(write(tmp_path, config, eagle3("midlayer.")), target_layers=30)
    assert (layout.scheme, layout.taps, layout.draft_vocabulary, layout.own_head) == ("A", taps, 4, True)
    assert not layout.qk_norm and not layout.own_embedding
    assert weights["draft_ids"].tolist() == [0, 2, 4, 6]
    assert facts.dialect == "eagle3"
    assert is_drafter(tmp_path)


def test_eagle3_is_told_by_its_tensors(tmp_path: Path) -> None:
    """Some files name a language model's architecture."""
    path = write(tmp_path, {**EAGLE, "architectures": ["LlamaForCausalLM"]}, eagle3("midlayer."))
    assert is_drafter(path)
    assert read_drafter(path, target_layers=30)[0].scheme == "A"


def test_eagle3_of_speculators_counts_states(tmp_path: Path) -> None:
    body = {k: v for k, v in EAGLE.items() if k not in ("architectures", "draft_vocab_size")}
    config = {
        **{k: CONFIGS["speculators dspark"][k] for k in ("speculators_config", "speculators_version")},
        "speculators_model_type": "eagle3",
        "transformer_layer_config": body,
        "draft_vocab_size": 4,
        "eagle_aux_hidden_state_layer_ids": STATES,
        "norm_before_residual": True,
        "embed_requires_grad": False,
    }
    layout, _, facts = read_drafter(write(tmp_path, config, eagle3("layers.0.")))
    assert (layout.taps, layout.gamma) == (TAPS, BLOCK)
    assert layout.eagle is not None and layout.eagle.norm_before_residual
    assert facts.target == "someone/target"


def test_a_packed_drafter_keeps_its_packing(tmp_path: Path) -> None:
    tensors = backbone()
    packed, scales, biases = mx.quantize(tensors["fc.weight"], group_size=64, bits=4)
    tensors |= {"fc.weight": packed, "fc.scales": scales, "fc.biases": biases}
    config = {**CONFIGS["z-lab, block at the top"], "quantization": {"group_size": 64, "bits": 4}}
    _, weights, facts = read_drafter(write(tmp_path, config, tensors))
    assert (facts.bits, facts.group_size) == (4, 64)
    assert weights["fc.weight"].dtype == mx.uint32 and "fc.scales" in weights


def test_a_language_model_is_no_drafter(tmp_path: Path) -> None:
    write(tmp_path, {**BODY, "architectures": ["Qwen3ForCausalLM"]}, backbone())
    assert not is_drafter(tmp_path)
    assert not is_drafter(tmp_path / "nowhere")
    assert set(HEADS_OF) <= set(CONFIGS)
