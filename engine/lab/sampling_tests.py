"""From laws and draws to what is published of sampling. Records, and pure functions of them.

``Law`` holds everything that was settled before the first draw: the bins of every test, from the exact probabilities,
and what can't be emitted. It lies in the trace as a label of the draws' ``Started``, so that whoever holds the traces
computes the same figures again.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Literal

import msgspec
from msgspec import Struct

from engine.lab.goodness import (
    CONFIDENCE,
    MOST_BINS,
    POWER,
    Bins,
    Outcome,
    detectable_tv,
    draws_for,
    fit,
    pool,
    tv_bound_of_noise,
)
from engine.lab.judgement import plain
from engine.lab.laws import Support, Tree, impossible, length_law, overlap, round_law, supports, token_law
from engine.stats import holm, normal_two_sided, wilson
from engine.trace.events import Round
from engine.trace.file import Trace
from engine.trace.session import group

LAW = "law"
"""Label of ``Started`` under which the law lies in its trace."""
ALPHA = 0.01
"""Of the whole family of tests, after Holm's correction."""
AIM_TV = 0.05
"""The fault that draws are counted for."""
NO_TAIL = 1e-9
LEAST_OF_LENGTH = 100
"""Expected rounds of one accepted length below which it has no test of its own."""

Kind = Literal["tokens", "accepted", "lengths"]


class Test(Struct, frozen=True, kw_only=True):
    """One law, pooled. ``tokens``: of the first ``length`` tokens. ``accepted``: of the tokens of rounds that kept
    ``length`` drafts. ``lengths``: of the accepted length."""

    __test__ = False
    name: str
    kind: Kind
    length: int
    bins: Bins
    share: float = 1.0
    """Of the draws that it is about."""
    known: tuple[Outcome, ...] = ()
    """``accepted``: the drafts that it is about; other rounds are left out."""


class Law(Struct, frozen=True, kw_only=True):
    arm: str
    config: str
    control: str = ""
    settings: dict[str, Any] = {}
    sample: str = ""
    anchor_index: int = 0
    """Tokens before the place's anchor."""
    draws: int
    """Planned."""
    tests: tuple[Test, ...]
    supports: tuple[Support, ...]
    acceptance: float | None = None
    """Sum of min(p, q) at the first position; None where q isn't known."""
    ends: tuple[int, ...] = ()


class Drawn(Struct, frozen=True, kw_only=True):
    """One draw: what its first round kept, and the tokens of all its rounds."""

    accepted: int
    first: int
    """Tokens that the first round emitted."""
    tokens: Outcome


def tests_of(tree: Tree, length: int, ends: frozenset[int], draws: int) -> tuple[Test, ...]:
    """All tests of one place, their bins fixed."""
    least = 1.0 / draws
    found = []
    for k in range(1, length + 1):
        bins = pool(token_law(tree, k, ends, least), draws)
        name = "token 1" if k == 1 else f"tokens 1-{k}"
        found.append(Test(name=name, kind="tokens", length=k, bins=bins))
    whole = round_law(tree, ends, 0.0 if draws == 0 else least / 10)
    for a in sorted({outcome[0] for outcome in whole}):
        of = {outcome[1:]: p for outcome, p in whole.items() if outcome[0] == a}
        known = tuple(sorted({tokens[:a] for tokens in of}))
        # All that is emitted after these drafts, listed or not.
        share = sum(_reach(tree, prefix, ends) for prefix in known)
        if share * draws < LEAST_OF_LENGTH:
            continue
        bins = pool({tokens: p / share for tokens, p in of.items()}, math.floor(share * draws))
        found.append(Test(name=f"accepted {a}", kind="accepted", length=a, bins=bins, share=share, known=known))
    lengths = length_law(tree, ends)
    if len(lengths) > 1:
        found.append(Test(name="accepted length", kind="lengths", length=0, bins=pool(lengths, draws)))
    return tuple(test for test in found if len(test.bins.outcomes) + (test.bins.tail > NO_TAIL) > 1)


def _reach(tree: Tree, prefix: Outcome, ends: frozenset[int]) -> float:
    """Probability that a round keeps exactly these drafts."""
    from engine.lab.laws import drafted, own_token

    node = tree.get(prefix)
    if node is None:
        return drafted(tree, prefix) if prefix and prefix[-1] in ends else 0.0
    if node.q is None and not node.last:
        return 0.0
    return drafted(tree, prefix) * float(own_token(node).sum())


