"""``lab lossless``: is every token the target's own choice? PASS, NEAR-TIE or FAIL, with the evidence.

For each arm and each condition (``engine.lab.conditions``): the arm and its baseline write the same answers through the
real loop; then the emitted text is replayed by the target alone, and the caches are compared with the replay's
(``engine.lab.replay``). The rule is ``engine.lab.judgement``'s. Faults planted in the same loop
(``engine.lab.controls``) show that the check sees what it is there for. What was found lies in the traces, from which
``results_from_traces`` makes all results again.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import mlx.core as mx
from msgspec.structs import replace

from engine.cache import TRIMMABLE, leaves
from engine.lab.budget import Budget, allowed_s, left_out
from engine.lab.conditions import SLOW, Condition, conditions_of
from engine.lab.controls import planned, run_controls
from engine.lab.evidence import read_traces
from engine.lab.judgement import AS_IT_IS, FINDING, Finding, judge, label_of, results_from_traces
from engine.lab.matrix import ability
from engine.lab.measure import Writers, environment, now, trace_name
from engine.lab.plan import Plan, Sample
from engine.lab.precision import LoadHeld, Precision, load_held, possible
from engine.lab.result import LabError, LabResult, Status, write_result
from engine.lab.rig import Answer, Rig, Stopped, greedy, history_of
from engine.lab.scripted import Known
from engine.models.errors import ModelError
from engine.platform import machine
from engine.process.job import Job
from engine.trace.events import Arm, ModelFacts, Started
from engine.trace.session import ArmEvent

__all__ = ["LAB", "results_from_traces", "run"]

LAB = "lossless"
WORDS = {"pass": "PASS", "near-tie": "NEAR-TIE", "fail": "FAIL"}
NATIVE_SHARE = 0.6
"""Of the time, where other arithmetic is to be checked too."""
ALWAYS_UNTESTED = (
    "Several requests in one batch are the concurrency lab's matter.",
    "Sharding over several machines has no counterpart here.",
)


@dataclass(slots=True)
class Work:
    """What is to be done on one model in one arithmetic. What the verdict rests on comes first: the arms as they are,
    the planted faults, float32."""

    target: str
    precision: Precision
    cells: list[tuple[Arm, Condition]]
    controls: bool = False
    share: float = 1.0
    """Of the lab's time: where so much is spent, only what the verdict rests on is still done."""

    def must(self, number: int) -> bool:
        """Whether a cell is done whatever the time."""
        return self.cells[number][1].variation == AS_IT_IS or (self.precision == "float32" and number == 0)


