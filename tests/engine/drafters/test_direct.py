"""``Layout.direct``: rows that read the newest token by themselves, through everything that can happen to it."""

from __future__ import annotations

from typing import Any

import mlx.core as mx
import pytest

from engine.drafters.block import BlockDrafter
from engine.drafters.layout import Layout
from engine.sampling import Sampler
from engine.trace.events import Settings
from tests.engine.drafters.blocks import GAMMA, block, layout
from tests.tiny import tiny_target

TARGET = tiny_target("dense", seed=5)
TEXT = [3, 9, 17, 4, 30, 8, 22, 5]
ANCHOR = 11
CAUSAL = {"direct": True, "rows": "anchor-first", "windows": (), "causal": (True, True, True)}
READINGS = {"H_ctx": CAUSAL, "reader": {**CAUSAL, "reader": True}}
SAMPLER = Sampler(Settings(block=GAMMA + 1))


@pytest.fixture(params=READINGS)
def causal(request: pytest.FixtureRequest) -> dict[str, Any]:
    return READINGS[request.param]


def taps_of(text: list[int]) -> dict[int, mx.array]:
    return TARGET.forward(mx.array(text), TARGET.make_caches(), (1, 0))[1]


def observe(drafter: BlockDrafter, text: list[int], first: int = 0) -> None:
    taps = taps_of(text)
    drafter.observe(text[first:], {layer: tap[:, first:] for layer, tap in taps.items()})


def at(y: Layout, text: list[int] = TEXT) -> BlockDrafter:
    drafter = BlockDrafter(block(TARGET, y))
    observe(drafter, text)
    return drafter


def drafts(drafter: BlockDrafter, width: int = GAMMA, anchor: int = ANCHOR) -> list[int]:
    return drafter.propose(anchor, width, SAMPLER).tokens.tolist()  # type: ignore[return-value]


@pytest.mark.parametrize("head", ["B", "C vanilla", "D", "E"])
def test_a_shorter_blocks_drafts_are_the_longer_ones_beginning(head: str, causal: dict[str, Any]) -> None:
    y = layout(head, **causal)
    whole = drafts(at(y))
    for width in range(1, GAMMA):
        assert drafts(at(y), width) == whole[:width]


def test_what_is_read_is_the_newest_token(causal: dict[str, Any]) -> None:
    """With layers that add nothing, a draft depends on the anchor and on the token before it alone."""
    shared = block(TARGET, layout("B", **causal))
    for layer in shared.model.layers:
        layer.self_attn.o_proj.weight = mx.zeros_like(layer.self_attn.o_proj.weight)
        layer.mlp.down_proj.weight = mx.zeros_like(layer.mlp.down_proj.weight)

    def drafted(taps: mx.array, anchor: int = ANCHOR) -> list[int]:
        drafter = BlockDrafter(shared)
        drafter.observe([3] * taps.shape[1], {0: taps, 1: taps})
        return drafts(drafter, anchor=anchor)

    mx.random.seed(2)
    taps = mx.random.normal((1, 5, 32))
    other_past = mx.concatenate([taps[:, :4] + 1, taps[:, 4:]], axis=1)
    other_newest = mx.concatenate([taps[:, :4], 3 - taps[:, 4:]], axis=1)
    assert drafted(other_past) == drafted(taps)
    assert drafted(other_newest) != drafted(taps)
    assert drafted(taps, anchor=40) != drafted(taps)


def test_without_its_newest_token_it_drafts_nothing_and_recovers(causal: dict[str, Any]) -> None:
    y = layout("B", **causal)
    drafter = at(y)
    whole = drafts(drafter)  # all of the text is context now
    drafter.rewind(5)
    none = drafter.propose(ANCHOR, GAMMA, SAMPLER)
    assert (none.width, none.reason) == (0, "drafter")
    observe(drafter, TEXT, first=5)
    assert drafts(drafter) == whole


def test_a_rewind_that_leaves_the_newest_context_token_goes_on_drafting(causal: dict[str, Any]) -> None:
    y = layout("B", **causal)
    drafter = at(y, TEXT[:5])
    expected = drafts(drafter)
    observe(drafter, TEXT, first=5)
    drafter.rewind(5)  # tokens that were pending still: the context is as it was
    assert drafts(drafter) == expected
    observe(drafter, TEXT, first=5)
    drafter.rewind(7)  # part of what is pending stays
    assert drafts(drafter) == drafts(at(y, TEXT[:7]))


def test_rewound_to_nothing_it_is_as_new(causal: dict[str, Any]) -> None:
    y = layout("B", **causal)
    drafter = at(y)
    whole = drafts(drafter)
    drafter.rewind(0)
    assert drafter.propose(ANCHOR, GAMMA, SAMPLER).width == 0
    observe(drafter, TEXT)
    assert drafts(drafter) == whole
