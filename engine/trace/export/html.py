"""A trace as one HTML page that needs nothing else: no script, no network, no fonts. People publish it.

Everything taken from the trace is escaped; a content security policy forbids whatever might slip through. ``language``
is that of the page's own words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from engine.trace.events import Origin, Round
from engine.trace.export import charts
from engine.trace.export.environment import rows
from engine.trace.export.figures import (
    NONE,
    ArmReport,
    decimal,
    figures,
    percent,
    reports,
    schemes,
    seconds,
    times,
)
from engine.trace.export.markup import clean
from engine.trace.export.style import stylesheet
from engine.trace.export.words import CAVEAT, Translate, translator, verdict_line
from engine.trace.file import Trace
from engine.trace.session import ArmTurn, ending_of, turn_numbers

POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
ORIGINS: dict[Origin, tuple[str, str, str, str]] = {
    "accepted": ("a", "accepted draft", "{n} accepted", "drafted and kept"),
    "correction": ("c", "correction", "{n} corrections", "the target's own token where a draft was rejected"),
    "bonus": ("b", "bonus", "{n} bonuses", "the target's own token after a block kept whole"),
    "plain": ("p", "plain", "{n} plain", "the target's own token of a round without drafts"),
}
"""Class, name, count and meaning."""


def to_html(trace: Trace, language: str = "en") -> str:
    t = translator(language)
    arms = reports(trace.events)
    title = t("Slipstream session")
    names = clean(" · ".join(arm.name for arm in arms))
    parts = [
        f'<!doctype html>\n<html lang="{language.replace("_", "-")}">\n<head>\n<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{title}: {names}</title>\n<style>\n{stylesheet()}\n</style>\n</head>\n<body>\n<main>",
        *body(trace, arms, t),
        "</main>\n</body>\n</html>\n",
    ]
    return "\n".join(parts)


def body(trace: Trace, arms: Sequence[ArmReport], t: Translate) -> Iterator[str]:
    header = trace.header
    about = [header.created, header.machine.chip, header.app]
    yield f"<header><h1>{t('Slipstream session')}</h1>"
    yield f'<p class="quiet small">{clean(" · ".join(filter(None, about)))}</p></header>'
    if trace.truncated:
        yield f'<p class="small">{clean(trace.truncated)}</p>'
    if not any(entry.rounds for arm in arms for entry in arm.turns):
        yield f"<p>{t('This trace holds no rounds.')}</p>"
    else:
        yield verdicts(arms, t)
        yield f'<div class="grid">{"".join(headline(arm, t) for arm in arms)}</div>'
        yield section(t("Tokens over own time"), progress(arms, t))
        yield section(t("Text"), legend(arms, t) + "".join(turn(arms, n, t) for n in numbers_of(arms)))
        yield section(t("Acceptance"), "".join(acceptance(arm, t) for arm in arms if arm.metrics.drafted))
        yield section(t("Time per round"), f'<div class="grid">{"".join(round_times(arms, t))}</div>')
        yield section(t("Numbers"), f'<div class="card across" tabindex="0">{table_of_figures(arms, t)}</div>')
    yield section(t("Environment"), f'<div class="card">{table_of_rows(rows(trace, arms, t))}</div>')
    yield f"<footer>{clean(t(CAVEAT))}</footer>"


def section(title: str, content: str) -> str:
    return f"<section>\n<h2>{clean(title)}</h2>\n{content}\n</section>" if content else ""


def numbers_of(arms: Sequence[ArmReport]) -> list[int]:
    return turn_numbers([entry for arm in arms for entry in arm.turns])


def verdicts(arms: Sequence[ArmReport], t: Translate) -> str:
    listed = [(arm.name, arm.verdict) for arm in arms if arm.verdict]
    many = len(listed) > 1
    pills = [
        f'<p class="verdict {verdict.status}"><span>{clean(f"{name}: " if many else "")}'
        f"{clean(verdict_line(verdict, t))}</span></p>"
        for name, verdict in listed
    ]
    return f'<div class="verdicts">{"".join(pills)}</div>'


def headline(arm: ArmReport, t: Translate) -> str:
    m = arm.metrics
    ratio = ""
    if arm.verdict is not None and arm.speedup is not None:
        ratio = f'<b class="ratio{" slower" if arm.speedup < 1 else ""}">{times(arm.speedup)}</b>'
    number, _, unit = t("{n} tok/s", n=decimal(m.tokens_per_s, 1)).partition(" ")
    stats = [
        (decimal(m.tokens_per_forward), t("per forward")),
        (seconds(m.time_to_first_token_s), t("first token")),
        (str(m.target_forwards), t("forwards")),
        *([(percent(m.draft_acceptance_rate), t("accepted"))] if m.drafted else []),
    ]
    listed = "".join(f"<div><dt>{clean(name)}</dt><dd>{clean(value)}</dd></div>" for value, name in stats)
    return (
        f'<article class="card"><header><h3>{clean(arm.name)}</h3>'
        f'<span class="quiet small">{clean(schemes(arm, t))}</span></header>'
        f'<p class="big"><span><b>{clean(number)}</b> <span class="quiet">{clean(unit)}</span></span>{ratio}</p>'
        f'<dl class="stats">{listed}</dl></article>'
    )


def progress(arms: Sequence[ArmReport], t: Translate) -> str:
    return f'<div class="card across" tabindex="0">{charts.progress([(arm.name, arm.turns) for arm in arms], t)}</div>'


def legend(arms: Sequence[ArmReport], t: Translate) -> str:
    used = {origin for arm in arms for entry in arm.turns for item in entry.rounds for origin in item.origins}
    items = [
        f'<li><b class="{kind}">{clean(t(name))}</b> {clean(t(meaning))}</li>'
        for origin, (kind, name, _, meaning) in ORIGINS.items()
        if origin in used
    ]
    return f'<ul class="legend">{"".join(items)}</ul>'


def turn(arms: Sequence[ArmReport], number: int, t: Translate) -> str:
    entries = [(arm, entry) for arm in arms for entry in arm.turns if entry.turn == number]
    started = next((entry.started for _, entry in entries if entry.started), None)
    title = (
        f'<h3 style="margin:20px 0 8px">{clean(t("Turn {n}", n=number + 1))}</h3>' if len(numbers_of(arms)) > 1 else ""
    )
    prompt = ""
    if started is not None:
        system = started.system if number == numbers_of(arms)[0] else ""
        said = [(t("system"), system), (t("You"), started.prompt)]
        lines = [
            f'<span class="quiet small">{clean(who)}</span>\n<span dir="auto">{clean(words)}</span>'
            for who, words in said
            if words
        ]
        held = t("{n} prompt tokens, {cached} held from before", n=started.prompt_tokens, cached=started.cached_tokens)
        lines.append(f'<span class="quiet small">{clean(held)}</span>')
        together = "\n".join(lines)
        prompt = f'<div class="prompt">{together}</div>'
    panes = "".join(pane(arm, entry, t) for arm, entry in entries)
    return f'{title}{prompt}<div class="grid">{panes}</div>'


def pane(arm: ArmReport, entry: ArmTurn, t: Translate) -> str:
    emitted = [origin for item in entry.rounds for origin in item.origins]
    ending = ending_of(entry)
    counts = [t(each[2], n=emitted.count(origin)) for origin, each in ORIGINS.items() if origin in emitted]
    state = t("ended: {reason}", reason=t(ending)) if ending else t("still running")
    if entry.failed is not None:
        state = f"{state}: {entry.failed.message}"
    if emitted and not any(item.pieces for item in entry.rounds):
        answer = f'<p class="quiet">{clean(t("The texts were left out of this trace."))}</p>'
    elif emitted:
        tail = clean(entry.finished.tail) if entry.finished else ""
        answer = f'<div class="answer" dir="auto" tabindex="0">{"".join(map(coloured(t), entry.rounds))}{tail}</div>'
    else:
        answer = f'<p class="quiet">{clean(t("nothing was written"))}</p>'
    return (
        f'<article class="card"><header><h3>{clean(arm.name)}</h3>'
        f'<span class="quiet small">{clean(" · ".join([*counts, state]))}</span></header>{answer}</article>'
    )


def coloured(t: Translate) -> Callable[[Round], str]:
    """Spans of a round, one a token; white space before a word stays outside its tint."""
    names = {origin: t(each[1]) for origin, each in ORIGINS.items()}
    word = t("round")

    def spans(item: Round) -> str:
        return "".join(
            span(piece, origin, f"{names[origin]} · {word} {item.index}{details(item, place, origin)}")
            for place, (piece, origin) in enumerate(zip(item.pieces, item.origins, strict=False))
        )

    return spans


def span(piece: str, origin: Origin, title: str) -> str:
    shown = piece.lstrip(" ") or piece
    before = piece[: len(piece) - len(shown)]
    return f'{before}<span class="{ORIGINS[origin][0]}" title="{clean(title)}">{clean(shown)}</span>'


def details(item: Round, place: int, origin: Origin) -> str:
    if origin == "accepted" and place < len(item.draft_p):
        return f" · p {item.draft_p[place]:.2f}"
    if origin == "correction" and place < len(item.draft_texts):
        return f" · ✕ {clean(item.draft_texts[place])}"
    return ""


def acceptance(arm: ArmReport, t: Translate) -> str:
    m = arm.metrics
    caption = t("Rounds run to the right, draft positions downwards; a gap separates turns.")
    meaning = t("Of the drafts that the target reached at this position, how many it kept; n is how many it reached.")
    marks = t("The line is the 95 % interval, the open circle the share of all blocks that survived to here.")
    return (
        f'<article class="card" style="margin-bottom:16px"><header><h3>{clean(arm.name)}</h3>'
        f'<span class="quiet small">{clean(caption)}</span></header>'
        f'<div class="scroll" tabindex="0">{charts.heatmap(arm.turns, len(m.drafted_by_position), t)}</div>'
        f"{charts.heatmap_keys(t)}</article>"
        f'<article class="card" style="margin-bottom:16px"><header><h3>{clean(arm.name)}: '
        f'{clean(t("Acceptance by position"))}</h3></header><div class="grid">'
        f"<div>{charts.acceptance_bars(m, t)}</div>"
        f'<div class="small quiet" style="align-self:center"><p>{clean(meaning)}</p><p>{clean(marks)}</p></div></div>'
        "</article>"
    )


def round_times(arms: Sequence[ArmReport], t: Translate) -> Iterator[str]:
    longest_s = charts.longest_round_s([arm.turns for arm in arms])
    for arm in arms:
        each = charts.rounds_a_bar(arm.turns)
        scale = t("Own time, milliseconds; one round a bar.")
        if each > 1:
            scale = t("Own time, milliseconds; {n} rounds a bar.", n=each)
        yield (
            f'<article class="card"><header><h3>{clean(arm.name)}</h3><span class="quiet small">{clean(scale)}</span>'
            f"</header>{charts.round_times(arm.turns, longest_s, t)}{charts.round_time_keys(arm.turns, t)}</article>"
        )


def table_of_figures(arms: Sequence[ArmReport], t: Translate) -> str:
    head = "".join(f'<th scope="col">{clean(arm.name)}</th>' for arm in arms)
    lines = []
    for same in zip(*(figures(arm, t) for arm in arms), strict=True):
        values = "".join(f'<td class="number">{clean(figure.value)}</td>' for figure in same)
        lines.append(
            f'<tr><th scope="row">{clean(same[0].name)}</th>{values}'
            f'<td class="note">{clean(same[0].definition)}</td></tr>'
        )
    lines += [by_position(arms, t)]
    return f"<table><thead><tr><th></th>{head}<th></th></tr></thead><tbody>{''.join(lines)}</tbody></table>"


def by_position(arms: Sequence[ArmReport], t: Translate) -> str:
    """The bars once more as text, for those who read rather than look."""
    cells = []
    for arm in arms:
        m = arm.metrics
        shares = zip(m.conditional_by_position, m.reached_by_position, strict=True)
        values = [f"{k}: {decimal(share)} (n {n})" for k, (share, n) in enumerate(shares, start=1)]
        cells.append(f'<td class="number">{"<br>".join(map(clean, values)) or NONE}</td>')
    meaning = t("Of the drafts that the target reached at this position, how many it kept; n is how many it reached.")
    name = t("Acceptance by position")
    return f'<tr><th scope="row">{clean(name)}</th>{"".join(cells)}<td class="note">{clean(meaning)}</td></tr>'


def table_of_rows(listed: Sequence[tuple[str, str]]) -> str:
    lines = [
        f'<tr><th scope="row">{clean(name)}</th><td class="wide">{clean(value)}</td></tr>' for name, value in listed
    ]
    return f"<table><tbody>{''.join(lines)}</tbody></table>"
