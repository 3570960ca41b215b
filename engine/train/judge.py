"""Judges a drafter on held-out answers: which ones, and where their taps come from.

The best step of a run is chosen by answers that the published figures don't come from: the largest of several noisy
figures is too large.

Answers that repeat for more than half their length are kept apart: a small model loops, and loops flatter every figure.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import mlx.core as mx
import mlx.nn as nn
import numpy as np

from engine.drafters.base import Drafter
from engine.drafters.borrow import borrow
from engine.drafters.checkpoint import LoadedDrafter, load_block_drafter
from engine.target import Target
from engine.trace.events import ModelFacts, Settings
from engine.train.clean import LOOP_SHARE
from engine.train.conversations import Conversations, answer, conversation, count
from engine.train.evaluate import Score, TapsOf, Walk, replay, score
from engine.train.taps import Taps

CHOOSING = 25
"""Answers that choose the best step of a run. They take no part in what is published of it."""
APART = 4
"""Where there are few answers, one in so many chooses."""


class Told(Protocol):
    def cancelled(self) -> bool: ...

    def progress(self, stage: str, done: float, total: float, unit: str = "", note: str = "") -> None: ...


@dataclass(frozen=True, slots=True)
class Judgement:
    score: Score
    """Of answers that don't repeat themselves."""
    loops: Score | None
    """Of those that do."""
    walks: tuple[Walk, ...]


class Judge:
    """
    Args:
        held: held-out conversations, and ``taps`` of them
        answers: how many are looked at, without those that repeat themselves; 0: all
        tokens: of each answer at most
        choosing: some are kept apart, by which ``quick`` chooses
        skip: so many of the first are left out
    """

    def __init__(
        self, target: Target, held: Conversations, taps: Taps, answers: int = 100, tokens: int = 128,
        choosing: bool = False, skip: int = 0,
    ) -> None:  # fmt: skip
        self.target, self.held, self.taps, self.tokens = target, held, taps, tokens
        long_enough = [i for i in range(count(held)) if len(answer(held, i)) >= 2]
        calm = calm_answers(held)[skip:]
        self.skipped = skip
        self.calm, self.choosing = apart(calm, answers) if choosing else (calm[: answers or None], [])
        first, last = (self.calm[0] if skip else 0, self.calm[-1]) if self.calm else (0, 0)
        self.loops = [
            i for i in long_enough if held.repeats[i] > LOOP_SHARE and (not answers or i <= last) and i >= first
        ]

    def drafter(self, model: nn.Module) -> Drafter:
        """A model that reads unscaled taps, at work."""
        borrowed = borrow(model.layout, model, self.target)
        return LoadedDrafter.of(model, borrowed, ModelFacts(name="", path="")).drafter()

    def of_directory(
        self, path: Path, stage: str, told: Told | None = None, part: tuple[int, int] = (0, 1)
    ) -> Judgement | None:
        """A saved drafter, loaded as an arm loads it. None where there is no held-out answer, or where stopped.

        Args: part: it is the n-th of so many that one stage judges, from 0.
        """
        if not self.calm or (told is not None and told.cancelled()):
            return None
        drafter = load_block_drafter(path, self.target).drafter()
        each = len(self.calm) + len(self.loops)
        before, whole = part[0] * each, part[1] * each
        walks = self.walks(drafter, self.calm, stage, told, of=(before, whole))
        loops = self.walks(drafter, self.loops, stage, told, of=(before + len(self.calm), whole))
        if len(walks) + len(loops) < len(self.calm) + len(self.loops):
            return None
        return Judgement(score(walks), score(loops) if loops else None, tuple(walks))

    def quick(self, drafter: Drafter, cancelled: Callable[[], bool] = lambda: False) -> Score | None:
        """By the answers that choose; None where stopped."""
        walks = self.walks(drafter, self.choosing, cancelled=cancelled)
        return score(walks) if len(walks) == len(self.choosing) else None

    def walks(
        self, drafter: Drafter, chosen: list[int], stage: str = "", told: Told | None = None,
        cancelled: Callable[[], bool] = lambda: False, settings: Settings | None = None,
        of: tuple[int, int] | None = None,
    ) -> list[Walk]:  # fmt: skip
        """Fewer walks where stopped.

        Args:
            settings: of the arm; without them a verification has the rows of the drafter's own width
            of: answers that were walked before, and in all
        """
        stop = cancelled if told is None else told.cancelled
        if settings is None:
            layout: Any = getattr(drafter, "layout", None)
            settings = Settings(block=layout.gamma + 1 if layout else 8, max_tokens=self.tokens)
        walks: list[Walk] = []
        before, whole = of or (0, len(chosen))
        for i in chosen:
            if stop():
                break
            text = conversation(self.held, i)
            begin = int(self.held.starts[i])
            walks.append(
                replay(
                    drafter, text[:begin].tolist(), text[begin:][: self.tokens].tolist(), settings,
                    self.taps_of(i, drafter.taps),
                )
            )  # fmt: skip
            if told is not None:
                told.progress(stage, before + len(walks), whole, "answers")
        return walks

    def taps_of(self, i: int, wanted: tuple[int, ...]) -> TapsOf:
        """Of one conversation, for a drafter that reads ``wanted`` layers."""
        if not wanted:
            return lambda *_: {}
        rows = self.taps.of([i])[0]
        at = [self.taps.layers.index(layer) for layer in wanted]

        def of(first: int, last: int) -> dict[int, mx.array]:
            part = np.asarray(rows[first:last], np.float32)
            return {layer: mx.array(part[None, :, k]) for layer, k in zip(wanted, at, strict=True)}

        return of


def calm_answers(held: Conversations) -> list[int]:
    """Those that don't repeat themselves, and are long enough to be walked."""
    return [i for i in range(count(held)) if len(answer(held, i)) >= 2 and held.repeats[i] <= LOOP_SHARE]


def apart(calm: list[int], answers: int) -> tuple[list[int], list[int]]:
    """Answers that judge, answers that choose: the first ones and some behind them, or, where there are too few, three
    of four and the fourth. A single answer has to do both.

    Args: answers: that judge; 0: all there are
    """
    if answers and len(calm) > answers + CHOOSING:
        return calm[:answers], calm[answers : answers + CHOOSING]
    if len(calm) < 2:
        return calm, calm
    choosing = calm[APART - 1 :: APART] or calm[-1:]
    judging = [i for i in calm if i not in choosing]
    return judging[: answers or None], choosing[:CHOOSING]
