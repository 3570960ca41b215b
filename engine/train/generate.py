"""Self-made conversations: the target writes users' turns, sampled, and answers them, greedily.

A wave is its users' turns, then their answers, and becomes one raw shard. Its random numbers come from the
recipe's seed and its own number alone, so a run that was stopped or killed goes on with the next wave and ends with
the same text. A wave that was not finished leaves nothing behind.

In a batch, sums are added up in another order than in a row of one, so an answer may leave the target's own greedy
text at a near tie. For training that is as good; figures come from real runs.
"""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import msgspec
import numpy as np
from numpy.typing import NDArray

from engine.target import Target
from engine.train.batch import Cancelled, greedy, sampled, write
from engine.train.conversations import Shard, Written, answer_tokens, count, pack
from engine.train.frame import (
    Frame,
    conversation_ids,
    is_held_out,
    opener_ids,
    prompt_hash,
    read_frame,
    turn_text,
)
from engine.train.openers import Beginning, Openers, choose

LEAST_ANSWER_TOKENS = 64
"""An answer may have this many however long its prompt is."""


class Recipe(msgspec.Struct, frozen=True, kw_only=True):
    """All that decides the text, beside the target. A data set has one."""

    seed: int = 0
    temperature: float = 0.9
    conversation_tokens: int = 256
    """Prompt and answer together; an answer always gets ``LEAST_ANSWER_TOKENS``."""
    rows: int = 32
    """Conversations that are written at once."""
    rounds: int = 4
    """A wave has so many conversations for each row: when one is done, its row takes the next one."""
    languages: dict[str, float] = {}
    source_sha256: str = ""
    """Of the openers or the prompts."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is; ``seconds_left`` is None while that is unknown."""

    stage: str
    conversations: int
    answer_tokens: int
    """Of the data set, before cleaning, the unfinished wave included."""
    goal_tokens: int
    tokens_per_s: float
    seconds_left: float | None
    prompts_done: int = 0
    prompts: int = 0
    """The user's own, in all; 0 where the turns are written too."""
    spent_s: float = 0.0
    """That all waves took, those of earlier runs and the unfinished one included."""


OnProgress = Callable[[Progress], None]
Taps = NDArray[np.float16]


class Rate:
    """Counts what was written since the run began, and estimates what is left.

    Of the user's own prompts that is the answers that are missing, each as long as those there are; never more than the
    goal.
    """

    def __init__(
        self,
        conversations: int,
        tokens: int,
        goal_tokens: int,
        on_progress: OnProgress,
        clock: Callable[[], float] = time.perf_counter,
        prompts: int = 0,
    ) -> None:
        self.conversations, self.tokens, self.goal_tokens = conversations, tokens, goal_tokens
        self.on_progress, self.clock, self.prompts = on_progress, clock, prompts
        self.began_s, self.fresh = clock(), 0
        self.waves: list[float] = []
        """Seconds of each finished wave."""
        self.done_prompts = self.done_tokens = 0
        """Of the finished waves."""
        self.wave_began_s, self.wave_prompts, self.wave_tokens = self.began_s, 0, 0
        self.wave_texts = 0
        """That are answered in it."""

    def begin_wave(self) -> None:
        self.wave_began_s, self.wave_prompts, self.wave_tokens = self.clock(), 0, 0
        self.wave_texts = 0

    def end_wave(self, seconds: float, prompts: int, tokens: int) -> None:
        """A wave is on the disk, from this run or an earlier one."""
        self.waves.append(seconds)
        self.done_prompts += prompts
        self.done_tokens += tokens

    def add(self, tokens: int, stage: str, going: int = 0, ahead_tokens: int = 0) -> None:
        """``going`` texts of the wave are not done and can become so many tokens longer together."""
        self.tokens += tokens
        self.fresh += tokens
        self.wave_tokens += tokens
        now = self.clock()
        per_s = self.fresh / max(now - self.began_s, 1e-9)
        left_tokens = max(self.goal_tokens - self.tokens, 0)
        if self.prompts:
            left_tokens = min(left_tokens, self._missing(going, ahead_tokens))
        # A wave that is begun is finished, though its goal was reached in the midst of it.
        left_tokens = max(left_tokens, self._here(going, ahead_tokens))
        self.on_progress(
            Progress(
                stage, self.conversations, self.tokens, self.goal_tokens, per_s,
                left_tokens / per_s if self.fresh and self.goal_tokens else None,
                self.done_prompts + max(self.wave_prompts - going, 0) if self.prompts else 0, self.prompts,
                sum(self.waves) + now - self.wave_began_s,
            )
        )  # fmt: skip

    def _here(self, going: int, ahead_tokens: int) -> int:
        """Answer tokens of the wave that are left: as those of the data set before it were, at most a bound."""
        if not self.conversations:
            return ahead_tokens
        usual = (self.tokens - self.wave_tokens) / self.conversations
        return min(max(round(usual * self.wave_texts) - self.wave_tokens, going), ahead_tokens)

    def _missing(self, going: int, ahead_tokens: int) -> int:
        """Answer tokens of the prompts that are left. In the first wave only a bound is known."""
        later = max(self.prompts - self.done_prompts - self.wave_prompts, 0)
        if not self.done_prompts:
            return ahead_tokens + round(later * (self.wave_tokens + ahead_tokens) / max(self.wave_prompts, 1))
        usual = self.done_tokens / self.done_prompts
        here = max(round(usual * self.wave_prompts) - self.wave_tokens, going)
        return min(here, ahead_tokens) + round(later * usual)


