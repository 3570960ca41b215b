"""Known pairs: the shipped file is sound, a wrong one is refused by name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine.models.errors import ModelError
from engine.models.registry import known_pairs, pairs_of, same_model

PAIR = {
    "target": "A-1B",
    "drafter": "someone/A-1B-DFlash",
    "scheme": "B",
    "block": 16,
    "taps": [1, 5],
    "target_layers": 8,
}


def written(path: Path, *pairs: dict[str, Any], schema: str = "slipstream-pairs/1") -> Path:
    file = path / "pairs.json"
    file.write_text(json.dumps({"schema": schema, "pairs": list(pairs)}))
    return file


def test_the_shipped_pairs() -> None:
    pairs = known_pairs()
    first = pairs[0]
    assert (first.target, first.scheme, first.block) == ("Qwen3.8-27B", "D", 8)
    assert first.taps == (5, 19, 33, 47, 61)
    # Nothing is claimed for a pair that was not run.
    assert not any(pair.run_here for pair in pairs)
    assert {"B", "C", "D"} <= {pair.scheme for pair in pairs}


def test_pairs_of_a_target_in_any_precision() -> None:
    found = pairs_of("mlx-community/Qwen3-8B-4bit", known_pairs())
    assert found and {pair.target for pair in found} == {"Qwen3-8B"}
    assert not pairs_of("SmolLM2-135M-Instruct-4bit", known_pairs())


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"scheme": "F"}, "scheme"),
        ({"block": 1}, "block of 1"),
        ({"taps": [1, 1]}, "taps [1, 1]"),
        ({"taps": []}, "taps []"),
        ({"taps": [-1]}, "taps [-1]"),
        ({"taps": [8]}, "layer 8"),
        ({"target_bytes": 0}, "target_bytes 0"),
        ({"drafter": ""}, "name"),
        ({"speed": 3}, "speed"),
        ({"block": "16"}, "block"),
    ],
)
def test_a_wrong_pair(change: dict[str, Any], says: str, tmp_path: Path) -> None:
    known_pairs(written(tmp_path, PAIR))
    with pytest.raises(ModelError) as caught:
        known_pairs(written(tmp_path, PAIR | change))
    assert says in str(caught.value) and str(tmp_path) in str(caught.value)


def test_a_wrong_file(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="twice"):
        known_pairs(written(tmp_path, PAIR, PAIR))
    with pytest.raises(ModelError, match="schema"):
        known_pairs(written(tmp_path, PAIR, schema="slipstream-pairs/9"))
    with pytest.raises(ModelError, match="can't be read"):
        known_pairs(tmp_path / "nowhere.json")


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        ("Qwen/Qwen3-8B", "Qwen3-8B-4bit", True),
        ("Qwen/Qwen3-8B", "mlx-community/qwen3-8b-8bit", True),
        ("Qwen/Qwen3-8B", "Qwen3-8B", True),
        ("Qwen/Qwen3-8B", "Qwen3-80B-4bit", False),
        ("Qwen/Qwen3-8B", "Llama-3.1-8B", False),
        ("Qwen3-8B", "Qwen3-8B-Instruct-4bit", False),
        ("Qwen3-8B", "Qwen3-8B-MLX-4bit", True),
    ],
)
def test_names_of_one_model(a: str, b: str, same: bool) -> None:
    assert same_model(a, b) == same_model(b, a) == same
