"""Which conversations may be trained on, and why the others may not.

    loops             more than half of the answer's 8-grams occurred in it before
    short             an answer under 4 tokens
    same prompt       the user's turn has been there before
    same answer       the whole answer has
    same beginning    its first 32 tokens have
    near duplicate    more than half of its 8-grams are another answer's
    held out          the turn is a held-out one, or a long held-out turn stands somewhere in the text

The first of several stays. Held-out conversations are looked at first, so that what resembles one is not trained on;
their loops stay, since figures are given with and without them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from engine.drafters.ngrams import hashes
from engine.train.conversations import Conversations, Ids, answer, conversation, count, user_turn

GRAM = 8
LOOP_SHARE = 0.5
NEAR_SHARE = 0.5
BEGINNING_TOKENS = 32
SHORTEST_ANSWER_TOKENS = 4
SAMPLE = 4
"""Near duplicates are looked for by one 8-gram in so many, chosen by its hash: all would need a lot of memory."""
LEAST_SAMPLED = 4
"""Texts of fewer sampled 8-grams are judged by their beginning alone."""


@dataclass(slots=True)
class Cleaned:
    train: list[int] = field(default_factory=list)
    held: list[int] = field(default_factory=list)
    dropped: Counter[str] = field(default_factory=Counter)
    """Of training conversations."""
    dropped_held: Counter[str] = field(default_factory=Counter)


def repeat_share(tokens: Ids) -> float:
    """Share of the 8-grams that occurred before in the same text."""
    found = hashes(tokens, GRAM)
    return 1 - len(np.unique(found)) / len(found) if len(found) else 0.0


def clean(c: Conversations) -> Cleaned:
    result = Cleaned()
    seen = _Seen()
    held = [i for i in range(count(c)) if c.held[i]]
    for i in held:
        reason = seen.reason(c, i, loops=True)
        if reason:
            result.dropped_held[reason] += 1
        else:
            result.held.append(i)
    held_hashes = {int(c.prompt_hashes[i]) for i in held}
    long_turns = _Runs(user_turn(c, i) for i in held)
    for i in range(count(c)):
        if c.held[i]:
            continue
        if int(c.prompt_hashes[i]) in held_hashes or long_turns.in_text(conversation(c, i)):
            reason = "held out"
        else:
            reason = seen.reason(c, i, loops=False)
        if reason:
            result.dropped[reason] += 1
        else:
            result.train.append(i)
    return result


def leaks(train: Conversations, held: Conversations) -> int:
    """How many training conversations have a held-out turn, as their own or, where it is long, anywhere."""
    hashes = set(held.prompt_hashes.tolist())
    long_turns = _Runs(user_turn(held, i) for i in range(count(held)))
    return sum(
        int(train.prompt_hashes[i]) in hashes or long_turns.in_text(conversation(train, i)) for i in range(count(train))
    )


class _Seen:
    """What has been kept so far."""

    def __init__(self) -> None:
        self.prompts: set[int] = set()
        self.answers: set[bytes] = set()
        self.beginnings: set[bytes] = set()
        self.owners: dict[int, int] = {}
        """8-gram -> the answer that had it first."""

    def reason(self, c: Conversations, i: int, loops: bool) -> str:
        """Why conversation i is dropped; nothing where it is kept, and remembered then."""
        own = answer(c, i)
        whole, beginning = own.tobytes(), own[:BEGINNING_TOKENS].tobytes()
        if len(own) < SHORTEST_ANSWER_TOKENS:
            return "short"
        if not loops and c.repeats[i] > LOOP_SHARE:
            return "loops"
        if int(c.prompt_hashes[i]) in self.prompts:
            return "same prompt"
        if whole in self.answers:
            return "same answer"
        if len(own) >= BEGINNING_TOKENS and beginning in self.beginnings:
            return "same beginning"
        sample: list[int] = np.unique(_sampled(hashes(own, GRAM))).tolist()
        if self._nearest_share(sample) > NEAR_SHARE:
            return "near duplicate"
        self.prompts.add(int(c.prompt_hashes[i]))
        self.answers.add(whole)
        self.beginnings.add(beginning)
        for gram in sample:
            self.owners.setdefault(gram, i)
        return ""

    def _nearest_share(self, sample: list[int]) -> float:
        owners = Counter(self.owners[gram] for gram in sample if gram in self.owners)
        if len(sample) < LEAST_SAMPLED or not owners:
            return 0.0
        return owners.most_common(1)[0][1] / len(sample)


class _Runs:
    """Finds texts of 8 tokens or more inside others."""

    def __init__(self, texts: Iterable[Ids]) -> None:
        self.by_first: dict[int, list[Ids]] = {}
        for text in texts:
            if len(text) >= GRAM:
                self.by_first.setdefault(int(hashes(text[:GRAM], GRAM)[0]), []).append(text)
        self.firsts = np.array(sorted(self.by_first), np.uint64)

    def in_text(self, text: Ids) -> bool:
        return any(
            np.array_equal(text[at : at + len(run)], run)
            for at, gram in self._hits(text)
            for run in self.by_first[gram]
        )

    def _hits(self, text: Ids) -> Iterator[tuple[int, int]]:
        if not len(self.firsts):
            return
        found = hashes(text, GRAM)
        for at in np.flatnonzero(np.isin(found, self.firsts)).tolist():
            yield at, int(found[at])


def _sampled(grams: NDArray[np.uint64]) -> NDArray[np.uint64]:
    chosen: NDArray[np.uint64] = grams[grams % np.uint64(SAMPLE) == 0]
    return chosen
