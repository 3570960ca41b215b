"""A target that computes no text twice, for many independent draws from one place.

The target's logits are a function of the text and of how its rows are cut; only what is drawn from them differs from
draw to draw. So a forward whose text and rows were seen before is answered from memory, and the caches are told that
they hold the rows; before the next real forward, what they hold is computed. Sampling, acceptance, emission and the
transaction over the caches stay the loop's own, every time.

Only caches with a row a token can be told so. With windows and states every forward is computed.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import mlx.core as mx
from mlx_lm.models.cache import KVCache, QuantizedKVCache

from engine.cache import leaves, state_arrays
from engine.target import Target

MOST_BYTES = 1 << 29

Known = tuple[mx.array, dict[int, mx.array]]


@dataclass(slots=True)
class Remembering(Target):
    """For the caches of one arm alone."""

    text: list[int] = field(default_factory=list)
    """What follows what, as the loop has it; beyond the caches' offset it is of no meaning."""
    computed: list[int] = field(default_factory=list)
    """The text whose rows really are in the caches."""
    known: OrderedDict[tuple[Any, ...], Known] = field(default_factory=OrderedDict)
    nbytes: int = 0
    forwards: int = 0
    """Really computed."""

    @classmethod
    def of_target(cls, target: Target) -> Remembering:
        return cls(target.model, target.tokenizer, target.facts, target.watch)

    def forward(
        self, tokens: mx.array, caches: Sequence[Any], taps: Sequence[int] = ()
    ) -> tuple[mx.array, dict[int, mx.array]]:
        found = list(leaves(caches))
        if not all(type(leaf) in (KVCache, QuantizedKVCache) for leaf in found):
            self.forwards += 1
            return Target.forward(self, tokens, caches, taps)
        held = int(found[0].offset)
        rows: list[int] = tokens.tolist()  # type: ignore[assignment]
        self.text = [*self.text[:held], *rows]
        key = (len(rows), tuple(taps), *self.text)
        if key in self.known:
            self.known.move_to_end(key)
            for leaf in found:
                leaf.offset = held + len(rows)
            return self.known[key]
        return self._compute(key, len(rows), held, found, caches, taps)

    def _compute(
        self, key: tuple[Any, ...], rows: int, held: int, found: list[Any], caches: Sequence[Any], taps: Sequence[int]
    ) -> Known:
        same = 0
        for a, b in zip(self.computed, self.text[:held], strict=False):
            if a != b:
                break
            same += 1
        for leaf in found:
            leaf.offset = same
        if same < held:
            # What was answered from memory is caught up on, apart: the rows asked for keep their own shape.
            Target.forward(self, mx.array(self.text[same:held]), caches)
            self.forwards += 1
        answer = Target.forward(self, mx.array(self.text[held:]), caches, taps)
        self.forwards += 1
        mx.eval(answer[0], list(answer[1].values()), state_arrays(caches))
        self.computed = list(self.text)
        self.known[key] = answer
        self.nbytes += _nbytes(answer)
        while self.nbytes > MOST_BYTES and len(self.known) > 1:
            _, dropped = self.known.popitem(last=False)
            self.nbytes -= _nbytes(dropped)
        return answer


def _nbytes(answer: Known) -> int:
    return answer[0].nbytes + sum(tap.nbytes for tap in answer[1].values())
