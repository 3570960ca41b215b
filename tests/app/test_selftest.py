"""The window painted once, in a process of its own: what it says, and that a blank picture would be noticed."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from app import i18n, selftest
from app.selftest import colours
from engine.process.launch import PAINT, command, environment


def paint(**more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(PAINT), env={**os.environ, **environment(), **more}, capture_output=True, text=True, check=False
    )


def test_window_is_painted_and_the_profile_untouched(tmp_path: Path) -> None:
    done = paint(SLIPSTREAM_HOME=str(tmp_path / "mine"), HOME=str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("painted on offscreen: 1280 × 800 pixels, ")
    assert done.stderr == ""
    assert not (tmp_path / "mine").exists()


def test_platform_that_is_missing_is_not_well() -> None:
    assert paint(QT_QPA_PLATFORM="no-such-platform").returncode != 0


def test_blank_picture_has_one_colour(qapp: QApplication) -> None:
    image = QImage(64, 64, QImage.Format.Format_RGB32)
    image.fill(0xFFFFFF)
    assert colours(image) == 1 < selftest.LEAST_COLOURS


def test_catalogues_are_counted(qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    language = i18n.Language(qapp)
    language.set("zh_CN")
    assert language.installed == 2
    monkeypatch.setattr(i18n, "RESOURCES", tmp_path)
    language.set("zh_CN")
    assert language.installed == 1
    language.set("en")
    assert language.installed == 0
