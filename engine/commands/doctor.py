"""``slipstream doctor`` and ``slipstream --selftest``: is everything there that the program needs, and does it work?

The same list in a checkout and in an application bundle, in seconds and without a network. Each check is one function
that returns what it found and, where it isn't well, what to do. A check that fails to run has failed; none stops the
others.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.metadata
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from msgspec import Struct, to_builtins

from engine import backend, host, paths
from engine.commands.tryout import tryout
from engine.process import launch

GIB = 1 << 30
MIB = 1 << 20
ENOUGH_DISK_BYTES = GIB
ENOUGH_MEMORY_BYTES = 2 * GIB
REINSTALL = "install the application again" if launch.is_frozen() else "run `make setup`"
WINDOW_TIMEOUT_S = 120.0

ENGINE_MODULES = ("mlx.core", "mlx.nn", "mlx_lm", "transformers", "numpy", "huggingface_hub", "platformdirs")
WINDOW_MODULES = ("PySide6", "pyqtgraph")
"""Looked for, never imported: the engine's process knows no Qt."""


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
    began_s = time.monotonic()
    checks = []
    for name, look in checks_of(sys.platform).items():
        checks.append(examine(name, look))
        if not args.json:
            # One by one: a check that hangs is the one after the last line.
            print("\n".join(lines_of(checks[-1])), flush=True)
    failed = sum(not check.ok for check in checks)
    if args.json:
        print(json.dumps({"checks": to_builtins(checks)}, ensure_ascii=False, indent=2))
    else:
        outcome = "all is well" if not failed else f"{failed} of {len(checks)} checks failed"
        print(f"{outcome} ({time.monotonic() - began_s:.0f} s)")
    return 1 if failed else 0


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
    of_system = {"Metal library": _metal_library} if system == "darwin" else {}
    if system == "linux":
        of_system = {"BLAS": _blas, "compiler": _compiler, "Chinese fonts": _fonts}
    return {
        "Python": lambda: python(sys.version_info[:3]),
        "packages": _packages,
        "backend": _backend,
        "MLX versions": lambda: mlx_versions(system),
        **of_system,
        "embedded model": _embedded_model,
        "4-bit arithmetic": _arithmetic,
        "directories": lambda: directories((paths.cache_dir(), paths.data_dir(), paths.logs_dir())),
        "disk": _disk,
        "memory": lambda: memory(host.available_bytes(), host.machine_memory_bytes()),
        "window": _window,
        "embedded pair": lambda: tryout(REINSTALL),
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


def mlx_versions(system: str) -> Finding:
    """MLX and the package with its kernels are of one build, or results are wrong without a word."""
    kernels = "mlx-metal" if system == "darwin" else "mlx-cpu"
    ours, theirs = importlib.metadata.version("mlx"), importlib.metadata.version(kernels)
    return ours == theirs, f"mlx {ours}, {kernels} {theirs}", REINSTALL


def metal_library(core: Path) -> Path | None:
    """MLX's compiled kernels, where MLX looks for them: beside its library. ``core``: the file of ``mlx.core``."""
    places = (core.parent / "lib", core.parent.parent)
    return next((place / "mlx.metallib" for place in places if (place / "mlx.metallib").is_file()), None)


def _metal_library() -> Finding:
    import mlx.core as mx

    spec = importlib.util.find_spec("mlx.core")
    found = metal_library(Path(spec.origin)) if spec and spec.origin else None
    if found is None:
        return False, "mlx.metallib is not beside MLX's library", REINSTALL
    if not mx.metal.is_available():
        return False, "macOS offers MLX no Metal device", "use a Mac with Apple Silicon, and no virtual machine"
    # Only a kernel that ran shows that the library was loaded and is one for this macOS.
    total = float(mx.sum(mx.ones((64, 64)), stream=mx.gpu))
    return total == 64 * 64, f"{found}, {found.stat().st_size / MIB:.0f} MiB; a kernel ran", REINSTALL


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
    environment = {**os.environ, **launch.environment()}
    if sys.platform == "linux" and not (environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY")):
        environment.setdefault("QT_QPA_PLATFORM", "offscreen")
    # The engine's process knows no Qt, and a missing plugin aborts the process that looks for it.
    done = subprocess.run(
        launch.command(launch.PAINT),
        env=environment,
        capture_output=True,
        text=True,
        timeout=WINDOW_TIMEOUT_S,
        check=False,
    )
    if done.returncode == 0:
        return True, done.stdout.strip(), ""
    lines = (done.stdout.strip() or done.stderr.strip()).splitlines() or [f"exit status {done.returncode}"]
    said = ([line for line in lines if "Error: " in line] or lines)[-1]
    in_checkout = sys.platform == "linux" and not launch.is_frozen()
    fix = "sh packaging/linux-setup.sh" if in_checkout else REINSTALL
    return False, f"the window can't be painted: {said}", fix
