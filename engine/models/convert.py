"""A full-precision model of the user's in 4 bits, by mlx-lm's own conversion, shard by shard.

The copy appears whole or not at all; a conversion that is stopped leaves nothing behind. Weights are made one shard at
a time, so it takes little more memory than a shard and the largest matrix. Code that lies beside a checkpoint is
neither run nor copied.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mlx.core as mx
from mlx.utils import tree_flatten, tree_map, tree_map_with_path

from engine.models import files
from engine.models.errors import ModelError
from engine.models.fetch import Stopped
from engine.models.pull import DISK_MARGIN_BYTES

SHARD_GB = 1
COMPANIONS = ("tokenizer*", "special_tokens_map.json", "added_tokens.json", "vocab.*", "merges.txt", "*.jinja",
              "*.tiktoken", "generation_config.json", "chat_template*", "LICENSE*")  # fmt: skip

OnBytes = Callable[[int, int], None]
"""Bytes written, bytes in all."""


def convert_target(
    source: Path,
    out: Path,
    *,
    bits: int = 4,
    group_size: int = 64,
    on_bytes: OnBytes = lambda *_: None,
    stopped: Callable[[], bool] = lambda: False,
) -> Path:
    """Raises ``ModelError``, one sentence; ``Stopped``."""
    from mlx_lm.utils import load_model, make_shards, quantize_model, save_config

    check_source(source, out)
    # The library speaks on stdout, which belongs to a job's messages.
    with contextlib.redirect_stdout(sys.stderr):
        try:
            model, config = load_model(source, lazy=True)
            _cast(model, config)
            model, config = quantize_model(model, config, group_size, bits)
        except Exception as error:
            first = (str(error).strip().splitlines() or [type(error).__name__])[0]
            raise ModelError(f"{source} can't be quantised: {first}") from error
    weights = dict(tree_flatten(model.parameters()))
    total = sum(int(array.nbytes) for array in weights.values())
    _check_room(out, total)
    shards = make_shards(weights, SHARD_GB)
    model.update(tree_map(lambda _: mx.array([]), model.parameters()))
    del weights, model
    half = out.with_name(f".{out.name}.{os.getpid()}.part")
    shutil.rmtree(half, ignore_errors=True)
    try:
        half.mkdir(parents=True)
        index: dict[str, str] = {}
        done = 0
        on_bytes(0, total)
        for number in range(len(shards)):
            if stopped():
                raise Stopped("Stopped; nothing was written.")
            shard, shards[number] = shards[number], {}
            name = (
                f"model-{number + 1:05d}-of-{len(shards):05d}.safetensors" if len(shards) > 1 else "model.safetensors"
            )
            mx.save_safetensors(str(half / name), shard, metadata={"format": "mlx"})
            index |= dict.fromkeys(shard, name)
            done += sum(int(array.nbytes) for array in shard.values())
            del shard
            mx.clear_cache()
            on_bytes(done, total)
        table = {"metadata": {"total_size": total}, "weight_map": dict(sorted(index.items()))}
        (half / files.INDEX).write_text(json.dumps(table, indent=2), encoding="utf-8")
        save_config(config, config_path=half / "config.json")
        _copy_companions(source, half)
        half.rename(out)
    except OSError as error:
        raise ModelError(
            f"{out} can't be written ({error.strerror or error}). Make room, or choose another."
        ) from error
    finally:
        shutil.rmtree(half, ignore_errors=True)
    return out


def check_source(source: Path, out: Path) -> None:
    if out.exists():
        raise ModelError(f"{out} is there already. Choose another directory for the copy.")
    if not source.is_dir():
        raise ModelError(f"There is no model directory at {source}.")
    if problem := files.refusal(source) or files.incompleteness(source):
        raise ModelError(problem)
    config = files.read_fields(source)
    if config.get("quantization") or config.get("quantization_config"):
        raise ModelError(f"{source} is quantised already. Quantise the full-precision model it was made from.")


def _cast(model: Any, config: dict[str, Any]) -> None:
    """To the type that the configuration names, as mlx-lm converts."""
    text = config.get("text_config") or {}
    name = config.get("torch_dtype") or config.get("dtype") or text.get("torch_dtype") or text.get("dtype")
    if name not in ("float16", "bfloat16", "float32"):
        return
    dtype = getattr(mx, name)
    wanted = getattr(model, "cast_predicate", lambda _: True)
    model.update(
        tree_map_with_path(
            lambda k, v: v.astype(dtype) if wanted(k) and mx.issubdtype(v.dtype, mx.floating) else v,
            model.parameters(),
        )
    )


def _check_room(out: Path, total: int) -> None:
    place = out.absolute().parent
    while not place.exists():
        place = place.parent
    free = shutil.disk_usage(place).free
    if free < total + DISK_MARGIN_BYTES:
        raise ModelError(
            f"The copy needs {total / 1e9:.2f} GB at {place}, where {free / 1e9:.2f} GB are free. Make room, or choose "
            "another directory."
        )


def _copy_companions(source: Path, into: Path) -> None:
    for pattern in COMPANIONS:
        for file in source.glob(pattern):
            if file.is_file() and file.suffix != ".py":
                shutil.copyfile(file, into / file.name)
