from __future__ import annotations

from pathlib import Path

import pytest

from engine.arms import ArmError, parse_arm, parse_arms
from engine.trace.events import Arm, Settings
from engine.trace.limits import settings_problem


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("baseline", Arm(name="baseline")),
        ("lookup", Arm(name="lookup", drafter="lookup")),
        ("drafter=lookup,block=5", Arm(name="lookup", drafter="lookup", settings=Settings(block=5))),
        (
            "target=/m,drafter=/d,block=5,temperature=0.7,name=mine",
            Arm(name="mine", target="/m", drafter="/d", settings=Settings(block=5, temperature=0.7)),
        ),
        ("lookup+/folder/d,kv=8", Arm(name="lookup+d", drafter="lookup+/folder/d", settings=Settings(kv_bits=8))),
        (
            "baseline,stop=a|b,penalty=1.2",
            Arm(name="baseline", settings=Settings(stop=("a", "b"), repetition_penalty=1.2)),
        ),
        ("lookup,fallback=true", Arm(name="lookup", drafter="lookup", settings=Settings(fallback=True))),
    ],
)
def test_what_people_write(text: str, expected: Arm) -> None:
    assert parse_arm(text) == expected


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "a part is empty"),
        ("lookup,", "a part is empty"),
        ("lookup,block", "'block' in 'lookup,block' has no value"),
        ("lookup,blok=3", "'blok' in 'lookup,blok=3' is no setting of an arm. Known: block,"),
        ("lookup,block=five", "'five' in 'lookup,block=five' is no value of block: write a whole number."),
        ("E+table,tree=maybe", "'maybe' in 'E+table,tree=maybe' is no value of tree: write true or false."),
        ("lookup,block=0", "The block must be from 1"),
        ("lookup,temperature=-1", "The temperature must be from 0 (greedy) to 100; it is -1.0."),
        ("lookup,temperature=1e9", "The temperature must be"),
        ("lookup,temperature=nan", "The temperature must be"),
        ("E+F", "'E+F' in 'E+F' names no drafter: an arm has one, to which +table and +lookup may be joined"),
        ("lookup+E+E,block=9", "'E+E' in 'lookup+E+E,block=9' names no drafter"),
        ("lookup,width=4", "for the number of rows verified at once write block=N"),
    ],
)
def test_what_is_refused_says_why(text: str, sentence: str) -> None:
    with pytest.raises(ArmError) as error:
        parse_arm(text)
    assert sentence in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("name", ["C++", "x+E"])
def test_a_folder_may_have_a_plus_in_its_name(tmp_path: Path, name: str) -> None:
    folder = tmp_path / name
    folder.mkdir()
    assert parse_arm(f"{folder}+lookup").drafter == f"{folder}+lookup"


@pytest.mark.parametrize("path", ["~nobody-of-this-name/x+y", f"/{'x' * 300}+y"])
def test_a_path_that_cant_be_looked_for_names_no_drafter(path: str) -> None:
    with pytest.raises(ArmError, match="names no drafter"):
        parse_arm(f"drafter={path}")


def test_settings_of_the_command_line_are_the_arms_defaults() -> None:
    a, b = parse_arms(["baseline", "lookup,temperature=0"], Settings(temperature=0.5, max_tokens=9), "/m")
    assert (a.settings.temperature, b.settings.temperature) == (0.5, 0.0)
    assert {a.settings.max_tokens, b.settings.max_tokens} == {9}
    assert {a.target, b.target} == {"/m"}


def test_arms_of_one_name_are_told_apart() -> None:
    assert [a.name for a in parse_arms(["lookup,block=4", "lookup,block=8", "lookup"])] == [
        "lookup",
        "lookup 2",
        "lookup 3",
    ]


@pytest.mark.parametrize(
    "changes",
    [
        {"top_p": 0.0}, {"top_p": 1.1}, {"top_k": -1}, {"min_p": 1.0}, {"repetition_penalty": 0.0}, {"block": 65},
        {"seed": -1}, {"max_tokens": -2}, {"kv_bits": 3}, {"stop": ("",)}, {"temperature": float("inf")},
        {"candidate_width": 0}, {"repetition_window_tokens": -1}, {"timing_every": -1},
    ],
)  # fmt: skip
def test_every_setting_has_its_limits(changes: dict[str, object]) -> None:
    assert settings_problem(Settings()) == ""
    assert settings_problem(Settings(**changes))  # type: ignore[arg-type]
