"""A data set's directory.

    raw/wave-000012.npz     one wave as it was written, never changed
    raw/import-<hash>.npz   another file's conversations
    raw/*.taps-<layers>.npy what the target's layers gave for a wave, where that was wanted (``left_taps``)
    train.npz, held.npz     what ``clean`` leaves of all raw files; made anew at the end of every run
    dataset.json            target, recipe, sources, counts, what was dropped and why

One process writes at a time. Killed at any moment, a run loses no more than its unfinished wave.
"""

from __future__ import annotations

import fcntl
import json
import time
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
from engine.train.generate import OnProgress, Progress, Rate, Recipe, another, wave_size, write_wave
from engine.train.left_taps import keep_taps, kept_bytes, raw_of, taps_files
from engine.train.openers import Openers

VERSION = 1
KEY = "slipstream_dataset"
MANIFEST = "dataset.json"


@dataclass(frozen=True, slots=True)
class Dataset:
    train: Conversations
    held: Conversations
    manifest: dict[str, Any]
    path: Path | None = None
    """Its directory."""


def read_dataset(path: Path) -> Dataset:
    """A finished data set. Raises ``DataError``."""
    if path.is_file():
        raise DataError(
            f"{path} is a file: name the directory of a data set. `slipstream train data --from {path} --tokens 0 "
            "--out DIR` makes one of an npz file of conversations."
        )
    manifest = read_manifest(path)
    if not manifest or not (path / "train.npz").is_file():
        raise DataError(f"{path} is no data set: make one with `slipstream train data --out {path}`.")
    train, held = (read_shard(path / name).conversations for name in ("train.npz", "held.npz"))
    return Dataset(train, held, manifest, path)


