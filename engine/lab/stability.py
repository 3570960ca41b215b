"""``lab stability``: odd inputs, cancels, time-outs, crashes, long runs; is everything afterwards as it was before?

The real session and the real engine process are driven, one trace a check; ``results_from_traces`` judges the traces
alone. Every check ends with the reference prompt, which must write what it wrote before the first check.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from engine.lab import cases
from engine.lab.budget import Budget, allowed_s, left_out
from engine.lab.disturb import Bench, Hostile, Stopped, small_arms, small_target, soak
from engine.lab.disturb_process import ProcessBench
from engine.lab.disturbances import (
    CHECK,
    EXPECTED,
    REFERENCE,
    Case,
    cases_of,
    judge,
    same_state,
)
from engine.lab.evidence import read_traces
from engine.lab.measure import Writers, environment, now
from engine.lab.plan import Plan
from engine.lab.result import LabError, LabResult, Status, write_result
from engine.lab.slope import slope, warm
from engine.models.errors import ModelError
from engine.platform import machine
from engine.process.client import EngineClient
from engine.process.job import Job
from engine.session import Models, Session
from engine.trace.events import Arm, MemorySample, Round, Started
from engine.trace.file import Trace
from engine.trace.session import ArmTurn, by_arm, group

LAB = "stability"
SOAK_ROUNDS = 2000
ALLOWED_BYTES = {"active": 2 << 20, "process": 32 << 20}
"""Growth over ``SOAK_ROUNDS`` rounds that is no fault: the allocator's and Python's own housekeeping."""
MEMORY_RULE = (
    f"Memory grows where its slope times {SOAK_ROUNDS:,} rounds is above what is allowed "
    f"({ALLOWED_BYTES['active'] >> 20} MiB of arrays, {ALLOWED_BYTES['process'] >> 20} MiB of the process) even at the "
    "lower end of its interval. Samples are taken after each turn, when no more is held than after any other; the "
    "first fifth is left out."
)

ENDS = "engine: end"

Step = tuple[str, Callable[[], None]]


class Told:
    """The lab's progress: steps done, and how far the one at work is."""

    def __init__(self, job: Job) -> None:
        self.job, self.number, self.of, self.name = job, 0, 1, ""

    def step(self, number: int, of: int, name: str = "") -> None:
        self.number, self.of, self.name = number, of, name
        self.part(0.0)

    def part(self, share: float) -> None:
        self.job.progress(LAB, self.number + min(1.0, share), self.of, "checks", note=self.name)


def run(
    plan: Plan, arms: tuple[Arm, ...], out: Path, job: Job,
    session: Session | None = None, client: Callable[[], EngineClient] | None = EngineClient,
) -> LabResult:  # fmt: skip
    """Disturb, judge, write ``stability.json``. Raises ``LabError``.

    Args:
        session: where the arms are opened; a fresh one by default
        client: starts the engine process; None leaves its checks out
    """
    began, began_s = now(), time.perf_counter()
    tokens = plan.size("stability_tokens", 8, 24)
    chosen = tested(plan, arms)
    chosen = tuple(
        replace(arm, settings=replace(arm.settings, temperature=0.0, max_tokens=tokens, seed=plan.seed, stop=()))
        for arm in chosen
    )
    writers = Writers(out, LAB, machine())
    bench = Bench(session or Session(), chosen, writers, job.cancelled)
    stopped = False
    budget, told, skipped = Budget(allowed_s(plan, LAB)), Told(job), list[str]()
    try:
        states = bench.states()
        found = environment({state.spec.name: state for state in states}, writers.machine)
        steps = in_session(plan, bench, tokens, told)
        if client is not None:
            steps += in_process(plan, client, chosen, writers, job)
        for number, (name, step) in enumerate(steps):
            if job.cancelled():
                raise Stopped
            # The reference is what all others are judged by, and an engine that was started has to be ended.
            if number and name != ENDS and not budget.room():
                skipped.append(name)
                continue
            told.step(number, len(steps), name)
            step()
            _tell(results_from_traces(read_traces(out, writers.names())), job, name, writers)
        told.step(len(steps), len(steps))
    except Stopped:
        stopped = True
    except ModelError as error:
        raise LabError(str(error)) from error
    finally:
        writers.close()
    results = results_from_traces(read_traces(out, writers.names()))
    passed: Status = "pass" if not results["failed"] else "fail"
    result = LabResult(
        lab=LAB,
        status="stopped" if stopped else passed,
        environment=found,
        arms=chosen,
        conditions={
            "plan": plan.name,
            "tokens": tokens,
            "seed": plan.seed,
            "reference": cases.REFERENCE_PROMPT,
            "expected": dict(EXPECTED),
            "order": "Interleaved; the arms stay open from check to check.",
        },
        results=results,
        traces=writers.names(),
        not_tested=_not_tested(arms, chosen, results, client is not None, skipped, len(steps)),
        seconds=time.perf_counter() - began_s,
        began=began,
    )
    write_result(out, result)
    return result


