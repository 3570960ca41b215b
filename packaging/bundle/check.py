"""Is everything in the bundle that has to be there, and nothing that must not be? How large is each part?

    python packaging/bundle/check.py dist/Slipstream.app      (or the folder dist/Slipstream of Linux)

Each rule was somebody's broken application once.
"""

from __future__ import annotations

import plistlib
import re
import sys
from collections.abc import Iterable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bundle import macho, plist, release

ROOT = Path(__file__).resolve().parents[2]
MIB = 1 << 20
OLDEST = tuple(map(int, plist.MINIMUM_SYSTEM.split(".")))

REQUIRED = {
    "our translations": r"resources/translations/slipstream_zh_CN\.qm$",
    "Qt's translations": r"PySide6/Qt/translations/qtbase_zh_CN\.qm$",
    "SVG icons": r"plugins/iconengines/libqsvgicon\.",
    "SVG images": r"plugins/imageformats/libqsvg\.",
    "the embedded model": r"resources/models/SmolLM2-135M-Instruct-4bit/model\.safetensors$",
    "the embedded model's manifest": r"resources/models/SmolLM2-135M-Instruct-4bit/slipstream-manifest\.json$",
    "the embedded model's n-gram table": r"resources/drafters/table/table\.npz$",
    "a trained drafter": r"resources/drafters/[A-E]/model\.safetensors$",
    "the known pairs": r"resources/pairs\.json$",
    "the troubleshooting guide": r"docs/troubleshooting\.md$",
    "the troubleshooting guide in Chinese": r"docs/troubleshooting\.zh\.md$",
    "our licence": r"(^|/)LICENSE$",
    "the licences of what comes along": r"(^|/)NOTICE$",
    "mlx-lm's version": r"mlx_lm-[^/]+\.dist-info/METADATA$",
}
REQUIRED_MAC = {
    "the cocoa plugin": r"plugins/platforms/libqcocoa\.dylib$",
    "the offscreen plugin": r"plugins/platforms/libqoffscreen\.dylib$",
    "MLX's kernels": r"Resources/mlx/lib/mlx\.metallib$",
    "MLX's kernels in the root": r"Frameworks/mlx\.metallib$",
    "MLX's library": r"mlx/lib/libmlx\.dylib$",
    "Chinese names for macOS": r"Resources/zh-Hans\.lproj/InfoPlist\.strings$",
    "the icon": r"Resources/Slipstream\.icns$",
}
REQUIRED_LINUX = {
    "the offscreen plugin": r"plugins/platforms/libqoffscreen\.so$",
    "the xcb plugin": r"plugins/platforms/libqxcb\.so$",
    "MLX's library": r"mlx/lib/libmlx\.so$",
}
FORBIDDEN = {
    "QtWebEngine": r"Qt6?WebEngine",
    "QML": r"Qt6?Q(ml|uick)|/qml/|/qmltooling/",
    "another framework": r"(^|/)(torch|tensorflow|jax)/",
    "tools of development": r"(^|/)(pytest|_pytest|hypothesis|scipy|mypy|ruff|setuptools|pip)/",
    "the model's source, which is never read here": r"\.gguf$",
    "headers": r"\.(h|hpp|pyi)$",
}

KNOWN_NEWER = r"(^|/)(PySide6|shiboken6)/[^/]+\.abi3\.so$|(^|/)lib(pyside6|shiboken6)\.", (15, 0)
"""PySide's bindings name the macOS they were built on, in all its releases; its wheels and Qt itself say 13. The
dynamic loader refuses no library for that alone. Whether one uses what only macOS 15 has, a Mac with 14 shows.
"""

PARTS = (
    ("embedded model", r"resources/models/"),
    ("drafters", r"resources/drafters/"),
    ("other resources", r"resources/"),
    ("MLX", r"(^|/)(mlx|mlx_cpu\.libs|mlx_lm)/|(^|/)libmlx\.|mlx\.metallib"),
    ("BLAS", r"libopenblas|libgfortran|libquadmath|numpy\.libs/"),
    ("Qt", r"(^|/)(PySide6|shiboken6)/|(^|/)(lib)?Qt|libpyside6|libshiboken6"),
    ("numpy", r"(^|/)numpy/"),
    (
        "tokenizers and hub",
        r"(^|/)(tokenizers|safetensors|sentencepiece|sentencepiece\.libs|hf_xet|regex|transformers)/",
    ),
    ("Python", r"libpython|Python\.framework|(^|/)Python$|lib-dynload|python3\.\d+/|base_library\.zip"),
    ("program", r"(^|/)Slipstream$"),
    ("system libraries", r"(^|/)lib[^/]+\.(so|dylib)[^/]*$"),
    ("rest", r""),
)


