"""A trace as CSV: one round a line, the same columns in every version of this format.

Texts are written as JSON strings and lists as JSON lists, so that line breaks and quotes survive, and a spreadsheet
never takes a text for a formula.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from typing import Any

from engine.trace.events import Round
from engine.trace.file import Trace
from engine.trace.of_round import own_s, rejected_position

Cell = Callable[[Round], Any]


def _field(name: str) -> Cell:
    return lambda item: getattr(item, name)


def _list(name: str) -> Cell:
    return lambda item: json.dumps(getattr(item, name)) if getattr(item, name) else ""


def _origin(name: str) -> Cell:
    return lambda item: item.origins.count(name)


COLUMNS: dict[str, Cell] = {
    **{name: _field(name) for name in ("arm", "turn", "index", "t_s", "context_tokens", "requested_width", "width")},
    **{name: _field(name) for name in ("width_reason", "source", "emitted_tokens")},
    "accepted": _origin("accepted"),
    "corrections": _origin("correction"),
    "bonuses": _origin("bonus"),
    "plain": _origin("plain"),
    "rejected_position": rejected_position,
    **{name: _field(name) for name in ("draft_s", "verify_s", "accept_s", "commit_s", "other_s")},
    "own_s": own_s,
    **{name: _field(name) for name in ("split", "target_forwards", "drafter_forwards", "active_bytes")},
    **{name: _field(name) for name in ("allocator_bytes", "peak_bytes", "kv_bytes", "drafter_state_bytes")},
    **{name: _field(name) for name in ("fallback", "near_tie", "warning")},
    "origins": lambda item: " ".join(item.origins),
    **{name: _list(name) for name in ("draft_ids", "draft_q", "draft_p", "target_ids", "margins", "emitted_ids")},
    "text": lambda item: json.dumps("".join(item.pieces), ensure_ascii=False) if item.pieces else "",
    "tree_rows": _field("tree_rows"),
}


def to_csv(trace: Trace) -> str:
    """All rounds of all arms, in order of happening."""
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow(COLUMNS)
    for event in trace.events:
        if isinstance(event, Round):
            writer.writerow([_cell(value(event)) for value in COLUMNS.values()])
    return lines.getvalue()


def _cell(value: Any) -> Any:
    match value:
        case bool():
            return int(value)
        case str() if value.startswith(("=", "+", "-", "@", "\t", "\r")):
            return "'" + value
    return value
