"""Tokens per target forward on held-out answers of the target's own, for drafters without a model.

The text of every arm is the same, the target's greedy answer, so which drafts would be accepted can be read off the
known answer: ``replay`` walks it with a drafter and never runs the target. ``--real`` runs the loop itself as well, and
says how many answers agree round by round; where the loop's text leaves the recorded one at a near tie, rounds before
that count.

A small model loops, and loops flatter every figure: each is given for all answers and without those that repeat for
more than half their length.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from engine.drafters.base import Drafter
from engine.drafters.load import attach
from engine.race import race
from engine.sampling import Sampler
from engine.session import ArmState, Models
from engine.target import Target
from engine.trace.events import Arm, Round, Settings
from engine.train.clean import LOOP_SHARE
from engine.train.conversations import answer, conversation, count
from engine.train.dataset import read_dataset

RESAMPLES = 2000


@dataclass(frozen=True, slots=True)
class Walk:
    """One answer: how many tokens each target forward gave."""

    emitted: tuple[int, ...]
    drafted: int


def replay(drafter: Drafter, prompt: Sequence[int], text: Sequence[int], settings: Settings) -> Walk:
    """The rounds of ``decode.speculate`` on a text that is known."""
    sampler = Sampler(settings)
    drafter.rewind(0)
    drafter.observe(prompt, {})
    emitted, drafted, done = [1], 0, 1  # the prompt's own forward gives the first token
    while done < len(text):
        width = min(settings.block - 1, settings.max_tokens - done - 1)
        draft: list[int] = []
        if width > 0:
            draft = drafter.propose(text[done - 1], width, sampler).tokens.tolist()  # type: ignore[assignment]
        kept = 0
        while kept < min(len(draft), len(text) - done) and draft[kept] == text[done + kept]:
            kept += 1
        # An accepted token may be the last; otherwise one of the target's own follows.
        new = min(kept + 1, len(text) - done)
        drafter.observe(text[done - 1 : done + new - 1], {})
        emitted.append(new)
        drafted += len(draft)
        done += new
    return Walk(tuple(emitted), drafted)


def real(target: Target, drafter: Drafter, prompt: str, settings: Settings) -> tuple[list[int], list[int]]:
    """Token ids and tokens per round of the real loop, on a prompt as text."""
    state = ArmState(Arm(name="held out", settings=settings), target, drafter, None)
    rounds = [event for event in race([state], prompt, raw=True) if isinstance(event, Round)]
    return [i for r in rounds for i in r.emitted_ids], [r.emitted_tokens for r in rounds]


def agrees(walk: Walk, text: Sequence[int], ids: Sequence[int], emitted: Sequence[int]) -> tuple[bool, bool]:
    """Whether the loop's text is the recorded one, and whether rounds agree for as long as the texts do."""
    same = next((i for i, (a, b) in enumerate(zip(text, ids, strict=False)) if a != b), min(len(text), len(ids)))
    whole = same == len(text) == len(ids)
    done = 0
    for mine, theirs in zip(walk.emitted, emitted, strict=False):
        done += max(mine, theirs)
        if done > same:
            break
        if mine != theirs:
            return whole, False
    return whole, True


def interval(walks: Sequence[Walk], seed: int = 0) -> tuple[float, float, float]:
    """Pooled tokens per forward with a 95 % bootstrap interval over answers."""
    tokens = np.array([sum(w.emitted) for w in walks])
    forwards = np.array([len(w.emitted) for w in walks])
    picks = np.random.default_rng(seed).integers(len(walks), size=(RESAMPLES, len(walks)))
    low, high = np.percentile(tokens[picks].sum(1) / forwards[picks].sum(1), (2.5, 97.5))
    return float(tokens.sum() / forwards.sum()), float(low), float(high)


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench heldout")
    parser.add_argument("--data", type=Path, required=True, help="a data set's directory")
    parser.add_argument("--arms", default="lookup,table,table+lookup", help="separated by commas")
    parser.add_argument("--prompts", type=int, default=84, help="held-out answers looked at; 0: all")
    parser.add_argument("--tokens", type=int, default=128, help="of each answer at most")
    parser.add_argument("--block", type=int, default=8)
    parser.add_argument("--threshold", type=float, default=0.0, help="confidence below which a draft ends")
    parser.add_argument("--real", type=int, default=0, metavar="N", help="also run the loop on the first N answers")
    args = parser.parse_args(argv)

    held = read_dataset(args.data).held
    chosen = range(count(held))[: args.prompts or None]
    settings = Settings(max_tokens=args.tokens, block=args.block, confidence_threshold=args.threshold)
    target = Models().get("embedded")
    loops = np.array([held.repeats[i] > LOOP_SHARE for i in chosen])
    print(
        f"{len(chosen)} held-out answers of at most {args.tokens} tokens, block {args.block}; "
        f"{loops.sum()} repeat for more than half their length"
    )
    print("tokens per target forward [95 %]     all                    without loops          drafts a forward")
    for name in args.arms.split(","):
        drafter = attach(Arm(name=name, drafter=name), target, _no_model)[0]
        assert drafter is not None, f"{name} drafts nothing"
        texts = [answer(held, i)[: args.tokens].tolist() for i in chosen]
        prompts = [conversation(held, i)[: held.starts[i]].tolist() for i in chosen]
        walks = [replay(drafter, p, t, settings) for p, t in zip(prompts, texts, strict=True)]
        calm = [w for w, loop in zip(walks, loops, strict=True) if not loop]
        drafts = sum(w.drafted for w in walks) / sum(len(w.emitted) for w in walks)
        print(f"{name:<36} {_shown(walks)}   {_shown(calm)}   {drafts:.2f}")
        found = [
            agrees(w, t, *real(target, drafter, target.tokenizer.decode(p), settings))
            for w, p, t in list(zip(walks, prompts, texts, strict=True))[: args.real]
        ]
        if found:
            print(
                f"  real loop: rounds agree on {sum(rounds for _, rounds in found)} of {len(found)} answers; "
                f"same text to the end on {sum(whole for whole, _ in found)}"
            )


def _shown(walks: Sequence[Walk]) -> str:
    return "{:.2f} [{:.2f} .. {:.2f}]".format(*interval(walks)) if walks else "-" * 18


def _no_model(name: str, _: str) -> Target:
    raise SystemExit(f"{name} needs a forward of its own: only drafters without a model can be replayed.")


if __name__ == "__main__":
    main()
