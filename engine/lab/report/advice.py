"""What follows from the figures for use: for what, not for what, with which block. Pure.

An arm that changes the text is never recommended, whatever its speed. A gain is named only where its interval lies
above 1; what can't be told from noise is said to be so.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from engine.lab.report import say
from engine.lab.report.answers import answers
from engine.lab.report.facts import Curve, Facts, ProfileArm
from engine.lab.report.right import changes_distribution, changes_text
from engine.trace.export.words import Translate

Use = Literal["use", "use with care", "don't use", "undecided"]


class Advice(Struct, frozen=True, kw_only=True):
    arm: str
    use: Use
    headline: str
    use_for: tuple[str, ...] = ()
    not_for: tuple[str, ...] = ()
    undecided: tuple[str, ...] = ()
    block: float | None = None
    block_reason: str = ""
    reasons: tuple[str, ...] = ()


def advice(facts: Facts, t: Translate) -> tuple[Advice, ...]:
    """One for each arm that drafts, the fastest first."""
    by_name = {arm.arm: arm for arm in facts.profile}
    listed = [
        of_arm(facts, arm.spec.name, by_name.get(arm.spec.name), t)
        for arm in facts.arms
        if arm.drafts and base_arm(arm.spec.name, facts)
    ]
    speed = {name: arm.speedup.value or 0 for name, arm in by_name.items()}
    return tuple(sorted(listed, key=lambda each: -speed.get(each.arm, 0)))


def base_arm(name: str, facts: Facts) -> bool:
    """An arm as it was asked for, not one of a sweep's variations."""
    return not facts.profile or any(arm.arm == name for arm in facts.profile)


def of_arm(facts: Facts, name: str, arm: ProfileArm | None, t: Translate) -> Advice:
    reasons: list[str] = []
    broken = faults(facts, name, t)
    speed = say.verdict_of(arm.speedup) if arm else "unknown"
    layers = arm.layers if arm else ()
    by = {
        kind: tuple(
            f"{say.layer(e.kind, e.layer, t)} {say.factor(e.speedup)}"
            for e in layers
            if say.verdict_of(e.speedup) == kind and e.kind != "source"
        )
        for kind in ("gain", "loss", "noise")
    }
    not_for = [*by["loss"], *at_load(facts, name, t), *along(facts, name, t)]
    if arm:
        measured = say.factor(arm.speedup)
        reasons.append(t("Measured speedup: {speedup} over {n} samples.", speedup=measured, n=arm.samples))
    reasons += broken
    if lossless_unknown(facts):
        reasons.append(t("Whether the text stays the target's own was not shown here."))
    use: Use
    if broken:
        use, headline = "don't use", t("Don't use {arm} here: it does not keep what it promises.", arm=name)
    elif speed == "gain":
        careful = bool(not_for) or lossless_unknown(facts)
        use = "use with care" if careful else "use"
        kind = "Use {arm} here, within limits." if careful else "Use {arm} here."
        headline = t(kind, arm=name)
    elif speed == "loss":
        use, headline = "don't use", t("Don't use {arm} here: the target alone is faster.", arm=name)
        if by["gain"]:
            use, headline = "use with care", t("Use {arm} for some kinds of text only.", arm=name)
    elif by["gain"]:
        use, headline = "use with care", t("Use {arm} for some kinds of text only.", arm=name)
    elif arm is None or arm.speedup.value is None:
        use, headline = "undecided", t("Nothing can be recommended about {arm}: its speed was not measured.", arm=name)
    else:
        use, headline = "undecided", t("Nothing can be recommended about {arm}: its gain can't be told from noise.",
                                       arm=name)  # fmt: skip
    block, why = best_block(facts, name, t)
    recommended = use in ("use", "use with care")
    return Advice(
        arm=name, use=use, headline=headline, use_for=by["gain"] if recommended else (), not_for=tuple(not_for),
        undecided=(*by["noise"], *at_load(facts, name, t, surely=False)),
        block=block if recommended else None, block_reason=why if recommended else "",
        reasons=tuple(reasons),
    )  # fmt: skip


def faults(facts: Facts, name: str, t: Translate) -> list[str]:
    """Why an arm must not be used at any speed."""
    found = []
    if facts.lossless is not None:
        own = next((arm for arm in facts.lossless.arms if arm.arm == name), None)
        if (own is not None and own.status == "fail") or (own is None and changes_text(facts.lossless)):
            found.append(t("It changes the text."))
    if changes_distribution(facts.sampled):
        found.append(t("With sampling, its text is not distributed as the target's own."))
    if facts.stability is not None and facts.stability.grows:
        found.append(t("Memory grows while it runs."))
    return found


def lossless_unknown(facts: Facts) -> bool:
    return next(a for a in answers(facts, lambda text, **_: text) if a.question == "lossless").tone == "open"


def at_load(facts: Facts, name: str, t: Translate, surely: bool = True) -> list[str]:
    """Loads at which an arm is slower: beyond noise, or only seemingly."""
    if facts.concurrency is None:
        return []
    return [
        t("{n} and more requests at once", n=say.plain_number(curve.break_even))
        for curve in facts.concurrency.curves
        if curve.arm == name and curve.regime == "batching" and curve.break_even is not None and curve.surely is surely
    ]


def along(facts: Facts, name: str, t: Translate) -> list[str]:
    return [
        t("{place} and more", place=say.at(curve, curve.surely, t))
        for curve in facts.curves
        if curve.arm == name and curve.surely is not None and curve.axis in ("context_tokens", "temperature", "block")
    ]


def best_block(facts: Facts, name: str, t: Translate) -> tuple[float | None, str]:
    curve: Curve | None = next((c for c in facts.curves if c.arm == name and c.axis == "block"), None)
    if curve is None or curve.knee is None:
        return None, ""
    point = next((p for p in curve.points if p.x == curve.knee), None)
    speed = say.factor(point.speedup) if point else ""
    if curve.knee_at_end:
        why = t("the largest that was tested, and the fastest ({speedup})", speedup=speed)
    else:
        why = t("the smallest that is within 2 % of the fastest ({speedup})", speedup=speed)
    return curve.knee, why
