"""Scheme C: a light serial head after the backbone. A position's logits are corrected by the tokens chosen before it.

    DSpark   Markov heads of low rank (vanilla, gated, recurrent), with a confidence for cutting a block
    Domino   a GRU over the embeddings of the chosen tokens

With ``markov_w2`` (``embed_proj.2``) zero it is its scheme-B backbone, bit for bit. Parameters are named as in the
public checkpoints; the two matrices of the GRU as in PyTorch.
"""

# mypy: disallow_subclassing_any=False, warn_return_any=False
from __future__ import annotations

import mlx.core as mx
import mlx.nn as nn

from engine.drafters.layout import Layout


class MarkovHead(nn.Module):
    """DSpark's correction by the predecessor's embedding e = W1[x], of rank r.

    vanilla   W2 e
    gated     W2 (sigmoid(gate_proj[h; e]) * e)
    rnn       [z; c; o] = joint_proj[s; e; h];  s <- sigmoid(z) s + (1 - sigmoid(z)) tanh(c);  W2 tanh(o)

    Shape: markov_w1 [V, r] by target ids, markov_w2 [proposed vocabulary, r]
    """

    def __init__(self, layout: Layout):
        super().__init__()
        assert layout.markov is not None
        self.kind, self.rank = layout.markov.kind, layout.markov.rank
        dim, rank = layout.hidden_size, self.rank
        self.markov_w1 = nn.Embedding(layout.vocabulary, rank)
        self.markov_w2 = nn.Linear(rank, layout.proposed_vocabulary, bias=False)
        self.markov_w2.weight = mx.zeros_like(self.markov_w2.weight)
        if self.kind == "gated":
            self.gate_proj = nn.Linear(dim + rank, rank, bias=True)
        if self.kind == "rnn":
            self.joint_proj = nn.Linear(2 * rank + dim, 3 * rank, bias=True)

    def start(self, hidden: mx.array) -> mx.array:
        """The state before the first position. [..., H] -> [..., r]"""
        return mx.zeros((*hidden.shape[:-1], self.rank), hidden.dtype)

    def __call__(self, before: mx.array, hidden: mx.array, state: mx.array) -> tuple[mx.array, mx.array]:
        """What is added to the logits of one position, and the next state.

        Args: before [...], ids; hidden [..., H]; state [..., r]
        Returns: [..., proposed vocabulary], [..., r]
        """
        e = self.markov_w1(before)
        if self.kind == "gated":
            e = mx.sigmoid(self.gate_proj(mx.concatenate([hidden, e], axis=-1))) * e
        elif self.kind == "rnn":
            z, c, o = mx.split(self.joint_proj(mx.concatenate([state, e, hidden], axis=-1)), 3, axis=-1)
            z = mx.sigmoid(z)
            state, e = z * state + (1 - z) * mx.tanh(c), mx.tanh(o)
        return self.markov_w2(e), state


class ConfidenceHead(nn.Module):
    """How likely the target keeps a position's token, read before it is drawn. Shape: proj [1, H] or [1, H + r]"""

    def __init__(self, layout: Layout):
        super().__init__()
        assert layout.markov is not None
        self.with_markov = layout.markov.confidence_with_markov
        self.proj = nn.Linear(layout.hidden_size + (layout.markov.rank if self.with_markov else 0), 1, bias=True)

    def __call__(self, hidden: mx.array, embedding: mx.array) -> mx.array:
        """hidden [..., H], embedding of the predecessor [..., r] -> [...], 0 to 1"""
        x = mx.concatenate([hidden, embedding], axis=-1) if self.with_markov else hidden
        return mx.sigmoid(self.proj(x)[..., 0])


class PrefixGRU(nn.Module):
    """A GRU without biases. Shape: weight_ih_l0 [3 G, H], weight_hh_l0 [3 G, G]; gates reset, update, new."""

    def __init__(self, dim: int, size: int):
        super().__init__()
        self.size = size
        self.weight_ih_l0 = mx.random.uniform(-(size**-0.5), size**-0.5, (3 * size, dim))
        self.weight_hh_l0 = mx.random.uniform(-(size**-0.5), size**-0.5, (3 * size, size))

    def __call__(self, x: mx.array, state: mx.array) -> mx.array:
        """One step. x [..., H], state [..., G] -> [..., G]"""
        rx, zx, nx = mx.split(x @ self.weight_ih_l0.T, 3, axis=-1)
        rh, zh, nh = mx.split(state @ self.weight_hh_l0.T, 3, axis=-1)
        update = mx.sigmoid(zx + zh)
        return (1 - update) * mx.tanh(nx + mx.sigmoid(rx + rh) * nh) + update * state


class DominoHead:
    """Domino's correction embed_proj[h; g], g the GRU's state after the anchor and the tokens chosen so far.

    Its parameters stand at the top of the checkpoint (``prefix_gru``, ``embed_proj``), so it works on that model.
    """

    def __init__(self, model: nn.Module):
        self.gru: PrefixGRU = model.prefix_gru
        self.down, self.activation, self.up = model.embed_proj

    @staticmethod
    def attach(model: nn.Module, layout: Layout) -> None:
        assert layout.domino is not None
        size, rank = layout.domino.gru_size, layout.domino.rank
        up = nn.Linear(rank, layout.proposed_vocabulary, bias=False)
        up.weight = mx.zeros_like(up.weight)
        model.prefix_gru = PrefixGRU(layout.hidden_size, size)
        model.embed_proj = [nn.Linear(layout.hidden_size + size, rank, bias=False), nn.SiLU(), up]

    def start(self, hidden: mx.array) -> mx.array:
        """[..., H] -> [..., G]"""
        return mx.zeros((*hidden.shape[:-1], self.gru.size), hidden.dtype)

    def __call__(self, embedding: mx.array, hidden: mx.array, state: mx.array) -> tuple[mx.array, mx.array]:
        """Predecessor's embedding [..., H], hidden [..., H], state [..., G] -> [..., proposed vocabulary], [..., G]"""
        state = self.gru(embedding, state)
        return self.up(self.activation(self.down(mx.concatenate([hidden, state], axis=-1)))), state
