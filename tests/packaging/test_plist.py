"""What macOS is told of the application, parsed as macOS parses it and compared with what is required."""

from __future__ import annotations

import plistlib
import re
from pathlib import Path

import pytest
from bundle import plist

import engine
from app.i18n import LANGUAGES
from engine.trace.file import SUFFIX

PACKAGING = Path(__file__).resolve().parents[2] / "packaging"


@pytest.fixture
def info() -> dict:
    return plistlib.loads(plistlib.dumps(plist.info(engine.__version__)))


def test_versions_are_strings_of_the_one_version(info: dict) -> None:
    assert info["CFBundleShortVersionString"] == info["CFBundleVersion"] == engine.__version__
    assert re.fullmatch(r"\d+(\.\d+){0,2}", info["CFBundleVersion"])


def test_system_and_processor(info: dict) -> None:
    assert info["LSMinimumSystemVersion"] == "14.0"
    assert info["LSArchitecturePriority"] == ["arm64"]


def test_flags_are_booleans(info: dict) -> None:
    assert info["NSHighResolutionCapable"] is True
    assert info["NSSupportsAutomaticGraphicsSwitching"] is True
    assert info["CFBundleAllowMixedLocalizations"] is True
    assert info["NSRequiresAquaSystemAppearance"] is False


def test_languages_are_those_of_the_window(info: dict) -> None:
    apples = {"en": "en", "zh_CN": "zh-Hans"}
    assert info["CFBundleLocalizations"] == [apples[name] for name in LANGUAGES if name != "system"]
    assert info["CFBundleDevelopmentRegion"] == "en"


def test_double_click_on_a_trace_opens_it_here(info: dict) -> None:
    (kind,) = info["UTExportedTypeDeclarations"]
    (document,) = info["CFBundleDocumentTypes"]
    assert kind["UTTypeTagSpecification"]["public.filename-extension"] == [SUFFIX.removeprefix(".")]
    assert document["LSItemContentTypes"] == [kind["UTTypeIdentifier"]]
    assert document["LSHandlerRank"] == "Owner"
    assert "public.data" in kind["UTTypeConformsTo"]
    for name in (kind["UTTypeIdentifier"], info["CFBundleIdentifier"]):
        assert re.fullmatch(r"[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+", name)


def strings(path: Path) -> dict[str, str]:
    text = path.read_text(encoding="utf-8")
    found = dict(re.findall(r'^"([^"]+)" = "([^"]+)";$', text, re.MULTILINE))
    assert len(found) == len(text.splitlines())
    return found


def test_each_language_has_its_names(info: dict) -> None:
    named = {folder.stem: strings(folder / "InfoPlist.strings") for folder in PACKAGING.glob("*.lproj")}
    assert set(named) == set(info["CFBundleLocalizations"])
    for names in named.values():
        assert set(names) == {"CFBundleDisplayName", info["CFBundleDocumentTypes"][0]["CFBundleTypeName"]}
    assert re.search(r"[一-鿿]", named["zh-Hans"]["Slipstream trace"])


def test_entitlements_are_no_wider_than_needed() -> None:
    found = plistlib.loads((PACKAGING / "entitlements.plist").read_bytes())
    assert found == {"com.apple.security.cs.allow-unsigned-executable-memory": True}
