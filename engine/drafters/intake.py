"""Does this drafter belong to this target, and is it read the way it was trained? Asked once, when a pair is chosen.

At rest     sizes, vocabulary, layers, taps and packing must fit: each misfit is one sentence, and nothing is tried.
At work     the target writes a short text greedily; at ``ROUNDS`` places of it the drafter guesses on, with the text
            itself as context, so a place costs one small forward. It does so as its checkpoint says, with its first
            guess one row earlier or later, and with its taps one layer lower or higher. The wrong row or the wrong
            layer is the commonest fault of a reader: it can halve acceptance and shows nowhere else.

A reading is called better only where the places agree on it beyond chance (a paired difference of over two standard
errors), and a drafter is said to fit only where it guesses the next token more often than one fixed token would.
"""

from __future__ import annotations

import copy
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import mlx.core as mx
from msgspec import Struct, structs

from engine.drafters import eagle
from engine.drafters.block import Block
from engine.drafters.borrow import find, hidden_size
from engine.drafters.checkpoint import is_block_drafter, load_block_drafter, read_checkpoint
from engine.drafters.follow import Follower
from engine.drafters.formats import DrafterFacts, read_drafter
from engine.drafters.layout import Layout
from engine.drafters.recurrent import block_drafter
from engine.drafters.save import is_saved, read_saved, save_drafter
from engine.models.errors import ModelError
from engine.models.registry import same_model
from engine.sampling import Sampler
from engine.target import Target
from engine.trace.events import Settings

ROUNDS = 32
FEWEST_ROUNDS = 8
PROMPT = "Write a short story about a lighthouse keeper and a storm."
"""Asks for more than ``ROUNDS`` tokens."""
PACKED_BITS = (2, 3, 4, 5, 6, 8)
PACKED_GROUPS = (32, 64, 128)

Verdict = Literal["fits", "wrong row", "wrong taps", "not this target's", "can't tell", "refused"]


class ReadAs(Struct, frozen=True, kw_only=True):
    """One way to read a checkpoint, and how it did."""

    name: str
    first_row: int
    """The row that holds the first guess: 0 anchor-first, 1 fill-in."""
    taps: tuple[int, ...]
    accepted_tokens: float
    """Mean number of guesses kept at one place."""
    first_right: float
    """Share of places whose first guess is right."""


class IntakeReport(Struct, frozen=True, kw_only=True):
    drafter: str
    target: str
    verdict: Verdict
    sentence: str
    """What it means and what to do."""
    problems: tuple[str, ...] = ()
    """Why it is refused."""
    rounds: int = 0
    tokens_a_block: int = 0
    readings: tuple[ReadAs, ...] = ()
    """The declared one first."""
    use: ReadAs | None = None
    """The reading to use in place of the declared one."""
    notes: tuple[str, ...] = ()


def check_pair(
    target: Target, drafter_path: Path | str, rounds: int = ROUNDS, loaded: Block | eagle.Eagle | None = None
) -> IntakeReport:
    """Try a drafter on a target. Never raises for a bad checkpoint: that is a report too.

    ``loaded``: the drafter's weights where they are in memory already, so that they aren't held twice.
    """
    path = Path(drafter_path)
    names: dict[str, Any] = {"drafter": path.name, "target": target.facts.name}
    try:
        layout, facts = _read(path, target)
    except ModelError as error:
        return _refused(names, [str(error)])
    problems = misfits(layout, facts, target)
    if problems:
        return _refused(names, problems)
    try:
        shared = loaded or load_block_drafter(path, target).shared
    except ModelError as error:
        return _refused(names, [str(error)])
    text, start = greedy_text(target, rounds + layout.gamma)
    places = len(text) - start - layout.gamma
    names |= {"tokens_a_block": layout.gamma, "notes": facts.notes}
    if places < FEWEST_ROUNDS:
        sentence = f"The target ended its text after {len(text) - start} tokens, too early to try the drafter on it."
        return IntakeReport(**names, verdict="can't tell", sentence=sentence)
    return _judge(names, layout, facts, target, _try_all(shared, target, text, start, places))


