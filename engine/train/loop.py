"""The training loop: steps, checkpoints, evaluations; stopped anywhere, it goes on to the same weights.

    RUN/run.json             recipe, layout, data: a run is resumed only where they are the same
    RUN/state.safetensors    parameters, optimizer's moments, step; replaced whole
    RUN/log.csv              one row a note: step, positions, seconds, losses, held-out tokens per forward
    RUN/best/                the drafter that was best on held-out text, ready to draft

A loss that is no number, memory or a disk that runs out end the run with one sentence; the last good checkpoint stays.
"""

from __future__ import annotations

import csv
import json
import math
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import mlx.core as mx
import mlx.nn as nn
import mlx.optimizers as optim
import numpy as np
from mlx.utils import tree_flatten, tree_unflatten

from engine.drafters.borrow import Borrowed
from engine.drafters.layout import Layout
from engine.drafters.save import save_drafter
from engine.train.batches import batch_at, usable
from engine.train.conversations import write_json
from engine.train.evaluate import Score
from engine.train.failures import TrainError, explained
from engine.train.forward import Inputs, Material, block_loss, inputs_of
from engine.train.going_on import describe, differences, refusal
from engine.train.recipe import TrainRecipe
from engine.train.unroll import eagle_loss

COLUMNS = (
    "step", "positions", "seconds", "learning_rate", "loss", "base", "corrected", "lens", "right",
    "tokens_per_forward", "low", "high",
)  # fmt: skip
READ_TAPS = {"fc.weight", "reader.weight"}
"""What reads taps."""
NOTE_STEPS = 20
PATIENCE = 4
"""Evaluations without a new best until a run ends early."""


@dataclass(slots=True)
class Progress:
    step: int
    steps: int
    positions: int
    """Block positions (an EAGLE-3 head: tokens times steps of the chain) learned from in all."""
    positions_per_s: float
    loss: float
    parts: dict[str, float]
    seconds_left: float
    score: Score | None = None


