"""Small Mach-O files, written by hand from Apple's description of the format."""

from __future__ import annotations

import struct

ARM64, X86_64 = 0x0100000C, 0x01000007
BUILD_VERSION, ID_DYLIB, LOAD_DYLIB, RPATH = 0x32, 0xD, 0xC, 0x8000001C


def text_command(command: int, text: str) -> bytes:
    fixed = 12 if command == RPATH else 24
    data = text.encode() + b"\0"
    data += b"\0" * (-(fixed + len(data)) % 8)
    head = struct.pack("<III", command, fixed + len(data), fixed)
    return head + b"\0" * (fixed - 12) + data


def version_command(major: int, minor: int) -> bytes:
    return struct.pack("<IIIIII", BUILD_VERSION, 24, 1, major << 16 | minor << 8, major << 16, 0)


def thin(
    minimum: tuple[int, int] = (14, 0),
    processor: int = ARM64,
    name: str = "",
    loads: tuple[str, ...] = (),
    run_paths: tuple[str, ...] = (),
) -> bytes:
    commands = [version_command(*minimum)]
    if name:
        commands.append(text_command(ID_DYLIB, name))
    commands += [text_command(LOAD_DYLIB, text) for text in loads] + [text_command(RPATH, text) for text in run_paths]
    body = b"".join(commands)
    return struct.pack("<IIIIIIII", 0xFEEDFACF, processor, 0, 6, len(commands), len(body), 0, 0) + body


def fat(*parts: bytes) -> bytes:
    """Several processors in one file."""
    at = 8 + 20 * len(parts)
    head, body = struct.pack(">II", 0xCAFEBABE, len(parts)), b""
    for part in parts:
        head += struct.pack(">IIIII", struct.unpack_from("<I", part, 4)[0], 0, at + len(body), len(part), 0)
        body += part
    return head + body
