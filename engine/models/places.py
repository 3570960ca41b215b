"""Where models lie on this computer, and which directories hold one. Nothing is read but names and ``config.json``."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from engine import paths
from engine.process.shelf import Place

DEEPEST = 3
"""LM Studio's folders are MAKER/MODEL; a folder that a user names may be one above that."""

WORK_SUFFIX = ".training"
"""Of a directory with a drafter's training in progress, whose checkpoints are no models."""


class Found(Struct, frozen=True):
    path: Path
    place: Place
    hub: str = ""
    revision: str = ""


def own_models_dir() -> Path:
    """Models and drafters quantised or trained here, one directory each."""
    return paths.data_dir() / "models"


def hub_cache() -> Path:
    """The Hugging Face cache, where pulls go: ``HF_HUB_CACHE``, ``HF_HOME`` or the usual place."""
    from huggingface_hub import constants

    # Asked anew each time: a test or the window may set it after the library was imported.
    if value := os.environ.get("HF_HUB_CACHE", "").strip():
        return Path(value).expanduser()
    if value := os.environ.get("HF_HOME", "").strip():
        return Path(value).expanduser() / "hub"
    return Path(constants.HF_HUB_CACHE)


def lmstudio_folders(home: Path | None = None) -> list[Path]:
    """Folders that LM Studio keeps models in, the newer place first. Its home may have been moved."""
    home = home or Path.home()
    found = [home / ".lmstudio" / "models", home / ".cache" / "lm-studio" / "models"]
    pointer = home / ".lmstudio-home-pointer"
    if pointer.is_file():
        with contextlib.suppress(OSError, UnicodeDecodeError):
            found.insert(0, Path(pointer.read_text(encoding="utf-8").strip()) / "models")
    return found


def find_all(folders: Sequence[Path] = (), lmstudio: Sequence[Path] | None = None) -> list[Found]:
    """Every directory that holds or was to hold a model or drafter, each once, in the order of the places."""
    found: list[Found] = []
    found += [Found(path, "own") for path in _below(own_models_dir())]
    found += _in_hub_cache(hub_cache())
    for folder in lmstudio_folders() if lmstudio is None else lmstudio:
        found += [Found(path, "lmstudio") for path in _below(folder)]
    for folder in folders:
        found += [Found(path, "folder") for path in _below(folder.expanduser())]
    seen: set[Path] = set()
    return [item for item in found if not (item.path.resolve() in seen or seen.add(item.path.resolve()))]  # type: ignore[func-returns-value]


def lies_elsewhere(repo: str, folders: Sequence[Path] = ()) -> Path | None:
    """Where LM Studio, or a folder of the user's, holds what the hub calls ``repo``; None where none does."""
    maker, _, name = repo.partition("/")
    for folder in [*lmstudio_folders(), *(folder.expanduser() for folder in folders)]:
        path = folder / maker / name
        if path.is_dir():
            return path
    return None


def looks_like_model(path: Path) -> bool:
    """Has a configuration or weights: whether these are any good is asked later."""
    names = [entry.name for entry in path.iterdir() if not entry.name.startswith("._")]
    if any(name.endswith(".safetensors") or name == "model.safetensors.index.json" for name in names):
        return True
    return "config.json" in names and any(name.endswith((".bin", ".pt", ".pth", ".npz", ".gguf")) for name in names)


def is_work(path: Path) -> bool:
    """Half-made: conversion writes to a hidden directory, training to one of its own."""
    return path.name.startswith(".") or path.name.endswith(WORK_SUFFIX)


def _below(folder: Path, depth: int = 0) -> Iterator[Path]:
    """Directories with a model, ``folder`` itself included; what lies inside one isn't looked at."""
    try:
        if looks_like_model(folder):
            yield folder
            return
        inner = sorted(path for path in folder.iterdir() if path.is_dir() and not is_work(path))
    except OSError:
        return
    if depth < DEEPEST:
        for path in inner:
            yield from _below(path, depth + 1)


def _in_hub_cache(cache: Path) -> list[Found]:
    """One snapshot of each repository: the one that ``main`` names, otherwise the newest."""
    found: list[Found] = []
    try:
        repositories = sorted(path for path in cache.iterdir() if path.name.startswith("models--"))
    except OSError:
        return []
    for repository in repositories:
        hub = repository.name.removeprefix("models--").replace("--", "/")
        snapshot = newest_snapshot(repository)
        if snapshot is None:
            continue
        try:
            if looks_like_model(snapshot) or (snapshot / "config.json").exists():
                found.append(Found(snapshot, "hub", hub, snapshot.name))
        except OSError:
            continue
    return found


def newest_snapshot(repository: Path) -> Path | None:
    try:
        named = repository / "snapshots" / (repository / "refs" / "main").read_text(encoding="utf-8").strip()
        if named.is_dir():
            return named
    except OSError:
        pass
    try:
        snapshots = [path for path in (repository / "snapshots").iterdir() if path.is_dir()]
    except OSError:
        return None
    return max(snapshots, key=lambda path: path.stat().st_mtime, default=None)