@dataclass(slots=True)
class Bench:
    """The lab at work."""

    plan: Plan
    out: Path
    job: Job
    load: LoadHeld
    writers: Writers
    tokens: int
    slow_tokens: int
    conversations: list[list[Sample]]
    budget: Budget
    done: int = 0
    total: int = 0
    untested: list[str] = field(default_factory=list)
    native: dict[str, Rig] = field(default_factory=dict)
    """By target: loaded to plan the work, let go when its own is done."""
    targets: dict[str, ModelFacts] = field(default_factory=dict)
    """Facts of what ran, by arm; the models themselves are let go."""
    drafters: dict[str, ModelFacts] = field(default_factory=dict)
    turns: dict[str, int] = field(default_factory=dict)
    """Turns written, by cell."""
    varied: list[str] = field(default_factory=list)
    """Conditions that were checked."""
    checked: int = 0
    planned: int = 0
    """Cells."""

    def step(self, note: str) -> None:
        self.done = min(self.done + 1, self.total)
        self.job.progress(LAB, self.done, self.total, "checks", note)

    def rig(self, target: str, precision: Precision) -> Rig:
        return Rig(target, precision, self.load, self.job.cancelled)

    # One condition

    def check(self, rig: Rig, given: Arm, condition: Condition) -> None:
        tokens = self.slow_tokens if condition.precision in SLOW else self.tokens
        arm = greedy(given, tokens, **condition.changes)
        cell = f"{arm.name} {condition.variation}"
        for conversation in self._conversations(condition):
            base = rig.baseline(arm.settings, conversation, condition.by_row)
            state = None if condition.scripted else rig.state(arm, by_row=condition.by_row)
            for number, sample in enumerate(conversation):
                if condition.scripted:
                    known = Known(len(base[number].prompt), base[number].ids, rig.target.facts.vocabulary)
                    state = rig.state(arm, known)
                assert state is not None
                if not condition.keeps:
                    state.reset()
                answer = rig.answer(state, sample, number, history_of(base[:number]))
                finding = rig.finding(
                    answer, by_row=condition.by_row, cell=cell, arm=arm.name, variation=condition.variation,
                    prompt=sample.name, settings=dict(condition.changes),
                )  # fmt: skip
                self.record(cell, base[number], answer, finding)
                found = judge(finding, base[number].turn, answer.turn)
                self.job.cell(
                    LAB, arm.name, condition.variation, value=found.largest_gap, text=WORDS[found.outcome],
                    traces=(trace_name(LAB, cell),),
                )  # fmt: skip
            if state is not None:
                self.targets.setdefault(arm.name, state.target.facts)
                if state.drafter_facts:
                    self.drafters.setdefault(arm.name, state.drafter_facts)

    def _conversations(self, condition: Condition) -> list[list[Sample]]:
        if condition.turns > 1:
            return self.conversations
        most = self.plan.size("lossless_samples", 1, 4)
        return [[conversation[0]] for conversation in self.conversations[:most]]

    def record(self, cell: str, base: Answer, answer: Answer, finding: Finding) -> None:
        """Baseline and arm side by side, as one turn of the cell's trace."""
        number = self.turns.get(cell, 0)
        self.turns[cell] = number + 1
        writer = self.writers.of(cell)
        labels = {"sample": base.sample.name, "cell": cell, "trace": trace_name(LAB, cell)}
        for event in base.events:
            writer.write(numbered(event, number, labels))
        for event in answer.events:
            writer.write(numbered(event, number, {**labels, FINDING: label_of(finding)}))

    # One model in one arithmetic

    def work(self, work: Work) -> None:
        self.planned += len(work.cells)
        due = [cell for number, cell in enumerate(work.cells) if work.must(number)]
        if not due and not self.budget.room(work.share):
            return
        blocks = {arm.settings.block for arm, _ in work.cells} | {
            int(c.changes["block"]) for _, c in work.cells if "block" in c.changes
        }
        widths = tuple(sorted({2, *(block for block in blocks if block > 1)}))
        rig = self.native.pop(work.target) if work.precision == "native" else self.rig(work.target, work.precision)
        rig.widths = widths
        try:
            self._listen(rig, work)
            for number, (arm, condition) in enumerate(work.cells):
                if work.controls and number == len(due):
                    self._controls(rig, work)
                if work.must(number) or self.budget.room(work.share):
                    self._cell(rig, arm, condition)
                self.step(f"{arm.name}, {condition.variation}")
            if work.controls and len(due) == len(work.cells):
                self._controls(rig, work)
        finally:
            del rig
            mx.clear_cache()

    def _cell(self, rig: Rig, arm: Arm, condition: Condition) -> None:
        self.checked += 1
        if condition.by_row and not by_row_possible(rig):
            self.untested.append(f"{rig.target.facts.name} can't be computed {condition.variation}.")
            return
        try:
            self.check(rig, arm, condition)
        except ModelError as error:
            self.untested.append(f"{arm.name}, {condition.variation}: {error}")
            return
        if condition.variation not in self.varied:
            self.varied.append(condition.variation)

    def _controls(self, rig: Rig, work: Work) -> None:
        for said in run_controls(rig, work.cells[0][0], self.conversations[0][0], self.tokens, self.record):
            if said.endswith("."):
                self.untested.append(said)
            self.step(said)

    def _listen(self, rig: Rig, work: Work) -> None:
        """The noise, on the baselines' own texts."""
        listened = set()
        for arm, condition in work.cells:
            settings = greedy(arm, self.slow_tokens if work.precision in SLOW else self.tokens).settings
            if condition.by_row or settings.kv_bits in listened:
                continue
            listened.add(settings.kv_bits)
            conversations = self._conversations(condition) if work.precision in SLOW else list(self.conversations)
            for conversation in conversations:
                try:
                    answers = rig.baseline(settings, conversation)
                except ModelError as error:
                    self._leave_out(conversation, str(error))
                    continue
                for answer in answers:
                    rig.listen(answer)
            self.step("noise")

    def _leave_out(self, conversation: list[Sample], why: str) -> None:
        """A conversation that the target can't answer. Raises ``LabError`` where none is left."""
        self.untested.append(f"{' and '.join(sample.name for sample in conversation)}: {why}")
        self.conversations = [other for other in self.conversations if other != conversation]
        if not self.conversations:
            raise LabError(f"No sample can be answered by this target: {why}")


