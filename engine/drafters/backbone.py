"""Scheme B, and the part that C, D and E share: a few Qwen3 layers that see the committed text through the target's own
hidden states and guess a whole block in one forward (DFlash; the public z-lab and speculators checkpoints).

    context   H_ctx = hidden_norm(fc(concatenated taps)), one row a committed token; each layer's k_proj and v_proj read
              it without input_layernorm, and the keys and values are kept (``ContextCache``)
    block     rows [anchor, mask ...] through the layers, attending to the context and to the block

Hooks: ``attention_conv`` and ``mlp_conv`` of a layer (D) change a sublayer's input and output; ``cascade`` (E) adds
to the rows before a layer. What turns logits into tokens is a ``walker``.

Parameters are named as in the public checkpoints. Forwards are pure but for the context cache, and take any batch: for
training, each anchor is one element of the batch, with its own offset and mask.
"""

# mypy: disallow_subclassing_any=False, warn_return_any=False
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import mlx.core as mx
import mlx.nn as nn
from mlx_lm.models.activations import swiglu
from mlx_lm.models.rope_utils import initialize_rope

from engine.drafters.cascade import CascadeHead
from engine.drafters.dflash2 import CandidateSelector, DynamicConv
from engine.drafters.layout import Layout
from engine.drafters.serial import ConfidenceHead, DominoHead, MarkovHead

Mask = mx.array | str | None


class Context(Protocol):
    """What a layer attends to beside the block. One that attends by itself has ``attend`` (see ``Shared``)."""

    def join(self, keys: mx.array, values: mx.array) -> tuple[mx.array, mx.array]: ...


@dataclass(slots=True)
class Given:
    """A context that is not kept: keys and values [B or 1, kv heads, S, head dim], for training and tests."""

    keys: mx.array
    values: mx.array

    def join(self, keys: mx.array, values: mx.array) -> tuple[mx.array, mx.array]:
        shape = (keys.shape[0], *self.keys.shape[1:])
        return (
            mx.concatenate([mx.broadcast_to(self.keys, shape), keys], axis=2),
            mx.concatenate([mx.broadcast_to(self.values, shape), values], axis=2),
        )


