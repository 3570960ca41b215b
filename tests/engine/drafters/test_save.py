"""Drafters on disk: written, read, packed to 4 bits, named by arms, and shared between them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import mlx.core as mx
import msgspec
import pytest
from mlx.utils import tree_flatten

from engine.drafters import eagle
from engine.drafters.backbone import Model
from engine.drafters.block import Block, BlockDrafter
from engine.drafters.checkpoint import is_block_drafter, load_block_drafter, read_checkpoint
from engine.drafters.formats.tensors import build
from engine.drafters.layout import Layout
from engine.drafters.quantize import quantize_drafter
from engine.drafters.save import is_saved, save_drafter
from engine.models.errors import ModelError
from engine.session import Models, Session
from engine.target import Target
from engine.trace.events import Arm, Settings
from tests.engine.drafters.blocks import HEADS, layout, randomise
from tests.engine.helpers import ids, rounds, run
from tests.tiny import tiny_target

TARGET = tiny_target("dense", seed=5)
PROMPT = "the quick brown fox"


@pytest.fixture(autouse=True)
def _no_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TARGET.tokenizer, "eos_token_ids", (), raising=False)


def saved(path: Path, y: Layout, seed: int = 1) -> dict[str, mx.array]:
    model = build(y)
    randomise(model, seed)
    weights = dict(tree_flatten(model.parameters()))
    save_drafter(path, y, weights, about={"made": "by a test"})
    return weights


@pytest.mark.parametrize("head", HEADS)
def test_what_was_written_is_read(head: str, tmp_path: Path) -> None:
    y = layout(head, draft_vocabulary=20)
    weights = saved(tmp_path / "drafter", y)
    assert is_saved(tmp_path / "drafter") and is_block_drafter(tmp_path / "drafter")
    found = read_checkpoint(tmp_path / "drafter")
    assert found.layout == y and found.about == {"made": "by a test"}
    assert set(found.weights) == set(weights)
    assert all(mx.array_equal(found.weights[name], weights[name]).item() for name in weights)
    loaded = load_block_drafter(tmp_path / "drafter", TARGET)
    assert loaded.facts.name == "drafter" and loaded.facts.vocabulary == 20
    assert loaded.facts.weights_bytes == sum(w.nbytes for w in weights.values()) + 20 * 32 * 4
    drafter = loaded.drafter()
    assert drafter.name == {"A": "eagle-3", "A recurrent": "eagle", "C domino": "domino"}.get(head, drafter.name)
    assert drafter.taps == y.taps


def spoil(path: Path, **changes: Any) -> None:
    config = json.loads((path / "config.json").read_text())
    config.update(changes)
    (path / "config.json").write_text(json.dumps(config))


@pytest.mark.parametrize(
    ("spoiled", "words"),
    [
        ({"slipstream_drafter": 2}, "format 2, but this program reads format 1"),
        ({"layout": {"scheme": "B"}}, "describes no drafter"),
        ({"layout": {**msgspec.to_builtins(layout("B")), "gamma": 0}}, "'gamma' must be positive"),
        ({"layout": {**msgspec.to_builtins(layout("B")), "layers": 4, "windows": [], "causal": []}}, "layers.3"),
        ({"layout": msgspec.to_builtins(layout("B", intermediate_size=64))}, "of shape"),
    ],
)
def test_a_spoiled_config_is_refused_in_one_sentence(spoiled: dict[str, Any], words: str, tmp_path: Path) -> None:
    saved(tmp_path / "drafter", layout("B"))
    spoil(tmp_path / "drafter", **spoiled)
    with pytest.raises(ModelError) as error:
        load_block_drafter(tmp_path / "drafter", TARGET)
    assert words in str(error.value) and "\n" not in str(error.value)


def test_a_drafter_replaces_an_older_one_whole(tmp_path: Path) -> None:
    saved(tmp_path / "drafter", layout("B"))
    (tmp_path / "drafter" / "left over").touch()
    new = saved(tmp_path / "drafter", layout("D"), seed=2)
    assert read_checkpoint(tmp_path / "drafter").layout.scheme == "D"
    assert sorted(p.name for p in (tmp_path / "drafter").iterdir()) == ["config.json", "model.safetensors"]
    assert [p.name for p in tmp_path.iterdir()] == ["drafter"]
    assert mx.array_equal(read_checkpoint(tmp_path / "drafter").weights["fc.weight"], new["fc.weight"]).item()


# --- 4 bits ---

KEPT = ("norm", "codebook", "markov", "base_kernel", "cascade", "confidence",
        "prefix_gru", "embed_proj", "feedback")  # fmt: skip


@pytest.mark.parametrize("head", HEADS)
def test_large_matrices_are_packed_and_the_rest_is_kept(head: str, tmp_path: Path) -> None:
    y = layout(head, intermediate_size=96)
    weights = saved(tmp_path / "plain", y)
    path = quantize_drafter(tmp_path / "plain", tmp_path / "packed")
    found = read_checkpoint(path)
    precisions = found.about["precisions"]
    assert set(precisions) == set(weights)
    for name, precision in precisions.items():
        packed = f"{name.removesuffix('.weight')}.scales" in found.weights
        # Rows of 64 inputs take groups of 64, rows of 32 and 96 groups of 32.
        group = 64 if weights[name].shape[-1] % 64 == 0 else 32
        assert precision == (f"4 bits, groups of {group}" if packed else "float32")
        assert packed != any(part in name for part in KEPT)
        assert packed or mx.array_equal(found.weights[name], weights[name]).item()
    assert found.quantization["bits"] == 4 and found.quantization["group_size"] == 64
    assert found.about["made"] == "by a test"


@pytest.mark.parametrize("bits", [4, 5, 6, 8])
def test_a_packed_drafter_is_expanded_on_a_cpu_to_the_quantised_values(bits: int, tmp_path: Path) -> None:
    weights = saved(tmp_path / "plain", layout("B"))
    path = quantize_drafter(tmp_path / "plain", tmp_path / "packed", bits=bits)
    loaded = load_block_drafter(path, TARGET)
    assert (loaded.facts.bits, loaded.facts.group_size) == (bits, 64)
    assert isinstance(loaded.shared, Block)
    if loaded.facts.held_as != "float32":
        pytest.skip("weights stay packed on this backend")
    for name, size in (("layers.1.self_attn.q_proj.weight", 32), ("fc.weight", 64)):
        packed = mx.quantize(weights[name], size, bits)
        expected = mx.dequantize(*packed, size, bits)
        found = dict(tree_flatten(loaded.shared.model.parameters()))[name]
        assert mx.allclose(found, expected, atol=1e-6).item() and not mx.array_equal(found, weights[name]).item()


def test_packing_is_done_once(tmp_path: Path) -> None:
    saved(tmp_path / "plain", layout("B"))
    path = quantize_drafter(tmp_path / "plain", tmp_path / "packed")
    before = (path / "model.safetensors").stat().st_mtime_ns
    assert quantize_drafter(tmp_path / "plain", tmp_path / "packed") == path
    assert (path / "model.safetensors").stat().st_mtime_ns == before
    quantize_drafter(tmp_path / "plain", tmp_path / "packed", bits=8)
    assert read_checkpoint(path).quantization["bits"] == 8
    new = saved(tmp_path / "plain", layout("B"), seed=2)
    assert quantize_drafter(tmp_path / "plain", tmp_path / "packed", bits=8) == path
    # Trained again, it is packed again.
    assert mx.array_equal(read_checkpoint(path).weights["norm.weight"], new["norm.weight"]).item()
    (tmp_path / "other").mkdir()
    with pytest.raises(ModelError, match="no drafter of ours"):
        quantize_drafter(tmp_path / "plain", tmp_path / "other")
    with pytest.raises(ModelError, match="quantised already"):
        quantize_drafter(path, tmp_path / "twice")


# --- in a session ---


def test_arms_name_a_drafter_by_its_directory_and_share_it(tmp_path: Path) -> None:
    saved(tmp_path / "drafter", layout("E"))
    saved(tmp_path / "head", layout("A"))

    def load(name: str) -> Target:
        assert name == "tiny", "a drafter is no language model"
        return TARGET

    session = Session(Models(load=load))
    settings = Settings(max_tokens=20, block=5)
    arms = [
        Arm(name="baseline", target="tiny", settings=settings),
        Arm(name="one", target="tiny", drafter=str(tmp_path / "drafter"), settings=settings),
        Arm(name="two", target="tiny", drafter=f"lookup+{tmp_path / 'drafter'}", settings=settings),
        Arm(name="eagle", target="tiny", drafter=str(tmp_path / "head"), settings=settings),
    ]
    told: list[str] = []
    opened = session.open(arms, told.append)
    assert sorted(told) == sorted(["tiny", str(tmp_path / "drafter"), str(tmp_path / "head")])
    texts = [ids(run(state, PROMPT)) for state in opened]
    assert all(text == texts[0] for text in texts)
    found = {type(state.drafter).__name__: state for state in opened}
    assert {"BlockDrafter", "FirstOf", "EagleDrafter", "NoneType"} == set(found)
    assert opened[1].drafter_facts is not None and opened[1].drafter_facts.architecture == "cascade"
    one, two = opened[1].drafter, opened[2].drafter
    assert isinstance(one, BlockDrafter)
    assert one.block is two.drafters[1].block and one.caches is not two.drafters[1].caches  # type: ignore[union-attr]
    assert isinstance(found["EagleDrafter"].drafter, eagle.EagleDrafter)
    assert {r.source for r in rounds(run(opened[1], PROMPT))} == {"", "cascade"}

    session.open(arms[:1])
    assert session.models.tapped == {} and set(session.models.targets) == {"tiny"}
    assert is_block_drafter(tmp_path) is False


def test_a_drafter_of_another_target_is_refused_and_the_arms_stay(tmp_path: Path) -> None:
    saved(tmp_path / "drafter", layout("B", taps=(0, 5)))
    session = Session(Models(load=lambda name: TARGET))
    arm = Arm(name="arm", target="tiny")
    session.open([arm])
    with pytest.raises(ModelError, match="reads layer 5"):
        session.open([Arm(name="arm", target="tiny", drafter=str(tmp_path / "drafter"))])
    assert session.arms["arm"].spec == arm


def test_a_model_in_half_precision_drafts_in_its_target_s(tmp_path: Path) -> None:
    model = Model(layout("E"))
    randomise(model, 1)
    model.set_dtype(mx.bfloat16)
    save_drafter(tmp_path / "half", layout("E"), dict(tree_flatten(model.parameters())))
    loaded = load_block_drafter(tmp_path / "half", TARGET)
    assert isinstance(loaded.shared, Block)
    assert {a.dtype for _, a in tree_flatten(loaded.shared.model.parameters())} == {mx.float32}
