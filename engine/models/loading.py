"""A load can be watched and stopped, however deep in it the work is done.

    with watched(on_step, stopped):
        load_target(name)          ... which calls ``step`` between two pieces of work

One load runs at a time on the thread that owns MLX; ``step`` outside of a watched load does nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from engine.models.fetch import Stopped

OnStep = Callable[[int, int, str], None]
"""Done, of how many, in which unit."""

_watch: ContextVar[tuple[OnStep, Callable[[], bool]] | None] = ContextVar("load", default=None)


@contextmanager
def watched(on_step: OnStep, stopped: Callable[[], bool]) -> Iterator[None]:
    token = _watch.set((on_step, stopped))
    try:
        yield
    finally:
        _watch.reset(token)


def step(done: int, total: int, unit: str = "bytes") -> None:
    """Raises ``Stopped`` where the load is not wanted any more."""
    watch = _watch.get()
    if watch is None:
        return
    on_step, stopped = watch
    if stopped():
        raise Stopped("Loading was stopped.")
    on_step(done, total, unit)
