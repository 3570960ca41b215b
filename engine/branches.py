"""A round whose drafts are a tree (``drafters.tree``): the one forward over all of its rows, and what the target says
in each.

Each node is run as a text of its own, one row long, at its own depth: a row of a batch. All of them share the keys and
values of the text so far, and see of each other what leads to them. So any model of mlx-lm's with plain caches of keys
and values can verify a tree, without a change; its attention reads the text's keys once a row.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mlx.core as mx
from mlx_lm.models.cache import KVCache

from engine.accept import margins, shown_on_host, softmax_of
from engine.drafters import tree
from engine.drafters.base import Drafter
from engine.models.errors import ModelError
from engine.platform import backend
from engine.sampling import Sampler
from engine.target import Target


def check_branching(target: Target, drafter: Drafter | None, caches: Sequence[Any]) -> None:
    """Raise ``ModelError`` where an arm that wants trees can't have them."""
    if not hasattr(drafter, "propose_tree"):
        raise ModelError(
            "A tree of drafts needs a drafter that is weighed with a table: write it with +table, or leave out tree."
        )
    for cache in caches:
        if type(cache) is not KVCache:
            raise ModelError(
                f"A tree of drafts is not possible with {target.facts.name}: its {type(cache).__name__} is no plain "
                "cache of keys and values. Leave out tree, or a quantised cache."
            )


Decided = tuple[mx.array, mx.array, tuple[mx.array, ...]]


class Branched:
    """One layer's cache while a tree is verified. Has what mlx-lm's models ask of a cache."""

    def __init__(self, cache: KVCache, offset: mx.array, mask: mx.array) -> None:
        self.cache, self.offset, self.mask = cache, offset, mask

    def update_and_fetch(self, keys: mx.array, values: mx.array) -> tuple[mx.array, mx.array]:
        """Twice [nodes, kv heads, 1, D] -> [nodes, kv heads, text and nodes, D]"""
        nodes = keys.shape[0]
        found = self.cache.update_and_fetch(keys.swapaxes(0, 2), values.swapaxes(0, 2))
        keys, values = (mx.broadcast_to(a, (nodes, *a.shape[1:])) for a in found)
        return keys, values

    def make_mask(self, n: int, return_array: bool = False, window_size: int | None = None) -> mx.array:
        """[nodes, 1, 1, text and nodes] bool"""
        if not window_size:
            return self.mask
        text = self.mask.shape[-1] - self.offset.shape[0]
        places = mx.concatenate([mx.arange(text), self.offset])
        return self.mask & (places > self.offset[:, None, None, None] - window_size)


def forward(
    target: Target, tokens: mx.array, parents: Sequence[int], caches: Sequence[Any], taps: Sequence[int] = ()
) -> tuple[mx.array, dict[int, mx.array]]:
    """As ``Target.forward``, over the anchor and the drafts of a tree, whose rows are all appended to ``caches``.

    Args: tokens [nodes]; parents [nodes - 1].
    """
    text = caches[0].offset
    sees = mx.concatenate([mx.ones((tokens.shape[0], text), mx.bool_), mx.array(tree.seen(parents))], axis=1)
    offset = text + mx.array(tree.depths(parents), mx.int32)
    branched = [Branched(cache, offset, sees[:, None, None, :]) for cache in caches]
    target.watch.want(taps)
    logits = target.model(tokens[:, None], cache=branched)[:, 0]
    return logits, {layer: tap.swapaxes(0, 1) for layer, tap in target.watch.take().items()}


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
