"""The application's icon: drawn as SVG, rendered by Qt, packed as .icns, on any system.

    python packaging/bundle/icon.py DIRECTORY

writes ``Slipstream.icns`` and ``icon-<pixels>.png``. Up to 32 pixels a drawing of its own is used: two riders are mush
there. An .icns file is a header and PNG files, each behind a type of four letters and its length.
"""

from __future__ import annotations

import os
import struct
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]
PIXELS = (16, 32, 64, 128, 256, 512, 1024)
SMALL_PIXELS = 32

TYPES = {
    "icp4": 16, "icp5": 32, "ic11": 32, "ic12": 64, "ic07": 128, "ic13": 256, "ic08": 256, "ic14": 512, "ic09": 512,
    "ic10": 1024,
}  # fmt: skip
"""Types of icons that are PNG files, and their pixels; "ic10" to "ic14" are of screens with two pixels a point."""


def pack(pngs: dict[int, bytes]) -> bytes:
    """pngs: by pixels."""
    parts = [kind.encode() + struct.pack(">I", 8 + len(pngs[size])) + pngs[size] for kind, size in TYPES.items()]
    body = b"".join(parts)
    return b"icns" + struct.pack(">I", 8 + len(body)) + body


def unpack(data: bytes) -> dict[str, bytes]:
    """By type. Raises ``ValueError`` where it is no such file."""
    if data[:4] != b"icns" or struct.unpack(">I", data[4:8])[0] != len(data):
        raise ValueError("not an .icns file, or cut short")
    parts: dict[str, bytes] = {}
    at = 8
    while at < len(data):
        kind, (length,) = data[at : at + 4].decode("ascii"), struct.unpack(">I", data[at + 4 : at + 8])
        parts[kind] = data[at + 8 : at + length]
        at += length
    return parts


def drawing(pixels: int) -> Path:
    return HERE / ("icon-small.svg" if pixels <= SMALL_PIXELS else "icon.svg")


def render(pixels: int) -> bytes:
    """A PNG. A Qt application has to exist."""
    from PySide6.QtCore import QBuffer, QByteArray
    from PySide6.QtGui import QImage, QPainter
    from PySide6.QtSvg import QSvgRenderer

    # Twice the size and down again: thin strokes stay smooth.
    image = QImage(pixels * 2, pixels * 2, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(0)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    QSvgRenderer(QByteArray(drawing(pixels).read_bytes())).render(painter)
    painter.end()
    from PySide6.QtCore import Qt

    smooth = image.scaled(
        pixels, pixels, Qt.AspectRatioMode.IgnoreAspectRatio, Qt.TransformationMode.SmoothTransformation
    )
    buffer = QBuffer()
    buffer.open(QBuffer.OpenModeFlag.WriteOnly)
    smooth.save(buffer, "PNG")
    return bytes(buffer.data().data())


def main(words: list[str]) -> int:
    from PySide6.QtGui import QGuiApplication

    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    into = Path(words[0])
    into.mkdir(parents=True, exist_ok=True)
    application = QGuiApplication([])
    pngs = {pixels: render(pixels) for pixels in PIXELS}
    for pixels, png in pngs.items():
        (into / f"icon-{pixels}.png").write_bytes(png)
    (into / "Slipstream.icns").write_bytes(pack(pngs))
    application.quit()
    print(into / "Slipstream.icns")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
