"""Our loop against that of the public package ``dflash`` 0.1.0: the same target, drafter weights, block and text.

Run it where the package is, after ``make test-peers``: ``.venv-peers/bin/python -m tests.bench peers``.

The loops take turns round by round (A B, B A, ...), so what else the machine does hits both; the ratio is that of the
times of one round in both. Both must keep the same tokens in each round, or nothing is printed. The drafter has random
weights unless a checkpoint is named (``--drafter``): it is hardly ever right, and a round costs what a round costs.
"""

from __future__ import annotations

import argparse
import itertools
import json
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import mlx.core as mx

from engine.drafters.checkpoint import load_block_drafter
from engine.drafters.formats import read_drafter
from engine.drafters.formats.tensors import expected_shapes
from engine.drafters.formats.zlab import spread_taps
from engine.drafters.layout import Dflash2, Layout, Rope
from engine.race import race
from engine.session import ArmState, Models
from engine.target import Target
from engine.trace.events import Arm, Round, Settings
from tests.bench.pairs import spread

PROMPT = "Write a short story about a lighthouse keeper and a storm."
MASK = 16
ARCHITECTURES = {"B": "DFlashDraftModel", "D": "DFlash2DraftModel"}
CANDIDATES = 16
TAKEN = (
    "hidden_size", "num_attention_heads", "num_key_value_heads", "head_dim", "intermediate_size", "rms_norm_eps",
    "rope_theta", "vocab_size", "max_position_embeddings",
)  # fmt: skip


def random_checkpoint(path: Path, scheme: str, target: Target, block: int, layers: int) -> Path:
    """z-lab's file of a drafter for ``target``, as wide as it is, with random weights."""
    config = json.loads((Path(target.facts.path) / "config.json").read_text(encoding="utf-8"))
    taps = spread_taps(target.facts.layers, 3)
    nested: dict[str, Any] = {"target_layer_ids": list(taps), "mask_token_id": MASK, "block_size": block}
    dflash2 = None
    if scheme == "D":
        nested |= {"conv_kernel_size": 2, "conv_group_size": 16, "selector_rank": 64, "selector_top_k": CANDIDATES}
        dflash2 = Dflash2(conv_kernel=2, conv_group=16, selector_rank=64)
    fields = {name: config[name] for name in TAKEN} | {
        "architectures": [ARCHITECTURES[scheme]],
        "model_type": "qwen3",
        "num_hidden_layers": layers,
        "num_target_layers": target.facts.layers,
        "is_causal": False,
        "dflash_config": nested,
    }
    layout = Layout(
        scheme=scheme,  # type: ignore[arg-type]
        gamma=block - 1,
        taps=taps,
        mask_id=MASK,
        hidden_size=config["hidden_size"],
        layers=layers,
        heads=config["num_attention_heads"],
        kv_heads=config["num_key_value_heads"],
        head_dim=config["head_dim"],
        intermediate_size=config["intermediate_size"],
        rope=Rope(theta=config["rope_theta"]),
        vocabulary=config["vocab_size"],
        dflash2=dflash2,
    )
    mx.random.seed(0)
    weights = {
        name: mx.ones(shape) if len(shape) == 1 else mx.random.normal(shape) * shape[-1] ** -0.5
        for name, shape in expected_shapes(layout).items()
    }
    path.mkdir(parents=True, exist_ok=True)
    (path / "config.json").write_text(json.dumps(fields), encoding="utf-8")
    mx.save_safetensors(str(path / "model.safetensors"), weights)
    return path


Rounds = Iterator[list[int]]


def our_loop(target: Target, path: Path, settings: Settings) -> Callable[[], Rounds]:
    drafter = load_block_drafter(path, target).drafter()
    state = ArmState(Arm(name="ours", drafter=str(path), settings=settings), target, drafter, None)

    def run() -> Rounds:
        state.reset()
        for event in race([state], PROMPT):
            if isinstance(event, Round):
                yield list(event.emitted_ids)

    return run


def their_loop(target: Target, path: Path, settings: Settings) -> Callable[[], Rounds]:
    """On a target of its own: the peer hooks into the layers of the model that it is given."""
    from dflash import model_mlx as peer

    from tests.embedded import expanded_model

    peer.snapshot_download = lambda name, **_: name
    draft = peer.load_draft(str(path))
    model = expanded_model()
    draft.set_dtype(model.model.embed_tokens(mx.array([0])).dtype)
    ids = list(target.tokenizer.apply_chat_template([{"role": "user", "content": PROMPT}], add_generation_prompt=True))

    def run() -> Rounds:
        for response in peer.stream_generate(
            model, draft, target.tokenizer, ids, block_size=settings.block, max_tokens=settings.max_tokens
        ):
            if response.tokens:
                yield list(response.tokens)

    return run


def round_times(ours: Rounds, theirs: Rounds) -> list[tuple[float, float]]:
    """(ours, theirs) in seconds of each round but the first, which is the prompt's."""
    found: list[tuple[float, float]] = []
    for number in itertools.count():
        seconds, tokens = {}, {}
        for name, loop in (("ours", ours), ("theirs", theirs))[:: -1 if number % 2 else 1]:
            began = time.perf_counter()
            tokens[name] = next(loop, None)
            seconds[name] = time.perf_counter() - began
        if tokens["ours"] != tokens["theirs"]:
            raise SystemExit(f"Round {number}: ours keeps {tokens['ours']}, theirs {tokens['theirs']}.")
        if tokens["ours"] is None:
            return found
        if number:
            found.append((seconds["ours"], seconds["theirs"]))
    raise AssertionError


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench peers")
    parser.add_argument("--tokens", type=int, default=48)
    parser.add_argument("--repeats", type=int, default=4)
    parser.add_argument("--block", type=int, default=8)
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--schemes", default="BD")
    parser.add_argument(
        "--drafter", type=Path, help="a z-lab checkpoint for the embedded model, in place of random weights"
    )
    args = parser.parse_args(argv)
    try:
        import dflash.model_mlx  # noqa: F401
    except ImportError as error:
        where = "make test-peers, then .venv-peers/bin/python -m tests.bench peers"
        raise SystemExit(f"The package dflash is not installed here ({error}): {where}.") from error

    target = Models().get("embedded")
    settings = Settings(block=args.block, max_tokens=args.tokens, candidate_width=CANDIDATES)
    with tempfile.TemporaryDirectory() as folder:
        paths = [args.drafter] if args.drafter else [
            random_checkpoint(Path(folder) / scheme, scheme, target, args.block, args.layers) for scheme in args.schemes
        ]  # fmt: skip
        for path in paths:
            layout = read_drafter(path)[0]
            ours, theirs = our_loop(target, path, settings), their_loop(target, path, settings)
            round_times(ours(), theirs())  # the first run of each compiles and fills caches
            times = [pair for _ in range(args.repeats) for pair in round_times(ours(), theirs())]
            ratio = spread([b / a for a, b in times])
            mine = spread([1000 * a for a, _ in times])
            print(
                f"scheme {layout.scheme}, block {args.block}: dflash 0.1.0 / ours, time of a round: {ratio}  (goal 1.0)"
            )
            print(f"scheme {layout.scheme}: {len(times)} rounds of {mine} ms")


if __name__ == "__main__":
    main()
