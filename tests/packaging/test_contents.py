"""What goes into the bundle: nothing of ours is excluded, nothing that is looked up by name is forgotten."""

from __future__ import annotations

import importlib.metadata
import importlib.util

import grimp
import pytest
from bundle import contents


def imported_by_us() -> set[str]:
    graph = grimp.build_graph("app", "engine", cache_dir=None, include_external_packages=True)
    return {
        imported
        for module in graph.modules
        if module.split(".")[0] in ("app", "engine")
        for imported in graph.find_modules_directly_imported_by(module)
    }


def test_nothing_we_import_is_excluded() -> None:
    imported = imported_by_us()
    assert not {name for name in contents.EXCLUDED if name in imported}
    assert "mlx" in imported


def test_every_qt_module_we_import_is_asked_for() -> None:
    import re
    from pathlib import Path

    root = Path(contents.__file__).resolve().parents[2]
    used = {
        f"PySide6.{name}"
        for path in (root / "app").rglob("*.py")
        for name in re.findall(r"^\s*from PySide6\.(\w+) import", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert used <= {*contents.QT_MODULES, "PySide6.QtSvgWidgets"}
    assert used


@pytest.mark.parametrize("name", contents.MLX_MODULES)
def test_mlx_is_named_module_by_module(name: str) -> None:
    assert importlib.util.find_spec(name) is not None
    assert "mlx" not in contents.COLLECTED_WHOLE


@pytest.mark.parametrize("name", contents.COLLECTED_WHOLE)
def test_collected_packages_exist(name: str) -> None:
    found = contents.submodules(name)
    assert name in found
    assert len(found) == len(set(found)) > 1
    assert not any("__" in module for module in found)


def test_modules_are_found_without_importing_them() -> None:
    assert {"engine.process.worker", "engine.commands.doctor"} <= set(contents.submodules("engine"))
    assert {"app.main", "app.selftest"} <= set(contents.submodules("app"))
    assert "mlx_lm.models.llama" in contents.submodules("mlx_lm.models")
    with pytest.raises(SystemExit, match="no_such_package is not installed"):
        contents.submodules("no_such_package")


@pytest.mark.parametrize("name", contents.METADATA)
def test_metadata_is_of_what_is_installed(name: str) -> None:
    assert importlib.metadata.version(name)


KEPT = [
    ("PySide6/Qt/lib/libQt6Core.so.6", "", "BINARY"),
    ("PySide6/Qt/plugins/platforms/libqcocoa.dylib", "", "BINARY"),
    ("PySide6/Qt/plugins/platforms/libqoffscreen.so", "", "BINARY"),
    ("PySide6/Qt/plugins/imageformats/libqsvg.so", "", "BINARY"),
    ("PySide6/Qt/plugins/styles/libqmacstyle.dylib", "", "BINARY"),
    ("PySide6/Qt/lib/QtDBus.framework/Versions/A/QtDBus", "", "BINARY"),
    ("PySide6/Qt/lib/QtDBus.framework/Versions/A/Resources/Info.plist", "", "DATA"),
    ("PySide6/Qt/lib/QtDBus.framework/Versions/Current", "A", "SYMLINK"),
    ("PySide6/Qt/lib/QtDBus.framework/QtDBus", "Versions/Current/QtDBus", "SYMLINK"),
    ("PySide6/Qt/lib/QtDBus.framework/Resources", "Versions/Current/Resources", "SYMLINK"),
    ("PySide6/Qt/translations/qtbase_zh_CN.qm", "", "DATA"),
    ("mlx/lib/libmlx.dylib", "", "BINARY"),
    ("mlx/lib/mlx.metallib", "", "DATA"),
    ("resources/translations/slipstream_zh_CN.qm", "", "DATA"),
    ("resources/models/SmolLM2-135M-Instruct-4bit/config.json", "", "DATA"),
    ("transformers/models/auto/modeling_auto.py", "", "DATA"),
    ("transformers/models/llama/configuration_llama.py", "", "DATA"),
    ("transformers/models/llama/__init__.py", "", "DATA"),
    ("libmlx.dylib", "mlx/lib/libmlx.dylib", "SYMLINK"),
]
DROPPED = [
    ("PySide6/Qt/lib/libQt6Qml.so.6", "", "BINARY"),
    ("PySide6/Qt/lib/QtQuick.framework/Versions/A/QtQuick", "", "BINARY"),
    ("PySide6/Qt/lib/QtQuick.framework/Versions/A/Resources/Info.plist", "", "DATA"),
    ("PySide6/Qt/lib/QtQuick.framework/Versions/Current", "A", "SYMLINK"),
    ("PySide6/Qt/lib/QtQuick.framework/Resources", "Versions/Current/Resources", "SYMLINK"),
    ("PySide6/Qt/lib/QtWebEngineCore.framework/Versions/A/QtWebEngineCore", "", "BINARY"),
    ("PySide6/Qt/plugins/sqldrivers/libqsqlite.so", "", "BINARY"),
    ("PySide6/Qt/qml/QtQuick/qmldir", "", "DATA"),
    ("PySide6/Qt/translations/qtbase_de.qm", "", "DATA"),
    ("mlx/include/mlx/array.h", "", "DATA"),
    ("transformers/models/llama/modeling_llama.py", "", "DATA"),
    ("libQt6Qml.so.6", "PySide6/Qt/lib/libQt6Qml.so.6", "SYMLINK"),
    ("PySide6/Qt/lib/QtQuick.framework/QtQuick", "Versions/Current/QtQuick", "SYMLINK"),
]


def test_trim_keeps_what_runs_and_drops_what_nobody_asked_for() -> None:
    assert contents.trim([*KEPT, *DROPPED]) == KEPT


def test_links_that_go_up_are_followed() -> None:
    entries = [("a/b/libx.so", "", "BINARY"), ("a/c/libx.so", "../b/libx.so", "SYMLINK")]
    assert contents.trim(entries) == entries
    assert contents.trim(entries[1:]) == []


def test_links_in_a_circle_lead_nowhere() -> None:
    assert contents.trim([("a", "b", "SYMLINK"), ("b", "a", "SYMLINK")]) == []


def test_kernels_have_a_link_in_the_root_where_there_are_kernels() -> None:
    assert contents.metal_library_links(KEPT) == [("mlx.metallib", "mlx/lib/mlx.metallib", "SYMLINK")]
    assert contents.metal_library_links([]) == []
