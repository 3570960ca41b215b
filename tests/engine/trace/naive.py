"""The same numbers once more, each straight from its definition and with no regard for cost."""

from __future__ import annotations

from typing import Any

from engine.trace.events import Round


def share(part: float, whole: float) -> float | None:
    return None if whole == 0 else part / whole


def whole_s(r: Round) -> float:
    return sum((r.draft_s, r.verify_s, r.accept_s, r.commit_s, r.other_s))


def numbers(rounds: list[Round]) -> dict[str, Any]:
    everything = [origin for r in rounds for origin in r.origins]
    drafting = [r for r in rounds if r.width > 0]
    a = {id(r): len([o for o in r.origins if o == "accepted"]) for r in rounds}
    corrected = {id(r): any(o == "correction" for o in r.origins) for r in rounds}
    widest = max((r.width for r in rounds), default=0)
    positions = range(1, widest + 1)
    n = [len([r for r in rounds if r.width >= k]) for k in positions]
    kept = [len([r for r in rounds if r.width >= k and a[id(r)] >= k]) for k in positions]
    judged = [
        len([r for r in rounds if r.width >= k and (a[id(r)] >= k or (a[id(r)] == k - 1 and corrected[id(r)]))])
        for k in positions
    ]
    decode = [r for r in rounds if r.index > 0]
    split = [r for r in decode if r.split]
    accepted, drafted = everything.count("accepted"), sum(r.width for r in rounds)
    decoded = sum(r.emitted_tokens for r in decode)
    decode_s = sum(whole_s(r) for r in decode)
    firsts = [whole_s(r) for r in rounds if r.index == 0]
    return {
        "turns": len({r.turn for r in rounds}),
        "rounds": len(rounds),
        "drafting_rounds": len(drafting),
        "emitted": len(everything),
        "accepted": accepted,
        "corrections": everything.count("correction"),
        "bonuses": everything.count("bonus"),
        "plain": everything.count("plain"),
        "drafted": drafted,
        "target_forwards": sum(r.target_forwards for r in rounds),
        "drafter_forwards": sum(r.drafter_forwards for r in rounds),
        "tokens_per_forward": share(len(everything), sum(r.target_forwards for r in rounds)),
        "mean_accepted_length": None if not drafting else 1 + accepted / len(drafting),
        "mean_accepted_drafts": share(accepted, len(drafting)),
        "draft_acceptance_rate": share(accepted, drafted),
        "wasted_share": share(drafted - accepted, drafted),
        "drafted_by_position": n,
        "accepted_by_position": kept,
        "reached_by_position": judged,
        "rejected_by_position": [len([r for r in rounds if corrected[id(r)] and a[id(r)] == k - 1]) for k in positions],
        "survival_by_position": [share(x, y) for x, y in zip(kept, n, strict=True)],
        "conditional_by_position": [share(x, y) for x, y in zip(kept, judged, strict=True)],
        "accepted_length_histogram": [len([r for r in drafting if a[id(r)] == k]) for k in range(widest + 1)],
        "rollbacks": len([r for r in drafting if a[id(r)] < r.width]),
        "draft_s": sum(r.draft_s for r in decode),
        "verify_s": sum(r.verify_s for r in decode),
        "decode_s": decode_s,
        "split_rounds": len(split),
        "draft_share": draft_share(decode),
        "tokens_per_s": share(decoded, decode_s),
        "time_per_token_s": share(decode_s, decoded),
        "time_to_first_token_s": share(sum(firsts), len(firsts)),
        "active_bytes": max((r.active_bytes for r in rounds), default=0),
        "peak_bytes": max((r.peak_bytes for r in rounds), default=0),
        "kv_bytes": max((r.kv_bytes for r in rounds), default=0),
        "active_growth_bytes": rounds[-1].active_bytes - rounds[0].active_bytes if rounds else 0,
        "fallback_rounds": len([r for r in rounds if r.fallback]),
        "near_ties": len([r for r in rounds if r.near_tie]),
        "width_reasons": {
            why: len([r for r in rounds if r.width < r.requested_width and r.width_reason == why])
            for why in {r.width_reason for r in rounds if r.width < r.requested_width}
        },
        "warnings": list(dict.fromkeys(r.warning for r in rounds if r.warning)),
    }


def draft_share(decode: list[Round]) -> float | None:
    """Each round's draft, its own where it was timed apart, else the mean of its drafter's that were."""
    drafted = 0.0
    for r in decode:
        drafter = r.source if r.width else ""
        known = [x.draft_s for x in decode if (x.source if x.width else "") == drafter and x.split]
        if not known:
            return None
        drafted += r.draft_s if r.split else sum(known) / len(known)
    return share(drafted, sum(whole_s(r) for r in decode))
