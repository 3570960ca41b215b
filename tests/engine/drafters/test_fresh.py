"""C, D and E before any training are their scheme-B backbone, bit for bit: the same features, the same drafts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import mlx.core as mx
import pytest
from mlx.utils import tree_flatten

from engine.drafters.backbone import Model
from engine.drafters.base import Draft
from engine.drafters.block import Block, BlockDrafter
from engine.drafters.borrow import borrow
from engine.sampling import Sampler
from engine.target import Target
from tests.engine.drafters.blocks import GAMMA, HEADS, Nudged, block, layout
from tests.engine.helpers import arm_state, ids, run
from tests.tiny import tiny_target

TARGETS = {kind: tiny_target(kind, seed=5) for kind in ("dense", "gated-delta")}
PROMPT = "the quick brown fox"
LENGTH = 40
CORRECTED = [head for head in HEADS if head[0] in "CDE"]
NEUTRAL = (
    "markov_w2",
    "embed_proj.2",
    "base_kernel",
    "kernel_projection",
    "successor_codebook",
    "injection_scales",
    "transition_successor",
)
"""What a fresh model holds at the values that switch its scheme off."""


@pytest.fixture(autouse=True)
def _no_end(monkeypatch: pytest.MonkeyPatch) -> None:
    for target in TARGETS.values():
        monkeypatch.setattr(target.tokenizer, "eos_token_ids", (), raising=False)


class Recorded(BlockDrafter):
    def __init__(self, shared: Block) -> None:
        super().__init__(shared)
        self.drafts: list[mx.array] = []

    def propose(self, anchor: int, width: int, sampler: Sampler) -> Draft:
        draft = super().propose(anchor, width, sampler)
        self.drafts.append(draft.tokens)
        return draft

    def observe(self, tokens: Sequence[int], taps: Mapping[int, mx.array]) -> None:
        super().observe(tokens, taps)


def fresh(target: Target, head: str, backbone: Block, **changes: Any) -> Block:
    """The scheme as it starts, around the weights of ``backbone``; all but the neutral factors are random."""
    y = layout(head, **changes)
    model = Model(y)
    mx.random.seed(9)
    for name, array in tree_flatten(model.parameters()):
        if not any(part in name for part in NEUTRAL):
            model.load_weights([(name, mx.random.normal(array.shape))], strict=False)
    model.load_weights(tree_flatten(backbone.model.parameters()), strict=False)
    return Block.of(model, borrow(y, model, target))


@cache
def baseline(kind: str) -> list[int]:
    return ids(run(arm_state(TARGETS[kind], max_tokens=LENGTH), PROMPT))


def drafts(kind: str, shared: Block, **settings: Any) -> list[list[int]]:
    target = TARGETS[kind]
    answer = baseline(kind)
    inner = Recorded(shared)
    state = arm_state(target, Nudged(inner, answer, len(PROMPT)), max_tokens=LENGTH, block=GAMMA + 1, **settings)
    assert ids(run(state, PROMPT)) == answer
    return [tokens.tolist() for tokens in inner.drafts]  # type: ignore[misc]


@pytest.mark.parametrize("kind", TARGETS)
@pytest.mark.parametrize("head", CORRECTED)
@pytest.mark.parametrize("candidate_width", [1, 16])
def test_drafts_equal_those_of_the_backbone(kind: str, head: str, candidate_width: int) -> None:
    rows = layout(head).rows
    backbone = block(TARGETS[kind], layout("B", rows=rows))
    expected = drafts(kind, backbone)
    found = drafts(kind, fresh(TARGETS[kind], head, backbone), candidate_width=candidate_width)
    assert found == expected
    assert len(expected) > 5 and len({tuple(d) for d in expected}) > 3


@pytest.mark.parametrize("head", ["D", "E", "E anchor-first"])
def test_features_are_bitwise_equal(head: str) -> None:
    rows = layout(head).rows
    backbone = block(TARGETS["dense"], layout("B", rows=rows))
    other = fresh(TARGETS["dense"], head, backbone)
    x = mx.random.normal((2, GAMMA, 32), key=mx.random.key(3))
    a, b = (shared.model(x, [None] * 3, 5, ["causal", None, None]).hidden for shared in (backbone, other))
    assert mx.array_equal(a, b).item()


def factors() -> list[tuple[str, str]]:
    """Each scheme with each neutral factor that it has."""
    names = {head: [name for name, _ in tree_flatten(Model(layout(head)).parameters())] for head in CORRECTED}
    return [(head, part) for head in CORRECTED for part in NEUTRAL if any(part in name for name in names[head])]


@pytest.mark.parametrize(("head", "name"), factors())
def test_each_neutral_factor_is_what_keeps_them_equal(head: str, name: str) -> None:
    """A control: set to something else, the drafts change."""
    target = TARGETS["dense"]
    backbone = block(target, layout("B", rows=layout(head).rows))
    other = fresh(target, head, backbone)
    parameters = tree_flatten(other.model.parameters())
    touched = [(n, mx.random.normal(a.shape, key=mx.random.key(1))) for n, a in parameters if name in n]
    other.model.load_weights(touched, strict=False)
    assert drafts("dense", other) != drafts("dense", backbone)
