"""Facts about the machine and this process, from the operating system alone.

Each fact has one function that macOS and Linux share; what differs lies in a pair of functions below it. The parsing
is apart from the reading, so that either system's answers can be checked on the other. Neither MLX nor Qt is imported.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import os
import platform
import sys
from pathlib import Path
from typing import Literal

Pressure = Literal["normal", "warn", "critical"]

WARN_AVAILABLE_SHARE = 0.10
CRITICAL_AVAILABLE_SHARE = 0.04
"""Linux reports no pressure level; these shares of available memory stand for macOS's levels."""

ON_MAC = sys.platform == "darwin"


def chip_name() -> str:
    if ON_MAC:
        return sysctl_text("machdep.cpu.brand_string") or platform.machine()
    return chip_of_cpuinfo(_read("/proc/cpuinfo")) or platform.machine()


def os_name() -> str:
    if ON_MAC:
        return f"macOS {platform.mac_ver()[0]}"
    try:
        name = platform.freedesktop_os_release().get("PRETTY_NAME", "Linux")
    except OSError:
        name = "Linux"
    return f"{name}, kernel {platform.release()}"


def machine_memory_bytes() -> int:
    if ON_MAC:
        return sysctl_int("hw.memsize")
    return meminfo_bytes(_read("/proc/meminfo"), "MemTotal")


def available_bytes() -> int:
    """What the machine could still give away without swapping."""
    if ON_MAC:
        return _mac_available_bytes()
    return meminfo_bytes(_read("/proc/meminfo"), "MemAvailable")


def process_bytes() -> int:
    """What this process is charged for: physical footprint on macOS (Metal's buffers included), resident on Linux."""
    if ON_MAC:
        return _mac_footprint_bytes()
    pages = _read("/proc/self/statm").split()
    return int(pages[1]) * os.sysconf("SC_PAGE_SIZE") if len(pages) > 1 else 0


def pressure() -> Pressure:
    if ON_MAC:
        return pressure_of_level(sysctl_int("kern.memorystatus_vm_pressure_level"))
    return pressure_of_available(available_bytes(), machine_memory_bytes())


# Pure parts


def chip_of_cpuinfo(text: str) -> str:
    for line in text.splitlines():
        key, _, value = line.partition(":")
        if key.strip() in ("model name", "Model"):
            return " ".join(value.split())
    return ""


def meminfo_bytes(text: str, key: str) -> int:
    for line in text.splitlines():
        name, _, value = line.partition(":")
        if name == key:
            return int(value.split()[0]) * 1024
    return 0


def pressure_of_level(level: int) -> Pressure:
    """macOS counts 1, 2, 4."""
    if level >= 4:
        return "critical"
    return "warn" if level >= 2 else "normal"


def pressure_of_available(available_bytes: int, machine_bytes: int) -> Pressure:
    if available_bytes < CRITICAL_AVAILABLE_SHARE * machine_bytes:
        return "critical"
    return "warn" if available_bytes < WARN_AVAILABLE_SHARE * machine_bytes else "normal"


# Linux


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


# macOS


def sysctl_bytes(name: str) -> bytes:
    """The raw value of a sysctl; empty where there is none by that name."""
    libc = ctypes.CDLL(None)
    if not hasattr(libc, "sysctlbyname"):
        return b""
    size = ctypes.c_size_t(0)
    if libc.sysctlbyname(name.encode(), None, ctypes.byref(size), None, ctypes.c_size_t(0)) != 0:
        return b""
    buffer = ctypes.create_string_buffer(size.value)
    if libc.sysctlbyname(name.encode(), buffer, ctypes.byref(size), None, ctypes.c_size_t(0)) != 0:
        return b""
    return buffer.raw[: size.value]


def sysctl_text(name: str) -> str:
    return sysctl_bytes(name).split(b"\0")[0].decode("utf-8", "replace")


def sysctl_int(name: str) -> int:
    """Integers come in 4 or 8 bytes, in the machine's order."""
    return int.from_bytes(sysctl_bytes(name), sys.byteorder)


def _mac_available_bytes() -> int:
    # Free, purgeable and file-backed pages can be given away without a write to swap.
    counts = ("vm.page_free_count", "vm.page_purgeable_count", "vm.page_pageable_external_count")
    pages = sum(sysctl_int(name) for name in counts)
    if pages:
        return pages * os.sysconf("SC_PAGE_SIZE")
    return machine_memory_bytes() * sysctl_int("kern.memorystatus_level") // 100


class _ResourceUsage(ctypes.Structure):
    """``struct rusage_info_v0`` of <sys/resource.h>."""

    _fields_ = (
        ("uuid", ctypes.c_uint8 * 16),
        ("user_time", ctypes.c_uint64),
        ("system_time", ctypes.c_uint64),
        ("package_idle_wakeups", ctypes.c_uint64),
        ("interrupt_wakeups", ctypes.c_uint64),
        ("pageins", ctypes.c_uint64),
        ("wired_size", ctypes.c_uint64),
        ("resident_size", ctypes.c_uint64),
        ("physical_footprint", ctypes.c_uint64),
        ("start_time", ctypes.c_uint64),
        ("exit_time", ctypes.c_uint64),
    )


def _mac_footprint_bytes() -> int:
    usage = _ResourceUsage()
    version_0 = 0
    if ctypes.CDLL(None).proc_pid_rusage(os.getpid(), version_0, ctypes.byref(usage)) != 0:
        return 0
    return int(usage.physical_footprint)
