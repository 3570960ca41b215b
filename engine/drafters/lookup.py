"""n-gram look-up: where the newest tokens have occurred before, propose what followed then.

Prompt look-up decoding (Saxena 2023; in mlx-lm's relatives "prompt lookup"): no weights, no forward, and strong
wherever a text copies from its own context: code with one rename, quotes, JSON filled from a text, summaries.

Of all earlier places where the last ``shortest`` tokens occurred, the one whose match reaches back furthest wins, the
newest among equals. A continuation that runs into the end of the text goes on periodically, so a loop is proposed as
a loop.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

import mlx.core as mx

from engine.drafters.base import Draft, no_draft
from engine.sampling import Sampler


class Lookup:
    """Drafts are point masses: exact under any sampling (accepted with probability p)."""

    name = "lookup"
    taps: tuple[int, ...] = ()

    def __init__(self, shortest: int = 2, longest: int = 12, places: int = 32) -> None:
        """Args: fewest and most matching tokens looked at; how many earlier places are compared, newest first."""
        if not 1 <= shortest <= longest:
            raise ValueError(f"[Lookup] 'shortest' must be 1 to 'longest' ({longest}) but got {shortest}.")
        self.shortest, self.longest, self.places = shortest, longest, places
        self.context: list[int] = []
        # Position after each occurrence of a key of ``shortest`` tokens, oldest first.
        self.index: dict[tuple[int, ...], list[int]] = defaultdict(list)

    def observe(self, tokens: Sequence[int], taps: Mapping[int, mx.array]) -> None:
        start = len(self.context)
        self.context += tokens
        for end in range(max(start + 1, self.shortest), len(self.context) + 1):
            self.index[tuple(self.context[end - self.shortest : end])].append(end)

    def propose(self, anchor: int, width: int, sampler: Sampler) -> Draft:
        found = self._best_place([*self.context[-self.longest :], anchor])
        if found is None or width < 1:
            return no_draft("no match")
        place = found[0]
        source = self.context
        period = len(source) + 1 - place
        drafts: list[int] = []
        for i in range(width):
            at = place + i
            drafts.append(source[at] if at < len(source) else anchor if at == len(source) else drafts[i - period])
        return Draft(mx.array(drafts, mx.int32), source=self.name)

    def following(self, anchor: int, drafts: Sequence[int]) -> list[tuple[int, int, int]]:
        """What followed earlier places that match the end of a text that ends with ``drafts``: each token, how many
        tokens of its longest match, after how many of the places it came. What ``propose`` would draft is the first.
        """
        behind = [anchor, *drafts]
        known = len(self.context)
        found: dict[int, tuple[int, int]] = {}
        best, reach = -1, 0
        for place, matched in self._places([*self.context[-self.longest :], *behind]):
            token = self.context[place] if place < known else behind[place - known]
            longest, times = found.get(token, (0, 0))
            found[token] = max(longest, matched), times + 1
            if matched > reach:
                best, reach = token, matched
        return [(token, *found[token]) for token in sorted(found, key=lambda token: token != best)]

    def _best_place(self, text: list[int]) -> tuple[int, int] | None:
        """Where in the context the continuation of the best match begins, and how many tokens match."""
        return max(self._places(text), key=lambda found: found[1], default=None)

    def _places(self, text: list[int]) -> Iterator[tuple[int, int]]:
        """Where the end of ``text`` occurred before, newest first: where the continuation begins, how many match."""
        for place in reversed(self.index.get(tuple(text[-self.shortest :]), [])[-self.places :]):
            matched = self.shortest
            while matched < min(len(text), place) and self.context[place - matched - 1] == text[-matched - 1]:
                matched += 1
            yield place, matched

    def rewind(self, n: int) -> None:
        kept = self.context[:n]
        self.context, self.index = [], defaultdict(list)
        self.observe(kept, {})

    @property
    def state_bytes(self) -> int:
        # The index lives in Python's heap, not in unified memory's arrays: 8 bytes a place and a token, roughly.
        return 16 * len(self.context)
