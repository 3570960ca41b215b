"""``lab concurrency``: what is left of the gain when several requests run at once, and where it ends.

Two regimes, kept apart. *Queueing*: the single loop serves one request at a time, more in flight only wait longer.
*Batching*: the rows of all requests share each target forward. Which one it was is not a label but a count: every round
states how many lanes its forward had. The baseline is the same server with the same lanes, without a drafter; comparing
batched speculation with a baseline that serves one at a time would credit the drafter with what batching brings.

``run`` measures, one trace a cell; ``results_from_traces`` makes all figures of the traces alone.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mlx.core as mx
from msgspec.structs import replace

from engine.batch.ragged import check_batchable
from engine.batch.server import BatchServer, QueueServer, Request, Server, Service
from engine.chat import prompt_ids, render
from engine.drafters.load import attach
from engine.lab.budget import allowed_s
from engine.lab.evidence import read_traces
from engine.lab.measure import Writers, environment, now, trace_name
from engine.lab.plan import Plan, Sample
from engine.lab.result import LabError, LabResult, Status, write_result
from engine.lab.served import results_from_traces
from engine.lab.serving import Cell, Stopped, poisson, serve
from engine.models.errors import ModelError
from engine.platform import machine
from engine.process.job import Job
from engine.session import ArmState, Session
from engine.trace.events import Arm
from engine.trace.session import by_arm, group

__all__ = ["cells_of", "results_from_traces", "run"]

LAB = "concurrency"
LANES = (1, 2, 4, 8, 16)
CLOCK = (
    "Each server's own: it counts the server's work, jumps over idle time to the next arrival and stands still while "
    "another arm has its turn."
)
ORDER = "Arms take turns on one thread; the one that has written least goes next, in an order that turns every time."


@dataclass(frozen=True, slots=True)
class Prompt:
    sample: Sample
    ids: tuple[int, ...]


def cells_of(plan: Plan, batches: bool) -> list[Cell]:
    """The most telling ones first: what time doesn't suffice for is left out from the end."""
    distinct = plan.size("concurrency_samples", 4, 16)
    lanes = [n for n in (1, 16, 4, 8, 2) if n <= plan.size("concurrency_lanes", 16, 16)]
    found = [Cell("queueing", "closed", 4, distinct)]
    if batches:
        found += [Cell("batching", "closed", n, max(distinct, n)) for n in lanes]
        loads = (0.7,) if plan.name == "quick" else (0.7, 0.3, 0.9)
        requests = plan.size("concurrency_arrivals", 8, 48)
        found += [Cell("batching", "poisson", max(lanes), requests, load) for load in loads]
    if plan.name == "full":
        found += [Cell("queueing", "closed", n, max(distinct, n)) for n in (1, 16)]
    return found


def prompts_of(plan: Plan, states: Sequence[ArmState]) -> list[Prompt]:
    """Samples that are short enough for a prefill not to be most of the work, in the plan's order."""
    most = plan.size("concurrency_prompt_tokens", 80, 1024)
    target = states[0].target
    found = []
    for sample in plan.prompts:
        ids = tuple(prompt_ids(target.tokenizer, render(target.tokenizer, "", (), sample.prompt)))
        if ids and len(ids) <= most:
            found.append(Prompt(sample, ids))
    if not found:
        raise LabError(f"No prompt of the plan has {most} tokens or fewer: add a shorter one.")
    return found[: plan.size("concurrency_samples", 4, 16)]


