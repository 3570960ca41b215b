"""What a drafter trained here looks like: one shape for all schemes, taken from its target, so that schemes and not
budgets are compared.

B, C, D and E have six layers of the target's width, which begin as the target's own last ones where they can
(``tail``), and three others where not, rows ``anchor-first`` and causal (row 0 is an ordinary language model's row, and
a shorter block's drafts are a longer one's beginning), five taps from the third layer to the last, and ``direct``. A
runs the same layers row by row (``recurrent``); where the target's can't be taken it has one EAGLE-3 layer with a wider
MLP.
"""

from __future__ import annotations

import math
from typing import Any

from engine.drafters.borrow import find, hidden_size
from engine.drafters.layout import Cascade, Dflash2, Eagle, Layout, Markov, Recurrent, Rope
from engine.models.errors import ModelError
from engine.target import Target
from engine.train.tail import has_tail

TAPS = 5
DRAFT_VOCABULARY = 32_768
"""Tokens a drafter can propose, where its target has more. What it can't say is a draft lost; more cost more."""
LAYERS = 3
TAIL_LAYERS, TAIL_NEURONS = 6, 3 / 8
"""Layers of a drafter that begins as its target's last ones (``tail``), and the share of their neurons that stay: of
the same size, more layers with fewer neurons guess better."""
GROUP = 64
SCHEMES = ("A", "B", "C", "D", "E")


def spread_taps(layers: int, taps: int = TAPS) -> tuple[int, ...]:
    """Evenly from the third layer to the last."""
    if layers <= taps:
        return tuple(range(layers))
    first, last = 2, layers - 1
    return tuple(sorted({math.ceil(first + (last - first) * i / (taps - 1)) for i in range(taps)}))


def layout_for(
    target: Target,
    scheme: str,
    gamma: int = 7,
    draft_vocabulary: int = DRAFT_VOCABULARY,
    layers: int = 0,
    **changes: Any,
) -> Layout:
    """``layers`` 0: as many as are usual.

    Raises ``ModelError`` where the target has no attention that a drafter could take after.
    """
    args = text_args(target)
    width = hidden_size(find(target)[0])
    heads = int(getattr(args, "num_attention_heads", 0) or 0)
    if not heads:
        raise ModelError(
            f"{target.facts.name} doesn't say how many attention heads it has: no drafter can be laid out."
        )
    head_dim = int(getattr(args, "head_dim", 0) or width // heads)
    kv_heads = int(getattr(args, "num_key_value_heads", 0) or heads)
    intermediate = int(getattr(args, "intermediate_size", 0) or 4 * width)
    vocabulary = target.facts.vocabulary
    fields: dict[str, Any] = {
        "scheme": scheme,
        "gamma": gamma,
        "rows": "anchor-first",
        "taps": spread_taps(len(target.model.layers)),
        "mask_id": mask_token(target),
        "hidden_size": width,
        "layers": layers or LAYERS,
        "heads": heads,
        "kv_heads": kv_heads,
        "head_dim": head_dim,
        "intermediate_size": whole_groups(intermediate * 2 // 3),
        "rms_norm_eps": float(getattr(args, "rms_norm_eps", 0) or 1e-6),
        "qk_norm": True,
        "rope": Rope(theta=float(getattr(args, "rope_theta", 0) or 10000.0)),
        "vocabulary": vocabulary,
        "draft_vocabulary": draft_vocabulary if draft_vocabulary < vocabulary else 0,
    }
    tail = {} if changes.get("eagle") else tail_fields(target, fields, layers, intermediate)
    if scheme == "A" and not tail:
        fields |= {"layers": 1, "intermediate_size": 2 * intermediate, "qk_norm": False}
    else:
        fields |= {"direct": True} | tail
        fields["causal"] = (True,) * fields["layers"]
    heads_of_schemes: dict[str, dict[str, Any]] = {
        "A": {"recurrent": Recurrent()} if tail else {"eagle": Eagle()},
        "B": {},
        "C": {"markov": Markov(rank=16)},
        "D": {"dflash2": Dflash2(conv_group=32 if width % 32 == 0 else 1, selector_rank=8)},
        "E": {"cascade": Cascade(lens_rank=64, transition_rank=64)},
    }
    return Layout(**{**fields, **heads_of_schemes[scheme], **changes})


def tail_fields(target: Target, fields: dict[str, Any], layers: int, intermediate: int) -> dict[str, Any]:
    """What differs where a drafter can begin as the target's last layers; nothing where it can't."""
    args = text_args(target)
    attention = getattr(target.model.layers[-1], "self_attn", {})
    rope = fields["rope"]
    scaling = getattr(args, "rope_scaling", None)
    changes: dict[str, Any] = {
        "layers": layers or TAIL_LAYERS,
        "intermediate_size": whole_groups(int(intermediate * TAIL_NEURONS)),
        "qk_norm": "q_norm" in attention,
        "attention_bias": "bias" in getattr(attention, "q_proj", {}),
        "rope": Rope(
            theta=rope.theta, traditional=bool(getattr(args, "rope_traditional", False)),
            scaling=dict(scaling) if isinstance(scaling, dict) else None,
        ),
    }  # fmt: skip
    layout = Layout(**{**fields, **changes, "scheme": "B", "direct": True})
    return {**changes, "reader": True} if has_tail(target, layout) else {}


def shape_of(layout: Layout, scheme: str) -> dict[str, Any]:
    """What a drafter of this scheme that goes on from that one shares with it."""
    same = ("layers", "intermediate_size", "qk_norm", "attention_bias", "rope", "direct", "reader", "causal")
    shape = {name: getattr(layout, name) for name in same}
    if scheme == "A":
        shape |= {"eagle": layout.eagle, "recurrent": None if layout.eagle else Recurrent()}
    return shape


def whole_groups(size: int) -> int:
    """The next size below that packed weights divide into groups."""
    return size // GROUP * GROUP or size


def text_args(target: Target) -> Any:
    """Arguments of the language model: of a model that wraps one, the inner one's."""
    args = getattr(target.model, "args", None)
    inner = getattr(target.model, "language_model", None)
    return getattr(inner, "args", args) if inner is not None else args


def mask_token(target: Target) -> int:
    """A token that never stands in a conversation: the last of the tokenizer's special ones that no turn uses."""
    tokenizer = target.tokenizer
    special = sorted(int(i) for i in getattr(tokenizer, "all_special_ids", []) or [])
    added = getattr(tokenizer, "added_tokens_decoder", {}) or {}
    special = sorted({*special, *(int(i) for i, token in added.items() if getattr(token, "special", True))})
    ends = target.end_ids
    free = [i for i in special if i not in ends and 0 <= i < target.facts.vocabulary]
    return free[-1] if free else 0
