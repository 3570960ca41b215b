"""The machine's memory pressure, asked seldom enough to cost nothing, and the sentences it leads to.

``host.pressure`` is the one place that reads it: macOS's own level, on Linux a share of what is available.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from engine import host
from engine.host import Pressure

ASK_EVERY_S = 0.5
EASE_EVERY_S = 10.0
"""While a warning lasts, caches are not emptied more often."""


class PressureWatch:
    def __init__(
        self,
        read: Callable[[], Pressure] | None = None,
        clock: Callable[[], float] = time.monotonic,
        ask_every_s: float = ASK_EVERY_S,
    ) -> None:
        self._read, self._clock, self._every_s = read, clock, ask_every_s
        self._asked_s = self._eased_s = float("-inf")
        self._level: Pressure = "normal"

    def level(self) -> Pressure:
        now = self._clock()
        if now - self._asked_s >= self._every_s:
            self._asked_s = now
            self._level = (self._read or host.pressure)()
        return self._level

    def should_ease(self) -> bool:
        """Whether caches are to be emptied now; True once in a while, as long as the pressure lasts."""
        now = self._clock()
        if self.level() == "normal" or now - self._eased_s < EASE_EVERY_S:
            return False
        self._eased_s = now
        return True

    def stop_reason(self) -> str:
        """Why what runs has to stop; empty where it may go on."""
        if self.level() != "critical":
            return ""
        free = host.available_bytes() / 1024**3
        here = "This Mac" if host.ON_MAC else "This machine"
        return (
            f"{here} is almost out of memory ({free:.1f} GB free): the answer was stopped and its text is kept. Close "
            "other programs, or choose a smaller model."
        )


def eased_sentence(freed_bytes: int) -> str:
    return (
        f"Memory is short on this machine: caches of {freed_bytes / 1024**3:.2f} GB were given back. The next turn may "
        "take longer to begin."
    )
