"""Many texts in one forward: prompts of any length in, what the model writes behind them out.

The rows' caches are mlx-lm's own batched ones (left-padded after the prompts), so every architecture that mlx-lm can
batch works; any other runs one row at a time. What all prompts begin with is processed once. Rows leave the batch when
they are done and waiting ones take their places, several together, because both copy the caches.

Taps of all tokens can be kept as they come by: a drafter's training then needs no forward for them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import mlx.core as mx
import numpy as np
from numpy.typing import NDArray

from engine.cache import state_arrays
from engine.models.errors import ModelError
from engine.target import Target

PREFILL_TOKENS = 2048
LEAVE_SHARE = 8
"""Rows leave when one in so many is done."""
HALF_MOST = 65504.0
"""The largest number in 16 bits."""

Pick = Callable[[mx.array], mx.array]
"""Logits [rows, V] -> the next token of each row [rows]."""
OnTokens = Callable[[int, int, int], None]
"""Tokens that a step wrote, texts that are not done, tokens that those can become longer together."""
Keep = Callable[[int, NDArray[np.float16]], None]
"""The number of a text that is done, and its taps [prompt and answer, taps, H]."""


class Cancelled(Exception):
    """Asked to stop half-way."""


def greedy(logits: mx.array) -> mx.array:
    return mx.argmax(logits, axis=-1)


def sampled(temperature: float, seed: int) -> Pick:
    """Draws that repeat themselves with the seed."""
    state = [mx.random.key(seed)]

    def pick(logits: mx.array) -> mx.array:
        state[0], key = mx.random.split(state[0])
        return mx.random.categorical(logits.astype(mx.float32) * (1 / temperature), key=key)

    return pick


@dataclass(slots=True)
class Text:
    """One text while it is written."""

    number: int
    prompt: Sequence[int]
    limit: int
    out: list[int] = field(default_factory=list)
    reads_prompt: bool = True
    """The token that is fed next is the prompt's last."""
    done: bool = False
    taps: list[NDArray[np.float16]] = field(default_factory=list)
    given: bool = False
    """Its taps are with whoever wanted them."""


def write(
    target: Target,
    prompts: Sequence[Sequence[int]],
    limits: Sequence[int],
    pick: Pick,
    end_ids: frozenset[int],
    *,
    rows: int = 0,
    layers: Sequence[int] = (),
    keep: Keep = lambda *_: None,
    cancelled: Callable[[], bool] = lambda: False,
    on_tokens: OnTokens = lambda *_: None,
) -> list[list[int]]:
    """What follows each prompt: up to its limit, or to an ending token, which is included.

    Args:
        rows: at once, the others wait for a place; 0: all
        layers: whose outputs ``keep`` is given

    Raises:
        Cancelled: between two steps.
    """
    if not prompts:
        return []
    if not all(prompts) or min(limits) < 1:
        raise ValueError("[write] every prompt needs a token and every limit must be 1 or more.")
    texts = [Text(i, prompt, limit) for i, (prompt, limit) in enumerate(zip(prompts, limits, strict=True))]
    batch = Batch(target, texts, min(rows or len(texts), len(texts)), tuple(layers), cancelled)
    batch.fill()
    held: tuple[list[Text], list[mx.array]] = ([], [])
    while True:
        # The device is given the next step before the host looks at what this one is fed, and at the last one's taps.
        fed, rows_fed = batch.tokens, list(batch.rows)
        following, taps = batch.step()
        following = pick(following)
        mx.async_eval(following, taps)  # type: ignore[no-untyped-call]
        batch.hold(*held, keep)
        fresh = 0
        values: list[int] = fed.tolist()  # type: ignore[assignment]
        for text, token in zip(rows_fed, values, strict=True):
            if text.reads_prompt or text.done:
                text.reads_prompt = False
                continue
            text.out.append(token)
            fresh += 1
            text.done = token in end_ids or len(text.out) >= text.limit
        if fresh:
            going = [text for text in texts if not text.done]
            on_tokens(fresh, len(going), sum(text.limit - len(text.out) for text in going))
        held = rows_fed, taps
        batch.tokens = following
        if all(text.done for text in texts):
            batch.hold(*held, keep)
            return [text.out for text in texts]
        if cancelled():
            raise Cancelled
        if sum(text.done for text in rows_fed) * LEAVE_SHARE >= len(rows_fed):
            batch.leave()
            batch.fill()


