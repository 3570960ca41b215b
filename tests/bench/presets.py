"""Speed of arms against the target alone on the prompts that the window offers: arms interleaved A B B A, own clocks,
prefill left out. One line a prompt, with the slowest and the fastest of its races, then the whole with a bootstrap
interval over prompts.
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
from engine.trace.of_round import own_s


def presets(language: str) -> list[tuple[str, str]]:
    """Title and prompt of each."""
    found = json.loads((resources_dir() / "prompts" / "presets.json").read_text(encoding="utf-8"))
    return [(one["title"], one["prompt"]) for group in found[language] for one in group["presets"]]


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench presets")
    parser.add_argument("--arm", action="append", default=[], metavar="ARM", help="repeat it (default: table+lookup)")
    parser.add_argument("--language", default="both", choices=("en", "zh_CN", "both"))
    parser.add_argument("--tokens", type=int, default=96)
    parser.add_argument("--repeats", type=int, default=4, help="races of one prompt")
    args = parser.parse_args(argv)
    arms = parse_arms(["baseline", *(args.arm or ["table+lookup"])], Settings(max_tokens=args.tokens))
    states = Session(Models()).open(arms)
    names = [arm.name for arm in arms]
    seconds: dict[str, list[float]] = {name: [] for name in names}
    tokens: dict[str, list[int]] = {name: [] for name in names}
    languages = ("en", "zh_CN") if args.language == "both" else (args.language,)
    listed = [one for language in languages for one in presets(language)]
    print(
        f"{'prompt':<34}" + "".join(f"{name:>32}" for name in names[1:])
        + "   (times the baseline [slowest .. fastest race], tokens a forward)"
    )  # fmt: skip
    for title, prompt in listed:
        spent, made, forwards = dict.fromkeys(names, 0.0), dict.fromkeys(names, 0), dict.fromkeys(names, 0)
        races: dict[str, list[float]] = {name: [] for name in names}
        for turn in range(args.repeats):
            own, emitted = dict.fromkeys(names, 0.0), dict.fromkeys(names, 0)
            order = states if turn % 2 == 0 else states[::-1]
            for state in order:
                state.reset()
            for event in race(order, prompt):
                if isinstance(event, Round) and event.index:
                    own[event.arm] += own_s(event)
                    emitted[event.arm] += event.emitted_tokens
                    forwards[event.arm] += 1
            for name in names:
                spent[name] += own[name]
                made[name] += emitted[name]
                if emitted[name] and emitted[names[0]]:
                    races[name].append((own[names[0]] / emitted[names[0]]) / (own[name] / emitted[name]))
        base = spent[names[0]] / max(made[names[0]], 1)
        cells = ""
        for name in names:
            seconds[name].append(spent[name])
            tokens[name].append(made[name])
            if name != names[0] and made[name]:
                speed = base / (spent[name] / made[name])
                spread = f"[{min(races[name]):.2f} .. {max(races[name]):.2f}]"
                cells += f"{speed:>10.2f}x {spread} {made[name] / max(forwards[name], 1):>5.2f} "
        print(f"{title[:33]:<34}{cells}", flush=True)
    for name in names[1:]:
        columns = np.array([seconds[names[0]], tokens[names[0]], seconds[name], tokens[name]]).T
        found = bootstrap(columns, lambda s: (s[..., 0] / s[..., 1]) / (s[..., 2] / s[..., 3]))
        print(f"{name}: {found.value:.2f}x [{found.low:.2f} .. {found.high:.2f}] over {len(listed)} prompts")


if __name__ == "__main__":
    main()
