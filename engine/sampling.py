"""Logits to the target's distribution p, row by row, and the draws that choose from it.

Every arm, with or without a drafter, goes through ``Sampler``: the distribution a draft is tested against is the one
the baseline draws from, or nothing is lossless. The order is penalty, temperature, top-k, top-p, min-p (the order of
vLLM and Hugging Face; mlx-lm truncates first and applies the temperature last). Each verified row is penalised by its
own history: the text so far and the drafts before that row, never the history at the block's start.

Everything here is lazy MLX: nothing waits for the device.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import mlx.core as mx

from engine.trace.events import Settings

NEG_INF = float("-inf")
COLD = 1e-3
COLDEST = 1e-30
"""Below it float32 knows no difference to the argmax, and soon no number."""


@dataclass(slots=True)
class Sampler:
    """The distribution and the random draws of one arm.

    Keys are split off one seed in a fixed order, so the same arm on the same prompt repeats itself.
    """

    settings: Settings
    key: mx.array = field(init=False)

    def __post_init__(self) -> None:
        self.key = mx.random.key(self.settings.seed)

    @property
    def greedy(self) -> bool:
        return self.settings.temperature == 0

    def next_key(self) -> mx.array:
        self.key, sub = mx.random.split(self.key)
        return sub

    def penalise(self, logits: mx.array, history: Sequence[int], drafts: mx.array | None = None) -> mx.array:
        """Repetition penalty (CTRL, Keskar et al. 2019, section 4.1), each row with its own window.

        Args:
            logits: [rows, V]; row j follows ``history`` and the first j drafts.
            history: committed ids, the anchor last.
            drafts: [rows - 1] or None for one row.
        """
        s = self.settings
        if s.repetition_penalty == 1 or s.repetition_window_tokens == 0 or not history:
            return logits
        rows, window = logits.shape[0], s.repetition_window_tokens
        tail = list(history[-window:])
        # A short history is padded with its own last id: it is in the window of every row that reaches the padding.
        tail = [tail[-1]] * (window - len(tail)) + tail
        ids = mx.array(tail)
        if drafts is not None and rows > 1:
            ids = mx.concatenate([ids, drafts[: rows - 1].astype(ids.dtype)])
        seen = ids[mx.arange(rows)[:, None] + mx.arange(window)[None, :]]  # [rows, window]
        chosen = mx.take_along_axis(logits, seen, axis=-1)
        chosen = mx.where(chosen < 0, chosen * s.repetition_penalty, chosen / s.repetition_penalty)
        return mx.put_along_axis(logits, seen, chosen, axis=-1)

    def probabilities(self, logits: mx.array) -> mx.array:
        """p of each row. [rows, V] -> [rows, V], float32 (float64 stays). Only for temperatures above 0."""
        return probabilities(logits, self.settings)


def probabilities(logits: mx.array, s: Settings) -> mx.array:
    """softmax(logits / T), truncated by top-k, then top-p, then min-p, renormalised. [rows, V] -> [rows, V].

    Exactly ``top_k`` tokens stay also where logits tie. Of the sorted tokens top-p keeps the shortest prefix whose mass
    reaches ``top_p``, at least one token.
    """
    p = softmax_at(logits, s.temperature)
    vocabulary = logits.shape[-1]
    cut_k = 0 < s.top_k < vocabulary
    if cut_k or s.top_p < 1:
        order = mx.argsort(-p, axis=-1)
        ranked = mx.take_along_axis(p, order, axis=-1)
        keep = mx.ones(ranked.shape, mx.bool_)
        if cut_k:
            keep = keep & (mx.arange(vocabulary) < s.top_k)
        if s.top_p < 1:
            kept_mass = mx.where(keep, ranked, mx.zeros_like(ranked))
            kept_mass = kept_mass / kept_mass.sum(axis=-1, keepdims=True)
            before = mx.cumsum(kept_mass, axis=-1) - kept_mass
            keep = keep & (before < s.top_p)
        ranked = mx.where(keep, ranked, mx.zeros_like(ranked))
        p = mx.put_along_axis(mx.zeros_like(p), order, ranked, axis=-1)
    if s.min_p > 0:
        p = mx.where(p >= s.min_p * p.max(axis=-1, keepdims=True), p, mx.zeros_like(p))
    return p / p.sum(axis=-1, keepdims=True)


def softmax_at(logits: mx.array, temperature: float) -> mx.array:
    """softmax(logits / T), T above 0 however small. [..., V] -> [..., V], float32 (float64 stays)."""
    if logits.dtype not in (mx.float32, mx.float64):
        logits = logits.astype(mx.float32)
    if temperature < COLD:
        # The quotient would be infinite; less the best logit, only those of tokens that get nothing are.
        logits = logits - logits.max(axis=-1, keepdims=True)
    return mx.softmax(logits / max(temperature, COLDEST), axis=-1, precise=True)


def draw(p: mx.array, key: mx.array) -> mx.array:
    """One id from each row of p. [rows, V] -> [rows] (Gumbel maximum: no cumulative sum whose rounding moves mass)."""
    return mx.random.categorical(mx.log(p), axis=-1, key=key)