def another(waves: Sequence[float], limit_s: float) -> bool:
    """Whether one more wave ends in time, judging by the last one. The first always begins; 0 is no limit.

    Only seconds that are on the disk count, so a run that goes on decides like one that was never stopped.
    """
    return not limit_s or not waves or sum(waves) + waves[-1] <= limit_s


def wave_size(recipe: Recipe) -> int:
    """Conversations of a wave."""
    return recipe.rows * recipe.rounds


def rounds_within(recipe: Recipe, goal_tokens: int, prompts: int = 0) -> int:
    """Rounds, the recipe's at most, with which a wave is about a quarter of what is asked for, or less: it is finished
    when the goal has been reached in the midst of it, and lost when it is stopped there.
    """
    most = min(goal_tokens // recipe.conversation_tokens, prompts or goal_tokens)
    return max(1, min(recipe.rounds, most // (4 * recipe.rows)))


def wave_seed(seed: int, wave: int) -> int:
    """32 bits, so that every generator takes it."""
    return int.from_bytes(hashlib.blake2b(f"{seed}/{wave}".encode(), digest_size=4).digest(), "big")


def write_wave(
    target: Target,
    recipe: Recipe,
    wave: int,
    source: Openers | Sequence[str],
    seen: set[int],
    rate: Rate,
    cancelled: Callable[[], bool] = lambda: False,
    layers: Sequence[int] = (),
) -> tuple[Shard, Taps | None]:
    """One wave of conversations; with ``layers``, the taps of all its tokens as well [tokens, taps, H].

    Prompts that are in ``seen`` (their hashes) are not answered again.

    Raises:
        Cancelled: asked to stop; nothing of the wave is kept.
    """
    rate.begin_wave()
    seed = wave_seed(recipe.seed, wave)
    frame = read_frame(target.tokenizer, target.end_ids)
    skipped: Counter[str] = Counter()
    if isinstance(source, Openers):
        beginnings = choose(source, recipe.languages, wave_size(recipe), np.random.default_rng(seed))
        turns = _write_turns(target, frame, recipe, beginnings, seed, skipped, rate, cancelled)
    else:
        turns = [(text, "prompts") for text in source[wave * wave_size(recipe) : (wave + 1) * wave_size(recipe)]]
        rate.wave_prompts = len(turns)
    written: list[Written] = []
    hashes: set[int] = set()
    for text, label in turns:
        hashed = prompt_hash(text)
        if hashed in seen or hashed in hashes:
            skipped["same prompt"] += 1
            continue
        ids, span = conversation_ids(target.tokenizer, frame, text)
        room = target.facts.context_tokens - LEAST_ANSWER_TOKENS if target.facts.context_tokens else len(ids)
        if not ids or len(ids) > room:
            skipped["too long"] += 1
            continue
        hashes.add(hashed)
        written.append(Written(ids, [], span, hashed, is_held_out(hashed), label))
    limits = [max(recipe.conversation_tokens - len(w.prompt), LEAST_ANSWER_TOKENS) for w in written]
    rate.wave_texts = len(written)
    taps: dict[int, Taps] = {}
    answers = write(
        target, [w.prompt for w in written], limits, greedy, target.end_ids, rows=recipe.rows, layers=layers,
        keep=taps.__setitem__, cancelled=cancelled,
        on_tokens=lambda fresh, going, ahead: rate.add(fresh, "answers", going, ahead),
    )  # fmt: skip
    for w, ids in zip(written, answers, strict=True):
        w.answer = ids
    packed = pack(written, target.facts.vocabulary)
    about = {
        "wave": wave, "seed": seed, "seconds": round(rate.clock() - rate.wave_began_s, 3), "skipped": dict(skipped),
        "conversations": count(packed), "answer_tokens": answer_tokens(packed),
    }  # fmt: skip
    return Shard(packed, about), end_to_end(taps) if taps else None


def end_to_end(taps: dict[int, Taps]) -> Taps:
    """Those of all texts in their order; each is let go of as it is copied, since together they are large."""
    lengths = [len(taps[i]) for i in range(len(taps))]
    out = np.empty((sum(lengths), *taps[0].shape[1:]), np.float16)
    for i, end in enumerate(np.cumsum(lengths)):
        out[end - lengths[i] : end] = taps.pop(i)
    return out


def _write_turns(
    target: Target,
    frame: Frame,
    recipe: Recipe,
    beginnings: Sequence[Beginning],
    seed: int,
    skipped: Counter[str],
    rate: Rate,
    cancelled: Callable[[], bool],
) -> list[tuple[str, str]]:
    """Users' turns with their labels."""
    prompts = [opener_ids(target.tokenizer, frame, b.text) for b in beginnings]
    able = [i for i, ids in enumerate(prompts) if ids]
    skipped["no opener"] += len(prompts) - len(able)
    tails = write(
        target,
        [prompts[i] for i in able],
        [beginnings[i].turn_tokens for i in able],
        sampled(recipe.temperature, seed),
        target.end_ids | frame.turn_end_ids,
        rows=recipe.rows,
        cancelled=cancelled,
        on_tokens=lambda *_: rate.add(0, "turns"),
    )
    turns: list[tuple[str, str]] = []
    for i, ids in zip(able, tails, strict=True):
        b = beginnings[i]
        full = len(ids) >= b.turn_tokens
        text = turn_text(target.tokenizer, frame, b.text, ids, full)
        if text is None:
            skipped["no text"] += 1
            continue
        turns.append((f"{text}\n\n{b.request}" if b.request else text, b.label))
    return turns


__all__ = [
    "Cancelled", "OnProgress", "Progress", "Rate", "Recipe", "another", "rounds_within", "wave_seed", "wave_size",
    "write_wave",
]  # fmt: skip
