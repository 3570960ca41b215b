"""Every sentence of the engine that a person can meet in the window is known to it, in both languages."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication

from app import sentences
from app.i18n import Language
from engine.models import files
from tests.app.test_i18n import CATALOGUE, messages

ENGINE = Path(__file__).resolve().parents[2] / "engine"
MET = (
    "models/config.py",
    "models/pull.py",
    "models/remove.py",
    "models/files.py",
    "models/loading.py",
    "models/fetch.py",
    "models/convert.py",
    "models/demo.py",
    "models/hub.py",
    "models/peek.py",
    "models/registry.py",
    "memory/estimate.py",
    "memory/shapes.py",
    "target.py",
    "branches.py",
    "race.py",
    "process/worker.py",
    "drafters/borrow.py",
    "drafters/load.py",
    "drafters/quantize.py",
    "drafters/save.py",
    "drafters/votes.py",
    "drafters/formats/files.py",
    "train/loop.py",
    "train/drafter.py",
    "train/going_on.py",
    "train/conversations.py",
    "train/taps.py",
    "train/batch.py",
    "train/dataset.py",
    "train/failures.py",
    "train/fit.py",
    "train/frame.py",
    "train/imports.py",
    "train/layouts.py",
    "train/start.py",
    "commands/train_drafter.py",
    "trace/file.py",
)
"""Modules whose sentences reach the window in ordinary use: loading, asking, fetching, reading traces, training."""
ERRORS = (
    "ModelError",
    "FetchError",
    "Stopped",
    "PromptError",
    "TraceError",
    "TrainError",
    "DataError",
    "Refused",
    "Failed",
)
WORDERS = ("architecture_problem", "unwritable")
"""Functions that return a whole sentence for an error."""
PLACE = re.compile(r"\{[^{}]*\}")


def said_by(module: Path) -> Iterator[str]:
    """Texts of the errors and refusals that a module makes; ``{}`` where something is put in."""
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        values: list[ast.expr | None] = []
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ERRORS:
            values = [*node.args[:1], *(word.value for word in node.keywords if word.arg == "message")]
        elif isinstance(node, ast.FunctionDef) and node.name in WORDERS:
            values = [end.value for end in ast.walk(node) if isinstance(end, ast.Return)]
        for value in values:
            if isinstance(value, ast.Constant) and isinstance(value.value, str) and value.value:
                yield value.value
            elif isinstance(value, ast.JoinedStr):
                yield "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in value.values)


@pytest.mark.parametrize(
    "where", ["models/*.py", "memory/*.py", "loader.py", "shelf.py", "commands/models.py", "drafters/checkpoint.py"]
)
def test_no_module_that_says_something_is_left_out(where: str) -> None:
    modules = {module.relative_to(ENGINE).as_posix(): module for module in ENGINE.glob(where)}
    assert modules
    assert {name for name, module in modules.items() if set(said_by(module))} <= set(MET)


@pytest.mark.parametrize("name", MET)
def test_each_sentence_of_the_engine_is_known(name: str) -> None:
    known = {PLACE.sub("{}", template) for template in sentences.TEMPLATES}
    said = set(said_by(ENGINE / name))
    assert said, "nothing is said here: the list of modules is wrong"
    assert said - known == set()


def test_each_sentence_has_both_languages() -> None:
    translations = {source: text for context, source, text, state in messages(CATALOGUE) if context == "Sentences"}
    assert set(sentences.TEMPLATES) == set(translations)
    for source, text in translations.items():
        assert text and text != source and re.search(r"[\u4e00-\u9fff]", text), source


def test_each_sentence_is_found_again_with_what_was_put_in(qapp: QCoreApplication) -> None:
    language = Language(qapp)
    for template in sentences.TEMPLATES:
        values = {name: f"<{name}>" for name in re.findall(r"\{(\w+)\}", template)}
        sentence = template.format(**values)
        assert sentences.translated(sentence) == sentence
        language.set("zh_CN")
        translated = sentences.translated(sentence)
        language.set("en")
        assert translated != sentence and all(value in translated for value in values.values()), template


@pytest.mark.parametrize(
    "names", [("weights",), ("config.json",), ("config.json", "model-00001-of-00002.safetensors"), ("model.bin",)]
)
def test_what_a_directory_lacks_is_said_in_chinese(
    names: tuple[str, ...], qapp: QCoreApplication, tmp_path: Path
) -> None:
    for name in names:
        (tmp_path / name).write_text('{"a": 1}')
    said = files.refusal(tmp_path) or files.incompleteness(tmp_path)
    language = Language(qapp)
    language.set("zh_CN")
    translated = sentences.translated(said)
    language.set("en")
    assert said and re.search(r"[\u4e00-\u9fff]", translated), said


def test_what_is_put_into_a_sentence_is_translated_too(qapp: QCoreApplication) -> None:
    language = Language(qapp)
    language.set("zh_CN")
    said = sentences.translated(
        "Too large for this Mac: 29.8 of 16.0 GB (weights 28.0, caches and working room 1.8 at 8192 tokens), with 2.0 "
        "GB kept for other programs: choose a smaller model or a shorter context, or load it anyway."
    )
    language.set("en")
    assert not re.search(r"[A-Za-z]{4,}", said) and "29.8 / 16.0 GB" in said, said


def test_an_unknown_sentence_stays_as_it_is(qapp: QCoreApplication) -> None:
    for sentence in ("", "Something else went wrong {here}.", "第一句。"):
        assert sentences.translated(sentence) == sentence
