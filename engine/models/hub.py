"""Models by hub id, through the user's Hugging Face cache: what is there is used, what isn't is fetched."""

from __future__ import annotations

import json
import os
from pathlib import Path

from engine.models.errors import ModelError

WANTED = ["*.json", "*.safetensors", "tokenizer.model", "*.tiktoken", "*.txt", "*.jinja"]

DEFAULT_ENDPOINT = "https://huggingface.co"


def endpoint_url(asked: str = "") -> str:
    """Where models come from: what was asked for, ``HF_ENDPOINT``, or the hub itself. Without a slash at its end."""
    return (asked.strip() or os.environ.get("HF_ENDPOINT", "").strip() or DEFAULT_ENDPOINT).rstrip("/")


def snapshot(repo: str) -> tuple[Path, str, str]:
    """Directory, name and revision of a hub id such as ``mlx-community/SmolLM2-360M-Instruct-4bit``.

    Only weights in safetensors, configuration and tokenizer files are taken: never code, never pickles.
    """
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

    try:
        try:
            path = Path(snapshot_download(repo, allow_patterns=WANTED, local_files_only=True))
            whole = is_whole(path)
        except LocalEntryNotFoundError:
            whole = False
        if not whole:
            path = Path(snapshot_download(repo, allow_patterns=WANTED))
    except HFValidationError as error:
        raise ModelError(f"'{repo}' is neither a directory nor a hub id. Write OWNER/NAME or a path.") from error
    except (HfHubHTTPError, LocalEntryNotFoundError, OSError) as error:
        raise ModelError(
            f"'{repo}' is not on this disk and can't be fetched ({type(error).__name__}). "
            "Check the name and the network, or choose a model directory."
        ) from error
    if not is_whole(path):
        raise ModelError(
            f"'{repo}' is only partly on this disk and the rest can't be fetched: its weights are not all in {path}. "
            "Check the network, or choose a model directory."
        )
    return path, repo.split("/")[-1], path.name


def is_whole(directory: Path) -> bool:
    """Whether all weights are there: a fetch that was interrupted leaves a directory with some of the files."""
    index = directory / "model.safetensors.index.json"
    if not index.is_file():
        return (directory / "config.json").is_file() and any(directory.glob("*.safetensors"))
    try:
        named = set(json.loads(index.read_bytes())["weight_map"].values())
    except (ValueError, KeyError, TypeError, AttributeError):
        return False
    return (directory / "config.json").is_file() and all((directory / name).is_file() for name in named)
