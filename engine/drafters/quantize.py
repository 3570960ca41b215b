"""Drafters in 4 bits: a copy on disk whose large matrices are packed and whose small and sensitive parts are not.

    packed   q, k, v, o, gate, up, down, fc, direct, reader; D's projections of kernels and hidden states; an embedding
             and a head of the drafter's own
    kept     norms, codebooks, Markov and GRU matrices, base kernels of convolutions, lenses, transitions, confidence,
             feedback of recurrent rows

Groups of 32 take the place of groups of 64 where 64 does not divide a row; a matrix that 32 does not divide is kept.
The saved config lists what is held at which precision.

A checkpoint in a public dialect and full precision is packed once, when an arm first names it, into the user's cache,
and used from there (``packed_copy``). A drafter in our own format is used as it is: with ``bits`` 16 a copy keeps its
precision.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import mlx.core as mx
import mlx.nn as nn
from mlx.utils import tree_flatten

from engine import paths
from engine.drafters.checkpoint import read_checkpoint
from engine.drafters.formats.files import read_json
from engine.drafters.formats.tensors import build, packing
from engine.drafters.save import is_saved, save_drafter
from engine.models.errors import ModelError

PACKED = (
    "q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj", "fc", "direct_proj", "reader",
    "kernel_projection", "hidden_projection", "embed_tokens", "lm_head",
)  # fmt: skip
"""Last part of a module's path. ``gate_proj`` of a Markov head is small and kept: see ``_wanted``."""

KEPT_BITS = 16
"""From so many bits on nothing is packed."""


def packed_copy(path: Path) -> Path:
    """Where a drafter is read from: its 4-bit copy, made once, or itself where it is packed already or ours."""
    if is_saved(path) or read_checkpoint(path).quantization:
        return path
    key = hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:8]
    return quantize_drafter(path, paths.cache_dir() / "drafters" / f"{path.name}-4bit-{key}")


def quantize_drafter(src: Path, dst: Path, group_size: int = 64, bits: int = 4) -> Path:
    """Write ``src`` packed to ``dst``, or leave ``dst`` as it is where that was done before and ``src`` is still the
    same. Raises ``ModelError``.
    """
    wanted = {
        "quantized_from": src.resolve().name, "source_files": _files(src), "group_size": group_size, "bits": bits,
    }  # fmt: skip
    if is_saved(dst) and wanted.items() <= read_json(dst).get("about", {}).items():
        return dst
    if dst.exists() and not is_saved(dst):
        raise ModelError(f"{dst} is there already and is no drafter of ours. Choose another directory for the copy.")
    checkpoint = read_checkpoint(src)
    if checkpoint.quantization:
        raise ModelError(f"{src} is quantised already. Quantise the drafter it was made from.")
    model = build(checkpoint.layout)
    model.load_weights(list(checkpoint.weights.items()))
    table = pack(model, group_size, bits) if bits < KEPT_BITS else {}
    weights = dict(tree_flatten(model.parameters()))
    precisions = {name: _precision(name, array, table) for name, array in weights.items() if not _is_scale(name)}
    about = {**checkpoint.about, "architecture": checkpoint.architecture, **wanted, "precisions": precisions}
    save_drafter(dst, checkpoint.layout, weights, about=about, quantization=table)
    return dst


def _files(path: Path) -> dict[str, list[int]]:
    """Size and time of what a checkpoint consists of: trained or fetched again, it is another one."""
    stats = {file.name: file.stat() for file in sorted([*path.glob("*.safetensors"), *path.glob("config.json")])}
    return {name: [stat.st_size, stat.st_mtime_ns] for name, stat in stats.items()}


def pack(model: nn.Module, group_size: int, bits: int) -> dict[str, Any]:
    """Quantise a drafter in place. Returns mlx-lm's table: the general triple and the modules that differ."""
    table: dict[str, Any] = {"group_size": group_size, "bits": bits, "mode": "affine"}

    def choose(path: str, module: nn.Module) -> bool | dict[str, int]:
        if not _wanted(path) or "weight" not in module:
            return False
        size = next((g for g in (group_size, 32) if module.weight.shape[-1] % g == 0), 0)
        if not size:
            return False
        if size != group_size:
            table[path] = {"group_size": size, "bits": bits}
        return {"group_size": size, "bits": bits}

    nn.quantize(model, group_size=group_size, bits=bits, class_predicate=choose)
    return table


def unpack(weights: Mapping[str, mx.array], table: Mapping[str, Any]) -> dict[str, mx.array]:
    """Packed weights as plain ones, for training to go on from; what packing lost stays lost."""
    plain: dict[str, mx.array] = {}
    for name, array in weights.items():
        if _is_scale(name):
            continue
        module = name.removesuffix(".weight")
        if f"{module}.scales" in weights:
            bits, group = packing(table, module)
            scales, biases = weights[f"{module}.scales"], weights[f"{module}.biases"]
            array = mx.dequantize(array, scales, biases, group_size=group, bits=bits)
        plain[name] = array
    return plain


def _wanted(path: str) -> bool:
    return path.rpartition(".")[2] in PACKED and not path.startswith("markov_head")


def _is_scale(name: str) -> bool:
    module, _, kind = name.rpartition(".")
    return kind in ("scales", "biases") and _wanted(module)


def _precision(name: str, array: mx.array, table: dict[str, Any]) -> str:
    if array.dtype == mx.uint32 and name.endswith(".weight"):
        own = table.get(name.removesuffix(".weight"), table)
        return f"{own['bits']} bits, groups of {own['group_size']}"
    return str(array.dtype).removeprefix("mlx.core.")
