"""How runs begin: with the target's own layers, with another drafter's whole shape, with neither."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import mlx.core as mx
import numpy as np
import pytest
from mlx.utils import tree_flatten

from engine.drafters.checkpoint import read_checkpoint
from engine.target import Target
from engine.train import drafter as module
from engine.train.conversations import Written, pack
from engine.train.dataset import Dataset
from engine.train.drafter import Wish, prepare, ready_taps, train_drafter
from engine.train.failures import TrainError
from engine.train.layouts import layout_for
from engine.train.recipe import TrainRecipe
from tests.engine.train.test_drafter import SMALL, Told, dataset
from tests.tiny import VOCABULARY, tiny_target

DEPTH = 6
OLD = {"mask_id": 63, "layers": 3, "reader": False, "qk_norm": True, "intermediate_size": 40}
NEW = {"mask_id": 63, "layers": 2, "intermediate_size": 48}


@pytest.fixture(scope="module")
def target() -> Target:
    return tiny_target("dense", seed=2, layers=DEPTH)


def wish(out: Path, scheme: str = "B", changes: dict[str, Any] = NEW, **recipe: Any) -> Wish:
    fields = {"steps": 1, "conversations": 2, "anchors": 3, "firsts": 2, **recipe}
    return Wish(out, TrainRecipe(scheme=scheme, **fields), **{**SMALL, "changes": changes})


def trained(w: Wish, target: Target) -> tuple[Any, dict[str, mx.array]]:
    """Layout and weights of the best drafter of a whole run, in full precision."""
    assert train_drafter(w, target, dataset(), Told()) is not None
    found = read_checkpoint(w.work / "run" / "best")
    return found.layout, dict(found.weights)


def same(ours: dict[str, mx.array], theirs: dict[str, mx.array], names: Any = None) -> None:
    for name in names or theirs:
        a, b = (np.array(w[name]).astype(np.float64) for w in (ours, theirs))
        assert np.allclose(a, b, rtol=2e-3, atol=1e-6 + 1e-3 * np.abs(b).max()), name


@pytest.mark.parametrize("scheme", ["B", "E"])
def test_a_drafter_of_the_old_shape_is_gone_on_with_in_its_shape(scheme: str, target: Target, tmp_path: Path) -> None:
    old, weights = trained(wish(tmp_path / "old", changes=OLD), target)
    assert (old.reader, old.layers, old.qk_norm) == (False, 3, True)
    start = str(tmp_path / "old.training" / "run" / "best")
    more = wish(tmp_path / "more", scheme, {"mask_id": 63}, learning_rate=0.0, start=start)
    layout, ours = trained(more, target)
    for name in ("layers", "intermediate_size", "qk_norm", "attention_bias", "rope", "direct", "reader", "causal"):
        assert getattr(layout, name) == getattr(old, name), name
    same(ours, weights)


@pytest.mark.parametrize("scheme", ["B", "C", "D", "E"])
def test_a_drafter_with_a_reader_is_gone_on_with(scheme: str, target: Target, tmp_path: Path) -> None:
    """Exported, what reads taps reads them as they are; begun with, scaled again: nothing is lost but 16 bits."""
    new, weights = trained(wish(tmp_path / "new"), target)
    assert new.reader and "reader.weight" in weights
    start = str(tmp_path / "new.training" / "run" / "best")
    layout, ours = trained(wish(tmp_path / "more", scheme, {"mask_id": 63}, learning_rate=0.0, start=start), target)
    assert (layout.reader, layout.layers, layout.intermediate_size) == (True, 2, 48)
    same(ours, weights)


def test_other_layers_than_those_of_the_start_are_refused(target: Target, tmp_path: Path) -> None:
    trained(wish(tmp_path / "new"), target)
    start = str(tmp_path / "new.training" / "run" / "best")
    more = wish(tmp_path / "more", "E", {"mask_id": 63}, start=start)
    with pytest.raises(TrainError, match=r"has 2 layers, .* leave out --layers 3"):
        train_drafter(replace(more, layers=3), target, dataset(), Told())
    assert train_drafter(replace(more, layers=2), target, dataset(), Told()) is not None


# --- what the target's layers are given to ---


def run_of(w: Wish, target: Target, data: Dataset, taps_gb: float = 8.0) -> Any:
    layout = layout_for(target, w.recipe.scheme, w.gamma, w.draft_vocabulary, **{"layers": w.layers, **w.changes})
    taps = ready_taps(replace(w, taps_gb=taps_gb), data, layout, target, Told())
    assert taps is not None
    return prepare(w, w.recipe, layout, target, data, taps[0])


def weights_of(run: Any) -> dict[str, mx.array]:
    return dict(tree_flatten(run.model.parameters()))


@pytest.mark.parametrize("scheme", ["B", "C", "D", "E"])
def test_every_scheme_begins_with_the_targets_layers(scheme: str, target: Target, tmp_path: Path) -> None:
    run = run_of(wish(tmp_path / "a", scheme), target, dataset())
    theirs = target.model.layers[DEPTH - 1].self_attn.o_proj.weight
    assert mx.array_equal(run.model.layers[-1].self_attn.o_proj.weight, theirs)
    assert np.isfinite(run.advance()[0])


@pytest.mark.parametrize("scheme", ["B", "E"])
def test_without_a_head_start_it_begins_at_random_and_learns(scheme: str, target: Target, tmp_path: Path) -> None:
    run = run_of(wish(tmp_path / "a", scheme, regression=False, soft=0.0), target, dataset())
    theirs = target.model.layers[DEPTH - 1].self_attn.o_proj.weight
    assert run.layout.reader and not mx.array_equal(run.model.layers[-1].self_attn.o_proj.weight, theirs)
    assert np.isfinite(run.advance()[0])


def test_hard_labels_take_nothing_from_the_head_start(target: Target, tmp_path: Path) -> None:
    hard, soft = (run_of(wish(tmp_path / str(s), soft=s), target, dataset()) for s in (0.0, 0.5))
    ours, theirs = weights_of(hard), weights_of(soft)
    assert all(mx.array_equal(ours[name], theirs[name]) for name in theirs)


def test_taps_that_are_computed_anew_begin_alike(target: Target, tmp_path: Path) -> None:
    kept, anew = (run_of(wish(tmp_path / str(gb)), target, dataset(), gb) for gb in (8.0, 0.0))
    ours, theirs = weights_of(anew), weights_of(kept)
    same(ours, theirs, ["fc.weight", "norm.weight", "layers.1.self_attn.q_proj.weight"])


def test_answers_that_no_block_fits_into_are_learned_from_all_the_same(target: Target, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    short = [
        Written(rng.integers(2, 40, 5).tolist(), rng.integers(2, 40, 3).tolist(), (0, 5), i, False, "")
        for i in range(8)
    ]  # fmt: skip
    data = Dataset(pack(short, VOCABULARY), dataset().held, {})
    for scheme, changes in (("B", NEW), ("B", OLD), ("C", NEW)):
        run = run_of(wish(tmp_path / f"{scheme}{len(changes)}", scheme, changes), target, data)
        assert np.isfinite(run.advance()[0])


def test_a_run_that_goes_on_makes_no_head_start_again(
    target: Target, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = wish(tmp_path / "whole", steps=6)
    half = wish(tmp_path / "half", steps=6)
    assert train_drafter(whole, target, dataset(), Told()) is not None
    monkeypatch.setattr("engine.train.loop.NOTE_STEPS", 1)
    train_drafter(half, target, dataset(), Told(stop_after=2))
    calls: list[int] = []
    monkeypatch.setattr(module, "begin", lambda _: calls.append(1))
    assert train_drafter(half, target, dataset(), Told()) is not None
    assert not calls
    ours, theirs = (mx.load(str(w.out / "model.safetensors")) for w in (half, whole))
    assert all(mx.array_equal(ours[name], theirs[name]) for name in theirs)
    assert json.loads((half.out / "config.json").read_text())["layout"]["reader"]
