"""What begins the user's turns of self-made text: openers by task, language and format, or the user's own prompts.

An opener is the beginning of a turn; the model goes on. A request for a format ("Answer with a table.") is put behind
a turn that is done. Files are checked here; everything is text.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from engine.paths import resources_dir
from engine.train.conversations import DataError

PLAIN_SHARE = 0.6
"""Of the turns that could ask for a format, those that don't."""
TURN_TOKENS = 48
LANGUAGES = ("en", "zh", "mixed")


class Group(msgspec.Struct, frozen=True, kw_only=True):
    """Openers of one kind."""

    task: str
    language: str
    texts: tuple[str, ...]
    format: str = "plain"
    """Other than ``plain``: the openers themselves ask for it."""
    turn_tokens: int = TURN_TOKENS
    """Longest turn; texts that carry their own material need more."""


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """Sentences that ask for a format."""

    format: str
    language: str
    texts: tuple[str, ...]


class Openers(msgspec.Struct, frozen=True, kw_only=True):
    groups: tuple[Group, ...]
    requests: tuple[Request, ...] = ()


class Beginning(msgspec.Struct, frozen=True, kw_only=True):
    """One turn to be written."""

    text: str
    label: str
    request: str = ""
    turn_tokens: int = TURN_TOKENS


def read_openers(path: Path | None = None) -> tuple[Openers, str]:
    """The openers and the hash of their file. Raises ``DataError``."""
    path = path or resources_dir() / "prompts" / "openers.json"
    try:
        content = path.read_bytes()
        openers = msgspec.json.decode(content, type=Openers)
    except OSError as error:
        raise DataError(f"{path} can't be read ({(error.strerror or str(error)).lower()}).") from error
    except msgspec.DecodeError as error:
        raise DataError(f"{path} is not a file of openers: {error}.") from error
    if not any(group.texts for group in openers.groups):
        raise DataError(f"{path} holds no openers: give at least one group with texts.")
    return openers, hashlib.sha256(content).hexdigest()


def read_prompts(path: Path) -> tuple[list[str], str]:
    """The user's own prompts, one a line or JSON lines with ``prompt``, and the hash of the file."""
    try:
        content = path.read_bytes()
        lines = content.decode("utf-8").splitlines()
    except OSError as error:
        raise DataError(f"{path} can't be read ({(error.strerror or str(error)).lower()}).") from error
    except UnicodeDecodeError as error:
        raise DataError(f"{path} is not UTF-8 text: {error.reason} at byte {error.start}.") from error
    json_lines = path.suffix in (".jsonl", ".ndjson")
    prompts = [
        _json_prompt(path, number, line) if json_lines else line.strip()
        for number, line in enumerate(lines, start=1)
        if line.strip()
    ]
    if not prompts:
        raise DataError(f"{path} holds no prompts: write one a line.")
    return prompts, hashlib.sha256(content).hexdigest()


def _json_prompt(path: Path, number: int, line: str) -> str:
    try:
        value: Any = json.loads(line)
    except json.JSONDecodeError as error:
        raise DataError(f"Line {number} of {path} is not JSON: {error.msg}.") from error
    prompt = value.get("prompt") if isinstance(value, dict) else value
    if not isinstance(prompt, str) or not prompt.strip():
        raise DataError(f'Line {number} of {path} holds no prompt: write {{"prompt": "..."}} or a string.')
    return prompt.strip()


def read_weights(text: str) -> dict[str, float]:
    """``en=8,zh=1`` -> shares of the languages. Raises ``DataError``."""
    weights: dict[str, float] = {}
    for part in text.split(","):
        name, _, value = part.partition("=")
        try:
            weights[name.strip()] = float(value)
        except ValueError as error:
            raise DataError(f"'{part}' is no share of a language: write en=8,zh=1,mixed=1.") from error
    unknown = sorted(set(weights) - set(LANGUAGES))
    if unknown or any(w < 0 for w in weights.values()) or not any(weights.values()):
        raise DataError(f"'{text}' gives no shares of {', '.join(LANGUAGES)}: write en=8,zh=1,mixed=1.")
    return weights


def choose(openers: Openers, weights: Mapping[str, float], rows: int, rng: np.random.Generator) -> list[Beginning]:
    """Turns to write: a language by its share, then a task, an opener, and sometimes a format. Raises ``DataError``."""
    by_language: dict[str, dict[str, list[Group]]] = {}
    for group in openers.groups:
        if group.texts:
            by_language.setdefault(group.language, {}).setdefault(group.task, []).append(group)
    languages = [name for name in by_language if weights.get(name, 0) > 0]
    if not languages:
        raise DataError(f"No opener is in a language that was asked for ({', '.join(weights)}).")
    shares = np.array([weights[name] for name in languages])
    return [_one(openers, by_language[str(rng.choice(languages, p=shares / shares.sum()))], rng) for _ in range(rows)]


def _one(openers: Openers, tasks: Mapping[str, list[Group]], rng: np.random.Generator) -> Beginning:
    groups = tasks[sorted(tasks)[rng.integers(len(tasks))]]
    # A group counts by its openers: each opener of a task is as likely as any other.
    sizes = np.array([len(group.texts) for group in groups])
    group = groups[rng.choice(len(groups), p=sizes / sizes.sum())]
    text = group.texts[rng.integers(len(group.texts))]
    form, request = group.format, ""
    fitting = [r for r in openers.requests if r.language == group.language and r.texts]
    if form == "plain" and fitting and rng.random() >= PLAIN_SHARE:
        chosen = fitting[rng.integers(len(fitting))]
        form, request = chosen.format, chosen.texts[rng.integers(len(chosen.texts))]
    return Beginning(
        text=text, label=f"{group.task}/{group.language}/{form}", request=request, turn_tokens=group.turn_tokens
    )