# At rest


def misfits(layout: Layout, facts: DrafterFacts, target: Target) -> list[str]:
    """One sentence for each thing about a drafter that can't be right for this target."""
    found: list[str] = []
    name, layers = target.facts.name, len(target.model.layers)
    if target.facts.vocabulary and layout.vocabulary != target.facts.vocabulary:
        found.append(
            f"The drafter knows {layout.vocabulary} tokens, {name} has {target.facts.vocabulary}: "
            "the same id would mean another text. Choose a drafter made for this target."
        )
    width = hidden_size(find(target)[0])
    if width != layout.hidden_size and not (layout.own_embedding and layout.own_head and layout.tap_size == width):
        found.append(
            f"The drafter is {layout.hidden_size} wide, {name} is {width}. Choose a drafter made for this target."
        )
    if facts.target_layers and facts.target_layers != layers:
        found.append(
            f"The drafter was made for a target of {facts.target_layers} layers, {name} has {layers}. "
            "Choose a drafter made for this target."
        )
    outside = [tap for tap in layout.taps if tap >= layers]
    if outside:
        found.append(
            f"The drafter taps layer {max(outside)}, the last of {name} is {layers - 1}. "
            "Choose a drafter made for this target."
        )
    if layout.scheme != "A" and layout.mask_id in target.end_ids:
        found.append(
            f"The drafter's mask (token {layout.mask_id}) ends a turn of {name}, so it stands for text as well. "
            "Fetch the drafter again."
        )
    if facts.bits and (facts.bits not in PACKED_BITS or facts.group_size not in PACKED_GROUPS):
        found.append(
            f"The drafter is packed in {facts.bits} bits and groups of {facts.group_size}, which MLX can't multiply. "
            "Quantise it again, for example in 4 bits and groups of 64."
        )
    return found


def _read(path: Path, target: Target) -> tuple[Layout, DrafterFacts]:
    if is_saved(path):
        layout, weights, config = read_saved(path)
        packed, about = config.get("quantization") or {}, config.get("about") or {}
        return layout, DrafterFacts(
            dialect="slipstream",
            target=str(about.get("target", "")),
            bits=int(packed.get("bits", 0)),
            group_size=int(packed.get("group_size", 0)),
            weights_bytes=sum(w.nbytes for w in weights.values()),
        )
    if path.is_dir() and (path / "config.json").is_file() and not is_block_drafter(path):
        raise ModelError(f"{path} holds no drafter that reads its target's layers. Choose a drafter's directory.")
    layout, _, facts = read_drafter(path, len(target.model.layers))
    return layout, facts


# At work


@dataclass(frozen=True, slots=True)
class Tried:
    """A reading, and how many guesses were kept at each place."""

    name: str
    first_row: int
    taps: tuple[int, ...]
    kept: tuple[int, ...]
    first: tuple[bool, ...]
    next_tokens: tuple[int, ...]
    """The text's own token after each place's anchor."""

    def record(self) -> ReadAs:
        n = len(self.kept)
        return ReadAs(
            name=self.name,
            first_row=self.first_row,
            taps=self.taps,
            accepted_tokens=sum(self.kept) / n,
            first_right=sum(self.first) / n,
        )


def greedy_text(target: Target, tokens: int) -> tuple[list[int], int]:
    """A prompt and the target's own greedy answer to it, up to ``tokens`` long; where the answer begins."""
    tokenizer = target.tokenizer
    if getattr(tokenizer, "chat_template", None):
        ids = list(tokenizer.apply_chat_template([{"role": "user", "content": PROMPT}], add_generation_prompt=True))
    else:
        ids = list(tokenizer.encode(PROMPT))
    start, caches = len(ids), target.make_caches()
    room = target.facts.context_tokens - start if target.facts.context_tokens else tokens
    rows = mx.array(ids)
    for _ in range(min(tokens, room)):
        logits, _ = target.forward(rows, caches)
        token: int = mx.argmax(logits[-1]).item()  # type: ignore[assignment]
        ids.append(token)
        if token in target.end_ids:
            break
        rows = mx.array([token])
    return ids, start


