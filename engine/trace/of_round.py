"""What can be read off a single round: how much was drafted, verified, kept, and how long it took. Pure functions."""

from __future__ import annotations

from engine.trace.events import Round


def drafted_of(item: Round) -> int:
    """Drafts that a round had verified; of a tree those of all its branches."""
    return item.tree_rows - 1 if item.tree_rows else item.width


def rows_of(item: Round) -> int:
    """Rows of the target's forward."""
    return drafted_of(item) + 1


def own_s(item: Round) -> float:
    """The whole of a round's own time."""
    return item.draft_s + item.verify_s + item.accept_s + item.commit_s + item.other_s


def accepted_of(item: Round) -> int:
    """Drafts of this round that were emitted."""
    return item.origins.count("accepted")


def rejected_position(item: Round) -> int | None:
    """Position whose draft the target replaced, or None: all were kept, none was made, or the block was cut before."""
    return accepted_of(item) if "correction" in item.origins else None
