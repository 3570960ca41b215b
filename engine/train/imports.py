"""Text that was made elsewhere or earlier, taken over into a data set as raw files of their own."""

from __future__ import annotations

import contextlib
import hashlib
from pathlib import Path

import numpy as np

from engine.target import Target
from engine.train.clean import repeat_share
from engine.train.conversations import (
    Conversations,
    DataError,
    Shard,
    answer_tokens,
    check_arrays,
    count,
    id_type,
    read_arrays,
    read_shard,
    write_shard,
)
from engine.train.dataset import raw_shards, read_manifest
from engine.train.frame import prompt_hash, read_frame, turn_span
from engine.train.left_taps import taps_of

HELD_SHARE = 0.1
"""The end of an imported file that doesn't say itself what is held out."""
OF_EACH = ("turns", "prompt_hashes", "repeats", "held", "labels")
"""One of each conversation."""


def import_file(path: Path, file: Path, target: Target) -> int:
    """Take over another file's conversations, once; how many there are. Call it inside ``open_dataset``.

    A file that says itself what is held out, as raw files of a data set do, is taken over as it is.
    """
    arrays = read_arrays(file)
    check_arrays(file, arrays)
    vocabulary = target.facts.vocabulary
    tokens = arrays["tokens"]
    if len(tokens) and int(tokens.max()) >= vocabulary:
        raise DataError(
            f"{file} holds token {int(tokens.max())}, but {target.facts.name} has {vocabulary}: it is another model's."
        )
    offsets, starts = arrays["offsets"].astype(np.int64), arrays["starts"].astype(np.int32)
    tokens = tokens.astype(id_type(vocabulary))
    n = len(starts)
    name = hashlib.sha256(tokens.tobytes() + offsets.tobytes()).hexdigest()
    to = path / "raw" / f"import-{name[:12]}.npz"
    if "held" in arrays:
        whole = read_shard(file)
        if any(len(getattr(whole.conversations, part)) != n for part in OF_EACH):
            raise DataError(f"{file} is damaged: it doesn't say the same of every conversation.")
        write_shard(to, whole)
        return n
    frame = read_frame(target.tokenizer, target.end_ids)
    turns = np.zeros((n, 2), np.int32)
    hashes = np.zeros(n, np.uint64)
    repeats = np.zeros(n, np.float32)
    for i in range(n):
        ids: list[int] = tokens[offsets[i] : offsets[i] + starts[i]].tolist()
        turns[i] = turn_span(target.tokenizer, frame, ids)
        hashes[i] = prompt_hash(target.tokenizer.decode(ids[turns[i, 0] : turns[i, 1]]))
        repeats[i] = repeat_share(tokens[offsets[i] + starts[i] : offsets[i + 1]])
    held = np.arange(n) >= n - int(n * HELD_SHARE)
    c = Conversations(tokens, offsets, starts, turns, hashes, repeats, held, np.array(["import"] * n, np.str_))
    about = {"file": file.name, "sha256_of_tokens": name, "conversations": n, "answer_tokens": answer_tokens(c)}
    write_shard(to, Shard(c, about))
    return n


def import_dataset(path: Path, other: Path, target: Target) -> int:
    """Take over another data set's raw files; their held-out conversations stay held out. Taps come along where they
    are the same target's.
    """
    manifest = read_manifest(other)
    if manifest.get("vocabulary") != target.facts.vocabulary:
        raise DataError(f"{other} is no data set of {target.facts.name}: name an npz file or a data set's directory.")
    n = 0
    for file, shard in raw_shards(other):
        origin = f"{manifest['recipe']['seed']:x}-{file.stem}" if file.stem.startswith("wave") else ""
        name = f"import-{other.name}-{origin}.npz" if origin else file.name
        to = path / "raw" / name
        if to.exists() and not same_text(read_shard(to).conversations, shard.conversations):
            # Another data set's of the same name, as all are that a training run has made.
            digest = hashlib.sha256(shard.conversations.tokens.tobytes()).hexdigest()
            to = to.with_name(f"{to.stem}-{digest[:12]}.npz")
        for before in taps_of(to):
            before.unlink()
        write_shard(to, shard)
        for taps in taps_of(file) if manifest["target"]["name"] == target.facts.name else []:
            link(taps, to.with_name(to.stem + taps.name.removeprefix(file.stem)))
        n += count(shard.conversations)
    return n


def same_text(a: Conversations, b: Conversations) -> bool:
    return np.array_equal(a.tokens, b.tokens) and np.array_equal(a.offsets, b.offsets)


def link(file: Path, to: Path) -> None:
    """The same file in another directory; on another disk it is left out, since it can be made again."""
    with contextlib.suppress(OSError):
        to.hardlink_to(file)