def tested(plan: Plan, arms: Sequence[Arm]) -> tuple[Arm, ...]:
    """The baseline and the arms that draft, as many as the plan has time for, those with most parts first."""
    baseline = next((arm for arm in arms if arm.drafter == "none"), None)
    if baseline is None:
        raise LabError("Stability needs a baseline to compare with: add --arm baseline.")
    drafting = [arm for arm in arms if arm.drafter != "none"]
    drafting.sort(key=lambda arm: -arm.drafter.count("+"))
    return (baseline, *drafting[: plan.size("stability_arms", 1, len(drafting))])


def in_session(plan: Plan, bench: Bench, tokens: int, told: Told) -> list[Step]:
    """Checks of the session in this process, in order."""
    facts = bench.states()[0].target.facts
    prompt = cases.REFERENCE_PROMPT
    storm = plan.size("stability_cancels", 12, 60)

    def answers(name: str, **settings: Any) -> Case:
        return Case(name=name, ending="answers", prompt=prompt, settings=settings)

    def stops() -> None:
        first = _first_piece(bench, prompt)
        bench.check(
            "stop in the first round", [Case(name=f"stop at {first!r}", ending="one round", prompt=prompt,
                                             settings={"stop": (first,)})],
        )  # fmt: skip

    def context() -> None:
        listed = [Case(name=f"room for {room} tokens", ending="context", prompt=prompt,
                       settings={"max_tokens": -1}) for room in (1, 5)]  # fmt: skip
        rooms = dict(zip((case.name for case in listed), (1, 5), strict=True))
        bench.check("end of the context", listed, lambda case, turn: bench.with_room(case, turn, rooms[case.name]))

    def hostile() -> None:
        drafters = {
            "a drafter that never proposes": Hostile(0, silent=True),
            "a drafter that is always wrong": Hostile(facts.vocabulary - 1),
            "a drafter that proposes more than was asked for": Hostile(facts.vocabulary - 1, extra=4),
        }
        bench.check(
            "hostile drafters", [answers(name) for name in drafters],
            lambda case, turn: bench.with_drafter(case, turn, drafters[case.name]),
        )  # fmt: skip

    def cancels() -> None:
        listed = [Case(name=f"cancel {n + 1}", ending="cancelled", prompt=prompt, settings={"max_tokens": 64})
                  for n in range(storm)]  # fmt: skip
        bench.check("cancel storm", listed, lambda case, turn: bench.cancelled(case, turn, plan.seed))

    def readers() -> None:
        listed = [Case(name="its reader goes away", ending="cancelled", prompt=prompt, settings={"max_tokens": 64})]
        bench.check("a reader goes away", listed, bench.dropped)

    def own_soak() -> None:
        seconds = plan.size("stability_soak_s", 45, 6 * 3600)
        rounds = plan.size("stability_rounds", SOAK_ROUNDS, SOAK_ROUNDS)
        soak(bench, "soak", rounds, plan.size("stability_soak_tokens", 10, 100), prompt, seconds,
             lambda done: told.part(done / rounds))  # fmt: skip

    def small_soak() -> None:
        target = small_target(bench.states()[0].target, plan.seed)
        small = Bench(Session(Models(load=lambda _: target)), small_arms(bench.arms), bench.writers, bench.stop)
        rounds = plan.size("stability_small_rounds", SOAK_ROUNDS, SOAK_ROUNDS)
        seconds = plan.size("stability_small_s", 60, 6 * 3600)
        soak(small, "soak, small random model", rounds, 24, cases.WORDS * 3, seconds,
             lambda done: told.part(done / rounds))  # fmt: skip

    steps: list[Step] = [
        (REFERENCE, bench.before),
        ("empty input and output", lambda: bench.check("empty input and output", cases.empty())),
        ("temperatures", lambda: bench.check("temperatures", cases.temperatures())),
        ("block sizes", lambda: bench.check("block sizes", cases.sizes())),
        ("special characters", lambda: bench.check("special characters", cases.texts(cases.SPECIAL, tokens))),
        ("mixed languages", lambda: bench.check("mixed languages", cases.texts(cases.MIXED, tokens))),
        ("stop in the first round", stops),
        ("end of the context", context),
        ("hostile drafters", hostile),
        ("cancel storm", cancels),
        ("a reader goes away", readers),
        ("soak, small random model", small_soak),
        ("soak", own_soak),
    ]
    if listed := cases.over_long(facts.context_tokens):
        steps.insert(2, ("over-long prompts", lambda: bench.check("over-long prompts", listed)))
    return steps