@dataclass(slots=True)
class Batch:
    """Rows that are written at once, and the texts that wait for a place."""

    target: Target
    texts: list[Text]
    places: int
    layers: tuple[int, ...]
    cancelled: Callable[[], bool]
    rows: list[Text] = field(default_factory=list)
    caches: list[Any] = field(default_factory=list)
    tokens: mx.array = field(default_factory=lambda: mx.zeros(0, mx.int32))
    """What each row is fed next. [rows]"""
    shared: list[Any] | None = None
    """One row's caches after what all prompts begin with."""
    shared_taps: NDArray[np.float16] | None = None
    begun: int = 0

    def step(self) -> tuple[mx.array, list[mx.array]]:
        """Logits [rows, V]; taps [rows, 1, taps, H], if any are wanted."""
        logits, taps = self.forward(self.tokens[:, None], self.caches)
        return logits[:, -1], taps

    def forward(self, tokens: mx.array, caches: list[Any]) -> tuple[mx.array, list[mx.array]]:
        self.target.watch.want(self.layers)
        logits = self.target.model(tokens, cache=caches)
        found = self.target.watch.take()
        return logits, [half(mx.stack([found[layer] for layer in self.layers], axis=2))] if self.layers else []

    def fill(self) -> None:
        """Give waiting texts the places that are free."""
        fresh = self.texts[self.begun : self.begun + self.places - len(self.rows)]
        if not fresh:
            return
        self.begun += len(fresh)
        skip = self.skip_shared()
        caches = self.shared
        if caches is None or self.places == 1:
            caches = self.target.make_caches()
            skip = 0
        if self.places > 1:
            if not all(hasattr(cache, "merge") for cache in caches):
                raise ModelError(
                    f"{self.target.facts.name} can't be run in batches (its caches are {type(caches[0]).__name__}): "
                    "use --rows 1."
                )
            caches = [type(cache).merge([cache] * len(fresh)) for cache in caches]
        for text in fresh:
            if skip and self.shared_taps is not None:
                text.taps.append(self.shared_taps)
        self.prefill(caches, fresh, skip)
        tokens = mx.array([text.prompt[-1] for text in fresh])
        if self.rows:
            for cache, more in zip(self.caches, caches, strict=True):
                cache.extend(more)
            tokens = mx.concatenate([self.tokens, tokens.astype(self.tokens.dtype)])
        else:
            self.caches = caches
        self.rows += fresh
        self.tokens = tokens
        mx.eval(tokens, state_arrays(self.caches))
        mx.clear_cache()

    def leave(self) -> None:
        """Rows that are done leave."""
        staying = [at for at, text in enumerate(self.rows) if not text.done]
        self.rows = [self.rows[at] for at in staying]
        if staying:
            for cache in self.caches:
                cache.filter(staying)
            self.tokens = self.tokens[mx.array(staying)]
            mx.eval(self.tokens, state_arrays(self.caches))
        mx.clear_cache()

    def skip_shared(self) -> int:
        """How many tokens all prompts begin with, run once; the last token of a prompt never belongs to them."""
        first = self.texts[0].prompt
        shared = min(len(text.prompt) for text in self.texts) - 1
        for text in self.texts[1:]:
            shared = next((i for i in range(shared) if text.prompt[i] != first[i]), shared)
        if self.shared is None and self.places > 1:
            self.shared = self.target.make_caches()
            parts = []
            for begin in range(0, shared, PREFILL_TOKENS):
                ids = mx.array(list(first[begin : min(begin + PREFILL_TOKENS, shared)]))
                _, taps = self.forward(ids[None], self.shared)
                mx.eval(state_arrays(self.shared), taps)
                parts += [np.array(part[0]) for part in taps]
            if parts:
                self.shared_taps = np.concatenate(parts)
        return shared

    def prefill(self, caches: list[Any], fresh: list[Text], skip: int) -> None:
        """Run all of the prompts but what is skipped, at their beginning, and their last tokens."""
        prompts = [list(text.prompt[skip:-1]) for text in fresh]
        longest = max(map(len, prompts))
        if not longest:
            return
        padding = [longest - len(ids) for ids in prompts]
        if any(padding):
            for cache in caches:
                cache.prepare(lengths=[len(ids) for ids in prompts], right_padding=padding)
        tokens = mx.array([[*ids, *[0] * pad] for ids, pad in zip(prompts, padding, strict=True)])
        width = math.ceil(PREFILL_TOKENS / len(prompts))
        for begin in range(0, longest, width):
            if self.cancelled():
                raise Cancelled
            _, taps = self.forward(tokens[:, begin : begin + width], caches)
            mx.eval(state_arrays(caches), taps)
            for part in map(np.array, taps):
                for row, (text, ids) in enumerate(zip(fresh, prompts, strict=True)):
                    text.taps.append(part[row, : max(len(ids) - begin, 0)])
        if any(padding):
            for cache in caches:
                cache.finalize()
        mx.eval(state_arrays(caches))
        mx.clear_cache()

    def hold(self, rows: list[Text], taps: list[mx.array], keep: Keep) -> None:
        """A step's taps; those of a text that is done are given away."""
        for part in map(np.array, taps):
            for text, row in zip(rows, part, strict=True):
                if text.given:
                    continue
                text.taps.append(row)
                if text.done:
                    keep(text.number, np.concatenate(text.taps))
                    text.taps, text.given = [], True


def half(taps: mx.array) -> mx.array:
    """Some targets have a few huge dimensions: as large as 16 bits hold is large enough."""
    return mx.clip(taps, -HALF_MOST, HALF_MOST).astype(mx.float16)
