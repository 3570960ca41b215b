"""What a load takes, counted from configurations, against what it then takes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.cache import nbytes
from engine.drafters.load import load_tapped
from engine.memory.count import (
    FOUR_BITS,
    Need,
    cache_bytes,
    count_drafter_at,
    count_target,
    drafter_context_bytes,
)  # fmt: skip
from engine.memory.need import GIB, config_need, judge, pair_need
from engine.memory.shapes import architecture_problem, parameter_bytes, skeleton
from engine.models import files
from engine.models.errors import ModelError
from engine.models.registry import known_config, known_pairs
from engine.paths import resources_dir
from engine.target import Target, load_target, weights_bytes
from tests import embedded
from tests.engine.models.samples import CONFIG
from tests.tiny import tiny_target


def parts(fit: Any) -> dict[str, int]:
    return {part.name: part.size_bytes for part in fit.parts}


@pytest.mark.parametrize("kind", ["dense", "gated-delta", "mamba", "short-convolution"])
def test_caches_are_counted_as_a_run_fills_them(kind: str) -> None:
    target = tiny_target(kind, layers=4)
    caches = target.make_caches()
    target.forward(mx.arange(300) % 60, caches)
    counted = sum(cache_bytes(target, 300).values())
    assert counted == nbytes(caches)
    # However the text comes in, it is no further off than the step by which a cache grows.
    caches = target.make_caches()
    for start in range(0, 300, 100):
        target.forward(mx.arange(start, start + 100) % 60, caches)
    step = counted - sum(cache_bytes(target, 256).values())
    assert abs(counted - nbytes(caches)) <= step


def test_a_window_is_counted_with_the_chunk_that_is_taken_in() -> None:
    target = tiny_target("sliding", layers=4)
    caches = target.make_caches()
    target.forward(mx.arange(300) % 60, caches)
    found = cache_bytes(target, 300)
    full = sum(nbytes([c]) for c in caches if type(c).__name__ == "KVCache")
    window = nbytes(caches) - full
    assert found["keys and values"] == full
    assert window <= found["window keys and values"] <= 1.1 * window
    # However long the text, a window stays a window.
    assert cache_bytes(target, 100_000)["window keys and values"] == cache_bytes(target, 2000)["window keys and values"]


def test_quantised_keys_and_values() -> None:
    target = tiny_target("wide")
    caches = target.make_caches(8)
    target.forward(mx.arange(300) % 60, caches)
    assert cache_bytes(target, 300, 8)["keys and values"] == nbytes(caches)
    assert cache_bytes(target, 300, 8)["keys and values"] < cache_bytes(target, 300)["keys and values"] / 2


def test_weights_are_counted_as_they_are_stored_and_as_they_are_held() -> None:
    directory = embedded.directory()
    model = skeleton(files.read_fields(directory))
    header = files.read_header(directory / "model.safetensors")
    assert parameter_bytes(model) == sum(facts.nbytes for facts in header.values())
    assert parameter_bytes(model, "float32") == weights_bytes(embedded.expanded_model())


def test_nothing_of_a_models_size_is_made_and_no_draw_shifts() -> None:
    mx.random.seed(5)
    before = mx.random.normal((3,)).tolist()
    mx.random.seed(5)
    active = mx.get_active_memory()
    model = skeleton(known_config("Qwen3.8-27B") | {"_source": None, "_assumed": None}, FOUR_BITS)
    mx.eval(model.parameters())
    assert mx.get_active_memory() - active < 50e6
    assert mx.random.normal((3,)).tolist() == before


def test_the_first_pair_from_its_configurations_beside_its_published_sizes() -> None:
    pair = known_pairs()[0]
    fit = pair_need(pair, context_tokens=8192, held="packed")
    found = parts(fit)
    assert fit.source == "configuration" and fit.assumed
    # Published: about 16 GiB with what isn't loaded here (the vision tower), and 1 GiB.
    assert 0.85 < found["target weights"] / (pair.target_bytes or 0) < 1.0
    assert 1.0 < found["drafter weights"] / (pair.drafter_packed_bytes or 0) < 1.3
    # 16 of 64 layers keep keys and values, 4 heads of 256, 2 bytes.
    assert found["keys and values"] == 16 * 2 * 4 * 256 * 2 * 8192
    longer = parts(pair_need(pair, context_tokens=32768, held="packed"))
    assert longer["keys and values"] == 4 * found["keys and values"]
    assert longer["recurrent state"] == found["recurrent state"]
    # Windows of 2048 tokens do not grow with the text.
    assert longer["drafter context"] == found["drafter context"]


def test_the_drafter_in_full_precision_is_as_large_as_published() -> None:
    from engine.drafters.formats import layout_of_config
    from engine.drafters.formats.tensors import build
    from engine.memory.need import without_notes

    model = build(layout_of_config(without_notes(known_config("Qwen3.8-27B-DFlash2")), "config.json", 64))
    model.set_dtype(mx.bfloat16)
    published = known_pairs()[0].drafter_bytes
    assert published is not None
    assert abs(weights_bytes(model) / published - 1) < 0.01


@pytest.mark.parametrize("scheme", ["A", "E"])
def test_a_shipped_drafter_is_counted_as_it_is_held(scheme: str) -> None:
    """The rows of the target's head that are gathered for a reduced vocabulary among it."""
    path, target = resources_dir() / "drafters" / scheme, load_target(str(embedded.directory()))
    held = load_tapped(str(path), target)
    assert held is not None
    need = Need()
    counted = count_target(Need(), files.read_fields(embedded.directory()), 256)
    assert counted.layers == len(target.model.layers)
    count_drafter_at(need, path, 256, counted.layers, head_row=counted.head_row)
    assert need.parts["drafter weights"] == held.facts.weights_bytes


