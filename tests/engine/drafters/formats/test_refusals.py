"""What would not be computed as it was trained is refused, in one sentence that names it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest

from engine.drafters.formats import read_drafter
from engine.models.errors import ModelError
from tests.engine.drafters.formats.checkpoints import (
    BODY,
    CONFIGS,
    HEADS_OF,
    NESTED,
    TAPS,
    H,
    V,
    backbone,
    checkpoint,
    write,
)

ZLAB = "z-lab, block at the top"


def refusal(path: Path) -> str:
    with pytest.raises(ModelError) as caught:
        read_drafter(path)
    text = str(caught.value)
    assert str(path) in text
    assert "\n" not in text and text.endswith(".")
    return text


@pytest.mark.parametrize(
    ("name", "changes", "named"),
    [
        (ZLAB, {"some_new_gate": 3}, "'some_new_gate'"),
        (ZLAB, {"dflash_config": {**NESTED, "some_new_gate": 3}}, "'some_new_gate'"),
        (ZLAB, {"hidden_act": "gelu"}, "'hidden_act'"),
        (ZLAB, {"dflash_config": {**NESTED, "attention_mode": "mla"}}, "'mla'"),
        (ZLAB, {"dflash_config": {**NESTED, "attention_modes": ["gqa", "kda"]}}, "'kda'"),
        (ZLAB, {"rope_scaling": {"rope_type": "longrope", "factor": 2.0}}, "'longrope'"),
        (ZLAB, {"rope_scaling": {"rope_type": "yarn", "factor": 2.0, "attention_factor": 2.0}}, "'attention_factor'"),
        (
            ZLAB,
            {"rope_scaling": {"rope_type": "yarn", "factor": 2.0, "partial_rotary_factor": 0.5}},
            "'partial_rotary_factor'",
        ),
        (ZLAB, {"rope_parameters": {"rope_theta": 5}}, "two rope bases"),
        (ZLAB, {"layer_types": ["full_attention", "linear_attention"]}, "'linear_attention'"),
        (ZLAB, {"layer_types": ["full_attention"]}, "'layer_types'"),
        (ZLAB, {"layer_types": ["sliding_attention", "full_attention"]}, "'sliding_window'"),
        (ZLAB, {"num_attention_heads": None}, "'num_attention_heads'"),
        (ZLAB, {"dflash_config": {"target_layer_ids": [1]}}, "'mask_token_id'"),
        (ZLAB, {"dflash_config": {**NESTED, "mask_token_id": V}}, "'mask_id'"),
        (ZLAB, {"dflash_config": {**NESTED, "target_layer_ids": [1, 1, 2]}}, "'taps'"),
        (ZLAB, {"target_hidden_size": 2 * H}, "'target_hidden_size'"),
        (ZLAB, {"architectures": ["SomeDraftModel"]}, "SomeDraftModel"),
        (ZLAB, {"architectures": None}, "no architecture"),
        (ZLAB, {"quantization": {"bits": 4, "group_size": 64, "mode": "mxfp4"}}, "'mxfp4'"),
        (ZLAB, {"quantization_config": {"quant_method": "awq"}}, "quantised"),
        ("deepspec dspark", {"architectures": ["Gemma4DSparkModel"]}, "Gemma4DSparkModel"),
        ("deepspec dspark", {"attention_sink_bias": True}, "'attention_sink_bias'"),
        ("deepspec dspark", {"log_snr_conditioning": True}, "'log_snr_conditioning'"),
        ("deepspec dspark", {"enable_qwen35_gated_q_proj": True}, "'enable_qwen35_gated_q_proj'"),
        ("deepspec dspark", {"markov_head_type": "lstm"}, "'lstm'"),
        ("deepspec dspark", {"logits_start": 2}, "'logits_start'"),
        ("deepspec dspark", {"target_layer_ids": [-1, 4, 9]}, "'taps'"),
        ("specforge dspark", {"dflash_config": {**NESTED, "projector_type": "dspine"}}, "'dspine'"),
        ("speculators dspark", {"speculators_model_type": "xpress"}, "'xpress'"),
        ("speculators dspark", {"speculators_model_type": None}, "'speculators_model_type'"),
        ("speculators dspark", {"aux_hidden_state_layer_ids": [0, 5, 10]}, "embedding"),
        ("speculators dspark", {"aux_hidden_state_layer_ids": None}, "'aux_hidden_state_layer_ids'"),
        ("speculators dspark", {"transformer_layer_config": {**BODY, "mlp_bias": True}}, "'mlp_bias'"),
        ("speculators dspark", {"transformer_layer_config": {**BODY, "some_new_gate": 1}}, "'some_new_gate'"),
        ("speculators dspark", {"draft_vocab_size": 8}, "'d2t'"),
    ],
)
def test_a_field_that_changes_the_mathematics(name: str, changes: dict[str, Any], named: str, tmp_path: Path) -> None:
    assert named in refusal(checkpoint(tmp_path, name, **changes))


def test_tensors_that_no_module_has(tmp_path: Path) -> None:
    path = write(tmp_path, CONFIGS[ZLAB], backbone() | {"layers.0.self_attn.sinks": mx.zeros(4)})
    assert "'layers.0.self_attn.sinks'" in refusal(path)


@pytest.mark.parametrize("name", ["dflash2", "domino", "deepspec dspark"])
def test_a_head_without_its_scheme(name: str, tmp_path: Path) -> None:
    """A selector, a GRU or a Markov head whose configuration says plain DFlash."""
    head = {n: t for n, t in HEADS_OF[name]().items() if n not in ("embed_tokens.weight", "lm_head.weight")}
    assert f"'{min(head)}'" in refusal(write(tmp_path, CONFIGS[ZLAB], backbone() | head))


def test_a_missing_tensor(tmp_path: Path) -> None:
    tensors = backbone()
    del tensors["layers.1.self_attn.v_proj.weight"]
    assert "'layers.1.self_attn.v_proj.weight'" in refusal(write(tmp_path, CONFIGS[ZLAB], tensors))


def test_a_tensor_of_another_shape(tmp_path: Path) -> None:
    """Here fc reads one tap more than the configuration names."""
    text = refusal(write(tmp_path, CONFIGS[ZLAB], backbone(taps=len(TAPS) + 1)))
    assert "'fc.weight'" in text and str([H, 4 * H]) in text and str([H, 3 * H]) in text


def test_steps_that_lead_outside_the_vocabulary(tmp_path: Path) -> None:
    heads = HEADS_OF["speculators dspark"]() | {"lm_head.weight": mx.zeros((2, H)), "d2t": mx.array([0, V])}
    path = write(tmp_path, {**CONFIGS["speculators dspark"], "draft_vocab_size": 2}, backbone() | heads)
    assert "'d2t'" in refusal(path)


def test_steps_without_a_reduced_vocabulary(tmp_path: Path) -> None:
    heads = HEADS_OF["speculators dspark"]() | {"d2t": mx.array([0, 1])}
    assert "'d2t'" in refusal(write(tmp_path, CONFIGS["speculators dspark"], backbone() | heads))


def test_packed_weights_without_their_packing(tmp_path: Path) -> None:
    packed, scales, biases = mx.quantize(backbone()["fc.weight"], group_size=64, bits=4)
    tensors = backbone() | {"fc.weight": packed, "fc.scales": scales, "fc.biases": biases}
    assert "'quantization'" in refusal(write(tmp_path, CONFIGS[ZLAB], tensors))
    write(tmp_path, {**CONFIGS[ZLAB], "quantization": {"group_size": 32, "bits": 4}}, tensors)
    assert "'fc.weight'" in refusal(tmp_path)


def test_pickles_are_not_opened(tmp_path: Path) -> None:
    path = checkpoint(tmp_path, ZLAB)
    (path / "model.safetensors").rename(path / "pytorch_model.bin")
    assert "pytorch_model.bin" in refusal(path)


def test_broken_files(tmp_path: Path) -> None:
    path = checkpoint(tmp_path, ZLAB)
    whole = (path / "model.safetensors").read_bytes()
    (path / "model.safetensors").write_bytes(whole[: len(whole) // 2])
    refusal(path)
    (path / "config.json").write_text("{")
    assert "JSON" in refusal(path)
    (path / "config.json").unlink()
    assert "config.json" in refusal(path)
    refusal(tmp_path / "nowhere")


def test_code_in_a_checkpoint_is_not_run(tmp_path: Path) -> None:
    """Public files name code of their own; the modules here stand in for it."""
    path = checkpoint(tmp_path, ZLAB, auto_map={"AutoModel": "evil.Model"})
    (path / "evil.py").write_text("raise SystemExit('run')")
    assert read_drafter(path)[0].scheme == "B"


def test_a_tensor_that_lies_in_two_files(tmp_path: Path) -> None:
    path = checkpoint(tmp_path, ZLAB)
    mx.save_safetensors(str(path / "more.safetensors"), {"norm.weight": mx.ones(H)})
    assert "'norm.weight'" in refusal(path)
