from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from engine.train.conversations import DataError
from engine.train.openers import Group, Openers, Request, choose, read_openers, read_prompts, read_weights

OPENERS = Openers(
    groups=(
        Group(task="open", language="en", texts=("Tell", "Write")),
        Group(task="code", language="en", texts=("def",), format="code"),
        Group(task="open", language="zh", texts=("写",), turn_tokens=7),
    ),
    requests=(Request(format="list", language="en", texts=("As a list.",)),),
)


def test_our_openers_cover_tasks_languages_and_formats() -> None:
    openers, sha256 = read_openers()
    assert {g.language for g in openers.groups} == {"en", "zh", "mixed"}
    english = {g.task for g in openers.groups if g.language == "en"}
    assert english >= {"cloze", "open", "summary", "code", "question", "rewriting", "copying"}
    formats = {g.format for g in openers.groups} | {r.format for r in openers.requests}
    assert formats == {"plain", "list", "table", "code", "json"}
    texts = [text for g in openers.groups for text in g.texts]
    assert len(set(texts)) == len(texts) > 150
    assert len(sha256) == 64


def test_languages_come_by_their_shares_and_openers_alike() -> None:
    chosen = choose(OPENERS, {"en": 3, "zh": 1}, 4000, np.random.default_rng(1))
    assert sum(b.text == "写" for b in chosen) / 4000 == pytest.approx(0.25, abs=0.03)
    counts = Counter(b.text for b in chosen)
    # Two tasks alike, and in one of them two openers.
    assert counts["def"] / 4000 == pytest.approx(0.375, abs=0.03)
    assert counts["Tell"] / counts["Write"] == pytest.approx(1, abs=0.2)
    assert {b.turn_tokens for b in chosen if b.text == "写"} == {7}


def test_formats_are_asked_for_where_the_opener_has_none() -> None:
    chosen = choose(OPENERS, {"en": 1, "zh": 1}, 3000, np.random.default_rng(2))
    assert {(b.label, b.request) for b in chosen} == {
        ("open/en/plain", ""),
        ("open/en/list", "As a list."),
        ("code/en/code", ""),
        ("open/zh/plain", ""),
    }
    plain = [b.label for b in chosen if b.label.startswith("open/en")]
    assert plain.count("open/en/plain") / len(plain) == pytest.approx(0.6, abs=0.05)


def test_the_choice_repeats_with_the_seed() -> None:
    a, b, other = (choose(OPENERS, {"en": 1}, 20, np.random.default_rng(seed)) for seed in (5, 5, 6))
    assert a == b != other


def test_a_language_without_openers_is_refused() -> None:
    with pytest.raises(DataError, match="No opener is in a language"):
        choose(OPENERS, {"mixed": 1}, 2, np.random.default_rng(0))


def test_prompts_one_a_line_or_json_lines(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("First\n\n  Second \n")
    (tmp_path / "a.jsonl").write_text('{"prompt": "First"}\n"Two\\nlines"\n')
    assert read_prompts(tmp_path / "a.txt")[0] == ["First", "Second"]
    assert read_prompts(tmp_path / "a.jsonl")[0] == ["First", "Two\nlines"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.jsonl", b'{"prompt": "x"}\n{"text": "x"}', "Line 2 of .* holds no prompt"),
        ("a.jsonl", b"{", "Line 1 of .* is not JSON"),
        ("a.txt", b"\n \n", "holds no prompts"),
        ("a.txt", b"\xff\xfe", "is not UTF-8"),
    ],
)
def test_files_of_prompts_are_checked(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError, match=message):
        read_prompts(tmp_path / name)


def test_files_of_openers_are_checked(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="can't be read"):
        read_openers(tmp_path / "none.json")
    (tmp_path / "a.json").write_text('{"groups": [{"task": "open"}]}')
    with pytest.raises(DataError, match="is not a file of openers"):
        read_openers(tmp_path / "a.json")
    (tmp_path / "a.json").write_text('{"groups": []}')
    with pytest.raises(DataError, match="holds no openers"):
        read_openers(tmp_path / "a.json")


def test_shares() -> None:
    assert read_weights("en=8, zh=0.5") == {"en": 8, "zh": 0.5}
    for text in ("en", "fr=1", "en=-1", "en=0"):
        with pytest.raises(DataError, match="en=8,zh=1"):
            read_weights(text)
