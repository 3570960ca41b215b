"""How far the same row's logits move when it is computed in a block: the noise that a near-tie is excused by.

The embedded model writes a text greedily; its rows are then computed one at a time and in blocks of 2, 4 and 8. No
speculation takes part. Printed are the largest difference of any logit of a row, and what it flipped.
"""

from __future__ import annotations

import argparse

import mlx.core as mx
import numpy as np

from engine.race import race
from engine.session import ArmState, Models
from engine.target import Target
from engine.trace.events import Arm, Round, Settings
from engine.trace.verdict import noise_logits

PROMPTS = ("Explain how a bicycle stays upright.", "Write a short story about the sea.", "List ten rivers of Europe.")


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench noise")
    parser.add_argument("--tokens", type=int, default=128, help="of each text")
    args = parser.parse_args(argv)
    target = Models().get("embedded")
    moved: dict[int, list[float]] = {2: [], 4: [], 8: []}
    flipped = dict.fromkeys(moved, 0)
    margins: list[float] = []
    for prompt in PROMPTS:
        state = ArmState(Arm(name="baseline", settings=Settings(max_tokens=args.tokens)), target, None, None)
        rounds = [event for event in race([state], prompt) if isinstance(event, Round)]
        margins += [r.margins[0] for r in rounds]
        text = state.last_ids
        single = rows_of(target, text, 1)
        for rows in moved:
            block = rows_of(target, text, rows)
            moved[rows] += mx.abs(block - single).max(axis=1).tolist()  # type: ignore[arg-type]
            flipped[rows] += int((mx.argmax(block, axis=1) != mx.argmax(single, axis=1)).sum().item())
    for rows, differences in moved.items():
        d = np.array(differences)
        print(
            f"{rows} rows against 1: {len(d)} rows, largest difference of a logit: median {np.median(d):.2e}, "
            f"99.9 % {np.quantile(d, 0.999):.2e}, most {d.max():.2e}; argmax flipped in {flipped[rows]}"
        )
    m = np.array(margins)
    bound = noise_logits(target.facts)
    print(f"margins of {len(m)} emitted tokens: least {m.min():.2e}, below {bound:g}: {(m < bound).mean():.2%}")


def rows_of(target: Target, text: list[int], rows: int) -> mx.array:
    """Logits of a text's rows, computed so many at a time. [tokens, V]"""
    caches = target.make_caches()
    found = []
    for start in range(0, len(text), rows):
        logits, _ = target.forward(mx.array(text[start : start + rows]), caches)
        mx.eval(logits)
        found.append(logits)
    return mx.concatenate(found)


if __name__ == "__main__":
    main()
