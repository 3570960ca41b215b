"""Choosing a drafter, and what is said of it before the first prompt."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from PySide6.QtWidgets import QApplication, QCheckBox
from pytestqt.qtbot import QtBot

from app.drafters.schemes import Scheme
from app.heatmap.wording import drafter_text
from app.settings.arm_dialog import ArmDialog
from app.settings.arms import LEAST_CHANCE
from app.settings.drafter_picker import FOLDER, DrafterPicker
from app.traces.library import scheme_of_run
from app.window import Window
from engine.trace.events import Arm, ModelFacts, Round, Settings
from tests.app.conftest import OpenWindow, ask
from tests.fakes import run_events

BASELINE = Arm(name="baseline")


def arms(drafter: str) -> tuple[Arm, Arm]:
    return BASELINE, Arm(name="speculative", drafter=drafter)


def dialog_of(window: Window, name: str = "speculative") -> ArmDialog:
    window.arms.edit(name)
    dialog = window.findChild(ArmDialog)
    assert dialog is not None
    return dialog


def select(picker: DrafterPicker, kind: str) -> None:
    picker.kind.setCurrentIndex(picker.kind.findData(kind))


def enabled(dialog: ArmDialog) -> set[str]:
    return {name for name, widget in dialog.inputs.items() if widget.isEnabled()}


def test_every_scheme_is_a_choice(open_window: OpenWindow, tmp_path: Path) -> None:
    dialog = dialog_of(open_window())
    kinds = [dialog.drafter.kind.itemData(i) for i in range(dialog.drafter.kind.count())]
    assert kinds[:3] == ["none", "lookup", "table"] and kinds[-1] == FOLDER
    for kind, word in (("none", "none"), ("lookup", "lookup"), ("table", "lookup+table")):
        select(dialog.drafter, kind)
        dialog.drafter.first.setChecked(True)
        assert dialog.drafter.choice.word == word
        assert dialog.drafter.first.isEnabled() is (kind == "table")
    select(dialog.drafter, FOLDER)
    dialog.drafter.folder.setText(str(tmp_path))
    assert dialog.drafter.choice.word == f"lookup+{tmp_path}"
    dialog.reject()


def test_what_the_drafter_cannot_use_is_grey_and_says_why(open_window: OpenWindow, tmp_path: Path) -> None:
    dialog = dialog_of(open_window())
    drafting = {"block", "candidate_width", "injected_layers", "confidence_threshold", "fallback", "timing_every"}
    dialog.drafter.table.setChecked(False)
    select(dialog.drafter, "none")
    assert not enabled(dialog) & drafting
    assert "Without a drafter" in dialog.inputs["block"].toolTip()
    select(dialog.drafter, "lookup")
    assert enabled(dialog) & drafting == {"block", "fallback"}
    assert dialog.inputs["candidate_width"].toolTip().endswith("look-up keeps none.")
    select(dialog.drafter, FOLDER)
    dialog.drafter.folder.setText("/nowhere/yet")
    assert enabled(dialog) >= drafting, "nothing is ruled out before the folder is known"
    config = {"slipstream_drafter": 1, "layout": {"scheme": "E"}}
    (tmp_path / "config.json").write_text(json.dumps(config), encoding="utf-8")
    dialog.drafter.folder.setText(str(tmp_path))
    assert enabled(dialog) & drafting == drafting - {"confidence_threshold"}
    assert dialog.drafter.note.text() == "Scheme E · cascade."
    dialog.drafter.table.setChecked(True)
    assert enabled(dialog) & drafting == drafting
    dialog.reject()


def test_the_table_is_weighed_with_a_trained_drafter_of_the_embedded_model_alone(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trained, small = tmp_path / "trained", tmp_path / "small"
    for folder, config in (
        (trained, {"slipstream_drafter": 1, "layout": {"scheme": "B"}}),
        (small, {"model_type": "llama"}),
    ):
        folder.mkdir()
        (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    picker = DrafterPicker("embedded")
    qtbot.addWidget(picker)
    picker.show_drafter(f"lookup+table+{trained}")
    assert picker.table.isEnabled() and picker.table.isChecked() and picker.first.isChecked()
    assert picker.choice.word == f"lookup+table+{trained}" and picker.first.text() == "Weigh look-up with it"
    assert "hold likeliest" in picker.table.toolTip()
    picker.first.setChecked(False)
    assert picker.choice.word == f"table+{trained}"
    picker.table.setChecked(False)
    assert picker.choice.word == str(trained) and picker.first.text() == "Look-up first"
    picker.table.setChecked(True)
    for kind in ("none", "lookup", "table"):
        select(picker, kind)
        assert not picker.table.isEnabled() and picker.choice.word == kind
        assert "Only a trained drafter" in picker.table.toolTip()
    select(picker, FOLDER)
    assert picker.choice.word == f"table+{trained}", "the tick comes back with the drafter"
    picker.folder.setText(str(small))
    assert not picker.table.isEnabled() and picker.choice.word == str(small)
    other = DrafterPicker("/models/other")
    qtbot.addWidget(other)
    other.show_drafter(f"lookup+table+{trained}")
    assert not other.table.isEnabled() and other.choice.word == f"lookup+{trained}"
    assert "embedded model alone" in other.table.toolTip()
    monkeypatch.setattr("app.settings.drafter_picker.table_is_there", lambda: False)
    picker.show_drafter(str(trained))
    assert not picker.table.isEnabled() and picker.table.toolTip() == "The table is not installed."


def test_ticking_the_table_brings_its_usual_threshold(qtbot: QtBot, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"slipstream_drafter": 1, "layout": {"scheme": "B"}}', encoding="utf-8")
    dialog = ArmDialog(Arm(name="speculative", drafter=f"lookup+{tmp_path}"), False)
    qtbot.addWidget(dialog)
    threshold = dialog.inputs["confidence_threshold"]
    assert not enabled(dialog) & {"candidate_width", "confidence_threshold"}
    dialog.drafter.table.setChecked(True)
    assert threshold.value() == LEAST_CHANCE and "chance to be kept" in threshold.toolTip()
    assert enabled(dialog) >= {"candidate_width", "confidence_threshold"}
    dialog.drafter.table.setChecked(False)
    assert threshold.value() == 0
    dialog.drafter.table.setChecked(True)
    threshold.setValue(0.45)
    dialog.drafter.table.setChecked(False)
    assert threshold.value() == 0.45, "what a person chose stays"
    dialog.drafter.table.setChecked(True)
    dialog.reset()
    assert threshold.value() == LEAST_CHANCE
    dialog.accept()
    assert dialog.arm.drafter == f"lookup+table+{tmp_path}"
    assert dialog.arm.settings == Settings(confidence_threshold=LEAST_CHANCE, tree=True)


def test_a_tree_is_there_where_the_table_is_weighed(qtbot: QtBot, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"slipstream_drafter": 1, "layout": {"scheme": "E"}}', encoding="utf-8")
    usual = Settings(confidence_threshold=LEAST_CHANCE)
    dialog = ArmDialog(Arm(name="speculative", drafter=f"{tmp_path}+table+lookup", settings=usual), False)
    qtbot.addWidget(dialog)
    box = dialog.inputs["tree"]
    assert isinstance(box, QCheckBox) and box.text() == "Tree of drafts"
    assert box.isEnabled() and not box.isChecked() and dialog.settings() == usual
    assert box.toolTip() == box.accessibleDescription() and "several tokens of a position" in box.toolTip()
    box.setChecked(True)
    assert dialog.settings() == msgspec.structs.replace(usual, tree=True)
    dialog.drafter.table.setChecked(False)
    assert not box.isEnabled() and not dialog.settings().tree and "weighed against the table" in box.toolTip()
    for kind in ("lookup", "table", "none"):
        select(dialog.drafter, kind)
        assert not box.isEnabled() and not dialog.settings().tree, kind
    assert "Without a drafter" in box.toolTip()
    select(dialog.drafter, FOLDER)
    dialog.drafter.folder.setText("/nowhere/yet")
    assert not box.isEnabled(), "the engine would refuse it"
    dialog.drafter.folder.setText(str(tmp_path))
    dialog.drafter.table.setChecked(True)
    assert box.isEnabled() and box.isChecked(), "the tick comes back with the table"
    dialog.accept()
    assert dialog.arm.settings == msgspec.structs.replace(usual, tree=True)
    again = ArmDialog(dialog.arm, False)
    qtbot.addWidget(again)
    assert again.inputs["tree"].isChecked() and again.settings() == dialog.arm.settings
    again.reset()
    assert again.inputs["tree"].isChecked() and again.settings() == dialog.arm.settings
    again.inputs["tree"].setChecked(False)
    again.reset()
    assert again.inputs["tree"].isChecked()


def test_a_threshold_that_was_chosen_is_shown_as_it_is(qtbot: QtBot, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"slipstream_drafter": 1, "layout": {"scheme": "E"}}', encoding="utf-8")
    arm = Arm(name="speculative", drafter=f"lookup+table+{tmp_path}", settings=Settings(confidence_threshold=0))
    dialog = ArmDialog(arm, False)
    qtbot.addWidget(dialog)
    dialog.accept()
    assert dialog.arm == arm


def test_greedy_decoding_greys_the_sampling_out(open_window: OpenWindow) -> None:
    dialog = dialog_of(open_window())
    sampling = {"top_p", "top_k", "min_p", "seed"}
    assert not enabled(dialog) & sampling and "temperature 0" in dialog.inputs["seed"].toolTip()
    dialog.inputs["temperature"].setValue(0.7)
    assert enabled(dialog) >= sampling
    assert "repetition_window_tokens" not in enabled(dialog)
    dialog.inputs["repetition_penalty"].setValue(1.2)
    assert "repetition_window_tokens" in enabled(dialog)
    dialog.reject()


def test_known_drafters_of_the_target_can_be_taken(qtbot: QtBot) -> None:
    picker = DrafterPicker("/models/Qwen3-8B-4bit")
    qtbot.addWidget(picker)
    select(picker, FOLDER)
    assert "deepseek-ai/dspark_qwen3_8b_block7" in picker.note.text()
    picker.note.linkActivated.emit("deepseek-ai/dspark_qwen3_8b_block7")
    assert picker.choice.word == "deepseek-ai/dspark_qwen3_8b_block7"
    assert picker.note.text() == "Its scheme is known once it is opened."


@pytest.mark.parametrize("verdict", ["fits", "can't tell"])
def test_a_quiet_verdict_is_a_line_until_the_first_prompt(open_window: OpenWindow, qtbot: QtBot, verdict: str) -> None:
    window = open_window(arms=arms("/models/dflash-2"), verdict=verdict)
    check = window.chat.panes.pane("speculative").check
    qtbot.waitUntil(check.isVisible, timeout=20000)
    assert not check.is_error and not check.buttons and check.label.toolTip() == "What was found of it."
    assert check.label.text().startswith("The drafter fits" if verdict == "fits" else "Whether the drafter fits")
    ask(qtbot, window, "Go on.")
    assert not check.isVisible()


@pytest.mark.parametrize("verdict", ["wrong row", "wrong taps", "not this target's", "refused"])
def test_a_misfit_is_a_warning_that_helps(open_window: OpenWindow, qtbot: QtBot, verdict: str) -> None:
    window = open_window(arms=arms("/models/dflash-2"), verdict=verdict)
    check = window.chat.panes.pane("speculative").check
    qtbot.waitUntil(check.isVisible, timeout=20000)
    assert check.is_error and check.label.text() == "What was found of it."
    ask(qtbot, window, "All the same.")
    assert check.isVisible(), "a warning stays until the drafter is changed"
    assert [button.text() for button in check.buttons] == ["Choose Another Drafter"]
    check.buttons[0].click()
    dialog = window.findChild(ArmDialog)
    select(dialog.drafter, "lookup")
    dialog.accept()
    assert not check.isVisible()


def test_a_drafter_that_cannot_be_opened_is_said_before_the_first_prompt(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window()
    qtbot.waitUntil(lambda: window.link.hello is not None, timeout=20000)
    window.arms.set(arms("/models/missing"))
    pane = window.chat.panes.pane("speculative")
    qtbot.waitUntil(lambda: pane.notice.is_error, timeout=20000)
    assert pane.notice.label.text() == "There is no model at /models/missing."
    assert [button.text() for button in pane.notice.buttons] == ["Choose Another Drafter"]
    assert not window.chat.panes.first.notice.isVisible() and not window.runner.session.exchanges
    window.arms.set(arms("lookup"))
    assert not pane.notice.isVisible()


def test_arms_changed_before_the_engine_is_there_are_opened(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window()
    assert window.link.hello is None
    window.arms.set(arms("/models/missing"))
    qtbot.waitUntil(lambda: window.chat.panes.pane("speculative").notice.is_error, timeout=20000)


def test_the_scheme_is_named_in_pane_heatmap_and_traces(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(arms=arms("lookup+/models/dflash-2"))
    pane = window.chat.panes.pane("speculative")
    qtbot.waitUntil(lambda: pane.summary.accessibleName().endswith("D · DFlash 2 · block 8 · look-up first"))
    ask(qtbot, window, "Which one?")
    assert window.chat.heatmap.scheme.toolTip() == "D · DFlash 2 · block 8 · look-up first"
    window.show_page("traces")
    model = window.traces.model
    qtbot.waitUntil(lambda: "DFlash 2" in str(model.data(model.index(0, 2))), timeout=20000)
    assert model.data(model.index(0, 2)) == "Baseline, Speculative (D · DFlash 2)"
    window.traces.close_readers()


def test_a_round_corrects_what_the_files_said(open_window: OpenWindow) -> None:
    window = open_window()
    arm = Arm(name="speculative", drafter="/models/some", settings=Settings())
    events = run_events(arm, 0, "Who?", 40)
    started = msgspec.structs.replace(events[0], drafter=ModelFacts(name="some", architecture="DFlashDraftModel"))
    rounds = [msgspec.structs.replace(e, source=e.source and "domino") for e in events if isinstance(e, Round)]
    for event in (started, *rounds):
        window.runner.session.apply(event)
    window.chat.show_session(window.runner.session)
    assert window.chat.heatmap.scheme.toolTip().startswith("C · Domino")
    window.actions_["language_zh_CN"].trigger()
    QApplication.processEvents()
    assert window.chat.heatmap.scheme.toolTip().startswith("C · Domino")


def test_a_table_that_drafts_in_a_blend_does_not_rename_the_arm(open_window: OpenWindow) -> None:
    window = open_window(begin=False)
    arm = Arm(name="speculative", drafter="lookup+table+/models/some", settings=Settings())
    events = run_events(arm, 0, "Who?", 40)
    started = msgspec.structs.replace(events[0], drafter=ModelFacts(name="some", architecture="cascade"))
    sources = ("lookup", "table", "cascade")
    rounds = [
        msgspec.structs.replace(e, source=e.source and sources[e.index % 3]) for e in events if isinstance(e, Round)
    ]
    for event in (started, *rounds):
        window.runner.session.apply(event)
    window.chat.show_session(window.runner.session)
    assert {event.source for event in rounds} >= set(sources)
    assert window.chat.heatmap.scheme.toolTip() == "E · cascade · block 8 · table + look-up"
    assert scheme_of_run(started, ["", "table", "lookup"]) is Scheme.CASCADE
    assert scheme_of_run(started, ["", "table", "dspark"]) is Scheme.DSPARK
    texts = {drafter_text(event.source) for event in rounds if event.source}
    assert texts == {"look-up", "table", "E · cascade"}


def test_the_engines_alarm_is_said_once_and_helps(open_window: OpenWindow) -> None:
    window = open_window()
    events = []
    for event in run_events(window.arms.arms[1], 0, "Alarm?", 120):
        if isinstance(event, Round) and event.index > 20:
            event = msgspec.structs.replace(event, warning=f"Almost never right ({event.index} of the last 99 kept).")
        events.append(event)
    for event in events:
        window.runner.session.apply(event)
    window.chat.show_session(window.runner.session)
    alarm = window.chat.panes.pane("speculative").alarm
    assert alarm.isVisible() and alarm.is_error
    assert alarm.label.text() == "Almost never right (21 of the last 99 kept)."
    assert [button.text() for button in alarm.buttons] == ["Choose Another Drafter"]
