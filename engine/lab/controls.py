"""Planted faults: the real loop with one thing wrong, judged by the very check that judges the arms.

Drafts are scripted (``engine.lab.scripted``), so that there is something to roll back, to keep whole and to end inside
a block on any model. Each text also runs without a fault; unless that passes, a red one would prove nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from engine.lab.faults import FAULTS, Fault, Needs
from engine.lab.judgement import CLEAN, Finding, judge
from engine.lab.plan import Sample
from engine.lab.rig import Answer, Rig, greedy
from engine.lab.scripted import Known
from engine.text import TextStream
from engine.trace.events import Arm, Settings

NUMBERS = Sample(
    name="control-numbers", prompt="Write the numbers from one to thirty in words, separated by commas.",
    length="short", task="open", language="en", format="list",
)  # fmt: skip
"""Repeats its commas all the time: a penalty has something to act on."""
LETTERS = replace(
    NUMBERS, name="control-letters", prompt="List the letters of the alphabet, each with a word that begins with it."
)
PENALTY = {"repetition_penalty": 1.5, "repetition_window_tokens": 16}
BLOCK = 8

Record = Callable[[str, Answer, Answer, Finding], None]
"""Keeps a control's baseline, answer and finding under a cell's name."""


@dataclass(frozen=True, slots=True)
class Text:
    """Something to run: a prompt, settings, what its baseline says, and what is drafted."""

    sample: Sample
    arm: Arm
    baseline: Answer
    known: Sequence[int]


def run_controls(rig: Rig, given: Arm, sample: Sample, tokens: int, record: Record) -> Iterator[str]:
    """One after another; yields the name of each as it is done, or a sentence ending in a full stop for what can't be.

    ``given`` is any arm of this target; its drafter takes no part.
    """
    texts: dict[Needs, list[Text]] = {}
    for fault in FAULTS:
        if why := fault.absent(rig.target):
            yield f"The planted fault '{fault.name}' does not apply to {rig.target.facts.name}: {why}."
            continue
        if fault.needs not in texts:
            texts[fault.needs] = list(_texts(rig, given, sample, tokens, fault.needs))
            for text in texts[fault.needs]:
                _run(rig, text, None, record)
        if not texts[fault.needs]:
            yield f"The planted fault '{fault.name}' was not tried: no text had a place for it."
            continue
        for text in texts[fault.needs]:
            # A fault need not show in every text; it has to in one of them.
            if _run(rig, text, fault, record):
                break
        yield fault.name


def planned() -> int:
    return len(FAULTS)


def _texts(rig: Rig, given: Arm, sample: Sample, tokens: int, needs: Needs) -> Iterator[Text]:
    arm = greedy(replace(given, name="scripted", drafter="scripted"), tokens, block=BLOCK, repetition_penalty=1.0)
    if needs == "penalty":
        arm = replace(arm, settings=replace(arm.settings, **PENALTY))
        for chosen in (NUMBERS, LETTERS):
            (base,) = rig.baseline(_plain(arm), [chosen])
            yield Text(chosen, arm, base, base.ids)
        return
    (base,) = rig.baseline(_plain(arm), [sample])
    if needs == "rejections":
        yield Text(sample, arm, base, base.ids)
        return
    stop = stop_inside_a_block(rig, base.ids)
    if stop:
        arm = replace(arm, settings=replace(arm.settings, stop=(stop,)))
        (ended,) = rig.baseline(_plain(arm), [sample])
        # What would have followed is drafted all the same: the end must be the loop's own doing.
        yield Text(sample, arm, ended, base.ids)


def _plain(arm: Arm) -> Settings:
    return arm.settings


def stop_inside_a_block(rig: Rig, ids: Sequence[int]) -> str:
    """A stop string that ends the text inside the first block of drafts, all kept; empty where there is none."""
    tokenizer = rig.target.tokenizer
    whole = TextStream(tokenizer)
    pieces = [whole.push(token) for token in ids]
    for at in range(2, min(BLOCK - 2, len(ids) - 1)):
        piece = pieces[at]
        if not piece:
            continue
        stream = TextStream(tokenizer, (piece,))
        ends = next((i for i, token in enumerate(ids) if stream.push(token) is not None and stream.stopped), None)
        if ends == at:
            return piece
    return ""


def _run(rig: Rig, text: Text, fault: Fault | None, record: Record) -> bool:
    """Whether the check turned red."""
    vocabulary = rig.target.facts.vocabulary
    state = rig.state(text.arm, Known(len(text.baseline.prompt), text.known, vocabulary))
    with rig.faulty(fault):
        answer = rig.answer(state, text.sample, 0)
    name = fault.name if fault else CLEAN
    finding = rig.finding(
        answer, cell=f"control {name}", arm=text.arm.name, variation=name, control=name, prompt=text.sample.name,
        settings={"block": BLOCK, **(PENALTY if text.arm.settings.repetition_penalty != 1 else {})},
    )  # fmt: skip
    record(finding.cell, text.baseline, answer, finding)
    return judge(finding, text.baseline.turn, answer.turn).outcome == "fail"