def run(plan: Plan, arms: tuple[Arm, ...], out: Path, job: Job, load: LoadHeld = load_held) -> LabResult:
    """Raises ``LabError``."""
    drafting = [arm for arm in arms if arm.drafter != "none"]
    if not drafting:
        raise LabError("Losslessness is a question about an arm with a drafter: add --arm lookup.")
    began, began_s = now(), time.perf_counter()
    writers = Writers(out, LAB, machine())
    tokens = plan.size("lossless_tokens", min(plan.tokens, 20), plan.tokens)
    bench = Bench(
        plan=plan, out=out, job=job, load=load, writers=writers, tokens=tokens,
        slow_tokens=plan.size("lossless_slow_tokens", min(tokens, 8), min(tokens, 48)),
        conversations=conversations_of(plan), budget=Budget(allowed_s(plan, LAB)),
    )  # fmt: skip
    stopped = False
    try:
        works = planned_work(drafting, plan, bench)
        bench.total = sum(len(w.cells) + 1 + w.controls * planned() for w in works)
        job.progress(LAB, 0, bench.total, "checks")
        for work in works:
            bench.work(work)
    except Stopped:
        stopped = True
    except ModelError as error:
        raise LabError(str(error)) from error
    finally:
        writers.close()
    if not stopped and bench.checked < bench.planned:
        bench.untested.append(left_out("checks", bench.checked, bench.planned))
    results = results_from_traces(read_traces(out, writers.names()))
    facts = {arm.target: bench.targets[arm.name] for arm in drafting if arm.name in bench.targets}
    targets = {arm.name: facts[arm.target] for arm in arms if arm.target in facts}
    outcome: Status = "stopped" if stopped else results["outcome"]
    result = LabResult(
        lab=LAB,
        status=outcome,
        environment=replace(environment({}, writers.machine), targets=targets, drafters=bench.drafters),
        arms=arms,
        conditions={
            "plan": plan.name,
            "samples": [sample.name for conversation in bench.conversations for sample in conversation],
            "tokens": tokens,
            "slow_tokens": bench.slow_tokens,
            "temperature": 0,
            "seed": plan.seed,
            "order": "the target alone, then the arm, on caches of its own",
            "varied": bench.varied,
        },
        results=results,
        traces=writers.names(),
        not_tested=(*bench.untested, *ALWAYS_UNTESTED),
        seconds=time.perf_counter() - began_s,
        began=began,
    )
    write_result(out, result)
    return result


def planned_work(arms: Sequence[Arm], plan: Plan, bench: Bench) -> list[Work]:
    """By target and arithmetic, the native one first. Says what this machine and model don't allow."""
    works: list[Work] = []
    for target in dict.fromkeys(arm.target for arm in arms):
        bench.native[target] = bench.rig(target, "native")
        facts = bench.native[target].target.facts
        by_precision: dict[Precision, list[tuple[int, Arm, Condition]]] = {}
        scripted = set()
        for arm in (arm for arm in arms if arm.target == target):
            chooses = has_candidates(bench.native[target], arm)
            for place, condition in enumerate(conditions_of(arm, plan)):
                if "candidate_width" in condition.changes and not chooses:
                    continue
                if condition.scripted:
                    # The drafter takes no part: once for each block is enough.
                    block = condition.changes.get("block", arm.settings.block)
                    if block in scripted:
                        continue
                    scripted.add(block)
                by_precision.setdefault(condition.precision, []).append((place, arm, condition))
        for precision, cells in by_precision.items():
            why = possible(precision, facts)
            if not why:
                # By condition, not by arm: where time ends, every arm has had the same.
                ordered = [(arm, condition) for _, arm, condition in sorted(cells, key=lambda cell: cell[0])]
                works.append(Work(target, precision, ordered, controls=precision == "native" and not works))
            elif precision != facts.held_as:
                bench.untested.append(f"{target} in {precision} was not tested: {why}.")
    if len(works) > 1:
        for work in works:
            work.share = NATIVE_SHARE if work.precision == "native" else 1.0
    return works


def has_candidates(rig: Rig, arm: Arm) -> bool:
    """Whether the arm's drafter chooses among candidates: otherwise their number changes nothing to be checked."""
    try:
        return ability(rig.state(arm)).candidates
    except ModelError:
        return False  # said where the arm itself is checked


def conversations_of(plan: Plan) -> list[list[Sample]]:
    """Two samples each. A quick plan takes short prompts whose answers go on for a while."""
    samples = list(plan.prompts)
    if plan.name == "quick":
        samples.sort(key=lambda sample: (sample.task == "cloze", len(sample.prompt)))
    most = plan.size("lossless_conversations", 1, 12)
    paired = [samples[i : i + 2] for i in range(0, 2 * most, 2)]
    return [pair for pair in paired if pair] or [samples[:1]]


def by_row_possible(rig: Rig) -> bool:
    return all(isinstance(leaf, TRIMMABLE) for leaf in leaves(rig.target.make_caches()))


def numbered(event: ArmEvent, number: int, labels: dict[str, str]) -> ArmEvent:
    changes: dict[str, Any] = {"turn": number}
    if isinstance(event, Started):
        changes["labels"] = labels
    return replace(event, **changes)
