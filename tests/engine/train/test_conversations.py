from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.train.conversations import (
    Conversations,
    DataError,
    Shard,
    answer,
    answer_tokens,
    conversation,
    count,
    join,
    pack,
    read_shard,
    take,
    user_turn,
    write_shard,
)
from tests.engine.train.texts import conversations

THREE = conversations(([5, 6], [7, 8, 9], False), ([4], [3], True), ([10, 11, 12], [13, 14], False))


def same(a: Conversations, b: Conversations) -> bool:
    return all(np.array_equal(getattr(a, name), getattr(b, name)) for name in Conversations.__dataclass_fields__)


def test_parts_of_a_conversation() -> None:
    assert count(THREE) == 3
    assert conversation(THREE, 0).tolist() == [60, 5, 6, 61, 7, 8, 9]
    assert [user_turn(THREE, i).tolist() for i in range(3)] == [[5, 6], [4], [10, 11, 12]]
    assert [answer(THREE, i).tolist() for i in range(3)] == [[7, 8, 9], [3], [13, 14]]
    assert answer_tokens(THREE) == 6


def test_take_and_join_are_inverse() -> None:
    assert same(join([take(THREE, [0]), take(THREE, [1, 2])], 64), THREE)
    assert [conversation(take(THREE, [2, 0]), i).tolist()[1] for i in range(2)] == [10, 5]
    assert count(take(THREE, [])) == count(join([], 64)) == 0


def test_files_keep_everything(tmp_path: Path) -> None:
    write_shard(tmp_path / "a.npz", Shard(THREE, {"wave": 3}))
    again = read_shard(tmp_path / "a.npz")
    assert same(again.conversations, THREE)
    assert again.about == {"wave": 3}
    assert again.conversations.tokens.dtype == np.uint16
    assert [path.name for path in tmp_path.iterdir()] == ["a.npz"]
    assert pack([], 100_000).tokens.dtype == np.uint32


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"tokens": np.arange(4)}, "divide its tokens"),
        ({"starts": np.array([9, 0, 0], np.int32)}, "outside its conversation"),
        ({"starts": np.array([0.5, 1, 2])}, "divide its tokens"),
        ({"held": None}, "lacks held"),
    ],
)
def test_damaged_files_are_refused(tmp_path: Path, change: dict[str, np.ndarray | None], message: str) -> None:
    arrays = {name: getattr(THREE, name) for name in Conversations.__dataclass_fields__} | change
    np.savez(tmp_path / "a.npz", **{name: a for name, a in arrays.items() if a is not None})
    with pytest.raises(DataError, match=message):
        read_shard(tmp_path / "a.npz")


def test_other_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.npz").write_bytes(b"no zip")
    with pytest.raises(DataError, match="is not an npz file"):
        read_shard(tmp_path / "a.npz")
    with pytest.raises(DataError, match="There is no file"):
        read_shard(tmp_path / "b.npz")
