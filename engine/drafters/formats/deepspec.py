"""DeepSpec: deepseek-ai's dspark_*_block7, and its dflash_*_block7, which is the same class with ``markov_rank`` 0.

    rows      anchor-first: block_size rows, block_size tokens. So does dflash_*_block7, unlike z-lab's.
    taps      target_layer_ids at the top, each the output of that layer (-1, the embedding, is refused)
    window    none
    own       embedding and head lie in the checkpoint

The configuration is a copy of the target's with the drafter's fields written over it, so some of its fields describe
the target alone (``harmless.INHERITED``). LiquidAI's Lfm2DSparkDraftModel keeps taps and mask in dflash_config.
"""

from __future__ import annotations

from typing import Any

from engine.drafters.formats.backbone import FULL, layer_types, sizes
from engine.drafters.formats.config import Config
from engine.drafters.formats.dialect import Reading, draft_vocabulary
from engine.drafters.formats.harmless import INHERITED
from engine.drafters.layout import Markov

ARCHITECTURES = ("Qwen3DSparkModel", "Lfm2DSparkDraftModel")

HEADS = ("vanilla", "gated", "rnn")
CONFIDENCE = frozenset({"confidence_head.proj.weight", "confidence_head.proj.bias"})


def read(config: Config) -> Reading:
    nested = config.table("dflash_config")
    layout = sizes(config)
    layout |= {
        "taps": _either(config, nested, "target_layer_ids").integers("target_layer_ids"),
        "mask_id": _either(config, nested, "mask_token_id").integer("mask_token_id"),
    }
    config.only("enable_qwen35_gated_q_proj", False)
    config.only("attention_sink_bias", False)
    config.only("log_snr_conditioning", False)
    if any(kind != FULL for kind in layer_types(config, layout["layers"])):
        config.refuse("has sliding layers, which DeepSpec's drafters don't have")
    causal = config.boolean("dflash_query_causal", False) or nested.boolean("causal", False)
    nested.only("use_swa", False)
    nested.read.add("swa_window_size")

    block = config.integer("block_size")
    # Files that name neither are DeepSpec's own, which read the anchor's row.
    first = config.integer("logits_start", 0 if config.boolean("sample_from_anchor", True) else 1)
    if first not in (0, 1):
        config.refuse(f"has 'logits_start' {first}; a block is read from row 0 or row 1")
    layout |= {
        "rows": "fill-in" if first else "anchor-first",
        "gamma": block - first,
        "causal": (True,) * layout["layers"] if causal else (),
        "logit_softcap": config.number("final_logit_softcapping", 0.0),
        "draft_vocabulary": draft_vocabulary(config, layout["vocabulary"]),
    }
    config.only("has_lm_head", True, False)
    layout |= markov_layout(config)
    facts: dict[str, Any] = {
        "dialect": "deepspec",
        "architecture": (config.get("architectures") or [""])[0],
        "target_layers": _either(config, nested, "num_target_layers").integer("num_target_layers", 0),
    }
    nested.finish()
    config.finish(INHERITED)
    return Reading(layout, facts, unused=unused(layout))


def markov_layout(table: Config, rank: int = 256) -> dict[str, Any]:
    """Scheme and head: C with a Markov head, B without. ``rank`` is the trainer's default where the file is silent."""
    rank = table.integer("markov_rank", rank)
    kind = table.text("markov_head_type", "vanilla")
    confidence = table.boolean("enable_confidence_head", True)
    with_markov = table.boolean("confidence_head_with_markov", True)
    if kind not in HEADS:
        table.refuse(f"has a Markov head of type '{kind}'; the ones computed here are {', '.join(HEADS)}")
    if not rank:
        return {"scheme": "B"}
    markov = Markov(kind=kind, rank=rank, confidence=confidence, confidence_with_markov=with_markov)  # type: ignore[arg-type]
    return {"scheme": "C", "markov": markov}


def unused(layout: dict[str, Any]) -> frozenset[str]:
    """Without a Markov head nothing here reads a confidence."""
    return frozenset() if layout.get("markov") else CONFIDENCE


def _either(config: Config, nested: Config, name: str) -> Config:
    return nested if not config.has(name) and nested.has(name) else config
