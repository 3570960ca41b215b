"""The experiment matrix of a sweep: one variable a cell. Pure but for the tokenizer that measures text.

    block             rows verified at once, the anchor and its drafts
    candidate_width   candidates a position keeps, where the drafter chooses among candidates
    injected_layers   layers that receive their predecessors' forming predictions, where the drafter injects (scheme E)
    temperature       with a baseline at the same temperature
    context_tokens    text before the prompt: other samples' texts, never repeated; 0 is the prompt as it is

Every axis holds the arm as it was given (its *base*), so that each cell differs from a cell of its own axis in the one
variable and in nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from msgspec.structs import asdict, replace

from engine.lab.measure import Batch, Cell
from engine.lab.plan import Plan, Sample
from engine.session import ArmState
from engine.trace.events import Arm

AXES = ("block", "candidate_width", "injected_layers", "temperature", "context_tokens")
SIZED = ("block", "candidate_width", "injected_layers")
"""Axes where more costs more: they have a knee."""
MOST_ARMS = 6
"""In one race, its baseline included: a further batch has a baseline of its own."""

QUICK: dict[str, tuple[float, ...]] = {
    "block": (2, 4, 8, 12, 16),
    "candidate_width": (1, 4, 16),
    "injected_layers": (0, -1),
    "temperature": (0, 0.8),
    "context_tokens": (0, 512),
}
FULL: dict[str, tuple[float, ...]] = {
    "block": (2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 32),
    "candidate_width": (1, 2, 4, 8, 16, 32, 64),
    "injected_layers": (0, 1, 2, 3, 4, 5, 6, 7, -1),
    "temperature": (0, 0.3, 0.5, 0.7, 1.0, 1.5),
    "context_tokens": (0, 256, 512, 1024, 2048, 4096),
}


@dataclass(frozen=True, slots=True)
class Ability:
    """What of a drafter can be varied."""

    candidates: bool = False
    injected_layers: int = 0
    """Layers that can be injected into; 0: none, the axis is left out."""
    widest_block: int = 0
    """The largest block that its drafts fill; 0: no limit."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One cell of the matrix."""

    base: Arm
    """As it was given: what is varied."""
    axis: str
    value: float
    arm: Arm
    baseline: Arm

    @property
    def cell(self) -> str:
        return f"{self.base.name} {self.axis} {self.value:g}"


def ability(state: ArmState) -> Ability:
    drafter = state.drafter
    layouts = [part.layout for part in getattr(drafter, "drafters", [drafter]) if hasattr(part, "layout")]
    alone = len(layouts) == len(getattr(drafter, "drafters", [drafter]))
    return Ability(
        candidates=any(layout.scheme in ("D", "E") for layout in layouts),
        injected_layers=max((layout.layers - 1 for layout in layouts if layout.scheme == "E"), default=0),
        widest_block=max((layout.gamma + 1 for layout in layouts), default=0) if alone and layouts else 0,
    )


def entries(plan: Plan, base: Arm, baseline: Arm, can: Ability) -> tuple[Entry, ...]:
    """The matrix of one arm, axis by axis, values ascending."""
    values = {axis: axis_values(plan, axis, base, can) for axis in AXES}
    return tuple(entry(base, baseline, axis, value) for axis in AXES for value in values[axis])


def axis_values(plan: Plan, axis: str, base: Arm, can: Ability) -> tuple[float, ...]:
    """Empty where the axis says nothing of this drafter. The base's own value is among them."""
    listed: set[float] = set((QUICK if plan.name == "quick" else FULL)[axis])
    if axis == "context_tokens":
        return tuple(sorted(listed))
    own: float = getattr(base.settings, axis)
    if axis == "block" and can.widest_block:
        listed = {value for value in listed if value <= can.widest_block} | {can.widest_block}
    if axis == "candidate_width" and not can.candidates:
        return ()
    if axis == "injected_layers":
        if not can.injected_layers:
            return ()
        # As trained, -1, is written as the number of layers: an axis needs an order.
        listed = {value if value >= 0 else can.injected_layers for value in listed if value <= can.injected_layers}
        own = can.injected_layers if own < 0 else own
    return tuple(sorted(listed | {own}))


