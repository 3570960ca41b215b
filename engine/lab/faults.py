"""Faults of a speculative loop, put into the real one on purpose. A check that does not turn red on each is no check.

Each fault takes the place of one of the loop's collaborators while it is injected: the cache transaction, the
acceptance, the sampler's penalties, the rotary positions, the stream that ends the text. The loop itself, its rounds
and everything that judges them stay as they are.

    rollback off by one       one rejected row stays in the caches after every rejection
    stale rows                the row of a rejected draft takes the place of the token's own that stands there now
    rope shifted by one       rows of a verified block are turned by one position too many
    block-start penalty       every row of a block is penalised by the history at the block's start
    draft at the boundary     the rejected draft is emitted in place of the target's correction
    bonus after the end       one token more is emitted after a text has ended
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import mlx.core as mx
import mlx.nn as nn
from mlx_lm.models.cache import ArraysCache, RotatingKVCache

from engine import accept, decode, race
from engine.accept import Decision
from engine.cache import Transaction, leaves
from engine.sampling import Sampler
from engine.target import Target
from engine.text import TextStream

Needs = Literal["rejections", "penalty", "ending"]
Injection = Callable[[Target], contextlib.AbstractContextManager[None]]


@dataclass(frozen=True, slots=True)
class Fault:
    name: str
    about: str
    needs: Needs
    """What a text must have for the fault to show."""
    inject: Injection
    absent: Callable[[Target], str] = lambda _: ""
    """Why this target can't have the fault; empty where it can."""


@contextlib.contextmanager
def swapped(owner: Any, name: str, value: Any) -> Iterator[None]:
    """``owner.name`` is ``value`` for a while."""
    before = getattr(owner, name)
    setattr(owner, name, value)
    try:
        yield
    finally:
        setattr(owner, name, before)


# The caches


class _OffByOne(Transaction):
    def commit(self, n: int) -> None:
        super().commit(min(n + 1, self._rows))


class _Stale(Transaction):
    """Writes the rows of rejected drafts over those of the tokens that took their places."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.stale: list[tuple[Any, int, list[mx.array]]] = []

    def commit(self, n: int) -> None:
        stale, self.stale = self.stale, []
        if n < self._rows:
            for leaf in leaves(self.caches):
                at = _row_index(leaf) - (self._rows - n)
                self.stale.append((leaf, at, [mx.array(part[..., at : at + 1, :]) for part in _parts(leaf)]))
        for leaf, at, rows in stale:
            for part, row in zip(_parts(leaf), rows, strict=True):
                part[..., at : at + 1, :] = row
        super().commit(n)


def _row_index(leaf: Any) -> int:
    """Where the next row goes."""
    return int(leaf._idx if isinstance(leaf, RotatingKVCache) else leaf.offset)


def _parts(leaf: Any) -> list[mx.array]:
    """All arrays with a row a token."""
    return [a for part in (leaf.keys, leaf.values) for a in (part if isinstance(part, (tuple, list)) else (part,))]


def _without_rows(target: Target) -> str:
    if any(isinstance(leaf, (ArraysCache, RotatingKVCache)) for leaf in leaves(target.make_caches())):
        return "its caches hold a state or a window, not one row a token"
    return ""


def _transaction(kind: type[Transaction]) -> Injection:
    return lambda _: swapped(decode, "Transaction", kind)


# Positions


class _Shifted(nn.Module):  # type: ignore[misc]
    """Turns by one position more than it is told, while ``switch`` is on."""

    def __init__(self, rope: nn.Module, switch: list[bool]) -> None:
        super().__init__()
        self._held = (rope, switch)

    def __call__(self, x: mx.array, offset: Any = 0, **more: Any) -> mx.array:
        rope, switch = self._held
        turned: mx.array = rope(x, offset=offset + 1 if switch[0] else offset, **more)
        return turned


def ropes(model: nn.Module) -> list[tuple[nn.Module, str]]:
    """Modules that turn positions, by who holds them."""
    return [
        (module, name)
        for _, module in model.named_modules()
        if not _turns(type(module).__name__)
        for name, child in module.items()
        if isinstance(child, nn.Module) and (_turns(name) or _turns(type(child).__name__))
    ]


def _turns(name: str) -> bool:
    return any(word in name.lower() for word in ("rope", "rotary"))


@contextlib.contextmanager
def _rope_shifted(target: Target) -> Iterator[None]:
    switch = [False]

    class Switching(Transaction):
        def begin(self, rows: int) -> None:
            super().begin(rows)
            switch[0] = rows > 1

        def commit(self, n: int) -> None:
            switch[0] = False
            super().commit(n)

    found = ropes(target.model)
    with contextlib.ExitStack() as stack:
        stack.enter_context(swapped(decode, "Transaction", Switching))
        for owner, name in found:
            stack.enter_context(swapped(owner, name, _Shifted(getattr(owner, name), switch)))
        yield


# What is decided and emitted


def _block_start(_: Target) -> contextlib.AbstractContextManager[None]:
    real = Sampler.penalise

    def penalise(self: Sampler, logits: mx.array, history: Sequence[int], _: mx.array | None = None) -> mx.array:
        return mx.concatenate([real(self, logits[row : row + 1], history) for row in range(logits.shape[0])])

    return swapped(Sampler, "penalise", penalise)


def _draft_at_boundary(_: Target) -> contextlib.AbstractContextManager[None]:
    real = accept.accept_greedy

    def emits_the_draft(argmax: mx.array, tokens: mx.array) -> Decision:
        decision = real(argmax, tokens)
        if tokens.shape[0]:
            padded = mx.concatenate([tokens.astype(argmax.dtype), argmax[-1:]])
            decision.next_token = padded[decision.accepted]
        return decision

    return swapped(accept, "accept_greedy", emits_the_draft)


class _Late(TextStream):
    """Says one token too late that the text has ended."""

    _over = 0

    @property
    def stopped(self) -> str:
        return super().stopped if self._over else ""

    def push(self, token_id: int) -> str:
        if super().stopped:
            self._over += 1
            return ""
        return super().push(token_id)


FAULTS: tuple[Fault, ...] = (
    Fault(
        "rollback off by one", "one rejected row stays in the caches after every rejection", "rejections",
        _transaction(_OffByOne),
    ),
    Fault(
        "stale rows", "the cached row of a rejected draft takes the place of the right one", "rejections",
        _transaction(_Stale), _without_rows,
    ),
    Fault(
        "rope shifted by one", "rows of a block are turned by one position too many", "rejections", _rope_shifted,
        lambda target: "" if ropes(target.model) else "it has no rotary positions",
    ),
    Fault(
        "block-start penalty history", "all rows of a block are penalised by the history at its start", "penalty",
        _block_start,
    ),
    Fault(
        "draft emitted at the boundary", "the rejected draft is emitted, not the target's correction", "rejections",
        _draft_at_boundary,
    ),
    Fault(
        "bonus after the end", "one token more is emitted after the text has ended", "ending",
        lambda _: swapped(race, "TextStream", _Late),
    ),
)  # fmt: skip
