"""A target whose layers say which they are: layer i puts out the embedding of token 16 + i, whatever went in."""

from __future__ import annotations

from typing import Any

import mlx.core as mx
import mlx.nn as nn

from engine.target import Target
from engine.trace.events import ModelFacts
from tests.engine.drafters.formats.checkpoints import TARGET_LAYERS, H, V
from tests.tiny import ByteTokenizer

FIRST_MARK = 16


class Marker(nn.Module):
    def __init__(self, index: int) -> None:
        super().__init__()
        self.index = index

    def __call__(self, x: mx.array, mask: Any = None, cache: Any = None) -> mx.array:
        return mx.broadcast_to(mx.eye(H)[FIRST_MARK + self.index], x.shape)


class Inner(nn.Module):
    def __init__(self, layers: int) -> None:
        super().__init__()
        self.embed_tokens = nn.Embedding(V, H)
        self.embed_tokens.weight = mx.eye(V, H)
        self.layers = [Marker(i) for i in range(layers)]


class Marked(nn.Module):
    def __init__(self, layers: int) -> None:
        super().__init__()
        self.model = Inner(layers)

    @property
    def layers(self) -> list[Marker]:
        return self.model.layers

    def __call__(self, ids: mx.array, cache: Any = None) -> mx.array:
        x = self.model.embed_tokens(ids)
        for layer in self.layers:
            x = layer(x)
        return self.model.embed_tokens.as_linear(x)


def marked_target(layers: int = TARGET_LAYERS) -> Target:
    facts = ModelFacts(name="marked", context_tokens=256, vocabulary=V, layers=layers, hidden_size=H)
    return Target.of(Marked(layers), ByteTokenizer(V), facts)  # type: ignore[arg-type]
