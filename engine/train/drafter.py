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

import math
import shutil
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import mlx.core as mx
import msgspec
import numpy as np
from numpy.typing import NDArray

from engine.drafters.borrow import borrow
from engine.drafters.checkpoint import read_checkpoint
from engine.drafters.formats.tensors import build
from engine.drafters.layout import Layout
from engine.drafters.save import is_saved, read_saved, update_about
from engine.models.licence import licence
from engine.platform import machine
from engine.target import Target
from engine.train.batches import batch_at
from engine.train.bounds import within_hours, within_steps
from engine.train.card import write_card
from engine.train.conversations import DataError, answer_tokens, count, write_json
from engine.train.dataset import Dataset
from engine.train.evaluate import Score
from engine.train.failures import TrainError, explained
from engine.train.feedback import begin_feedback
from engine.train.forward import Material, block_features, inputs_of, tap_scale
from engine.train.going_on import begun, check_overwriting, check_same, describe, is_done
from engine.train.judge import Judge
from engine.train.labels import SoftLabels, coverage, draft_index, draft_vocabulary, teacher
from engine.train.layouts import layout_for, shape_of
from engine.train.loop import READ_TAPS, Progress, Run, learnable, read_log, train
from engine.train.ready_taps import ready_taps, there_already
from engine.train.recipe import TrainRecipe
from engine.train.regression import begin_head_with_regression, begin_with_regression
from engine.train.start import backbone_of, begin_with_bigrams
from engine.train.tail import begin_with_tail
from engine.train.taps import CachedTaps, Taps, owner

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


class Reporter(Protocol):
    """What a job speaks through (``engine.process.job.Job``)."""

    def cancelled(self) -> bool: ...

    def progress(self, stage: str, done: float, total: float, unit: str = "", note: str = "") -> None: ...

    def point(
        self, series: str, x: float, y: float, low: float | None = None, high: float | None = None,
        x_name: str = "", y_name: str = "",
    ) -> None: ...  # fmt: skip


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
    draft_vocabulary: int = 8192
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


@dataclass(frozen=True, slots=True)
class Outcome:
    ended: str
    """``done``, ``stopped``, ``time`` or ``no better any more``."""
    score: Score | None
    """On answers that don't repeat themselves: of the drafter as it was saved or, stopped, as it was in training."""
    step: int
    best_step: int
    before: bool = False
    """It was done when it was asked for; nothing was computed."""


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
    layout = layout_for(target, wish.recipe.scheme, wish.gamma, wish.draft_vocabulary, **shape)
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
    if not recipe.steps:
        left_s = wish.hours * 3600 - (time.perf_counter() - began)
        steps = steps_for(wish, layout, target, data, train_taps, left_s * (1 - EVALUATED_SHARE), report)
        if not steps:
            return None
        recipe = msgspec.structs.replace(recipe, steps=steps)
        deadline_s = LATE * max(left_s, LEAST_S)
    run = prepare(wish, recipe, layout, target, data, train_taps)
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


def prepare(wish: Wish, recipe: TrainRecipe, layout: Layout, target: Target, data: Dataset, taps: Taps) -> Run:
    """The drafter at its very beginning, and all that its steps need."""
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
    longer = np.diff(data.train.offsets) - np.maximum(data.train.starts, 1) > (1 if layout.eagle else layout.gamma)
    # A run that goes on has its weights already; answers that no block fits into have nothing to regress on.
    wanted = recipe.regression and not recipe.start and not begun(wish.work) and longer[among].any()
    if wanted and said_by is not None and (layout.direct or layout.eagle):
        if layout.reader:
            begin_with_tail(model, borrowed, material, among, target)
        elif layout.eagle:
            begin_head_with_regression(model, borrowed, material, among)
        else:
            begin_with_regression(model, borrowed, material, among)
    if recipe.start:
        # A saved drafter reads taps as they are, one in training reads them scaled.
        for name in READ_TAPS.intersection(backbone_of(Path(recipe.start), model)):
            module = model[name.removesuffix(".weight")]
            module.weight = module.weight / mx.array(scale)[None]
    if layout.recurrent and not begun(wish.work) and not goes_on_recurrent(recipe.start):
        begin_feedback(model, borrowed, material, among)
    if recipe.bigrams and layout.scheme in "CDE" and not layout.domino:
        first = batch_at(data.train, among, 0, max(recipe.conversations, 8), recipe.anchors, recipe.seed)
        rows = block_features(model, borrowed, inputs_of(material, borrowed, first, layout.gamma)).hidden
        begin_with_bigrams(model, borrowed, data.train, index, rows.reshape(-1, layout.hidden_size).mean(axis=0))
    mx.eval(model.parameters())
    return Run(wish.work / "run", model, borrowed, recipe, layout, material, among, facts)


def goes_on_recurrent(start: str) -> bool:
    return bool(start) and read_checkpoint(Path(start)).layout.recurrent is not None


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


