"""One variable moves all of a user's directories; without it they are the system's."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine import paths


def test_home_gathers_all_directories(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(paths.HOME_VARIABLE, str(tmp_path))
    assert paths.cache_dir() == tmp_path / "cache"
    assert paths.data_dir() == tmp_path / "data"
    assert paths.logs_dir() == tmp_path / "logs"
    assert paths.models_dir() == tmp_path / "cache" / "models"


@pytest.mark.parametrize("value", ["", "  "])
def test_without_home_the_systems_directories_are_used(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(paths.HOME_VARIABLE, value)
    places = (paths.cache_dir(), paths.data_dir(), paths.logs_dir())
    assert all(paths.APP_NAME in str(place) and place.is_absolute() for place in places)
    assert len(set(places)) == 3


def test_home_may_be_relative_or_start_at_the_users(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(paths.HOME_VARIABLE, "profile")
    assert paths.home() == tmp_path / "profile"
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv(paths.HOME_VARIABLE, "~/profile")
    assert paths.home() == tmp_path / "profile"


def test_resources_are_those_of_the_checkout() -> None:
    assert paths.resources_dir() == Path(__file__).resolve().parents[2] / "resources"
