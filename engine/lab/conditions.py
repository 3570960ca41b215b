"""Under which conditions losslessness is checked again: one thing changed at a time.

The arm as it was given comes first, with two turns of a conversation, so that the second begins on caches that
speculation has written and rolled back. Then, each alone: no caches kept between turns, other blocks, other candidate
widths, quantised keys and values, a repetition penalty, other arithmetic, and drafts of every accepted length.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.arms import WITHOUT_CANDIDATES
from engine.lab.judgement import AS_IT_IS
from engine.lab.plan import Plan
from engine.lab.precision import PRECISIONS, Precision
from engine.trace.events import Arm

TWO_TURNS = 2
BY_ROW = "row by row"
SCRIPTED = "every accepted length"
SHORT_BLOCK = 5
SLOW: tuple[Precision, ...] = ("packed", "bfloat16")
"""Arithmetic that a CPU is slow at."""


@dataclass(frozen=True, slots=True)
class Condition:
    variation: str
    changes: Mapping[str, Any] = field(default_factory=dict)
    """Settings that differ from the arm's own."""
    precision: Precision = "native"
    turns: int = 1
    keeps: bool = True
    """Caches are kept between turns."""
    scripted: bool = False
    """Drafts are the known answer, wrong in turn at every place, whatever the arm's drafter."""
    by_row: bool = False
    """Rows of a block are computed one at a time, as the baseline's are: equal arithmetic, so nothing is excused."""


def conditions_of(arm: Arm, plan: Plan) -> list[Condition]:
    quick = plan.name == "quick"
    own = arm.settings
    # An answer of a quick plan is too short for every accepted length of a long block.
    block = min(own.block, SHORT_BLOCK) if quick else own.block
    found = [
        Condition(AS_IT_IS, turns=TWO_TURNS),
        Condition("prefix cache off", turns=TWO_TURNS, keeps=False),
        Condition(SCRIPTED, {} if block == own.block else {"block": block}, scripted=True),
    ]
    for block in (2, 16) if quick else (2, 3, 4, 5, 8, 16):
        if block != own.block:
            found.append(Condition(f"block {block}", {"block": block}))
    if not set(arm.drafter.split("+")) <= WITHOUT_CANDIDATES:
        for width in (1,) if quick else (1, 2, 4, 16, 32):
            if width != own.candidate_width:
                found.append(Condition(f"candidate width {width}", {"candidate_width": width}))
    if own.repetition_penalty == 1:
        changes = {"repetition_penalty": 1.3, "repetition_window_tokens": 32}
        found.append(Condition("repetition penalty 1.3", changes))
    # A last bit can turn a code of a quantised key into the next one, and no bound on that is worth having: equal
    # arithmetic leaves nothing to excuse.
    for bits in (8,) if quick else (8, 4):
        # A tree row by row is written for plain keys and values alone (``rig.ByRow``).
        if bits != own.kv_bits and not own.tree:
            found.append(Condition(f"cache of {bits} bits, {BY_ROW}", {"kv_bits": bits}, by_row=True))
    found.append(Condition(BY_ROW, by_row=True))
    found += [Condition(precision, precision=precision) for precision in PRECISIONS if precision != "native"]
    return found