def test_layers_are_those_of_the_model_whatever_its_configuration_calls_them() -> None:
    gpt2 = {"model_type": "gpt2", "n_ctx": 64, "n_embd": 32, "n_head": 2, "n_layer": 5, "n_positions": 64,
            "layer_norm_epsilon": 1e-5, "vocab_size": 50}  # fmt: skip
    assert count_target(Need(), gpt2, 64).layers == 5


def test_a_target_without_a_head_to_share_has_no_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere(target: Target) -> None:
        raise ModelError(f"{target.facts.name} has no token embedding.")

    monkeypatch.setattr("engine.memory.count.find", nowhere)
    target, drafter = known_config("Qwen3.8-27B"), known_config("Qwen3.8-27B-DFlash2")
    assert config_need(target, held="packed").total_bytes
    with pytest.raises(ModelError, match="The target has no token embedding"):
        config_need(target, drafter, held="packed")


def test_a_drafters_context_follows_its_windows() -> None:
    from tests.engine.drafters.blocks import layout

    full = layout("B")
    short, long = (drafter_context_bytes(full, n, mx.float16) for n in (256, 4096))
    assert long > 6 * short


def test_pairs_without_a_configuration_are_weighed_by_what_is_published_or_not_at_all() -> None:
    verdicts = {(p.target, p.drafter): pair_need(p) for p in known_pairs()}
    assert verdicts["Muse-Glimmer-30B", "Muse-Glimmer-30B-DFlash2"].verdict == "unknown"
    assert verdicts["Qwen3-8B", "z-lab/Qwen3-8B-DFlash-b16"].source == "configuration"


def test_a_recurrent_state_is_held_twice_while_a_block_is_verified() -> None:
    config = known_config("Qwen3.8-27B")
    alone = parts(config_need(config, bits=4, held="packed"))
    drafter = known_config("Qwen3.8-27B-DFlash2")
    with_drafter = parts(config_need(config, drafter, bits=4, held="packed"))
    assert with_drafter["recurrent state"] == 2 * alone["recurrent state"]


def test_a_wrong_configuration_is_one_sentence() -> None:
    with pytest.raises(ModelError, match="configuration"):
        config_need({**CONFIG, "num_attention_heads": 0})
    with pytest.raises(ModelError, match="'nonsense'"):
        config_need({"model_type": "nonsense"})
    assert "nonsense" in architecture_problem(Path("x"), {"model_type": "nonsense"})
    assert "model_type" in architecture_problem(Path("x"), {})
    assert not architecture_problem(Path("x"), CONFIG)


SIZES = st.integers(0, 200 * GIB)


@given(total=SIZES, machine=SIZES, available=SIZES, reserve=st.integers(0, 8 * GIB), held=SIZES)
def test_the_judgement(total: int, machine: int, available: int, reserve: int, held: int) -> None:
    need = Need({"target weights": total} if total else {})
    held = min(held, total)
    fit = judge(
        need, 100, reserve, machine_bytes=machine, available_bytes=min(available, machine), held_bytes=held
    )  # fmt: skip
    if not total:
        assert fit.verdict == "unknown"
    elif fit.verdict == "fits":
        assert total + reserve <= machine and total - held + reserve <= min(available, machine)
    elif fit.verdict == "too large":
        assert total + reserve > machine
    assert fit.message.count("\n") == 0 and fit.message.endswith(".")
    more = judge(Need({"target weights": total + GIB}), 100, reserve, machine_bytes=machine,
                 available_bytes=min(available, machine), held_bytes=held)  # fmt: skip
    order = ["unknown", "fits", "tight", "too large"]
    assert order.index(more.verdict) >= order.index(fit.verdict)


def test_the_records_cross_as_json() -> None:
    from engine.process import shelf

    fit = config_need(CONFIG, context_tokens=100)
    assert shelf.decode_fit(shelf.encode(fit)) == fit
    assert json.loads(shelf.encode(fit))["parts"][0]["name"] == "target weights"
