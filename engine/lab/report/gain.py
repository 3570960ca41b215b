"""Where does the gain come from, and when does it vanish?"""

from __future__ import annotations

import math
from collections.abc import Iterator

from engine.lab.report import say
from engine.lab.report.answer import Answer, Tone
from engine.lab.report.facts import Curve, Facts, LoadCurve, Parts, ProfileArm
from engine.trace.export.words import Translate

UNEXPLAINED = 0.1
"""A rest of this size is said to be one."""


def source(facts: Facts, t: Translate) -> Answer:
    parts = [part for part in facts.parts if part.measured.value is not None]
    sentences = [sentence for part in parts for sentence in _factors(facts, part, t)]
    named = {part.arm for part in parts}
    for arm in facts.profile:
        if arm.arm not in named and arm.accepted_length.value is not None:
            sentences.append(
                t(
                    "{arm}: {length} tokens a drafting round, the target's own included, of which drafting takes "
                    "{share} of the time; the speedup is {speedup}. What each part brings was not taken apart.",
                    arm=arm.arm,
                    length=say.interval(arm.accepted_length),
                    share=say.percent(arm.draft_share),
                    speedup=say.factor(arm.speedup),
                )
            )
    gains = {arm.arm: say.verdict_of(arm.speedup) for arm in facts.profile}
    gains |= {p.arm: say.verdict_of(p.measured) for p in parts if gains.get(p.arm, "unknown") == "unknown"}
    if not sentences:
        return Answer(
            question="source", tone="open", headline=t("Not tested."),
            sentences=(t("Neither profile nor attribution was run here."),),
        )  # fmt: skip
    tone: Tone = "open"
    headline = t("No gain can be told from noise.")
    if "gain" in gains.values():
        tone = "good"
        winners = [name for name, gain in gains.items() if gain == "gain"]
        headline = _source_headline(winners, parts, t)
    elif gains and all(gain == "loss" for gain in gains.values()):
        tone, headline = "bad", t("There is no gain: every drafter is slower than the target alone.")
    elif gains and all(gain == "unknown" for gain in gains.values()):
        headline = t("Not known: too few samples.")
    evidence = tuple(lab for lab, there in (("profile", facts.profile), ("attribution", parts)) if there)
    return Answer(question="source", tone=tone, headline=headline, sentences=tuple(sentences), evidence=evidence)


def _source_headline(winners: list[str], parts: list[Parts], t: Translate) -> str:
    by = {p.arm: by_length(p) for p in parts if p.arm in winners}
    longer = [name for name, yes in by.items() if yes]
    cheaper = [name for name, yes in by.items() if yes is False]
    said = [
        t("from longer acceptance ({names})", names=say.listed(longer, t)) if longer else "",
        t("from cheaper rounds ({names})", names=say.listed(cheaper, t)) if cheaper else "",
    ]
    if not longer and not cheaper:
        return t("There is a gain ({names}).", names=say.listed(winners, t))
    return t("The gain comes {where}.", where=t("; ").join(filter(None, said)))


def by_length(part: Parts) -> bool | None:
    """Whether accepted length brings more than all costs together save; None where a factor is missing."""
    costs = [part.draft.value, part.verify.value, part.overhead.value]
    if part.accepted_length.value is None or any(cost is None for cost in costs):
        return None
    return part.accepted_length.value > math.prod(cost for cost in costs if cost is not None)


def _factors(facts: Facts, part: Parts, t: Translate) -> Iterator[str]:
    yield t(
        "{where}, {arm} against {against}: {measured} measured. Accepted length brings {length}; drafting costs "
        "{draft}, verifying more rows {verify}, everything else {overhead}.",
        where=say.under(facts, t), arm=part.arm, against=part.against, measured=say.factor(part.measured),
        length=say.factor(part.accepted_length), draft=say.factor(part.draft), verify=say.factor(part.verify),
        overhead=say.factor(part.overhead),
    )  # fmt: skip
    if part.rest.value is not None and part.predicted.value is not None:
        rest = part.rest.value - 1
        kind = (
            "The parts predict {predicted}; {rest} of the measured speed is not explained by them."
            if abs(rest) >= UNEXPLAINED
            else "The parts predict {predicted}, within {rest} of what was measured."
        )
        yield t(kind, predicted=say.factor(part.predicted), rest=say.share(abs(rest)))
    if say.verdict_of(part.measured) == "noise":
        yield t("{arm}: the interval holds 1, so this gain can't be told from noise.", arm=part.arm)


def limits(facts: Facts, t: Translate) -> Answer:
    sentences: list[str] = []
    for arm in facts.profile:
        sentences += _by_layer(arm, t)
    for curve in facts.curves:
        sentences += _along(curve, t)
    if facts.concurrency is not None:
        for loads in facts.concurrency.curves:
            sentences += _under_load(loads, t)
        if facts.concurrency.rows_equal is False:
            sentences.append(t("Rows of a batch do not give the ids that they give alone: the batch changes the text."))
    if not sentences:
        return Answer(
            question="limits", tone="open", headline=t("Not tested."),
            sentences=(t("Neither profile, sweep nor concurrency gave figures here."),),
        )  # fmt: skip
    lost = _lost(facts, t)
    gain = any(say.verdict_of(arm.speedup) == "gain" for arm in facts.profile)
    if lost:
        tone: Tone = "mixed" if gain else "bad"
        headline = t("It turns into a loss: {names}.", names=say.listed(lost[:4], t))
    elif gain:
        tone, headline = "good", t("Nowhere that was tested.")
    else:
        tone, headline = "open", t("There was no gain to vanish, or it can't be told from noise.")
    evidence = tuple(
        lab
        for lab, there in (
            ("profile", facts.profile), ("sweep", facts.curves), ("concurrency", facts.concurrency)
        )
        if there
    )  # fmt: skip
    return Answer(question="limits", tone=tone, headline=headline, sentences=tuple(sentences), evidence=evidence)


