"""How a drafter is trained: everything that its weights depend on beside the data set and the target.

A run is a function of its recipe: the same recipe, data and machine give the same weights, in one go or in many.
"""

from __future__ import annotations

from msgspec import Struct


class TrainRecipe(Struct, frozen=True, kw_only=True):
    scheme: str
    steps: int
    """Of the whole run; the learning rate's schedule is stretched over them."""
    seed: int = 0

    conversations: int = 4
    """Of one step."""
    anchors: int = 24
    """Blocks of each conversation, drawn anew in every step. An EAGLE-3 head learns from every token instead."""
    firsts: int = 96
    """Further anchors of each conversation, of which the first position alone is learned: all others hang on it."""
    sampled: int = 512
    """Tokens drawn at random beside those that matter in a step, for its softmax (``outputs``); 0: all there are."""
    unroll: int = 3
    """EAGLE-3 heads: how many tokens they go on from their own output in training (their training-time test)."""

    learning_rate: float = 1e-3
    warm_up: float = 0.04
    """Share of the steps."""
    final_rate: float = 0.05
    """Of ``learning_rate``, at the end of the cosine."""
    clip: float = 1.0
    weight_decay: float = 0.01

    decay: float = 2.0
    """Position k of a block weighs exp(-(k - 1) / decay) (DFlash)."""
    soft: float = 0.5
    """Share of the target's own distribution in the label; the rest is the token that came."""
    base_share: float = 0.5
    """C, D, E: weight of the loss of the backbone's own logits beside that of the corrected ones."""
    lens_weight: float = 0.1
    """E: weight of the loss that makes forming features read as tokens."""

    start: str = ""
    """Directory of a trained drafter whose backbone this one begins with."""
    regression: bool = True
    """Begin with what least squares know (``tail``, ``regression``), where the last tap is the target's last layer."""
    bigrams: bool = True
    """C, D, E: the scores of pairs begin as the text's bigram statistics."""
