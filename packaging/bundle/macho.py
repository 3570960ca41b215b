"""What a Mach-O file (a program or library of macOS) says of itself: for which system, and what it loads.

Only the few load commands that a bundle is checked for; ``otool`` shows the rest on a Mac.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from pathlib import Path

ARM64, X86_64 = 0x0100000C, 0x01000007
ARCHITECTURES = {ARM64: "arm64", X86_64: "x86_64"}

_FAT, _THIN_64 = 0xCAFEBABE, 0xFEEDFACF
_ID_DYLIB, _LOAD_DYLIB, _VERSION_MIN, _RPATH, _BUILD_VERSION = 0xD, 0xC, 0x24, 0x8000001C, 0x32
_FAT_ARCHITECTURES_MOST = 8
"""Java's class files begin with the same word; their next one, a version, is higher."""


@dataclass(slots=True)
class Slice:
    """The code for one kind of processor."""

    architecture: str
    minimum_system: tuple[int, int] = (0, 0)
    name: str = ""
    """Under which others load it, for a library."""
    loads: list[str] = field(default_factory=list)
    run_paths: list[str] = field(default_factory=list)


def is_macho(data: bytes) -> bool:
    if len(data) < 8:
        return False
    (little,), big = struct.unpack_from("<I", data), struct.unpack_from(">II", data)
    return little == _THIN_64 or (big[0] == _FAT and 0 < big[1] <= _FAT_ARCHITECTURES_MOST)


def slices(data: bytes) -> list[Slice]:
    """Empty where it is no Mach-O file."""
    if not is_macho(data):
        return []
    if struct.unpack_from("<I", data)[0] == _THIN_64:
        return [_slice(data)]
    count = struct.unpack_from(">I", data, 4)[0]
    parts = (struct.unpack_from(">5I", data, 8 + 20 * i) for i in range(count))
    codes = (data[offset : offset + size] for _, _, offset, size, _ in parts)
    # A static library is wrapped the same way, and what is in it is none.
    return [_slice(code) for code in codes if code[:4] == struct.pack("<I", _THIN_64)]


def read(path: Path) -> list[Slice]:
    with path.open("rb") as file:
        if not is_macho(file.read(8)):
            return []
    return slices(path.read_bytes())


def _slice(data: bytes) -> Slice:
    processor, commands = struct.unpack_from("<I", data, 4)[0], struct.unpack_from("<I", data, 16)[0]
    found = Slice(ARCHITECTURES.get(processor, hex(processor)))
    at = 32
    for _ in range(commands):
        command, size = struct.unpack_from("<II", data, at)
        if command in (_BUILD_VERSION, _VERSION_MIN):
            version = struct.unpack_from("<I", data, at + (12 if command == _BUILD_VERSION else 8))[0]
            found.minimum_system = version >> 16, version >> 8 & 0xFF
        elif command in (_LOAD_DYLIB, _ID_DYLIB, _RPATH):
            start = at + struct.unpack_from("<I", data, at + 8)[0]
            text = data[start : at + size].split(b"\0")[0].decode()
            if command == _ID_DYLIB:
                found.name = text
            else:
                (found.loads if command == _LOAD_DYLIB else found.run_paths).append(text)
        at += size
    return found
