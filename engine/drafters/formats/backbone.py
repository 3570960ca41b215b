"""What all dialects of a block drafter share: the fields of its Qwen3 layers, their positions, masks and windows."""

from __future__ import annotations

from typing import Any

from engine.drafters.formats.config import Config
from engine.drafters.formats.harmless import TEXT_ONLY
from engine.drafters.layout import Rope

SLIDING = "sliding_attention"
FULL = "full_attention"

_SCALINGS = {
    "linear": {"factor"},
    "llama3": {"factor", "low_freq_factor", "high_freq_factor", "original_max_position_embeddings"},
    "yarn": {"factor", "original_max_position_embeddings", "beta_fast", "beta_slow", "mscale", "mscale_all_dim"},
}
_OPTIONAL = {"beta_fast", "beta_slow", "mscale", "mscale_all_dim", "original_max_position_embeddings"}


def sizes(config: Config) -> dict[str, Any]:
    """Fields of ``Layout`` that a Hugging Face text configuration spells alike everywhere."""
    config.only("hidden_act", "silu")
    config.only("mlp_bias", False)
    heads, hidden = config.integer("num_attention_heads"), config.integer("hidden_size")
    return {
        "hidden_size": hidden,
        "layers": config.integer("num_hidden_layers"),
        "heads": heads,
        "kv_heads": config.integer("num_key_value_heads", heads),
        "head_dim": config.integer("head_dim", hidden // max(1, heads)),
        "intermediate_size": config.integer("intermediate_size"),
        "rms_norm_eps": config.number("rms_norm_eps", 1e-6),
        "attention_bias": config.boolean("attention_bias", False),
        "vocabulary": config.integer("vocab_size"),
        "rope": rope(config),
    }


def rope(config: Config) -> Rope:
    """The drafter's own rotary positions. ``rope_parameters``, or ``rope_theta`` with ``rope_scaling``."""
    table = config.table("rope_parameters" if config.has("rope_parameters") else "rope_scaling")
    config.read |= {"rope_parameters", "rope_scaling"}
    bases = {float(t.number("rope_theta")) for t in (config, table) if t.has("rope_theta")}
    if len(bases) > 1:
        config.refuse(f"names two rope bases, {' and '.join(str(b) for b in sorted(bases))}", "Correct the file.")
    config.read.add("rope_theta")
    theta = bases.pop() if bases else 10000.0
    positions = config.integer("max_position_embeddings", 0)
    traditional = not config.boolean("rope_is_neox_style", True)
    kind = table.get("rope_type", None) or table.get("type", "default")
    table.read |= {"rope_theta", "rope_type", "type"}
    if kind == "default":
        table.finish(TEXT_ONLY)
        return Rope(theta=theta, traditional=traditional, max_positions=positions)
    if kind not in _SCALINGS:
        table.refuse(f"asks for the rope '{kind}'; the ones computed here are default, {', '.join(_SCALINGS)}")
    table.only("partial_rotary_factor", 1, 1.0)
    scaling: dict[str, Any] = {"rope_type": kind}
    for name in sorted(_SCALINGS[kind]):
        if name == "original_max_position_embeddings" and not table.has(name):
            scaling[name] = positions or table.integer(name)
        elif name not in _OPTIONAL or table.has(name):
            scaling[name] = table.number(name) if name != "original_max_position_embeddings" else table.integer(name)
    table.finish()
    return Rope(theta=theta, traditional=traditional, max_positions=positions, scaling=scaling)


def layer_types(config: Config, layers: int) -> tuple[str, ...]:
    """``full_attention`` or ``sliding_attention`` for each layer; without the field all are full."""
    kinds = config.get("layer_types", [FULL] * layers)
    if not isinstance(kinds, list) or len(kinds) != layers:
        config.refuse(f"has 'layer_types' {kinds!r} for {layers} layers", "Correct the file.")
    for kind in kinds:
        if kind not in (FULL, SLIDING):
            config.refuse(f"has a layer of type '{kind}'; the ones computed here are {FULL} and {SLIDING}")
    return tuple(kinds)


def windows(config: Config, kinds: tuple[str, ...]) -> tuple[int, ...]:
    """Window of each layer, 0 for none."""
    window = config.get("sliding_window")
    config.read.add("use_sliding_window")
    if SLIDING not in kinds:
        return ()
    if isinstance(window, bool) or not isinstance(window, int) or window < 2:
        config.refuse(f"has {SLIDING} layers and 'sliding_window' {window!r}", "Correct the file.")
    return tuple(window if kind == SLIDING else 0 for kind in kinds)


def sliding_causal(is_causal: bool | None, kinds: tuple[str, ...]) -> tuple[bool, ...]:
    """The rule of z-lab and SpecForge: what is not said is true for sliding layers and false for full ones."""
    causal = tuple(kind == SLIDING if is_causal is None else is_causal for kind in kinds)
    return causal if any(causal) else ()


def spread_taps(target_layers: int, count: int) -> tuple[int, ...]:
    """z-lab's default: ``count`` layers spread evenly from the second to the last but two."""
    if count == 1:
        return (target_layers // 2,)
    return tuple(round(1 + i * (target_layers - 4) / (count - 1)) for i in range(count))
