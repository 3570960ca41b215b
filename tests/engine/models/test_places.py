"""Which directories count as models: none that is half-made."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.models.places import Found, find_all, own_models_dir


def make(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / "config.json").write_text("{}", encoding="utf-8")
    (folder / "model.safetensors").write_bytes(b"")
    return folder


def test_work_in_progress_is_no_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLIPSTREAM_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    drafters = own_models_dir() / "drafters"
    whole = make(drafters / "SmolLM2-135M-B")
    make(drafters / "SmolLM2-135M-B.training" / "run" / "best")
    make(own_models_dir() / ".big-4bit.123.part")
    mine = make(tmp_path / "mine" / "model")
    make(tmp_path / "mine" / "E.training" / "run" / "best")
    assert find_all((tmp_path / "mine",), ()) == [Found(whole, "own"), Found(mine, "folder")]
