"""Conversations as arrays, and their files.

All conversations lie end to end in ``tokens``; number i is ``tokens[offsets[i]:offsets[i + 1]]``, and its answer begins
at ``starts[i]`` of that. A file with only these three arrays is one that another tool may have made; our own files hold
the rest beside them. Files appear whole or not at all. Nothing of MLX is imported.
"""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ids = NDArray[np.unsignedinteger[Any]]


class DataError(Exception):
    """Training text can't be made or used as it is. Its text is meant for the user."""


@dataclass(frozen=True, slots=True)
class Conversations:
    tokens: Ids
    """[total]; uint16 where the vocabulary fits, uint32 otherwise."""
    offsets: NDArray[np.int64]
    """[n + 1]"""
    starts: NDArray[np.int32]
    """[n], first answer token inside each conversation."""
    turns: NDArray[np.int32]
    """[n, 2], where the user's turn begins and ends inside each conversation."""
    prompt_hashes: NDArray[np.uint64]
    """[n], of the user's turn as text (``frame.prompt_hash``)."""
    repeats: NDArray[np.float32]
    """[n], share of the answer's 8-grams that occurred in it before."""
    held: NDArray[np.bool_]
    """[n], kept away from training."""
    labels: NDArray[np.str_]
    """[n], task/language/format, or where it came from."""


@dataclass(slots=True)
class Written:
    """One conversation as it is made."""

    prompt: list[int]
    answer: list[int]
    turn: tuple[int, int]
    prompt_hash: int
    held: bool
    label: str


@dataclass(frozen=True, slots=True)
class Shard:
    """A raw file: conversations and how they came about."""

    conversations: Conversations
    about: dict[str, Any] = field(default_factory=dict)


def id_type(vocabulary: int) -> type[np.uint16] | type[np.uint32]:
    return np.uint16 if vocabulary <= 1 << 16 else np.uint32


def count(c: Conversations) -> int:
    return len(c.starts)


def conversation(c: Conversations, i: int) -> Ids:
    return c.tokens[c.offsets[i] : c.offsets[i + 1]]


def answer(c: Conversations, i: int) -> Ids:
    return c.tokens[c.offsets[i] + c.starts[i] : c.offsets[i + 1]]


def user_turn(c: Conversations, i: int) -> Ids:
    begin, end = c.turns[i]
    return c.tokens[c.offsets[i] + begin : c.offsets[i] + end]


def answer_tokens(c: Conversations) -> int:
    return int(c.offsets[-1] - c.starts.sum())


def pack(written: Sequence[Written], vocabulary: int) -> Conversations:
    """Lists to arrays."""
    from engine.train.clean import repeat_share

    kind = id_type(vocabulary)
    lengths = [len(w.prompt) + len(w.answer) for w in written]
    return Conversations(
        tokens=np.array([t for w in written for t in (*w.prompt, *w.answer)], kind),
        offsets=np.cumsum([0, *lengths], dtype=np.int64),
        starts=np.array([len(w.prompt) for w in written], np.int32),
        turns=np.array([w.turn for w in written], np.int32).reshape(-1, 2),
        prompt_hashes=np.array([w.prompt_hash for w in written], np.uint64),
        repeats=np.array([repeat_share(np.array(w.answer, kind)) for w in written], np.float32),
        held=np.array([w.held for w in written], np.bool_),
        labels=np.array([w.label for w in written], np.str_),
    )


def take(c: Conversations, indices: Sequence[int] | NDArray[np.int64]) -> Conversations:
    """Some of them, in the order given."""
    at = np.asarray(indices, np.int64)
    parts = [conversation(c, int(i)) for i in at]
    return Conversations(
        tokens=np.concatenate(parts) if parts else c.tokens[:0],
        offsets=np.cumsum([0, *map(len, parts)], dtype=np.int64),
        starts=c.starts[at],
        turns=c.turns[at],
        prompt_hashes=c.prompt_hashes[at],
        repeats=c.repeats[at],
        held=c.held[at],
        labels=c.labels[at],
    )


