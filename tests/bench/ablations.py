"""What each part of scheme E is worth: the same trained weights with a part switched off, on held-out answers.

injected layers 0 .. L - 1, transition cache off, both off (the backbone alone), the plain form, candidate width 1..64.
Paired differences are from the drafter as it is, at its default width.
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
from pathlib import Path

from engine.drafters.checkpoint import load_block_drafter
from engine.drafters.save import read_saved
from engine.paths import resources_dir
from engine.session import Models
from engine.trace.events import Settings
from engine.train.dataset import read_dataset
from engine.train.evaluate import Walk, paired_difference, score
from engine.train.judge import Judge
from engine.train.taps import RecomputedTaps, Taps, read_taps
from tests.bench.heldout import by_position, shown

WIDTHS = (1, 4, 16, 64)


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench ablations")
    parser.add_argument("--data", type=Path, required=True, help="a data set's directory")
    parser.add_argument("--drafter", type=Path, default=resources_dir() / "drafters" / "E", help="of scheme E, ours")
    parser.add_argument("--taps", type=Path, help="directory with the data set's taps (default: they are computed)")
    parser.add_argument("--prompts", type=int, default=100)
    parser.add_argument("--skip", type=int, default=0, help="so many of the first are left out")
    parser.add_argument("--tokens", type=int, default=128)
    args = parser.parse_args(argv)
    target = Models().get("embedded")
    held = read_dataset(args.data).held
    taps: Taps = RecomputedTaps(tuple(range(len(target.model.layers))), target, held)
    if args.taps:
        taps = read_taps(args.taps, "held", held, target.facts.hidden_size, target.facts.name)
    judge = Judge(target, held, taps, args.prompts, args.tokens, skip=args.skip)
    layers = read_saved(args.drafter)[0].layers
    print(f"{len(judge.calm)} held-out answers of at most {args.tokens} tokens that don't repeat themselves")
    usual = Settings(max_tokens=args.tokens)
    cases: list[tuple[str, dict[str, object], int]] = [("as it is", {}, usual.candidate_width)]
    cases += [(f"{n} injected layers", {"injected": n}, usual.candidate_width) for n in range(layers)]
    cases += [
        ("cache off", {"transitions": False}, usual.candidate_width),
        ("injection and cache off", {"transitions": False, "injected": 0}, usual.candidate_width),
        ("plain form", {"form": "plain"}, usual.candidate_width),
    ]
    cases += [(f"width {w}", {}, w) for w in WIDTHS]
    whole: list[Walk] = []
    for name, switches, width in cases:
        with tempfile.TemporaryDirectory() as directory:
            drafter = load_block_drafter(changed(args.drafter, Path(directory) / "E", switches), target).drafter()
            gamma = drafter.layout.gamma  # type: ignore[attr-defined]
            settings = Settings(max_tokens=args.tokens, block=gamma + 1, candidate_width=width)
            found = judge.walks(drafter, judge.calm, settings=settings)
        whole = whole or found
        middle, low, high = paired_difference(found, whole)
        one = score(found)
        print(f"{name:<26} {shown(one)}   {middle:+.3f} [{low:+.3f} .. {high:+.3f}]   {by_position(one)}", flush=True)


def changed(drafter: Path, to: Path, switches: dict[str, object]) -> Path:
    """A copy whose layout says otherwise; the weights are the same."""
    shutil.copytree(drafter, to)
    config = json.loads((to / "config.json").read_text(encoding="utf-8"))
    config["layout"]["cascade"] |= switches
    (to / "config.json").write_text(json.dumps(config), encoding="utf-8")
    return to


if __name__ == "__main__":
    main()