def read_manifest(path: Path) -> dict[str, Any]:
    """Empty where there is none."""
    file = path / MANIFEST
    try:
        manifest = json.loads(file.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise DataError(f"{file} can't be read ({(error.strerror or str(error)).lower()}).") from error
    except ValueError as error:
        raise DataError(f"{file} is damaged ({error}): make the data set anew in another directory.") from error
    if not isinstance(manifest, dict) or manifest.get(KEY) != VERSION:
        raise DataError(f"{file} is of another version ({manifest.get(KEY)!r}): choose another directory.")
    return manifest


def planned_wave(path: Path, limit_s: float) -> tuple[int, int] | None:
    """Rows and rounds of a directory's waves; None where they are to be chosen: there is none, nor a plan for
    that time.

    What depends on a measured pace is chosen once: a run that goes on keeps it, in more time too.
    """
    manifest = read_manifest(path)
    if manifest and (_waves(path) or manifest.get("limit_s") == limit_s):
        return int(manifest["recipe"]["rows"]), _rounds(manifest)
    return None


def begun_rounds(path: Path) -> int:
    """Rounds of the waves that a directory holds; 0 where none is written."""
    manifest = read_manifest(path)
    return _rounds(manifest) if manifest and _waves(path) else 0


def _rounds(manifest: dict[str, Any]) -> int:
    """Data sets of before there were rounds have one."""
    return int(manifest["recipe"].get("rounds", 1))


@contextmanager
def open_dataset(path: Path, target: Target, recipe: Recipe, limit_s: float = 0.0) -> Iterator[None]:
    """Hold a directory for writing, made or gone on with; ``limit_s`` is the time that its rows were chosen for.

    Raises:
        DataError: it is another text's, or can't be written.
    """
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
        _check_same(path, target, recipe, limit_s)
        for leftover in (path / "raw").glob(".*.part"):
            leftover.unlink()
        for taps in taps_files(path):
            if not raw_of(taps).exists():  # their wave was not written any more
                taps.unlink()
        if not (path / MANIFEST).exists():
            write_json(path / MANIFEST, _manifest(target, recipe, limit_s))
        yield


def _waves(path: Path) -> list[Path]:
    return list((path / "raw").glob("wave-*.npz"))


def _check_same(path: Path, target: Target, recipe: Recipe, limit_s: float) -> None:
    manifest = read_manifest(path)
    if not manifest:
        return
    if (manifest["target"]["name"], manifest["vocabulary"]) != (target.facts.name, target.facts.vocabulary):
        raise DataError(f"{path} holds text of {manifest['target']['name']}: choose another directory.")
    before = {**manifest["recipe"], "rounds": _rounds(manifest)}
    now = msgspec.to_builtins(recipe)
    changed = [name for name in now if before.get(name) != now[name]]
    waves = _waves(path)
    if changed and waves:
        said = " and ".join(changed_text(name, before.get(name), now[name]) for name in changed)
        raise DataError(
            f"{path} was begun with {said}: give the same again to go on with it, or choose another directory (--out)."
        )
    if not waves and (changed or manifest.get("limit_s", 0.0) != limit_s):
        write_json(path / MANIFEST, manifest | _manifest(target, recipe, limit_s))


OPTIONS = {"seed": "--seed", "temperature": "--temperature", "conversation_tokens": "--length", "rows": "--rows"}


def changed_text(name: str, before: Any, now: Any) -> str:
    """What of a recipe is another, as the user knows it."""
    if name in OPTIONS:
        return f"{OPTIONS[name]} {before} (now {now})"
    return {
        "source_sha256": "other beginnings of its text (--prompts, --openers)",
        "languages": "other --languages",
        "rounds": f"waves of {before} rounds (now {now})",
    }.get(name, f"another {name.replace('_', ' ')}")


def _manifest(target: Target, recipe: Recipe, limit_s: float) -> dict[str, Any]:
    return {
        KEY: VERSION,
        "target": msgspec.to_builtins(target.facts),
        "vocabulary": target.facts.vocabulary,
        "recipe": msgspec.to_builtins(recipe),
        "limit_s": limit_s,
    }


def generate(
    path: Path,
    target: Target,
    recipe: Recipe,
    source: Openers | Sequence[str],
    goal_tokens: int,
    *,
    limit_s: float = 0.0,
    cancelled: Callable[[], bool] = lambda: False,
    on_progress: OnProgress = lambda _: None,
    clock: Callable[[], float] = time.perf_counter,
    layers: Sequence[int] = (),
    taps_bytes: float = 0.0,
) -> bool:
    """Write waves until the data set holds ``goal_tokens`` answer tokens, before cleaning. False where cancelled.

    ``limit_s`` is for all waves together, those of earlier runs included (0: no limit), and kept as ``another`` says.
    Of ``layers`` taps are kept as they come by, up to ``taps_bytes`` (``left_taps``). Call it inside ``open_dataset``.
    """
    seen: set[int] = set()
    conversations = tokens = 0
    written: dict[str, tuple[float, int]] = {}
    for file, shard in raw_shards(path):
        written[file.name] = float(shard.about.get("seconds", 0)), answer_tokens(shard.conversations)
        seen |= set(shard.conversations.prompt_hashes.tolist())
        conversations += count(shard.conversations)
        tokens += answer_tokens(shard.conversations)
    prompts = 0 if isinstance(source, Openers) else len(source)
    rate = Rate(conversations, tokens, goal_tokens, on_progress, clock, prompts)
    if kept_bytes(path) >= taps_bytes:
        layers = ()
    wave = 0
    while rate.tokens < goal_tokens and (isinstance(source, Openers) or wave * wave_size(recipe) < len(source)):
        file = path / "raw" / f"wave-{wave:06}.npz"
        if file.name not in written:
            if cancelled():
                return False
            if not another(rate.waves, limit_s):
                return True
            try:
                shard, taps = write_wave(target, recipe, wave, source, seen, rate, cancelled, layers)
            except Cancelled:
                return False
            if taps is not None and not keep_taps(file, layers, taps, taps_bytes):
                layers = ()
            write_shard(file, shard)
            seen |= set(shard.conversations.prompt_hashes.tolist())
            rate.conversations += count(shard.conversations)
            written[file.name] = shard.about["seconds"], answer_tokens(shard.conversations)
        seconds, made = written[file.name]
        rate.end_wave(seconds, min(wave_size(recipe), max(prompts - wave * wave_size(recipe), 0)), made)
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
    with_taps = {raw_of(file) for file in taps_files(path)}
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
        "taps": {
            "bytes": kept_bytes(path),
            "conversations": sum(count(shard.conversations) for file, shard in shards if file in with_taps),
        },
        "files": {file.name: shard.about for file, shard in shards},
    }
    write_shard(path / "train.npz", Shard(train))
    write_shard(path / "held.npz", Shard(held))
    write_json(path / MANIFEST, manifest)
    return manifest


def _counts(c: Conversations) -> dict[str, int]:
    return {"conversations": count(c), "tokens": int(c.offsets[-1]), "answer_tokens": answer_tokens(c)}
