"""Tokens per target forward on held-out answers, from the drafter that will be used: the rounds of ``decode.speculate``
walked over the target's own greedy answer, which is known, with taps from the cache. No target forward is run, so an
evaluation is cheap enough to be made while training; the real loop gives the same rounds (a test and
``python -m tests.bench heldout --real`` compare them).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import mlx.core as mx
import numpy as np
from numpy.typing import NDArray

from engine import tree
from engine.drafters.base import Drafter, proposed
from engine.sampling import Sampler
from engine.stats import Interval, bootstrap, bootstrap_ratio
from engine.trace.events import Settings

TapsOf = Callable[[int, int], Mapping[int, mx.array]]
"""Taps of tokens first..last of a conversation, {layer: [1, n, H]}."""


@dataclass(frozen=True, slots=True)
class Walk:
    """One answer: what each target forward drafted, accepted and gave."""

    drafted: tuple[int, ...]
    """Positions; of a tree those of the path that a round shows."""
    accepted: tuple[int, ...]
    emitted: tuple[int, ...]
    sources: tuple[str, ...] = ()
    verified: tuple[int, ...] = ()
    """Drafts; more than positions where they were a tree."""


@dataclass(frozen=True, slots=True)
class Score:
    """Pooled tokens per target forward with a 95 % bootstrap interval over answers, and by position: of the drafts that
    stood there, how many were accepted; of the rounds, how many reached so far.
    """

    tokens_per_forward: float
    low: float
    high: float
    answers: int
    forwards: int
    drafted_by_position: tuple[int, ...]
    accepted_by_position: tuple[int, ...]


def replay(
    drafter: Drafter, prompt: Sequence[int], text: Sequence[int], settings: Settings, taps: TapsOf = lambda *_: {}
) -> Walk:
    """Walk a known answer."""
    sampler = Sampler(settings)
    drafter.rewind(0)
    drafter.observe(prompt, taps(0, len(prompt)))
    # The prompt's own forward gives the first token.
    drafted, accepted, emitted, sources, verified = [0], [0], [1], [""], [0]
    done = 1
    while done < len(text):
        room = min(settings.block - 1, settings.max_tokens - done - 1)
        draft: list[int] = []
        source, kept, shown = "", 0, 0
        if room > 0:
            proposal = proposed(drafter, text[done - 1], settings.block - 1, room, sampler)
            draft, source = proposal.tokens.tolist(), proposal.source  # type: ignore[assignment]
            path = path_of(draft, proposal.parents, text[done:])
            kept = len(path)
            shown = len(tree.shown_path(path, proposal.parents)) if proposal.parents else len(draft)
        # An accepted token may be the last; otherwise one of the target's own follows.
        new = min(kept + 1, len(text) - done)
        first = len(prompt) + done - 1
        drafter.observe(text[done - 1 : done + new - 1], taps(first, first + new))
        drafted.append(shown)
        verified.append(len(draft))
        accepted.append(kept)
        emitted.append(new)
        sources.append(source)
        done += new
    return Walk(tuple(drafted), tuple(accepted), tuple(emitted), tuple(sources), tuple(verified))


def path_of(drafts: Sequence[int], parents: Sequence[int], text: Sequence[int]) -> list[int]:
    """The nodes of a block, or of a tree, that a known text goes through: after each node the target says its token."""
    parents = parents or range(len(drafts))
    said = [text[depth] if depth < len(text) else -1 for depth in tree.depths(parents)]
    return tree.accepted_path(said, drafts, parents)


def score(walks: Sequence[Walk], seed: int = 0) -> Score:
    tokens, forwards = _sums(walks)
    pooled = bootstrap_ratio(tokens, forwards, seed=seed)
    widest = max((max(w.drafted, default=0) for w in walks), default=0)
    drafted = [sum(d > k for w in walks for d in w.drafted) for k in range(widest)]
    accepted = [sum(a > k for w in walks for a in w.accepted) for k in range(widest)]
    return Score(*_told(pooled), len(walks), int(forwards.sum()), tuple(drafted), tuple(accepted))


def paired_difference(ours: Sequence[Walk], theirs: Sequence[Walk], seed: int = 0) -> tuple[float, float, float]:
    """Of two drafters on the same answers: difference of pooled tokens per forward with its 95 % bootstrap interval."""
    columns = np.stack([*_sums(ours), *_sums(theirs)], axis=-1)
    return _told(bootstrap(columns, lambda s: s[..., 0] / s[..., 1] - s[..., 2] / s[..., 3], seed=seed))


def _told(found: Interval) -> tuple[float, float, float]:
    """A figure and its interval; of a single answer the interval is the figure."""
    value = found.value or 0.0
    return value, value if found.low is None else found.low, value if found.high is None else found.high


def _sums(walks: Sequence[Walk]) -> tuple[NDArray[Any], NDArray[Any]]:
    return np.array([sum(w.emitted) for w in walks]), np.array([len(w.emitted) for w in walks])
