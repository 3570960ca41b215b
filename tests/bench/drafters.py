"""What a block costs by scheme: seconds and bytes of one round of drafting, from one run.

python -m tests.bench drafters [--repeats N] [--context N] [--json]

Drafters of the embedded model's size (hidden 576, three layers, vocabulary 49152) with random weights: costs do not
depend on what the weights have learnt. All cells take turns, so the machine's drift hits them alike. Bytes are counted
from the shapes: every weight as often as a round reads it, of gathered tables the rows alone, and the context.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import dataclass, field
from typing import Any

import mlx.core as mx
from mlx.utils import tree_flatten, tree_map

from engine.drafters.base import Drafter
from engine.drafters.block import BlockDrafter
from engine.drafters.borrow import borrow
from engine.drafters.checkpoint import LoadedDrafter
from engine.drafters.formats.tensors import build
from engine.drafters.layout import Cascade, Dflash2, Domino, Eagle, Layout, Markov, Rope
from engine.platform import machine
from engine.sampling import Sampler
from engine.target import Target
from engine.trace.events import ModelFacts, Settings
from tests.bench.pairs import Spread, spread

HIDDEN, LAYERS, VOCABULARY = 576, 3, 49152
BLOCKS = (4, 8, 16)
CANDIDATES = (4, 16, 64)
RANK = 64
SCHEMES: dict[str, dict[str, Any]] = {
    "A eagle-3": {"scheme": "A", "eagle": Eagle(), "layers": 1, "rows": "anchor-first"},
    "B dflash": {"scheme": "B"},
    "C dspark": {"scheme": "C", "markov": Markov(rank=RANK)},
    "C domino": {"scheme": "C", "domino": Domino(gru_size=256, rank=RANK)},
    "D dflash-2": {"scheme": "D", "dflash2": Dflash2(selector_rank=RANK)},
    "E cascade": {"scheme": "E", "cascade": Cascade(lens_rank=128, transition_rank=RANK)},
    "E no transitions": {"scheme": "E", "cascade": Cascade(lens_rank=128, transition_rank=RANK, transitions=False)},
    "E no injection": {"scheme": "E", "cascade": Cascade(lens_rank=128, transition_rank=RANK, injected=0)},
}
WITH_CANDIDATES = ("D dflash-2", "E cascade")


@dataclass(slots=True)
class Cell:
    """One line of the table."""

    scheme: str
    block: int
    candidates: int
    drafter: Drafter
    bytes_read: int
    seconds: list[float] = field(default_factory=list)


def target() -> Target:
    """Embedding and head of the right size over as few layers as carry the taps."""
    from mlx_lm.models import llama

    args = llama.ModelArgs(
        model_type="llama", hidden_size=HIDDEN, num_hidden_layers=3, intermediate_size=64, num_attention_heads=9,
        num_key_value_heads=3, rms_norm_eps=1e-5, vocab_size=VOCABULARY,
    )  # fmt: skip
    model = llama.Model(args)
    model.eval()
    mx.eval(model.parameters())
    facts = ModelFacts(name="random", vocabulary=VOCABULARY, layers=3, hidden_size=HIDDEN)
    return Target.of(model, None, facts)  # type: ignore[arg-type]


def layout(scheme: str, block: int) -> Layout:
    fields = {
        "gamma": block - 1, "taps": (0, 1, 2), "mask_id": 16, "hidden_size": HIDDEN, "layers": LAYERS, "heads": 9,
        "kv_heads": 3, "head_dim": 64, "intermediate_size": 1536, "vocabulary": VOCABULARY, "rope": Rope(theta=1e5),
        **SCHEMES[scheme],
    }  # fmt: skip
    return Layout(**fields)


def loaded(y: Layout, beside: Target) -> LoadedDrafter:
    mx.random.seed(0)
    model = build(y)
    model.update(tree_map(lambda a: mx.random.normal(a.shape) * 0.02 if a.ndim > 1 else a, model.parameters()))
    mx.eval(model.parameters())
    return LoadedDrafter.of(model, borrow(y, model, beside), ModelFacts(name=y.scheme))


def bytes_read(y: Layout, weights: dict[str, mx.array], head_bytes: int, context: int, candidates: int) -> int:
    """Of one round that commits half a block and drafts a whole one."""
    gamma, rank = y.gamma, RANK
    row = HIDDEN * 4
    total = 2 * context * y.layers * y.kv_heads * y.head_dim * 4 + y.rows_for(gamma) * row
    for name, array in weights.items():
        times = 1.0
        if "codebook" in name or "markov_w1" in name:
            # Rows of the candidates, before and after; one row a step for a Markov head.
            times = gamma * (1 if "markov" in name else candidates) / array.shape[0]
        elif (
            "markov" in name
            or "prefix_gru" in name
            or "embed_proj" in name
            or (y.scheme == "A" and name != "fc.weight")
        ):
            times = gamma
        total += int(array.nbytes * times)
    total += head_bytes * (gamma if y.scheme == "A" else 1)
    if y.dflash2:
        total += 4 * gamma * candidates * candidates
    if y.cascade and y.cascade.transitions:
        # Embeddings of the candidates before and after, their factors, the table.
        total += gamma * candidates * (2 * row + 2 * rank * 4) + 4 * gamma * candidates * candidates
    if y.domino:
        total += gamma * row
    return total


def cells(context: int) -> list[Cell]:
    beside = target()
    head_bytes = VOCABULARY * HIDDEN * 4
    found = []
    taps = {layer: mx.random.normal((1, context, HIDDEN)) for layer in range(3)}
    for scheme in SCHEMES:
        for block in BLOCKS:
            y = layout(scheme, block)
            shared = loaded(y, beside)
            weights = dict(tree_flatten(shared.shared.model.parameters()))
            for k in CANDIDATES if scheme in WITH_CANDIDATES else (16 if scheme.startswith("E") else 0,):
                drafter = shared.drafter()
                drafter.observe([7] * context, taps)
                found.append(Cell(scheme, block, k, drafter, bytes_read(y, weights, head_bytes, context, k)))
    return found


def one_round(cell: Cell) -> float:
    """Commit half a block, draft a whole one, wait. The context goes back afterwards, so that rounds are alike."""
    kept = cell.block // 2
    taps = {layer: mx.ones((1, kept, HIDDEN)) for layer in range(3)}
    sampler = Sampler(Settings(candidate_width=max(cell.candidates, 1)))
    mx.eval(list(taps.values()))
    seen = len(cell.drafter.seen)  # type: ignore[attr-defined]
    began = time.perf_counter()
    cell.drafter.observe([9] * kept, taps)
    mx.eval(cell.drafter.propose(11, cell.block - 1, sampler).tokens)
    seconds = time.perf_counter() - began
    if isinstance(cell.drafter, BlockDrafter):
        cell.drafter.rewind(seen)
    return seconds


def measure(context: int, repeats: int) -> list[Cell]:
    found = cells(context)
    for i in range(repeats + 2):
        for cell in found if i % 2 else found[::-1]:
            seconds = one_round(cell)
            if i >= 2:
                cell.seconds.append(seconds)
    return found


def main(argv: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench drafters", description="What a block costs by scheme.")
    parser.add_argument("--repeats", type=int, default=12)
    parser.add_argument("--context", type=int, default=256, help="committed tokens")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args(argv)
    found = measure(args.context, args.repeats)
    base = {cell.block: spread(cell.seconds).median for cell in found if cell.scheme == "B dflash"}
    lines = [
        {
            "scheme": cell.scheme, "block": cell.block, "candidates": cell.candidates, "seconds": spread(cell.seconds),
            "over_b": spread(cell.seconds).median / base[cell.block], "bytes_read": cell.bytes_read,
        }
        for cell in found
    ]  # fmt: skip
    facts = machine()
    if args.json:
        print(json.dumps({"machine": f"{facts.chip}, {facts.backend}", "lines": lines}, default=lambda s: s.median))
        return
    print(
        f"{facts.chip}, {facts.backend}, {facts.cores} cores; context {args.context} tokens, {args.repeats} rounds each"
    )
    print(f"{'scheme':<18}{'block':>6}{'candidates':>12}{'ms a round':>26}{'over B':>8}{'MB read':>9}{'GB/s':>7}")
    for line in lines:
        s: Spread = line["seconds"]
        ms = Spread(s.median * 1e3, s.low * 1e3, s.high * 1e3)
        print(
            f"{line['scheme']:<18}{line['block']:>6}{line['candidates'] or '-':>12}"
            f"{ms.median:>10.2f} [{ms.low:>6.2f}..{ms.high:>6.2f}]{line['over_b']:>8.2f}"
            f"{line['bytes_read'] / 1e6:>9.1f}{line['bytes_read'] / s.median / 1e9:>7.1f}"
        )


if __name__ == "__main__":
    import sys

    main(sys.argv[1:])
