"""Many texts in one forward: prompts of any length in, what the model writes behind them out.

The rows' caches are mlx-lm's own batched ones (left-padded after the prompts), so every architecture that mlx-lm can
batch works; any other runs one row at a time. What all prompts begin with is processed once. Rows leave the batch when
they are done, several together, because leaving copies the caches.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import mlx.core as mx

from engine.cache import state_arrays
from engine.models.errors import ModelError
from engine.target import Target

PREFILL_TOKENS = 2048
LEAVE_SHARE = 8
"""Rows leave when one in so many is done."""

Pick = Callable[[mx.array], mx.array]
"""Logits [rows, V] -> the next token of each row [rows]."""


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


def write(
    target: Target,
    prompts: Sequence[Sequence[int]],
    limits: Sequence[int],
    pick: Pick,
    end_ids: frozenset[int],
    *,
    cancelled: Callable[[], bool] = lambda: False,
    on_tokens: Callable[[int], None] = lambda _: None,
) -> list[list[int]]:
    """What follows each prompt: up to its limit, or to an ending token, which is included.

    Raises:
        Cancelled: between two steps.
    """
    if not prompts:
        return []
    if not all(prompts) or min(limits) < 1:
        raise ValueError("[write] every prompt needs a token and every limit must be 1 or more.")
    caches, rest = _shared_prefix(target, prompts)
    if len(prompts) > 1 and not all(hasattr(cache, "merge") for cache in caches):
        raise ModelError(
            f"{target.facts.name} can't be run in batches (its caches are {type(caches[0]).__name__}): use --rows 1."
        )
    if len(prompts) > 1:
        caches = [type(cache).merge([cache] * len(prompts)) for cache in caches]
    _prefill(target, caches, [ids[:-1] for ids in rest], cancelled)

    out: list[list[int]] = [[] for _ in prompts]
    rows = list(range(len(prompts)))  # which text each row of the batch is
    done: set[int] = set()
    tokens = pick(_step(target, caches, mx.array([ids[-1] for ids in rest])))
    while True:
        # The device is given the next step before the host looks at this one.
        following = pick(_step(target, caches, tokens))
        mx.async_eval(following)  # type: ignore[no-untyped-call]
        fresh = 0
        values: list[int] = tokens.tolist()  # type: ignore[assignment]
        for row, token in zip(rows, values, strict=True):
            if row in done:
                continue
            out[row].append(token)
            fresh += 1
            if token in end_ids or len(out[row]) >= limits[row]:
                done.add(row)
        on_tokens(fresh)
        keep = [at for at, row in enumerate(rows) if row not in done]
        if not keep:
            return out
        if cancelled():
            raise Cancelled
        if (len(rows) - len(keep)) * LEAVE_SHARE >= len(rows):
            for cache in caches:
                cache.filter(keep)
            rows = [rows[at] for at in keep]
            following = following[mx.array(keep)]
            mx.eval(following, state_arrays(caches))
            mx.clear_cache()
        tokens = following


def _step(target: Target, caches: list[Any], tokens: mx.array) -> mx.array:
    logits: mx.array = target.model(tokens[:, None], cache=caches)[:, -1]
    return logits


def _shared_prefix(target: Target, prompts: Sequence[Sequence[int]]) -> tuple[list[Any], list[list[int]]]:
    """One row's caches after what all prompts begin with, and what is left of each prompt: one token at least."""
    first = prompts[0]
    shared = min(len(ids) for ids in prompts) - 1
    for ids in prompts[1:]:
        shared = next((i for i in range(shared) if ids[i] != first[i]), shared)
    caches = target.make_caches()
    for begin in range(0, shared, PREFILL_TOKENS):
        target.forward(mx.array(list(first[begin : min(begin + PREFILL_TOKENS, shared)])), caches)
        mx.eval(state_arrays(caches))
    return caches, [list(ids[shared:]) for ids in prompts]


def _prefill(
    target: Target, caches: list[Any], prompts: Sequence[Sequence[int]], cancelled: Callable[[], bool]
) -> None:
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
        if cancelled():
            raise Cancelled
        target.model(tokens[:, begin : begin + width], cache=caches)
        mx.eval(state_arrays(caches))
    if any(padding):
        for cache in caches:
            cache.finalize()
    mx.eval(state_arrays(caches))
    mx.clear_cache()
