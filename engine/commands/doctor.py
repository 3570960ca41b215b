"""``slipstream doctor``: is everything there that the program needs, and does it work?

Each check is one function that returns what it found and, where it isn't well, what to do. A check that fails to run
has failed; none stops the others.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from msgspec import Struct, to_builtins

from engine import backend, host, paths

GIB = 1 << 30
ENOUGH_DISK_BYTES = GIB
ENOUGH_MEMORY_BYTES = 2 * GIB
REINSTALL = "run `make setup`"

ENGINE_MODULES = ("mlx.core", "mlx.nn", "mlx_lm", "transformers", "numpy", "huggingface_hub", "platformdirs")
WINDOW_MODULES = ("PySide6", "pyqtgraph")
"""Looked for, never imported: the engine's process knows no Qt."""

_OPEN_A_WINDOW = "from PySide6.QtGui import QGuiApplication as A; a = A([]); print(a.platformName()); a.quit()"


class Check(Struct, frozen=True, kw_only=True):
    name: str
    ok: bool
    detail: str
    fix: str = ""
    """What to do; empty where all is well."""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser("doctor", help="check that everything is installed and works")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    checks = [examine(name, look) for name, look in checks_of(sys.platform).items()]
    if args.json:
        print(json.dumps({"checks": to_builtins(checks)}, ensure_ascii=False, indent=2))
    else:
        print("\n".join(line for check in checks for line in lines_of(check)))
    return 0 if all(check.ok for check in checks) else 1


def lines_of(check: Check) -> list[str]:
    lines = [f"{'✓' if check.ok else '✗'} {check.name}: {check.detail}"]
    return [*lines, f"  → {check.fix}"] if check.fix else lines


Finding = tuple[bool, str, str]
"""Well or not, what was found, what to do."""


def examine(name: str, look: Callable[[], Finding]) -> Check:
    try:
        ok, detail, fix = look()
    except Exception as error:  # noqa: BLE001 - whatever goes wrong in a check is its finding
        ok, detail, fix = False, f"{type(error).__name__}: {error}", REINSTALL
    return Check(name=name, ok=ok, detail=detail, fix="" if ok else fix)


def checks_of(system: str) -> dict[str, Callable[[], Finding]]:
    on_linux = {"BLAS": _blas, "compiler": _compiler, "Chinese fonts": _fonts} if system == "linux" else {}
    return {
        "Python": lambda: python(sys.version_info[:3]),
        "packages": _packages,
        "backend": _backend,
        **on_linux,
        "embedded model": _embedded_model,
        "4-bit arithmetic": _arithmetic,
        "directories": lambda: directories((paths.cache_dir(), paths.data_dir(), paths.logs_dir())),
        "disk": _disk,
        "memory": lambda: memory(host.available_bytes(), host.machine_memory_bytes()),
        "window": _window,
    }


def python(version: tuple[int, int, int]) -> Finding:
    ok = (3, 11) <= version[:2] <= (3, 13)
    return ok, ".".join(map(str, version)), "install Python 3.11, 3.12 or 3.13, then run `make clean setup`"


def _packages() -> Finding:
    missing = [name for name in WINDOW_MODULES if importlib.util.find_spec(name) is None]
    for name in ENGINE_MODULES:
        try:
            importlib.import_module(name)
        except ImportError as error:
            missing.append(f"{name} ({error})")
    found = "all can be imported" if not missing else f"can't be imported: {', '.join(missing)}"
    return not missing, found, REINSTALL


def _backend() -> Finding:
    from engine import platform

    facts = platform.machine()
    ok = facts.backend == "metal" or sys.platform != "darwin"
    detail = f"{facts.backend} on {facts.chip}, {facts.os}, MLX {facts.mlx}, mlx-lm {facts.mlx_lm}"
    return ok, detail, "use a Python built for arm64, on macOS 14 or later, then run `make clean setup`"