def join(parts: Sequence[Conversations], vocabulary: int) -> Conversations:
    """One after the other."""
    if not parts:
        return pack([], vocabulary)
    lengths = np.concatenate([np.diff(p.offsets) for p in parts])
    return Conversations(
        tokens=np.concatenate([p.tokens for p in parts]).astype(id_type(vocabulary)),
        offsets=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        starts=np.concatenate([p.starts for p in parts]),
        turns=np.concatenate([p.turns for p in parts]),
        prompt_hashes=np.concatenate([p.prompt_hashes for p in parts]),
        repeats=np.concatenate([p.repeats for p in parts]),
        held=np.concatenate([p.held for p in parts]),
        labels=np.concatenate([p.labels for p in parts]),
    )


# Files


def write_shard(path: Path, shard: Shard) -> None:
    c = shard.conversations
    half = path.with_name(f".{path.name}.part")
    with half.open("wb") as file:
        np.savez_compressed(
            file,
            tokens=c.tokens, offsets=c.offsets, starts=c.starts, turns=c.turns, prompt_hashes=c.prompt_hashes,
            repeats=c.repeats, held=c.held, labels=c.labels, about=np.array(json.dumps(shard.about)),
        )  # fmt: skip
        file.flush()
        os.fsync(file.fileno())
    half.replace(path)


def write_json(path: Path, content: dict[str, Any]) -> None:
    half = path.with_name(f".{path.name}.part")
    half.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    half.replace(path)


def read_shard(path: Path) -> Shard:
    """One of our own files. Raises ``DataError``."""
    arrays = read_arrays(path)
    names = [name for name in Conversations.__dataclass_fields__ if name not in arrays]
    if names:
        raise DataError(f"{path} lacks {', '.join(names)}: make the data set anew, or import the file with --from.")
    try:
        about = json.loads(str(arrays["about"])) if "about" in arrays else {}
        shard = Shard(Conversations(**{name: arrays[name] for name in Conversations.__dataclass_fields__}), about)
    except ValueError as error:
        raise DataError(f"{path} is damaged ({error}): remove it and run the command again.") from error
    check_arrays(path, arrays)
    return shard


def read_arrays(path: Path) -> dict[str, NDArray[Any]]:
    try:
        with np.load(path, allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
    except FileNotFoundError as error:
        raise DataError(f"There is no file {path}.") from error
    except (IsADirectoryError, NotADirectoryError, PermissionError) as error:
        raise DataError(f"{path} can't be read ({(error.strerror or str(error)).lower()}).") from error
    except (OSError, ValueError, zipfile.BadZipFile, EOFError, KeyError) as error:
        raise DataError(f"{path} is not an npz file of conversations: {error}.") from error


def check_arrays(path: Path, arrays: dict[str, NDArray[Any]]) -> None:
    """That ``tokens``, ``offsets`` and ``starts`` describe conversations. Raises ``DataError``."""
    missing = [name for name in ("tokens", "offsets", "starts") if name not in arrays]
    if missing:
        raise DataError(f"{path} holds no {' and no '.join(missing)}: name an npz file of conversations.")
    tokens, offsets, starts = arrays["tokens"], arrays["offsets"], arrays["starts"]
    integers = all(np.issubdtype(a.dtype, np.integer) and a.ndim == 1 for a in (tokens, offsets, starts))
    if not integers or len(offsets) != len(starts) + 1 or offsets[0] != 0 or offsets[-1] != len(tokens):
        raise DataError(f"{path} is damaged: its offsets don't divide its tokens into conversations.")
    lengths = np.diff(offsets.astype(np.int64))
    if (lengths < 0).any() or (starts < 0).any() or (starts > lengths).any():
        raise DataError(f"{path} is damaged: an answer begins outside its conversation.")
