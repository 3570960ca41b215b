"""Scheme E, the cascade: each row of a block receives, layer by layer, what its predecessor is about to say, and
candidates of neighbouring positions are scored in pairs before one of them is chosen.

No public reference of this scheme is known: it is a reconstruction from a short description, and the form is our own.

    forming     f = up(down(norm(X))) reads a row's stream as a token embedding that is still forming (an early exit in
                the embedding space), brought to the scale of a real embedding: e = f rms(E) / rms(f)
    injection   X_k += s_l * W norm(e_{k-1}) before layer l >= 1: W shared by the layers, s_l [H] its own for each
    transition  T_k[a, b] = < W_G h_k * (W_A E[a] - W_A e_{k-1}), W_S E[b] > for all pairs of candidates at once. What
                the backbone already expected needs no correction: the score is that of the surprise (``innovation``;
                ``plain`` leaves e out)

A block of L layers passes a guess on by at most L - 1 rows. With s = 0 and W_S = 0 it is its B backbone, bit for bit.
"""

# mypy: disallow_subclassing_any=False, warn_return_any=False
from __future__ import annotations

import mlx.core as mx
import mlx.nn as nn

from engine.drafters.layout import Layout


class LowRank(nn.Module):
    """x -> up(down(x)). [..., H] -> [..., H]"""

    def __init__(self, dim: int, rank: int):
        super().__init__()
        self.down = nn.Linear(dim, rank, bias=False)
        self.up = nn.Linear(rank, dim, bias=False)

    def __call__(self, x: mx.array) -> mx.array:
        return self.up(self.down(x))


class Lens(LowRank):
    """A row's stream read as a token embedding. [B, R, H] -> [B, R, H]"""

    def __init__(self, dim: int, rank: int, eps: float):
        super().__init__(dim, rank)
        self.norm = nn.RMSNorm(dim, eps=eps)

    def __call__(self, x: mx.array) -> mx.array:
        return super().__call__(self.norm(x))


class CascadeHead(nn.Module):
    """
    Shape:
        lenses: [l - 1] reads the input of layer l, the last one the output of the last layer
        injection_scales: [L - 1, H]
        transition_predecessor, transition_successor, transition_hidden: [rank, H]
    """

    def __init__(self, layout: Layout):
        super().__init__()
        assert layout.cascade is not None
        self.switches = layout.cascade
        self.fill_in = layout.rows == "fill-in"
        self.n_layers = layout.layers
        dim, eps, rank = layout.hidden_size, layout.rms_norm_eps, layout.cascade.transition_rank
        self.eps = eps
        self.lenses = [Lens(dim, layout.cascade.lens_rank, eps) for _ in range(layout.layers)]
        self.injection_norm = nn.RMSNorm(dim, eps=eps)
        self.injection = LowRank(dim, layout.cascade.lens_rank)
        self.injection_scales = mx.zeros((max(layout.layers - 1, 1), dim))
        self.transition_predecessor = nn.Linear(dim, rank, bias=False)
        self.transition_successor = nn.Linear(dim, rank, bias=False)
        self.transition_successor.weight = mx.zeros_like(self.transition_successor.weight)
        self.transition_hidden = nn.Linear(dim, rank, bias=False)

    def injects(self, layer: int, asked: int = -1) -> bool:
        """``asked``: an arm's own number of injected layers; -1 leaves it to the layout."""
        wanted = asked if asked >= 0 else self.switches.injected
        return layer >= 1 and (wanted < 0 or layer <= wanted)

    def forming(self, layer: int, x: mx.array, anchor: mx.array, embedding_rms: float) -> mx.array:
        """e of every row at the input of ``layer`` (``layers``: after the last one).

        Args: x [B, R, H]; anchor [B, 1, H], its embedding.
        """
        f = self.lenses[layer - 1](x)
        if self.fill_in:
            # The anchor's row has nothing to guess.
            f = mx.concatenate([anchor.astype(f.dtype), f[:, 1:]], axis=1)
        return self.to_scale(f, embedding_rms)

    def to_scale(self, f: mx.array, embedding_rms: float) -> mx.array:
        """[..., H] with the root mean square of a token embedding."""
        return mx.fast.rms_norm(f, None, self.eps) * embedding_rms

    def inject(self, layer: int, x: mx.array, forming: mx.array) -> mx.array:
        """Every row but the first receives its predecessor's. [B, R, H] -> [B, R, H]"""
        given = self.injection(self.injection_norm(forming[:, :-1])) * self.injection_scales[layer - 1]
        return x + mx.pad(given, [(0, 0), (1, 0), (0, 0)])

    def expected(self, forming: mx.array, anchor: mx.array, embedding_rms: float) -> mx.array:
        """The token expected before each proposed one; before the first it is the anchor. [B, R, H] -> [B, width, H]"""
        first = self.to_scale(anchor.astype(forming.dtype), embedding_rms)
        return mx.concatenate([first, forming[:, 1:-1] if self.fill_in else forming[:, :-1]], axis=1)

    def scores(self, hidden: mx.array, before: mx.array, candidates: mx.array, expected: mx.array) -> mx.array:
        """The transition table, one batched product.

        Args: hidden, expected [..., H]; before [..., P, H] and candidates [..., K, H], embeddings of tokens.
        Returns: [..., P, K] float32
        """
        left = self.pair_left(hidden, before, expected)
        right = self.transition_successor(candidates)
        return left.astype(mx.float32) @ right.astype(mx.float32).swapaxes(-1, -2)

    def pair_left(self, hidden: mx.array, before: mx.array, expected: mx.array) -> mx.array:
        """The left factor of the scores. hidden, expected [..., H], before [..., P, H] -> [..., P, rank]"""
        left = self.transition_predecessor(before)
        if self.switches.form == "innovation":
            left = left - self.transition_predecessor(expected)[..., None, :]
        return left * self.transition_hidden(hidden)[..., None, :]
