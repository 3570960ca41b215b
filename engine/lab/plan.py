"""What the labs run on: samples, tokens, a seed and sizes. ``quick`` fits half an hour on two cores; ``full`` uses all.

The samples are those of ``resources/prompts/lab.json`` or of a user's own file of the same form; ``engine.lab.samples``
says what such a file must be. A plan's samples are chosen so that every length, task, language and format is there as
evenly as their number allows, in an order whose every beginning is even too: ``some(n)`` takes that beginning.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct, field

from engine.lab.result import LabError
from engine.paths import resources_dir

PlanName = Literal["quick", "full"]
PLANS: tuple[PlanName, ...] = ("quick", "full")
SAMPLES_FILE = resources_dir() / "prompts" / "lab.json"
QUICK_PROMPTS = 12
QUICK_TOKENS = 64
FULL_TOKENS = 256

LAYERS: dict[str, tuple[str, ...]] = {
    "length": ("short", "medium", "long"),
    "task": ("cloze", "open", "summary", "code", "question", "edit", "extract"),
    "language": ("en", "zh", "mixed"),
    "format": ("plain", "list", "table", "code", "json"),
}


class Sample(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One prompt and the layers it belongs to. ``format`` is the format of the answer that it asks for."""

    name: str
    """Unique; results name samples by it, never by their text."""
    prompt: str
    length: str
    task: str
    language: str
    format: str

    def layer(self, kind: str) -> str:
        return str(getattr(self, kind))


class Plan(Struct, frozen=True, kw_only=True):
    name: PlanName
    prompts: tuple[Sample, ...]
    tokens: int
    """Most tokens an answer has."""
    seed: int = 0
    sizes: dict[str, int] = field(default_factory=dict)
    """By name, in place of what a lab takes by itself: rounds, repeats, samples drawn."""

    def size(self, name: str, quick: int, full: int) -> int:
        """How large a lab's step is in this plan."""
        return self.sizes.get(name, quick if self.name == "quick" else full)

    def some(self, count: int) -> tuple[Sample, ...]:
        """The first ``count`` samples: as evenly layered as that number allows."""
        return self.prompts[:count]


def read_samples(file: Path | None = None) -> tuple[Sample, ...]:
    """Samples of a file, as they stand there. Raises ``LabError``."""
    source = file or SAMPLES_FILE
    try:
        listed = msgspec.json.decode(source.read_bytes(), type=tuple[Sample, ...])
    except OSError as error:
        raise LabError(f"{source} can't be read ({(error.strerror or str(error)).lower()}).") from error
    except (msgspec.DecodeError, ValueError) as error:
        raise LabError(
            f"{source} holds no samples ({error}): it must be a JSON list of objects with name, prompt, length, task, "
            "language and format."
        ) from error
    if not listed:
        raise LabError(f"{source} holds no samples: write at least one.")
    return listed


def evenly(samples: Sequence[Sample]) -> tuple[Sample, ...]:
    """All samples, each next one from the layers that were used least so far."""
    used: Counter[tuple[str, str]] = Counter()
    rest, ordered = list(samples), []
    while rest:
        best = min(rest, key=lambda s: sum(used[kind, s.layer(kind)] for kind in LAYERS))
        rest.remove(best)
        ordered.append(best)
        used.update((kind, best.layer(kind)) for kind in LAYERS)
    return tuple(ordered)


def make_plan(
    name: PlanName = "quick",
    samples: Sequence[Sample] | None = None,
    seed: int = 0,
    sizes: dict[str, int] | None = None,
    tokens: int = 0,
) -> Plan:
    """``tokens`` 0: what the plan takes by itself. Raises ``LabError``."""
    ordered = evenly(read_samples() if samples is None else samples)
    if name == "quick":
        ordered = ordered[:QUICK_PROMPTS]
    return Plan(
        name=name, prompts=ordered, tokens=tokens or (QUICK_TOKENS if name == "quick" else FULL_TOKENS), seed=seed,
        sizes=sizes or {},
    )  # fmt: skip
