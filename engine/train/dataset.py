"""A data set's directory.

    raw/wave-000012.npz     one wave as it was written, never changed
    raw/import-<hash>.npz   another file's conversations
    train.npz, held.npz     what ``clean`` leaves of all raw files; made anew at the end of every run
    dataset.json            target, recipe, sources, counts, what was dropped and why

One process writes at a time. Killed at any moment, a run loses no more than its unfinished wave.
"""

from __future__ import annotations

import fcntl
import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from engine.target import Target
from engine.train.batch import Cancelled
from engine.train.clean import LOOP_SHARE, clean, leaks
from engine.train.conversations import (
    Conversations,
    DataError,
    Shard,
    answer_tokens,
    count,
    join,
    read_shard,
    take,
    write_json,
    write_shard,
)
from engine.train.generate import OnProgress, Progress, Rate, Recipe, write_wave
from engine.train.openers import Openers

VERSION = 1
KEY = "slipstream_dataset"
MANIFEST = "dataset.json"


@dataclass(frozen=True, slots=True)
class Dataset:
    train: Conversations
    held: Conversations
    manifest: dict[str, Any]


def read_dataset(path: Path) -> Dataset:
    """A finished data set. Raises ``DataError``."""
    manifest = read_manifest(path)
    if not manifest or not (path / "train.npz").is_file():
        raise DataError(f"{path} is no data set: make one with `slipstream train data --out {path}`.")
    return Dataset(read_shard(path / "train.npz").conversations, read_shard(path / "held.npz").conversations, manifest)


def read_manifest(path: Path) -> dict[str, Any]:
    """Empty where there is none."""
    file = path / MANIFEST
    try:
        manifest = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise DataError(f"{file} can't be read: {error}.") from error
    if not isinstance(manifest, dict) or manifest.get(KEY) != VERSION:
        raise DataError(f"{file} is of another version ({manifest.get(KEY)!r}): choose another directory.")
    return manifest


@contextmanager
def open_dataset(path: Path, target: Target, recipe: Recipe) -> Iterator[None]:
    """Hold a directory for writing, made or gone on with. Raises ``DataError`` where it is another text's."""
    try:
        (path / "raw").mkdir(parents=True, exist_ok=True)
        lock = (path / ".lock").open("w")
    except OSError as error:
        raise DataError(f"{path} can't be written ({(error.strerror or str(error)).lower()}).") from error
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise DataError(f"Another process is writing {path}: wait for it, or choose another directory.") from error
        _check_same(path, target, recipe)
        for leftover in (path / "raw").glob(".*.part"):
            leftover.unlink()
        if not (path / MANIFEST).exists():
            write_json(path / MANIFEST, _manifest(target, recipe))
        yield


def _check_same(path: Path, target: Target, recipe: Recipe) -> None:
    manifest = read_manifest(path)
    if not manifest:
        return
    if (manifest["target"]["name"], manifest["vocabulary"]) != (target.facts.name, target.facts.vocabulary):
        raise DataError(f"{path} holds text of {manifest['target']['name']}: choose another directory.")
    before = manifest["recipe"]
    now = msgspec.to_builtins(recipe)
    changed = [name for name in now if before.get(name) != now[name]]
    if changed and list((path / "raw").glob("wave-*.npz")):
        raise DataError(
            f"{path} was begun with another {', '.join(changed).replace('_', ' ')}: give the same again to go on "
            "with it, or choose another directory."
        )
    if changed:
        write_json(path / MANIFEST, _manifest(target, recipe))


def _manifest(target: Target, recipe: Recipe) -> dict[str, Any]:
    return {
        KEY: VERSION,
        "target": msgspec.to_builtins(target.facts),
        "vocabulary": target.facts.vocabulary,
        "recipe": msgspec.to_builtins(recipe),
    }


def generate(
    path: Path,
    target: Target,
    recipe: Recipe,
    source: Openers | Sequence[str],
    goal_tokens: int,
    *,
    cancelled: Callable[[], bool] = lambda: False,
    on_progress: OnProgress = lambda _: None,
) -> bool:
    """Write waves until the data set holds ``goal_tokens`` answer tokens, before cleaning. False where cancelled.

    Call it inside ``open_dataset``.
    """
    seen: set[int] = set()
    conversations = tokens = 0
    for _, shard in raw_shards(path):
        seen |= set(shard.conversations.prompt_hashes.tolist())
        conversations += count(shard.conversations)
        tokens += answer_tokens(shard.conversations)
    rate = Rate(conversations, tokens, goal_tokens, on_progress)
    wave = 0
    while rate.tokens < goal_tokens and (isinstance(source, Openers) or wave * recipe.rows < len(source)):
        file = path / "raw" / f"wave-{wave:06}.npz"
        if not file.exists():
            if cancelled():
                return False
            try:
                shard = write_wave(target, recipe, wave, source, seen, rate, cancelled)
            except Cancelled:
                return False
            write_shard(file, shard)
            seen |= set(shard.conversations.prompt_hashes.tolist())
            rate.conversations += count(shard.conversations)
        wave += 1
    return True


def raw_shards(path: Path) -> Iterator[tuple[Path, Shard]]:
    for file in sorted((path / "raw").glob("*.npz")):
        yield file, read_shard(file)


def gather(path: Path, on_progress: OnProgress = lambda _: None) -> dict[str, Any]:
    """Clean and divide all raw text; writes ``train.npz``, ``held.npz`` and the counts. Returns the manifest."""
    manifest = read_manifest(path)
    shards = list(raw_shards(path))
    everything = join([shard.conversations for _, shard in shards], manifest["vocabulary"])
    raw_tokens = answer_tokens(everything)
    on_progress(Progress("cleaning", count(everything), raw_tokens, raw_tokens, 0.0, None))
    cleaned = clean(everything)
    train, held = take(everything, cleaned.train), take(everything, cleaned.held)
    if found := leaks(train, held):
        raise DataError(f"{found} training conversations of {path} hold a held-out prompt: nothing was written.")
    skipped: Counter[str] = Counter()
    for _, shard in shards:
        skipped.update(shard.about.get("skipped", {}))
    seconds = sum(float(shard.about.get("seconds", 0)) for _, shard in shards)
    made = sum(answer_tokens(s.conversations) for _, s in shards if s.about.get("seconds"))
    manifest |= {
        "raw": _counts(everything),
        "skipped_turns": {name: n for name, n in skipped.items() if n},
        "dropped": dict(cleaned.dropped),
        "dropped_held_out": dict(cleaned.dropped_held),
        "train": _counts(train),
        "held_out": _counts(held),
        "held_out_loops": int((held.repeats > LOOP_SHARE).sum()),
        "repeated_share": {
            name: round(float(part.repeats.mean()), 4) if count(part) else None
            for name, part in (("raw", everything), ("train", train), ("held_out", held))
        },
        "labels": dict(Counter(train.labels.tolist()).most_common()),
        "seconds": round(seconds, 1),
        "tokens_per_s": round(made / seconds, 1) if seconds else None,
        "files": {file.name: shard.about for file, shard in shards},
    }
    write_shard(path / "train.npz", Shard(train))
    write_shard(path / "held.npz", Shard(held))
    write_json(path / MANIFEST, manifest)
    return manifest


def _counts(c: Conversations) -> dict[str, int]:
    return {"conversations": count(c), "tokens": int(c.offsets[-1]), "answer_tokens": answer_tokens(c)}
