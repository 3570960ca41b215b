"""From a wish ("scheme B for this target, two hours") to a drafter that is ready to use, in stages that can be stopped
and gone on with.

    OUT.training/text/     the data set, unless another one is named (``commands.train_drafter``)
    OUT.training/taps/     taps of its conversations; those that were kept beside the text are moved here
    OUT.training/run/      checkpoint, log, the best drafter so far in full precision (``loop``)
    OUT/                   the drafter: packed weights, README.md (the model card), log.csv, curve.svg

Stopped early, the best drafter so far becomes OUT all the same, without a judgement at the end; the same command goes
on from the checkpoint.
"""

from __future__ import annotations

import functools
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import mlx.core as mx
import msgspec
import numpy as np
from mlx.utils import tree_flatten
from numpy.typing import NDArray

from engine.drafters.borrow import borrow
from engine.drafters.checkpoint import read_checkpoint
from engine.drafters.formats.tensors import build
from engine.drafters.layout import Layout
from engine.drafters.save import is_saved
from engine.target import Target
from engine.train.batch import Cancelled
from engine.train.begin import Start, begin
from engine.train.bounds import within_hours, within_steps
from engine.train.conversations import DataError, answer_tokens, count, write_json
from engine.train.dataset import Dataset
from engine.train.failures import TrainError, explained
from engine.train.forward import Material, tap_scale
from engine.train.going_on import begun, check_overwriting, check_same, describe, is_done, usual_vocabulary
from engine.train.judge import Judge
from engine.train.labels import SoftLabels, coverage, draft_index, draft_vocabulary, teacher
from engine.train.layouts import layout_for, shape_of
from engine.train.loop import Run, learnable, read_log, train
from engine.train.outcome import Outcome, about, done_before, finish
from engine.train.ready_taps import ready_taps, there_already
from engine.train.recipe import TrainRecipe
from engine.train.report import Reporter, tell, tell_head_start, tell_row
from engine.train.taps import CachedTaps, Taps, owner

Weights = Sequence[tuple[str, mx.array]]
STAGES = ("text", "taps", "train", "evaluate", "save")
WARM_STEPS, TIMED_STEPS = 3, 7
"""Steps whose pace says how many fit into the hours."""
EVALUATIONS = 8
"""In the course of one run."""
LATE = 1.5
"""A machine that has become slower holds a run no longer than so many times its hours."""
LEAST_S = 120.0
EVALUATED_SHARE = 0.2
"""Of the hours that are left for training: evaluations, and the last one."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What is asked for."""

    out: Path
    recipe: TrainRecipe
    """With ``steps`` 0 the hours decide."""
    hours: float = 0.0
    """What is left of them for taps and training."""
    hours_asked: float = 0.0
    """What was asked for, of which a run that goes on must be told the same."""
    gamma: int = 7
    layers: int = 0
    """Of B to E; 0: as many as are usual (``layouts``)."""
    draft_vocabulary: int | None = None
    """None: ``going_on.usual_vocabulary``."""
    bits: int = 4
    group_size: int = 32
    """Of packed weights: finer than elsewhere, because it brings tokens a forward (docs/training.md)."""
    taps: Path | None = None
    """Directory where taps lie or are put; None: in the work directory."""
    taps_gb: float = 8.0
    """More taps than this are not kept on disk but computed anew in each step."""
    held_answers: int = 100
    """Judged at the end; others choose the best step in the course of the run (``judge.apart``)."""
    held_tokens: int = 128
    changes: dict[str, Any] = field(default_factory=dict)
    """Of the layout."""

    @property
    def work(self) -> Path:
        return self.out.with_name(f"{self.out.name}.training")


def train_drafter(wish: Wish, target: Target, data: Dataset, report: Reporter) -> Outcome | None:
    """Taps, training, evaluation, saving. None where it was stopped before there was anything to save.

    Raises ``TrainError``, ``DataError``, ``ModelError``.
    """
    began = time.perf_counter()
    check(wish, target, data)
    with explained("while the drafter was trained", wish.work):
        return train_checked(wish, target, data, report, began)


def check(wish: Wish, target: Target, data: Dataset) -> None:
    """What would fail after hours fails now."""
    if wish.out.is_dir() and not any(wish.out.iterdir()):
        wish.out.rmdir()
    if wish.out.exists() and not is_saved(wish.out):
        raise TrainError(f"{wish.out} is there already and is no drafter of ours: choose another directory (--out).")
    check_overwriting(wish.out, wish.work)
    if wish.recipe.start:
        read_checkpoint(Path(wish.recipe.start))
    check_text(data, target)


