"""What runs here, in the versions that matter for a report: ours, the libraries', the machine's. No Qt widgets here."""

from __future__ import annotations

import platform

import PySide6
from PySide6.QtCore import qVersion

from engine import __version__
from engine.trace.events import Machine

GIB = 1 << 30


def versions(machine: Machine | None) -> list[tuple[str, str]]:
    """Name and version, most important first. What only the engine knows is left out before it has said it."""
    lines = [("Slipstream", __version__)]
    if machine is not None:
        lines += [("MLX", machine.mlx), ("mlx-lm", machine.mlx_lm)]
    lines += [
        ("Python", platform.python_version()),
        ("Qt", f"{qVersion()} (PySide6 {PySide6.__version__})"),
        ("System", machine.os if machine else platform.platform()),
    ]
    if machine is not None:
        memory = f", {machine.memory_bytes / GIB:.0f} GB" if machine.memory_bytes else ""
        lines.append(("Chip", f"{machine.chip}{memory} ({machine.backend})"))
    return [(name, value) for name, value in lines if value]


def as_text(machine: Machine | None) -> str:
    return "\n".join(f"{name} {value}" for name, value in versions(machine))
