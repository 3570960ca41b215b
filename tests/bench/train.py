"""Training throughput: block positions a second of each scheme, and the share of the machine's matmul peak that a step
reaches, in one run, interleaved.

The peak is the best of large float32 products on the same threads. A step's work is counted in multiply-adds of its
matrices: forward once, backward twice (the frozen head and embedding: backward once). The head's rows are those that
the step's softmax runs over.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from pathlib import Path

import mlx.core as mx
from mlx.utils import tree_flatten

from engine.session import Models
from engine.train.conversations import take
from engine.train.dataset import Dataset, read_dataset
from engine.train.drafter import Wish, prepare
from engine.train.layouts import SCHEMES, layout_for
from engine.train.loop import Run
from engine.train.recipe import TrainRecipe
from engine.train.taps import fill_taps, open_taps

PEAK_SIZE = 1024
ROUNDS = 7


def peak_flops() -> float:
    a, b = mx.random.normal((PEAK_SIZE, PEAK_SIZE)), mx.random.normal((PEAK_SIZE, PEAK_SIZE))
    mx.eval(a, b)
    best = float("inf")
    for _ in range(5):
        at = time.perf_counter()
        mx.eval(a @ b)
        best = min(best, time.perf_counter() - at)
    return 2 * PEAK_SIZE**3 / best


def step_flops(run: Run) -> float:
    """Of the matrices of one step; attention's own products are small beside them and left out."""
    layout, r = run.layout, run.recipe
    x = run.inputs(run.step)
    sizes = {name: a.size for name, a in tree_flatten(run.model.parameters()) if a.ndim == 2}
    tokens, asked = x.tokens.size, x.outputs.ids.size
    head = asked * layout.hidden_size
    codebooks = sum(n for name, n in sizes.items() if "codebook" in name or "markov_w" in name)
    direct = sizes.get("direct_proj.weight", 0)
    reading = sizes["fc.weight"] + sizes.get("reader.weight", 0)  # of every token, once
    per_row = sum(sizes.values()) - reading - codebooks - direct
    if layout.eagle:
        rows = tokens * r.unroll
        return 2 * (3 * rows * per_row + 2 * rows * head + 2 * tokens * reading)
    rank = (
        layout.markov.rank if layout.markov
        else layout.dflash2.selector_rank if layout.dflash2
        else layout.cascade.transition_rank if layout.cascade
        else 0
    )  # fmt: skip
    lenses = layout.layers if layout.cascade and r.lens_weight else 0
    work = 2 * tokens * reading
    for blocks in x.blocks:
        n, said = blocks.anchors.size, blocks.labels.tokens.size
        work += 3 * said * per_row + 2 * said * head * (1 + lenses) + 3 * said * rank * asked
        work += 3 * n * direct * blocks.true.shape[-1] // layout.direct_rows
    return 2 * work


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench train")
    parser.add_argument("--data", type=Path, required=True, help="a data set's directory")
    parser.add_argument("--conversations", type=int, default=40, help="that steps are cut from")
    args = parser.parse_args(argv)
    target = Models().get("embedded")
    whole = read_dataset(args.data)
    data = Dataset(take(whole.train, range(args.conversations)), take(whole.held, range(4)), whole.manifest)
    with tempfile.TemporaryDirectory() as directory:
        runs: dict[str, Run] = {}
        for scheme in SCHEMES:
            layout = layout_for(target, scheme, 5 if scheme == "A" else 4)
            cache = open_taps(Path(directory), "train", data.train, layout.taps, layout.hidden_size, target.facts.name)
            fill_taps(cache, target, data.train)
            recipe = TrainRecipe(scheme=scheme, steps=100, regression=False, bigrams=False)
            runs[scheme] = prepare(Wish(Path(directory) / scheme, recipe), recipe, layout, target, data, cache)
        times: dict[str, list[float]] = {scheme: [] for scheme in runs}
        peaks: list[float] = []
        for turn in range(ROUNDS + 1):
            peaks.append(peak_flops())
            for scheme, run in runs.items():
                at = time.perf_counter()
                run.advance()
                if turn:  # the first one warms up
                    times[scheme].append(time.perf_counter() - at)
        peak = statistics.median(peaks)
        r = next(iter(runs.values())).recipe
        print(
            f"matmul peak {peak / 1e9:.0f} GFLOP/s (float32, {PEAK_SIZE}^3); steps of {r.conversations} conversations "
            f"x ({r.anchors} blocks and {r.firsts} first positions)"
        )
        print("scheme   a step [min .. max]        positions/s   share of the peak")
        for scheme, run in runs.items():
            middle = statistics.median(times[scheme])
            positions = run.positions / run.step
            spread = f"{middle:.2f} s [{min(times[scheme]):.2f} .. {max(times[scheme]):.2f}]"
            print(f"{scheme:<8} {spread:<26} {positions / middle:<13.0f} {step_flops(run) / middle / peak:.2f}")


if __name__ == "__main__":
    main()
