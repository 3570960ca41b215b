"""Backend set-up in fresh processes, the weight policy both ways, the machine's facts of both systems."""

from __future__ import annotations

import subprocess
import sys

import mlx.core as mx
import mlx.nn as nn
import pytest
from mlx_lm.models import llama
from mlx_lm.models.switch_layers import QuantizedSwitchLinear, SwitchLinear

from engine import host, platform

linux = pytest.mark.skipif(sys.platform != "linux", reason="MLX brings its own BLAS on macOS")

HAS_BLAS = "'openblas' in open('/proc/self/maps').read()"


def run(code: str) -> str:
    """What a fresh interpreter prints."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


@linux
def test_contract_imports_neither_mlx_nor_blas() -> None:
    code = "import sys, engine.trace.events, engine.process.protocol"
    assert run(f"{code}; print('mlx' in sys.modules, {HAS_BLAS})") == "False False"


@linux
@pytest.mark.parametrize("first", ["import engine, mlx.core", "import engine.platform", "import engine.models.demo"])
def test_blas_is_loaded_before_mlx(first: str) -> None:
    code = f"{first}; from engine.platform import setup_backend; print({HAS_BLAS}, repr(setup_backend()))"
    assert run(code) == "True ''"


@linux
def test_blas_after_mlx_is_noted() -> None:
    assert "after MLX" in run("import mlx.core, engine.platform; print(engine.platform.machine().notes)")


@linux
def test_missing_blas_is_noted_and_nothing_fails() -> None:
    code = "import engine.backend as b; b.BLAS_LIBRARY = 'libnowhere.so.0'; import engine.platform as p"
    assert "is missing" in run(f"{code}; print(p.machine().notes)")


def tiny_quantised_llama(dtype: mx.Dtype, bits: int = 4, mode: str = "affine") -> llama.Model:
    mx.random.seed(7)
    arguments = llama.ModelArgs(
        model_type="llama",
        hidden_size=64,
        num_hidden_layers=2,
        intermediate_size=128,
        num_attention_heads=4,
        num_key_value_heads=2,
        rms_norm_eps=1e-5,
        vocab_size=96,
        attention_bias=True,
    )
    model = llama.Model(arguments)
    model.set_dtype(dtype)
    nn.quantize(model, group_size=32, bits=bits, mode=mode)
    mx.eval(model.parameters())
    return model


TOKENS = mx.array([[5, 6, 7, 90, 1, 0, 33]])


@pytest.mark.parametrize(("bits", "mode"), [(4, "affine"), (8, "affine"), (4, "mxfp4")])
def test_expanded_weights_are_the_quantised_values(bits: int, mode: str) -> None:
    model, reference = (tiny_quantised_llama(mx.float32, bits, mode) for _ in range(2))
    assert platform.expand_weights(model, on="cpu") == "float32"
    expected = reference(TOKENS)
    assert not any("Quantized" in type(layer).__name__ for _, layer in model.named_modules())
    packed, dense = reference.layers[1].self_attn.k_proj, model.layers[1].self_attn.k_proj
    values = mx.dequantize(
        packed.weight, packed.scales, packed.get("biases"), packed.group_size, bits, mode, dtype=mx.float32
    )
    assert mx.array_equal(dense.weight, values)
    assert mx.array_equal(dense.bias, packed.bias)
    assert mx.allclose(model(TOKENS), expected, rtol=1e-5, atol=1e-5)


def test_half_precision_scales_are_not_rounded_again() -> None:
    model = tiny_quantised_llama(mx.float16)
    packed = model.layers[0].mlp.up_proj
    values = mx.dequantize(
        packed.weight, packed.scales.astype(mx.float32), packed.biases.astype(mx.float32), 32, packed.bits
    )
    platform.expand_weights(model, on="cpu")
    assert mx.array_equal(model.layers[0].mlp.up_proj.weight, values)
    assert not mx.array_equal(values, values.astype(mx.float16).astype(mx.float32))
    assert all(array.dtype == mx.float32 for _, array in nn.utils.tree_flatten(model.parameters()))
    assert model(TOKENS).dtype == mx.float32


def test_metal_keeps_weights_packed() -> None:
    model = tiny_quantised_llama(mx.float16)
    before = {name: array.dtype for name, array in nn.utils.tree_flatten(model.parameters())}
    assert platform.expand_weights(model, on="metal") == "packed"
    assert {name: array.dtype for name, array in nn.utils.tree_flatten(model.parameters())} == before
    assert isinstance(model.layers[0].mlp.up_proj, nn.QuantizedLinear)


def test_policy_follows_the_backend_at_hand() -> None:
    expected = "packed" if platform.backend() == "metal" else "float32"
    assert platform.expand_weights(tiny_quantised_llama(mx.float32)) == expected


def test_experts_are_expanded_too() -> None:
    mx.random.seed(3)
    model = nn.Sequential(QuantizedSwitchLinear(64, 32, num_experts=4, group_size=32, bits=4))
    x, experts = mx.random.normal((2, 1, 1, 64)), mx.array([[0, 3], [2, 1]])
    expected = model.layers[0](x, experts)
    platform.expand_weights(model, on="cpu")
    assert isinstance(model.layers[0], SwitchLinear)
    assert mx.allclose(model.layers[0](x, experts), expected, rtol=1e-5, atol=1e-5)


def test_machine_names_what_a_result_needs() -> None:
    facts = platform.machine()
    assert facts.chip
    assert facts.os
    assert facts.backend == platform.backend()
    assert facts.memory_bytes > 1 << 30
    assert facts.mlx == mx.__version__
    assert facts.cores >= 1


def test_memory_sample_counts_what_was_allocated() -> None:
    before = platform.memory_sample(0.0)
    held = mx.zeros((1 << 22,), mx.float32)
    mx.eval(held)
    after = platform.memory_sample(1.0, kv_bytes=5, target_weights_bytes=6)
    assert after.active_bytes - before.active_bytes >= held.nbytes
    assert after.peak_bytes >= after.active_bytes
    assert after.process_bytes >= held.nbytes
    assert 0 < after.available_bytes <= after.machine_bytes
    assert (after.t_s, after.kv_bytes, after.target_weights_bytes) == (1.0, 5, 6)


def test_chip_is_read_from_either_kind_of_cpuinfo() -> None:
    assert host.chip_of_cpuinfo("processor : 0\nmodel name\t: Fast  CPU  9\nflags : x") == "Fast CPU 9"
    assert host.chip_of_cpuinfo("processor\t: 0\nBogoMIPS: 1\nModel\t: Board 5") == "Board 5"
    assert host.chip_of_cpuinfo("") == ""


def test_meminfo_is_in_kibibytes() -> None:
    text = "MemTotal:       24684096 kB\nMemAvailable:    1000 kB\n"
    assert host.meminfo_bytes(text, "MemTotal") == 24684096 * 1024
    assert host.meminfo_bytes(text, "MemAvailable") == 1000 * 1024
    assert host.meminfo_bytes(text, "SwapTotal") == 0


def test_pressure_of_both_systems() -> None:
    assert [host.pressure_of_level(level) for level in (1, 2, 4)] == ["normal", "warn", "critical"]
    shares = (50, 9, 3)
    assert [host.pressure_of_available(share, 100) for share in shares] == ["normal", "warn", "critical"]


def test_mac_facts_are_built_from_the_kernels_values(monkeypatch: pytest.MonkeyPatch) -> None:
    values = {
        "hw.memsize": (16 << 30).to_bytes(8, sys.byteorder),
        "machdep.cpu.brand_string": b"Apple M2 Pro\0",
        "vm.page_free_count": (1000).to_bytes(4, sys.byteorder),
        "vm.page_purgeable_count": (20).to_bytes(4, sys.byteorder),
        "vm.page_pageable_external_count": (3).to_bytes(4, sys.byteorder),
        "kern.memorystatus_vm_pressure_level": (2).to_bytes(4, sys.byteorder),
    }
    monkeypatch.setattr(host, "ON_MAC", True)
    monkeypatch.setattr(host, "sysctl_bytes", lambda name: values.get(name, b""))
    assert host.chip_name() == "Apple M2 Pro"
    assert host.machine_memory_bytes() == 16 << 30
    assert host.available_bytes() == 1023 * host.os.sysconf("SC_PAGE_SIZE")
    assert host.pressure() == "warn"
    for name in tuple(values):
        if name.startswith("vm."):
            del values[name]
    values["kern.memorystatus_level"] = (50).to_bytes(4, sys.byteorder)
    assert host.available_bytes() == 8 << 30
