"""What is said to a person: a sentence, or a function that says it in the language of the moment.

News that stays on the window while the language changes is given as a function, so that it can be said again.
"""

from __future__ import annotations

from collections.abc import Callable

Said = str | Callable[[], str]


def now(said: Said) -> str:
    return said if isinstance(said, str) else said()
