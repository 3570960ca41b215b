"""Recurrent rows (scheme A of several layers): what is trained is what drafts, and a block leaves nothing behind."""

from __future__ import annotations

from pathlib import Path

import mlx.core as mx
import numpy as np
import pytest

from engine.drafters.block import Block
from engine.drafters.layout import Layout, LayoutError, Recurrent
from engine.drafters.recurrent import RecurrentDrafter, block_drafter
from engine.drafters.save import read_saved, save_drafter
from engine.sampling import Sampler
from engine.trace.events import Settings
from engine.train.forward import block_features
from engine.train.loop import Run
from tests.engine.train.trainees import GAMMA, trainee
from tests.tiny import tiny_target


def ready(run: Run, which: int, s: int) -> tuple[RecurrentDrafter, int]:
    """A drafter that has seen the first ``s`` tokens of a conversation, and the anchor."""
    target = tiny_target("dense")
    drafter = block_drafter(Block.of(run.current(), run.borrowed))
    assert isinstance(drafter, RecurrentDrafter)
    x = run.inputs(0)
    ids: list[int] = x.tokens[which, : s + 1].tolist()  # type: ignore[assignment]
    _, taps = target.forward(mx.array(ids[:s]), target.make_caches(), run.layout.taps)
    drafter.observe(ids[:s], taps)
    return drafter, ids[s]


def test_training_sees_what_drafting_sees(tmp_path: Path) -> None:
    run = trainee("A recurrent", tmp_path, tiny_target("dense"), random=True)
    x = run.inputs(0)
    features = block_features(run.model, run.borrowed, x)
    which, place = 1, 2
    blocks = x.blocks[0]
    s = int(blocks.anchors[which, place].item())
    drafter, anchor = ready(run, which, s)
    rows = drafter.rows(anchor, GAMMA, Sampler(Settings()))
    assert rows is not None and rows.width == GAMMA
    before, at = anchor, which * blocks.anchors.shape[1] + place
    true: list[int] = blocks.true[which, place].tolist()  # type: ignore[assignment]
    for k in range(GAMMA):
        said = run.model.logits(features.hidden[at, k], run.borrowed.head)
        ids, log_q = rows.at(k, before)
        expected = said - mx.logsumexp(said)
        mine = {int(run.borrowed.to_target(mx.array([i])).item()): expected[i].item() for i in range(said.shape[0])}
        assert [mine[i] for i in ids] == pytest.approx(list(log_q), abs=5e-3)
        before = true[k]
    rows.done()


def test_a_block_leaves_nothing_behind_and_is_a_longer_ones_beginning(tmp_path: Path) -> None:
    run = trainee("A recurrent", tmp_path, tiny_target("dense"), random=True)
    drafter, anchor = ready(run, 0, 9)
    sampler = Sampler(Settings())
    whole = drafter.propose(anchor, GAMMA, sampler)
    assert whole.forwards == GAMMA and len(set(whole.tokens.tolist())) > 1
    assert drafter.caches[0].end == drafter.caches[1].end == 9
    assert drafter.propose(anchor, 2, sampler).tokens.tolist() == whole.tokens.tolist()[:2]
    assert drafter.propose(anchor, GAMMA, sampler).tokens.tolist() == whole.tokens.tolist()
    assert not len(drafter.propose(anchor, 0, sampler).tokens)


def test_draws_say_what_they_are_drawn_from(tmp_path: Path) -> None:
    run = trainee("A recurrent", tmp_path, tiny_target("dense"), random=True)
    drafter, anchor = ready(run, 0, 9)
    draft = drafter.propose(anchor, GAMMA, Sampler(Settings(temperature=1.0, seed=3)))
    assert draft.q is not None and draft.q.shape[0] == GAMMA
    assert np.allclose(np.array(draft.q.sum(axis=-1)), 1, atol=1e-4)


def test_it_is_saved_and_read_again(tmp_path: Path) -> None:
    run = trainee("A recurrent", tmp_path, tiny_target("dense"), random=True)
    save_drafter(tmp_path / "saved", run.layout, run.unscaled())
    layout, weights, _ = read_saved(tmp_path / "saved")
    assert layout == run.layout and "feedback.weight" in weights
    assert weights["direct_proj.weight"].shape == (layout.hidden_size, 2 * layout.hidden_size)


def test_recurrent_rows_need_a_reader() -> None:
    fields = {
        "gamma": 3, "rows": "anchor-first", "taps": (0,), "hidden_size": 8, "layers": 1, "heads": 1, "kv_heads": 1,
        "head_dim": 8, "intermediate_size": 8, "vocabulary": 64,
    }  # fmt: skip
    with pytest.raises(LayoutError, match="need 'reader'"):
        Layout(scheme="A", recurrent=Recurrent(), **fields)  # type: ignore[arg-type]