def run(plan: Plan, arms: tuple[Arm, ...], out: Path, job: Job, session: Session | None = None) -> LabResult:
    """Measure, compute, write ``concurrency.json``. Raises ``LabError``."""
    began, began_s = now(), time.perf_counter()
    tokens = plan.size("concurrency_tokens", min(20, plan.tokens), min(128, plan.tokens))
    arms = tuple(
        # In a batch drafts do not branch, so they don't one at a time either.
        replace(arm, settings=replace(arm.settings, max_tokens=tokens, seed=plan.seed, timing_every=0, tree=False))
        for arm in arms
    )
    baseline = next((arm for arm in arms if arm.drafter == "none"), None)
    if baseline is None or len(arms) < 2:
        raise LabError("Concurrency needs a baseline and an arm with a drafter: add --arm baseline --arm lookup.")
    session = session or Session()
    try:
        states = session.open(arms)
    except ModelError as error:
        raise LabError(str(error)) from error
    services = {state.spec.name: service(state, session) for state in states}
    unbatched = why_not_batched(services)
    cells = cells_of(plan, batches=not unbatched)
    prompts = prompts_of(replace(plan, prompts=_enough(plan)), states)
    seconds = allowed_s(plan, LAB)

    writers = Writers(out, LAB, machine())
    whole: list[Cell] = []
    left_out: list[Cell] = []
    stopped = False
    total, done = sum(cell.steps for cell in cells), 0.0
    try:
        for cell in cells:
            spent = time.perf_counter() - began_s
            unknown = cell.arrivals == "poisson" and not any(c.mode == "batching" for c in whole)
            if unknown or (done and spent + spent / done * cell.steps > seconds):
                left_out.append(cell)
                total -= cell.steps
                continue
            job.progress(LAB, done, total, "", note=cell.name)
            try:
                run_cell(cell, services, prompts, plan.seed, writers, out, whole, baseline.name, job)
            except Stopped:
                stopped = True
                break
            whole.append(cell)
            done += cell.steps
            _tell(results_from_traces(read_traces(out, [trace_name(LAB, c.name) for c in whole])), job, cell)
    finally:
        writers.close()
    traces = tuple(trace_name(LAB, cell.name) for cell in whole)
    results = results_from_traces(read_traces(out, traces))
    job.progress(LAB, total, total, "")
    result = LabResult(
        lab=LAB,
        status="stopped" if stopped else _status(results),
        environment=environment({state.spec.name: state for state in states}, writers.machine),
        arms=arms,
        conditions={
            "plan": plan.name,
            "samples": [prompt.sample.name for prompt in prompts],
            "prompt_tokens": [len(prompt.ids) for prompt in prompts],
            "tokens": tokens,
            "seed": plan.seed,
            "order": ORDER,
            "clock": CLOCK,
            "scheduler": "A waiting request joins before the next forward; its prompt is processed in one go.",
            "planned": [cell.name for cell in cells],
            "drafts_together": {name: together(one) for name, one in services.items() if one.drafts},
        },
        results=results,
        traces=traces,
        not_tested=_not_tested(plan, tokens, prompts, left_out, unbatched),
        seconds=time.perf_counter() - began_s,
        began=began,
    )
    write_result(out, result)
    return result


def _enough(plan: Plan) -> tuple[Sample, ...]:
    """The plan's samples and, where a quick plan took long ones, what else the product has."""
    from engine.lab.plan import SAMPLES_FILE, evenly, read_samples

    own = {sample.name for sample in plan.prompts}
    if not SAMPLES_FILE.exists():
        return plan.prompts
    product = read_samples()
    if not own <= {sample.name for sample in product}:
        return plan.prompts  # the user's own prompts are not mixed with others
    return (*plan.prompts, *(sample for sample in evenly(product) if sample.name not in own))


def service(state: ArmState, session: Session) -> Service:
    """One arm's part of every server of this lab; each request gets a drafter of its own, weights are shared."""
    return Service(
        arm=state.spec,
        target=state.target,
        make_drafter=lambda: attach(state.spec, state.target, session.models.drafter)[0],
        drafter_facts=state.drafter_facts,
    )


def why_not_batched(services: dict[str, Service]) -> str:
    """One sentence where the requests of some arm can't share a forward; empty where they all can."""
    try:
        for one in services.values():
            check_batchable(one.target, one.arm.settings.kv_bits)
    except ModelError as error:
        return str(error)
    return ""


def together(one: Service) -> bool:
    """Whether one forward of the drafter drafts for all rows; otherwise they draft one after the other."""
    from engine.batch.drafting import drafting

    found = drafting(one.make_drafter, 1)
    return found is not None and found.together


