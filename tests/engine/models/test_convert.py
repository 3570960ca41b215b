"""A full-precision model in 4 bits: mlx-lm reads it, it is whole or not there, and no code comes along."""

from __future__ import annotations

import json
from pathlib import Path

import mlx.core as mx
import pytest
from mlx.utils import tree_flatten

from engine.models import convert as converting
from engine.models.convert import convert_target
from engine.models.errors import ModelError
from engine.models.fetch import Stopped
from engine.models.files import is_whole
from engine.target import load_model
from tests.engine.models.samples import CONFIG, write_model

LARGE = {**CONFIG, "hidden_size": 128, "intermediate_size": 256, "head_dim": 64}


def test_a_model_is_quantised_as_mlx_lm_does(tmp_path: Path) -> None:
    source = write_model(tmp_path / "full", LARGE)
    (source / "modeling.py").write_text("raise SystemExit")
    seen: list[tuple[int, int]] = []
    out = convert_target(source, tmp_path / "packed", on_bytes=lambda done, total: seen.append((done, total)))
    assert is_whole(out) and not list(out.glob("*.py"))
    assert (out / "tokenizer.json").read_bytes() == (source / "tokenizer.json").read_bytes()
    config = json.loads((out / "config.json").read_text())
    assert (config["quantization"]["bits"], config["quantization"]["group_size"]) == (4, 64)
    assert seen[0][0] == 0 and seen[-1][0] == seen[-1][1] > 0
    packed, _, facts = load_model(out, "packed", hold=lambda _: "packed")
    assert facts.bits == 4
    weights = dict(tree_flatten(packed.parameters()))
    full = mx.load(str(source / "model.safetensors"))
    name = "model.layers.0.mlp.up_proj"
    expected = mx.quantize(full[f"{name}.weight"], 64, 4)  # type: ignore[index]
    assert mx.array_equal(weights[f"{name}.weight"], expected[0])
    assert list(tmp_path.iterdir()) == [source, out] or sorted(tmp_path.iterdir()) == sorted([source, out])


def test_a_stop_leaves_nothing_behind(tmp_path: Path) -> None:
    source = write_model(tmp_path / "full", LARGE)
    with pytest.raises(Stopped):
        convert_target(source, tmp_path / "packed", stopped=lambda: True)
    assert list(tmp_path.iterdir()) == [source]


def test_what_cannot_be_quantised_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = write_model(tmp_path / "full", LARGE)
    packed = convert_target(source, tmp_path / "packed")
    with pytest.raises(ModelError, match="already"):
        convert_target(source, packed)
    with pytest.raises(ModelError, match="quantised already"):
        convert_target(packed, tmp_path / "twice")
    with pytest.raises(ModelError, match="no model directory"):
        convert_target(tmp_path / "nowhere", tmp_path / "out")
    code = write_model(tmp_path / "code", {**LARGE, "auto_map": {"AutoModel": "modeling.Model"}})
    with pytest.raises(ModelError, match="never does"):
        convert_target(code, tmp_path / "out")
    cut = write_model(tmp_path / "cut", LARGE)
    weights = cut / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-10])
    with pytest.raises(ModelError, match="not fetched to its end"):
        convert_target(cut, tmp_path / "out")
    wrong = write_model(tmp_path / "wrong", {**LARGE, "model_type": "nonsense"})
    with pytest.raises(ModelError, match="nonsense"):
        convert_target(wrong, tmp_path / "out")
    monkeypatch.setattr(converting.shutil, "disk_usage", lambda _: type("usage", (), {"free": 1000}))
    with pytest.raises(ModelError, match="are free"):
        convert_target(source, tmp_path / "out")
    assert not (tmp_path / "out").exists()
