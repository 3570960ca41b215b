"""What the arms of a request take together, and when that is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine.drafters.table import embedded_table, load_table
from engine.memory.estimate import LAYERS_COPIED, Held, Load, estimate
from engine.memory.need import GIB
from engine.paths import resources_dir
from engine.trace.events import Arm, Settings
from tests.engine.models.samples import CONFIG

NOTHING = Held({}, {})
EMBEDDED_LAYERS = 30


@pytest.fixture
def model(tmp_path: Path) -> str:
    (tmp_path / "model").mkdir()
    large = {**CONFIG, "hidden_size": 2048, "intermediate_size": 8192, "num_hidden_layers": 8, "head_dim": 64,
             "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 32000,
             "max_position_embeddings": 8192}  # fmt: skip
    (tmp_path / "model" / "config.json").write_text(json.dumps(large))
    return str(tmp_path / "model")


def weighed(arms: list[Arm], held: Held = NOTHING, machine: float = 64, free: float = 48) -> Load:
    load = estimate(
        arms, held, 2 * GIB, machine_bytes=int(machine * GIB), available_bytes=int(free * GIB)
    )  # fmt: skip
    assert load is not None
    return load


def size(load: Load, name: str) -> int:
    return next(part.size_bytes for part in load.fit.parts if part.name == name)


def test_weights_count_once_and_caches_for_every_arm(model: str) -> None:
    one = weighed([Arm(name="a", target=model)])
    two = weighed([Arm(name="a", target=model), Arm(name="b", target=model, drafter="lookup")])
    assert size(two, "target weights") == size(one, "target weights")
    assert size(two, "keys and values") == 2 * size(one, "keys and values")
    assert size(two, "working room") == size(one, "working room")


def test_a_precision_of_the_cache_counts(model: str) -> None:
    plain = weighed([Arm(name="a", target=model)])
    packed = weighed([Arm(name="a", target=model, settings=Settings(kv_bits=4))])
    assert size(packed, "keys and values") < size(plain, "keys and values") / 3


def test_a_language_model_drafts_with_weights_and_a_cache_of_its_own(model: str) -> None:
    load = weighed([Arm(name="a", target=model, drafter=model + "/../model")])
    assert size(load, "drafter weights") == size(load, "target weights")
    assert size(load, "drafter context") == size(load, "keys and values")


def test_an_n_gram_table_counts_once(model: str) -> None:
    arms = [Arm(name=name, target=model, drafter="table+lookup") for name in ("a", "b")]
    assert size(weighed(arms), "drafter tables") == load_table(embedded_table()).nbytes


def branching(**settings: Any) -> Arm:
    drafter = resources_dir() / "drafters" / "E"
    return Arm(name="a", drafter=f"lookup+table+{drafter}", settings=Settings(**settings))


@pytest.mark.parametrize(("kv_bits", "held"), [(4, "float32"), (8, "float32"), (0, "packed")])
def test_rows_of_a_tree_may_each_hold_layers_of_the_text(
    kv_bits: int, held: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.memory.estimate.held_as", lambda: held)
    plain = weighed([branching(kv_bits=kv_bits)])
    # Behind a longer text than 4,096 tokens drafts don't branch.
    layer_bytes = size(plain, "keys and values") / EMBEDDED_LAYERS * 4096 / plain.fit.context_tokens
    for rows in (8, 16):
        tree = branching(block=rows, tree=True, kv_bits=kv_bits)
        more = round(LAYERS_COPIED * rows * layer_bytes)
        for arms in ([tree], [branching(kv_bits=kv_bits), tree]):  # arms take turns
            assert size(weighed(arms), "working room") - size(plain, "working room") == more
        assert weighed([tree]).fit.total_bytes - plain.fit.total_bytes == more


def test_plain_caches_are_not_copied_on_a_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.memory.estimate.held_as", lambda: "float32")
    plain, tree = weighed([branching()]), weighed([branching(block=16, tree=True)])
    assert tree.fit.parts == plain.fit.parts


def test_nothing_is_said_where_nothing_is_loaded(model: str) -> None:
    arms = [Arm(name="a", target=model, drafter="lookup")]
    assert estimate(arms, Held({model: GIB}, {}), 0) is None
    # What can't be weighed says why when it is loaded.
    assert estimate([Arm(name="a", target="/nowhere/at/all")], NOTHING, 0) is None


def test_refusals_have_figures_and_a_way_out(model: str) -> None:
    arms = [Arm(name="a", target=model)]
    total = weighed(arms).fit.total_bytes / GIB
    assert not weighed(arms).problem
    small = weighed(arms, machine=total + 1, free=total)
    assert small.fit.verdict == "too large" and "Too large" in small.problem
    busy = weighed(arms, free=total - 0.5)
    assert busy.fit.verdict == "tight" and f"{total - 0.5:.1f} GB free" in busy.problem
    # Within what is free, but not with the reserve: a warning, and it is loaded.
    warned = weighed(arms, free=total + 1)
    assert warned.fit.verdict == "tight" and not warned.problem and "kept for other programs" in warned.fit.message
    for load in (small, busy):
        assert "load it anyway" in load.problem and load.problem.endswith(".") and "\n" not in load.problem


def test_what_is_let_go_of_is_as_good_as_free(model: str) -> None:
    arms = [Arm(name="a", target=model)]
    total = weighed(arms).fit.total_bytes / GIB
    other = Held({"/another": int(10 * GIB)}, {})
    load = weighed(arms, other, free=total - 5)
    assert load.freed_bytes == 10 * GIB and not load.problem
