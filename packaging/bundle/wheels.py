"""The wheels that a bundle is made of: those for macOS 14 on arm64, whatever runs here.

    python packaging/bundle/wheels.py fetch DIRECTORY [3.11 3.12 3.13]   the whole lock, for these Pythons or this one
    python packaging/bundle/wheels.py check DIRECTORY                    MLX: versions, kernels, oldest system

A Mac with a newer system would take wheels whose Metal kernels older systems can't load. ``pip`` evaluates markers for
the system it runs on, so the lock is narrowed to the Mac's lines first.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bundle import macho

ROOT = Path(__file__).resolve().parents[2]
PLATFORM = "macosx_14_0_arm64"
OLDEST = (14, 0)
MIB = 1 << 20


def mac_lines(lock: str, python: str) -> list[str]:
    """Entries of the lock that a Mac takes, with their hashes and without their markers."""
    from packaging.requirements import Requirement

    environment = {
        "sys_platform": "darwin", "platform_system": "Darwin", "platform_machine": "arm64", "os_name": "posix",
        "python_version": python, "python_full_version": f"{python}.9", "implementation_name": "cpython",
        "platform_python_implementation": "CPython", "extra": "",
    }  # fmt: skip
    lines = []
    for entry in re.split(r"\n(?=\S)", lock.strip()):
        head, *hashes = entry.split(" \\\n")
        if head.startswith("#"):
            continue
        requirement = Requirement(head)
        if requirement.marker is None or requirement.marker.evaluate(environment):
            lines.append(" ".join([f"{requirement.name}{requirement.specifier}", *(line.strip() for line in hashes)]))
    return lines


def fetch(into: Path, python: str) -> list[Path]:
    """Raises ``SystemExit`` where a package has no wheel for that Mac and Python."""
    into.mkdir(parents=True, exist_ok=True)
    lines = mac_lines((ROOT / "requirements.lock").read_text(encoding="utf-8"), python)
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as wanted:
        wanted.write("\n".join(lines) + "\n")
        wanted.flush()
        command = [sys.executable, "-m", "pip", "download", "--disable-pip-version-check", "--quiet", "--no-deps"]
        command += ["--require-hashes", "--only-binary=:all:", "--platform", PLATFORM, "--python-version", python]
        done = subprocess.run([*command, "--dest", str(into), "-r", wanted.name], check=False)
    if done.returncode:
        raise SystemExit(f"Not every locked package has a wheel for {PLATFORM} and Python {python}; pip says which.")
    found = sorted(into.glob("*.whl"))
    if len(found) < len(lines):
        raise SystemExit(f"{len(lines)} packages are locked for Python {python}, but {len(found)} wheels came.")
    return found


def version_of(wheels: list[Path], package: str) -> str:
    found = [path.name.split("-")[1] for path in wheels if path.name.split("-")[0] == package]
    return found[0] if len(found) == 1 else ""


def problems(wheels: list[Path]) -> list[str]:
    """Why a bundle must not be made of these; empty where it may."""
    mlx, metal = version_of(wheels, "mlx"), version_of(wheels, "mlx_metal")
    found = []
    if not mlx or not metal:
        found.append("mlx and mlx-metal have to be there, once each")
    elif mlx != metal:
        found.append(f"mlx {mlx} and mlx-metal {metal} differ: lock one version of both")
    newest = [
        path.name for path in wheels if (tag := re.search(r"macosx_(\d+)_", path.name)) and int(tag[1]) > OLDEST[0]
    ]
    found += [f"{name} is for a newer macOS than {OLDEST[0]}" for name in newest]
    libraries = facts(wheels)
    if not any(name.endswith("mlx.metallib") for name in libraries):
        found.append("mlx.metallib, MLX's kernels, is in none of them")
    found += [
        f"{name} needs macOS {'.'.join(map(str, oldest))}" for name, (_, oldest) in libraries.items() if oldest > OLDEST
    ]
    return found


def facts(wheels: list[Path]) -> dict[str, tuple[int, tuple[int, int]]]:
    """Of MLX's libraries and kernels: bytes, and the oldest macOS they run on ((0, 0) for kernels)."""
    found = {}
    for path in wheels:
        if path.name.split("-")[0] in ("mlx", "mlx_metal"):
            with zipfile.ZipFile(path) as wheel:
                for name in wheel.namelist():
                    if name.endswith((".so", ".dylib", ".metallib")):
                        data = wheel.read(name)
                        oldest = max((part.minimum_system for part in macho.slices(data)), default=(0, 0))
                        found[name] = len(data), oldest
    return found


def main(words: list[str]) -> int:
    verb, directory, *pythons = words
    here = ".".join(map(str, sys.version_info[:2]))
    if verb == "fetch":
        for python in pythons or [here]:
            wheels = fetch(Path(directory) / python if pythons else Path(directory), python)
            size = sum(path.stat().st_size for path in wheels)
            print(f"Python {python}: {len(wheels)} wheels for {PLATFORM}, {size / MIB:.0f} MiB")
            if found := problems(wheels):
                raise SystemExit("; ".join(found))
        return 0
    wheels = sorted(Path(directory).glob("*.whl"))
    for name, (size, oldest) in facts(wheels).items():
        system = f", macOS {oldest[0]}.{oldest[1]} or newer" if oldest[0] else ""
        print(f"{name}: {size / MIB:.1f} MiB{system}")
    if found := problems(wheels):
        raise SystemExit("; ".join(found))
    print(f"mlx and mlx-metal {version_of(wheels, 'mlx')}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
