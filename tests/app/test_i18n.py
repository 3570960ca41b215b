"""Every string of the window has a finished Chinese translation, with the same placeholders, and the compiled file is
up to date.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from PySide6.QtCore import QTranslator

from app.i18n import resolve

ROOT = Path(__file__).resolve().parents[2]
CATALOGUE = ROOT / "resources" / "translations" / "slipstream_zh_CN.ts"
PLACEHOLDER = re.compile(r"\{\w*\}|%n|%\d")


def messages(path: Path) -> list[tuple[str, str, str, str]]:
    """Context, source, translation, state."""
    found = []
    for context in ElementTree.parse(path).getroot().iter("context"):
        name = context.findtext("name") or ""
        for message in context.iter("message"):
            translation = message.find("translation")
            assert translation is not None
            found.append(
                (name, message.findtext("source") or "", translation.text or "", translation.get("type") or "finished")
            )
    return found


def tool(name: str) -> str:
    beside = Path(sys.executable).with_name(name)
    return (
        str(beside)
        if beside.exists()
        else shutil.which(name) or pytest.fail(f"{name} comes with PySide6 and is missing")
    )


def test_every_source_string_is_in_the_catalogue(tmp_path: Path) -> None:
    fresh = tmp_path / "fresh.ts"
    sources = [str(path) for path in sorted((ROOT / "app").rglob("*.py"))]
    subprocess.run(
        [tool("pyside6-lupdate"), "-noobsolete", *sources, "-ts", str(fresh)], check=True, capture_output=True, cwd=ROOT
    )
    wanted = {(context, source) for context, source, _, _ in messages(fresh)}
    known = {(context, source) for context, source, _, _ in messages(CATALOGUE)}
    assert len(wanted) > 200
    assert wanted - known == set()
    assert known - wanted == set()


def test_every_translation_is_finished_with_equal_placeholders() -> None:
    for context, source, translation, state in messages(CATALOGUE):
        assert state == "finished" and translation, (context, source)
        assert sorted(PLACEHOLDER.findall(source)) == sorted(PLACEHOLDER.findall(translation)), (context, source)


def test_the_compiled_catalogue_is_up_to_date(tmp_path: Path) -> None:
    fresh = tmp_path / "fresh.qm"
    subprocess.run([tool("pyside6-lrelease"), str(CATALOGUE), "-qm", str(fresh)], check=True, capture_output=True)
    assert fresh.read_bytes() == CATALOGUE.with_suffix(".qm").read_bytes()
    translator = QTranslator()
    assert translator.load(str(CATALOGUE.with_suffix(".qm")))
    assert translator.translate("Composer", "Send") == "发送"


def test_a_choice_is_resolved() -> None:
    assert resolve("zh_CN") == "zh_CN" and resolve("en") == "en"
    assert resolve("system") in ("en", "zh_CN")