@dataclass(slots=True)
class Shared:
    """Contexts of C texts that A blocks each attend to, without a copy for every block: for training.

    Block number c A + a belongs to text c. Softmax runs over a block's visible context and its own rows together.

    Shape: keys and values [C, kv heads, S, head dim]; visible [C, A, S] bool, usually the tokens before each anchor
    """

    keys: mx.array
    values: mx.array
    visible: mx.array

    def join(self, keys: mx.array, values: mx.array) -> tuple[mx.array, mx.array]:
        raise TypeError("Contexts that are shared by blocks are not joined to each of them.")

    def attend(self, queries: mx.array, keys: mx.array, values: mx.array, scale: float, mask: Mask) -> mx.array:
        """[C A, heads, R, D], twice [C A, kv heads, R, D] -> [C A, heads, R, D]; ``mask`` is of the block's rows."""
        n, heads, r, d = queries.shape
        c, a, s = self.visible.shape
        kv = keys.shape[1]
        grouped = (queries * scale).reshape(c, a, kv, heads // kv, r, d)
        over = grouped.transpose(0, 2, 1, 3, 4, 5).reshape(c, kv, -1, d)  # all rows of a text that share a kv head
        rows = (c, kv, a, heads // kv, r)
        context = (over @ self.keys.swapaxes(-1, -2)).reshape(*rows, s)
        context = mx.where(self.visible[:, None, :, None, None, :], context, -mx.inf)
        block = grouped.reshape(n, kv, -1, d) @ keys.swapaxes(-1, -2)
        block = block.reshape(c, a, kv, heads // kv, r, -1).transpose(0, 2, 1, 3, 4, 5)
        if isinstance(mask, str):
            block = mx.where(mx.tril(mx.ones((r, r), mx.bool_)), block, -mx.inf)
        elif mask is not None:
            block = mx.where(mask, block, -mx.inf)
        weights = mx.softmax(mx.concatenate([context, block], axis=-1), axis=-1)
        out = (weights[..., :s].reshape(c, kv, -1, s) @ self.values).reshape(*rows, d).transpose(0, 2, 1, 3, 4, 5)
        own = weights[..., s:].transpose(0, 2, 1, 3, 4, 5).reshape(n, kv, -1, keys.shape[2]) @ values
        return (out.reshape(n, kv, -1, d) + own).reshape(n, heads, r, d)


@dataclass(slots=True)
class SharedRows:
    """A shared context and the rows of a block that came before: for training rows one at a time."""

    shared: Shared
    keys: mx.array | None = None
    values: mx.array | None = None

    def join(self, keys: mx.array, values: mx.array) -> tuple[mx.array, mx.array]:
        raise TypeError("Contexts that are shared by blocks are not joined to each of them.")

    def attend(self, queries: mx.array, keys: mx.array, values: mx.array, scale: float, mask: Mask) -> mx.array:
        """As ``Shared.attend``, of one row that sees all rows before it."""
        if self.keys is not None and self.values is not None:
            keys = mx.concatenate([self.keys, keys], axis=2)
            values = mx.concatenate([self.values, values], axis=2)
        self.keys, self.values = keys, values
        return self.shared.attend(queries, keys, values, scale, None)


@dataclass(slots=True)
class Features:
    """What a block's forward leaves for the head and the walker; row k belongs to the k-th proposed token.

    Shape:
        hidden: [B, width, H], after the final norm
        expected: [B, width, H], E only: the token expected before each proposed one, as an embedding
        forming: E only: [B, rows, H] at the input of layers 1.., and after the last one
        began: [B, rows, H], what the first layer read
    """

    hidden: mx.array
    expected: mx.array | None = None
    forming: tuple[mx.array, ...] = ()
    began: mx.array | None = None


class Attention(nn.Module):
    """Args: inputs: width of what q, k and v read; 0 is the hidden size."""

    def __init__(self, layout: Layout, inputs: int = 0):
        super().__init__()
        head_dim = layout.head_dim
        dim = inputs or layout.hidden_size
        self.n_heads, self.n_kv_heads = layout.heads, layout.kv_heads
        self.scale = head_dim**-0.5
        bias = layout.attention_bias
        self.q_proj = nn.Linear(dim, self.n_heads * head_dim, bias=bias)
        self.k_proj = nn.Linear(dim, self.n_kv_heads * head_dim, bias=bias)
        self.v_proj = nn.Linear(dim, self.n_kv_heads * head_dim, bias=bias)
        self.o_proj = nn.Linear(self.n_heads * head_dim, layout.hidden_size, bias=bias)
        if layout.qk_norm:
            self.q_norm = nn.RMSNorm(head_dim, eps=layout.rms_norm_eps)
            self.k_norm = nn.RMSNorm(head_dim, eps=layout.rms_norm_eps)
        self.rope = initialize_rope(
            layout.rope.dims or head_dim,
            base=layout.rope.theta,
            traditional=layout.rope.traditional,
            scaling_config=layout.rope.scaling,
            max_position_embeddings=layout.rope.max_positions or None,
        )

    def keys_values(self, x: mx.array, offset: int | mx.array) -> tuple[mx.array, mx.array]:
        """Of context or block rows that stand at ``offset``, ... [B, S, H] -> two [B, kv heads, S, head dim]"""
        keys = self._heads(self.k_proj(x), self.n_kv_heads, "k_norm")
        return self.rope(keys, offset=offset), self._heads(self.v_proj(x), self.n_kv_heads)

    def __call__(self, x: mx.array, context: Context | None, offset: int | mx.array, mask: Mask) -> mx.array:
        b, r, _ = x.shape
        queries = self.rope(self._heads(self.q_proj(x), self.n_heads, "q_norm"), offset=offset)
        keys, values = self.keys_values(x, offset)
        if context is not None and hasattr(context, "attend"):
            out = context.attend(queries, keys, values, self.scale, mask)
        else:
            if context is not None:
                keys, values = context.join(keys, values)
            out = mx.fast.scaled_dot_product_attention(queries, keys, values, scale=self.scale, mask=mask)
        return self.o_proj(out.transpose(0, 2, 1, 3).reshape(b, r, -1))

    def _heads(self, x: mx.array, heads: int, norm: str = "") -> mx.array:
        b, r, _ = x.shape
        x = x.reshape(b, r, heads, -1)
        if norm in self:
            x = self[norm](x)
        return x.transpose(0, 2, 1, 3)  # [B, heads, R, head dim]


class MLP(nn.Module):
    def __init__(self, dim: int, hidden_dim: int):
        super().__init__()
        self.gate_proj = nn.Linear(dim, hidden_dim, bias=False)
        self.up_proj = nn.Linear(dim, hidden_dim, bias=False)
        self.down_proj = nn.Linear(hidden_dim, dim, bias=False)

    def __call__(self, x: mx.array) -> mx.array:
        return self.down_proj(swiglu(self.gate_proj(x), self.up_proj(x)))


class TransformerBlock(nn.Module):
    def __init__(self, layout: Layout):
        super().__init__()
        self.self_attn = Attention(layout)
        self.mlp = MLP(layout.hidden_size, layout.intermediate_size)
        self.input_layernorm = nn.RMSNorm(layout.hidden_size, eps=layout.rms_norm_eps)
        self.post_attention_layernorm = nn.RMSNorm(layout.hidden_size, eps=layout.rms_norm_eps)
        if layout.dflash2:
            sizes = layout.hidden_size, layout.dflash2.conv_kernel, layout.dflash2.conv_group
            self.attention_conv = DynamicConv(*sizes)
            self.mlp_conv = DynamicConv(*sizes)

    def __call__(self, x: mx.array, context: Context | None, offset: int | mx.array, mask: Mask) -> mx.array:
        a = self.input_layernorm(x)
        if "attention_conv" in self:
            a, finish = self.attention_conv.prepare(a)
            x = x + self.attention_conv.finish(self.self_attn(a, context, offset, mask), finish)
        else:
            x = x + self.self_attn(a, context, offset, mask)
        a = self.post_attention_layernorm(x)
        if "mlp_conv" in self:
            a, finish = self.mlp_conv.prepare(a)
            return x + self.mlp_conv.finish(self.mlp(a), finish)
        return x + self.mlp(a)


class Model(nn.Module):
    """A block drafter's weights: backbone and head of its scheme. Embedding and output head are borrowed."""

    def __init__(self, layout: Layout):
        super().__init__()
        self.layout = layout
        dim, eps = layout.hidden_size, layout.rms_norm_eps
        self.fc = nn.Linear(layout.fc_size, dim, bias=False)
        self.hidden_norm = nn.RMSNorm(dim, eps=eps)
        self.layers = [TransformerBlock(layout) for _ in range(layout.layers)]
        self.norm = nn.RMSNorm(dim, eps=eps)
        if layout.direct:
            self.direct_proj = nn.Linear(2 * dim, layout.direct_rows * dim, bias=False)
        if layout.reader:
            self.reader = nn.Linear(layout.fc_size, dim, bias=False)
        if layout.recurrent:
            self.feedback = nn.Linear(2 * dim, dim, bias=False)
        if layout.own_embedding:
            self.embed_tokens = nn.Embedding(layout.vocabulary, dim)
        if layout.own_head:
            self.lm_head = nn.Linear(dim, layout.proposed_vocabulary, bias=False)
        if layout.draft_vocabulary:
            self.draft_ids = mx.arange(layout.draft_vocabulary, dtype=mx.int32)
        if layout.markov:
            self.markov_head = MarkovHead(layout)
            if layout.markov.confidence:
                self.confidence_head = ConfidenceHead(layout)
        if layout.domino:
            DominoHead.attach(self, layout)
        if layout.dflash2:
            self.candidate_selector = CandidateSelector(layout.vocabulary, dim, layout.dflash2.selector_rank)
        if layout.cascade:
            self.cascade = CascadeHead(layout)

    def context(self, taps: mx.array) -> mx.array:
        """H_ctx of committed tokens. [B, S, taps x H] -> [B, S, H]"""
        return self.hidden_norm(self.fc(taps))

    def newest(self, taps: mx.array, h_ctx: mx.array) -> mx.array:
        """What direct rows read of committed tokens. [B, S, taps x H], [B, S, H] -> [B, S, H]"""
        return self.reader(taps) if self.layout.reader else h_ctx

    def fed_back(self, features: Features) -> mx.array:
        """What the next recurrent row reads in place of ``newest``. [B, 1, H]"""
        return self.feedback(self.left(features))

    def left(self, features: Features) -> mx.array:
        """Rows' streams at their end and at their beginning. [B, R, 2 H]"""
        assert features.began is not None
        began = mx.fast.rms_norm(features.began, None, self.layout.rms_norm_eps)
        return mx.concatenate([features.hidden, began], axis=-1)

    def context_keys_values(self, h_ctx: mx.array, offset: int | mx.array) -> list[tuple[mx.array, mx.array]]:
        """Of tokens that stand at ``offset``, ... [B, S, H] -> for each layer two [B, kv heads, S, head dim]"""
        return [layer.self_attn.keys_values(h_ctx, offset) for layer in self.layers]

    def __call__(
        self,
        rows: mx.array,
        contexts: Sequence[Context | None],
        offset: int | mx.array,
        masks: Sequence[Mask],
        embedding_rms: float = 1.0,
        injected: int = -1,
        newest: mx.array | None = None,
    ) -> Features:
        """The backbone over one block.

        Args:
            rows: [B, R, H], unscaled embeddings of [anchor, mask, ...]
            contexts, masks: one for each layer
            offset: the anchor's position, one for all or [B]
            embedding_rms: root mean square of the target's embedding table (E only)
            injected: how many layers are injected into (E only); -1 as the layout says
            newest: [B, 1, H], ``newest`` of the token before the anchor (``Layout.direct`` only)
        """
        x = rows * self.layout.embedding_scale if self.layout.embedding_scale != 1 else rows
        if self.layout.direct:
            assert newest is not None
            newest = mx.concatenate([rows[:, :1], newest.astype(rows.dtype)], axis=-1)
            x = x + self.read(newest, x.shape[1])
        began = x
        cascade = self.cascade if "cascade" in self else None
        forming: list[mx.array] = []
        for index, (layer, context, mask) in enumerate(zip(self.layers, contexts, masks, strict=True)):
            if cascade is not None and index:
                forming.append(cascade.forming(index, x, rows[:, :1], embedding_rms))
                if cascade.injects(index, injected):
                    x = cascade.inject(index, x, forming[-1])
            x = layer(x, context, offset, mask)
        expected = None
        if cascade is not None:
            forming.append(cascade.forming(self.layout.layers, x, rows[:, :1], embedding_rms))
            expected = cascade.expected(forming[-1], rows[:, :1], embedding_rms)
        hidden = self.norm(x)
        return Features(hidden[:, 1:] if self.layout.rows == "fill-in" else hidden, expected, tuple(forming), began)

    def read(self, newest: mx.array, rows: int) -> mx.array:
        """What the first rows of a block are given of the newest token. [B, 1, 2 H] -> [B, rows, H]"""
        if rows < self.layout.direct_rows and type(self.direct_proj) is nn.Linear:
            out = newest @ self.direct_proj.weight[: rows * self.layout.hidden_size].T
        else:
            out = self.direct_proj(newest)
        return out.reshape(newest.shape[0], -1, self.layout.hidden_size)[:, :rows]

    def logits(self, hidden: mx.array, head: Any) -> mx.array:
        """[..., H] -> [..., proposed vocabulary]; ``head`` as in ``borrow``."""
        u = head(hidden)
        if self.layout.logit_multiplier != 1:
            u = u * self.layout.logit_multiplier
        if self.layout.logit_softcap:
            u = mx.tanh(u / self.layout.logit_softcap) * self.layout.logit_softcap
        return u


def block_mask(layout: Layout, layer: int, rows: int, seen: int) -> Mask:
    """Who sees whom in one layer; None where every row sees everything.

    Args: seen: how many context tokens are there, the last just before the anchor.
    Returns: None, "causal", or [rows, seen + rows] bool
    """
    causal, window = layout.is_causal(layer), layout.window(layer)
    # Of what the cache shows the anchor's row, later rows lose one token each.
    cuts = bool(window) and layout.window_rule == "per-query" and seen + rows > window
    if not cuts:
        return "causal" if causal and rows > 1 else None
    row, context = mx.arange(rows)[:, None], mx.arange(seen)[None, :]
    old = (row + seen - context) < window
    block = mx.arange(rows)[None, :] <= row if causal else mx.ones((rows, rows), mx.bool_)
    return mx.concatenate([old, block], axis=1)
