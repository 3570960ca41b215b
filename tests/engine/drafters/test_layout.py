from __future__ import annotations

from typing import Any

import msgspec
import pytest

from engine.drafters.backbone import block_mask
from engine.drafters.layout import Dflash2, Layout, LayoutError, Markov, Recurrent
from tests.engine.drafters.blocks import HEADS, layout


@pytest.mark.parametrize("head", HEADS)
def test_a_layout_survives_writing_and_reading(head: str) -> None:
    y = layout(head, draft_vocabulary=40)
    assert msgspec.json.decode(msgspec.json.encode(y), type=Layout) == y


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"gamma": 0}, "'gamma' must be positive"),
        ({"taps": ()}, "'taps'"),
        ({"taps": (1, 1)}, "'taps'"),
        ({"taps": (-1,)}, "'taps'"),
        ({"heads": 3}, "'heads'"),
        ({"mask_id": 64}, "'mask_id'"),
        ({"causal": (True,)}, "'causal' must have one entry for each of 3 layers but has 1"),
        ({"windows": (0, 1, 0)}, "'windows'"),
        ({"draft_vocabulary": 65}, "'draft_vocabulary'"),
        ({"logit_softcap": -1.0}, "'logit_softcap'"),
        ({"markov": Markov()}, "scheme B needs none of"),
        ({"scheme": "D"}, "scheme D needs dflash2 but got none"),
        ({"scheme": "C", "dflash2": Dflash2()}, "scheme C needs markov or domino but got dflash2"),
        ({"scheme": "D", "dflash2": Dflash2(conv_group=5)}, "'conv_group'"),
        ({"reader": True}, "'direct' is off"),
        (
            {"scheme": "A", "recurrent": Recurrent(), "direct": True, "reader": True, "rows": "anchor-first"},
            "'windows' must be off but got [0, 9, 0]",
        ),
    ],
)
def test_what_cannot_be_built_is_refused_by_name(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(LayoutError, match=r"^\[Layout\]") as error:
        layout("B", **changes)
    assert words in str(error.value)


def test_rows_and_windows() -> None:
    fill_in, anchor_first = layout("B", gamma=7), layout("B", gamma=7, rows="anchor-first")
    assert (fill_in.block_rows, anchor_first.block_rows) == (8, 7)
    assert (fill_in.rows_for(3), anchor_first.rows_for(3)) == (4, 3)
    assert [layout("B").visible(i) for i in range(3)] == [0, 8, 0]
    assert [layout("B", window_rule="per-anchor").visible(i) for i in range(3)] == [0, 9, 0]


@pytest.mark.parametrize("rule", ["per-query", "per-anchor"])
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("window", [0, 2, 4, 20])
@pytest.mark.parametrize("context", [0, 1, 3, 4, 30])
def test_masks_say_what_the_layout_says(rule: str, causal: bool, window: int, context: int) -> None:
    """Against the definitions, written out one pair at a time."""
    y = layout("B", windows=(window,) * 3, causal=(causal,) * 3, window_rule=rule)
    rows, anchor = 4, context
    seen = min(context, y.visible(0)) if window else context
    mask = block_mask(y, 0, rows, seen)
    for k in range(rows):
        for t in range(context):
            if not window:
                wanted = True
            elif rule == "per-query":
                wanted = anchor + k - t < window
            else:
                wanted = t >= anchor - window
            column = t - (context - seen)
            if column < 0:
                assert not wanted
            else:
                assert wanted == (bool(mask[k, column].item()) if not isinstance(mask, (str, type(None))) else True)
        for j in range(rows):
            wanted = j <= k if causal else True
            found = wanted if mask == "causal" else True if mask is None else bool(mask[k, seen + j].item())
            assert found == wanted
    if not causal:
        assert not isinstance(mask, str)
