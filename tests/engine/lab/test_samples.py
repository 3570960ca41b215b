"""The checker refuses what would mislead, and the product's own samples pass it."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from engine.lab.plan import LAYERS, Sample, evenly, make_plan, read_samples
from engine.lab.result import LabError
from engine.lab.samples import absent, filler, language_of, length_of, problems, read_own


def sample(**changes: str) -> Sample:
    given = {
        "name": "sky", "prompt": "Why does the sky turn red in the evening?", "length": "short", "task": "question",
        "language": "en", "format": "plain",
    }  # fmt: skip
    return Sample(**{**given, **changes})


def test_own_samples_are_fit() -> None:
    samples = read_samples()
    assert problems(samples) == []
    assert len(samples) >= 60
    assert absent(samples) == {}


def test_language_and_length_cross_in_the_own_samples() -> None:
    found = {(s.length, s.language) for s in read_samples()}
    assert found == {(length, language) for length in LAYERS["length"] for language in LAYERS["language"]}


@pytest.mark.parametrize(
    "prompt",
    [
        "The quick brown fox jumps over the lazy dog. " * 12,
        "hello hello hello hello hello hello hello hello",
        "今天天气很好，我们去公园散步。" * 10,
        "Lorem ipsum dolor sit amet\n" * 5 + "Write a poem about rivers, harbours, ferries and the people on them.",
    ],
)
def test_filler_is_refused(prompt: str) -> None:
    assert filler(prompt)
    bad = sample(prompt=prompt, length=length_of(prompt), language=language_of(prompt), task="open")
    assert any("filler" in problem for problem in problems([bad], complete=False))


def test_near_duplicate_is_refused_and_names_both() -> None:
    twin = sample(name="sky 2", prompt="Why does the sky turn red in the evening, please?")
    (problem,) = problems([sample(), twin], complete=False)
    assert "'sky' and 'sky 2'" in problem


def test_prompt_that_holds_another_is_a_duplicate() -> None:
    base = "A staircase in an old tower has 96 steps. Anna climbs two steps at a time and rests often. Who is first?"
    longer = sample(
        name="longer", length="medium",
        prompt=base + " " + " ".join(f"word{n} thing{n} another{n}" for n in range(20)),
    )  # fmt: skip
    found = problems([sample(name="base", prompt=base), longer], complete=False)
    assert [problem for problem in found if "near duplicates" in problem]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"length": "long"}, "its length is short"),
        ({"language": "zh"}, "its language is en"),
        ({"language": "mixed", "prompt": "为什么月亮有时候在白天也看得见？"}, "its language is zh"),
        ({"task": "summary"}, "doesn't ask for it"),
        ({"task": "cloze"}, "doesn't ask for it"),
        ({"format": "json"}, "doesn't ask for it"),
        ({"format": "poem"}, "choose one of plain"),
        ({"prompt": "   "}, "is empty"),
    ],
)
def test_wrong_label_is_refused(changes: dict[str, str], said: str) -> None:
    assert any(said in problem for problem in problems([sample(**changes)], complete=False))


def test_missing_layer_is_named() -> None:
    kept = [s for s in read_samples() if s.language != "mixed"]
    assert "Language 'mixed' has 0 samples: 4 are the least." in problems(kept)
    assert absent(kept) == {"language": ("mixed",)}
    assert problems(kept, complete=False) == []


def test_same_name_twice_is_refused() -> None:
    other = sample(prompt="What does salt do in bread dough besides giving taste?")
    assert problems([sample(), other], complete=False) == ["2 samples are named 'sky': give each a name of its own."]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Why is the sky blue?", "en"),
        ("为什么天是蓝色的？", "zh"),
        ("用中文 explain the word 节气 to a friend", "mixed"),
        ("把下面的代码改好\n```python\nfor number in numbers:\n    total = total + number\n```", "zh"),
        ("12 + 30", "en"),
    ],
)
def test_language_is_that_of_the_words_outside_code(text: str, language: str) -> None:
    assert language_of(text) == language


def test_every_beginning_of_a_plan_is_even() -> None:
    ordered = evenly(read_samples())
    assert sorted(s.name for s in ordered) == sorted(s.name for s in read_samples())
    assert {s.length for s in ordered[:3]} == set(LAYERS["length"])
    assert {s.language for s in ordered[:3]} == set(LAYERS["language"])
    quick = make_plan("quick").prompts
    for kind, values in LAYERS.items():
        assert {s.layer(kind) for s in quick} == set(values), kind


def test_plan_sizes_can_be_set() -> None:
    assert make_plan("quick").size("rounds", 10, 2000) == 10
    assert make_plan("full").size("rounds", 10, 2000) == 2000
    assert make_plan("full", sizes={"rounds": 3}).size("rounds", 10, 2000) == 3


# a user's own file


def test_text_file_is_one_prompt_a_line(tmp_path: Path) -> None:
    file = tmp_path / "mine.txt"
    file.write_text("Why is the sky blue?\n\n用一句话介绍杭州。\n", encoding="utf-8")
    samples = read_own(file)
    assert [(s.name, s.language, s.task) for s in samples] == [("line 1", "en", "other"), ("line 3", "zh", "other")]


def test_json_lines_may_name_the_task(tmp_path: Path) -> None:
    file = tmp_path / "mine.jsonl"
    file.write_text(json.dumps({"prompt": "Fill in: a river flows into the ___.", "task": "cloze"}) + "\n")
    assert read_own(file)[0].task == "cloze"


def test_json_file_is_read_as_the_own_one_is(tmp_path: Path) -> None:
    file = tmp_path / "mine.json"
    file.write_bytes(msgspec.json.encode(read_samples()[:3]))
    assert read_own(file) == read_samples()[:3]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("no.txt", None, "can't be read"),
        ("empty.txt", "\n\n", "holds no prompts"),
        ("bad.jsonl", '{"text": "x"}\n', "line 1"),
        ("bad.json", "{}", "JSON list"),
        ("none.json", "[]", "holds no samples"),
        ("filler.txt", "very good very good very good very good very good\n", "filler"),
    ],
)
def test_bad_file_is_one_sentence(tmp_path: Path, name: str, content: str | None, said: str) -> None:
    file = tmp_path / name
    if content is not None:
        file.write_text(content, encoding="utf-8")
    with pytest.raises(LabError) as error:
        read_own(file)
    assert said in str(error.value)
    assert "\n" not in str(error.value)
