"""Models of the hub, with a network that is a function."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import huggingface_hub
import pytest
from huggingface_hub.errors import LocalEntryNotFoundError

from engine.models.errors import ModelError
from engine.models.hub import is_whole, snapshot

FILES = ("config.json", "model-1.safetensors", "model-2.safetensors", "model.safetensors.index.json")


def fill(directory: Path, *names: str) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    index = {"weight_map": {"a": "model-1.safetensors", "b": "model-2.safetensors"}}
    for name in names:
        (directory / name).write_text(json.dumps(index) if name.endswith("index.json") else "{}")


class Hub:
    """Stands for ``snapshot_download``: ``fetches`` are the files that come in over the network."""

    def __init__(self, directory: Path, *fetches: str) -> None:
        self.directory, self.fetches, self.asked = directory, fetches, 0

    def __call__(self, repo: str, *, allow_patterns: list[str], local_files_only: bool = False) -> str:
        assert not any(pattern.endswith((".py", ".bin", ".pt")) for pattern in allow_patterns)
        if not local_files_only:
            self.asked += 1
            fill(self.directory, *self.fetches)
        if not self.directory.exists():
            raise LocalEntryNotFoundError("not here")
        return str(self.directory)


def use(monkeypatch: pytest.MonkeyPatch, hub: Any) -> None:
    monkeypatch.setattr(huggingface_hub, "snapshot_download", hub)


def test_what_is_there_is_not_asked_for_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hub = Hub(tmp_path / "abc")
    fill(hub.directory, *FILES)
    use(monkeypatch, hub)
    assert snapshot("someone/model") == (hub.directory, "model", "abc")
    assert hub.asked == 0


@pytest.mark.parametrize("there", [(), FILES[:1], (*FILES[:2], FILES[3])])
def test_a_fetch_that_was_interrupted_goes_on(
    there: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub = Hub(tmp_path / "abc", *FILES)
    if there:
        fill(hub.directory, *there)
    use(monkeypatch, hub)
    path, _, _ = snapshot("someone/model")
    assert hub.asked == 1
    assert is_whole(path)


def test_what_stays_incomplete_is_said_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hub = Hub(tmp_path / "abc")
    fill(hub.directory, FILES[0])
    use(monkeypatch, hub)
    with pytest.raises(ModelError, match="only partly on this disk"):
        snapshot("someone/model")


def test_an_index_that_cannot_be_read_is_not_whole(tmp_path: Path) -> None:
    fill(tmp_path, *FILES)
    assert is_whole(tmp_path)
    (tmp_path / "model.safetensors.index.json").write_text("[]")
    assert not is_whole(tmp_path)
