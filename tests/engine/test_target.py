"""Model directories as they are found: what ends a turn, and what is refused in one sentence."""

from __future__ import annotations

import io
import json
import shutil
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest
from mlx.utils import tree_flatten
from mlx_lm.models import llama

from engine.models.demo import embedded_model
from engine.models.errors import ModelError
from engine.target import load_target

CONFIG: dict[str, Any] = {
    "model_type": "llama", "hidden_size": 32, "num_hidden_layers": 1, "intermediate_size": 32,
    "num_attention_heads": 2, "num_key_value_heads": 2, "rms_norm_eps": 1e-5, "vocab_size": 64,
}  # fmt: skip


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """A tiny model with the embedded model's tokenizer."""
    for name in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copy(embedded_model() / name, tmp_path)
    model = llama.Model(llama.ModelArgs.from_dict(CONFIG))
    mx.save_safetensors(str(tmp_path / "model.safetensors"), dict(tree_flatten(model.parameters())))
    write(tmp_path, "config.json", CONFIG)
    return tmp_path


def write(directory: Path, name: str, content: dict[str, Any]) -> None:
    (directory / name).write_text(json.dumps(content))


@pytest.mark.parametrize(
    ("config", "generation", "expected"),
    [({}, {}, {2}), ({"eos_token_id": 0}, {}, {0, 2}), ({"eos_token_id": 0}, {"eos_token_id": [2, 28]}, {2, 28})],
    ids=["tokenizer", "config", "generation config"],
)
def test_all_tokens_that_the_checkpoint_names_end_a_turn(
    directory: Path, config: dict[str, Any], generation: dict[str, Any], expected: set[int]
) -> None:
    write(directory, "config.json", CONFIG | config)
    write(directory, "generation_config.json", generation)
    assert load_target(str(directory)).end_ids == expected


def test_code_beside_a_tokenizer_is_never_run_whatever_is_answered(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = directory / "ran"
    (directory / "own.py").write_text(
        f"open({str(ran)!r}, 'w').close()\nfrom transformers import PreTrainedTokenizerFast as Own\n"
    )
    tokenizer = json.loads((directory / "tokenizer_config.json").read_text())
    write(
        directory,
        "tokenizer_config.json",
        tokenizer | {"tokenizer_class": "Own", "auto_map": {"AutoTokenizer": [None, "own.Own"]}},
    )
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n"))
    with pytest.raises(ModelError, match="asks to run code that comes with the checkpoint"):
        load_target(str(directory))
    assert not ran.exists()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"auto_map": {"AutoModel": "own.Model"}}, "asks to run code that comes with the checkpoint"),
        ({"num_attention_heads": 0}, "can't be loaded as an mlx-lm model"),
        ({"vocab_size": "many"}, "can't be loaded as an mlx-lm model"),
        ({"model_type": "no such"}, "can't be loaded as an mlx-lm model"),
    ],
)
def test_a_wrong_configuration_is_one_sentence(directory: Path, change: dict[str, Any], sentence: str) -> None:
    write(directory, "config.json", CONFIG | change)
    with pytest.raises(ModelError, match=sentence) as error:
        load_target(str(directory))
    assert "\n" not in str(error.value)


def test_weights_that_were_cut_off_are_one_sentence(directory: Path) -> None:
    weights = directory / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-100])
    with pytest.raises(ModelError, match="can't be loaded as an mlx-lm model") as error:
        load_target(str(directory))
    assert "\n" not in str(error.value)
