"""Speed of arms against the target alone on the prompts that the window offers: arms interleaved A B B A, own clocks,
prefill left out. One line a prompt, then the whole with a bootstrap interval over prompts.
"""

from __future__ import annotations

import argparse
import json

import numpy as np

from engine.arms import parse_arms
from engine.paths import resources_dir
from engine.race import race
from engine.session import Models, Session
from engine.stats import bootstrap
from engine.trace.events import Round, Settings
from engine.trace.metrics import own_s


def presets(language: str) -> list[tuple[str, str]]:
    """Title and prompt of each."""
    found = json.loads((resources_dir() / "prompts" / "presets.json").read_text(encoding="utf-8"))
    return [(one["title"], one["prompt"]) for group in found[language] for one in group["presets"]]


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench presets")
    parser.add_argument("--arm", action="append", default=[], metavar="ARM", help="repeat it (default: table+lookup)")
    parser.add_argument("--language", default="en", choices=("en", "zh_CN"))
    parser.add_argument("--tokens", type=int, default=96)
    parser.add_argument("--repeats", type=int, default=2, help="races of one prompt")
    args = parser.parse_args(argv)
    arms = parse_arms(["baseline", *(args.arm or ["table+lookup"])], Settings(max_tokens=args.tokens))
    states = Session(Models()).open(arms)
    names = [arm.name for arm in arms]
    seconds: dict[str, list[float]] = {name: [] for name in names}
    tokens: dict[str, list[int]] = {name: [] for name in names}
    listed = presets(args.language)
    print(
        f"{'prompt':<34}" + "".join(f"{name:>24}" for name in names[1:]) + "   (times the baseline, tokens a forward)"
    )
    for title, prompt in listed:
        spent, made, forwards = dict.fromkeys(names, 0.0), dict.fromkeys(names, 0), dict.fromkeys(names, 0)
        for turn in range(args.repeats):
            order = states if turn % 2 == 0 else states[::-1]
            for state in order:
                state.reset()
            for event in race(order, prompt):
                if isinstance(event, Round) and event.index:
                    spent[event.arm] += own_s(event)
                    made[event.arm] += event.emitted_tokens
                    forwards[event.arm] += 1
        base = spent[names[0]] / max(made[names[0]], 1)
        cells = ""
        for name in names:
            seconds[name].append(spent[name])
            tokens[name].append(made[name])
            if name != names[0] and made[name]:
                speed = base / (spent[name] / made[name])
                cells += f"{speed:>15.2f}x {made[name] / max(forwards[name], 1):>6.2f} "
        print(f"{title[:33]:<34}{cells}", flush=True)
    for name in names[1:]:
        columns = np.array([seconds[names[0]], tokens[names[0]], seconds[name], tokens[name]]).T
        found = bootstrap(columns, lambda s: (s[..., 0] / s[..., 1]) / (s[..., 2] / s[..., 3]))
        print(f"{name}: {found.value:.2f}x [{found.low:.2f} .. {found.high:.2f}] over {len(listed)} prompts")


if __name__ == "__main__":
    main()