def run_cell(
    cell: Cell, services: dict[str, Service], prompts: Sequence[Prompt], seed: int, writers: Writers, out: Path,
    whole: Sequence[Cell], baseline: str, job: Job,
) -> None:  # fmt: skip
    """All arms through one cell, into its trace. Raises ``Stopped``."""
    times = [0.0] * cell.requests
    labels = dict(cell.labels)
    if cell.arrivals == "poisson":
        per_s = cell.load * _capacity(whole, out, baseline)
        times = poisson(cell.requests, per_s, seed)
        labels |= {"per_s": f"{per_s:.6g}"}
    requests = []
    for number, at in enumerate(times):
        prompt = prompts[number % len(prompts)]
        sample = prompt.sample
        named = {"sample": sample.name, "length": sample.length, "task": sample.task, "language": sample.language,
                 "format": sample.format}  # fmt: skip
        requests.append(Request(number, prompt.ids, at, sample.prompt, {**labels, **named}))
    mx.clear_cache()
    mx.reset_peak_memory()
    servers: dict[str, Server] = {
        name: BatchServer(one, cell.lanes) if cell.mode == "batching" else QueueServer(one)
        for name, one in services.items()
    }
    writer = writers.of(cell.name)
    in_flight = cell.in_flight if cell.arrivals == "closed" else 0
    for event in serve(servers, requests, in_flight, job.cancelled):
        writer.write(event)


def _capacity(whole: Sequence[Cell], out: Path, baseline: str) -> float:
    """Requests a second that the batched baseline finishes with most lanes full, prefills included."""
    closed = [cell for cell in whole if cell.mode == "batching" and cell.arrivals == "closed"]
    widest = max(closed, key=lambda cell: cell.in_flight)
    (trace,) = read_traces(out, [trace_name(LAB, widest.name)])
    turns = by_arm(group(trace.events))[baseline]
    return len(turns) / max(turn.finished.t_s for turn in turns if turn.finished)


def _status(results: dict[str, Any]) -> Status:
    named: dict[str, Status] = {"identical": "pass", "near-tie": "near-tie", "fail": "fail"}
    return named.get(results["ids"]["status"], "measured")


# Words


def _tell(results: dict[str, Any], job: Job, cell: Cell) -> None:
    """What the newest cell has shown."""
    files = (trace_name(LAB, cell.name),)
    for entry in results["cells"]:
        if entry["cell"] != cell.name:
            continue
        for arm, figures in entry["arms"].items():
            speed = figures["tokens_per_s"]
            job.cell("tokens per second", arm, cell.name, speed["value"], speed["low"], speed["high"],
                     entry["void"], files)  # fmt: skip
            if cell.mode == "batching" and cell.arrivals == "closed" and speed["value"] is not None:
                job.point(f"{arm}, tokens per second", cell.in_flight, speed["value"], speed["low"], speed["high"],
                          "requests in flight", "tokens per second")  # fmt: skip
    for arm, listed in results["speedup"].items():
        for point in listed:
            if cell.mode != "batching" or cell.arrivals != "closed" or point["lanes"] != cell.in_flight:
                continue
            for name, table in (("throughput", "speedup, throughput"), ("time_per_token", "speedup, time per token")):
                ratio = point[name]
                job.cell(table, arm, str(cell.in_flight), ratio["value"], ratio["low"], ratio["high"],
                         point["text"], files)  # fmt: skip


def _not_tested(
    plan: Plan, tokens: int, prompts: Sequence[Prompt], left_out: Sequence[Cell], unbatched: str
) -> tuple[str, ...]:
    longest = max(len(prompt.ids) for prompt in prompts)
    told = [f"Prompts of more than {longest} tokens and answers of more than {tokens} were not served."]
    if plan.name == "quick":
        told.append("Each number of requests in flight was measured once: repeats take the full plan.")
    if left_out:
        told.append(f"For lack of time these were left out: {', '.join(cell.name for cell in left_out)}.")
    if unbatched:
        told.append(f"Batching was not measured. {unbatched}")
    return tuple(told)
