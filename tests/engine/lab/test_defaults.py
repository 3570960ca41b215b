from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine.arms import parse_arms
from engine.lab.defaults import best_trained, default_arms


def drafter(place: Path, scheme: str, about: dict[str, Any]) -> Path:
    path = place / scheme.lower()
    path.mkdir()
    config = {"slipstream_drafter": 1, "layout": {"scheme": scheme}, "about": about}
    (path / "config.json").write_text(json.dumps(config))
    return path


def test_without_trained_drafters_the_table_stands_for_them(tmp_path: Path) -> None:
    (tmp_path / "table").mkdir()
    (tmp_path / "table" / "config.json").write_text('{"slipstream_table": 1}')
    assert default_arms(drafters=tmp_path) == ("baseline", "table+lookup")


def test_the_best_of_the_trained_drafters_goes_first(tmp_path: Path) -> None:
    drafter(tmp_path, "B", {"tokens_per_forward": 1.4})
    best = drafter(tmp_path, "D", {"held_out": {"tokens_per_forward": 1.6}})
    drafter(tmp_path, "E", {"note": "not measured"})
    drafter(tmp_path, "A", {"tokens_per_forward": 1.9})  # a forward a draft: more tokens, but at what price
    arms = parse_arms(list(default_arms(drafters=tmp_path)))
    assert [arm.name for arm in arms] == ["baseline", "D+lookup", "table+lookup"]
    assert arms[1].drafter == f"{best}+lookup"


def test_where_none_was_measured_the_furthest_scheme_counts(tmp_path: Path) -> None:
    drafter(tmp_path, "B", {})
    drafter(tmp_path, "E", {})
    assert best_trained(tmp_path).endswith("name=E+lookup")


@pytest.mark.parametrize("text", ["", "[]", "{", '"x"'])
def test_a_damaged_config_is_passed_over(tmp_path: Path, text: str) -> None:
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "config.json").write_text(text)
    assert best_trained(tmp_path) == ""


def test_another_target_has_no_table_of_its_own() -> None:
    assert default_arms("/models/other") == ("baseline", "lookup")


def test_what_ships_can_be_written_as_arms() -> None:
    assert parse_arms(list(default_arms()))[0].drafter == "none"