def _try_all(shared: Block | eagle.Eagle, target: Target, text: list[int], start: int, places: int) -> list[Tried]:
    """All readings, the declared one first; one forward of the target serves them all."""
    layout: Layout = shared.model.layout
    layers = len(target.model.layers)
    shifts = [d for d in (0, -1, 1) if all(0 <= tap + d < layers for tap in layout.taps)]
    wanted = sorted({tap + d for tap in layout.taps for d in shifts})
    _, taps = target.forward(mx.array(text), target.make_caches(), wanted)
    mx.eval(list(taps.values()))

    def run(name: str, changed: Layout, skip: int = 0) -> Tried:
        first_row = (0 if changed.rows == "anchor-first" else 1) + skip
        kept, first, following = _rounds(_reader(shared, changed), text, start, places, taps, skip)
        return Tried(name, first_row, changed.taps, tuple(kept), tuple(first), tuple(following))

    tried = [run("as declared", layout)]
    # Direct rows, which only our own format has, each have a reading of their own: no other row can be meant.
    if layout.scheme != "A" and not layout.direct:
        if layout.rows == "fill-in":
            tried.append(run("first guess one row earlier", structs.replace(layout, rows="anchor-first")))
            if layout.gamma > 1:
                tried.append(run("first guess one row later", layout, skip=1))
        else:
            tried.append(run("first guess one row later", structs.replace(layout, rows="fill-in")))
    for d in shifts[1:]:
        name = f"taps one layer {'lower' if d < 0 else 'higher'}"
        tried.append(run(name, structs.replace(layout, taps=tuple(tap + d for tap in layout.taps))))
    return tried


def _reader(shared: Block | eagle.Eagle, layout: Layout) -> Follower:
    """A drafter on the same weights under another layout. Rows and taps don't change what modules there are."""
    model = copy.copy(shared.model)
    model.layout = layout
    if "cascade" in model:
        model.cascade = copy.copy(model.cascade)
        model.cascade.fill_in = layout.rows == "fill-in"
    if isinstance(shared, eagle.Eagle):
        return eagle.EagleDrafter(eagle.Eagle(model, shared.borrowed))
    return block_drafter(Block.of(model, shared.borrowed))


def _rounds(
    drafter: Follower, text: list[int], start: int, places: int, taps: dict[int, mx.array], skip: int
) -> tuple[list[int], list[bool], list[int]]:
    """Guess on after each of ``places`` tokens of the text, the first ``skip`` guesses left out."""
    gamma = drafter.layout.gamma
    sampler = Sampler(Settings(block=gamma + 1))
    kept: list[int] = []
    first: list[bool] = []
    following: list[int] = []
    done = 0
    for anchor in range(start, start + places):
        drafter.observe(text[done:anchor], {layer: taps[layer][:, done:anchor] for layer in drafter.taps})
        done = anchor
        draft = drafter.propose(text[anchor], gamma, sampler)  # type: ignore[attr-defined]
        guesses: list[int] = draft.tokens.tolist()[skip:]
        truth = text[anchor + 1 : anchor + 1 + len(guesses)]
        right = [g == t for g, t in zip(guesses, truth, strict=True)]
        kept.append(right.index(False) if False in right else len(right))
        first.append(bool(right) and right[0])
        following.append(text[anchor + 1])
    return kept, first, following


# The verdict


