"""Scheme A: any language model with the target's tokenizer, one serial forward per guessed token.

Draft i is drawn from the model's own distribution after the text and the drafts before it, under the arm's own sampling
settings, and q is that very distribution (precondition (i) of the acceptance rule). The forwards of a block are one
lazy graph.

The model's cache runs ahead of the text while it drafts; what was not kept is taken back when the kept tokens are
observed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import mlx.core as mx

from engine.cache import Transaction, nbytes, rewind, state_arrays
from engine.drafters.base import Draft
from engine.sampling import Sampler, draw
from engine.target import Target

CATCH_UP_TOKENS = 512


class Autoregressive:
    """Args: the drafting model (its weights may be shared by arms; the state here is one arm's), and the target's
    vocabulary.
    """

    taps: tuple[int, ...] = ()

    def __init__(self, model: Target, vocabulary: int, name: str = "autoregressive") -> None:
        self.model = model
        self.name = name
        self.vocabulary = vocabulary
        self._fresh()

    def _fresh(self) -> None:
        self.caches = self.model.make_caches()
        self.transaction = Transaction(self.caches, self.model.watch)
        self.seen: list[int] = []  # observed tokens, the pending ones included
        self.pending: list[int] = []  # observed, but not yet in the cache
        self.ahead: list[int] = []  # in the cache, but not yet known to be kept
        self.drafts: mx.array | None = None

    def observe(self, tokens: Sequence[int], taps: Mapping[int, mx.array]) -> None:
        self._take_back(tokens)
        self.seen += tokens
        self._catch_up(leave=CATCH_UP_TOKENS)

    def propose(self, anchor: int, width: int, sampler: Sampler) -> Draft:
        """One forward over the anchor and what is pending, then one for each further draft."""
        history = [*self.seen, anchor]
        self._catch_up(leave=0)
        self.transaction.begin_steps()
        tokens: list[mx.array] = []
        rows: list[mx.array] = []
        row = mx.array([anchor])
        for _ in range(width):
            logits = self._run(row)[-1:, : self.vocabulary]
            logits = self._penalise(sampler, logits, history, tokens)
            if sampler.greedy:
                row = mx.argmax(logits, axis=-1)
            else:
                q = sampler.probabilities(logits)
                row = draw(q, sampler.next_key())
                rows.append(q)
            tokens.append(row)
        drafts = mx.concatenate(tokens)
        self.drafts, self.ahead = drafts, [anchor]
        q_rows = mx.concatenate(rows) if rows else None
        if q_rows is not None and q_rows.shape[-1] < self.vocabulary:
            q_rows = mx.pad(q_rows, [(0, 0), (0, self.vocabulary - q_rows.shape[-1])])
        return Draft(drafts, q_rows, source=self.name, forwards=width)

    def _penalise(self, sampler: Sampler, logits: mx.array, history: list[int], tokens: list[mx.array]) -> mx.array:
        """The last row of a block of which only that row exists: the rows before it are filled in."""
        if not tokens:
            return sampler.penalise(logits, history)
        rows = mx.concatenate([mx.zeros((len(tokens), logits.shape[-1]), logits.dtype), logits])
        return sampler.penalise(rows, history, mx.concatenate(tokens))[-1:]

    def _run(self, tokens: Sequence[int] | mx.array) -> mx.array:
        ids = tokens if isinstance(tokens, mx.array) else mx.array(list(tokens))
        return self.model.forward(ids, self.caches)[0]

    def _catch_up(self, leave: int) -> None:
        """Run pending tokens until at most ``leave`` are left: a long prompt in chunks, during the prefill."""
        while len(self.pending) > leave:
            chunk, self.pending = self.pending[:CATCH_UP_TOKENS], self.pending[CATCH_UP_TOKENS:]
            self._run(chunk)
            if self.pending:
                mx.eval(state_arrays(self.caches))

    def _take_back(self, tokens: Sequence[int]) -> None:
        """Undo the drafted rows that the observed tokens did not confirm."""
        if self.drafts is None:
            self.pending += tokens
            return
        drafts: list[int] = self.drafts.tolist()  # type: ignore[assignment]
        ahead = [*self.ahead, *drafts][: len(drafts)]
        kept = 0
        while kept < min(len(ahead), len(tokens)) and ahead[kept] == tokens[kept]:
            kept += 1
        all_or_kept = self.transaction.commit_steps(len(ahead), kept)
        self.pending += tokens[kept:] if all_or_kept else tokens
        self.drafts, self.ahead = None, []

    def rewind(self, n: int) -> None:
        self._take_back([])
        if n >= len(self.seen):
            return
        held = len(self.seen) - len(self.pending)
        kept = self.seen[:n]
        if n >= held:
            self.seen, self.pending = kept, kept[held:]
        elif rewind(self.caches, held - n):
            self.seen, self.pending = kept, []
        else:
            self._fresh()
            self.seen, self.pending = kept, list(kept)

    @property
    def state_bytes(self) -> int:
        return nbytes(self.caches)
