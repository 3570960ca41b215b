"""The sections of the report that show figures: one a lab, pictures beside the tables that hold the same numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.lab.report import charts, say
from engine.lab.report.facts import Arrivals, Check, Curve, Facts, LoadCurve, Parts, ProfileArm
from engine.trace.export.figures import NONE, seconds
from engine.trace.export.html import section
from engine.trace.export.markup import clean
from engine.trace.export.words import Translate


def anchor(lab: str, t: Translate) -> str:
    """Ids are unique in a page that holds each section twice."""
    return f"{lab}-{t('en')}"


def all_sections(facts: Facts, t: Translate) -> Iterator[str]:
    for lab, content in (
        ("lossless", lossless(facts, t)),
        ("sampling", sampled(facts, t)),
        ("profile", "".join(profile_card(arm, t) for arm in facts.profile)),
        ("sweep", grid([curve_card(curve, t) for curve in facts.curves])),
        ("attribution", grid([parts_card(part, t) for part in facts.parts])),
        ("concurrency", concurrency(facts, t)),
        ("stability", stability(facts, t)),
    ):
        if content:
            yield f'<a id="{anchor(lab, t)}"></a>' + section(t(f"lab {lab}"), content)


def grid(listed: Sequence[str]) -> str:
    return f'<div class="grid broad">{"".join(listed)}</div>' if listed else ""


def card(title: str, content: str, note: str = "", style: str = "") -> str:
    said = f'<span class="quiet small">{clean(note)}</span>' if note else ""
    attribute = f' style="{style}"' if style else ""
    return f'<article class="card"{attribute}><header><h3>{clean(title)}</h3>{said}</header>{content}</article>'


def table(head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """``lines`` hold finished HTML, the first cell of each a heading."""
    top = "".join(f'<th scope="col">{clean(name)}</th>' for name in head)
    rows = "".join(
        f'<tr><th scope="row">{first}</th>{"".join(f"<td>{cell}</td>" for cell in rest)}</tr>' for first, *rest in lines
    )
    return f'<div class="across" tabindex="0"><table><thead><tr>{top}</tr></thead><tbody>{rows}</tbody></table></div>'


def state(ok: bool, words: str) -> str:
    return f'<span class="state {"ok" if ok else "bad"}">{clean(words)}</span>'


def checks_table(checks: Sequence[Check], t: Translate, yes: str, no: str, head: str) -> str:
    lines = [
        (clean(t(check.name)), state(check.ok, t(yes) if check.ok else t(no)), clean(t(check.detail)))
        for check in checks
    ]
    return table((head, "", ""), lines)


def traces(files: Sequence[str], t: Translate) -> str:
    if not files:
        return ""
    links = ", ".join(f'<a href="{clean(file)}">{clean(file.rpartition("/")[2])}</a>' for file in files)
    return f"<details><summary>{clean(t('{n} traces', n=len(files)))}</summary><p>{links}</p></details>"


# Losslessness


def lossless(facts: Facts, t: Translate) -> str:
    found = facts.lossless
    if found is None:
        return ""
    lines = [
        (
            clean(arm.arm), state(arm.status in ("pass", "near-tie"), t(f"status {arm.status}")), str(arm.tokens),
            str(arm.near_ties), say.number(arm.largest_gap, 4), clean(arm.detail),
        )
        for arm in found.arms
    ]  # fmt: skip
    note = "" if found.bound is None else t("noise of this machine: {bound}", bound=say.number(found.bound, 4))
    head = ("", t("verdict"), t("tokens checked"), t("near ties"), t("largest gap"), "")
    parts = [card(t("Greedy: token by token"), table(head, lines), note)]
    if found.crossed:
        crossed = checks_table(found.crossed, t, "holds", "does not hold", t("condition"))
        parts.append(card(t("After one change"), crossed))
    if found.controls:
        parts.append(controls(found.controls, t))
    return grid(parts)


def controls(checks: Sequence[Check], t: Translate) -> str:
    return card(t("Planted faults"), checks_table(checks, t, "noticed", "not noticed", t("fault")),
                t("each must be noticed, or a pass means nothing"))  # fmt: skip


def sampled(facts: Facts, t: Translate) -> str:
    found = facts.sampled
    if found is None:
        return ""
    bound = NONE if found.tv_bound is None else say.number(found.tv_bound, 4)
    lines = [
        (clean(t("verdict")), state(found.status != "fail", t(f"status {found.status}"))),
        (clean(t("tests, Holm's correction over all")), str(found.tests)),
        (clean(t("rejected")), clean(", ".join(found.rejected)) or "0"),
        (clean(t("draws")), str(found.draws)),
        (clean(t("total variation is at most")), bound),
    ]
    detectable = NONE if found.detectable_tv is None else say.number(found.detectable_tv, 4)
    lines.append((clean(t("total variation that would have been found")), detectable))
    parts = [card(t("Sampling: by distribution"), table(("", ""), lines))]
    if found.configs:
        rows = [
            (
                clean(f"{each.arm} · {each.config}"),
                state(not each.rejected, t("rejected" if each.rejected else "agrees")),
                str(each.draws), str(each.tests), say.number(each.smallest_p, 3), say.number(each.tv_bound, 3),
            )
            for each in found.configs
        ]  # fmt: skip
        head = (t("configuration"), "", t("draws"), t("tests"), t("smallest p"), t("total variation at most"))
        parts.append(card(t("By configuration"), table(head, rows), t("p after Holm's correction")))
    if found.acceptance:
        table_of = checks_table(found.acceptance, t, "agrees", "differs", t("configuration"))
        parts.append(card(t("Acceptance against the sum of min(p, q)"), table_of))
    if found.controls:
        parts.append(controls(found.controls, t))
    return grid(parts)


# Profile


def profile_card(arm: ProfileArm, t: Translate) -> str:
    series = [
        charts.Series(name=t("conditional"), points=tuple((p.position, p.conditional) for p in arm.positions)),
        charts.Series(name=t("survival"), points=tuple((p.position, p.survival) for p in arm.positions)),
    ]
    by_position = charts.curves(series, t("Acceptance by position"), t("position"), t("share of drafts kept"), most=1.0)
    layers = [layer for layer in arm.layers if layer.kind != "source" or len(arm.layers) > 1]
    listed: list[charts.Row] = []
    for kind in dict.fromkeys(layer.kind for layer in layers):
        own = [layer for layer in layers if layer.kind == kind and layer.speedup.value is not None]
        if own:
            listed.append(charts.Row(label=t(say.KINDS.get(kind, kind)), heading=True))
            listed += [
                charts.Row(label=f"{name(each.layer, t)} (n {each.samples})", figure=each.speedup) for each in own
            ]
    whole = charts.Row(label=t("all samples (n {n})", n=arm.samples), figure=arm.speedup)
    speeds = charts.rows([whole, *listed], t("Speedup by kind of text"))
    note = t(
        "speedup {speedup} · {length} tokens a drafting round · drafting {draft} of the time · {wasted} of drafts "
        "dropped",
        speedup=say.factor(arm.speedup), length=say.interval(arm.accepted_length), draft=say.percent(arm.draft_share),
        wasted=say.percent(arm.wasted_share),
    )  # fmt: skip
    files = tuple(dict.fromkeys(file for layer in arm.layers for file in layer.traces))
    body = (
        f'<div class="grid broad"><div><p class="small quiet">{clean(t("Acceptance by position"))}</p>{by_position}'
        "</div>"
        f'<div><p class="small quiet">{clean(t("Speedup over the target alone"))}</p>{speeds}</div></div>'
        f"{position_table(arm, t)}{traces(files, t)}"
    )
    return card(arm.arm, body, note, "margin-bottom:16px")


def name(layer: str, t: Translate) -> str:
    return t(f"layer {layer}") if say.known(layer, t) else layer


def position_table(arm: ProfileArm, t: Translate) -> str:
    lines = [
        (str(p.position), str(p.n), clean(say.interval(p.conditional)), clean(say.interval(p.survival)))
        for p in arm.positions
    ]
    head = (t("position"), t("reached"), t("conditional"), t("survival"))
    return f"<details><summary>{clean(t('Figures'))}</summary>{table(head, lines)}</details>" if lines else ""


# Sweep


def curve_card(curve: Curve, t: Translate) -> str:
    drawing = charts.curves(
        [charts.Series(name=curve.arm, points=tuple((p.x, p.speedup) for p in curve.points))],
        t("Speedup along {axis}", axis=say.axis(curve.axis, t)), say.axis(curve.axis, t), t("speedup"), reference=1.0,
        mark=curve.knee, mark_name=t("knee") if curve.knee is not None else "", spread=True,
    )  # fmt: skip
    lines = [
        (
            say.plain_number(p.x) + (" *" if p.x == curve.base else ""), clean(say.factor(p.speedup)),
            clean(say.interval(p.accepted_length)), clean(bytes_or_none(p.kv_bytes)),
            clean(bytes_or_none(p.state_bytes)), clean(t(p.void)),
        )
        for p in curve.points
    ]  # fmt: skip
    head = (
        say.axis(curve.axis, t), t("speedup"), t("accepted length"), t("keys and values"), t("drafter's state"), "",
    )  # fmt: skip
    files = tuple(file for p in curve.points for file in p.traces)
    note = t("* the arm's own value") if any(p.x == curve.base for p in curve.points) else ""
    figures = f"<details><summary>{clean(t('Figures'))}</summary>{table(head, lines)}</details>"
    if not drawing:
        figures = table(head, lines)
    return card(f"{curve.arm}: {say.axis(curve.axis, t)}", drawing + figures + traces(files, t), note)


def bytes_or_none(value: float | None) -> str:
    return NONE if value is None else say.bytes_text(value)


# Where the gain comes from


def parts_card(part: Parts, t: Translate) -> str:
    listed = [
        (t("accepted length"), part.accepted_length), (t("verify"), part.verify), (t("draft"), part.draft),
        (t("everything else"), part.overhead), (t("measured"), part.measured), (t("predicted"), part.predicted),
        (t("unexplained"), part.rest),
    ]  # fmt: skip
    drawing = charts.factors(listed, t("Factors of the speedup"))
    lines = [(clean(label), clean(say.factor(figure))) for label, figure in listed]
    figures = f"<details><summary>{clean(t('Figures'))}</summary>{table(('', t('factor')), lines)}</details>"
    note = t("factors; above 1 they bring speed, below 1 they cost it")
    return card(t("{arm} against {against}", arm=part.arm, against=part.against), drawing + figures, note)


# Concurrency


def concurrency(facts: Facts, t: Translate) -> str:
    found = facts.concurrency
    if found is None:
        return ""
    parts = [load_card(curve, t) for curve in found.curves]
    if found.arrivals:
        parts.append(
            card(t("Requests that come by themselves"), arrivals_table(found.arrivals, t), t("95th percentiles"))
        )
    if found.rows_equal is not None:
        name = "each row of a batch gives the ids it gives alone"
        checks = [Check(name=name, ok=found.rows_equal, detail=found.rows_detail)]
        parts.append(card(t("Batched rows"), checks_table(checks, t, "holds", "does not hold", t("check"))))
    return grid(parts)


def arrivals_table(listed: Sequence[Arrivals], t: Translate) -> str:
    lines = [
        (
            clean(f"{each.arm} · {t(f'served {each.regime}')} · {t(f'arrivals {each.kind}')}"),
            f"{100 * each.load:.0f} %", *(clean(seconds(v)) for v in (each.wait_s, each.first_token_s, each.gap_s)),
            NONE if each.lanes_mean is None else say.number(each.lanes_mean, 1),
        )
        for each in listed
    ]  # fmt: skip
    head = ("", t("load"), t("wait"), t("first token"), t("between texts"), t("requests a forward"))
    return table(head, lines)


def load_card(curve: LoadCurve, t: Translate) -> str:
    series = [
        charts.Series(name=t("throughput"), points=tuple((p.requests, p.throughput) for p in curve.points)),
        charts.Series(name=t("time per token"), points=tuple((p.requests, p.per_token) for p in curve.points)),
    ]
    drawing = charts.curves(
        series, t("Speedup by requests in flight"), t("requests in flight"), t("speedup"), reference=1.0,
        mark=curve.break_even, mark_name=t("break-even") if curve.break_even is not None else "", spread=True,
    )  # fmt: skip
    lines = [
        (
            say.plain_number(p.requests), clean(say.factor(p.throughput)), clean(say.factor(p.per_token)),
            clean(say.factor(p.batching)), NONE if p.rows_per_forward is None else say.number(p.rows_per_forward, 1),
            clean(t(p.void)),
        )
        for p in curve.points
    ]  # fmt: skip
    head = (
        t("requests in flight"),
        t("throughput"),
        t("time per token"),
        t("batching alone"),
        t("rows per forward"),
        "",
    )
    figures = f"<details><summary>{clean(t('Figures'))}</summary>{table(head, lines)}</details>"
    note = t("against the target alone, same engine")
    return card(f"{curve.arm}: {t(f'regime {curve.regime}')}", drawing + figures, note)


def stability(facts: Facts, t: Translate) -> str:
    found = facts.stability
    if found is None:
        return ""
    slope = ""
    if found.slope_bytes_per_1000_rounds is not None:
        slope = t("{n} rounds, memory {size} per 1,000 rounds", n=found.rounds,
                  size=say.bytes_text(found.slope_bytes_per_1000_rounds))  # fmt: skip
    return card(t("Disturbances"), checks_table(found.checks, t, "as it should", "not handled", t("case")), slope)


def labs_table(facts: Facts, t: Translate) -> str:
    lines = [
        (
            clean(t(f"lab {lab.lab}")), clean(t(f"status {lab.status}")), f"{lab.seconds:.0f} s", clean(lab.began),
            str(len(lab.traces)),
        )
        for lab in facts.labs
    ]  # fmt: skip
    lines += [(clean(t(f"lab {lab}")), clean(t("could not be run")), NONE, NONE, NONE) for lab in facts.unfinished]
    head = (t("lab"), t("status"), t("took"), t("began"), t("traces"))
    return table(head, lines)
