"""What a forward over several rows costs the target alone: the verify cost, measured without any drafter.

Each target reads one sample's prompt, then verifies 1, 2, 3 ... rows of it and 3, 2, 1 again, taking every row back.
The forwards are written as rounds that emit nothing, so that the cost curve is a trace like all others; its runs carry
the label ``purpose: cost``.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from statistics import median

import mlx.core as mx
import numpy as np
from msgspec.structs import replace

from engine.cache import Transaction, nbytes, state_arrays
from engine.chat import prompt_ids, render
from engine.decode import PREFILL_CHUNK_TOKENS
from engine.lab.measure import Writers
from engine.lab.plan import Sample
from engine.session import ArmState
from engine.trace.events import Arm, Finished, Round, Started
from engine.trace.file import Trace
from engine.trace.of_round import rows_of
from engine.trace.session import group

COST_CELL = "cost"
SPARSE = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64)
"""Rows that are measured; between them the cost is drawn straight."""


def rows_to_measure(most: int) -> tuple[int, ...]:
    return tuple(sorted({rows for rows in SPARSE if rows < most} | {most, 1}))


def measure_costs(
    state: ArmState, sample: Sample, most_rows: int, passes: int, writers: Writers, cancelled: Callable[[], bool]
) -> bool:
    """Write one target's cost curve; ``state`` is its arm without a drafter. False where it was cancelled."""
    target = state.target
    ids = prompt_ids(target.tokenizer, render(target.tokenizer, "", (), sample.prompt))
    caches = target.make_caches(state.spec.settings.kv_bits)
    for at in range(0, len(ids), PREFILL_CHUNK_TOKENS):
        target.forward(mx.array(ids[at : at + PREFILL_CHUNK_TOKENS]), caches)
        mx.eval(state_arrays(caches))
    transaction = Transaction(caches, target.watch)
    widths = rows_to_measure(most_rows)
    writer, began_s = writers.of(COST_CELL), time.perf_counter()
    name = f"{COST_CELL} {state.spec.name}"
    spec = replace(state.spec, name=name)
    labels = {"purpose": COST_CELL, "target": state.spec.target, "cell": COST_CELL}
    writer.write(
        Started(
            arm=name, turn=0, t_s=0.0, spec=spec, target=target.facts, prompt=sample.prompt, prompt_ids=tuple(ids),
            prompt_tokens=len(ids), columns=most_rows - 1, labels=labels,
        )
    )  # fmt: skip
    index = 0
    # The first pass warms up: its graphs and kernels are new.
    for number in range(passes + 1):
        for rows in widths if number % 2 else widths[::-1]:
            if cancelled():
                return False
            tokens = mx.array([ids[-1 - k % len(ids)] for k in range(rows)])
            before_s = time.perf_counter()
            transaction.begin(rows)
            logits, _ = target.forward(tokens, caches)
            mx.eval(mx.argmax(logits, axis=-1), state_arrays(caches))
            verify_s = time.perf_counter() - before_s
            transaction.rollback()
            mx.eval(state_arrays(caches))
            if number:
                writer.write(
                    Round(
                        arm=name, turn=0, index=index, t_s=time.perf_counter() - began_s, context_tokens=len(ids),
                        requested_width=rows - 1, width=rows - 1, accepted=0, emitted_tokens=0, verify_s=verify_s,
                        kv_bytes=nbytes(caches),
                    )
                )  # fmt: skip
                index += 1
    ended_s = time.perf_counter() - began_s
    writer.write(Finished(arm=name, turn=0, t_s=ended_s, reason="length", output_tokens=0, own_s=ended_s))
    return True


def cost_curves(traces: Iterable[Trace]) -> dict[str, dict[int, float]]:
    """Median seconds of a forward by its rows, for each target."""
    found: dict[str, dict[int, list[float]]] = {}
    for trace in traces:
        for turn in group(trace.events):
            if turn.started is None or turn.started.labels.get("purpose") != COST_CELL:
                continue
            curve = found.setdefault(turn.started.labels["target"], {})
            for item in turn.rounds:
                curve.setdefault(rows_of(item), []).append(item.verify_s)
    return {target: {rows: median(curve[rows]) for rows in sorted(curve)} for target, curve in found.items() if curve}


def seconds_of(curve: dict[int, float], rows: Sequence[int]) -> list[float]:
    """Cost of forwards over so many rows: straight between measured ones, and on beyond the widest."""
    known = np.array(sorted(curve), np.float64)
    cost = np.array([curve[int(at)] for at in known])
    wanted = np.asarray(rows, np.float64)
    drawn = np.interp(wanted, known, cost)
    if len(known) > 1:
        slope = (cost[-1] - cost[-2]) / (known[-1] - known[-2])
        drawn = np.where(wanted > known[-1], cost[-1] + slope * (wanted - known[-1]), drawn)
    return [float(value) for value in drawn]


def by_target(arms: Iterable[Arm]) -> dict[str, int]:
    """Targets, and the widest forward any arm asks of each."""
    widest: dict[str, int] = {}
    for arm in arms:
        rows = arm.settings.block if arm.drafter != "none" else 1
        widest[arm.target] = max(rows, widest.get(arm.target, 1))
    return widest
