"""An EAGLE-3 head in training: over whole conversations, then over its own output, as it will be at run time (the
training-time test of EAGLE-3, arXiv 2503.01840).

Step 0 reads the target's features at every place. Step j reads step j - 1's output of the place before. In step j a
place sees the context of step 0 up to j places back, and of the last j places what its own chain has left there.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import mlx.core as mx

from engine.drafters.backbone import Mask
from engine.drafters.borrow import Borrowed
from engine.drafters.eagle import Model
from engine.train.forward import Inputs, cross_entropy
from engine.train.recipe import TrainRecipe


@dataclass(slots=True)
class Chain:
    """Keys and values of the steps so far, [C, kv heads, S, D] each. A context that attends by itself."""

    keys: list[mx.array] = field(default_factory=list)
    values: list[mx.array] = field(default_factory=list)

    def join(self, keys: mx.array, values: mx.array) -> tuple[mx.array, mx.array]:
        raise TypeError("The steps of a chain are not one context.")

    def attend(self, queries: mx.array, keys: mx.array, values: mx.array, scale: float, mask: Mask) -> mx.array:
        self.keys.append(keys)
        self.values.append(values)
        c, heads, s, d = queries.shape
        kv = keys.shape[1]
        steps = len(self.keys) - 1
        q = (queries * scale).reshape(c, kv, heads // kv, s, d)
        seen = (mx.arange(s)[None] + steps <= mx.arange(s)[:, None])[None, None, None]
        scores = mx.where(seen, q @ self.keys[0][:, :, None].swapaxes(-1, -2), -mx.inf)
        # Step i of the chain that ends here stands steps - i places back.
        own = [_back(self.keys[i], steps - i) for i in range(1, steps + 1)]
        chain = [(q * k[:, :, None]).sum(axis=-1, keepdims=True) for k in own]
        weights = mx.softmax(mx.concatenate([scores, *chain], axis=-1), axis=-1)
        # A place too near the beginning for so long a chain sees nothing; it has no label either.
        weights = mx.where(mx.isnan(weights), 0, weights)
        out = weights[..., :s] @ self.values[0][:, :, None]
        for i in range(1, steps + 1):
            out = out + weights[..., s + i - 1 : s + i] * _back(self.values[i], steps - i)[:, :, None]
        return out.reshape(c, heads, s, d)


def _back(x: mx.array, places: int) -> mx.array:
    """What stood so many places before. [C, heads, S, D]"""
    return x if not places else mx.pad(x[:, :, :-places], [(0, 0), (0, 0), (places, 0), (0, 0)])


def eagle_loss(
    model: Model, borrowed: Borrowed, recipe: TrainRecipe, x: Inputs
) -> tuple[mx.array, dict[str, mx.array]]:
    """Mean loss a weighed token over ``unroll`` steps; step j weighs exp(-j / decay).

    A place t reads token t + 1 beside the features of t and says token t + 2.
    """
    c, s = x.tokens.shape
    ahead = mx.concatenate([x.tokens[:, 1:], mx.zeros((c, 1), x.tokens.dtype)], axis=1)
    # Labels are of the token that follows a place's own; the head is one further on.
    labels = x.blocks[0].labels.map(lambda a: mx.concatenate([a[:, 1:], a[:, -1:]], axis=1))
    wanted = (labels.tokens >= 0) & (mx.arange(s) < s - 1)
    embeddings = borrowed.embed(ahead)
    hidden = model.context(x.taps)
    chain = Chain()
    total, weight = mx.array(0.0), mx.array(0.0)
    parts: dict[str, mx.array] = {}
    for j in range(recipe.unroll):
        if j:
            hidden = mx.pad(hidden[:, :-1], [(0, 0), (1, 0), (0, 0)])
        hidden = model(embeddings, hidden, chain, 0)
        logits = x.outputs.head(model.norm(hidden)).astype(mx.float32)
        # The chain began j places earlier, where the context must hold something.
        there = wanted & (mx.arange(s) >= j)[None]
        losses = cross_entropy(logits, labels, recipe.soft, x.outputs.log_weights) * there
        share = mx.exp(mx.array(-j / recipe.decay))
        total, weight = total + share * losses.sum(), weight + share * there.sum()
        if not j:
            right = (mx.argmax(logits, axis=-1) == labels.tokens) & there
            parts["right"] = right.sum() / mx.maximum(there.sum(), 1)
            parts["base"] = losses.sum() / mx.maximum(there.sum(), 1)
    return total / mx.maximum(weight, 1e-6), parts
