"""What a report says nothing about: labs that were not run or broke off, layers without a sample, what the labs say.

A lab's own sentences are English; those of a known form are said in the reader's language.
"""

from __future__ import annotations

import re

from engine.lab.report import say
from engine.lab.report.facts import Facts
from engine.lab.suite import LABS
from engine.trace.export.words import Translate

ALWAYS = (
    "Other machines, other models, other loads: figures don't carry over.",
    "The quality of the text itself: what is checked is that it is the target's own.",
    "Splitting a model over several machines: not applicable to one machine.",
)
FORMS: tuple[tuple[str, str], ...] = (
    (
        r"No sample with (?P<kind>\w+) (?P<layer>\w+) was (?:measured|swept)\.",
        "No sample with {kind} {layer} was measured ({lab}).",
    ),
    (
        r"(?P<n>\d+) of (?P<whole>\d+) samples were left out for lack of time\.",
        "{n} of {whole} samples were left out for lack of time ({lab}).",
    ),
    (r"(?P<arm>.+): swept by the full plan only\.", "{arm} was not swept: the full plan does that."),
    (
        r"(?P<arm>.+) was not disturbed: the quick plan takes one arm\.",
        "{arm} was not disturbed: the full plan does that.",
    ),
    (
        r"The run called (?P<run>.+) had time for (?P<n>[\d,]+) of (?P<whole>[\d,]+) rounds\.",
        "The long run ({run}) had time for {n} of {whole} rounds.",
    ),
    (
        r"(?P<target>.+) in (?P<precision>\S+) was not tested: (?P<why>.+)\.",
        "{target} in {precision} was not tested: {why}.",
    ),
    (
        r"No context of (?P<n>[\d,]+) tokens: .+",
        "A context of {n} tokens was not swept: the target holds less, or there is too little text.",
    ),
    (
        r"Stopped early: (?P<n>[\d,]+) of (?P<whole>[\d,]+) (?P<what>.+) fitted into the time\.",
        "Stopped early: {n} of {whole} {what} fitted into the time ({lab}).",
    ),
    (r"Not disturbed for lack of time: (?P<names>.+)\.", "Not disturbed for lack of time: {names}."),
    (
        r"Prompts of more than (?P<prompt>\d+) tokens and answers of more than (?P<answer>\d+) were not served\.",
        "Prompts of more than {prompt} tokens and answers of more than {answer} were not served.",
    ),
    (r"For lack of time these were left out: (?P<names>.+)\.", "For lack of time these were left out: {names}."),
    (
        r"Faults of less than (?P<tv>[\d.]+) of total variation may pass unseen in the weakest of the tests\.",
        "Faults of less than {tv} of total variation may pass unseen in the weakest of the tests.",
    ),
    (
        r"How cost and acceptance change with block length is the sweep's to say\.",
        "Attribution holds for the arm's own block length.",
    ),
)
KINDS = ("task", "language", "format", "length")


def untested(facts: Facts, t: Translate) -> list[str]:
    found: list[str] = []
    run = {lab.lab: lab for lab in facts.labs}
    for lab in LABS:
        if lab in facts.unfinished:
            found.append(t("{lab} could not be run: {why}", lab=t(f"lab {lab}"), why=facts.unfinished[lab]))
        elif lab not in run:
            found.append(t("{lab} was not run.", lab=t(f"lab {lab}")))
        elif run[lab].status == "stopped":
            told = "{lab} was stopped early: its figures rest on what was done until then."
            found.append(t(told, lab=t(f"lab {lab}")))
    for each in facts.labs:
        found += [sentence(words, each.lab, t) for words in each.not_tested]
    for arm in facts.profile[:1]:
        if arm.void:
            told = "{n} samples count for nothing in speed: their text repeats itself or is too short."
            found.append(t(told, n=arm.void))
    return list(dict.fromkeys([*found, *(t(words) for words in ALWAYS)]))


def sentence(words: str, lab: str, t: Translate) -> str:
    """A lab's own sentence in the reader's language, where its form is known."""
    for pattern, told in FORMS:
        if match := re.fullmatch(pattern, words):
            fields = match.groupdict()
            if fields.get("kind") in KINDS:
                fields["layer"] = named(fields["layer"], t)
                fields["kind"] = t(fields["kind"])
            if "what" in fields:
                fields["what"] = counted(fields["what"], t)
            if "names" in fields:
                fields["names"] = say.listed([t(name) for name in fields["names"].split(", ")], t)
            return t(told, lab=t(f"lab {lab}"), **fields)
    return t(words)


def counted(what: str, t: Translate) -> str:
    """What a lab counts; "draws of" goes on with a cell's own name."""
    kind, _, of = what.partition(" of ")
    key = f"what {kind}"
    told = t(key) if t(key) != key else kind
    return f"{told} ({of})" if of else told


def named(layer: str, t: Translate) -> str:
    key = f"layer {layer}"
    return t(key) if t(key) != key else layer
