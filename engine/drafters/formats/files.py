"""The files of a checkpoint: config.json and safetensors. Code and pickles that lie beside them are not opened."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mlx.core as mx

from engine.models.config import read_config_file
from engine.models.errors import ModelError


def read_json(path: Path) -> dict[str, Any]:
    """``config.json`` of a drafter's directory."""
    return read_config_file(path, "drafter", "a drafter's checkpoint directory")


def read_tensors(path: Path) -> dict[str, mx.array]:
    """All tensors of all shards, lazy: nothing is read from the disk before it is used."""
    files = sorted(path.glob("*.safetensors"))
    if not files:
        found = sorted(p.name for p in path.iterdir() if p.suffix in (".bin", ".pt", ".pth", ".ckpt", ".gguf", ".npz"))
        beside = f" ({found[0]} is not opened)" if found else ""
        raise ModelError(
            f"{path} holds no safetensors weights{beside}. Fetch the drafter again, or convert it to safetensors."
        )
    tensors: dict[str, mx.array] = {}
    for file in files:
        try:
            shard = mx.load(str(file))
        except (RuntimeError, ValueError) as error:
            raise ModelError(f"{file} is not a whole safetensors file. Fetch the drafter again.") from error
        assert isinstance(shard, dict)
        for name, tensor in shard.items():
            if name in tensors:
                raise ModelError(
                    f"{file} holds the tensor '{name}' a second time. Remove the file that doesn't belong there."
                )
            tensors[name] = tensor
    return tensors
