"""Looking into a target's layers without editing its model: outputs as taps, inputs for a re-run.

``instrument(model)`` gives each layer *object* a subclass of its own class whose call also reports to one ``Watch``.
No class of a library changes, so another model of the same architecture is untouched, parameters keep their paths,
and any architecture with a ``layers`` list works, by position in that list.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import mlx.core as mx
import mlx.nn as nn


@dataclass(slots=True)
class Call:
    """One call of a layer whose cache may have to be rebuilt."""

    layer: nn.Module
    x: mx.array  # [1, rows, H]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]


@dataclass(slots=True)
class Watch:
    """What the layers of one model report. Empty sets cost nothing: nothing is kept alive."""

    wanted: frozenset[int] = frozenset()
    taps: dict[int, mx.array] = field(default_factory=dict)
    _captured_ids: set[int] = field(default_factory=set)
    _calls: dict[int, Call] = field(default_factory=dict)

    def want(self, layers: Iterable[int]) -> None:
        """Keep the outputs of these layers ([1, rows, H]) of the coming forward."""
        self.wanted = frozenset(layers)
        self.taps = {}

    def take(self) -> dict[int, mx.array]:
        """The taps of the forward that just ran; they are not held any longer."""
        taps, self.taps, self.wanted = self.taps, {}, frozenset()
        return taps

    def capture(self, cache_ids: set[int]) -> None:
        self._captured_ids, self._calls = cache_ids, {}

    def release(self) -> dict[int, Call]:
        calls, self._calls, self._captured_ids = self._calls, {}, set()
        return calls

    def report(self, index: int, layer: nn.Module, x: mx.array, args: Any, kwargs: Any, out: Any) -> None:
        if index in self.wanted:
            self.taps[index] = out[0] if isinstance(out, tuple) else out
        if self._captured_ids:
            for value in (*args, *kwargs.values()):
                if id(value) in self._captured_ids:
                    self._calls[id(value)] = Call(layer, x, args, kwargs)

    def rerun(self, call: Call, n: int, rows: int) -> None:
        """Run a captured layer over its first ``n`` input rows. The output is dropped; its cache has moved on by n."""

        def cut(value: Any) -> Any:
            if not isinstance(value, mx.array) or value.ndim < 2:
                return value
            # What another layer made of these rows, [1, rows, ..], as RWKV's first values.
            if value.dtype != mx.bool_ and value.ndim >= 3 and value.shape[:2] == (1, rows):
                return value[:, :n]
            # A mask [.., rows, keys] loses the rows and keys that are no more; anything else is not per row.
            if value.shape[-2] == rows:
                return value[..., :n, : value.shape[-1] - (rows - n)]
            return value

        call.layer(call.x[:, :n], *map(cut, call.args), **{k: cut(v) for k, v in call.kwargs.items()})


def instrument(model: nn.Module) -> Watch:
    """Let every layer of ``model.layers`` report to one watch. Calling it again returns the same watch."""
    layers = model.layers
    watch: Watch | None = getattr(type(layers[0]), "_slipstream_watch", None)
    if watch is not None:
        return watch
    watch = Watch()
    for index, layer in enumerate(layers):
        layer.__class__ = _watched(type(layer), index, watch)
    return watch


def _watched(base: type[nn.Module], index: int, watch: Watch) -> type[nn.Module]:
    def call(self: nn.Module, x: mx.array, *args: Any, **kwargs: Any) -> Any:
        out = base.__call__(self, x, *args, **kwargs)
        watch.report(index, self, x, args, kwargs, out)
        return out

    return type(base.__name__, (base,), {"__call__": call, "_slipstream_watch": watch, "__module__": base.__module__})
