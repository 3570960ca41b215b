"""Tokens per target forward on held-out answers of the target's own, for any arm.

The text of every arm is the same, the target's greedy answer, so which drafts would be accepted can be read off the
known answer: ``engine.train.evaluate.replay`` walks it with a drafter and never runs the target; taps come from a cache
or are computed once. ``--real`` runs the loop itself as well, and says how many answers agree round by round; where the
loop's text leaves the recorded one at a near tie, rounds before that count.

A small model loops, and loops flatter every figure: each is given without answers that repeat for more than half their
length, and for those alone.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

import msgspec

from engine.arms import parse_arms
from engine.drafters.base import Drafter
from engine.drafters.checkpoint import LoadedDrafter
from engine.drafters.load import attach, load_tapped
from engine.race import race
from engine.session import ArmState, Models
from engine.target import Target
from engine.trace.events import Arm, Round, Settings
from engine.train.conversations import answer, conversation
from engine.train.dataset import read_dataset
from engine.train.evaluate import Score, Walk, paired_difference, score
from engine.train.judge import Judge
from engine.train.taps import RecomputedTaps, Taps, read_taps


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


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench heldout")
    parser.add_argument("--data", type=Path, required=True, help="a data set's directory")
    parser.add_argument(
        "--arm", action="append", default=[], metavar="ARM", help="as on the command line; repeat it (default: table)"
    )
    parser.add_argument("--prompts", type=int, default=100, help="held-out answers without loops; 0: all")
    parser.add_argument("--skip", type=int, default=0, help="of these, so many of the first are left out")
    parser.add_argument("--tokens", type=int, default=128, help="of each answer at most")
    parser.add_argument("--taps", type=Path, help="directory with the data set's taps (default: they are computed)")
    parser.add_argument("--against", default="", metavar="NAME", help="also the paired difference from this arm")
    parser.add_argument("--real", type=int, default=0, metavar="N", help="also run the loop on the first N answers")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures there")
    args = parser.parse_args(argv)

    held = read_dataset(args.data).held
    models = Models()
    target = models.get("embedded")
    taps: Taps = RecomputedTaps(tuple(range(len(target.model.layers))), target, held)
    if args.taps:
        taps = read_taps(args.taps, "held", held, target.facts.hidden_size, target.facts.name)
    judge = Judge(target, held, taps, args.prompts, args.tokens, skip=args.skip)
    tokens = sum(min(len(answer(held, i)), args.tokens) for i in judge.calm)
    print(
        f"{len(judge.calm)} held-out answers of at most {args.tokens} tokens, {tokens} in all; "
        f"{len(judge.loops)} more repeat themselves"
    )
    print("tokens per target forward [95 %]        without loops           loops                   drafts a forward")
    arms = parse_arms(args.arm or ["table"], Settings(max_tokens=args.tokens))
    walked: dict[str, list[Walk]] = {}
    figures: dict[str, object] = {}
    for arm in arms:
        drafter = attach(arm, target, lambda name, _: get(models, name, target))[0]
        assert drafter is not None, f"{arm.name} drafts nothing"
        calm = judge.walks(drafter, judge.calm, settings=arm.settings)
        loops = judge.walks(drafter, judge.loops, settings=arm.settings)
        walked[arm.name] = calm
        drafts = sum(sum(w.verified) for w in calm) / sum(len(w.emitted) for w in calm)
        one = score(calm)
        repeating = score(loops) if loops else None
        print(f"{arm.name:<39} {shown(one)}   {shown(repeating) if repeating else '-' * 18}   {drafts:.2f}", flush=True)
        print(f"  accepted of drafted, by position: {by_position(one)}")
        print(f"  rounds that kept so many or more: {reached(one)}", flush=True)
        figures[arm.name] = {
            **msgspec.to_builtins(one), "loops": repeating and msgspec.to_builtins(repeating),
        }  # fmt: skip
        found = []
        for i, w in list(zip(judge.calm, calm, strict=True))[: args.real]:
            prompt = target.tokenizer.decode(conversation(held, i)[: held.starts[i]].tolist())
            drafter.rewind(0)
            text = answer(held, i)[: args.tokens].tolist()
            found.append(agrees(w, text, *real(target, drafter, prompt, arm.settings)))
        if found:
            print(
                f"  real loop: rounds agree on {sum(rounds for _, rounds in found)} of {len(found)} answers; "
                f"same text to the end on {sum(whole for whole, _ in found)}"
            )
    for name, other in walked.items():
        if args.against in walked and name != args.against:
            middle, low, high = paired_difference(other, walked[args.against])
            print(f"{name} - {args.against}: {middle:+.3f} [{low:+.3f} .. {high:+.3f}]")
            figures[f"{name} - {args.against}"] = {"difference": middle, "low": low, "high": high}
    if args.json:
        args.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


def get(models: Models, name: str, target: Target) -> Target | LoadedDrafter:
    return load_tapped(name, target) or models.get(name)


def shown(one: Score) -> str:
    return f"{one.tokens_per_forward:.3f} [{one.low:.3f} .. {one.high:.3f}]"


def reached(one: Score) -> str:
    """Of rounds that drafted. In a tree what stands at a position is known afterwards alone: there it is this one that
    can be held beside other arms'."""
    return " ".join(f"{a / max(one.drafted_by_position[0], 1):.3f}" for a in one.accepted_by_position)


def by_position(one: Score) -> str:
    return " ".join(f"{a / d:.3f}" for a, d in zip(one.accepted_by_position, one.drafted_by_position, strict=True) if d)


if __name__ == "__main__":
    main()