def _first_piece(bench: Bench, prompt: str) -> str:
    """What the first token of the answer shows."""
    from engine.race import race

    for event in race(bench.states()[:1], prompt):
        if isinstance(event, Round) and event.pieces and event.pieces[0].strip():
            return event.pieces[0]
    raise LabError("The target says nothing to the reference prompt: another one is needed.")


def in_process(
    plan: Plan, start: Callable[[], EngineClient], arms: tuple[Arm, ...], writers: Writers, job: Job
) -> list[Step]:
    """Checks of the engine's process, in order; it is started by the first and ended by the last."""
    prompt = cases.REFERENCE_PROMPT
    held: list[ProcessBench] = []
    storm = plan.size("engine_cancels", 6, 50)

    def case(name: str, ending: Any, text: str = prompt, **settings: Any) -> list[Case]:
        return [Case(name=name, ending=ending, prompt=text, settings={"max_tokens": 64, **settings})]

    def begin() -> None:
        held.append(ProcessBench(start(), arms, writers, job.cancelled))
        held[0].before()

    def check(name: str, listed: list[Case], how: str) -> Step:
        return name, lambda: held[0].check(name, listed, getattr(held[0], how))

    def end() -> None:
        if held:
            held[0].client.close()

    many = [each for n in range(storm) for each in case(f"cancel {n + 1}", "cancelled")]
    return [
        ("engine: start", begin),
        check("engine: cancelled before it begins", many, "cancel_at_once"),
        check("engine: cancelled in the middle", case("after three rounds", "cancelled"), "cancel_in_the_middle"),
        check("engine: its client gives up", case("after a millisecond", "silent"), "give_up"),
        check("engine: nonsense for a request",
              [*case("half a message", "refused", '{"type":"ask","id":'), *case("no message", "refused", "hello"),
               *case("a message of another kind", "refused", '{"type":"dance","id":7}')], "nonsense"),
        check("engine: ended in the middle", case("killed after two rounds", "died"), "kill"),
        check("engine: its client goes away", case("after the first round", "died"), "go_away"),
        (ENDS, end),
    ]  # fmt: skip


# Results


def results_from_traces(traces: Iterable[Trace]) -> dict[str, Any]:
    """Verdicts on everything, of the traces alone.

        checks      [{check, status (PASS or FAIL), detail, cases: [{case, expected, status, found}], after}]: ``after``
                    is what is wrong with the reference prompt behind the check, empty where it wrote the same
        memory      [{soak, status (PASS, FAIL or TOO SHORT), detail, grown
                    (kinds of memory), rounds, turns, active: MEMORY, process: MEMORY}]
        rule        how growth of memory is called
        passed, failed, exit_status (0 or 1)
        rounds, slope_bytes_per_1000_rounds, grows      of the arms' own soak

    MEMORY: samples, bytes_per_round, low, high (95 %), growth_bytes, growth_low_bytes, growth_high_bytes (over 2,000
    rounds), allowed_bytes
    """
    before: dict[bool, list[ArmTurn]] = {}
    checks: list[tuple[str, dict[int, list[ArmTurn]], dict[str, str]]] = []
    memory: list[dict[str, Any]] = []
    for trace in traces:
        started = [event for event in trace.events if isinstance(event, Started)]
        labels = next((s.labels for s in started if s.labels.get(REFERENCE) or "soak" in s.labels), {})
        turns = group(trace.events)
        if "soak" in labels:
            memory.append(_soaked(labels["soak"], trace))
        elif labels.get(REFERENCE) == "before":
            before[_of_process(trace)] = turns
        elif CHECK in labels:
            by_turn: dict[int, list[ArmTurn]] = {}
            for turn in turns:
                by_turn.setdefault(turn.turn, []).append(turn)
            checks.append((labels[CHECK], by_turn, labels))
    judged = [_checked(name, by_turn, labels, before) for name, by_turn, labels in checks]
    failed = sum(each["status"] == "FAIL" for each in (*judged, *memory))
    own = next((m for m in memory if m["soak"] == "soak"), None)
    slope_bytes = own["active"]["bytes_per_round"] if own else None
    return {
        "checks": judged,
        "memory": memory,
        "rule": MEMORY_RULE,
        "passed": sum(each["status"] == "PASS" for each in (*judged, *memory)),
        "failed": failed,
        "exit_status": 1 if failed else 0,
        "rounds": sum(m["rounds"] for m in memory),
        "slope_bytes_per_1000_rounds": None if slope_bytes is None else 1000 * slope_bytes,
        "grows": any(m["grown"] for m in memory) if memory else None,
    }


