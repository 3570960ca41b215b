"""What a run comes to: the best drafter so far, packed, judged, with its card; or what it had come to before."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from engine.drafters.quantize import quantize_drafter
from engine.drafters.save import read_saved, update_about
from engine.models.licence import licence
from engine.platform import machine
from engine.target import Target
from engine.train.card import write_card
from engine.train.conversations import answer_tokens, count
from engine.train.dataset import Dataset
from engine.train.evaluate import Score
from engine.train.judge import Judge
from engine.train.loop import Run, read_log
from engine.train.report import Reporter, tell_row

if TYPE_CHECKING:
    from engine.train.drafter import Wish


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


def finish(wish: Wish, run: Run, judge: Judge, ended: str, report: Reporter) -> Outcome | None:
    """Pack the best drafter so far, judge it as it will be used, write its card."""
    best = run.directory / "best"
    if not (best / "config.json").exists():
        return None
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
