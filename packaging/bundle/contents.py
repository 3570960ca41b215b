"""What goes into the bundle and what stays out.

PyInstaller finds what is imported by name in the source. Named here is what it can't see (modules that a library looks
up by a name in a file), what it would take too much of, and what a library reads beside its code. The reasons are in
``docs/adr/0011-pyinstaller.md``.
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

Entry = tuple[str, str, str]
"""Of PyInstaller's lists: name in the bundle, file on disk, kind (BINARY, EXTENSION, DATA, SYMLINK ...)."""

# Listed one by one: collecting all of `mlx` imports its core under two names, and nanobind aborts.
MLX_MODULES = (
    "mlx.core", "mlx.__array_api_info", "mlx._reprlib_fix", "mlx.extension", "mlx.nn", "mlx.optimizers", "mlx.utils",
)  # fmt: skip
"""The first of them imports the others by name when it is loaded."""

# Their modules are imported by a name, of ours or out of a model's config.json.
COLLECTED_WHOLE = ("engine", "app", "mlx_lm.models", "mlx_lm.tool_parsers", "mlx_lm.chat_templates")

# What these need beside what is seen: tokenizers of older models.
ALSO = ("sentencepiece", "google.protobuf")

# pyqtgraph looks for the OpenGL ones by name, although nothing is drawn with OpenGL.
QT_MODULES = tuple(
    f"PySide6.{name}" for name in ("QtCore", "QtGui", "QtWidgets", "QtSvg", "QtNetwork", "QtOpenGL", "QtOpenGLWidgets")
)

# transformers asks for these packages' versions when it is imported.
METADATA = (
    "filelock", "huggingface_hub", "mlx", "mlx-lm", "numpy", "packaging", "pyyaml", "regex", "safetensors",
    "tokenizers", "tqdm", "transformers",
)  # fmt: skip

MLX_KERNELS = {"darwin": "mlx-metal", "linux": "mlx-cpu"}

# Tools of development that libraries import where they find them, and Qt modules that no window of ours uses.
EXCLUDED = (
    "IPython", "PIL", "_pytest", "hypothesis", "importlinter", "grimp", "matplotlib", "mypy", "pytest", "pytestqt",
    "pandas", "ruff", "scipy", "setuptools", "pip", "tkinter", "torch", "jax", "tensorflow", "xdist", "uvicorn",
    "PySide6.QtQml", "PySide6.QtQuick", "PySide6.QtQuickWidgets",
    "PySide6.QtDesigner", "PySide6.QtHelp", "PySide6.QtSql", "PySide6.QtTest", "PySide6.QtUiTools",
    "PySide6.QtWebEngineCore", "PySide6.QtWebEngineWidgets", "pyqtgraph.examples", "pyqtgraph.opengl",
    "transformers.models",
)  # fmt: skip

# What hooks bring along although nothing of ours asks for it.
UNWANTED_BINARIES = re.compile(
    r"Qt6?(WebEngine|Qml|Quick|Designer|Help|Sql|Test|Pdf|VirtualKeyboard|Labs|Charts|3D|Multimedia)"
    r"|/plugins/(sqldrivers|qmltooling|designer|virtualkeyboard|platforminputcontexts/libqtvirtualkeyboard)"
    r"|/plugins/imageformats/(libqpdf|libqtga|libqwbmp|libqtiff|libqwebp|libqicns)"
    r"|/plugins/platforms/libq(eglfs|linuxfb|vnc|vkkhrdisplay|minimalegl)"
    r"|/plugins/egldeviceintegrations"
    r"|/plugins/platformthemes/libqgtk3|/lib(gtk|gdk)-3\."
)
# transformers finds its models by listing its directories, so their source has to lie there, and is not compiled in.
# Networks need torch, which is not in the bundle; configurations and tokenizers don't, but ask the tables in `auto`.
UNWANTED_DATA = re.compile(
    r"(^|/)transformers/models/(?!auto/)[^/]+/"
    r"(modeling|modular|image_processing|video_processing|feature_extraction|convert)_[^/]+$|"
    r"(^|/)PySide6/Qt/(qml|resources)/"
    r"|(^|/)mlx/(include|share)/"
    r"|(^|/)pyqtgraph/(examples|icons/peegee|canvas)"
    r"|\.(pyi|h|hpp|lib|a)$"
)
MOST_STEPS = 1000
QT_TRANSLATIONS = re.compile(r"(^|/)PySide6/Qt/translations/(?P<name>[^/]+)$")
QT_TRANSLATIONS_KEPT = ("qtbase_zh_CN.qm", "qt_zh_CN.qm")


def submodules(package: str) -> list[str]:
    """The package and all its modules, read off the disk: importing them would need a GPU where there may be none."""
    top, *inside = package.split(".")
    spec = importlib.util.find_spec(top)
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit(f"{package} is not installed: it can't be put into the bundle.")
    folder = Path(next(iter(spec.submodule_search_locations))).joinpath(*inside)
    names = {
        ".".join([package, *path.relative_to(folder).with_suffix("").parts]).removesuffix(".__init__")
        for path in folder.rglob("*.py")
        if path.stem != "__main__"
    }
    return sorted(names)


def wanted_binary(name: str) -> bool:
    return not UNWANTED_BINARIES.search(name)


def wanted_data(name: str) -> bool:
    translation = QT_TRANSLATIONS.search(name)
    if translation:
        return translation["name"] in QT_TRANSLATIONS_KEPT
    if ".framework/" in name and not wanted_binary("/" + name):
        # A framework without its library is nothing that can be signed.
        return False
    return not UNWANTED_DATA.search(name)


def trim(entries: Iterable[Entry]) -> list[Entry]:
    """Without what nobody asked for, and without links that would lead nowhere then."""
    kept = [
        entry for entry in entries if (wanted_data(entry[0]) if entry[2] == "DATA" else wanted_binary("/" + entry[0]))
    ]
    names = {name for name, _, kind in kept if kind != "SYMLINK"}
    links = {name: target for name, target, kind in kept if kind == "SYMLINK"}

    def leads_somewhere(name: str) -> bool:
        path = _follow(name, links)
        return path in names or any(other.startswith(path + "/") for other in names)

    return [entry for entry in kept if entry[2] != "SYMLINK" or leads_somewhere(entry[0])]


def _follow(name: str, links: dict[str, str]) -> str:
    """What a link leads to in the end. Directories on the way may be links too, as in a framework of macOS."""
    parts = list(PurePosixPath(name).parts)
    done: list[str] = []
    for _ in range(MOST_STEPS):
        if not parts:
            break
        part = parts.pop(0)
        if part == "..":
            done.pop()
        elif part != ".":
            done.append(part)
            target = links.get("/".join(done))
            if target is not None:
                done.pop()
                parts[:0] = PurePosixPath(target).parts
    # Links in a circle end here too, at no file.
    return "/".join(done)


def metal_library_links(entries: Iterable[Entry]) -> list[Entry]:
    """MLX looks for its kernels beside its library as it was loaded. That may be through a link in the bundle's root,
    so another link, to the kernels, stands there.
    """
    names = {name for name, _, _ in entries}
    inside = "mlx/lib/mlx.metallib"
    return [("mlx.metallib", inside, "SYMLINK")] if inside in names and "mlx.metallib" not in names else []
