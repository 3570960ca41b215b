"""Read in every dialect, a drafter reads the layers it was trained on and its first guess comes from the right row.

Both are checked by what the drafter proposes: with a tap off by one it would name another layer, with the wrong row
first it would name the mask instead of the anchor, or the anchor instead of the mask.
"""

from __future__ import annotations

from pathlib import Path

import mlx.core as mx
import pytest

from engine.drafters.backbone import Model
from engine.drafters.block import Block, BlockDrafter
from engine.drafters.borrow import borrow
from engine.drafters.formats import read_drafter
from engine.sampling import Sampler
from engine.trace.events import Settings
from tests.engine.drafters.formats.checkpoints import ANCHOR_FIRST, BLOCK, CONFIGS, MASK, TAPS, checkpoint
from tests.engine.drafters.formats.target import FIRST_MARK, marked_target

TEXT = list(range(30, 50))
ANCHOR = 9


def drafted(path: Path) -> list[int]:
    layout, weights, _ = read_drafter(path)
    model = Model(layout)
    model.load_weights(list(weights.items()))
    target = marked_target()
    drafter = BlockDrafter(Block.of(model, borrow(layout, model, target)))
    _, taps = target.forward(mx.array(TEXT), target.make_caches(), drafter.taps)
    drafter.observe(TEXT, taps)
    found: list[int] = drafter.propose(ANCHOR, BLOCK, Sampler(Settings())).tokens.tolist()  # type: ignore[assignment]
    return found


@pytest.mark.parametrize("name", CONFIGS)
@pytest.mark.parametrize("tap", range(len(TAPS)))
def test_each_tap_is_the_output_of_its_layer(name: str, tap: int, tmp_path: Path) -> None:
    found = drafted(checkpoint(tmp_path, name, read_tap=tap))
    assert set(found) == {FIRST_MARK + TAPS[tap]}


@pytest.mark.parametrize("name", CONFIGS)
def test_the_first_guess_comes_from_the_row_it_was_trained_on(name: str, tmp_path: Path) -> None:
    found = drafted(checkpoint(tmp_path, name))
    assert found == ([ANCHOR] + [MASK] * (BLOCK - 1) if name in ANCHOR_FIRST else [MASK] * (BLOCK - 1))
