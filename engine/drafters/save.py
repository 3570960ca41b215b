"""Our own drafters on disk: ``config.json`` with the layout as it is, ``model.safetensors`` with parameters by name.

    {"slipstream_drafter": 1, "layout": {...}, "about": {...}, "quantization": {...}}

``about`` is free: what the drafter was made from and how. ``quantization`` is mlx-lm's table. A directory appears
whole or not at all.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import mlx.core as mx
import msgspec

from engine.drafters.formats.config import Config
from engine.drafters.formats.files import read_json, read_tensors
from engine.drafters.formats.tensors import check_tensors, read_quantization
from engine.drafters.layout import Layout
from engine.models.errors import ModelError

VERSION = 1
KEY = "slipstream_drafter"


def is_saved(path: Path) -> bool:
    """Whether a directory holds a drafter of our own."""
    try:
        return KEY in read_json(path)
    except ModelError:
        return False


def save_drafter(
    path: Path,
    layout: Layout,
    weights: Mapping[str, mx.array],
    *,
    about: Mapping[str, Any] | None = None,
    quantization: Mapping[str, Any] | None = None,
) -> None:
    """Write a drafter's directory, in place of what is there."""
    config: dict[str, Any] = {KEY: VERSION, "layout": msgspec.to_builtins(layout), "about": dict(about or {})}
    if quantization:
        config["quantization"] = dict(quantization)
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_name(f".{path.name}.{os.getpid()}.part")
    shutil.rmtree(half, ignore_errors=True)
    half.mkdir()
    try:
        mx.save_safetensors(str(half / "model.safetensors"), dict(weights), metadata={"format": "mlx"})
        (half / "config.json").write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
        if path.exists():
            shutil.rmtree(path)
        half.rename(path)
    finally:
        shutil.rmtree(half, ignore_errors=True)


def trained_for(path: Path) -> str:
    """Name of the target that a drafter trained by this program was made for; empty where it says nothing of it."""
    if not is_saved(path):
        return ""
    about = read_json(path).get("about", {})
    return str(about.get("target", "")) if "recipe" in about else ""


def update_about(path: Path, changes: Mapping[str, Any]) -> None:
    """Say more of a drafter that is saved already."""
    config = read_json(path)
    config["about"] = {**config.get("about", {}), **changes}
    half = path / ".config.json.part"
    half.write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
    half.replace(path / "config.json")


def read_saved(path: Path) -> tuple[Layout, dict[str, mx.array], dict[str, Any]]:
    """Layout, weights (lazy) and the whole config. Raises ``ModelError``, one sentence."""
    config = read_json(path)
    version = config.get(KEY)
    if version != VERSION:
        raise ModelError(
            f"{path / 'config.json'} is a drafter of format {version!r}, but this program reads format {VERSION}. "
            "Use the program that made it, or train the drafter again."
        )
    try:
        layout = msgspec.convert(config.get("layout"), Layout)
    except (msgspec.ValidationError, ValueError) as error:
        raise ModelError(f"{path / 'config.json'} describes no drafter: {error} Fetch it again.") from error
    weights = read_tensors(path)
    check_tensors(layout, weights, read_quantization(Config(config, str(path / "config.json"))), path)
    return layout, weights, config
