"""What the window can tell of a drafter before, while and after it is opened."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.drafters import pairs, schemes
from app.drafters.schemes import Choice, Scheme, choice_of, reads, scheme_at_work, scheme_of, scheme_of_folder
from app.drafters.wording import scheme_title, unread
from app.settings.arms import default_arms, with_target
from app.settings.drafter_picker import DrafterPicker
from engine.trace.events import Arm, ModelFacts

CONFIGS = [
    ({"architectures": ["LlamaForCausalLM"], "model_type": "llama"}, Scheme.MODEL),
    ({"architectures": ["LlamaForCausalLMEagle3"], "model_type": "llama"}, Scheme.EAGLE),
    ({"speculators_model_type": "eagle3", "architectures": ["Eagle3Speculator"]}, Scheme.EAGLE),
    ({"architectures": ["DFlashDraftModel"], "dflash_config": {"mask_token_id": 1}}, Scheme.DFLASH),
    ({"architectures": ["DFlashDraftModel"], "dflash_config": {"projector_type": "domino"}}, Scheme.DOMINO),
    ({"architectures": ["DFlashDraftModel"], "dflash_config": {"projector_type": "dspark"}}, Scheme.DSPARK),
    ({"architectures": ["Qwen3DSparkModel"], "model_type": "qwen3"}, Scheme.DSPARK),
    ({"architectures": ["DFlash2DraftModel"], "model_type": "qwen3"}, Scheme.DFLASH2),
    ({"slipstream_drafter": 1, "layout": {"scheme": "E"}}, Scheme.CASCADE),
    ({"slipstream_drafter": 1, "layout": {"scheme": "C", "domino": {"rank": 8}}}, Scheme.DOMINO),
    ({"slipstream_table": 1}, Scheme.TABLE),
    ({"hello": 1}, Scheme.UNKNOWN),
    ([1, 2], Scheme.UNKNOWN),
]


@pytest.mark.parametrize(("config", "expected"), CONFIGS, ids=lambda value: str(value)[:40])
def test_a_folder_tells_its_scheme(tmp_path: Path, config: object, expected: Scheme) -> None:
    (tmp_path / "config.json").write_text(json.dumps(config), encoding="utf-8")
    assert scheme_of_folder(tmp_path) is expected
    assert scheme_of(f"lookup+{tmp_path}") is expected


def test_a_folder_that_cannot_be_read_is_unknown(tmp_path: Path) -> None:
    assert scheme_of_folder(tmp_path) is Scheme.UNKNOWN
    (tmp_path / "config.json").write_bytes(b"\xff{")
    assert scheme_of_folder(tmp_path) is Scheme.UNKNOWN


@pytest.mark.parametrize("word", ["none", "lookup", "table", "/a+b/model", "lookup+/a+b/model", "lookup+table"])
def test_a_word_is_read_and_written_alike(word: str) -> None:
    assert choice_of(word).word == word


def test_look_up_is_not_asked_before_itself() -> None:
    assert Choice("none", True).word == "none" and Choice("lookup", True).word == "lookup"
    assert choice_of("/models/d+lookup") == Choice("/models/d", True)


def test_what_a_round_says_is_believed_first() -> None:
    arm = Arm(name="speculative", drafter="org/drafter")
    facts = ModelFacts(name="drafter", architecture="DFlashDraftModel")
    assert scheme_at_work(arm) is Scheme.UNKNOWN
    assert scheme_at_work(arm, facts) is Scheme.DFLASH
    assert scheme_at_work(arm, facts, "domino") is Scheme.DOMINO
    assert scheme_at_work(arm, facts, "lookup") is Scheme.DFLASH
    assert scheme_at_work(arm, ModelFacts(name="small", architecture="llama")) is Scheme.MODEL
    assert scheme_at_work(Arm(name="a", drafter="lookup"), None, "lookup") is Scheme.LOOKUP


def test_which_settings_a_scheme_reads() -> None:
    def read_by(scheme: Scheme) -> set[str]:
        names = ("block", "candidate_width", "injected_layers", "confidence_threshold", "fallback", "timing_every")
        return {name for name in names if reads(scheme, name)}

    assert read_by(Scheme.NONE) == set()
    assert read_by(Scheme.LOOKUP) == {"block", "fallback"}
    assert read_by(Scheme.TABLE) == {"block", "fallback", "confidence_threshold"}
    assert read_by(Scheme.DFLASH) == {"block", "fallback", "timing_every"}
    assert read_by(Scheme.DSPARK) == {"block", "fallback", "timing_every", "confidence_threshold"}
    assert read_by(Scheme.DFLASH2) == {"block", "fallback", "timing_every", "candidate_width"}
    assert read_by(Scheme.CASCADE) == {"block", "fallback", "timing_every", "candidate_width", "injected_layers"}
    assert len(read_by(Scheme.UNKNOWN)) == 6
    assert reads(Scheme.NONE, "temperature")


@pytest.mark.parametrize("scheme", list(Scheme))
def test_every_refusal_has_a_reason(scheme: Scheme) -> None:
    for name in ("block", "candidate_width", "injected_layers", "confidence_threshold", "fallback", "timing_every"):
        if not reads(scheme, name):
            assert unread(name, scheme).endswith(".")


def test_titles() -> None:
    assert scheme_title(Scheme.DFLASH2) == "D · DFlash 2" and scheme_title(Scheme.CASCADE) == "E · cascade"
    assert scheme_title(Scheme.LOOKUP) == "look-up" and scheme_title(Scheme.UNKNOWN) == ""


def test_known_drafters_of_a_target_in_any_precision() -> None:
    found = pairs.known_drafters("/models/Qwen3-8B-4bit")
    assert {pair.scheme for pair in found} >= {"B", "C"}
    assert found == pairs.known_drafters("mlx-community/qwen3-8b-MLX-bf16")
    assert all(pair.drafter.count("/") == 1 for pair in found)
    assert pairs.known_drafters("embedded") == ()


def test_a_damaged_list_of_pairs_offers_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pairs, "RESOURCES", tmp_path)
    assert pairs.known_drafters("Qwen3-8B") == ()
    (tmp_path / "pairs.json").write_text('{"pairs": [{"target": 3}]}', encoding="utf-8")
    assert pairs.known_drafters("Qwen3-8B") == ()


def test_trained_drafters_are_offered_once_they_are_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schemes, "RESOURCES", tmp_path)
    assert schemes.trained() == {} and not schemes.table_is_there()
    for name in ("table", "E", "B"):
        (tmp_path / "drafters" / name).mkdir(parents=True)
        (tmp_path / "drafters" / name / "config.json").write_text("{}", encoding="utf-8")
    assert list(schemes.trained()) == ["B", "E"] and schemes.table_is_there()


def ship(folder: Path, letter: str, held_out: float | None) -> str:
    """A drafter as training leaves it, as far as the window reads it."""
    made = folder / "drafters" / letter
    made.mkdir(parents=True)
    about = {"held_out": held_out and {"tokens_per_forward": held_out}}
    config = {"slipstream_drafter": 1, "layout": {"scheme": letter}, "about": about}
    (made / "config.json").write_text(json.dumps(config), encoding="utf-8")
    return str(made)


def test_a_first_launch_drafts_with_the_best_that_ships(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schemes, "RESOURCES", tmp_path)
    assert [arm.drafter for arm in default_arms()] == ["none", "lookup"]
    (tmp_path / "drafters" / "table").mkdir(parents=True)
    (tmp_path / "drafters" / "table" / "config.json").write_text('{"slipstream_table": 1}', encoding="utf-8")
    assert default_arms()[1].drafter == "lookup+table"
    untold, best = ship(tmp_path, "E", None), ship(tmp_path, "C", 2.25)
    ship(tmp_path, "B", 1.75)
    assert schemes.best_trained() == best and default_arms()[1].drafter == f"lookup+{best}"
    assert default_arms("/models/other")[1].drafter == "lookup"
    (Path(best) / "config.json").unlink()
    (Path(untold) / "config.json").write_text('{"about": {"held_out": {"tokens_per_forward": "many"}}}')
    assert schemes.best_trained().endswith("B")


def test_a_drafter_that_ships_stays_with_the_embedded_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schemes, "RESOURCES", tmp_path)
    shipped = ship(tmp_path, "E", 2.5)
    own = Arm(name="own", drafter="lookup+/mine")
    arms = with_target((*default_arms(), own), "/models/other")
    assert [arm.drafter for arm in arms] == ["none", "lookup", "lookup+/mine"]
    assert {arm.target for arm in arms} == {"/models/other"}
    assert with_target(default_arms(), "embedded")[1].drafter == f"lookup+{shipped}"


def test_trained_drafters_have_plain_names_in_the_picker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    monkeypatch.setattr(schemes, "RESOURCES", tmp_path)
    folders = [ship(tmp_path, letter, 2.0) for letter in schemes.TRAINED]
    picker = DrafterPicker("embedded")
    qtbot.addWidget(picker)
    names = [picker.kind.itemText(picker.kind.findData(folder)) for folder in folders]
    assert names == ["A · EAGLE-3", "B · DFlash", "C · DSpark", "D · DFlash 2", "E · cascade"]
    picker.show_drafter(f"lookup+{folders[4]}")
    assert picker.kind.currentText() == "E · cascade" and picker.first.isChecked()
    assert picker.choice.word == f"lookup+{folders[4]}"
