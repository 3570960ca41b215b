"""What the settings dialog offers for each decoding setting: kind, sensible range and step, by group.

What can run at all is said by ``engine.trace.limits``; the ranges here lie inside it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from engine.trace.limits import MAX_BLOCK, MAX_TEMPERATURE


@dataclass(frozen=True, slots=True)
class Field:
    name: str
    kind: Literal["int", "float", "flag", "choice", "strings"]
    least: float = 0
    most: float = 0
    """What can be typed."""
    usual_most: float = 0
    """Where the arrows end, if before that."""
    step: float = 1
    decimals: int = 0
    choices: tuple[int, ...] = ()
    group: Literal["drafting", "sampling", "limits", "advanced"] = "sampling"


FIELDS = (
    Field("block", "int", 1, MAX_BLOCK, group="drafting"),
    Field("candidate_width", "int", 1, 256, group="drafting"),
    Field("injected_layers", "int", -1, 64, group="drafting"),
    Field("confidence_threshold", "float", 0, 0.99, 0, 0.05, 2, group="drafting"),
    Field("tree", "flag", group="drafting"),
    Field("fallback", "flag", group="drafting"),
    Field("temperature", "float", 0, MAX_TEMPERATURE, 2, 0.1, 2),
    Field("top_p", "float", 0.01, 1, 0, 0.05, 2),
    Field("top_k", "int", 0, 1000),
    Field("min_p", "float", 0, 0.99, 0, 0.01, 2),
    Field("repetition_penalty", "float", 0.5, 2, 0, 0.05, 2),
    Field("repetition_window_tokens", "int", 1, 4096, 0, 16),
    Field("seed", "int", 0, 2**31 - 1),
    Field("max_tokens", "int", -1, 131072, 0, 64, group="limits"),
    Field("stop", "strings", group="limits"),
    Field("kv_bits", "choice", choices=(0, 8, 4), group="advanced"),
    Field("timing_every", "int", 0, 1000, group="advanced"),
)


def parse_stops(text: str) -> tuple[str, ...]:
    """One stop string a line; ``\\n`` and ``\\t`` stand for line break and tab."""
    lines = [line for line in text.split("\n") if line]
    return tuple(line.replace("\\n", "\n").replace("\\t", "\t") for line in lines)


def write_stops(stops: tuple[str, ...]) -> str:
    return "\n".join(stop.replace("\n", "\\n").replace("\t", "\\t") for stop in stops)
