"""Models by hub id, through the user's Hugging Face cache: what is there is used, what isn't is fetched."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from engine.models import places
from engine.models.errors import ModelError
from engine.models.files import is_whole

if TYPE_CHECKING:
    from engine.models.pull import Progress

__all__ = ["DEFAULT_ENDPOINT", "WANTED", "endpoint_url", "is_hub_id", "is_whole", "local_snapshot", "snapshot"]

WANTED = ["*.json", "*.safetensors", "tokenizer.model", "*.tiktoken", "*.txt", "*.jinja"]

DEFAULT_ENDPOINT = "https://huggingface.co"


def endpoint_url(asked: str = "") -> str:
    """Where models come from: what was asked for, ``HF_ENDPOINT``, or the hub itself. Without a slash at its end."""
    return (asked.strip() or os.environ.get("HF_ENDPOINT", "").strip() or DEFAULT_ENDPOINT).rstrip("/")


def is_hub_id(name: str) -> bool:
    """``OWNER/NAME``, and nothing on this disk that is called so."""
    return not name.startswith((".", "/", "~")) and name.count("/") == 1 and not Path(name).exists()


def local_snapshot(repo: str) -> Path | None:
    """The directory of a hub id that is whole on this disk."""
    found = places.newest_snapshot(places.hub_cache() / f"models--{repo.replace('/', '--')}")
    return found if found is not None and is_whole(found) else None


def snapshot(
    repo: str,
    *,
    on_progress: Callable[[Progress], None] = lambda _: None,
    stopped: Callable[[], bool] = lambda: False,
    inspect: Callable[[Path], str] = lambda _: "",
) -> tuple[Path, str, str]:
    """Directory, name and revision of a hub id such as ``mlx-community/SmolLM2-360M-Instruct-4bit``.

    Only weights in safetensors, configuration and tokenizer files are taken: never code, never pickles. The arguments
    are those of ``pull.pull``. Raises ``ModelError``, one sentence.
    """
    path = local_snapshot(repo)
    if path is None:
        from engine.models.pull import FetchError, Stopped, make_plan, pull

        try:
            path = pull(make_plan(repo), on_progress=on_progress, stopped=stopped, inspect=inspect)
        except Stopped:
            raise
        except FetchError as error:
            raise ModelError(f"'{repo}' is not on this disk, and {_lower(str(error))}") from error
    return path, repo.split("/")[-1], path.name


def _lower(sentence: str) -> str:
    first = sentence.split(" ", 1)[0]
    return sentence if any(c in first for c in "./:_0123456789") else sentence[:1].lower() + sentence[1:]