def entry(base: Arm, baseline: Arm, axis: str, value: float) -> Entry:
    if axis == "context_tokens":
        return Entry(base, axis, value, base, baseline)
    number: Any = value if axis == "temperature" else int(value)
    changed = replace(base, name=f"{base.name} {axis}={value:g}", settings=replace(base.settings, **{axis: number}))
    plain = baseline
    if axis == "temperature" and value != baseline.settings.temperature:
        settings = replace(baseline.settings, temperature=value)
        plain = replace(baseline, name=f"{baseline.name} {axis}={value:g}", settings=settings)
    return Entry(base, axis, value, changed, plain)


def differences(arm: Arm, base: Arm) -> dict[str, Any]:
    """Settings in which two arms differ."""
    mine, theirs = asdict(arm.settings), asdict(base.settings)
    return {name: mine[name] for name in mine if mine[name] != theirs[name]}


def batches(
    listed: Sequence[Entry],
    samples: Sequence[Sample],
    longer: Callable[[Sample, int], Sample | None],
) -> tuple[tuple[Batch, ...], tuple[str, ...]]:
    """Races that measure the matrix, and what can't be measured.

    Cells that share a baseline run together, at most ``MOST_ARMS`` at a time. ``longer`` puts so many tokens of text
    before a sample; None where there isn't enough.
    """
    made: list[Batch] = []
    missing: list[str] = []
    for axis in AXES:
        mine = [item for item in listed if item.axis == axis]
        if axis == "context_tokens":
            for item in mine:
                texts = [longer(sample, int(item.value)) for sample in samples]
                if any(text is None for text in texts):
                    missing.append(
                        f"No context of {item.value:g} tokens: the target holds less, or there is too little text."
                    )
                    continue
                cell = _cell(item)
                made.append(Batch((item.baseline, item.arm), (cell,), tuple(text for text in texts if text)))
            continue
        for plain in dict.fromkeys(item.baseline for item in mine):
            own = [item for item in mine if item.baseline == plain]
            for at in range(0, len(own), MOST_ARMS - 1):
                part = own[at : at + MOST_ARMS - 1]
                arms = (plain, *(item.arm for item in part))
                made.append(Batch(arms, tuple(_cell(item) for item in part), tuple(samples)))
    return tuple(made), tuple(missing)


def _cell(item: Entry) -> Cell:
    labels = {"axis": item.axis, "value": f"{item.value:g}", "base": item.base.name}
    return Cell(item.cell, (item.baseline.name, item.arm.name), labels)


class Context:
    """Text to put before a prompt: other samples' own, each at most once, in an order that is the same every time."""

    def __init__(
        self, texts: Sequence[Sample], encode: Callable[[str], list[int]], decode: Callable[[list[int]], str], most: int
    ) -> None:
        self._texts, self._encode, self._decode, self._most = texts, encode, decode, most
        self._known: dict[str, list[int]] = {}

    def longer(self, sample: Sample, tokens: int) -> Sample | None:
        """None where the texts, or the target's context of ``most`` tokens, don't suffice."""
        if tokens == 0:
            return sample
        if self._most and tokens + len(self._ids(sample)) > self._most:
            return None
        ids: list[int] = []
        for other in self._texts:
            if len(ids) >= tokens:
                break
            if other.name != sample.name:
                ids += self._ids(other)
        if len(ids) < tokens:
            return None
        before = self._decode(ids[:tokens]).rstrip("\ufffd")
        return replace(sample, prompt=f"{before}\n\n{sample.prompt}")

    def _ids(self, sample: Sample) -> list[int]:
        if sample.name not in self._known:
            self._known[sample.name] = list(self._encode(sample.prompt + "\n\n"))
        return self._known[sample.name]
