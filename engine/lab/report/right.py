"""Is the text still the target's own? The greedy check and the sampled one, and whether they would notice a fault."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.lab.report import say
from engine.lab.report.answer import Answer, Tone
from engine.lab.report.facts import Check, Facts, LosslessFacts, SampledFacts
from engine.trace.export.words import Translate


def lossless(facts: Facts, t: Translate) -> Answer:
    found, sampled = facts.lossless, facts.sampled
    if found is None and sampled is None:
        return Answer(
            question="lossless", tone="open", headline=t("Not tested."),
            sentences=(t("Losslessness was not tested here: nothing below says that the text is the target's own."),),
        )  # fmt: skip
    sentences = [*(_greedy(facts, t) if found else []), *(_sampled(facts, t) if sampled else [])]
    statuses = [part.status for part in (found, sampled) if part is not None]
    blind = [c.name for part in (found, sampled) if part is not None for c in part.controls if not c.ok]
    tone: Tone = "good"
    headline = t("Yes, as far as was tested.")
    if changes_text(found) or changes_distribution(sampled):
        tone, headline = "bad", t("No: a check failed.")
    elif blind:
        tone, headline = "open", t("Not shown: a planted fault was not caught.")
    elif "stopped" in statuses and not {"pass", "near-tie"} & set(statuses):
        tone, headline = "open", t("Not known: the check was stopped early.")
    elif "near-tie" in statuses:
        tone, headline = "mixed", t("Yes but for near ties.")
    evidence = tuple(name for name, part in (("lossless", found), ("sampling", sampled)) if part is not None)
    return Answer(question="lossless", tone=tone, headline=headline, sentences=tuple(sentences), evidence=evidence)


def changes_text(found: LosslessFacts | None) -> bool:
    """A failure of the arms themselves; that a planted fault went unseen fails the lab, but says nothing of them."""
    if found is None:
        return False
    own = any(arm.status == "fail" for arm in found.arms) or any(not check.ok for check in found.crossed)
    return own or (found.status == "fail" and all(check.ok for check in found.controls))


def changes_distribution(found: SampledFacts | None) -> bool:
    if found is None:
        return False
    return bool(found.rejected) or (found.status == "fail" and all(check.ok for check in found.controls))


def _greedy(facts: Facts, t: Translate) -> Iterator[str]:
    found = facts.lossless
    assert found is not None
    for arm in found.arms:
        if arm.status == "pass":
            yield t(
                "{where}, every one of the {tokens} tokens that {arm} emitted is the target's own choice.",
                where=say.under(facts, t, found.samples), tokens=arm.tokens, arm=arm.arm,
            )  # fmt: skip
        elif arm.status == "near-tie" and not arm.near_ties:
            yield t("{where}, {arm} differs from the target alone at near ties only: {detail}",
                    where=say.under(facts, t, found.samples), arm=arm.arm, detail=arm.detail)  # fmt: skip
        elif arm.status == "near-tie":
            yield t(
                "{where}, {n} of the {tokens} tokens that {arm} emitted differ from the target's choice one row at a "
                "time, each where its first two choices are nearer ({gap}) than this machine's own noise ({bound}).",
                where=say.under(facts, t, found.samples), n=arm.near_ties, tokens=arm.tokens, arm=arm.arm,
                gap=say.number(arm.largest_gap, 3), bound=say.number(found.bound, 3),
            )  # fmt: skip
        elif arm.status == "fail":
            yield t("{where}, {arm} changes the text: {detail}", where=say.under(facts, t, found.samples), arm=arm.arm,
                    detail=arm.detail or t("see the table of losslessness."))  # fmt: skip
    if found.crossed:
        failed = [check.name for check in found.crossed if not check.ok]
        if failed:
            yield t("Under {names} it does not hold.", names=say.listed(failed, t))
        else:
            yield t(
                "It holds again under {n} changed conditions: {names}.",
                n=len(found.crossed), names=say.listed([check.name for check in found.crossed], t),
            )  # fmt: skip
    yield from _controls(found.controls, t)


def _controls(controls: Sequence[Check], t: Translate) -> Iterator[str]:
    missed = [check.name for check in controls if not check.ok]
    if missed:
        yield t("The check did not notice {names}: it is blind there, and a pass proves nothing about it.",
                names=say.listed(missed, t))  # fmt: skip
    elif controls:
        yield t("The check noticed all {n} faults that were planted to test it.", n=len(controls))


def _sampled(facts: Facts, t: Translate) -> Iterator[str]:
    found = facts.sampled
    assert found is not None
    if found.rejected:
        yield t(
            "With sampling, {n} of {tests} tests show that the text is not distributed as the target's own: {names}.",
            n=len(found.rejected), tests=found.tests, names=say.listed(found.rejected, t),
        )  # fmt: skip
    elif found.tests:
        bound = t(
            " A departure of more than {tv} in total variation is excluded (99 % confidence, over the tests' bins).",
            tv=say.number(found.tv_bound, 3),
        )
        yield t(
            "With sampling, {draws} draws in {tests} tests show no departure from the target's distribution.",
            draws=found.draws, tests=found.tests,
        ) + (bound if found.tv_bound is not None else "")  # fmt: skip
    wrong = [check.name for check in found.acceptance if not check.ok]
    if wrong:
        yield t("Acceptance is not what p and q promise in {names}: drafts are wasted there.",
                names=say.listed(wrong, t))  # fmt: skip
    yield from _controls(found.controls, t)
