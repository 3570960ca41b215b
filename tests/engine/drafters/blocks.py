"""Random drafters of every scheme for the tiny targets, and a wrapper that makes every length of acceptance occur."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import mlx.core as mx
from mlx.utils import tree_map

from engine.drafters import eagle
from engine.drafters.backbone import Model
from engine.drafters.base import Draft, Drafter
from engine.drafters.block import Block
from engine.drafters.borrow import borrow
from engine.drafters.layout import Cascade, Dflash2, Domino, Eagle, Layout, Markov, Recurrent, Rope
from engine.drafters.recurrent import block_drafter
from engine.sampling import Sampler
from engine.target import Target
from tests.tiny import VOCABULARY

GAMMA = 6
MASK = 63

HEADS: dict[str, dict[str, Any]] = {
    "A": {"scheme": "A", "eagle": Eagle(), "layers": 1, "rows": "anchor-first", "taps": (0, 1)},
    "A recurrent": {
        "scheme": "A",
        "recurrent": Recurrent(),
        "direct": True,
        "reader": True,
        "rows": "anchor-first",
        "windows": (),
    },
    "B": {"scheme": "B"},
    "B direct": {"scheme": "B", "direct": True, "rows": "anchor-first"},
    "B reader": {"scheme": "B", "direct": True, "reader": True, "rows": "anchor-first"},
    "C vanilla": {"scheme": "C", "markov": Markov(rank=8, confidence=True), "rows": "anchor-first"},
    "C gated": {"scheme": "C", "markov": Markov(kind="gated", rank=8)},
    "C rnn": {"scheme": "C", "markov": Markov(kind="rnn", rank=8), "rows": "anchor-first"},
    "C domino": {"scheme": "C", "domino": Domino(gru_size=12, rank=8)},
    "D": {"scheme": "D", "dflash2": Dflash2(conv_group=8, selector_rank=8)},
    "E": {"scheme": "E", "cascade": Cascade(lens_rank=8, transition_rank=8)},
    "E anchor-first": {
        "scheme": "E",
        "cascade": Cascade(lens_rank=8, transition_rank=8, form="plain"),
        "rows": "anchor-first",
    },
}


def layout(head: str = "B", **changes: Any) -> Layout:
    """Three layers for a tiny target; the second one has a window."""
    fields: dict[str, Any] = {
        "gamma": GAMMA,
        "taps": (1, 0),
        "mask_id": MASK,
        "hidden_size": 32,
        "layers": 3,
        "heads": 4,
        "kv_heads": 2,
        "head_dim": 8,
        "intermediate_size": 48,
        "vocabulary": VOCABULARY,
        "rope": Rope(theta=1000.0),
        **HEADS[head],
        **changes,
    }
    if fields["layers"] == 3:
        fields = {"windows": (0, 9, 0), "causal": (False, True, False), **fields}
    return Layout(**fields)


def randomise(model: Any, seed: int, spread: float = 0.3) -> None:
    """No parameter stays at its neutral start."""
    mx.random.seed(seed)
    model.update(
        tree_map(
            lambda a: (
                mx.random.normal(a.shape) * spread + (1.0 if a.ndim == 1 else 0.0) if a.dtype == mx.float32 else a
            ),
            model.parameters(),
        )
    )
    mx.eval(model.parameters())


def block(target: Target, y: Layout, seed: int = 1, spread: float = 0.3) -> Block:
    model = Model(y)
    randomise(model, seed, spread)
    if y.draft_vocabulary:
        model.draft_ids = VOCABULARY - 1 - mx.arange(y.draft_vocabulary, dtype=mx.int32)
    return Block.of(model, borrow(y, model, target))


def drafter(target: Target, y: Layout, seed: int = 1) -> Drafter:
    """One arm's drafter with random weights."""
    if not y.eagle:
        return block_drafter(block(target, y, seed))
    model = eagle.Model(y)
    randomise(model, seed)
    return eagle.EagleDrafter(eagle.Eagle(model, borrow(y, model, target)))


class Nudged:
    """Lets a drafter draft, then makes its first 0, 1, ... up to all drafts right and the next one wrong."""

    def __init__(self, inner: Drafter, answer: Sequence[int], prompt_tokens: int) -> None:
        self.inner, self.answer, self.prompt_tokens = inner, list(answer), prompt_tokens
        self.name, self.taps = inner.name, inner.taps
        self.observed: list[int] = []
        self.turn = 0

    def propose(self, anchor: int, width: int, sampler: Sampler) -> Draft:
        draft = self.inner.propose(anchor, width, sampler)
        if not draft.width:
            return draft
        start = len(self.observed) + 1 - self.prompt_tokens
        right = (self.answer[start : start + draft.width] + [0] * draft.width)[: draft.width]
        good = self.turn % (draft.width + 1)
        self.turn += 1
        wrong = [(t + 1) % VOCABULARY if i == good else -1 for i, t in enumerate(right)]
        index = mx.arange(draft.width)
        tokens = mx.where(index < good, mx.array(right), draft.tokens.astype(mx.int32))
        draft.tokens = mx.where(index == good, mx.array(wrong), tokens)
        return draft

    def observe(self, tokens: Sequence[int], taps: Mapping[int, mx.array]) -> None:
        self.observed += tokens
        self.inner.observe(tokens, taps)

    def rewind(self, n: int) -> None:
        self.observed = self.observed[:n]
        self.inner.rewind(n)

    @property
    def state_bytes(self) -> int:
        return self.inner.state_bytes
