"""Rounds for tests: stated by outcome, or many at random."""

from __future__ import annotations

import random

from engine.trace.events import Origin, Round


def make_round(
    index: int,
    accepted: int,
    width: int = 7,
    *,
    arm: str = "E",
    turn: int = 1,
    emitted: int | None = None,
    p: float = 0.9,
    requested: int = 7,
    reason: str = "",
) -> Round:
    """A round whose first ``accepted`` drafts the rule kept; ``emitted`` below ``accepted + 1`` cuts the block."""
    own: Origin = "plain" if width == 0 else "bonus" if accepted == width else "correction"
    origins: list[Origin] = ["accepted"] * accepted + [own]
    origins = origins[: accepted + 1 if emitted is None else emitted]
    return Round(
        arm=arm,
        turn=turn,
        index=index,
        t_s=index / 10,
        context_tokens=20,
        requested_width=requested,
        width=width,
        width_reason=reason,
        source="lookup" if width else "",
        draft_ids=tuple(range(width)),
        draft_q=tuple(0.5 for _ in range(width)),
        draft_p=tuple(p if k < accepted else 0.125 for k in range(width)),
        target_ids=tuple(range(width + 1)),
        margins=tuple(1.25 for _ in range(width + 1)),
        accepted=accepted,
        emitted_ids=tuple(range(len(origins))),
        emitted_tokens=len(origins),
        origins=tuple(origins),
        pieces=tuple("x" for _ in origins),
        draft_texts=tuple(f" d{k}" for k in range(1, width + 1)),
        target_texts=tuple(f"<t{k}>" for k in range(1, width + 2)),
        draft_s=0.004,
        verify_s=0.02,
        accept_s=0.001,
        commit_s=0.0005,
        other_s=0.0001,
    )


def many_rounds(count: int, columns: int = 7, *, arm: str = "E", seed: int = 0) -> list[Round]:
    draw = random.Random(seed)
    rounds = [make_round(0, 0, 0, arm=arm, requested=columns)]
    for index in range(1, count):
        width = draw.choice([columns, columns, columns, columns // 2, 0])
        accepted = 0
        while accepted < width and draw.random() < 0.75:
            accepted += 1
        rounds.append(make_round(index, accepted, width, arm=arm, p=draw.random(), requested=columns))
    return rounds[:count]