def _blas() -> Finding:
    note = backend.setup_backend()
    fix = "import engine before mlx" if note == backend.BLAS_TOO_LATE else "apt-get install libopenblas0-pthread"
    return not note, note or f"{backend.BLAS_LIBRARY} is loaded", fix


def _compiler() -> Finding:
    found = shutil.which("g++")
    return found is not None, found or "no g++, which MLX calls to compile kernels for the CPU", "apt-get install g++"


def _fonts() -> Finding:
    if shutil.which("fc-list"):
        listed = subprocess.run(["fc-list", ":lang=zh", "family"], capture_output=True, text=True, check=False).stdout
        families = listed.split("\n")
    else:
        families = [file.name for file in Path("/usr/share/fonts").rglob("*CJK*")]
    first = next((family for family in sorted(families) if family), "")
    return bool(first), first or "none: Chinese text would show as boxes", "apt-get install fonts-noto-cjk"


def _embedded_model() -> Finding:
    from engine.models import demo
    from engine.models.errors import ModelError

    directory = demo.model_dir()
    if demo.is_intact(directory):
        return True, f"intact, {directory}", ""
    try:
        demo.check_source(demo.source_file())
    except ModelError as error:
        return False, str(error), REINSTALL
    return True, f"its source is intact; it is converted into {directory} at its first use", ""


def _arithmetic() -> Finding:
    import mlx.core as mx

    key = mx.random.key(0)
    x, weight = mx.random.normal((4, 256), key=key), mx.random.normal((128, 256), key=key)
    packed, scales, biases = mx.quantize(weight, 32, 4)
    product = mx.quantized_matmul(x, packed, scales, biases, transpose=True, group_size=32, bits=4)
    reference = x @ mx.dequantize(packed, scales, biases, 32, 4).T
    error = float(mx.abs(product - reference).max() / mx.abs(reference).max())
    detail = f"a packed product differs from float32 by {error:.1e} of its largest value"
    return error < 1e-3, detail, f"{REINSTALL}; if it stays, report this machine's chip and MLX version"


def directories(places: tuple[Path, ...]) -> Finding:
    refused = []
    for place in places:
        try:
            place.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=place):
                pass
        except OSError as error:
            refused.append(f"{place} ({error.strerror})")
    found = ", ".join(map(str, places)) if not refused else f"can't be written: {', '.join(refused)}"
    return not refused, found, f"allow writing there, or set {paths.HOME_VARIABLE} to a directory that can be written"


def _disk() -> Finding:
    place = paths.cache_dir()
    while not place.exists():
        place = place.parent
    return disk(shutil.disk_usage(place).free, place)


def disk(free_bytes: int, place: Path) -> Finding:
    detail = f"{free_bytes / GIB:.1f} GiB free at {place}"
    return free_bytes >= ENOUGH_DISK_BYTES, detail, f"free at least {ENOUGH_DISK_BYTES // GIB} GiB there"


def memory(available_bytes: int, machine_bytes: int) -> Finding:
    detail = f"{available_bytes / GIB:.1f} of {machine_bytes / GIB:.1f} GiB available"
    return (
        available_bytes >= ENOUGH_MEMORY_BYTES,
        detail,
        f"close programs until {ENOUGH_MEMORY_BYTES // GIB} GiB are free",
    )


def _window() -> Finding:
    environment = dict(os.environ)
    if sys.platform == "linux" and not (environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY")):
        environment.setdefault("QT_QPA_PLATFORM", "offscreen")
    # A missing plugin aborts the process: only another one can tell.
    done = subprocess.run(
        [sys.executable, "-c", _OPEN_A_WINDOW], env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    if done.returncode == 0:
        return True, f"Qt opens its platform {done.stdout.strip()}", ""
    last = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
    fix = "sh packaging/linux-setup.sh" if sys.platform == "linux" else REINSTALL
    return False, f"Qt can't open a window: {last}", fix