def law_of(tree: Tree, length: int, ends: frozenset[int], draws: int, **about: Any) -> Law:
    root = tree[()]
    return Law(
        draws=draws,
        tests=tests_of(tree, length, ends, draws),
        supports=tuple(supports(tree)),
        acceptance=None if root.q is None else overlap(root),
        ends=tuple(sorted(ends)),
        **about,
    )


def drawn(rounds: Sequence[Round]) -> Drawn:
    tokens = tuple(token for r in rounds for token in r.emitted_ids)
    return Drawn(accepted=rounds[0].accepted, first=rounds[0].emitted_tokens, tokens=tokens)


def counts_of(test: Test, law: Law, draws: Sequence[Drawn]) -> tuple[Counter[Outcome], int]:
    """Counts of possible outcomes, and how many draws were impossible."""
    nodes = {support.prefix: support for support in law.supports}
    found: Counter[Outcome] = Counter()
    wrong = 0
    known = set(test.known)
    for draw in draws:
        if test.kind == "lengths":
            found[(draw.accepted,)] += 1
            continue
        if test.kind == "tokens":
            tokens = _cut(draw.tokens[: test.length], law.ends)
            if len(tokens) < test.length and not (tokens and tokens[-1] in law.ends):
                continue
        else:
            tokens = draw.tokens[: draw.first]
            if draw.accepted != test.length or tokens[: test.length] not in known:
                continue
        if impossible(tokens, draw.accepted, nodes):
            wrong += 1
        else:
            found[tokens] += 1
    return found, wrong


def _cut(tokens: Outcome, ends: Sequence[int]) -> Outcome:
    for i, token in enumerate(tokens):
        if token in ends:
            return tokens[: i + 1]
    return tokens


def results_from_traces(traces: Iterable[Trace]) -> dict[str, Any]:
    """Everything the lab reports.

    outcome     pass, or fail: a test rejects after Holm's correction, or a wrong rule went unseen
    alpha       of the whole family; ``family`` tests of the arms as they are belong to it
    tests       their number
    rejected    names of those that reject, "arm, config: test"
    draws       independent rounds drawn, over all configurations
    tv_bound    the largest of the bounds on total variation: with ``confidence``, over the whole family together
                (Bonferroni), no law is further from p
    detectable_tv   the largest of the faults that each test finds with ``power`` at the strictest level of the family
    acceptance  [{name, arm, config, expected, measured, low, high, draws, ok, detail}]: against sum min(p, q)
    configs     [{arm, config, settings, sample, draws, trace, tests: [TEST]}]
    controls    [{name, caught, why, traces}]: each wrong rule, and whether the tests rejected it at the level that the
                strictest test of the family had; one whose draws were cut short counts only where it was caught

    TEST: name, kind, draws, bins, chi_square, g, p_value, adjusted, rejected, impossible, tv, tv_bound, confidence,
    tail, detectable_tv, draws_for_aim (that a fault of ``aim_tv`` needs)
    """
    read = [found for trace in traces for found in laws_of(trace)]
    arms = [item for item in read if not item[0].control]
    configs = [_config(*item) for item in arms]
    family = [test for config in configs for test in config["tests"]]
    correct(family)
    acceptance = [found for law, draws, _ in arms if (found := _acceptance(law, draws))]
    adjusted = holm([each["p_value"] for each in acceptance])
    for each, p in zip(acceptance, adjusted, strict=True):
        each["ok"] = p > ALPHA
    controls = [
        control
        for item in read
        if item[0].control and ((control := _control(*item, len(family)))["caught"] or whole(item))
    ]
    rejected = [f"{c['arm']}, {c['config']}: {t['name']}" for c in configs for t in c["tests"] if t["rejected"]]
    seen = all(control["caught"] for control in controls)
    return plain(
        {
            "outcome": "pass"
            if not rejected and seen and family and all(each["ok"] for each in acceptance)
            else "fail",
            "alpha": ALPHA,
            "family": len(family),
            "tests": len(family),
            "rejected": rejected,
            "draws": sum(config["draws"] for config in configs),
            "tv_bound": max((test["tv_bound"] for test in family), default=None),
            "detectable_tv": max((test["detectable_tv"] for test in family), default=None),
            "aim_tv": AIM_TV,
            "power": POWER,
            "confidence": CONFIDENCE,
            "most_bins": MOST_BINS,
            "acceptance": acceptance,
            "configs": configs,
            "controls": controls,
        }
    )


