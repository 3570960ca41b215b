"""A round whose drafts are a tree (``tree``): who may have it, what the target says in each of its rows, which way the
text takes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mlx.core as mx
from mlx_lm.models.cache import KVCache, QuantizedKVCache

from engine import tree
from engine.accept import margins, shown_on_host, softmax_of
from engine.drafters.base import Branching, Drafter
from engine.models.errors import ModelError
from engine.platform import backend
from engine.sampling import Sampler
from engine.target import Target

Decided = tuple[mx.array, mx.array, tuple[mx.array, ...]]


def check_branching(target: Target, drafter: Drafter | None, caches: Sequence[Any]) -> None:
    """Raise ``ModelError`` where an arm that wants trees can't have them."""
    if not isinstance(drafter, Branching):
        raise ModelError(
            "A tree of drafts needs a drafter that is weighed with a table: write it with +table, or leave out tree."
        )
    for cache in caches:
        if type(cache) not in (KVCache, QuantizedKVCache):
            raise ModelError(
                f"A tree of drafts is not possible with {target.facts.name}: its {type(cache).__name__} is no plain "
                "cache of keys and values. Leave out tree."
            )


def penalise(
    sampler: Sampler, logits: mx.array, history: Sequence[int], drafts: Sequence[int], parents: Sequence[int]
) -> mx.array:
    """``Sampler.penalise``, each row with the drafts that lead to it. logits [nodes, V]"""
    if sampler.settings.repetition_penalty == 1:
        return logits
    rows = [
        sampler.penalise(logits[node : node + 1], [*history, *(drafts[n - 1] for n in tree.way(node, parents))])
        for node in range(len(parents) + 1)
    ]
    return mx.concatenate(rows)


def says(sampler: Sampler, logits: mx.array, argmax: mx.array) -> tuple[mx.array, mx.array | None]:
    """The target's own token after each node [nodes], and the distribution [nodes, V] from which it was drawn; greedily
    its likeliest, and none.
    """
    if sampler.greedy:
        return argmax, None
    p = sampler.probabilities(logits)
    return mx.argmax(mx.log(p) + mx.random.gumbel(p.shape, key=sampler.next_key()), axis=-1), p


def decide(
    sampler: Sampler, logits: mx.array, history: Sequence[int], drafts: mx.array, parents: Sequence[int]
) -> Decided:
    """What the target says after each node, lazily.

    Args: logits [nodes, V]; history: the text, the anchor last; drafts [nodes - 1].
    Returns: logits (penalised), the target's own tokens [nodes], and what ``read`` wants to be read
    """
    logits = penalise(sampler, logits, history, drafts.tolist(), parents)  # type: ignore[arg-type]
    argmax = mx.argmax(logits, axis=-1)
    said, p = says(sampler, logits, argmax)
    before, on_host = mx.array(list(parents)), backend() == "cpu"
    draft_p = mx.zeros((0,))
    if p is not None:
        draft_p = mx.take_along_axis(p[before], drafts[:, None], axis=-1)[:, 0]
    elif not on_host:
        draft_p = softmax_of(logits[before], drafts)
    shown = mx.zeros((0,)) if on_host else margins(logits)
    return logits, said, (drafts, said, draft_p, argmax, shown)


def read(
    values: Sequence[Any], logits: mx.array, parents: Sequence[int], greedy: bool
) -> tuple[list[int], int, int, list[float], list[float], list[int], list[float], list[int]]:
    """The way through a tree as if it had been a block: drafts, how many were kept, the token after them, p and q of
    the drafts, argmax and margin of each row, and which rows these are.
    """
    drafts, said, draft_p, argmax, gaps = values
    kept = tree.walk(said, drafts, parents)
    nodes = tree.shown(kept, parents)
    way = [0, *nodes]
    ids, best = [drafts[node - 1] for node in nodes], [argmax[row] for row in way]
    if backend() == "cpu":
        rows = logits[mx.array(way)]
        mx.eval(rows)
        softmax, gaps = shown_on_host(rows, ids if greedy else [], best)
        shown_p = softmax if greedy else [draft_p[node - 1] for node in nodes]
    else:
        gaps, shown_p = [gaps[row] for row in way], [draft_p[node - 1] for node in nodes]
    return ids, len(kept), said[way[len(kept)]], shown_p, [1.0] * len(ids), best, gaps, way