def _lost(facts: Facts, t: Translate) -> list[str]:
    """Conditions under which an arm is surely slower than the target alone."""
    found = [
        t("{arm} on {layer}", arm=arm.arm, layer=say.layer(each.kind, each.layer, t))
        for arm in facts.profile
        for each in arm.layers
        if say.verdict_of(each.speedup) == "loss"
    ]
    found += [
        t("{arm} at {place}", arm=curve.arm, place=say.at(curve, curve.surely, t))
        for curve in facts.curves
        if curve.surely is not None
    ]
    if facts.concurrency is not None:
        found += [
            t("{arm} with {n} or more requests at once", arm=loads.arm, n=say.plain_number(loads.break_even))
            for loads in facts.concurrency.curves
            if loads.break_even is not None and loads.surely and loads.regime == "batching"
        ]
    return found


def _by_layer(arm: ProfileArm, t: Translate) -> Iterator[str]:
    by = {verdict: [e for e in arm.layers if say.verdict_of(e.speedup) == verdict] for verdict in ("gain", "loss")}
    order = {"gain": -1, "loss": 1}
    told = {
        "gain": "{arm} gains on {layers}.",
        "loss": "{arm} loses on {layers}: the target alone is faster there.",
    }
    for verdict, layers in by.items():
        if layers:
            layers = sorted(layers, key=lambda e: order[verdict] * (e.speedup.value or 0))
            names = [f"{say.layer(e.kind, e.layer, t)} {say.factor(e.speedup)}" for e in layers]
            yield t(told[verdict], arm=arm.arm, layers=say.listed(names, t))
    unclear = [e for e in arm.layers if say.verdict_of(e.speedup) == "noise"]
    if unclear:
        names = [say.layer(e.kind, e.layer, t) for e in unclear]
        yield t("{arm}: no difference that can be told from noise on {layers}.", arm=arm.arm,
                layers=say.listed(names, t))  # fmt: skip


def _along(curve: Curve, t: Translate) -> Iterator[str]:
    if curve.knee is not None:
        support = "" if curve.knee_support is None else t(" ({share} of the samples drawn anew agree)",
                                                          share=say.share(curve.knee_support))  # fmt: skip
        if curve.knee_at_end:
            yield t(
                "{arm}: speed still rises at {place}, the largest that was tested{support}: the best lies there or "
                "beyond.",
                arm=curve.arm, place=say.at(curve, curve.knee, t), support=support,
            )  # fmt: skip
        else:
            yield t("{arm}: beyond {place} nothing more is gained{support}.", arm=curve.arm,
                    place=say.at(curve, curve.knee, t), support=support)  # fmt: skip
    if curve.surely is not None:
        yield t("{arm}: from {place} on it is slower than the target alone.", arm=curve.arm,
                place=say.at(curve, curve.surely, t))  # fmt: skip
    elif curve.vanishes is not None:
        yield t("{arm}: at {place} it looks slower than the target alone, within noise.", arm=curve.arm,
                place=say.at(curve, curve.vanishes, t))  # fmt: skip
    void = [say.plain_number(point.x) for point in curve.points if point.void]
    if void:
        yield t("{arm}, {axis}: {values} count for nothing, because the text repeats itself there or is too short.",
                arm=curve.arm, axis=say.axis(curve.axis, t), values=say.listed(void, t))  # fmt: skip


def _under_load(loads: LoadCurve, t: Translate) -> Iterator[str]:
    measured = [point for point in loads.points if point.throughput.value is not None]
    if not measured:
        return
    if loads.regime == "queueing":
        yield t("{arm}: requests that wait in line only wait; the speedup of each stays at about {speedup}.",
                arm=loads.arm, speedup=say.factor(measured[0].throughput))  # fmt: skip
        return
    first, last = measured[0], measured[-1]
    if loads.break_even is not None:
        kind = (
            "{arm}: with {n} or more requests at once, batched together, it is slower than the batched target alone."
            if loads.surely
            else "{arm}: with {n} or more requests at once, batched together, it looks slower than the batched target "
            "alone, within noise."
        )
        yield t(kind, arm=loads.arm, n=say.plain_number(loads.break_even))
    else:
        yield t(
            "{arm}: up to {n} requests at once, batched together, its throughput stays above that of the batched "
            "target alone.",
            arm=loads.arm, n=say.plain_number(last.requests),
        )  # fmt: skip
    if last is not first:
        yield t(
            "{arm}: throughput against the batched target is {first} at {a} and {last} at {b} requests at once.",
            arm=loads.arm, first=say.factor(first.throughput), a=say.plain_number(first.requests),
            last=say.factor(last.throughput), b=say.plain_number(last.requests),
        )  # fmt: skip
    if loads.late_from is not None and loads.late_from != loads.break_even:
        yield t("{arm}: with {n} or more requests at once a reader sees text later than from the batched target alone.",
                arm=loads.arm, n=say.plain_number(loads.late_from))  # fmt: skip
    worse = [p for p in measured if say.verdict_of(p.throughput) == "gain" and say.verdict_of(p.per_token) == "loss"]
    if worse:
        yield t(
            "{arm}: at {n} requests throughput rises while each request waits longer for a token: that gain is the "
            "batch's, not the drafter's.",
            arm=loads.arm, n=say.plain_number(worse[0].requests),
        )  # fmt: skip
