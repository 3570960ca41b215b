"""What goes into the bundle and what stays out.

PyInstaller finds what is imported by name in the source. Named here is what it can't see (modules that a library looks
up by a name in a file), what it would take too much of, and what a library reads beside its code. The reasons are in
``docs/adr/0011-pyinstaller.md``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import PurePosixPath

Entry = tuple[str, str, str]
"""Of PyInstaller's lists: name in the bundle, file on disk, kind (BINARY, EXTENSION, DATA, SYMLINK ...)."""

# Listed one by one: collecting all of `mlx` imports its core under two names, and nanobind aborts.
MLX_MODULES = (
    "mlx.core", "mlx.__array_api_info", "mlx._reprlib_fix", "mlx.extension", "mlx.nn", "mlx.optimizers", "mlx.utils",
)  # fmt: skip
"""The first of them imports the others by name when it is loaded."""

# Their modules are imported by a name out of a model's config.json.
COLLECTED_WHOLE = ("engine", "app", "mlx_lm.models", "mlx_lm.tool_parsers", "mlx_lm.chat_templates")

# transformers finds its own modules by listing its directories, so their source has to lie there. Networks need torch,
# which is not in the bundle; configurations and tokenizers don't.
TRANSFORMERS_LEFT_OUT = tuple(
    f"models/**/{kind}_*.py"
    for kind in ("modeling", "modular", "image_processing", "video_processing", "feature_extraction", "convert")
)

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
UNWANTED_DATA = re.compile(
    r"(^|/)PySide6/Qt/(qml|resources)/"
    r"|(^|/)mlx/(include|share)/"
    r"|(^|/)pyqtgraph/(examples|icons/peegee|canvas)"
    r"|\.(pyi|h|hpp|lib|a)$"
)
QT_TRANSLATIONS = re.compile(r"(^|/)PySide6/Qt/translations/(?P<name>[^/]+)$")
QT_TRANSLATIONS_KEPT = ("qtbase_zh_CN.qm", "qt_zh_CN.qm")


def wanted_binary(name: str) -> bool:
    return not UNWANTED_BINARIES.search(name)


def wanted_data(name: str) -> bool:
    translation = QT_TRANSLATIONS.search(name)
    if translation:
        return translation["name"] in QT_TRANSLATIONS_KEPT
    return not UNWANTED_DATA.search(name)


def trim(entries: Iterable[Entry]) -> list[Entry]:
    """Without what nobody asked for, and without links that would lead nowhere then."""
    kept = [
        entry for entry in entries if (wanted_data(entry[0]) if entry[2] == "DATA" else wanted_binary("/" + entry[0]))
    ]
    names = {name for name, _, kind in kept if kind != "SYMLINK"}
    links = {name for name, _, kind in kept if kind == "SYMLINK"}

    def leads_somewhere(name: str, target: str) -> bool:
        path = _resolve(name, target)
        return path in names or path in links or any(other.startswith(path + "/") for other in names)

    return [entry for entry in kept if entry[2] != "SYMLINK" or leads_somewhere(entry[0], entry[1])]


def _resolve(link: str, target: str) -> str:
    parts: list[str] = list(PurePosixPath(link).parent.parts)
    for part in PurePosixPath(target).parts:
        if part == "..":
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts)


def metal_library_links(entries: Iterable[Entry]) -> list[Entry]:
    """MLX looks for its kernels beside its library as it was loaded. That may be through a link in the bundle's root,
    so another link, to the kernels, stands there.
    """
    names = {name for name, _, _ in entries}
    inside = "mlx/lib/mlx.metallib"
    return [("mlx.metallib", inside, "SYMLINK")] if inside in names and "mlx.metallib" not in names else []
