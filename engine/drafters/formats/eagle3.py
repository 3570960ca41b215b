"""EAGLE-3 heads as SafeAILab, SGLang and DeepSpec write them: one layer, ``midlayer``, and a head of its own.

taps      explicit ids (``eagle_config.eagle_aux_hidden_state_layer_ids``, DeepSpec's ``target_layer_ids``) are outputs
          of those layers. Files without ids were trained on the inputs of layers 2, n/2 and n - 3, that is the outputs
          of 1, n/2 - 1 and n - 4; n is the target's and has to be told
d2t       d2t[i] is the step from draft id i to the target's id
"""

from __future__ import annotations

from typing import Any

from engine.drafters.formats.backbone import FULL, layer_types, sizes
from engine.drafters.formats.config import Config
from engine.drafters.formats.dialect import Reading, draft_vocabulary
from engine.drafters.layout import Eagle

DEFAULT_TOKENS = 7
"""Training unrolls a head so many steps; how many a round really drafts is the arm's setting."""


def read(config: Config, target_layers: int) -> Reading:
    layout = sizes(config)
    layout["draft_vocabulary"] = draft_vocabulary(config, layout["vocabulary"])
    if any(kind != FULL for kind in layer_types(config, layout["layers"])):
        config.refuse("has sliding layers, which the EAGLE-3 head here doesn't have")
    nested = config.table("eagle_config")
    nested.only("use_aux_hidden_state", True)
    name = "eagle_aux_hidden_state_layer_ids"
    if nested.has(name):
        taps = nested.integers(name)
    elif config.has("target_layer_ids"):
        taps = config.integers("target_layer_ids")
    elif config.has(name):
        taps = config.integers(name)
    else:
        taps = default_taps(config, target_layers)
    config.read |= {name, "target_layer_ids", "sliding_window", "use_sliding_window"}
    model = str(config.get("model_type", "llama"))
    layout |= head_layout(config, layout, taps, config.integer("ttt_steps", 0), norms=model.startswith("qwen3"))
    facts: dict[str, Any] = {
        "dialect": "eagle3",
        "architecture": (config.get("architectures") or [""])[0],
        "target_layers": config.integer("num_target_layers", 0),
    }
    nested.finish(("eagle_decoder_type",))
    config.finish(("target_model_type", "modal_type"))
    return Reading(layout, facts, rename, frozenset({"t2d"}))


def head_layout(
    config: Config, layout: dict[str, Any], taps: tuple[int, ...], tokens: int, norms: bool
) -> dict[str, Any]:
    if layout["layers"] != 1:
        config.refuse(f"is an EAGLE-3 head of {layout['layers']} layers; heads of one layer are computed here")
    config.only("fc_norm", False)
    config.only("norm_output", False)
    tap_size = config.integer("target_hidden_size", layout["hidden_size"])
    return {
        "scheme": "A",
        "eagle": Eagle(
            norm_before_residual=config.boolean("norm_before_residual", False),
            norm_before_fc=config.boolean("norm_before_fc", False),
        ),
        "rows": "anchor-first",
        "gamma": tokens or DEFAULT_TOKENS,
        "taps": taps,
        "tap_size": 0 if tap_size == layout["hidden_size"] else tap_size,
        "qk_norm": norms,
    }


def default_taps(config: Config, target_layers: int) -> tuple[int, ...]:
    if target_layers < 6:
        config.refuse(
            "names no taps, and the number of layers of its target isn't known", "Load it together with its target."
        )
    return (1, target_layers // 2 - 1, target_layers - 4)


def rename(name: str) -> str:
    return "layers.0." + name.removeprefix("midlayer.") if name.startswith("midlayer.") else name
