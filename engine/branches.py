"""A round whose drafts are a tree (``tree``): who may have it, what the target says in each of its rows, which path the
text takes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import mlx.core as mx
from mlx_lm.models.cache import KVCache, QuantizedKVCache

from engine import tree
from engine.accept import margins, shown_on_host, softmax_of
from engine.drafters.base import Branching, Draft, Drafter
from engine.models.errors import ModelError
from engine.platform import backend
from engine.sampling import Sampler
from engine.target import Target

Decided = tuple[mx.array, mx.array, tuple[mx.array, ...]]
"""Logits, the target's own tokens, what is to be read."""
Found = tuple[list[int], int, int, list[float], list[float], list[int], list[float]]
"""Drafts, how many were kept, the token after them, p and q of the drafts, argmax and margin of each row."""
MOST_TEXT_TOKENS = 4096
"""Behind a longer text drafts don't branch: the text's keys and values may be copied for each row of a tree."""
SAME = 0.05
"""Share of the largest logit by which packed weights in half precision may differ between one row and several."""


def check_branching(target: Target, drafter: Drafter | None, caches: Sequence[Any]) -> None:
    """Raise ``ModelError`` where an arm that wants trees can't have them."""
    if not isinstance(drafter, Branching):
        raise ModelError(
            "A tree of drafts needs a drafter that is weighed with a table: write it with +table, or leave out tree."
        )
    check_target(target, caches)


def check_target(target: Target, caches: Sequence[Any]) -> None:
    """Raise ``ModelError`` where a target can't verify trees: by its caches, or because its layers, which are those of
    any model of mlx-lm's, don't take rows that each stand somewhere else. That is tried once, on three rows.
    """
    for cache in caches:
        if type(cache) not in (KVCache, QuantizedKVCache):
            raise ModelError(
                f"A tree of drafts is not possible with {target.facts.name}: its {type(cache).__name__} is no plain "
                "cache of keys and values. Leave out tree."
            )
    if target.branches is None:
        target.branches = _branches(target)
    if not target.branches:
        raise ModelError(
            f"A tree of drafts is not possible with {target.facts.name}: its layers can't compute rows that don't "
            "follow one another. Leave out tree."
        )


def _branches(target: Target) -> bool:
    """Whether two tokens behind one are computed side by side as they are alone."""
    try:
        logits, _ = target.forward_tree(mx.array([0, 1, 2]), (0, 0), target.make_caches())
        for row, token in ((1, 1), (2, 2)):
            alone, _ = target.forward(mx.array([0, token]), target.make_caches())
            scale = mx.abs(alone[-1]).max()
            if not bool(mx.abs(logits[row] - alone[-1]).max() <= SAME * scale):
                return False
    except Exception:  # noqa: BLE001
        # Whatever a model's own code makes of it.
        return False
    return True


def penalise(
    sampler: Sampler, logits: mx.array, history: Sequence[int], drafts: Sequence[int], parents: Sequence[int]
) -> mx.array:
    """``Sampler.penalise``, each row with the drafts that lead to it. logits [nodes, V]"""
    rows = [
        sampler.penalise(logits[node : node + 1], [*history, *(drafts[n - 1] for n in tree.path(node, parents))])
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
    if sampler.settings.repetition_penalty != 1:
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


def read(values: Sequence[Any], logits: mx.array, parents: Sequence[int], greedy: bool) -> tuple[Found, list[int]]:
    """The path through a tree as if it had been a block: drafts, how many were kept, the token after them, p and q of
    the drafts, argmax and margin of each row, and which rows these are.
    """
    drafts, said, draft_p, argmax, gaps = values
    kept = tree.accepted_path(said, drafts, parents)
    nodes = tree.shown_path(kept, parents)
    path = [0, *nodes]
    ids, best = [drafts[node - 1] for node in nodes], [argmax[row] for row in path]
    if backend() == "cpu":
        rows = logits[mx.array(path)]
        mx.eval(rows)
        softmax, gaps = shown_on_host(rows, ids if greedy else [], best)
        shown_p = softmax if greedy else [draft_p[node - 1] for node in nodes]
    else:
        gaps, shown_p = [gaps[row] for row in path], [draft_p[node - 1] for node in nodes]
    return (ids, len(kept), said[path[len(kept)]], shown_p, [1.0] * len(ids), best, gaps), path


def told(draft: Draft, nodes: Sequence[int], text_of: Callable[[int], str]) -> dict[str, Any]:
    """What a ``Round`` says of a tree beside the path that it shows. Args: nodes: of that path."""
    others = tree.siblings(nodes, draft.tokens.tolist(), draft.parents)  # type: ignore[arg-type]
    return {
        "tree_rows": draft.width + 1,
        "sibling_ids": tuple(others),
        "sibling_texts": tuple(tuple(map(text_of, ids)) for ids in others),
    }
