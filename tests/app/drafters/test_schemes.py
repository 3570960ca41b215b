"""What the window can tell of a drafter before, while and after it is opened."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pytestqt.qtbot import QtBot

from app.chat.wording import settings_summary
from app.drafters import pairs, schemes
from app.drafters.schemes import (
    TAPPED,
    Choice,
    Scheme,
    choice_of,
    reads,
    scheme_at_work,
    scheme_of,
    scheme_of_folder,
    tells_scheme,
)
from app.drafters.wording import scheme_title, unread
from app.settings.arms import LEAST_CHANCE, default_arms, drafting_with, usual_settings, with_drafter, with_target
from app.settings.drafter_picker import DrafterPicker
from engine.trace.events import Arm, ModelFacts, Settings

FOLDERS = st.text("ab+/ -", min_size=1, max_size=12).map(lambda name: f"/{name}/e")
"""Any folder, a plus in its name or not."""
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
    ({"slipstream_drafter": 1, "layout": {"scheme": "A", "eagle": {}}}, Scheme.EAGLE),
    ({"slipstream_drafter": 1, "layout": {"scheme": "A", "eagle": None, "recurrent": {}}}, Scheme.RECURRENT),
    ({"slipstream_table": 1}, Scheme.TABLE),
    ({"hello": 1}, Scheme.UNKNOWN),
    ([1, 2], Scheme.UNKNOWN),
]


@pytest.mark.parametrize(("config", "expected"), CONFIGS, ids=lambda value: str(value)[:40])
def test_a_folder_tells_its_scheme(tmp_path: Path, config: object, expected: Scheme) -> None:
    (tmp_path / "config.json").write_text(json.dumps(config), encoding="utf-8")
    assert scheme_of_folder(tmp_path) is expected
    assert scheme_of(f"lookup+{tmp_path}") is scheme_of(f"lookup+table+{tmp_path}") is expected


def test_a_folder_that_cannot_be_read_is_unknown(tmp_path: Path) -> None:
    assert scheme_of_folder(tmp_path) is Scheme.UNKNOWN
    (tmp_path / "config.json").write_bytes(b"\xff{")
    assert scheme_of_folder(tmp_path) is Scheme.UNKNOWN


@pytest.mark.parametrize(
    "word",
    [
        "none",
        "lookup",
        "table",
        "/a+b/model",
        "lookup+/a+b/model",
        "lookup+table",
        "table+/a",
        "lookup+table+/a+b/model",
    ],
)
def test_a_word_is_read_and_written_alike(word: str) -> None:
    assert choice_of(word).word == word


def test_look_up_is_not_asked_before_itself() -> None:
    assert Choice("none", True).word == "none" and Choice("lookup", True).word == "lookup"
    assert choice_of("/models/d+lookup") == Choice("/models/d", True)


def test_the_table_is_not_weighed_against_itself() -> None:
    assert Choice("table", True, True).word == "lookup+table" and Choice("table", False, True).word == "table"
    assert Choice("none", table=True).word == "none" and Choice("lookup", table=True).word == "lookup"
    for word in ("/d+table+lookup", "lookup+/d+table", "table+lookup+/d"):
        assert choice_of(word) == Choice("/d", True, True)
        assert choice_of(word).word == "lookup+table+/d"


@given(FOLDERS | st.sampled_from(["org/drafter", "embedded"]), st.booleans(), st.booleans())
@example("/table+x/lookup+y/e", True, True)
def test_what_is_chosen_is_read_again(drafter: str, lookup: bool, table: bool) -> None:
    choice = Choice(drafter, lookup, table)
    assert choice_of(choice.word) == choice


def test_what_a_round_says_is_believed_first() -> None:
    arm = Arm(name="speculative", drafter="org/drafter")
    facts = ModelFacts(name="drafter", architecture="DFlashDraftModel")
    assert scheme_at_work(arm) is Scheme.UNKNOWN
    assert scheme_at_work(arm, facts) is Scheme.DFLASH
    assert scheme_at_work(arm, facts, "domino") is Scheme.DOMINO
    assert scheme_at_work(arm, facts, "lookup") is Scheme.DFLASH
    assert scheme_at_work(arm, ModelFacts(name="small", architecture="llama")) is Scheme.MODEL
    assert scheme_at_work(Arm(name="a", drafter="lookup"), None, "lookup") is Scheme.LOOKUP


@pytest.mark.parametrize("source", ["lookup", "table"])
def test_who_drafts_beside_a_trained_drafter_does_not_name_the_scheme(source: str) -> None:
    facts = ModelFacts(name="E", architecture="cascade")
    for word in ("lookup+table+/models/e", "table+/models/e"):
        arm = Arm(name="speculative", drafter=word)
        assert not tells_scheme(arm, source) and scheme_at_work(arm, facts, source) is Scheme.CASCADE
        assert tells_scheme(arm, "dspark") and scheme_at_work(arm, facts, "dspark") is Scheme.DSPARK
    for word in ("table", "lookup+table", "lookup+/models/my-table"):
        arm = Arm(name="speculative", drafter=word)
        assert tells_scheme(arm, source) is (source == "table")
    assert scheme_at_work(Arm(name="speculative", drafter="lookup+/models/my-table"), None, "table") is Scheme.TABLE
    assert not tells_scheme(Arm(name="speculative", drafter="/d"), "")


@pytest.mark.parametrize("scheme", TAPPED)
def test_a_blend_reads_candidates_and_confidence_whatever_its_scheme(scheme: Scheme) -> None:
    for name in ("candidate_width", "confidence_threshold"):
        assert reads(scheme, name, blend=True)
    for name in ("block", "injected_layers", "fallback", "timing_every"):
        assert reads(scheme, name, blend=True) is reads(scheme, name)


@pytest.mark.parametrize("scheme", list(Scheme))
def test_a_tree_is_drafted_by_what_is_weighed_with_a_table_alone(scheme: Scheme) -> None:
    assert reads(scheme, "tree", blend=True) and not reads(scheme, "tree")
    assert unread("tree", scheme).endswith(".")


def test_what_a_pane_says_of_a_blend() -> None:
    def said(word: str) -> str:
        return settings_summary(Arm(name="speculative", drafter=word), Scheme.CASCADE)

    assert said("/e") == "E · cascade · block 8"
    assert said("lookup+/e") == "E · cascade · block 8 · look-up first"
    assert said("table+/e") == "E · cascade · block 8 · with table"
    assert said("lookup+table+/e") == "E · cascade · block 8 · table + look-up"
    arm = Arm(name="speculative", drafter="lookup+table+/e", settings=Settings(tree=True))
    assert settings_summary(arm, Scheme.CASCADE) == "E · cascade · block 8 · table + look-up · tree"


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
    assert default_arms()[1] == Arm(name="speculative", drafter="lookup+table")
    untold, best = ship(tmp_path, "E", None), ship(tmp_path, "C", 2.25)
    ship(tmp_path, "B", 1.75)
    ship(tmp_path, "A", 2.75)  # more tokens, but a forward for each of them
    assert schemes.best_trained() == best and default_arms()[1].drafter == f"lookup+table+{best}"
    assert default_arms()[1].settings == Settings(block=8, confidence_threshold=LEAST_CHANCE, tree=True)
    assert default_arms()[0].settings == Settings()
    assert default_arms("/models/other")[1].drafter == "lookup"
    (Path(best) / "config.json").unlink()
    (Path(untold) / "config.json").write_text('{"about": {"held_out": {"tokens_per_forward": "many"}}}')
    assert schemes.best_trained().endswith("B")
    (tmp_path / "drafters" / "table" / "config.json").unlink()
    assert default_arms()[1] == Arm(name="speculative", drafter=f"lookup+{schemes.best_trained()}")


def test_a_drafter_that_ships_stays_with_the_embedded_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schemes, "RESOURCES", tmp_path)
    shipped = ship(tmp_path, "E", 2.5)
    own = Arm(name="own", drafter="lookup+/mine")
    arms = with_target((*default_arms(), own), "/models/other")
    assert [arm.drafter for arm in arms] == ["none", "lookup", "lookup+/mine"]
    assert {arm.target for arm in arms} == {"/models/other"}
    assert with_target(default_arms(), "embedded")[1].drafter == f"lookup+{shipped}"


def test_the_table_stays_with_the_embedded_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schemes, "RESOURCES", tmp_path)
    words = (f"lookup+table+{ship(tmp_path, 'E', 2.5)}", "lookup+table+/mine", "table+/mine", "lookup+table")
    arms = tuple(Arm(name=word, drafter=word, settings=usual_settings(word)) for word in words)
    assert with_target(arms, "embedded") == arms
    moved = with_target(arms, "/models/other")
    assert [arm.drafter for arm in moved] == ["lookup", "lookup+/mine", "/mine", "lookup"]
    assert {arm.settings for arm in moved} == {Settings()}


def test_a_usual_threshold_follows_the_drafter_and_a_chosen_one_stays() -> None:
    blend = Arm(name="speculative", drafter="lookup+table+/e", settings=usual_settings("lookup+table+/e"))
    assert with_drafter((blend,), "/d")[0].settings == Settings()
    assert drafting_with(Arm(name="speculative", drafter="/d"), blend.drafter).settings == blend.settings
    chosen = Settings(confidence_threshold=0.4, block=5)
    for before, after in ((blend.drafter, "/d"), ("/d", blend.drafter)):
        moved = drafting_with(Arm(name="a", drafter=before, settings=chosen), after).settings
        assert (moved.confidence_threshold, moved.block) == (0.4, 5)


def test_a_tree_ends_where_the_table_is_left_out() -> None:
    blend = Arm(name="speculative", drafter="table+/e", settings=Settings(tree=True))
    assert drafting_with(blend, "lookup+table+/d").settings.tree
    assert not drafting_with(blend, "/e").settings.tree
    moved = with_target((blend,), "/models/other")[0]
    assert moved.drafter == "/e" and not moved.settings.tree
    # It begins where the table comes to be weighed, and one that was left out stays so.
    assert drafting_with(moved, "table+/e").settings.tree
    without = Arm(name="speculative", drafter="table+/e")
    assert not drafting_with(without, "table+/d").settings.tree


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
