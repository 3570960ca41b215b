"""``lab sampling``: is what an arm draws distributed as the target's own text? Not by looking at texts, by their law.

From one place of a text the arm draws its next tokens thousands of times, each time anew, through the real loop
(``engine.lab.draws``); p is known exactly by teacher forcing, q by listening to the drafter, so the law of what a round
emits is known exactly too (``engine.lab.laws``). Tests and bounds are ``engine.lab.sampling_tests``'s. Rules that are
wrong on purpose (``engine.lab.wrong_rules``) must be rejected by the same tests.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from engine.lab.budget import Budget, allowed_s, left_out
from engine.lab.draws import PILOT_SEED, Place, Source
from engine.lab.evidence import read_traces
from engine.lab.laws import Tree
from engine.lab.measure import Opener, Writers, environment, now, opener_of, trace_name
from engine.lab.plan import Plan, Sample
from engine.lab.result import LabError, LabResult, Status, write_result
from engine.lab.sampling_tests import LAW, Law, law_of, results_from_traces
from engine.lab.wrong_rules import WRONG_RULES, WrongRule
from engine.models.errors import ModelError
from engine.platform import machine
from engine.process.job import Job
from engine.session import ArmState
from engine.trace.events import Arm, Round, Settings, Started

__all__ = ["LAB", "results_from_traces", "run"]

LAB = "sampling"
REPORT_EVERY = 100
GOOD_P = (0.15, 0.85)
"""A first draft as likely as this is sometimes kept and sometimes not."""
SEARCHED_SAMPLES = 4


@dataclass(frozen=True, slots=True)
class Config:
    """One setting of the sampler, and how many draws it gets, over all arms."""

    name: str
    changes: dict[str, Any]
    length: int
    """Joint tokens that are tested."""
    quick: int
    full: int
    in_quick: bool = True


CONFIGS = (
    Config("temperature 1", {"temperature": 1.0}, 1, 3000, 20_000),
    # Few tokens are left, so the texts that follow are few as well: three tokens in a row can be tested.
    Config("temperature 1, min-p 0.1", {"temperature": 1.0, "min_p": 0.1}, 3, 2400, 20_000),
    Config("temperature 0.7, top-k 8, top-p 0.95", {"temperature": 0.7, "top_k": 8, "top_p": 0.95}, 2, 500, 4000),
    Config(
        "temperature 1.5, top-k 6, penalty 1.2",
        {"temperature": 1.5, "top_k": 6, "repetition_penalty": 1.2, "repetition_window_tokens": 16}, 3, 0, 4000, False,
    ),
)  # fmt: skip
BLOCK = 4
CONTROL_DRAWS = 400
LEAST_DRAWS = 250
LEAST_CUT = 100
"""Fewer draws than this are not worth their law: they are taken whatever the time."""


@dataclass(slots=True)
class Bench:
    plan: Plan
    job: Job
    writers: Writers
    total: int = 0
    done: int = 0
    taken: int = 0
    """Seeds given out."""
    untested: list[str] = field(default_factory=list)
    budget: Budget = field(default_factory=lambda: Budget(float("inf")))

    def until_s(self, draws: int) -> float:
        """When these draws are to end: they get their part, by number, of the time that is left."""
        left_s = max(0.0, self.budget.seconds - self.budget.spent_s)
        return self.budget.spent_s + left_s * draws / max(draws, self.total - self.done)

    def draw_all(
        self, source: Source, place: Place, law: Law, settings: Settings, length: int, tree: Tree,
        rule: WrongRule | None = None,
    ) -> bool:  # fmt: skip
        """False where the user stopped it; what was drawn is in the trace. Time, too, may end it early: nobody looks at
        what was drawn before, and the bins are pooled for the number that there is."""
        cell = f"{law.arm} {law.config}" + (f" {law.control}" if law.control else "")
        writer = self.writers.of(cell)
        spec = replace(source.state.spec, settings=settings)
        labels = {"cell": cell, "trace": trace_name(LAB, cell), LAW: msgspec.json.encode(law).decode()}
        writer.write(
            Started(
                arm=law.arm, turn=0, t_s=0.0, spec=spec, target=source.target.facts, prompt_tokens=len(place.text),
                columns=settings.block - 1, labels=labels,
            )
        )  # fmt: skip
        # No draw shares its random numbers with another of the run.
        first_seed = (self.plan.seed * 1_000_003 + self.taken) % PILOT_SEED
        self.taken += law.draws
        began_s, until_s = time.perf_counter(), self.until_s(law.draws)
        with rule.inject(tree[()]) if rule else contextlib.nullcontext():
            for i in range(law.draws):
                if self.job.cancelled():
                    return False
                if i >= LEAST_CUT and self.budget.spent_s > until_s:
                    self.total -= law.draws - i
                    self.untested.append(left_out(f"draws of {cell}", i, law.draws))
                    break
                seed = first_seed + i
                for r in source.draw(place, settings, seed, length):
                    writer.write(slim(r, i, time.perf_counter() - began_s))
                self.done += 1
                if (i + 1) % REPORT_EVERY == 0 or i + 1 == law.draws:
                    self.job.progress(LAB, self.done, self.total, "draws", cell)
        return True


def slim(r: Round, draw: int, t_s: float) -> Round:
    """A draw is a turn; texts and rows of rounds are not what it is about."""
    return replace(
        r, turn=draw, t_s=t_s, pieces=(), draft_texts=(), target_texts=(), target_ids=(), margins=(), warning=""
    )


def run(plan: Plan, arms: tuple[Arm, ...], out: Path, job: Job, opener: Opener | None = None) -> LabResult:
    """Raises ``LabError``."""
    drafting = [arm for arm in arms if arm.drafter != "none"]
    if not drafting:
        raise LabError("Sampling is a question about an arm with a drafter: add --arm lookup.")
    began, began_s = now(), time.perf_counter()
    writers = Writers(out, LAB, machine())
    bench = Bench(plan, job, writers, budget=Budget(allowed_s(plan, LAB)))
    configs = [c for c in CONFIGS if plan.name == "full" or c.in_quick]
    states: list[ArmState] = []
    stopped = False
    try:
        specs = [_cut_block(arm) for arm in drafting]
        states = opener_of(opener)(specs)
        planned = {c.name: draws_of(plan, c, len(specs)) for c in configs}
        first = draws_of(plan, configs[0], 1)
        bench.total = len(specs) * sum(planned.values()) + sum(
            first if rule.subtle else control_draws(plan) for rule in WRONG_RULES
        )
        job.progress(LAB, 0, bench.total, "draws")
        controlled = False
        for state in states:
            source = Source(state)
            place = choose(source, plan)
            if place is None:
                bench.untested.append(f"{state.spec.name} drafted nothing where it was looked for: it was not tested.")
                bench.total -= sum(planned.values())
                continue
            if state.spec.settings.tree:
                bench.untested.append(f"{state.spec.name}: drafts that branch were drawn as a block.")
            for config in configs:
                stopped = not one(bench, source, place, config, planned[config.name])
                if stopped:
                    break
            if not stopped and not controlled:
                controlled = True
                stopped = not controls(bench, source, place, configs[0], first)
            state.caches = []
            if stopped:
                break
    except ModelError as error:
        raise LabError(str(error)) from error
    finally:
        writers.close()
    results = results_from_traces(read_traces(out, writers.names()))
    for config in results["configs"]:
        tests = config["tests"]
        job.cell(
            LAB, config["arm"], config["config"], value=max((t["tv_bound"] for t in tests), default=None),
            text="FAIL" if any(t["rejected"] for t in tests) else "PASS", traces=(config["trace"],),
        )  # fmt: skip
    if not results["configs"] and not stopped:
        raise LabError("No arm drafted anything on these samples: choose another drafter, or samples it can draft for.")
    outcome: Status = "stopped" if stopped else results["outcome"]
    result = LabResult(
        lab=LAB,
        status=outcome,
        environment=environment({s.spec.name: s for s in states}, writers.machine),
        arms=arms,
        conditions={
            "plan": plan.name,
            "samples": [config["sample"] for config in results["configs"]],
            "seed": plan.seed,
            "block": {state.spec.name: state.spec.settings.block for state in states},
            "configs": {config.name: config.changes for config in configs},
            "order": "independent rounds from one place of a text",
        },
        results=results,
        traces=writers.names(),
        not_tested=tuple(bench.untested) + untested(results),
        seconds=time.perf_counter() - began_s,
        began=began,
    )
    write_result(out, result)
    return result


def one(bench: Bench, source: Source, place: Place, config: Config, draws: int) -> bool:
    """One configuration of one arm."""
    settings = settings_of(source.state.spec, config)
    tree = source.tree(place, settings, config.length, 1.0 / draws)
    law = law_of(
        tree, config.length, source.ends, draws, arm=source.state.spec.name, config=config.name,
        settings=config.changes, sample=place.sample, anchor_index=len(place.text) - 1,
    )  # fmt: skip
    return bench.draw_all(source, place, law, settings, config.length, tree)


def controls(bench: Bench, source: Source, place: Place, config: Config, most: int) -> bool:
    """Each wrong rule at the same place. The subtle one gets all the draws."""
    settings = settings_of(source.state.spec, config)
    for rule in WRONG_RULES:
        draws = most if rule.subtle else control_draws(bench.plan)
        tree = source.tree(place, settings, config.length, 1.0 / draws)
        law = law_of(
            tree, config.length, source.ends, draws, arm=source.state.spec.name, config=config.name,
            control=rule.name, settings=config.changes, sample=place.sample, anchor_index=len(place.text) - 1,
        )  # fmt: skip
        if not bench.draw_all(source, place, law, settings, config.length, tree, rule):
            return False
    return True


def choose(source: Source, plan: Plan) -> Place | None:
    """A place where the arm drafts a whole block and its first draft is kept about half the time."""
    tokens = plan.size("sampling_text_tokens", 32, 96)
    best: Place | None = None
    for sample in searched(plan):
        for place in source.places(sample.name, sample.prompt, tokens):
            if best is None or abs(place.p - 0.5) < abs(best.p - 0.5):
                best = place
        if best is not None and GOOD_P[0] <= best.p <= GOOD_P[1]:
            break
    return best


def searched(plan: Plan) -> Sequence[Sample]:
    """Short prompts first."""
    return sorted(plan.prompts, key=lambda sample: len(sample.prompt))[:SEARCHED_SAMPLES]


def settings_of(spec: Arm, config: Config) -> Settings:
    changes = {"max_tokens": -1, "timing_every": 0, "fallback": False, "stop": (), **config.changes}
    return replace(spec.settings, **changes)


def draws_of(plan: Plan, config: Config, arms: int) -> int:
    """Of each arm. In a quick plan the arms share them."""
    if plan.name == "full":
        return plan.size("sampling_draws", 0, config.full)
    return plan.size("sampling_draws", max(LEAST_DRAWS, config.quick // arms), 0)


def control_draws(plan: Plan) -> int:
    return plan.size("sampling_control_draws", CONTROL_DRAWS, 4 * CONTROL_DRAWS)


def _cut_block(arm: Arm) -> Arm:
    """Blocks of few rows: their laws have few branches, and every accepted length occurs often enough."""
    return replace(arm, settings=replace(arm.settings, block=min(max(arm.settings.block, 2), BLOCK)))


def untested(results: dict[str, Any]) -> tuple[str, ...]:
    said = ["One place of one text was drawn from; elsewhere p and q are others, but the rule is the same."]
    if results["detectable_tv"] is not None:
        said.append(
            f"Faults of less than {results['detectable_tv']:.3f} of total variation may pass unseen in the weakest of "
            "the tests."
        )
    return tuple(said)
