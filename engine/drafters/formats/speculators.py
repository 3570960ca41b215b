"""speculators (vllm-project): dflash, dflash2, dspark and eagle3 under one schema.

taps      aux_hidden_state_layer_ids count states, not layers: 0 is the embedding, i the output of layer i - 1
rows      ``sample_from_anchor`` true: block_size tokens a block; false: block_size - 1.
          Files older than that field tell it by ``speculative_tokens``, or not at all: row 0 is the anchor's then
window    per anchor; sliding layers are causal unless ``sliding_window_non_causal``, full ones never
own       embedding where the file holds it; a head only with a reduced vocabulary: d2t[i] is the step from
          draft id i to the target's id, t2d the same as a mask
"""

from __future__ import annotations

from typing import Any

from engine.drafters.formats import eagle3
from engine.drafters.formats.backbone import SLIDING, layer_types, sizes, windows
from engine.drafters.formats.config import Config
from engine.drafters.formats.deepspec import markov_layout
from engine.drafters.formats.deepspec import unused as without_markov
from engine.drafters.formats.dialect import Reading, draft_vocabulary
from engine.drafters.formats.harmless import PACKAGE
from engine.drafters.formats.zlab import dflash2, rename

KINDS = ("dflash", "dflash2", "dspark", "eagle3")

VERIFIER = frozenset({"verifier_lm_head.weight", "verifier_norm.weight"})
"""Copies of the target's own tensors, kept for training."""


def read(config: Config, target_layers: int) -> Reading:
    kind = config.text("speculators_model_type")
    if kind not in KINDS:
        config.refuse(f"is a speculators '{kind}' checkpoint; the ones computed here are {', '.join(KINDS)}")
    spec = config.table("speculators_config")
    verifier = spec.table("verifier")
    facts: dict[str, Any] = {
        "dialect": "speculators",
        "architecture": (config.get("architectures") or [kind])[0],
        "target": str(verifier.get("name_or_path") or ""),
    }
    body = config.table("transformer_layer_config")
    layout = sizes(body)
    layout["draft_vocabulary"] = draft_vocabulary(config, layout["vocabulary"])
    if kind == "eagle3":
        return _eagle3(config, body, layout, facts, _speculative_tokens(spec), target_layers)

    kinds = layer_types(body, layout["layers"])
    causal = not config.boolean("sliding_window_non_causal", kind == "dflash2")
    if not _uses_windows(body):
        kinds = tuple("full_attention" for _ in kinds)
    sliding = tuple(kind == SLIDING for kind in kinds)
    first, notes = _first_row(config, kind, spec)
    block = config.integer("block_size")
    config.only("target_hidden_size", layout["hidden_size"])
    layout |= {
        "scheme": "B",
        "rows": "fill-in" if first else "anchor-first",
        "gamma": block - first,
        "taps": taps_of_states(config, config.integers("aux_hidden_state_layer_ids")),
        "mask_id": config.integer("mask_token_id"),
        "causal": sliding if causal and any(sliding) else (),
        "windows": windows(body, kinds),
        "window_rule": "per-anchor",
    }
    if kind == "dspark":
        layout |= markov_layout(config)
    if kind == "dflash2":
        layout |= {"scheme": "D", "dflash2": dflash2(config)}
        facts["selector_top_k"] = config.integer("selector_top_k")
    _finish(config, body)
    unused = VERIFIER | {"t2d"} | (without_markov(layout) if kind == "dspark" else frozenset())
    return Reading(layout, facts | {"notes": notes}, rename, unused)


def taps_of_states(config: Config, states: tuple[int, ...]) -> tuple[int, ...]:
    """State i is the output of layer i - 1."""
    if 0 in states:
        config.refuse("taps the embedding (state 0), which has no layer to be tapped at")
    return tuple(state - 1 for state in states)


def _uses_windows(body: Config) -> bool:
    """Qwen3's configuration drops the window where ``use_sliding_window`` isn't set; such layers see all, both ways."""
    return body.boolean("use_sliding_window", body.get("model_type", "qwen3") != "qwen3")


def _speculative_tokens(spec: Config) -> int:
    methods = spec.get("proposal_methods") or [{}]
    found = methods[0].get("speculative_tokens") if isinstance(methods, list) and isinstance(methods[0], dict) else None
    return found if isinstance(found, int) else 0


def _first_row(config: Config, kind: str, spec: Config) -> tuple[int, tuple[str, ...]]:
    """Which row holds the first prediction."""
    block, tokens = config.integer("block_size"), _speculative_tokens(spec)
    told = {block: 0, block - 1: 1}.get(tokens)
    if config.has("sample_from_anchor"):
        first = 0 if config.boolean("sample_from_anchor") else 1
        if told is not None and told != first:
            said = f"sample_from_anchor says {block - first} tokens a block, speculative_tokens {tokens}"
            return first, (f"{said}; the first was followed.",)
        return first, ()
    config.read.add("sample_from_anchor")
    if told is not None:
        return told, ()
    return 1, (f"The {kind} checkpoint doesn't say which row predicts first; row 1 was taken.",)


def _eagle3(
    config: Config, body: Config, layout: dict[str, Any], facts: dict[str, Any], tokens: int, target_layers: int
) -> Reading:
    if config.has("eagle_aux_hidden_state_layer_ids"):
        taps = taps_of_states(config, config.integers("eagle_aux_hidden_state_layer_ids"))
    else:
        config.read.add("eagle_aux_hidden_state_layer_ids")
        taps = eagle3.default_taps(config, target_layers)
    kinds = layer_types(body, layout["layers"])
    if SLIDING in kinds and body.get("sliding_window") and _uses_windows(body):
        body.refuse("has sliding layers, which the EAGLE-3 head here doesn't have")
    body.read |= {"sliding_window", "use_sliding_window"}
    layout |= eagle3.head_layout(config, layout, taps, tokens, norms=str(body.get("model_type", "llama")) == "qwen3")
    _finish(config, body)
    return Reading(layout, facts, eagle3.rename, VERIFIER | {"t2d"})


def _finish(config: Config, body: Config) -> None:
    body.finish()
    config.finish(PACKAGE)
