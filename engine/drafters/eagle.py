"""Scheme A as a head: EAGLE-3. One layer reads the newest token's embedding beside the target's hidden state, guesses
the next token, and goes on with its own output in place of the hidden state: one serial forward a token, in one graph.

    g_t = fc(taps of t)            x_t = [input_layernorm(E[token t + 1]); hidden_norm(g_t)]
    the last known place is the one before the anchor: its x ends with E[anchor], its output predicts the first draft
    the next place reads [E[first draft]; the output just made], ...

With a single layer, keys and values of the context are functions of x alone: they are kept as a block drafter's are,
and a place joins the context once its next token is known. After a rewind, the last place kept was read with the token
that followed it then.
"""

# mypy: disallow_subclassing_any=False, warn_return_any=False
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import mlx.core as mx
import mlx.nn as nn

from engine.drafters.backbone import MLP, Attention, Context, Mask
from engine.drafters.base import Draft, no_draft
from engine.drafters.borrow import Borrowed
from engine.drafters.context import Growing
from engine.drafters.follow import Follower
from engine.drafters.layout import Layout
from engine.drafters.rows import Rows, Stepwise
from engine.drafters.walker import draw_rows
from engine.sampling import Sampler


class EagleLayer(nn.Module):
    def __init__(self, layout: Layout):
        super().__init__()
        assert layout.eagle is not None
        dim, eps = layout.hidden_size, layout.rms_norm_eps
        self.norm_before_residual = layout.eagle.norm_before_residual
        self.self_attn = Attention(layout, inputs=2 * dim)
        self.mlp = MLP(dim, layout.intermediate_size)
        self.input_layernorm = nn.RMSNorm(dim, eps=eps)
        self.hidden_norm = nn.RMSNorm(dim, eps=eps)
        self.post_attention_layernorm = nn.RMSNorm(dim, eps=eps)

    def inputs(self, embeddings: mx.array, hidden: mx.array) -> mx.array:
        """What attention reads. [B, R, H], [B, R, H] -> [B, R, 2 H]"""
        return mx.concatenate([self.input_layernorm(embeddings), self.hidden_norm(hidden)], axis=-1)

    def __call__(
        self, embeddings: mx.array, hidden: mx.array, context: Context | None, offset: int | mx.array, mask: Mask
    ) -> mx.array:
        x = self.inputs(embeddings, hidden)
        residual = self.hidden_norm(hidden) if self.norm_before_residual else hidden
        h = residual + self.self_attn(x, context, offset, mask)
        return h + self.mlp(self.post_attention_layernorm(h))


class Model(nn.Module):
    """Parameters as in speculators' Eagle3DraftModel; ``layers.0`` is the ``midlayer`` of others."""

    def __init__(self, layout: Layout):
        super().__init__()
        self.layout = layout
        assert layout.eagle is not None
        dim, eps = layout.hidden_size, layout.rms_norm_eps
        if layout.eagle.norm_before_fc:
            self.input_norm = nn.RMSNorm(layout.fc_size, eps=eps)
        self.fc = nn.Linear(layout.fc_size, dim, bias=False)
        self.layers = [EagleLayer(layout)]
        self.norm = nn.RMSNorm(dim, eps=eps)
        if layout.own_embedding:
            self.embed_tokens = nn.Embedding(layout.vocabulary, dim)
        if layout.own_head:
            self.lm_head = nn.Linear(dim, layout.proposed_vocabulary, bias=False)
        if layout.draft_vocabulary:
            self.draft_ids = mx.arange(layout.draft_vocabulary, dtype=mx.int32)

    def context(self, taps: mx.array) -> mx.array:
        """[B, S, taps x H] -> [B, S, H]"""
        return self.fc(self.input_norm(taps) if "input_norm" in self else taps)

    def __call__(
        self, embeddings: mx.array, hidden: mx.array, context: Context | None, offset: int | mx.array, mask: Mask = None
    ) -> mx.array:
        """Places that read ``hidden`` beside their next tokens' embeddings. [B, R, H] -> [B, R, H], before ``norm``."""
        return self.layers[0](embeddings, hidden, context, offset, mask)


@dataclass(frozen=True, slots=True)
class Eagle:
    """A head and what it borrows: shared by arms."""

    model: Model
    borrowed: Borrowed


class EagleDrafter(Follower):
    """One arm's drafter."""

    name = "eagle-3"

    def __init__(self, eagle: Eagle) -> None:
        super().__init__(eagle.model.layout, leave=1)
        self.eagle = eagle

    def commit(self, taps: mx.array, start: int) -> None:
        model, next_tokens = self.eagle.model, self.seen[start + 1 : start + 1 + taps.shape[1]]
        layer = model.layers[0]
        x = layer.inputs(self.eagle.borrowed.embed(mx.array(next_tokens))[None], model.context(taps))
        self.caches[0].append(*layer.self_attn.keys_values(x, start))

    def propose(self, anchor: int, width: int, sampler: Sampler) -> Draft:
        width = min(width, self.layout.gamma)
        if width < 1 or not self.pending_tokens:
            # After a rewind the place before the anchor has no taps until the next token is observed.
            return no_draft("drafter")
        step, end = self.unrolled(anchor, sampler)
        drawn = draw_rows(step, anchor, width, self.eagle.borrowed, sampler)
        end()
        return Draft(*drawn, source=self.name, forwards=width)

    def rows(self, anchor: int, width: int, sampler: Sampler) -> Rows | None:
        """What the head thinks of each position, for those who choose themselves (``blend``)."""
        width = min(width, self.layout.gamma)
        if width < 1 or not self.pending_tokens:
            return None
        step, end = self.unrolled(anchor, sampler)
        return Stepwise(self.eagle.borrowed, width, sampler.settings.candidate_width, step, True, end)

    def unrolled(self, anchor: int, sampler: Sampler) -> tuple[Callable[[int, mx.array], mx.array], Callable[[], None]]:
        """A block's steps, (k, the token before [1]) -> logits [1, proposed vocabulary], and what takes them back."""
        self.catch_up(leave=1)
        model, borrowed, cache = self.eagle.model, self.eagle.borrowed, self.caches[0]
        assert self.pending is not None
        hidden = [model.context(self.pending)]
        place, held = len(self.seen) - 1, cache.end

        def step(k: int, before: mx.array) -> mx.array:
            hidden[0] = model(borrowed.embed(before)[None], hidden[0], Growing(cache), place + k)
            return self.penalised(borrowed.head(model.norm(hidden[0]))[0], anchor, sampler)

        return step, lambda: cache.rewind(held)
