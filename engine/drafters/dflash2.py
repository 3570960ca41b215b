"""Scheme D, DFlash 2: a grouped dynamic causal convolution around each sublayer, and a selector that chooses among the
best candidates of each position by what was chosen before (the public DFlash2DraftModel checkpoints).

With identity kernels and a successor codebook of zeros it is its scheme-B backbone, bit for bit.
"""

# mypy: disallow_subclassing_any=False, warn_return_any=False
from __future__ import annotations

import mlx.core as mx
import mlx.nn as nn


class DynamicConv(nn.Module):
    r"""Each row mixed with the ones before it by kernels that depend on the row.

    .. math:: y_t = \sum_{o < K} (base_o + dynamic_{t, o}) \odot x_{t - o}, \quad x_{<0} = 0

    Args: dim: H. kernel: K, rows looked at. group: channels that share a dynamic kernel.

    Shape: base_kernel [2, K, H] (the sublayer's input, its output); kernel_projection [2 K H / group, H]
    """

    def __init__(self, dim: int, kernel: int, group: int):
        super().__init__()
        self.kernel, self.group = kernel, group
        self.base_kernel = mx.concatenate([mx.ones((2, 1, dim)), mx.zeros((2, kernel - 1, dim))], axis=1)
        self.kernel_projection = nn.Linear(dim, 2 * kernel * (dim // group), bias=False)
        self.kernel_projection.weight = mx.zeros_like(self.kernel_projection.weight)

    def prepare(self, a: mx.array) -> tuple[mx.array, mx.array]:
        """The sublayer's input, and the kernels for its output. [B, R, H] -> [B, R, H], [B, R, K, H / group]"""
        b, r, h = a.shape
        dynamic = self.kernel_projection(a).reshape(b, r, 2, self.kernel, h // self.group)
        return self._conv(a, dynamic[:, :, 0], 0), dynamic[:, :, 1]

    def finish(self, out: mx.array, dynamic: mx.array) -> mx.array:
        """The sublayer's output. [B, R, H] -> [B, R, H]"""
        return self._conv(out, dynamic, 1)

    def _conv(self, x: mx.array, dynamic: mx.array, side: int) -> mx.array:
        b, r, h = x.shape
        groups = x.reshape(b, r, h // self.group, self.group)
        y: mx.array | None = None
        for o in range(min(self.kernel, r)):
            base = self.base_kernel[side, o].reshape(h // self.group, self.group)
            past = groups if o == 0 else mx.pad(groups[:, :-o], [(0, 0), (o, 0), (0, 0), (0, 0)])
            term = (base + dynamic[:, :, o, :, None]) * past
            y = term if y is None else y + term
        assert y is not None
        return y.reshape(b, r, h)


class CandidateSelector(nn.Module):
    r"""Scores of a candidate b after a predecessor a.

    .. math:: T_t(a, b) = \langle A(a) \odot W h_t, \; C(b) \rangle

    Args: vocabulary: the target's, codebooks are indexed by its ids.

    Shape: predecessor_codebook, successor_codebook [V, rank]; hidden_projection [rank, H]
    """

    def __init__(self, vocabulary: int, dim: int, rank: int):
        super().__init__()
        self.predecessor_codebook = mx.random.normal((vocabulary, rank)) * rank**-0.5
        self.successor_codebook = mx.zeros((vocabulary, rank))
        self.hidden_projection = nn.Linear(dim, rank, bias=False)

    def scores(self, hidden: mx.array, before: mx.array, candidates: mx.array) -> mx.array:
        """All pairs at once, one batched product.

        Args: hidden [..., H]; before [..., P] and candidates [..., K], ids of the target.
        Returns: [..., P, K] float32
        """
        left = self.pair_left(hidden, before)
        right = self.successor_codebook[candidates]
        return left.astype(mx.float32) @ right.astype(mx.float32).swapaxes(-1, -2)

    def pair_left(self, hidden: mx.array, before: mx.array) -> mx.array:
        """The left factor of the scores. hidden [..., H], before [..., P] -> [..., P, rank]"""
        return self.predecessor_codebook[before] * self.hidden_projection(hidden)[..., None, :]
