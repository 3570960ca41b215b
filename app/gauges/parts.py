"""A memory sample as parts that sum to the machine's memory. Pure arithmetic.

Measurements of machine and engine are taken by different counters and may disagree by a little. The named parts are
believed first; what the machine counts as used beyond the engine belongs to other programs, and the rest is free.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from engine.trace.events import MemorySample

MB = 2**20
GB = 2**30


class Kind(StrEnum):
    """In the order of the bar. The values name the colours of ``Theme``."""

    TARGET = "target"
    DRAFTER = "drafter"
    CACHES = "caches"
    DRAFTER_STATE = "drafter_state"
    ENGINE = "engine"
    """Activations and all else the engine holds."""
    ALLOCATOR = "allocator"
    OTHERS = "others"
    FREE = "free"


@dataclass(frozen=True, slots=True)
class Part:
    kind: Kind
    size_bytes: int


def parts_of(sample: MemorySample) -> list[Part]:
    """One part of each kind, in the order of ``Kind``; none is negative and they sum to ``machine_bytes``."""
    named = {
        Kind.TARGET: sample.target_weights_bytes,
        Kind.DRAFTER: sample.drafter_weights_bytes,
        Kind.CACHES: sample.kv_bytes,
        Kind.DRAFTER_STATE: sample.drafter_state_bytes,
    }
    engine_bytes = max(sample.process_bytes, sample.active_bytes + sample.allocator_bytes)
    wanted = named | {
        Kind.ENGINE: engine_bytes - sum(named.values()) - sample.allocator_bytes,
        Kind.ALLOCATOR: sample.allocator_bytes,
    }
    left = max(0, sample.machine_bytes)
    sizes: dict[Kind, int] = {}
    for kind, size_bytes in wanted.items():
        sizes[kind] = min(left, max(0, size_bytes))
        left -= sizes[kind]
    sizes[Kind.OTHERS] = max(0, left - max(0, sample.available_bytes))
    sizes[Kind.FREE] = left - sizes[Kind.OTHERS]
    return [Part(kind, sizes[kind]) for kind in Kind]


def used_bytes(parts: list[Part]) -> int:
    return sum(part.size_bytes for part in parts if part.kind is not Kind.FREE)


def widths_px(parts: list[Part], width_px: float, least_px: float = 2.0) -> list[float]:
    """Widths of the bar's segments. They sum to ``width_px``; a part that is not empty is never too thin to be seen,
    at the cost of the widest."""
    total = sum(part.size_bytes for part in parts)
    if total == 0:
        return [0.0 for _ in parts]
    widths = [max(least_px, part.size_bytes / total * width_px) if part.size_bytes else 0.0 for part in parts]
    widest = max(range(len(widths)), key=widths.__getitem__)
    widths[widest] -= sum(widths) - width_px
    return widths


def size_text(size_bytes: int, places: int = 1) -> str:
    """``5.1 GB``; below 0.1 GB whole megabytes: ``86 MB``."""
    if size_bytes < GB / 10:
        return f"{size_bytes / MB:.0f} MB"
    return f"{size_bytes / GB:.{places}f} GB"
