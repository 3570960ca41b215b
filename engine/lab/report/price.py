"""What does it cost, and can a failure be seen?"""

from __future__ import annotations

from collections.abc import Iterator

from engine.lab.report import say
from engine.lab.report.answer import Answer, Tone
from engine.lab.report.facts import Facts, ProfileArm
from engine.trace.export.words import Translate

WEAK_POSITION = 0.3
"""Conditional acceptance below this is called weak."""
HEAVY = 0.25
"""A drafter of more than this share of the target's weights is heavy."""
LEAST_REACHED = 10


def cost(facts: Facts, t: Translate) -> Answer:
    sentences: list[str] = []
    heavy = False
    for arm in facts.arms:
        if not arm.drafts:
            continue
        if arm.drafter is not None and arm.drafter.weights_bytes and arm.target is not None:
            part = arm.drafter.weights_bytes / max(1, arm.target.weights_bytes)
            heavy = heavy or part > HEAVY
            sentences.append(
                t(
                    "{arm}: its drafter takes {size}, {share} of the target's weights.",
                    arm=arm.spec.name,
                    size=say.bytes_text(arm.drafter.weights_bytes),
                    share=say.share(part),
                )
            )
            sentences.append(
                t(
                    "{arm}: its drafter belongs to this target; another target, or a new version of it, needs another "
                    "drafter.",
                    arm=arm.spec.name,
                )
            )
        else:
            sentences.append(
                t("{arm}: it holds no weights and needs no training; it works with any target.", arm=arm.spec.name)
            )
    for found in facts.profile:
        if found.draft_share.value is not None:
            sentences.append(
                t("{arm}: drafting takes {share} of the decode time; {wasted} of the drafts are dropped.",
                  arm=found.arm, share=say.percent(found.draft_share), wasted=say.percent(found.wasted_share))
            )  # fmt: skip
    for curve in facts.curves:
        point = next((p for p in curve.points if p.x == curve.base and p.kv_bytes), None)
        if curve.axis == "block" and point is not None:
            sentences.append(
                t(
                    "{arm}: the target's caches take up to {kv} in the sweep, the drafter's own {state}; all arms of a "
                    "race and the weights together {peak}.",
                    arm=curve.arm,
                    kv=say.bytes_text(point.kv_bytes or 0),
                    state=say.bytes_text(point.state_bytes or 0),
                    peak=say.bytes_text(point.peak_bytes or 0),
                )
            )
    stable = facts.stability
    grows = stable is not None and stable.grows
    if stable is not None and stable.slope_bytes_per_1000_rounds is not None:
        kind = (
            "Over {n} rounds memory grew by {size} per 1,000 rounds: long sessions will run out of it."
            if grows
            else "Over {n} rounds memory did not grow (slope {size} per 1,000 rounds)."
        )
        sentences.append(t(kind, n=stable.rounds, size=say.bytes_text(stable.slope_bytes_per_1000_rounds)))
    if not sentences:
        return Answer(
            question="cost", tone="open", headline=t("Not tested."),
            sentences=(t("No lab gave figures of memory or of drafting time."),),
        )  # fmt: skip
    if grows:
        tone: Tone = "bad"
        headline = t("Memory grows without end.")
    elif not facts.profile and stable is None:
        tone, headline = "open", t("Not measured: only the weights are known.")
    elif heavy:
        tone, headline = "mixed", t("Memory for the drafter, and time for drafting.")
    else:
        tone, headline = "good", t("Little memory, and time for drafting.")
    evidence = tuple(lab for lab, there in (("profile", facts.profile), ("stability", stable)) if there)
    return Answer(question="cost", tone=tone, headline=headline, sentences=tuple(sentences), evidence=evidence)


def seen(facts: Facts, t: Translate) -> Answer:
    sentences: list[str] = []
    for arm in facts.profile:
        sentences += _weakest(arm, t)
    traces = sum(len(lab.traces) for lab in facts.labs)
    if traces:
        sentences.append(
            t("{n} traces hold each round's drafts, what was accepted, where it was rejected and what it cost: every "
              "figure here can be followed to the rounds behind it.", n=traces)
        )  # fmt: skip
    stable = facts.stability
    failed: list[str] = []
    if stable is not None and stable.checks:
        failed = [check.name for check in stable.checks if not check.ok]
        if failed:
            sentences.append(t("Of {n} disturbances these were not handled: {names}.", n=len(stable.checks),
                               names=say.listed(failed, t)))  # fmt: skip
        else:
            sentences.append(
                t("All {n} disturbances (odd inputs, cancels, time-outs, long runs) ended as they should, and the "
                  "state afterwards was the same as before.", n=len(stable.checks))
            )  # fmt: skip
    if not sentences:
        return Answer(
            question="seen", tone="open", headline=t("Not tested."),
            sentences=(t("No lab left traces to look into."),),
        )  # fmt: skip
    tone: Tone = "bad" if failed else "good" if stable is not None else "mixed"
    headline = {
        "bad": t("A disturbance was not handled."),
        "good": t("Yes: by position, by request and by kind of text."),
        "mixed": t("By position, by request and by kind of text; disturbances were not tested."),
    }[tone]
    evidence = tuple(lab for lab, there in (("profile", facts.profile), ("stability", stable)) if there)
    return Answer(question="seen", tone=tone, headline=headline, sentences=tuple(sentences), evidence=evidence)


def _weakest(arm: ProfileArm, t: Translate) -> Iterator[str]:
    told = {
        "falls": "{arm}: conditional acceptance falls along the block (from {first} at position 1 to {last} at "
        "position {k}): later positions don't know what earlier ones chose.",
        "flat": "{arm}: conditional acceptance stays flat along the block (from {first} at position 1 to {last} at "
        "position {k}): what falls is only the chance of getting that far.",
        "undecided": "{arm}: whether conditional acceptance falls along the block can't be told from so few rounds.",
    }
    known = [p for p in arm.positions if p.conditional.value is not None]
    if known:
        yield t(told.get(arm.decay, told["undecided"]), arm=arm.arm, first=say.interval(known[0].conditional),
                last=say.interval(known[-1].conditional), k=known[-1].position)  # fmt: skip
    weak = next(
        (
            p
            for p in known
            if p.n >= LEAST_REACHED and p.conditional.high is not None and p.conditional.high < WEAK_POSITION
        ),
        None,
    )
    if weak is not None:
        yield t("{arm}: at position {k}, the first such, fewer than {limit} of the drafts that are reached are kept.",
                arm=arm.arm, k=weak.position, limit=say.share(WEAK_POSITION))  # fmt: skip
    layers = [e for e in arm.layers if e.accepted_length.value is not None and e.kind in ("task", "language", "format")]
    if len(layers) > 1:
        best = max(layers, key=lambda e: e.accepted_length.value or 0)
        worst = min(layers, key=lambda e: e.accepted_length.value or 0)
        yield t(
            "{arm}: acceptance is longest on {best} ({high}) and shortest on {worst} ({low}).", arm=arm.arm,
            best=say.layer(best.kind, best.layer, t), high=say.interval(best.accepted_length),
            worst=say.layer(worst.kind, worst.layer, t), low=say.interval(worst.accepted_length),
        )  # fmt: skip