def _judge(
    names: dict[str, Any], layout: Layout, facts: DrafterFacts, target: Target, tried: Sequence[Tried]
) -> IntakeReport:
    declared, *others = tried
    fields = names | {"rounds": len(declared.kept), "readings": tuple(t.record() for t in tried)}
    better = [t for t in others if beats(t, declared) and _knows(t)]
    if better:
        best = max(better, key=lambda t: sum(t.kept))
        use = best.record()
        wrong: Verdict = "wrong taps" if best.taps != declared.taps else "wrong row"
        gain = f"{use.accepted_tokens:.2f} guesses kept a block instead of {fields['readings'][0].accepted_tokens:.2f}"
        how = f"taps {list(use.taps)}" if wrong == "wrong taps" else f"the first guess in row {use.first_row}"
        sentence = f"The checkpoint is read the wrong way: with {how} it does better ({gain}). Use that reading."
        return IntakeReport(**fields, verdict=wrong, sentence=sentence, use=use)
    if _knows(declared):
        mean = fields["readings"][0].accepted_tokens
        kept = f"{mean:.2f} of {layout.gamma} guesses kept a block"
        sentence = f"The drafter fits: {kept}, and no other reading does better."
        return IntakeReport(**fields, verdict="fits", sentence=sentence)
    if facts.target and not same_model(facts.target, target.facts.name):
        sentence = (
            f"The drafter was made for {facts.target} and guesses no better here than one fixed token would: "
            "it is not this target's drafter. Choose one made for this target."
        )
        return IntakeReport(**fields, verdict="not this target's", sentence=sentence)
    sentence = (
        "The drafter guesses no better than one fixed token would, however it is read: it is untrained, or made for "
        "another target. The text stays right, but nothing gets faster."
    )
    return IntakeReport(**fields, verdict="can't tell", sentence=sentence)


def beats(a: Tried, b: Tried) -> bool:
    """By a paired difference over two standard errors, and by a tenth of a token."""
    differences = [x - y for x, y in zip(a.kept, b.kept, strict=True)]
    n = len(differences)
    mean = sum(differences) / n
    spread = math.sqrt(sum((d - mean) ** 2 for d in differences) / max(1, n - 1) / n)
    return mean > max(0.1, 2 * spread)


def _knows(t: Tried) -> bool:
    """Right more often than the commonest of the tokens to guess would be."""
    n = len(t.first)
    common = Counter(t.next_tokens).most_common(1)[0][1] / n
    return sum(t.first) / n > min(0.99, common + 2 * math.sqrt(common * (1 - common) / n))


def _refused(names: dict[str, Any], problems: list[str]) -> IntakeReport:
    return IntakeReport(**names, verdict="refused", sentence=problems[0], problems=tuple(problems))


def save_reading(path: Path, reading: ReadAs, out: Path) -> None:
    """Write a copy of a drafter, in our own format, that is read as ``reading`` says. Raises ``ModelError``."""
    if reading.first_row > 1:
        raise ModelError(f"A first guess in row {reading.first_row} can't be stored: fetch the drafter again.")
    if out.exists():
        raise ModelError(f"{out} is there already: choose another directory.")
    checkpoint = read_checkpoint(path)
    rows: Literal["anchor-first", "fill-in"] = "fill-in" if reading.first_row else "anchor-first"
    layout = structs.replace(checkpoint.layout, rows=rows, taps=reading.taps)
    about = {**checkpoint.about, "architecture": checkpoint.architecture, "read_as": reading.name}
    save_drafter(out, layout, checkpoint.weights, about=about, quantization=checkpoint.quantization)


def report_text(report: IntakeReport) -> str:
    """For a terminal: the sentence, what was tried, what was decided in reading."""
    lines = [f"{report.drafter} for {report.target}: {report.verdict}", report.sentence]
    lines += [f"  - {problem}" for problem in report.problems[1:]]
    if report.readings:
        lines.append(f"Tried at {report.rounds} places, {report.tokens_a_block} guesses each:")
        for r in report.readings:
            lines.append(f"  {r.name:<28} {r.accepted_tokens:5.2f} kept, first guess right {r.first_right:4.0%}")
    lines += [f"Note: {note}" for note in report.notes]
    return "\n".join(lines)
