"""Small repositories, whole as far as any header tells."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import mlx.core as mx
from mlx.utils import tree_flatten

CONFIG = {
    "model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
    "intermediate_size": 128, "num_attention_heads": 2, "num_key_value_heads": 1, "head_dim": 32, "vocab_size": 64,
    "rms_norm_eps": 1e-5, "max_position_embeddings": 512, "tie_word_embeddings": True, "torch_dtype": "float16",
}  # fmt: skip


def safetensors(tensors: dict[str, bytes]) -> bytes:
    """Bytes as uint8 tensors."""
    header: dict[str, object] = {}
    at = 0
    for name, content in tensors.items():
        header[name] = {"dtype": "U8", "shape": [len(content)], "data_offsets": [at, at + len(content)]}
        at += len(content)
    head = json.dumps(header).encode()
    return len(head).to_bytes(8, "little") + head + b"".join(tensors.values())


def repository(seed: int = 0, shards: int = 3, shard_bytes: int = 4000) -> dict[str, bytes]:
    """Configuration, tokenizer, an index and shards of random bytes."""
    draw = random.Random(seed)
    names = [f"model-{i + 1:05d}-of-{shards:05d}.safetensors" for i in range(shards)]
    files = {name: safetensors({f"layer.{i}": draw.randbytes(shard_bytes + 100 * i)}) for i, name in enumerate(names)}
    index = {"weight_map": {f"layer.{i}": name for i, name in enumerate(names)}}
    return {
        "config.json": json.dumps(CONFIG).encode(),
        "tokenizer.json": json.dumps({"model": {"vocab": {chr(33 + i): i for i in range(64)}}}).encode(),
        "tokenizer_config.json": b"{}",
        "README.md": b"---\nlicense: apache-2.0\n---\n",
        "model.safetensors.index.json": json.dumps(index).encode(),
        **files,
        "modeling.py": b"raise SystemExit('code of a checkpoint ran')",
        "original/model.safetensors": b"another format",
    }


def write_model(directory: Path, config: dict[str, Any], seed: int = 0) -> Path:
    """A random llama in full precision, as mlx-lm reads it. ``model_type`` and what else ``config`` says stays."""
    from mlx_lm.models import llama

    mx.random.seed(seed)
    model = llama.Model(llama.ModelArgs.from_dict({**config, "model_type": "llama"}))
    weights = {name: array.astype(mx.float16) for name, array in tree_flatten(model.parameters())}
    directory.mkdir(parents=True)
    mx.save_safetensors(str(directory / "model.safetensors"), weights, metadata={"format": "mlx"})
    (directory / "config.json").write_text(json.dumps(config))
    for name in ("tokenizer.json", "tokenizer_config.json"):
        (directory / name).write_bytes(repository()[name])
    return directory