@dataclass(slots=True)
class Run:
    """One drafter in training."""

    directory: Path
    model: nn.Module
    borrowed: Borrowed
    recipe: TrainRecipe
    layout: Layout
    material: Material
    among: np.ndarray[Any, Any]
    """Conversations to learn from."""
    facts: dict[str, Any]
    """What else must be the same for a run to go on: data set, target, taps."""
    optimizer: optim.Optimizer = field(init=False)
    step: int = 0
    positions: int = 0
    seconds: float = 0.0
    best: float = 0.0
    best_step: int = 0
    since_best: int = 0

    def __post_init__(self) -> None:
        if "draft_ids" in self.model:
            self.model.freeze(recurse=False, keys="draft_ids")
        self.optimizer = make_optimizer(self.recipe)
        self.optimizer.init(self.model.trainable_parameters())

    def inputs(self, step: int) -> Inputs:
        r, every_place = self.recipe, self.layout.eagle is not None
        batch = batch_at(self.material.conversations, self.among, step, r.conversations, r.anchors, r.seed, r.firsts)
        return inputs_of(
            self.material, self.borrowed, batch, self.layout.gamma, r.sampled, (r.seed, step), every_place
        )  # fmt: skip

    def advance(self) -> tuple[float, dict[str, float]]:
        """One step. Raises ``TrainError`` where the loss is no number; parameters are then as they were."""
        loss_of = eagle_loss if self.layout.eagle else block_loss
        x = self.inputs(self.step)

        def objective() -> tuple[mx.array, dict[str, mx.array]]:
            return loss_of(self.model, self.borrowed, self.recipe, x)

        began = time.perf_counter()
        (loss, parts), grads = nn.value_and_grad(self.model, objective)()
        grads, norm = optim.clip_grad_norm(grads, self.recipe.clip)
        mx.eval(loss, norm, parts)
        value, size = loss.item(), norm.item()
        if not (math.isfinite(value) and math.isfinite(size)):
            best = self.directory / "best"
            kept = f", and the best drafter so far in {best}" if best.exists() else ""
            raise TrainError(
                f"The loss of step {self.step + 1} is no number any more: the run ends. The checkpoint of an earlier "
                f"step stays{kept}. Begin anew with a lower --learning-rate and another --out."
            )
        self.optimizer.update(self.model, grads)
        mx.eval(self.model.parameters(), self.optimizer.state)
        self.seconds += time.perf_counter() - began
        self.step += 1
        learned = int(sum(np.count_nonzero(np.array(blocks.labels.tokens) >= 0) for blocks in x.blocks))
        self.positions += learned * (self.recipe.unroll if self.layout.eagle else 1)
        return float(value), {name: float(part.item()) for name, part in parts.items()}

    # Files

    @property
    def state_file(self) -> Path:
        return self.directory / "state.safetensors"

    def save(self) -> None:
        arrays = {f"model.{k}": v for k, v in tree_flatten(self.model.parameters())}
        arrays |= {f"optimizer.{k}": v for k, v in tree_flatten(self.optimizer.state) if isinstance(v, mx.array)}
        counters = {
            "step": self.step, "positions": self.positions, "seconds": self.seconds,
            "best": self.best, "best_step": self.best_step, "since_best": self.since_best,
        }  # fmt: skip
        half = self.directory / ".state.part.safetensors"
        try:
            with explained("while the checkpoint was saved", self.directory):
                mx.save_safetensors(str(half), arrays, metadata={"counters": json.dumps(counters)})
                with half.open("rb") as file:
                    os.fsync(file.fileno())
                half.replace(self.state_file)
        finally:
            half.unlink(missing_ok=True)

    def resume(self) -> bool:
        """Go on from the checkpoint, if there is one of the same run. Raises ``TrainError`` for another run's."""
        described = describe(self.recipe, self.layout, self.facts)
        self.directory.mkdir(parents=True, exist_ok=True)
        file = self.directory / "run.json"
        if file.exists() and self.state_file.exists():
            changed = differences(json.loads(file.read_text(encoding="utf-8")), described)
            if changed:
                raise refusal(self.directory.parent, changed)
        write_json(file, described)
        if not self.state_file.exists():
            return False
        try:
            loaded: Any = mx.load(str(self.state_file), return_metadata=True)
            arrays, metadata = loaded
            counters = json.loads(metadata["counters"])
        except (RuntimeError, KeyError, ValueError) as error:
            raise TrainError(
                f"{self.state_file} is damaged: remove it and begin anew with the same command."
            ) from error
        self.model.load_weights([(k.removeprefix("model."), v) for k, v in arrays.items() if k.startswith("model.")])
        state = [(k.removeprefix("optimizer."), v) for k, v in arrays.items() if k.startswith("optimizer.")]
        self.optimizer.state = tree_unflatten(state)
        for name, value in counters.items():
            setattr(self, name, value)
        mx.eval(self.model.parameters(), self.optimizer.state)
        trim_log(self.directory / "log.csv", self.step)
        return True

    def unscaled(self) -> dict[str, mx.array]:
        """Parameters that read taps as the target gives them: the scale goes into what reads them."""
        weights = dict(tree_flatten(self.model.parameters()))
        for name in READ_TAPS & weights.keys():
            weights[name] = weights[name] * mx.array(self.material.scale)[None]
        return weights

    def export(self, directory: Path, about: dict[str, Any]) -> None:
        """The drafter as it is, ready to draft: taps are read as the target gives them."""
        weights = self.unscaled()
        kept = {k: v.astype(mx.float16) if v.dtype == mx.float32 else v for k, v in weights.items()}
        save_drafter(directory, self.layout, kept, about=about)

    def current(self) -> nn.Module:
        """A copy of the model that reads unscaled taps, for drafting."""
        from engine.drafters.formats.tensors import build

        model = build(self.layout)
        model.load_weights(list(self.unscaled().items()))
        mx.eval(model.parameters())
        return model


def make_optimizer(recipe: TrainRecipe) -> optim.Optimizer:
    """AdamW; the rate rises linearly, then falls as a cosine."""
    warm = max(1, round(recipe.warm_up * recipe.steps))
    rising = optim.linear_schedule(recipe.learning_rate / warm, recipe.learning_rate, warm)
    falling = optim.cosine_decay(
        recipe.learning_rate, max(1, recipe.steps - warm), recipe.learning_rate * recipe.final_rate
    )
    return optim.AdamW(
        learning_rate=optim.join_schedules([rising, falling], [warm]),
        betas=[0.9, 0.98],
        weight_decay=recipe.weight_decay,
    )