def laws_of(trace: Trace) -> list[tuple[Law, list[Drawn], str]]:
    """The law of a trace, its draws, and the trace's name."""
    law, name, draws = None, "", []
    for turn in group(trace.events):
        if turn.started and LAW in turn.started.labels:
            law = msgspec.json.decode(turn.started.labels[LAW], type=Law)
            name = turn.started.labels.get("trace", "")
        if turn.rounds:
            draws.append(drawn(turn.rounds))
    return [(law, draws, name)] if law else []


def correct(tests: Sequence[dict[str, Any]]) -> None:
    """Holm's correction over a family, in place."""
    adjusted = holm([test["p_value"] for test in tests])
    for test, p in zip(tests, adjusted, strict=True):
        test["adjusted"], test["rejected"] = p, p <= ALPHA
        together = 1 - (1 - CONFIDENCE) / max(len(tests), 1)
        test["tv_bound"] = min(1.0, test["tv"] + tv_bound_of_noise(test["draws"], test["bins"], together))
        strictest = ALPHA / max(len(tests), 1)
        test["detectable_tv"] = detectable_tv(test["draws"], test["bins"], strictest)
        test["draws_for_aim"] = draws_for(AIM_TV, max(test["bins"], 2), strictest)


def _tests(law: Law, draws: Sequence[Drawn]) -> list[dict[str, Any]]:
    found = []
    for test in law.tests:
        bins = bins_for(test, law, len(draws))
        if len(bins.outcomes) + (bins.tail > NO_TAIL) < 2:
            continue
        counts, wrong = counts_of(test, law, draws)
        result = fit(counts, bins, wrong)
        if result.draws:
            found.append({"name": test.name, "kind": test.kind, **msgspec.to_builtins(result)})
    return found


def bins_for(test: Test, law: Law, draws: int) -> Bins:
    """The bins that were fixed, or fewer where time let fewer draws be taken than were planned: by p and their number,
    never by what was seen."""
    if draws >= law.draws:
        return test.bins
    return pool(dict(zip(test.bins.outcomes, test.bins.p, strict=True)), math.floor(test.share * draws))


def whole(read: tuple[Law, list[Drawn], str]) -> bool:
    law, draws, _ = read
    return len(draws) >= law.draws


def _config(law: Law, draws: Sequence[Drawn], trace: str) -> dict[str, Any]:
    return {
        "arm": law.arm, "config": law.config, "settings": law.settings, "sample": law.sample, "draws": len(draws),
        "planned": law.draws, "trace": trace, "tests": _tests(law, draws),
    }  # fmt: skip


def _acceptance(law: Law, draws: Sequence[Drawn]) -> dict[str, Any] | None:
    if law.acceptance is None or not draws:
        return None
    kept = sum(draw.accepted > 0 for draw in draws)
    expected, found = law.acceptance, wilson(kept, len(draws))
    spread = math.sqrt(max(expected * (1 - expected), 1e-12) / len(draws))
    measured = kept / len(draws)
    return {
        "name": f"{law.arm}, {law.config}", "arm": law.arm, "config": law.config, "expected": expected,
        "measured": measured, "low": found.low, "high": found.high, "draws": len(draws),
        "p_value": normal_two_sided((measured - expected) / spread), "ok": True,
        "detail": f"{measured:.4f} of {len(draws)} first drafts kept, sum of min(p, q) is {expected:.4f}",
    }  # fmt: skip


def _control(law: Law, draws: Sequence[Drawn], trace: str, family: int) -> dict[str, Any]:
    tests = _tests(law, draws)
    for test in tests:
        test["adjusted"] = min(1.0, max(family, len(tests)) * test["p_value"])
        test["rejected"] = test["adjusted"] <= ALPHA
    why = [
        f"{test['name']}: {test['impossible']} impossible draws" if test["impossible"]
        else f"{test['name']}: p = {test['adjusted']:.2g}, total variation {test['tv']:.3f} seen"
        for test in tests if test["rejected"]
    ]  # fmt: skip
    return {"name": law.control, "caught": bool(why), "why": why, "draws": len(draws), "traces": [trace]}
