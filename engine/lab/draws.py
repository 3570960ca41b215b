"""Independent rounds from one place of a text, through the real loop.

A *place* is a text whose next tokens are drawn, over and over, each time with another seed: the caches and the drafter
go back to it, the loop emits one greedy token, which is the anchor again, and from there everything is sampled. Rounds
in a row of one text would not be independent of each other; these are.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import mlx.core as mx
import numpy as np
from msgspec.structs import replace

from engine import decode
from engine.cache import leaves, rewind
from engine.drafters.base import Draft, Drafter
from engine.guard import Guard
from engine.lab.goodness import Outcome
from engine.lab.laws import Floats, Node, Tree, along, grow
from engine.lab.remember import Remembering
from engine.lab.replay import prefill
from engine.race import race
from engine.sampling import Sampler
from engine.session import ArmState
from engine.text import TextStream
from engine.trace.events import Arm, Failed, Round, Settings, Started

PILOT_DRAWS = 48
PILOT_SEED = 1 << 30
"""No draw that counts has such a seed."""
MOST_NODES = 12


@dataclass(frozen=True, slots=True)
class Place:
    sample: str
    text: tuple[int, ...]
    """The prompt and what was written, the anchor last."""
    drafts: tuple[int, ...]
    """What was drafted here."""
    p: float
    """The target's own probability of the first of them."""


class Overheard:
    """A drafter that tells what its last block was drawn from."""

    def __init__(self, drafter: Drafter) -> None:
        self.inner = drafter
        self.name, self.taps = drafter.name, drafter.taps
        self.last: Draft | None = None

    def propose(self, anchor: int, width: int, sampler: Sampler) -> Draft:
        self.last = self.inner.propose(anchor, width, sampler)
        return self.last

    def observe(self, tokens: Sequence[int], taps: Mapping[int, mx.array]) -> None:
        self.inner.observe(tokens, taps)

    def rewind(self, n: int) -> None:
        self.inner.rewind(n)

    @property
    def state_bytes(self) -> int:
        return self.inner.state_bytes


