"""What is asked of ``slipstream models``, as words of a command line. Pure functions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]*/[\w.-]+")


@dataclass(frozen=True, slots=True)
class Where:
    """Where models are looked for, where they come from, and how their memory is judged."""

    folders: tuple[str, ...] = ()
    endpoint: str = ""
    """Empty: the hub itself, or what HF_ENDPOINT says."""
    reserve_gb: float = 2.0
    """Memory left to other programs."""


def list_words(where: Where) -> list[str]:
    return ["models", "list", "--json", *_folders(where), *_endpoint(where), "--reserve-gb", f"{where.reserve_gb:g}"]


def pull_words(repos: Sequence[str], where: Where) -> list[str]:
    return ["models", "pull", *repos, *_folders(where), *_endpoint(where)]


def remove_words(use: str, where: Where) -> list[str]:
    return ["models", "remove", use, *_folders(where)]


def quantize_words(source: str, out: Path) -> list[str]:
    return ["models", "quantize", source, "--out", str(out)]


def hub_id(text: str) -> str:
    """The hub id in what a person typed or pasted, an address of its page included; empty where there is none."""
    plain = text.strip().rstrip("/")
    plain = re.sub(r"^https?://[^/]+/", "", plain)
    plain = "/".join(plain.split("/")[:2])
    return plain if HUB_ID.fullmatch(plain) else ""


def _folders(where: Where) -> list[str]:
    """Folders that are gone (a disk that is not plugged in) are left out."""
    return [word for folder in where.folders if Path(folder).is_dir() for word in ("--folder", folder)]


def _endpoint(where: Where) -> list[str]:
    return ["--endpoint", where.endpoint] if where.endpoint else []


@dataclass(slots=True)
class PullQueue:
    """Hub ids that wait for their turn, each once."""

    waiting: list[tuple[str, ...]] = field(default_factory=list)

    def add(self, repos: Sequence[str], running: Sequence[str] = ()) -> bool:
        """False where all of it waits or runs already."""
        known = {repo for entry in self.waiting for repo in entry} | set(running)
        new = tuple(repo for repo in repos if repo not in known)
        if new:
            self.waiting.append(new)
        return bool(new)

    def next(self) -> tuple[str, ...]:
        return self.waiting.pop(0) if self.waiting else ()
