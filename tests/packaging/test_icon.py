"""The icon: drawn, rendered at every size, packed and unpacked."""

from __future__ import annotations

import struct

import pytest
from bundle import icon
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication


@given(st.lists(st.binary(max_size=200), min_size=len(icon.PIXELS), max_size=len(icon.PIXELS)))
def test_what_is_packed_is_unpacked(pictures: list[bytes]) -> None:
    pngs = dict(zip(icon.PIXELS, pictures, strict=True))
    data = icon.pack(pngs)
    assert struct.unpack(">I", data[4:8])[0] == len(data)
    assert icon.unpack(data) == {kind: pngs[pixels] for kind, pixels in icon.TYPES.items()}


def test_broken_file_is_refused() -> None:
    data = icon.pack(dict.fromkeys(icon.PIXELS, b"png"))
    for broken in (data[:-1], b"PNG" + data):
        with pytest.raises(ValueError, match="cut short"):
            icon.unpack(broken)


def test_types_cover_every_size() -> None:
    assert set(icon.TYPES.values()) == set(icon.PIXELS)


@pytest.mark.parametrize("pixels", icon.PIXELS)
def test_each_size_is_drawn(qapp: QApplication, pixels: int) -> None:
    image = QImage.fromData(icon.render(pixels))
    assert (image.width(), image.height()) == (pixels, pixels)
    assert image.pixelColor(0, 0).alpha() == 0, "macOS draws no ground under the corners"
    centre = image.pixelColor(pixels // 2, pixels // 4)
    assert centre.alpha() == 255
    colours = {image.pixel(x, y) for x in range(pixels) for y in range(0, pixels, max(1, pixels // 64))}
    # Both riders are there: the white one in front, the green one behind.
    found = [QImage.pixelColor(image, x, y) for x in range(pixels) for y in range(pixels // 2, pixels * 3 // 4)]
    assert any(min(c.red(), c.green(), c.blue()) > 200 for c in found)
    assert any(c.green() > c.red() + 60 and c.green() > c.blue() + 20 for c in found)
    assert len(colours) > 20