def train(
    run: Run,
    *,
    evaluate: Callable[[nn.Module], Score | None] | None = None,
    about: Callable[[Score | None], dict[str, Any]] = lambda _: {},
    eval_steps: int = 500,
    save_steps: int = 100,
    cancelled: Callable[[], bool] = lambda: False,
    deadline_s: float = math.inf,
    on_progress: Callable[[Progress], None] = lambda _: None,
) -> str:
    """Run to the last step. Returns why it ended: ``done``, ``stopped``, ``time``, ``no better any more``.

    Args: evaluate: a score, or None where it was stopped; it is then made up for when the run goes on.

    Raises ``TrainError``.
    """
    losses: list[float] = []
    began, first = time.perf_counter(), run.step
    steps = run.recipe.steps
    ended = "done"

    def due() -> bool:
        return evaluate is not None and run.step > 0 and (run.step % eval_steps == 0 or run.step == steps)

    if evaluate is not None and due() and not was_judged(run):
        judged = assess(run, evaluate, about)
        if judged is not None:
            write_log(run, None, {}, judged)
            run.save()
        elif run.step == steps:
            ended = "stopped"
    while run.step < steps:
        if run.since_best >= PATIENCE:
            ended = "no better any more"
            break
        if cancelled():
            ended = "stopped"
            break
        if time.perf_counter() - began > deadline_s:
            ended = "time"
            break
        with explained(f"in step {run.step + 1}", run.directory):
            loss, parts = run.advance()
        losses.append(loss)
        judged = assess(run, evaluate, about) if evaluate is not None and due() else None
        if run.step % NOTE_STEPS == 0 or judged is not None:
            took = time.perf_counter() - began
            per_step = took / (run.step - first)
            mean = float(np.mean(losses[-NOTE_STEPS:]))
            rate = run.positions / run.step / per_step
            on_progress(
                Progress(run.step, steps, run.positions, rate, mean, parts, per_step * (steps - run.step), judged)
            )
            write_log(run, mean, parts, judged)
        if due() and judged is None:
            ended = "stopped"
            break
        if run.step % save_steps == 0 or judged is not None:
            run.save()
    run.save()
    if evaluate is None or not (run.directory / "best").exists():
        export_best(run, about(None))
    return ended


def assess(
    run: Run, evaluate: Callable[[nn.Module], Score | None], about: Callable[[Score | None], dict[str, Any]]
) -> Score | None:
    """Judge the drafter as it is now, and keep it where it is the best so far. None where that was stopped."""
    with explained("while held-out answers were judged", run.directory):
        judged = evaluate(run.current())
    if judged is None:
        return None
    run.since_best += 1
    if judged.tokens_per_forward > run.best:
        run.best, run.best_step, run.since_best = judged.tokens_per_forward, run.step, 0
        export_best(run, about(judged))
    return judged


def export_best(run: Run, about: dict[str, Any]) -> None:
    with explained("while the drafter was saved", run.directory):
        run.export(run.directory / "best", about)


def was_judged(run: Run) -> bool:
    """Whether the log has a judgement of the step that the run stands at."""
    rows = read_log(run.directory / "log.csv")
    return any(row["step"] == run.step and "tokens_per_forward" in row for row in rows)


def write_log(run: Run, loss: float | None, parts: dict[str, float], judged: Score | None) -> None:
    """``loss`` None: a judgement that was made up for."""
    file = run.directory / "log.csv"
    rate: Any = run.optimizer.learning_rate
    row: dict[str, Any] = {
        "step": run.step, "positions": run.positions, "seconds": round(run.seconds, 1),
        "learning_rate": f"{float(rate.item()):.3g}",
        "loss": "" if loss is None else f"{loss:.4f}",
        **{name: f"{value:.4f}" for name, value in parts.items()},
    }  # fmt: skip
    if judged is not None:
        row |= {
            "tokens_per_forward": f"{judged.tokens_per_forward:.4f}",
            "low": f"{judged.low:.4f}", "high": f"{judged.high:.4f}",
        }  # fmt: skip
    new = not file.exists()
    with file.open("a", newline="", encoding="utf-8") as out:
        writer = csv.DictWriter(out, COLUMNS, restval="", extrasaction="ignore", lineterminator="\n")
        if new:
            writer.writeheader()
        writer.writerow(row)


def read_log(file: Path) -> list[dict[str, float]]:
    """Rows of a log; empty cells are left out."""
    if not file.exists():
        return []
    with file.open(newline="", encoding="utf-8") as lines:
        return [{k: float(v) for k, v in row.items() if v} for row in csv.DictReader(lines)]


def trim_log(file: Path, step: int) -> None:
    """Forget what was noted after the checkpoint."""
    if not file.exists():
        return
    with file.open(newline="", encoding="utf-8") as lines:
        rows: Sequence[dict[str, str]] = [row for row in csv.DictReader(lines) if int(row["step"]) <= step]
    with file.open("w", newline="", encoding="utf-8") as out:
        writer = csv.DictWriter(out, COLUMNS, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def learnable(material: Material) -> np.ndarray[Any, Any]:
    """Conversations with an anchor whose taps are there."""
    c = material.conversations
    found: np.ndarray[Any, Any] = usable(c)
    ready: np.ndarray[Any, Any] = found[material.taps.ready()[found]]
    return ready
