"""Preferences apply at once and are remembered; what is wrong is said and not stored."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.models import endpoint
from app.settings.keys import Key
from app.settings.preferences import Preferences, endpoint_problem
from app.settings.store import Store
from tests.app.conftest import OpenWindow


@pytest.mark.parametrize(
    ("text", "is_problem"),
    [
        ("", False),
        ("https://hf-mirror.com", False),
        ("http://localhost:8080/hub", False),
        ("hf-mirror.com", True),
        ("ftp://hf-mirror.com", True),
        ("https://", True),
        ("https://a b", True),
    ],
)
def test_addresses(text: str, is_problem: bool) -> None:
    assert endpoint_problem(text) is is_problem


def test_every_preference_is_stored_and_told(qtbot: QtBot, tmp_path: Path) -> None:
    store = Store()
    dialog = Preferences(store)
    qtbot.addWidget(dialog)
    told: list[Key] = []
    dialog.changed.connect(told.append)
    dialog.text_size.setCurrentIndex(dialog.text_size.findData("17"))
    dialog.text_size.activated.emit(dialog.text_size.currentIndex())
    dialog.reserve.setValue(6)
    dialog.endpoint.setText("https://hf-mirror.com/")
    dialog.endpoint.editingFinished.emit()
    dialog.add_folder(str(tmp_path))
    dialog.add_folder(str(tmp_path))
    dialog.keep_text.setChecked(False)
    assert told == [Key.TEXT_SIZE, Key.MEMORY_RESERVE_GB, Key.ENDPOINT, Key.MODEL_FOLDERS, Key.TRACE_TEXT]
    again = Preferences(Store())
    qtbot.addWidget(again)
    assert again.text_size.currentData() == "17" and again.reserve.value() == 6
    assert again.endpoint.text() == "https://hf-mirror.com" and not again.keep_text.isChecked()
    assert [again.folders.item(n).text() for n in range(again.folders.count())] == [str(tmp_path)]
    again.folders.setCurrentRow(0)
    again.remove.click()
    assert store.strings(Key.MODEL_FOLDERS) == [] and not again.remove.isEnabled()


def test_a_wrong_address_is_said_and_not_stored(qtbot: QtBot) -> None:
    dialog = Preferences(Store())
    qtbot.addWidget(dialog)
    dialog.show()
    assert not dialog.problem.isVisible()
    dialog.endpoint.setText("hf-mirror.com")
    dialog.endpoint.editingFinished.emit()
    assert dialog.problem.isVisible() and "https://hf-mirror.com" in dialog.problem.text()
    assert Store().text(Key.ENDPOINT) == ""
    dialog.hide()


def test_processes_inherit_the_mirror(open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoint, "_given", "https://given.example")
    monkeypatch.setenv(endpoint.VARIABLE, "https://given.example")
    Store().set(Key.ENDPOINT, "https://hf-mirror.com")
    window = open_window(begin=False)
    assert os.environ[endpoint.VARIABLE] == "https://hf-mirror.com"
    assert window.models.where.endpoint == "https://hf-mirror.com"
    window.settings.set(Key.ENDPOINT, "")
    assert os.environ[endpoint.VARIABLE] == "https://given.example"
    monkeypatch.setattr(endpoint, "_given", "")
    endpoint.use_endpoint("")
    assert endpoint.VARIABLE not in os.environ
