"""The report as one HTML page in both languages that needs nothing else: no script, no network, no fonts.

Everything taken from results is escaped, and a content security policy forbids whatever might slip through. The switch
between the languages is two radio buttons: it works by keyboard and without a script.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from engine.lab.report import say, sections
from engine.lab.report.advice import Advice, advice
from engine.lab.report.answer import QUESTIONS, Answer
from engine.lab.report.answers import answers
from engine.lab.report.facts import Facts
from engine.lab.report.style import stylesheet
from engine.lab.report.untested import untested
from engine.lab.report.words import LANGUAGES, translator
from engine.trace.export.html import POLICY, section, table_of_rows
from engine.trace.export.markup import clean
from engine.trace.export.words import CAVEAT, Translate

NAMES = {"en": "English", "zh": "中文"}
TAGS = {"en": "en", "zh": "zh-CN"}
ADVICE_CLASS = {"use": "use", "use with care": "care", "don't use": "dont", "undecided": "undecided"}


def page(title: Callable[[Translate], str], body: Callable[[Translate], Iterator[str]], first: str = "en") -> str:
    """``body`` once a language; ``first`` is the one that shows."""
    order = [first, *(language for language in LANGUAGES if language != first)]
    switches = "".join(
        f'<input class="switch" type="radio" name="language" id="show-{language}"'
        f'{" checked" if language == first else ""} aria-label="{NAMES[language]}">'
        for language in order
    )
    labels = "".join(f'<label class="{each}" for="show-{each}">{NAMES[each]}</label>' for each in LANGUAGES)
    mains = "\n".join(
        f'<main class="said {language}" lang="{TAGS[language]}">\n{chr(10).join(body(translator(language)))}\n</main>'
        for language in order
    )
    return (
        f'<!doctype html>\n<html lang="{TAGS[first]}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{clean(title(translator(first)))}</title>\n<style>\n{stylesheet()}\n</style>\n</head>\n<body>\n"
        f'{switches}\n<div class="languages">{labels}</div>\n{mains}\n</body>\n</html>\n'
    )


def report_page(facts: Facts, created: str, first: str = "en") -> str:
    return page(lambda t: t("Slipstream lab report"), lambda t: report_body(facts, created, t), first)


def report_body(facts: Facts, created: str, t: Translate) -> Iterator[str]:
    plan = t(f"plan {facts.plan}") if facts.plan else ""
    about = [created, facts.machine.chip, facts.machine.backend, facts.app, plan]
    yield f"<header><h1>{clean(t('Slipstream lab report'))}</h1>"
    yield f'<p class="quiet small">{clean(" · ".join(filter(None, about)))}</p>'
    yield f'<p class="lead">{clean(t(LEAD))}</p></header>'
    if facts.mixed:
        yield f'<p class="lead tone bad">{clean(t(MIXED))}</p>'
    yield section(t("Recommendation"), cards(advice(facts, t), t))
    yield section(t("Five questions"), "".join(answer_card(answer, t) for answer in answers(facts, t)))
    yield from sections.all_sections(facts, t)
    missing = "".join(f"<li>{clean(sentence)}</li>" for sentence in untested(facts, t))
    yield section(t("What was not tested"), f'<div class="card"><ul class="plain">{missing}</ul></div>')
    yield section(t("Conditions"), f'<div class="card across" tabindex="0">{table_of_rows(conditions(facts, t))}</div>')
    yield section(t("Labs"), f'<div class="card across" tabindex="0">{sections.labs_table(facts, t)}</div>')
    yield f"<footer>{clean(t(CAVEAT))}</footer>"


LEAD = (
    "Every sentence below is made of measured figures and holds under their conditions alone: this machine, these "
    "models, these samples. Intervals are 95 % over samples. What can't be told from noise is said to be so."
)
MIXED = "Results of different machines or program versions lie in this directory: run the labs again."


def cards(listed: Sequence[Advice], t: Translate) -> str:
    if not listed:
        return f'<p class="card">{clean(t("No arm with a drafter was measured: nothing can be recommended."))}</p>'
    return f'<div class="grid">{"".join(advice_card(each, t) for each in listed)}</div>'


def advice_card(each: Advice, t: Translate) -> str:
    lines = [
        (t("use it for"), each.use_for),
        (t("not for"), each.not_for),
        (t("undecided"), each.undecided),
    ]
    block = [(t("block"), (f"{say.plain_number(each.block)}: {each.block_reason}",))] if each.block is not None else []
    pairs = "".join(
        f"<dt>{clean(name)}</dt><dd>{'<br>'.join(map(clean, values))}</dd>"
        for name, values in [*block, *lines]
        if values
    )
    reasons = "".join(f'<p class="small">{clean(reason)}</p>' for reason in each.reasons)
    return (
        f'<article class="card advice {ADVICE_CLASS[each.use]}"><h3>{clean(each.headline)}</h3>{reasons}'
        f"{f'<dl>{pairs}</dl>' if pairs else ''}</article>"
    )


def answer_card(answer: Answer, t: Translate) -> str:
    sentences = "".join(f"<li>{clean(sentence)}</li>" for sentence in answer.sentences)
    places = " · ".join(f'<a href="#{sections.anchor(lab, t)}">{clean(t(f"lab {lab}"))}</a>' for lab in answer.evidence)
    shown = f'<p class="small quiet" style="margin-top:10px">{clean(t("Evidence"))} {places}</p>' if places else ""
    return (
        f'<article class="card answer-card"><header><h3>{clean(t(QUESTIONS[answer.question]))}</h3>'
        f'<span class="tone {answer.tone}">{clean(answer.headline)}</span></header><ul>{sentences}</ul>{shown}'
        "</article>"
    )


def conditions(facts: Facts, t: Translate) -> list[tuple[str, str]]:
    from engine.trace.export.environment import changed, model
    from engine.trace.export.figures import size

    machine = facts.machine
    versions = {"Python": machine.python, "MLX": machine.mlx, "mlx-lm": machine.mlx_lm, **facts.versions}
    cores = f" · {t('{n} cores', n=machine.cores)}" if machine.cores else ""
    listed = [
        (t("Machine"), machine.chip + cores),
        (t("Memory"), size(machine.memory_bytes)),
        (t("System"), machine.os),
        (t("Backend"), machine.backend),
        (t("Program"), facts.app),
        (t("Versions"), " · ".join(f"{name} {version}" for name, version in versions.items() if version)),
        (t("Notes"), " · ".join(machine.notes)),
        (t("Plan"), t(f"plan {facts.plan}") if facts.plan else ""),
        (t("Samples"), f"{len(facts.samples)}: {', '.join(facts.samples)}" if facts.samples else ""),
        (t("Longest answer"), t("{n} tokens", n=facts.tokens)),
        (t("Seed"), str(facts.seed)),
    ]
    for arm in facts.arms:
        drafter = t("target alone") if not arm.drafts else arm.spec.drafter
        block = [t("block {n}", n=arm.spec.settings.block)] if arm.drafts else []
        temperature = arm.spec.settings.temperature
        how = t("greedy") if temperature == 0 else t("temperature {n}", n=f"{temperature:g}")
        name = f"{t('Arm')} {arm.spec.name}"
        listed.append((name, " · ".join([drafter, *block, how, *changed(arm.spec.settings)])))
        if arm.target is not None:
            listed.append((f"{name}: {t('Target')}", model(arm.target, t)))
        if arm.drafter is not None:
            listed.append((f"{name}: {t('Drafter')}", model(arm.drafter, t)))
    return [(name, value) for name, value in listed if value]
