"""Every setting that the dialog shows reaches the engine, and every one of them is shown."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from PySide6.QtWidgets import QCheckBox, QComboBox, QDoubleSpinBox, QPlainTextEdit, QSpinBox
from pytestqt.qtbot import QtBot

from app.drafters.schemes import choice_of
from app.settings.arm_dialog import ArmDialog
from app.settings.arms import SAMPLING_FIELDS, added, default_arms, duplicate, free_name, removed, with_arm
from app.settings.drafter_picker import FOLDER
from app.settings.keys import Key
from app.settings.ranges import FIELDS, parse_stops, write_stops
from app.settings.store import Store
from engine.process.protocol import decode_request
from engine.trace.events import Arm, Settings
from engine.trace.limits import settings_problem
from tests.app.conftest import OpenWindow, ask

OTHER = Settings(
    block=5,
    tree=True,
    candidate_width=32,
    injected_layers=2,
    confidence_threshold=0.5,
    temperature=0.7,
    top_p=0.9,
    top_k=40,
    min_p=0.05,
    repetition_penalty=1.1,
    repetition_window_tokens=128,
    seed=42,
    max_tokens=100,
    stop=("END", "a\nb"),
    kv_bits=8,
    fallback=True,
    timing_every=4,
)
"""Differs from the defaults in every field."""


def test_other_differs_everywhere() -> None:
    assert all(getattr(OTHER, field) != getattr(Settings(), field) for field in Settings.__struct_fields__)


def test_the_dialog_shows_every_field() -> None:
    assert {field.name for field in FIELDS} == set(Settings.__struct_fields__)


def enter(dialog: ArmDialog, settings: Settings) -> None:
    """Puts values into the widgets, as a person would."""
    for name, widget in dialog.inputs.items():
        value = getattr(settings, name)
        if isinstance(widget, QCheckBox):
            widget.setChecked(value)
        elif isinstance(widget, QComboBox):
            widget.setCurrentIndex(widget.findData(value))
        elif isinstance(widget, QPlainTextEdit):
            widget.setPlainText(write_stops(value))
        elif isinstance(widget, (QSpinBox, QDoubleSpinBox)):
            widget.setValue(value)


def choose_folder(dialog: ArmDialog, name: str) -> None:
    dialog.drafter.kind.setCurrentIndex(dialog.drafter.kind.findData(FOLDER))
    dialog.drafter.folder.setText(name)


def trained_drafter(folder: Path) -> str:
    """One that can be weighed against the table."""
    (folder / "config.json").write_text('{"slipstream_drafter": 1, "layout": {"scheme": "E"}}', encoding="utf-8")
    return str(folder)


def test_each_field_reaches_the_engine(open_window: OpenWindow, qtbot: QtBot, tmp_path: Path) -> None:
    record = tmp_path / "asks"
    window = open_window(record=record)
    window.arms.edit("speculative")
    dialog = window.findChild(ArmDialog)
    enter(dialog, OTHER)
    folder = trained_drafter(tmp_path)
    choose_folder(dialog, folder)
    dialog.drafter.first.setChecked(True)
    dialog.drafter.table.setChecked(True)
    dialog.shared.setChecked(False)
    dialog.accept()
    ask(qtbot, window, "Settings?")
    sent = decode_request(record.read_bytes().splitlines()[-1])
    arms = {arm.name: arm for arm in sent.arms}
    for field in Settings.__struct_fields__:
        assert getattr(arms["speculative"].settings, field) == getattr(OTHER, field), field
        assert getattr(arms["baseline"].settings, field) == getattr(Settings(), field), field
    assert arms["speculative"].drafter == f"lookup+table+{folder}"
    assert Store().arms() == window.arms.arms


def test_same_sampling_is_shared_and_nothing_else(open_window: OpenWindow) -> None:
    window = open_window()
    window.arms.edit("speculative")
    dialog = window.findChild(ArmDialog)
    enter(dialog, OTHER)
    dialog.shared.setChecked(True)
    dialog.accept()
    baseline = window.arms.arms[0].settings
    for field in Settings.__struct_fields__:
        expected = OTHER if field in SAMPLING_FIELDS else Settings()
        assert getattr(baseline, field) == getattr(expected, field), field


def test_reset_shows_the_defaults(open_window: OpenWindow) -> None:
    window = open_window(arms=(Arm(name="baseline", settings=OTHER),))
    window.arms.edit("baseline")
    dialog = window.findChild(ArmDialog)
    assert dialog.settings() == msgspec.structs.replace(OTHER, tree=False), "without a drafter there is no tree"
    dialog.defaults.click()
    assert dialog.settings() == Settings()
    dialog.reject()


def test_a_table_that_cant_be_weighed_takes_its_tree_along(open_window: OpenWindow, tmp_path: Path) -> None:
    """The embedded model's table is no other target's: the picker leaves it out, and a tree alone would be refused."""
    word = f"lookup+table+{trained_drafter(tmp_path)}"
    window = open_window(
        arms=(Arm(name="baseline"), Arm(name="speculative", target="/models/other", drafter=word, settings=OTHER))
    )
    window.arms.edit("speculative")
    dialog = window.findChild(ArmDialog)
    dialog.accept()
    left = window.arms.arms[1]
    assert not choice_of(left.drafter).table and not left.settings.tree
    assert not dialog.inputs["tree"].isChecked()


def test_a_missing_drafter_model_is_said(open_window: OpenWindow) -> None:
    window = open_window()
    window.arms.edit("speculative")
    dialog = window.findChild(ArmDialog)
    choose_folder(dialog, "")
    dialog.accept()
    assert dialog.isVisible()
    assert dialog.problem.text() == "No drafter is named: choose its folder, or another kind of drafter."
    dialog.reject()


@pytest.mark.parametrize(
    "field", [field for field in FIELDS if field.kind in ("int", "float")], ids=lambda field: field.name
)
def test_ranges_lie_within_what_can_run(field) -> None:
    for value in (field.least, field.most):
        kind = int if field.kind == "int" else float
        assert settings_problem(msgspec.structs.replace(Settings(), **{field.name: kind(value)})) == ""


def test_stop_strings_round_trip() -> None:
    stops = ("END", "a\nb", "\t", "后")
    assert parse_stops(write_stops(stops)) == stops


def test_arms_rules() -> None:
    arms = default_arms()
    four = added(added(arms))
    assert [arm.name for arm in four] == ["baseline", "speculative", "speculative 2", "speculative 3"]
    assert added(four) == duplicate(four, 0) == four
    assert removed(arms[:1], 0) == arms[:1]
    assert free_name("speculative 2", {"speculative", "speculative 2"}) == "speculative 3"
    changed = with_arm(arms, 1, msgspec.structs.replace(arms[1], settings=OTHER), same_sampling=False)
    assert changed[0] == arms[0] and changed[1].settings == OTHER
    grown = added((Arm(name="a", drafter="table+/e", settings=OTHER),))[1]
    assert grown == Arm(name="speculative", drafter="lookup", settings=msgspec.structs.replace(OTHER, tree=False))


def test_damaged_settings_count_as_absent() -> None:
    store = Store()
    store.set(Key.ARMS, '[{"name": 3}]')
    store.set(Key.TEXT_SIZE, "large")
    store.set(Key.RECENT_TRACES, "{")
    assert store.arms() == default_arms()
    assert store.number(Key.TEXT_SIZE, 13) == 13
    assert store.strings(Key.RECENT_TRACES) == []
    store.set_arms((Arm(name="a"), Arm(name="a")))
    assert store.arms() == default_arms()


def test_keys_are_unique() -> None:
    assert len({key.value for key in Key}) == len(Key.__members__)