def _of_process(trace: Trace) -> bool:
    """The engine process's own reference; its trace was begun for it."""
    return any(isinstance(e, Started) and e.labels.get("process") == "engine" for e in trace.events)


def _checked(
    name: str, by_turn: dict[int, list[ArmTurn]], labels: dict[str, str], before: dict[bool, list[ArmTurn]]
) -> dict[str, Any]:
    listed = cases_of(labels)
    told = []
    for number, case in enumerate(listed):
        problem = judge(case, by_turn.get(number, []), by_turn.get(0, []))
        told.append(
            {"case": case.name, "expected": EXPECTED[case.ending], "status": "FAIL" if problem else "PASS",
             "found": problem}
        )  # fmt: skip
    after = same_state(before.get(labels.get("process") == "engine", []), by_turn.get(len(listed), []))
    wrong = [f"{each['case']}: {each['found']}" for each in told if each["found"]]
    wrong += [f"afterwards {after}"] if after else []
    return {
        "check": name,
        "status": "FAIL" if wrong else "PASS",
        "detail": "; ".join(wrong),
        "cases": told,
        "after": after,
    }


def _soaked(name: str, trace: Trace) -> dict[str, Any]:
    rounds, x, active, process = 0, [], [], []
    for event in trace.events:
        if isinstance(event, Round):
            rounds += 1
        elif isinstance(event, MemorySample):
            x.append(float(rounds))
            active.append(float(event.active_bytes))
            process.append(float(event.process_bytes))
    figures = {"active": _growth(x, active, "active"), "process": _growth(x, process, "process")}
    grown = [
        kind for kind, f in figures.items()
        if f["growth_low_bytes"] is not None and f["growth_low_bytes"] > f["allowed_bytes"]
    ]  # fmt: skip
    failed = [e for turns in by_arm(group(trace.events)).values() for turn in turns if (e := turn.failed)]
    detail = failed[0].message if failed else f"memory grows ({', '.join(grown)})" if grown else ""
    too_short = figures["active"]["bytes_per_round"] is None
    return {
        "soak": name,
        "status": "FAIL" if detail else "TOO SHORT" if too_short else "PASS",
        "detail": detail,
        "grown": grown,
        "rounds": rounds,
        "turns": len(x),
        **figures,
    }


def _growth(x: Sequence[float], y: Sequence[float], kind: str) -> dict[str, Any]:
    found = slope(warm(x), warm(y))

    def over(value: float | None) -> float | None:
        return None if value is None else value * SOAK_ROUNDS

    return {
        "samples": found.samples,
        "bytes_per_round": found.value,
        "low": found.low,
        "high": found.high,
        "growth_bytes": over(found.value),
        "growth_low_bytes": over(found.low),
        "growth_high_bytes": over(found.high),
        "allowed_bytes": ALLOWED_BYTES[kind],
    }


# Words


def _tell(results: dict[str, Any], job: Job, name: str, writers: Writers) -> None:
    for each in results["checks"]:
        if each["check"] == name:
            job.cell("checks", name, "status", text=each["status"], traces=writers.names()[-1:])
    for each in results["memory"]:
        if each["soak"] == name:
            grown = each["active"]
            job.cell("memory", name, f"growth over {SOAK_ROUNDS} rounds, bytes", grown["growth_bytes"],
                     grown["growth_low_bytes"], grown["growth_high_bytes"], traces=writers.names()[-1:])  # fmt: skip


def _not_tested(
    arms: Sequence[Arm], chosen: Sequence[Arm], results: dict[str, Any], process: bool, skipped: Sequence[str],
    planned: int,
) -> tuple[str, ...]:  # fmt: skip
    names = {arm.name for arm in chosen}
    told = [f"{arm.name} was not disturbed: the quick plan takes one arm." for arm in arms if arm.name not in names]
    if skipped:
        told.append(left_out("disturbances", planned - len(skipped), planned))
        told.append(f"Not disturbed for lack of time: {', '.join(skipped)}.")
    for each in results["memory"]:
        if each["rounds"] < SOAK_ROUNDS:
            told.append(f"The run called {each['soak']} had time for {each['rounds']:,} of {SOAK_ROUNDS:,} rounds.")
    if not process:
        told.append("The engine's own process was not disturbed.")
    return tuple(told)
