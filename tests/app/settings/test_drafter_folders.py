"""The list of folders with drafters: every place once, the usual one first, none forgotten while it isn't there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app import paths
from app.drafters.own import names_of, own_drafters
from app.settings.drafter_folders import drafter_folders, placed, remember_folder
from app.settings.drafter_picker import FOLDER, DrafterPicker
from app.settings.keys import Key
from app.settings.store import Store


def keep(folder: Path) -> Path:
    folder.mkdir(parents=True)
    config = {"slipstream_drafter": 1, "layout": {"scheme": "E"}}
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    return folder


@pytest.fixture
def store(qapp: object) -> Store:
    return Store()


def test_each_place_is_listed_once_whatever_it_is_called(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual, other = paths.drafters_dir(), tmp_path / "other"
    usual.mkdir(parents=True)
    other.mkdir()
    (tmp_path / "link").symlink_to(other)
    (tmp_path / "usual").symlink_to(usual)
    monkeypatch.chdir(tmp_path)
    assert drafter_folders(store) == [usual]
    for name in (other, "other", tmp_path / "link", other / ".." / "other", usual, tmp_path / "usual"):
        remember_folder(store, name)
    assert drafter_folders(store) == [usual, placed(other)]
    assert store.strings(Key.DRAFTER_FOLDERS) == [str(placed(other))]


def test_a_folder_that_is_not_there_is_kept_and_skipped(store: Store, tmp_path: Path) -> None:
    for name in ("gone", "there"):
        remember_folder(store, tmp_path / name)
    made = keep(tmp_path / "there" / "mine")
    assert drafter_folders(store)[1:] == [placed(tmp_path / "gone"), placed(tmp_path / "there")]
    assert [own.folder.name for own in own_drafters(drafter_folders(store))] == [made.name]
    keep(tmp_path / "gone" / "first")
    assert [own.folder.name for own in own_drafters(drafter_folders(store))] == ["first", "mine"]


def test_the_folder_chosen_before_there_was_a_list_is_in_it(store: Store, tmp_path: Path) -> None:
    store.set(Key.TRAIN_DIR, str(tmp_path / "old"))
    store.set(Key.DRAFTER_FOLDERS, "not a list")
    assert drafter_folders(store) == [paths.drafters_dir(), placed(tmp_path / "old")]


def test_a_drafter_that_is_linked_stands_there_once_and_equal_names_are_told_apart(tmp_path: Path) -> None:
    one, two = keep(tmp_path / "one" / "x"), keep(tmp_path / "two" / "x")
    (tmp_path / "two" / "y").symlink_to(one)
    drafters = own_drafters([tmp_path / "one", tmp_path / "two"])
    assert [own.folder for own in drafters] == [one, two]
    assert names_of(drafters) == ["x (one)", "x (two)"] and names_of(drafters[:1]) == ["x"]


def test_a_drafter_is_found_in_the_menu_under_another_path(tmp_path: Path, qtbot: QtBot) -> None:
    made = keep(tmp_path / "one" / "x")
    (tmp_path / "link").symlink_to(tmp_path / "one")
    picker = DrafterPicker("embedded", drafter_folders=[tmp_path / "one"])
    qtbot.addWidget(picker)
    picker.show_drafter(f"lookup+{tmp_path / 'link' / 'x'}")
    assert picker.kind.currentText() == "x · E · cascade" and picker.choice.word == f"lookup+{made}"
    assert picker.kind.toolTip() == str(made)
    picker.show_drafter(str(tmp_path / "two"))
    assert picker.kind.currentData() == FOLDER and picker.folder.text() == str(tmp_path / "two")
    assert not picker.kind.toolTip()
