"""Taps that are kept while text is written: they are those of a forward, and text never waits for them."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from engine.target import Target
from engine.train import dataset as dataset_module
from engine.train import left_taps as module
from engine.train import taps as taps_module
from engine.train.conversations import Conversations, DataError, Shard, conversation, count, read_shard, write_shard
from engine.train.dataset import Dataset, gather, open_dataset, raw_shards, read_dataset, read_manifest
from engine.train.imports import import_dataset
from engine.train.left_taps import carry_over, drop, keep_taps, kept, kept_bytes, room_bytes, taps_file, taps_files
from engine.train.taps import CachedTaps, fill_taps, open_taps, ready_before, run_taps
from tests.engine.train.test_dataset import LAYERS, RECIPE, ROUNDS, files, made
from tests.engine.train.texts import chat_target, conversations

WIDTH = 32
PLENTY = {"layers": LAYERS, "taps_bytes": 1e9}


def no_forward(*_: Any) -> None:
    raise AssertionError("taps were computed that had been kept")


def opened(path: Path, data: Dataset) -> list[tuple[CachedTaps, Conversations]]:
    parts = {"train": data.train, "held": data.held}
    return [(open_taps(path, name, c, LAYERS, WIDTH, "tiny dense"), c) for name, c in parts.items()]


def check(cache: CachedTaps, target: Target, c: Conversations) -> None:
    for i, taps in enumerate(cache.of(range(count(c)))):
        (whole,) = run_taps(target, [conversation(c, i)], LAYERS)
        assert np.allclose(taps, whole, rtol=2e-3, atol=2e-3), i


def test_text_that_was_written_with_taps_needs_no_forward_for_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = chat_target(seed=3)
    assert made(tmp_path / "d", target, 2000, ROUNDS, **PLENTY)
    data = read_dataset(tmp_path / "d")
    assert count(data.train) > 10 and count(data.held) > 0
    facts = data.manifest["taps"]
    assert facts == {"bytes": kept_bytes(tmp_path / "d"), "conversations": data.manifest["raw"]["conversations"]}
    assert all(kept(tmp_path / "d", LAYERS, WIDTH, c).all() for c in (data.train, data.held))
    parts = opened(tmp_path / "taps", data)
    assert carry_over(tmp_path / "d", parts) == count(data.train) + count(data.held)
    with monkeypatch.context() as patch:
        patch.setattr(taps_module, "run_taps", no_forward)
        assert all(fill_taps(cache, target, c) for cache, c in parts)
    for cache, c in parts:
        assert cache.ready().all()
        check(cache, target, c)
    assert all(ready_before(tmp_path / "taps", "train", data.train, LAYERS, "tiny dense"))
    assert not any(ready_before(tmp_path / "taps", "train", data.held, LAYERS, "tiny dense")), "of another text"


def test_a_limit_stops_keeping_and_changes_no_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = chat_target(seed=3)
    asked: list[tuple[int, ...]] = []
    real = dataset_module.write_wave

    def write_wave(*args: Any) -> Any:
        asked.append(tuple(args[-1]))
        return real(*args)

    monkeypatch.setattr(dataset_module, "write_wave", write_wave)
    made(tmp_path / "none", target, 1300, layers=LAYERS)
    waves = len(asked)
    assert waves > 3 and set(asked) == {()}, "without room for them none are asked for"
    asked.clear()
    made(tmp_path / "first", target, 20, **PLENTY)
    one = kept_bytes(tmp_path / "first")
    asked.clear()
    made(tmp_path / "some", target, 1300, layers=LAYERS, taps_bytes=1.5 * one)
    assert asked == [LAYERS, LAYERS, *[()] * (waves - 2)]
    assert [file.name for file in taps_files(tmp_path / "some")] == ["wave-000000.taps-0-1.npy"]
    assert files(tmp_path / "some") == files(tmp_path / "none")
    # What is missing is computed.
    data = read_dataset(tmp_path / "some")
    assert 0 < data.manifest["taps"]["conversations"] < data.manifest["raw"]["conversations"]
    there = kept(tmp_path / "some", LAYERS, WIDTH, data.train)
    assert there.any() and not there.all()
    parts = opened(tmp_path / "taps", data)
    carry_over(tmp_path / "some", parts)
    assert parts[0][0].ready().tolist() == there.tolist()
    for cache, c in parts:
        assert fill_taps(cache, target, c)
        check(cache, target, c)
    # A limit that is reached already asks for none.
    asked.clear()
    made(tmp_path / "some", target, 1700, layers=LAYERS, taps_bytes=one)
    assert asked and set(asked) == {()}


def test_going_on_keeps_what_was_kept(tmp_path: Path) -> None:
    target = chat_target(seed=3)
    made(tmp_path / "through", target, 1200, **PLENTY)
    made(tmp_path / "stops", target, 300, **PLENTY)
    before = {file.name: file.read_bytes() for file in taps_files(tmp_path / "stops")}
    asked: list[int] = []

    def soon() -> bool:
        asked.append(1)
        return len(asked) > 40

    assert not made(tmp_path / "stops", target, 1200, cancelled=soon, **PLENTY)
    assert {file.name: file.read_bytes() for file in taps_files(tmp_path / "stops")} == before
    assert made(tmp_path / "stops", target, 1200, **PLENTY)
    names = [file.name for file in taps_files(tmp_path / "stops")]
    assert names == [file.name for file in taps_files(tmp_path / "through")] and len(names) > len(before) > 0
    for a, b in zip(taps_files(tmp_path / "stops"), taps_files(tmp_path / "through"), strict=True):
        assert np.array_equal(np.load(a), np.load(b))


def test_taps_of_a_wave_that_was_not_written_any_more_go_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = chat_target(seed=3)
    made(tmp_path / "through", target, 700, **PLENTY)
    real = dataset_module.write_shard

    def killed(path: Path, shard: Shard) -> None:
        if path.name == "wave-000001.npz":
            raise KeyboardInterrupt
        real(path, shard)

    with monkeypatch.context() as patch:
        patch.setattr(dataset_module, "write_shard", killed)
        with pytest.raises(KeyboardInterrupt):
            made(tmp_path / "killed", target, 700, **PLENTY)
    lonely = tmp_path / "killed/raw/wave-000001.taps-0-1.npy"
    half = tmp_path / "killed/raw/.wave-000002.taps-0-1.npy.part"
    assert lonely.exists()
    half.write_bytes(b"half a file")
    with open_dataset(tmp_path / "killed", target, RECIPE):
        assert not lonely.exists() and not half.exists()
        assert len(taps_files(tmp_path / "killed")) == 1, "of the wave that is there"
    # They are kept anew, within a limit that only just holds them.
    assert made(tmp_path / "killed", target, 700, layers=LAYERS, taps_bytes=kept_bytes(tmp_path / "through"))
    assert files(tmp_path / "killed") == files(tmp_path / "through")
    assert kept_bytes(tmp_path / "killed") == kept_bytes(tmp_path / "through")


def test_a_disk_that_is_full_of_taps_still_takes_the_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = chat_target(seed=3)
    made(tmp_path / "whole", target, 700)
    real = np.save

    def full(file: Any, array: Any) -> None:
        if len(list((tmp_path / "d/raw").glob("*.npz"))) == 1:
            file.write(b"as much as there was room for")
            raise OSError(errno.ENOSPC, "No space left on device")
        real(file, array)

    with monkeypatch.context() as patch:
        patch.setattr(module.np, "save", full)
        assert made(tmp_path / "d", target, 700, **PLENTY)
    assert files(tmp_path / "d") == files(tmp_path / "whole")
    assert [file.name for file in taps_files(tmp_path / "d")] == ["wave-000000.taps-0-1.npy"]
    assert not list((tmp_path / "d/raw").glob(".*"))
    # And it is not filled to its end.
    monkeypatch.setattr(module, "SPARE_BYTES", 1 << 60)
    assert not keep_taps(tmp_path / "d/raw/wave-000009.npz", LAYERS, np.zeros((1, 2, 4), np.float16), 1e9)
    assert len(taps_files(tmp_path / "d")) == 1


def hand_made(path: Path, target: Target, mark: float = 0.0) -> Dataset:
    """Two waves of three conversations, with taps that say which wave and token they are of."""
    with open_dataset(path, target, RECIPE):
        for wave in range(2):
            rng = np.random.default_rng(wave)
            rows = [(rng.integers(2, 59, 9).tolist(), rng.integers(2, 59, 9 + i).tolist(), i == 2) for i in range(3)]
            c = conversations(*rows)
            raw = path / "raw" / f"wave-{wave:06}.npz"
            write_shard(raw, Shard(c))
            taps = np.zeros((len(c.tokens), 2, WIDTH), np.float16)
            taps[:] = (mark + wave + np.arange(len(c.tokens)) / 256)[:, None, None]
            assert keep_taps(raw, LAYERS, taps, 1e9)
        gather(path)
    return read_dataset(path)


def test_each_conversation_gets_its_own(tmp_path: Path) -> None:
    data = hand_made(tmp_path / "d", chat_target())
    assert (count(data.train), count(data.held)) == (4, 2)
    parts = opened(tmp_path / "taps", data)
    stays = {file.name for file in taps_files(tmp_path / "d")}
    assert carry_over(tmp_path / "d", parts) == 6
    assert {file.name for file in taps_files(tmp_path / "d")} == stays
    for cache, c in parts:
        for i in range(count(c)):
            found = 0
            for wave in range(2):
                w = read_shard(tmp_path / f"d/raw/wave-{wave:06}.npz").conversations
                for j in range(count(w)):
                    if conversation(w, j).tolist() == conversation(c, i).tolist():
                        at = wave + np.arange(w.offsets[j], w.offsets[j + 1]) / 256
                        assert np.array_equal(cache.of([i])[0][:, 1, 7], at.astype(np.float16))
                        found += 1
            assert found == 1


def test_moved_they_take_no_room_twice(tmp_path: Path) -> None:
    data = hand_made(tmp_path / "d", chat_target())
    expected = opened(tmp_path / "copy", data)
    carry_over(tmp_path / "d", expected)
    parts = opened(tmp_path / "taps", data)
    asked = iter([False, True])
    assert carry_over(tmp_path / "d", parts, move=True, cancelled=lambda: next(asked)) == 3
    assert [file.name for file in taps_files(tmp_path / "d")] == ["wave-000001.taps-0-1.npy"]
    assert [int(cache.done.sum()) for cache, _ in parts] == [2, 1]
    again = opened(tmp_path / "taps", data)
    assert carry_over(tmp_path / "d", again, move=True) == 3
    assert not taps_files(tmp_path / "d")
    for (cache, c), (other, _) in zip(again, expected, strict=True):
        assert all(map(np.array_equal, cache.of(range(count(c))), other.of(range(count(c)))))
    assert carry_over(tmp_path / "d", []) == 0


def test_room_that_becomes_free_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = hand_made(tmp_path / "d", chat_target())
    free = taps_module.shutil.disk_usage(tmp_path).free
    monkeypatch.setattr(taps_module, "SPARE_BYTES", free)
    with pytest.raises(DataError, match="make room"):
        open_taps(tmp_path / "t", "train", data.train, LAYERS, WIDTH, "tiny dense")
    monkeypatch.setattr(taps_module, "SPARE_BYTES", free - (1 << 30))
    open_taps(tmp_path / "t", "train", data.train, LAYERS, WIDTH, "tiny dense", room_bytes=1 << 31)
    assert room_bytes(tmp_path / "d") == kept_bytes(tmp_path / "d") > 0


@pytest.mark.parametrize("damage", ["empty", "short", "float32", "other text"])
def test_damaged_ones_are_computed_anew(damage: str, tmp_path: Path) -> None:
    target = chat_target()
    data = hand_made(tmp_path / "d", target)
    file = tmp_path / "d/raw/wave-000001.taps-0-1.npy"
    whole = np.load(file)
    if damage == "empty":
        file.write_bytes(b"")
    elif damage == "short":
        file.write_bytes(file.read_bytes()[:-100])
    else:
        np.save(file, whole.astype(np.float32) if damage == "float32" else whole[1:])
    parts = opened(tmp_path / "taps", data)
    assert carry_over(tmp_path / "d", parts) == 3
    assert all(fill_taps(cache, target, c) for cache, c in parts)
    marked = [taps[0, 0, 0] == taps[0, 1, 5] for cache, c in parts for taps in cache.of(range(count(c)))]
    assert marked.count(True) == 3


def test_they_come_along_with_another_data_sets_text(tmp_path: Path) -> None:
    target = chat_target()
    data = hand_made(tmp_path / "a", target)
    with open_dataset(tmp_path / "b", target, RECIPE):
        import_dataset(tmp_path / "b", tmp_path / "a", target)
        import_dataset(tmp_path / "b", tmp_path / "a", target)  # once more changes nothing
        gather(tmp_path / "b")
    links = taps_files(tmp_path / "b")
    assert [link.name for link in links] == [f"import-a-5-wave-00000{i}.taps-0-1.npy" for i in range(2)]
    assert all(map(Path.samefile, links, taps_files(tmp_path / "a")))
    assert room_bytes(tmp_path / "b") == 0, "the other data set needs them still"
    both = read_dataset(tmp_path / "b")
    assert carry_over(tmp_path / "b", opened(tmp_path / "taps", both), move=True) == 6
    assert len(taps_files(tmp_path / "a")) == 2 and not taps_files(tmp_path / "b")
    assert count(both.train) == count(data.train)


def test_taps_of_another_text_or_target_do_not_come_along(tmp_path: Path) -> None:
    target = chat_target()
    hand_made(tmp_path / "a", target)
    with open_dataset(tmp_path / "b", target, RECIPE):
        import_dataset(tmp_path / "b", tmp_path / "a", target)
        drop(tmp_path / "a")
        import_dataset(tmp_path / "b", tmp_path / "a", target)
    assert not taps_files(tmp_path / "b"), "those of what was taken over before are gone"
    hand_made(tmp_path / "c", target)
    # Text of another model with the same vocabulary is welcome, what that model made of it is not.
    target.facts = msgspec.structs.replace(target.facts, name="other")
    with open_dataset(tmp_path / "d", target, RECIPE):
        assert import_dataset(tmp_path / "d", tmp_path / "c", target) == 6
    assert not taps_files(tmp_path / "d")
    assert read_manifest(tmp_path / "d")["target"]["name"] == "other"


def test_on_another_disk_the_text_comes_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = chat_target()
    hand_made(tmp_path / "a", target)

    def apart(self: Path, other: Path) -> None:
        raise OSError(errno.EXDEV, "Invalid cross-device link")

    monkeypatch.setattr(Path, "hardlink_to", apart)
    with open_dataset(tmp_path / "b", target, RECIPE):
        assert import_dataset(tmp_path / "b", tmp_path / "a", target) == 6
    assert not taps_files(tmp_path / "b")
    assert len(list(raw_shards(tmp_path / "b"))) == 2


def test_names_of_any_kind(tmp_path: Path) -> None:
    raw = tmp_path / "d" / "raw" / "import-[v1.2].taps-x-5-wave-000000.npz"
    raw.parent.mkdir(parents=True)
    file = taps_file(raw, (2, 9))
    assert file.name == "import-[v1.2].taps-x-5-wave-000000.taps-2-9.npy"
    file.touch()
    assert module.raw_of(file) == raw
    assert module.taps_of(raw) == [file]
    assert module.taps_of(raw.with_name("import-[v1.2].npz")) == []
