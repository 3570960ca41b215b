"""What differs between MLX on Metal and MLX on a CPU, decided in one place.

``expand_weights`` is the policy for quantised weights, ``machine`` and ``memory_sample`` are the facts that every
result carries. Nothing here sets a memory limit: limits on wired memory have hung macOS.
"""

from __future__ import annotations

import importlib.metadata
import os
import platform
from collections.abc import Callable
from typing import Literal

import mlx.core as mx
import mlx.nn as nn
from mlx.utils import tree_unflatten

from engine import host
from engine.backend import setup_backend
from engine.trace.events import Machine, MemorySample

Backend = Literal["metal", "cpu"]
HeldAs = Literal["packed", "float32"]

__all__ = ["Backend", "HeldAs", "backend", "expand_weights", "machine", "memory_sample", "setup_backend"]


def backend() -> Backend:
    """Where MLX computes in this process."""
    on_metal = mx.metal.is_available() and mx.default_device() == mx.Device(mx.gpu)
    return "metal" if on_metal else "cpu"


def machine() -> Machine:
    note = setup_backend()
    return Machine(
        chip=host.chip_name(),
        memory_bytes=host.machine_memory_bytes(),
        os=host.os_name(),
        backend=backend(),
        cores=os.cpu_count() or 0,
        python=platform.python_version(),
        mlx=importlib.metadata.version("mlx"),
        mlx_lm=importlib.metadata.version("mlx-lm"),
        notes=(note,) if note else (),
    )


def memory_sample(
    t_s: float,
    *,
    target_weights_bytes: int = 0,
    drafter_weights_bytes: int = 0,
    kv_bytes: int = 0,
    drafter_state_bytes: int = 0,
) -> MemorySample:
    """Memory now; what the active bytes consist of is known to the caller alone."""
    return MemorySample(
        t_s=t_s,
        machine_bytes=host.machine_memory_bytes(),
        available_bytes=host.available_bytes(),
        process_bytes=host.process_bytes(),
        active_bytes=mx.get_active_memory(),
        allocator_bytes=mx.get_cache_memory(),
        peak_bytes=mx.get_peak_memory(),
        target_weights_bytes=target_weights_bytes,
        drafter_weights_bytes=drafter_weights_bytes,
        kv_bytes=kv_bytes,
        drafter_state_bytes=drafter_state_bytes,
        pressure=host.pressure(),
    )


def expand_weights(
    model: nn.Module, on: Backend | None = None, between: Callable[[int, int], None] = lambda *_: None
) -> HeldAs:
    """Hold the weights of ``model`` as this backend multiplies them fastest; say how that is.

    On a CPU only float32 products are fast, and the packed ones cost the same for every row, so that verifying a block
    could never pay: quantised layers become float32 ones in place. Their weights are the quantised values, exactly.
    On Metal they stay packed. ``on`` takes the place of the backend at hand; ``between`` is called after each layer
    with how many are done of how many, and may raise.
    """
    if (on or backend()) == "metal":
        return "packed"
    # One layer at a time, each let go as it is replaced: never both models in memory.
    layers = model.named_modules()
    count = len(layers)
    while layers:
        between(count - len(layers), count)
        name, layer = layers.pop()
        dense = _dense_twin(layer)
        if dense is not None and name:
            mx.eval(dense.parameters())
            model.update_modules(tree_unflatten([(name, dense)]))
    model.set_dtype(mx.float32)
    mx.eval(model.parameters())
    return "float32"


def _dense_twin(module: nn.Module) -> nn.Module | None:
    """The layer that holds the values of a quantised ``module`` in float32; None for all other layers."""
    from mlx_lm.models.mla import MultiLinear, QuantizedMultiLinear
    from mlx_lm.models.switch_layers import QuantizedSwitchLinear, SwitchLinear

    twins = {
        nn.QuantizedLinear: lambda shape: nn.Linear(*shape[::-1], bias="bias" in module),
        nn.QuantizedEmbedding: lambda shape: nn.Embedding(*shape),
        QuantizedSwitchLinear: lambda shape: SwitchLinear(*shape[::-1], bias="bias" in module),
        QuantizedMultiLinear: lambda shape: MultiLinear(*shape[::-1]),
    }
    # Weights scaled once more as a whole are rare and stay packed: correct, only slower.
    if type(module) not in twins or module.get("global_scale") is not None:
        return None
    scales, biases = module.scales, module.get("biases")
    if module.mode == "affine":
        # Scales in half precision would round every product of scale and quantised value.
        scales = scales.astype(mx.float32)
        biases = None if biases is None else biases.astype(mx.float32)
    weight = mx.dequantize(module.weight, scales, biases, module.group_size, module.bits, module.mode, dtype=mx.float32)
    dense = twins[type(module)](weight.shape)
    dense.weight = weight
    if "bias" in module:
        dense.bias = module.bias.astype(mx.float32)
    dense.freeze()
    return dense