def check_text(data: Dataset, target: Target) -> None:
    """Raises ``DataError`` where a data set holds no answer, or another model's tokens."""
    for name, part in (("training", data.train), ("held-out", data.held)):
        if not answer_tokens(part):
            raise DataError(f"The data set's {name} part holds no answer: make more text, or name another data set.")
        if (most := int(part.tokens.max())) >= target.facts.vocabulary:
            raise DataError(
                f"The data set holds token {most}, but {target.facts.name} has {target.facts.vocabulary}: it is "
                "another model's."
            )


def train_checked(wish: Wish, target: Target, data: Dataset, report: Reporter, began: float) -> Outcome | None:
    changes = wish.changes
    start = read_checkpoint(Path(wish.recipe.start)).layout if wish.recipe.start else None
    if start is not None and (wish.recipe.scheme == start.scheme or not start.eagle):
        if wish.recipe.scheme == "A" and not (start.eagle or start.reader):
            raise TrainError(
                f"{wish.recipe.start} has no `reader`, which scheme A needs: begin with another one (--start)."
            )
        if wish.layers not in (0, start.layers):
            raise TrainError(
                f"{wish.recipe.start} has {start.layers} layers, and what begins with it has as many: leave out "
                f"--layers {wish.layers}, or begin with another one (--start)."
            )
        changes = shape_of(start, wish.recipe.scheme) | changes
    shape = {"layers": wish.layers, **changes}
    size = usual_vocabulary(wish.work) if wish.draft_vocabulary is None else wish.draft_vocabulary
    layout = layout_for(target, wish.recipe.scheme, wish.gamma, size, **shape)
    if start is not None and start.taps != layout.taps:
        raise TrainError(
            f"{wish.recipe.start} reads the outputs of the target's layers {', '.join(map(str, start.taps))}, the new "
            f"drafter those of {', '.join(map(str, layout.taps))}: begin with another one (--start)."
        )
    data = bounded(wish, data, layout, target)
    index = draft_index(proposed_ids(data, layout, target), layout.vocabulary)
    hours = None if wish.recipe.steps else wish.hours_asked
    check_same(wish.work, describe(wish.recipe, layout, facts_of(data, target, index)), hours)
    if is_done(wish.out, wish.work, wish.bits, wish.group_size):
        return done_before(wish, report)
    ready = ready_taps(wish, data, layout, target, report)
    if ready is None:
        return None
    train_taps, held_taps = ready
    recipe, deadline_s = wish.recipe, math.inf
    plan = Plan(recipe.steps)
    try:
        if not recipe.steps:
            left_s = wish.hours * 3600 - (time.perf_counter() - began)
            plan = steps_for(wish, layout, target, data, train_taps, left_s * (1 - EVALUATED_SHARE), report)
            if not plan.steps:
                return None
            recipe = msgspec.structs.replace(recipe, steps=plan.steps)
            deadline_s = LATE * max(left_s, LEAST_S)
        told = functools.partial(tell_head_start, report)
        run = prepare(wish, recipe, layout, target, data, train_taps, beginning=plan.beginning, between=told)
    except Cancelled:
        return None
    if run.resume():
        for row in read_log(run.directory / "log.csv"):
            tell_row(report, row)
    judge = Judge(target, data.held, held_taps, wish.held_answers, wish.held_tokens, choosing=True)
    ended = train(
        run,
        evaluate=(lambda model: judge.quick(judge.drafter(model), report.cancelled)) if judge.choosing else None,
        about=lambda judged: about(run, target, data, judged),
        eval_steps=max(1, recipe.steps // EVALUATIONS),
        cancelled=report.cancelled,
        deadline_s=deadline_s,
        on_progress=lambda p: tell(report, p),
    )
    return finish(wish, run, judge, ended, report)


def bounded(wish: Wish, data: Dataset, layout: Layout, target: Target) -> Dataset:
    """The part of the data set whose taps are worth waiting for; all of it where they are kept for other runs too."""
    own = data.path is not None and wish.work.absolute() in data.path.absolute().parents
    if wish.taps is not None or (wish.recipe.steps and not own):
        return data
    there = there_already(wish, "train", data, layout, target), there_already(wish, "held", data, layout, target)
    file, gone_on = wish.work / "run" / "text.json", begun(wish.work)
    if wish.recipe.steps:
        return within_steps(data, wish.recipe, wish.held_answers, target.facts.name, file, gone_on, there)
    return within_hours(data, wish.hours, wish.hours_asked, target, layout.taps, file, gone_on, there)


def prepare(
    wish: Wish, recipe: TrainRecipe, layout: Layout, target: Target, data: Dataset, taps: Taps,
    beginning: Weights = (), between: Callable[[], None] = lambda: None,
) -> Run:  # fmt: skip
    """The drafter at its very beginning, and all that its steps need.

    Args:
        beginning: a head start that was made before
        between: called often during the head start; what it raises ends it
    """
    ids = proposed_ids(data, layout, target)
    index = draft_index(ids, layout.vocabulary)
    mx.random.seed(recipe.seed)
    model = build(layout)
    if layout.draft_vocabulary:
        model.draft_ids = mx.array(ids)
    mx.eval(model.parameters())
    borrowed = borrow(layout, model, target)
    scale = tap_scale(taps, data.train)
    said_by = teacher(target, layout.taps) if recipe.soft or recipe.regression else None
    soft = None
    if recipe.soft and said_by is not None:
        soft = SoftLabels(said_by, borrowed.head, keep=isinstance(taps, CachedTaps))
    material = Material(data.train, taps, scale, index, said_by, soft)
    facts = facts_of(data, target, index)
    among = learnable(material)
    if not len(among):
        raise TrainError("The data set's training part holds no answer of two tokens: make more text first.")
    if beginning:
        model.load_weights(list(beginning))
    elif not begun(wish.work):
        begin(Start(model, borrowed, material, among, recipe, target, between))
    mx.eval(model.parameters())
    return Run(wish.work / "run", model, borrowed, recipe, layout, material, among, facts)


def proposed_ids(data: Dataset, layout: Layout, target: Target) -> NDArray[np.int32]:
    ids: NDArray[np.int32] = draft_vocabulary(
        data.train, layout.proposed_vocabulary, layout.vocabulary, target.end_ids
    )  # fmt: skip
    return ids


def facts_of(data: Dataset, target: Target, index: NDArray[np.int32]) -> dict[str, Any]:
    """What a run hangs on beside its recipe and layout. Args: index: of the draft vocabulary."""
    return {
        "target": target.facts.name,
        "conversations": count(data.train),
        "tokens": int(data.train.offsets[-1]),
        "text": owner(data.train, target.facts.name)["text"],
        "coverage": round(coverage(data.held, index), 4),
    }


@dataclass(frozen=True, slots=True)
class Plan:
    steps: int
    """0 where it was stopped."""
    beginning: Weights = ()
    """The head start, where one was made for the measurement."""


def steps_for(
    wish: Wish, layout: Layout, target: Target, data: Dataset, taps: Taps, seconds: float, report: Reporter
) -> Plan:
    """How many steps fit into the time, by the pace of a few, whose work is thrown away. Asked once a run.

    Raises:
        Cancelled: asked to stop during the head start.
    """
    file = wish.work / "run" / "steps.json"
    kept = msgspec.json.decode(file.read_bytes()) if file.exists() else {}
    # What a step costs hangs on the recipe and on the drafter's shape.
    described = describe(wish.recipe, layout, {})
    asked = {"hours": wish.hours_asked, "recipe": described["recipe"], "layout": described["layout"]}
    if kept and (begun(wish.work) or all(kept.get(name) == asked[name] for name in asked)):
        return Plan(int(kept["steps"]))
    began = time.perf_counter()
    brief = msgspec.structs.replace(wish.recipe, steps=1000)
    trial = prepare(wish, brief, layout, target, data, taps, between=functools.partial(tell_head_start, report))
    beginning = tuple(tree_flatten(trial.model.parameters()))
    seconds -= time.perf_counter() - began
    times: list[float] = []
    for done in range(WARM_STEPS + TIMED_STEPS):
        if report.cancelled():
            return Plan(0)
        at = time.perf_counter()
        trial.advance()
        times.append(time.perf_counter() - at)
        report.progress("train", done, 0, "", "measuring the pace")
    pace = float(np.median(times[WARM_STEPS:]))
    steps = max(20, int(seconds / pace))
    file.parent.mkdir(parents=True, exist_ok=True)
    write_json(file, {"steps": steps, "seconds_a_step": pace, **asked})
    return Plan(steps, beginning)
