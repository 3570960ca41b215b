"""The files of a model's or a drafter's directory, judged without reading a weight.

``problem`` says in one sentence why a directory can't be used: nothing there, pickles, code, a half-fetched file. Every
safetensors file is measured against its own header, so that a file cut off anywhere is never taken for whole.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from engine.models.errors import ModelError

PICKLES = (".bin", ".pt", ".pth", ".ckpt", ".pkl")
HEADER_LIMIT_BYTES = 100_000_000
"""safetensors' own limit."""
CODE_KEYS = ("auto_map", "model_file")
INDEX = "model.safetensors.index.json"

_SHARD = re.compile(r"(.*)-(\d{5})-of-(\d{5})\.safetensors$")


class TensorFacts(Struct, frozen=True):
    dtype: str
    shape: tuple[int, ...]
    data_offsets: tuple[int, int]

    @property
    def nbytes(self) -> int:
        return self.data_offsets[1] - self.data_offsets[0]


Header = dict[str, TensorFacts]


def parse_header(raw: bytes) -> Header:
    """Tensors of a header's JSON. Raises ``ValueError``."""
    fields = msgspec.json.decode(raw)
    if not isinstance(fields, dict):
        raise ValueError("not an object")
    fields.pop("__metadata__", None)
    return msgspec.convert(fields, Header)


def read_header(file: Path) -> Header:
    """Raises ``ModelError`` where the file isn't safetensors or is cut off."""
    size = file.stat().st_size
    try:
        with file.open("rb") as stream:
            length = int.from_bytes(stream.read(8), "little")
            if size < 8 or not 2 <= length <= min(HEADER_LIMIT_BYTES, size - 8):
                raise ValueError("no header")
            header = parse_header(stream.read(length))
    except (ValueError, msgspec.MsgspecError) as error:
        raise ModelError(f"{file} is not a whole safetensors file. Fetch it again.") from error
    wanted = 8 + length + max((facts.data_offsets[1] for facts in header.values()), default=0)
    if size != wanted:
        raise ModelError(f"{file} has {size} of {wanted} bytes: it was not fetched to its end. Fetch it again.")
    return header


def read_fields(directory: Path, name: str = "config.json") -> dict[str, Any]:
    """A JSON file of the directory; empty where there is none that can be read."""
    try:
        fields = json.loads((directory / name).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return fields if isinstance(fields, dict) else {}


def weight_files(directory: Path) -> list[Path]:
    return sorted(path for path in directory.glob("*.safetensors") if not path.name.startswith("."))


def size_bytes(directory: Path) -> int:
    """Of all files below, each once however it is linked."""
    seen: dict[tuple[int, int], int] = {}
    for root, _, names in os.walk(directory):
        for name in names:
            try:
                stat = (Path(root) / name).stat()
            except OSError:
                continue
            seen[stat.st_dev, stat.st_ino] = stat.st_size
    return sum(seen.values())


def missing_files(directory: Path) -> list[str]:
    """Weights that the index or the numbering of the shards names and that aren't there."""
    named: set[str] = set()
    if (directory / INDEX).exists():
        try:
            named = {str(name) for name in read_fields(directory, INDEX)["weight_map"].values()}
        except (KeyError, TypeError, AttributeError):
            return [INDEX]
    for file in weight_files(directory):
        if match := _SHARD.match(file.name):
            stem, _, count = match.groups()
            named |= {f"{stem}-{i:05d}-of-{count}.safetensors" for i in range(1, int(count) + 1)}
    return sorted(name for name in named if not (directory / name).is_file())


def code_problem(directory: Path) -> str:
    """Why a checkpoint is refused that brings code along; empty where it brings none."""
    for name in ("config.json", "tokenizer_config.json"):
        fields = read_fields(directory, name)
        if name == "tokenizer_config.json" and (directory / "tokenizer.json").is_file():
            continue  # the generic tokenizer reads that file; the code named beside it is not asked for
        for key in CODE_KEYS:
            if key in fields:
                return (
                    f"{directory / name} asks to run code that comes with the checkpoint ('{key}'); Slipstream never "
                    "does. Use a version of the model for mlx-lm's own architectures."
                )
    return ""


def refusal(directory: Path, drafter: bool = False) -> str:
    """Why this directory is nothing for this program, whole or not; empty where nothing speaks against it.

    A drafter's configuration may name code: it is computed by modules of our own, whatever it names.
    """
    if not drafter and (code := code_problem(directory)):
        return code
    found = sorted(path.name for path in directory.iterdir() if path.suffix in PICKLES)
    if found and not weight_files(directory) and not (directory / INDEX).exists():
        return (
            f"{directory} holds its weights as pickles ({found[0]}), which can run code when they are read. Use a "
            "version of the model in safetensors."
        )
    return ""


def incompleteness(directory: Path) -> str:
    """What of a directory isn't there; empty where it is whole."""
    if not (directory / "config.json").is_file():
        return f"{directory} has no config.json. Fetch the model again."
    if not read_fields(directory):
        return f"{directory / 'config.json'} can't be read as JSON. Fetch the model again."
    missing = missing_files(directory)
    if missing:
        count = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        return f"{directory} lacks {missing[0]}{count}: it was not fetched to its end. Fetch the model again."
    files = weight_files(directory)
    if not files:
        return f"{directory} holds no safetensors weights. Fetch the model again."
    for file in files:
        try:
            read_header(file)
        except (ModelError, OSError) as error:
            return str(error)
    return ""


def is_whole(directory: Path) -> bool:
    return directory.is_dir() and not incompleteness(directory)