def steps_for(
    wish: Wish, layout: Layout, target: Target, data: Dataset, taps: Taps, seconds: float, report: Reporter
) -> int:
    """How many steps fit into the time, by the pace of a few, whose work is thrown away. Asked once a run; 0 where
    stopped.
    """
    file = wish.work / "run" / "steps.json"
    kept = msgspec.json.decode(file.read_bytes()) if file.exists() else {}
    recipe = msgspec.to_builtins(wish.recipe)
    if kept and (begun(wish.work) or (kept.get("hours"), kept.get("recipe")) == (wish.hours_asked, recipe)):
        return int(kept["steps"])
    began = time.perf_counter()
    trial = prepare(wish, msgspec.structs.replace(wish.recipe, steps=1000), layout, target, data, taps)
    seconds -= 2 * (time.perf_counter() - began)  # the run itself begins in the same way once more
    times: list[float] = []
    for done in range(WARM_STEPS + TIMED_STEPS):
        if report.cancelled():
            return 0
        at = time.perf_counter()
        trial.advance()
        times.append(time.perf_counter() - at)
        report.progress("train", done, 0, "", "measuring the pace")
    steps = max(20, int(seconds / float(np.median(times[WARM_STEPS:]))))
    file.parent.mkdir(parents=True, exist_ok=True)
    pace = float(np.median(times[WARM_STEPS:]))
    write_json(file, {"steps": steps, "seconds_a_step": pace, "hours": wish.hours_asked, "recipe": recipe})
    return steps


LOSS, HELD_OUT = "training loss", "held-out tokens per forward"


def tell(report: Reporter, p: Progress) -> None:
    report.progress("train", p.step, p.steps, "steps", f"loss {p.loss:.3f}, {p.positions_per_s:.0f} positions/s")
    report.point(LOSS, p.step, p.loss, x_name="steps")
    if p.score is not None:
        s = p.score
        report.point(HELD_OUT, p.step, s.tokens_per_forward, s.low, s.high, x_name="steps")


def tell_row(report: Reporter, row: dict[str, float]) -> None:
    """What a run that goes on had told before: a row of its log."""
    if "loss" in row:
        report.point(LOSS, row["step"], row["loss"], x_name="steps")
    if "tokens_per_forward" in row:
        report.point(HELD_OUT, row["step"], row["tokens_per_forward"], row["low"], row["high"], x_name="steps")


def finish(wish: Wish, run: Run, judge: Judge, ended: str, report: Reporter) -> Outcome | None:
    """Pack the best drafter so far, judge it as it will be used, write its card."""
    best = run.directory / "best"
    if not (best / "config.json").exists():
        return None
    from engine.drafters.quantize import quantize_drafter

    parts = 2 if wish.bits < 16 else 1
    full = judge.of_directory(best, "evaluate", report, (0, parts))
    quantize_drafter(best, wish.out, group_size=wish.group_size, bits=wish.bits)
    packed = judge.of_directory(wish.out, "evaluate", report, (1, parts)) if wish.bits < 16 else full
    if packed is None and report.cancelled():
        ended = "stopped"  # the judgement is still to come
    report.progress("save", 0, 1)
    update_about(wish.out, {"ended": ended, "steps_done": run.step})
    if (run.directory / "log.csv").exists():
        shutil.copyfile(run.directory / "log.csv", wish.out / "log.csv")
    if packed is not None:
        # Judged as it will be used, and by more answers than in the course of the run.
        update_about(wish.out, {"held_out": msgspec.to_builtins(packed.score)})
    write_card(wish.out, judge, full, packed, wish.bits)
    report.progress("save", 1, 1)
    judged = packed.score if packed else score_in_training(wish.out)
    return Outcome(ended, judged, run.step, run.best_step)


def done_before(wish: Wish, report: Reporter) -> Outcome:
    """What the same command came to when it was given first."""
    for row in read_log(wish.out / "log.csv"):
        tell_row(report, row)
    said = read_saved(wish.out)[2]["about"]
    return Outcome(said["ended"], score_in_training(wish.out), said["steps_done"], said["step"], before=True)


def score_in_training(path: Path) -> Score | None:
    found = read_saved(path)[2]["about"]["held_out"]
    return msgspec.convert(found, Score) if found else None


def start_name(start: str) -> str:
    """Of the drafter that a run began with, without where it lay."""
    path = Path(start)
    return path.parents[1].name.removesuffix(".training") if path.parts[-2:] == ("run", "best") else path.name


def about(run: Run, target: Target, data: Dataset, judged: Score | None) -> dict[str, Any]:
    """What a drafter was made from and how: kept in its config, read by the card."""
    return {
        "target": target.facts.name,
        "target_licence": licence(Path(target.facts.path)),
        "recipe": {**msgspec.to_builtins(run.recipe), "start": start_name(run.recipe.start)},
        "step": run.step,
        "positions": run.positions,
        "training_seconds": round(run.seconds, 1),
        "data": {
            "conversations": count(data.train),
            "answer_tokens": answer_tokens(data.train),
            "held_out_conversations": count(data.held),
            "seed": data.manifest["recipe"]["seed"],
            "coverage_of_draft_vocabulary": run.facts["coverage"],
        },
        "held_out": None if judged is None else msgspec.to_builtins(judged),
        "machine": msgspec.to_builtins(machine()),
    }
