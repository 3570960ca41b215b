"""SpecForge (sgl-project): a plain Qwen3 configuration with a dflash_config that names the head in ``projector_type``.

    dspark            anchor-first: block_size rows, block_size tokens
    domino            anchor-first where ``shift_label`` is true, otherwise fill-in; the first ``pure_draft_prefix_len``
                      predictions stay uncorrected either way
    taps              dflash_config.target_layer_ids, each the output of that layer
    window, causal    z-lab's rules
    borrowed          embedding and head are the target's, unless the vocabulary is reduced

A file without ``projector_type`` is z-lab's DFlash, whoever wrote it.
"""

from __future__ import annotations

from typing import Any

from engine.drafters.formats.config import Config
from engine.drafters.formats.deepspec import markov_layout, unused
from engine.drafters.formats.dialect import Reading, draft_vocabulary
from engine.drafters.formats.zlab import block_layout, block_size
from engine.drafters.layout import Domino

DSPARK = ("dspark",)
DOMINO = ("domino", "causal_v5")

_CONFIDENCE_FIELDS = ("enable_confidence_head", "confidence_head_with_markov", "confidence_head_alpha")
_DSPARK_FIELDS = ("markov_rank", "markov_head_type", *_CONFIDENCE_FIELDS)
_DOMINO_FIELDS = ("emb_dim", "gru_hidden_dim", "pure_draft_prefix_len", "shift_label")


def read(config: Config) -> Reading:
    nested = config.table("dflash_config")
    projector = nested.text("projector_type")
    if projector not in DSPARK + DOMINO:
        nested.refuse(f"has the head '{projector}'; the ones computed here are {', '.join(DSPARK + DOMINO)}")
    layout = block_layout(config, nested)
    block = block_size(config, nested)
    layout["draft_vocabulary"] = draft_vocabulary(config, layout["vocabulary"])
    if projector in DSPARK:
        # The head's fields stand in dflash_config, in older files at the top.
        head = _where(config, nested, _DSPARK_FIELDS)
        layout |= {"rows": "anchor-first", "gamma": block} | markov_layout(head)
        head.read.add("confidence_head_alpha")
    else:
        head = _where(config, config.table("domino_config"), _DOMINO_FIELDS)
        head = _where(head, nested, _DOMINO_FIELDS)
        shifted = head.boolean("shift_label", False)
        domino = Domino(
            gru_size=head.integer("gru_hidden_dim"),
            rank=head.integer("emb_dim"),
            pure_prefix=head.integer("pure_draft_prefix_len", 0),
        )
        layout |= {
            "scheme": "C",
            "domino": domino,
            "rows": "anchor-first" if shifted else "fill-in",
            "gamma": block if shifted else block - 1,
        }
        config.table("domino_config").finish(_DOMINO_FIELDS)
    facts: dict[str, Any] = {
        "dialect": "specforge",
        "architecture": (config.get("architectures") or [""])[0],
        "target_layers": config.integer("num_target_layers", 0),
    }
    other = _DSPARK_FIELDS if projector in DSPARK else _DOMINO_FIELDS
    nested.finish(other)
    config.finish(other)
    return Reading(layout, facts, rename, unused(layout))


def rename(name: str) -> str:
    """Early files kept the head's tensors under ``logit_head``."""
    return name.removeprefix("logit_head.")


def _where(outer: Config, inner: Config, fields: tuple[str, ...]) -> Config:
    return inner if any(inner.has(name) for name in fields) else outer
