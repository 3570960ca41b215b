"""Taps on disk are those of a forward; whose they are is known."""

from __future__ import annotations

from pathlib import Path

import mlx.core as mx
import numpy as np
import pytest

from engine.train import taps as module
from engine.train.conversations import DataError, conversation, count
from engine.train.taps import RecomputedTaps, fill_taps, open_taps, read_taps, run_taps
from tests.engine.train.trainees import conversations
from tests.tiny import tiny_target

LAYERS = (0, 1)


def test_kept_or_computed_anew_they_are_the_same(tmp_path: Path) -> None:
    target, c = tiny_target("dense"), conversations()
    cache = open_taps(tmp_path, "train", c, LAYERS, 32, "tiny")
    assert not cache.ready().any()
    stops = iter([False, True])
    assert not fill_taps(cache, target, c, rows=2, cancelled=lambda: next(stops))
    assert cache.ready().sum() == 2
    again = open_taps(tmp_path, "train", c, LAYERS, 32, "tiny")
    done: list[tuple[int, int]] = []
    assert fill_taps(again, target, c, rows=2, on_progress=lambda a, b, _: done.append((a, b)))
    assert again.ready().all()
    assert done[-1][0] == done[-1][1] < int(c.offsets[-1])
    anew = RecomputedTaps(LAYERS, target, c)
    for kept, computed in zip(again.of(range(count(c))), anew.of(range(count(c))), strict=True):
        assert np.allclose(kept, computed, atol=0.02)


def test_they_are_the_outputs_of_the_targets_layers() -> None:
    target, c = tiny_target("dense"), conversations()
    text = conversation(c, 0)
    found = target.forward(mx.array(text.astype(np.int32)), target.make_caches(), LAYERS)[1]
    for i, layer in enumerate(LAYERS):
        ours = run_taps(target, [text, conversation(c, 1)], LAYERS)[0][:, i]
        assert np.allclose(ours, np.array(found[layer])[0], atol=0.02)


def test_what_16_bits_cannot_hold_is_cut() -> None:
    target = tiny_target("dense")
    layer = target.model.layers[0].mlp.down_proj
    layer.weight = layer.weight * 1e6
    found = run_taps(target, [conversation(conversations(), 0)], LAYERS)[0]
    assert np.isfinite(found).all()
    assert np.abs(found).max() == 65504


def test_another_targets_taps_are_not_taken(tmp_path: Path) -> None:
    c = conversations()
    open_taps(tmp_path, "train", c, LAYERS, 32, "tiny").done[:] = 1
    assert open_taps(tmp_path, "train", c, LAYERS, 32, "tiny").ready().all()
    with pytest.raises(DataError, match="another text or target"):
        open_taps(tmp_path, "train", c, LAYERS, 32, "other")
    with pytest.raises(DataError, match="another text or target"):
        open_taps(tmp_path, "train", conversations(seed=4), LAYERS, 32, "tiny")
    assert not open_taps(tmp_path, "train", c, LAYERS, 32, "other", anew=True).ready().any()


def test_a_full_disk_is_said_before_anything_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SPARE_BYTES", 1 << 60)
    with pytest.raises(DataError, match="make room"):
        open_taps(tmp_path, "train", conversations(), LAYERS, 32, "tiny")
    assert not list(tmp_path.glob("*.f16"))


def test_reading_them_changes_nothing_and_takes_only_whole_ones(tmp_path: Path) -> None:
    target, c = tiny_target("dense"), conversations()
    with pytest.raises(DataError, match="holds no taps of the train part"):
        read_taps(tmp_path, "train", c, 32, "tiny")
    cache = open_taps(tmp_path, "train", c, LAYERS, 32, "tiny")
    with pytest.raises(DataError, match="is not whole"):
        read_taps(tmp_path, "train", c, 32, "tiny")
    fill_taps(cache, target, c)
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    with pytest.raises(DataError, match="another text or target"):
        read_taps(tmp_path, "train", conversations(9), 32, "tiny")
    with pytest.raises(DataError, match="another text or target"):
        read_taps(tmp_path, "train", c, 32, "other")
    with pytest.raises(DataError, match="is not whole"):
        read_taps(tmp_path, "train", c, 64, "tiny")
    found = read_taps(tmp_path, "train", c, 32, "tiny")
    assert found.layers == LAYERS and found.ready().all()
    assert all(map(np.array_equal, found.of(range(count(c))), cache.of(range(count(c)))))
    assert before == {file.name: file.read_bytes() for file in tmp_path.iterdir()}
