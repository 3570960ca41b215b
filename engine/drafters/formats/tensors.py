"""Whether a checkpoint's tensors are exactly those of the modules that its layout builds, shapes included.

Packed 4-bit weights come as mlx-lm writes them: ``weight``, ``scales``, ``biases``, affine.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import mlx.core as mx
import mlx.nn as nn
from mlx.utils import tree_flatten

from engine.drafters.formats.config import Config
from engine.drafters.layout import Layout
from engine.models.errors import ModelError

CONVERT = "Convert it with mlx again."

Shapes = dict[str, tuple[int, ...]]


def read_quantization(config: Config) -> dict[str, Any]:
    """mlx-lm's table, empty where the weights are plain."""
    table = config.get("quantization") or config.get("quantization_config") or {}
    if not table:
        return {}
    if not isinstance(table, dict) or not all(isinstance(table.get(name), int) for name in ("bits", "group_size")):
        config.refuse("is quantised otherwise than mlx-lm does ('quantization' with 'bits' and 'group_size')", CONVERT)
    for name, part in {"": table, **{k: v for k, v in table.items() if isinstance(v, dict)}}.items():
        if part.get("mode", "affine") != "affine":
            config.refuse(f"is quantised in mode '{part['mode']}'{f' at {name}' if name else ''}; affine is read here")
    return dict(table)


def packing(quantization: Mapping[str, Any], module: str) -> tuple[int, int]:
    """Bits and group size of one module."""
    exception = quantization.get(module)
    table = exception if isinstance(exception, dict) else quantization
    return int(table["bits"]), int(table["group_size"])


def expected_shapes(layout: Layout) -> Shapes:
    """Of the modules, which are built without a number being made: MLX is lazy."""
    return {name: tuple(array.shape) for name, array in tree_flatten(build(layout).parameters())}


def build(layout: Layout) -> nn.Module:
    if layout.eagle:
        from engine.drafters.eagle import Model as Head

        return Head(layout)
    from engine.drafters.backbone import Model

    return Model(layout)


def check_tensors(layout: Layout, weights: Mapping[str, mx.array], quantization: Mapping[str, Any], path: Path) -> None:
    """Raise ``ModelError`` for the first tensor that is missing, unknown or of another shape."""
    expected = expected_shapes(layout)
    found = _unpacked_shapes(weights, quantization, path)
    for name in sorted(expected.keys() - found.keys()):
        raise ModelError(f"{path} lacks the tensor '{name}', which its config.json asks for. Fetch the drafter again.")
    for name in sorted(found.keys() - expected.keys()):
        raise ModelError(
            f"{path} holds the tensor '{name}', which no module of a scheme {layout.scheme} drafter uses and which may "
            "change the mathematics. Use a checkpoint in one of the formats of docs/drafters.md."
        )
    if layout.draft_vocabulary:
        _check_draft_ids(weights["draft_ids"], layout, path)
    for name, shape in expected.items():
        if found[name] != shape:
            raise ModelError(
                f"{path} holds the tensor '{name}' of shape {list(found[name])}, but its config.json describes "
                f"{list(shape)}. Fetch the drafter again."
            )


def _check_draft_ids(draft_ids: mx.array, layout: Layout, path: Path) -> None:
    """Each id once and within the target's vocabulary: the residual of the acceptance rule is exact for no others."""
    ids: list[int] = draft_ids.reshape(-1).tolist()  # type: ignore[assignment]
    if min(ids) < 0 or max(ids) >= layout.vocabulary:
        raise ModelError(
            f"{path} holds draft ids (the tensor 'd2t' or 'draft_ids') outside the target's {layout.vocabulary} tokens."
            " Fetch the drafter again."
        )
    if len(set(ids)) < len(ids):
        raise ModelError(
            f"{path} holds draft ids (the tensor 'd2t' or 'draft_ids') that name a token twice. "
            "Fetch the drafter again."
        )


def _unpacked_shapes(weights: Mapping[str, mx.array], quantization: Mapping[str, Any], path: Path) -> Shapes:
    shapes: Shapes = {}
    for name, array in weights.items():
        module, _, kind = name.rpartition(".")
        packed = f"{module}.scales" in weights
        if packed and kind in ("scales", "biases"):
            continue
        shape = tuple(array.shape)
        if packed and kind == "weight":
            if not quantization:
                raise ModelError(f"{path} holds '{name}' packed, but its config.json has no 'quantization'. {CONVERT}")
            bits, group = packing(quantization, module)
            shape = (*shape[:-1], shape[-1] * 32 // bits)
            scales = weights[f"{module}.scales"].shape[-1]
            if scales * group != shape[-1] or f"{module}.biases" not in weights:
                raise ModelError(f"{path} holds '{name}' packed otherwise than its 'quantization' says. {CONVERT}")
        shapes[name] = shape
    return shapes
