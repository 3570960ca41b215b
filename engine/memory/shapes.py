"""A model's arrays by shape alone, from ``config.json``: every architecture that mlx-lm computes, no weight read.

The modules are mlx-lm's own, built and quantised lazily; then every parameter is replaced by one number that pretends
to be the whole array, so that nothing of the size of a model can ever be made, not even by accident. A forward of one
token over them tells each layer's cache by its kind and shape.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import mlx.core as mx
import mlx.nn as nn
from mlx.utils import tree_flatten, tree_map

from engine.models.errors import ModelError

DTYPES = {"float16": mx.float16, "bfloat16": mx.bfloat16, "float32": mx.float32}
HEADER_DTYPES = {"F16": mx.float16, "BF16": mx.bfloat16, "F32": mx.float32}


def model_classes(config: Mapping[str, Any]) -> tuple[type[nn.Module], Any] | None:
    """mlx-lm's classes for a configuration; None where it has none."""
    from mlx_lm.utils import _get_classes

    try:
        model, args = _get_classes(dict(config))
    except (ValueError, KeyError, TypeError):
        return None
    return model, args


def architecture_problem(path: Path, config: Mapping[str, Any]) -> str:
    """Why mlx-lm can't compute the model of a directory; empty where it can."""
    kind = config.get("model_type")
    if not isinstance(kind, str) or not kind:
        return f"{path / 'config.json'} names no 'model_type'. Choose a language model for mlx-lm."
    if model_classes(config) is None:
        return (
            f"{path / 'config.json'} is of the architecture '{kind}', which this version of mlx-lm does not compute. "
            "Choose another model."
        )
    return ""


def stored_dtype(config: Mapping[str, Any]) -> mx.Dtype:
    """Of what isn't packed, as the configuration says; bfloat16 where it doesn't."""
    text = config.get("text_config")
    for table in (config, text if isinstance(text, dict) else {}):
        for key in ("torch_dtype", "dtype"):
            if table.get(key) in DTYPES:
                return DTYPES[table[key]]
    return mx.bfloat16


def skeleton(config: Mapping[str, Any], quantization: Mapping[str, Any] | None = None) -> nn.Module:
    """A model without weights.

    Args: quantization: in place of the configuration's own, e.g. ``{"bits": 4, "group_size": 64}`` for what a
        conversion would make of it.
    Raises: ModelError where mlx-lm doesn't know the architecture or the configuration is wrong.
    """
    classes = model_classes(config)
    if classes is None:
        raise ModelError(
            f"mlx-lm does not compute the architecture '{config.get('model_type')}'. Choose another model."
        )
    logging.getLogger("transformers").setLevel(logging.ERROR)
    table = dict(quantization if quantization is not None else config.get("quantization") or {})
    state: Any = mx.random.state
    random = [mx.array(key) for key in state]
    try:
        fields = {key: value for key, value in config.items() if key not in ("quantization", "quantization_config")}
        model = classes[0](classes[1].from_dict(fields))
        if table:
            _quantize(model, table)
        model.update(tree_map(lambda a: hollow(a.shape, _held(a.dtype, config)), model.parameters()))
    except Exception as error:
        # A configuration can fail anywhere in a model's own code, even by a division.
        first = (str(error).strip().splitlines() or [""])[0]
        raise ModelError(
            f"The configuration of this '{config.get('model_type')}' model is wrong ({type(error).__name__}: {first}). "
            "Fetch its config.json again."
        ) from error
    finally:
        # Building draws random weights that are never made; the engine's own draws must not shift by it.
        for key, value in zip(state, random, strict=True):
            key[:] = value
    model.eval()
    return model


def hollow(shape: tuple[int, ...], dtype: mx.Dtype) -> mx.array:
    """An array of this shape that takes no room, evaluated or not."""
    return mx.broadcast_to(mx.zeros((), dtype), shape)


def parameter_bytes(model: nn.Module, held_as: str = "packed") -> int:
    """What the weights take, as a backend holds them: as stored (``packed``) or expanded (``float32``)."""
    if held_as == "packed":
        return sum(int(a.nbytes) for _, a in tree_flatten(model.parameters()))
    modules = dict(model.named_modules())
    total = 0
    for name, array in tree_flatten(model.parameters()):
        owner, _, kind = name.rpartition(".")
        module = modules.get(owner)
        size = int(array.size)
        if module is not None and "scales" in module:
            if kind in ("scales", "biases"):
                continue
            if kind == "weight":
                size = size * 32 // int(module.bits)
        total += 4 * size
    return total


def _held(dtype: mx.Dtype, config: Mapping[str, Any]) -> mx.Dtype:
    return stored_dtype(config) if mx.issubdtype(dtype, mx.floating) else dtype


def _quantize(model: nn.Module, table: dict[str, Any]) -> None:
    """As mlx-lm does: a module by name, otherwise all that can be packed and that ``quant_predicate`` lets."""
    group, bits, mode = int(table.get("group_size", 64)), int(table.get("bits", 4)), str(table.get("mode", "affine"))
    ask = getattr(model, "quant_predicate", None)

    def choose(path: str, module: nn.Module) -> Any:
        if path in table:
            return table[path]
        if not hasattr(module, "to_quantized") or module.weight.shape[-1] % group:
            return False
        return True if ask is None else ask(path, module)

    nn.quantize(model, group_size=group, bits=bits, mode=mode, class_predicate=choose)
