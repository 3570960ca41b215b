"""z-lab's and incoai's DFlash and DFlash 2, which SpecForge writes too.

    rows      fill-in: block_size rows, block_size - 1 tokens
    taps      dflash_config.target_layer_ids, each the output of that layer
    window    per query; a sliding layer is causal in its block unless ``is_causal`` says otherwise for all layers
    borrowed  embedding and head are the target's; the selector's codebooks are plain arrays

``block_size``, ``mask_token_id`` and the logits' processing stand in dflash_config or, in older files, at the top.
"""

from __future__ import annotations

from typing import Any

from engine.drafters.formats.backbone import layer_types, sizes, sliding_causal, spread_taps, windows
from engine.drafters.formats.config import Config
from engine.drafters.formats.dialect import Reading
from engine.drafters.layout import Dflash2

ARCHITECTURES = ("DFlashDraftModel", "DFlash2DraftModel")
DEFAULT_BLOCK = 16


def read(config: Config) -> Reading:
    architecture = (config.get("architectures") or [""])[0]
    nested = config.table("dflash_config")
    nested.only("projector_type", "dflash", "dflash2")
    layout = block_layout(config, nested)
    facts: dict[str, Any] = {
        "dialect": "zlab",
        "architecture": architecture,
        "target_layers": config.integer("num_target_layers", 0),
    }
    layout |= {"scheme": "B", "rows": "fill-in", "gamma": block_size(config, nested) - 1}
    if architecture == "DFlash2DraftModel":
        layout |= {"scheme": "D", "dflash2": dflash2(nested)}
        facts["selector_top_k"] = nested.integer("selector_top_k")
    nested.finish()
    config.finish()
    return Reading(layout, facts, rename)


def block_layout(config: Config, nested: Config) -> dict[str, Any]:
    """All that z-lab's and SpecForge's files have in common."""
    layout = sizes(config)
    for mode in (nested.get("attention_mode", "gqa"), *(nested.get("attention_modes") or ())):
        if mode not in ("gqa", "mha"):
            nested.refuse(f"asks for the attention '{mode}'; the ones computed here are gqa and mha")
    kinds = layer_types(config, layout["layers"])
    is_causal = config.get("is_causal")
    if is_causal is not None and not isinstance(is_causal, bool):
        config.refuse(f"has 'is_causal' {is_causal!r}, which is neither true nor false")
    if nested.has("target_layer_ids"):
        taps = nested.integers("target_layer_ids")
    else:
        taps = spread_taps(config.integer("num_target_layers"), layout["layers"])
    config.only("target_hidden_size", layout["hidden_size"])
    return layout | {
        "taps": taps,
        "mask_id": nested.integer("mask_token_id") if nested.has("mask_token_id") else config.integer("mask_token_id"),
        "causal": sliding_causal(is_causal, kinds),
        "windows": windows(config, kinds),
        "window_rule": "per-query",
        "embedding_scale": nested.number("input_embedding_scale", 1.0),
        "logit_multiplier": nested.number("output_multiplier", 1.0),
        "logit_softcap": nested.number("final_logit_softcapping", config.number("final_logit_softcapping", 0.0)),
    }


def block_size(config: Config, nested: Config) -> int:
    older = config.integer("block_size", DEFAULT_BLOCK)
    return nested.integer("block_size", older)


def dflash2(table: Config) -> Dflash2:
    return Dflash2(
        conv_kernel=table.integer("conv_kernel_size"),
        conv_group=table.integer("conv_group_size"),
        selector_rank=table.integer("selector_rank"),
    )


def rename(name: str) -> str:
    """A codebook may be stored as an embedding, with ``.weight``."""
    return name.removesuffix(".weight") if name.endswith("_codebook.weight") else name
