"""Models by hub id: what is there is used as it is, whatever fetched it."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.models import pull
from engine.models.errors import ModelError
from engine.models.hub import endpoint_url, is_hub_id, is_whole, local_snapshot, snapshot
from tests.engine.models.samples import repository

FILES = {name: content for name, content in repository(3).items() if not name.endswith(".py") and "/" not in name}


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setattr(pull, "make_plan", lambda repo: pytest.fail(f"{repo} was asked for"))
    return tmp_path


def fill(cache: Path, *names: str) -> Path:
    directory = cache / "models--someone--model" / "snapshots" / "abc"
    directory.mkdir(parents=True)
    for name in names:
        (directory / name).write_bytes(FILES[name])
    return directory


def test_what_is_there_is_not_asked_for_again(cache: Path) -> None:
    directory = fill(cache, *FILES)
    assert snapshot("someone/model") == (directory, "model", "abc")


@pytest.mark.parametrize("gone", ["config.json", "model-00002-of-00003.safetensors"])
def test_what_is_not_whole_is_no_model(gone: str, cache: Path) -> None:
    directory = fill(cache, *(name for name in FILES if name != gone))
    assert not is_whole(directory) and local_snapshot("someone/model") is None


@pytest.mark.parametrize("cut", [1, 200, 4000])
def test_a_file_cut_off_anywhere_is_not_whole(cut: int, cache: Path) -> None:
    directory = fill(cache, *FILES)
    file = directory / "model-00001-of-00003.safetensors"
    file.write_bytes(file.read_bytes()[:-cut])
    assert not is_whole(directory)


def test_an_index_that_cannot_be_read_is_not_whole(cache: Path) -> None:
    directory = fill(cache, *FILES)
    assert is_whole(directory)
    (directory / "model.safetensors.index.json").write_text("[]")
    assert not is_whole(directory)


def test_shards_are_counted_without_an_index(cache: Path) -> None:
    names = [name for name in FILES if "index" not in name and "00003-of" not in name]
    directory = fill(cache, *names)
    assert not is_whole(directory)


def test_what_cannot_be_fetched_is_said(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(repo: str) -> None:
        raise pull.FetchError("The network is down.")

    monkeypatch.setattr(pull, "make_plan", fails)
    with pytest.raises(ModelError, match="'someone/model' is not on this disk, and the network is down"):
        snapshot("someone/model")


def test_endpoints(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HF_ENDPOINT", raising=False)
    assert endpoint_url() == "https://huggingface.co"
    monkeypatch.setenv("HF_ENDPOINT", "https://mirror.example/")
    assert endpoint_url() == "https://mirror.example"
    assert endpoint_url(" https://other.example// ") == "https://other.example"


@pytest.mark.parametrize(
    ("name", "is_one"), [("a/b", True), ("/a/b", False), ("a", False), ("a/b/c", False), ("~/a", False)]
)
def test_hub_ids(name: str, is_one: bool) -> None:
    assert is_hub_id(name) == is_one
