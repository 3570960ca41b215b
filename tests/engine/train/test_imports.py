"""Text of elsewhere is taken over as it is, once, and never another model's."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
import pytest

from engine.train.conversations import Conversations, DataError, Shard, conversation, count, write_shard
from engine.train.dataset import gather, open_dataset, raw_shards, read_dataset
from engine.train.imports import import_dataset, import_file
from tests.engine.train.test_dataset import RECIPE, files, made
from tests.engine.train.texts import chat_target, conversations


def foreign(path: Path, n: int = 40, highest: int = 60) -> Path:
    """A file as another tool may have written it: three arrays."""
    rng = np.random.default_rng(1)
    rows = [(rng.integers(2, highest, 5).tolist(), rng.integers(2, highest, 30).tolist(), False) for _ in range(n)]
    c = conversations(*rows)
    np.savez(path, tokens=c.tokens, offsets=c.offsets, starts=c.starts)
    return path


def test_a_file_that_says_what_is_held_out_is_taken_over_as_it_is(tmp_path: Path) -> None:
    target = chat_target()
    own = conversations(([2, 3], [4, 5], True), ([6], [7, 8, 9], False), ([3], [8], False))
    shard = Shard(own, {"file": "elsewhere"})
    write_shard(tmp_path / "own.npz", shard)
    with open_dataset(tmp_path / "d", target, RECIPE):
        assert import_file(tmp_path / "d", tmp_path / "own.npz", target) == 3
    ((_, found),) = raw_shards(tmp_path / "d")
    assert found.about == shard.about
    for name in Conversations.__dataclass_fields__:
        assert np.array_equal(getattr(found.conversations, name), getattr(own, name)), name
    write_shard(tmp_path / "bad.npz", Shard(replace(own, held=own.held[:-1]), {}))
    with pytest.raises(DataError, match="the same of every conversation"), open_dataset(tmp_path / "e", target, RECIPE):
        import_file(tmp_path / "e", tmp_path / "bad.npz", target)


def test_imported_text_is_held_out_at_its_end(tmp_path: Path) -> None:
    target = chat_target()
    file = foreign(tmp_path / "other.npz")
    with open_dataset(tmp_path / "d", target, RECIPE):
        assert import_file(tmp_path / "d", file, target) == 40
        assert import_file(tmp_path / "d", file, target) == 40  # once more changes nothing
        gather(tmp_path / "d")
    data = read_dataset(tmp_path / "d")
    with np.load(file) as arrays:
        tokens, offsets = arrays["tokens"], arrays["offsets"]
    assert (count(data.train), count(data.held)) == (36, 4)
    for i in range(4):
        assert conversation(data.held, i).tolist() == tokens[offsets[36 + i] : offsets[37 + i]].tolist()


def test_another_models_text_is_refused(tmp_path: Path) -> None:
    target = chat_target()
    target.facts = msgspec.structs.replace(target.facts, vocabulary=50)
    file = foreign(tmp_path / "other.npz")
    with (
        open_dataset(tmp_path / "d", target, RECIPE),
        pytest.raises(DataError, match=r"has 50: it is another model's"),
    ):
        import_file(tmp_path / "d", file, target)


def test_data_sets_are_merged_with_their_split(tmp_path: Path) -> None:
    target = chat_target(seed=3)
    made(tmp_path / "a", target, 1500)
    with open_dataset(tmp_path / "b", target, RECIPE):
        import_file(tmp_path / "b", foreign(tmp_path / "other.npz"), target)
        import_dataset(tmp_path / "b", tmp_path / "a", target)
        gather(tmp_path / "b")
    a, b = read_dataset(tmp_path / "a"), read_dataset(tmp_path / "b")
    assert set(a.held.prompt_hashes.tolist()) <= set(b.held.prompt_hashes.tolist())
    assert count(b.train) == count(a.train) + 36


def test_two_data_sets_of_one_name_are_both_taken_over(tmp_path: Path) -> None:
    target = chat_target(seed=3)
    made(tmp_path / "one" / "text", target, 100)
    made(tmp_path / "two" / "text", target, 100, msgspec.structs.replace(RECIPE, conversation_tokens=90))
    with open_dataset(tmp_path / "both", target, RECIPE):
        for name in ("one", "two", "one", "two"):
            import_dataset(tmp_path / "both", tmp_path / name / "text", target)
    texts = list(files(tmp_path / "both").values())
    assert len(texts) == 2
    assert [*files(tmp_path / "one" / "text").values(), *files(tmp_path / "two" / "text").values()] in (
        texts,
        texts[::-1],
    )