def listing(bundle: Path) -> list[str]:
    """All files and links, relative. Links to directories are followed by name only, so nothing is listed twice."""
    return sorted(
        path.relative_to(bundle).as_posix() for path in bundle.rglob("*") if path.is_symlink() or not path.is_dir()
    )


def missing(files: Iterable[str], rules: dict[str, str]) -> list[str]:
    names = "\n".join(files)
    return [f"{what} is missing" for what, rule in rules.items() if not re.search(rule, names, re.MULTILINE)]


def unwanted(files: Iterable[str]) -> list[str]:
    found = []
    for what, rule in FORBIDDEN.items():
        first = next((name for name in files if re.search(rule, name)), None)
        if first:
            found.append(f"{what} must not be there: {first}")
    return found


def left_out(files: Iterable[str], resources: Path) -> list[str]:
    """Files of the checkout's resources that the bundle lacks."""
    names = set()
    for name in files:
        _, found, tail = name.partition("resources/")
        names.add(tail if found else "")
    ours = (path.relative_to(resources).as_posix() for path in resources.rglob("*") if path.is_file())
    return [f"resources/{name} is missing" for name in sorted(ours) if name not in names]


def dangling(bundle: Path) -> list[str]:
    return [f"{path} is a link to nowhere" for path in bundle.rglob("*") if path.is_symlink() and not path.exists()]


def too_new(bundle: Path) -> list[str]:
    """Libraries that older systems, or Apple's own processor, can't load."""
    found = []
    for path in bundle.rglob("*"):
        if path.is_symlink() or not path.is_file():
            continue
        parts = macho.read(path)
        arm = [part for part in parts if part.architecture == "arm64"]
        if parts and not arm:
            found.append(f"{path.relative_to(bundle).as_posix()} has no code for arm64")
        newest = max((part.minimum_system for part in arm), default=(0, 0))
        name = path.relative_to(bundle).as_posix()
        if newest > (KNOWN_NEWER[1] if re.search(KNOWN_NEWER[0], name) else OLDEST):
            needs = ".".join(map(str, newest))
            found.append(f"{name} needs macOS {needs}: build with wheels and a Python made for {plist.MINIMUM_SYSTEM}")
    return found


def plist_problems(found: dict[str, object], version: str) -> list[str]:
    wanted = {**plist.info(version), "CFBundleExecutable": plist.NAME, "CFBundleIconFile": "Slipstream.icns"}
    return [
        f"Info.plist: {key} is {found.get(key)!r}, wanted {value!r}"
        for key, value in wanted.items()
        if found.get(key) != value
    ]


def sizes(bundle: Path) -> dict[str, int]:
    """Bytes by part; what a link points to counts once."""
    total = dict.fromkeys((name for name, _ in PARTS), 0)
    for path in bundle.rglob("*"):
        if path.is_file() and not path.is_symlink():
            name = path.relative_to(bundle).as_posix()
            part = next(part for part, rule in PARTS if re.search(rule, name))
            total[part] += path.stat().st_size
    return {part: size for part, size in total.items() if size}


def problems(bundle: Path) -> list[str]:
    mac = bundle.suffix == ".app"
    files = listing(bundle)
    found = missing(files, {**REQUIRED, **(REQUIRED_MAC if mac else REQUIRED_LINUX)})
    found += unwanted(files) + left_out(files, ROOT / "resources") + dangling(bundle)
    if mac:
        found += too_new(bundle)
        version = release.version_of((ROOT / "engine" / "__init__.py").read_text(encoding="utf-8"))
        found += plist_problems(plistlib.loads((bundle / "Contents" / "Info.plist").read_bytes()), version)
    return found


def main(words: list[str]) -> int:
    bundle = Path(words[0])
    if not bundle.is_dir():
        print(f"{bundle} is not there: build it first.", file=sys.stderr)
        return 2
    parts = sizes(bundle)
    for part, size in sorted(parts.items(), key=lambda item: -item[1]):
        print(f"{size / MIB:8.1f} MiB  {part}")
    print(f"{sum(parts.values()) / MIB:8.1f} MiB  {bundle}")
    found = problems(bundle)
    print("\n".join(found), file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
