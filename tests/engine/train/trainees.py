"""Tiny drafters of every scheme in training, on random text of a tiny target."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mlx.core as mx
import numpy as np
from msgspec.structs import replace

from engine.drafters.borrow import borrow
from engine.drafters.formats.tensors import build
from engine.drafters.layout import Domino, Markov, Recurrent
from engine.target import Target
from engine.train.conversations import Conversations, Written, pack
from engine.train.forward import Material, tap_scale
from engine.train.labels import SoftLabels, draft_index, draft_vocabulary, teacher
from engine.train.layouts import layout_for
from engine.train.loop import Run, learnable
from engine.train.recipe import TrainRecipe
from engine.train.taps import RecomputedTaps
from tests.engine.drafters.blocks import randomise
from tests.tiny import VOCABULARY, tiny_target

SCHEMES = ("A", "B", "C", "D", "E")
VARIANTS: dict[str, dict[str, Any]] = {
    "C domino": {"markov": None, "domino": Domino(gru_size=12, rank=8)},
    "C gated": {"markov": Markov(kind="gated", rank=8)},
    "C rnn": {"markov": Markov(kind="rnn", rank=8)},
    "B fill-in": {"rows": "fill-in"},
    "E fill-in": {"rows": "fill-in"},
    "B reader": {"reader": True},
    "C reader": {"reader": True},
    "A recurrent": {
        "eagle": None,
        "recurrent": Recurrent(),
        "direct": True,
        "reader": True,
        "layers": 2,
        "causal": (True, True),
    },
}
"""Heads, rows and readings that a layout may have and the usual one of its scheme for a tiny target has not."""
GAMMA = 3


def conversations(n: int = 6, seed: int = 0) -> Conversations:
    """Random text in which some tokens follow others more often than chance has it."""
    rng = np.random.default_rng(seed)
    written = []
    for i in range(n):
        text = [int(rng.integers(2, 20))]
        for _ in range(int(rng.integers(16, 28))):
            text.append((text[-1] * 7 + 3) % 17 + 2 if rng.random() < 0.7 else int(rng.integers(2, 40)))
        prompt = int(rng.integers(3, 8))
        written.append(Written(text[:prompt], text[prompt:], (0, prompt), i, False, ""))
    return pack(written, VOCABULARY)


def trainee(scheme: str, directory: Path, target: Target | None = None, random: bool = False, **recipe: Any) -> Run:
    """A run at its beginning; ``random``: no parameter stays at its neutral start."""
    target = target or tiny_target("dense")
    c = conversations()
    taps = (0, len(target.model.layers) - 1)
    y = replace(layout_for(target, scheme[0], GAMMA, 48, 3, taps=taps, mask_id=63), **VARIANTS.get(scheme, {}))
    mx.random.seed(3)
    model = build(y)
    if random:
        randomise(model, 5, 0.2)
    ids = draft_vocabulary(c, y.proposed_vocabulary, VOCABULARY, target.end_ids)
    model.draft_ids = mx.array(ids)
    made = RecomputedTaps(y.taps, target, c)
    norm, borrowed = teacher(target, y.taps), borrow(y, model, target)
    assert norm is not None
    soft = SoftLabels(norm, borrowed.head, keep=False)
    material = Material(c, made, tap_scale(made, c), draft_index(ids, VOCABULARY), norm, soft)
    fields = {
        "steps": 8, "conversations": 2, "anchors": 3, "firsts": 2, "sampled": 9, "learning_rate": 3e-3,
        "warm_up": 0.25, **recipe,
    }  # fmt: skip
    r = TrainRecipe(scheme=scheme[0], **fields)
    mx.eval(model.parameters())
    return Run(directory, model, borrowed, r, y, material, learnable(material), {"target": "tiny"})