class Source:
    """Draws of one arm."""

    def __init__(self, state: ArmState) -> None:
        assert state.drafter is not None
        self.target = Remembering.of_target(state.target)
        self.drafter = Overheard(state.drafter)
        self.state = ArmState(state.spec, self.target, self.drafter, state.drafter_facts)
        self.law = Remembering.of_target(state.target)
        self._before: tuple[int, ...] = ()
        self._caches: list[Any] = []

    @property
    def ends(self) -> frozenset[int]:
        return self.target.end_ids

    def draw(self, place: Place, settings: Settings, seed: int, tokens: int) -> list[Round]:
        """Sampled rounds from the place until ``tokens`` are emitted or the text ends."""
        before = list(place.text[:-1])
        held = self.state.reuse(before)
        run = decode.Run(
            arm=self.state.spec.name, turn=0, target=self.target, caches=self.state.caches, tokens=before,
            held_tokens=held, settings=settings, sampler=Sampler(GREEDY), text=TextStream(self.target.tokenizer),
            began_s=time.perf_counter(), drafter=self.drafter,
        )  # fmt: skip
        for _ in decode.prefill(run):
            pass
        rounds = decode.speculate(run, Guard())
        (anchor,) = next(rounds).emitted_ids
        if anchor != place.text[-1]:
            raise RuntimeError("the anchor of this place is not the target's choice any more")
        run.sampler = Sampler(replace(settings, seed=seed))
        found: list[Round] = []
        emitted = 0
        while emitted < tokens and run.reason is None:
            found.append(next(rounds))
            emitted += found[-1].emitted_tokens
        self.state.held = run.held
        return found

    def places(self, sample: str, prompt: str, tokens: int) -> list[Place]:
        """Where the arm drafted when it wrote greedily, and the target had doubts."""
        spec = self.state.spec
        self.state.spec = greedy_spec(spec, tokens)
        self.state.reset()
        ids: list[int] = []
        found = []
        for event in race([self.state], prompt):
            if isinstance(event, Started):
                ids = list(event.prompt_ids)
            elif isinstance(event, Failed):
                break
            elif isinstance(event, Round):
                if event.width > 0 and event.width == event.requested_width and event.draft_p:
                    found.append(Place(sample, tuple(ids), event.draft_ids, event.draft_p[0]))
                ids += event.emitted_ids
        self.state.spec = spec
        return found

    # The laws

    def tree(self, place: Place, settings: Settings, length: int, least: float) -> Tree:
        """Nodes of the laws at a place. Settled before anything that counts is drawn."""
        heard: dict[Outcome, Floats] = {}
        blocks: set[Outcome] = set()
        vocabulary = len(self._p(place, settings, (), len(place.drafts)))
        points = True
        for i in range(PILOT_DRAWS):
            first = self.draw(place, settings, PILOT_SEED + i, 1)[0]
            blocks.add(first.draft_ids)
            draft = self.drafter.last
            if draft is not None and draft.width and draft.q is not None:
                points = False
                for depth, row in enumerate(rows_of_q(draft, vocabulary)):
                    heard.setdefault(first.draft_ids[:depth], row)
            if points and i >= 2 and len(blocks) == 1:
                break  # named, not drawn: the same each time
        if points and len(blocks) == 1:
            (ids,) = blocks
            heard = {ids[:depth]: one_hot(token, vocabulary) for depth, token in enumerate(ids)}
        width = max(map(len, blocks))

        def node_of(prefix: Outcome) -> Node:
            return Node(self._p(place, settings, prefix, width), heard.get(prefix), prefix in blocks)

        found = grow(node_of, max(length, 1), self.ends, least, MOST_NODES)
        along(found, sorted(blocks), node_of, self.ends, least, MOST_NODES)
        return found

    def _p(self, place: Place, settings: Settings, path: Outcome, width: int) -> Floats:
        """The target's distribution after the place and ``path``: a row of a block as wide as the loop's, since rows
        of other blocks differ in their last digits."""
        rows = [place.text[-1], *path]
        if path == place.drafts[: len(path)]:
            rows += place.drafts[len(path) : width]  # the very block that the loop verifies
        rows += [rows[-1]] * (max(width, len(path)) + 1 - len(rows))
        caches = self._law_caches(place)
        logits, _ = self.law.forward(mx.array(rows), caches)
        sampler = Sampler(settings)
        row = sampler.penalise(logits[len(path) : len(path) + 1], [*place.text, *path])
        p = np.array(sampler.probabilities(row), np.float64)[0]
        return np.asarray(p / p.sum(), np.float64)

    def _law_caches(self, place: Place) -> list[Any]:
        """They hold the place but for its anchor, and are nobody else's."""
        before = place.text[:-1]
        bits = self.state.spec.settings.kv_bits
        rows = max((leaf.offset for leaf in leaves(self._caches) if hasattr(leaf, "offset")), default=0)
        if before != self._before or not rewind(self._caches, rows - len(before)):
            self.law = Remembering.of_target(self.state.target)
            self._before, self._caches = before, self.law.make_caches(bits)
            prefill(self.law, self._caches, before)
        return self._caches


GREEDY = Settings(temperature=0.0)


def greedy_spec(arm: Arm, tokens: int) -> Arm:
    return replace(arm, settings=replace(arm.settings, temperature=0.0, max_tokens=tokens, repetition_penalty=1.0))


def rows_of_q(draft: Draft, vocabulary: int) -> list[Floats]:
    """q of each draft over the vocabulary."""
    q = np.array(draft.q, np.float64)
    if draft.candidates is None:
        return [row / row.sum() for row in q]
    rows = []
    for ids, row in zip(np.array(draft.candidates), q, strict=True):
        full = np.zeros(vocabulary)
        np.add.at(full, ids, row)
        rows.append(full / full.sum())
    return rows


def one_hot(token: int, size: int) -> Floats:
    row = np.zeros(size)
    row[token] = 1.0
    return row
