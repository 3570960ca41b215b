"""The loops against mlx-lm's own, and where a round's time goes. Embedded model, weights as this backend holds them."""

from __future__ import annotations

import argparse
import time

from engine.race import race
from engine.session import ArmState, Models
from engine.trace.events import Arm, Round, Settings
from engine.trace.of_round import own_s
from tests.bench.pairs import ratios, spread

CHAT = "Explain how a bicycle stays upright, in five sentences."
REPEAT = (
    "Repeat the following text exactly, word for word.\n\n"
    "The tide is the rise and fall of the sea. It is caused by the pull of the moon and the sun on the water, "
    "and by the turning of the earth. Most coasts see two high tides and two low tides a day. "
    "When sun and moon pull in one line, the tides are largest and are called spring tides."
)
REWRITE = (
    "Rewrite this function with the name total instead of result, and change nothing else:\n"
    "def add(values):\n    result = 0\n    for value in values:\n        result = result + value\n"
    "    if result < 0:\n        raise ValueError('result is negative')\n    return result\n"
)


def rounds_of(state: ArmState, prompt: str) -> list[Round]:
    state.reset()
    return [event for event in race([state], prompt) if isinstance(event, Round)]


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench engine")
    parser.add_argument("--tokens", type=int, default=64)
    parser.add_argument("--repeats", type=int, default=7)
    args = parser.parse_args(argv)

    from mlx_lm import load, stream_generate

    from engine.drafters.lookup import Lookup
    from engine.platform import expand_weights

    target = Models().get("embedded")
    # Theirs is a copy of its own, so that what watching the layers costs is on our side alone.
    untouched, tokenizer = load(target.facts.path)
    expand_weights(untouched)
    settings = Settings(max_tokens=args.tokens)
    alone = ArmState(Arm(name="baseline", settings=settings), target, None, None)
    prompt_ids = target.tokenizer.apply_chat_template([{"role": "user", "content": CHAT}], add_generation_prompt=True)

    def ours() -> float:
        """Tokens a second after the first, on the wall clock: everything the loop does between two tokens."""
        found, began = 0, 0.0
        state = alone
        state.reset()
        for event in race([state], CHAT):
            if isinstance(event, Round):
                if event.index == 0:
                    began = time.perf_counter()
                found += event.emitted_tokens
        return (found - 1) / (time.perf_counter() - began)

    def theirs() -> float:
        found, began = 0, 0.0
        for _ in stream_generate(untouched, tokenizer, prompt_ids, max_tokens=args.tokens):
            if not found:
                began = time.perf_counter()
            found += 1
        return (found - 1) / (time.perf_counter() - began)

    ours(), theirs()
    against = spread(ratios(theirs, ours, args.repeats))
    print(f"baseline arm / mlx_lm.stream_generate, tokens a second: {against}  (goal 0.98)")

    for name, prompt in (("chat", CHAT), ("rewrite", REWRITE), ("repeat", REPEAT)):
        state = ArmState(Arm(name="lookup", drafter="lookup", settings=settings), target, Lookup(), None)
        speeds, outside, drafts = [], [], []
        for _ in range(max(3, args.repeats // 2)):
            base = rounds_of(alone, prompt)[1:]
            spec = rounds_of(state, prompt)[1:]
            speed = [sum(r.emitted_tokens for r in rs) / sum(map(own_s, rs)) for rs in (base, spec)]
            speeds.append(speed[1] / speed[0])
            outside.append(sum(own_s(r) - r.verify_s for r in spec) / sum(map(own_s, spec)))
            drafts.append(sum(r.draft_s for r in spec) / sum(map(own_s, spec)))
        print(f"{name}: look-up / baseline, own clocks: {spread(speeds)}")
        print(f"{name}: share of a round outside the target's forward: {spread(outside)}  (goal 0.03)")
        print(f"{name}: of it drafting: {spread(drafts)}")


if __name__ == "__main__":
    main()
