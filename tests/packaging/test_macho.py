"""The reader of Mach-O files, on files made for it and on what is none."""

from __future__ import annotations

from pathlib import Path

import pytest
from bundle import macho
from hypothesis import given
from hypothesis import strategies as st

from tests.packaging.machos import ARM64, X86_64, fat, thin

words = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=80)


@given(
    st.tuples(st.integers(1, 99), st.integers(0, 99)),
    words,
    st.lists(words, max_size=4),
    st.lists(words, max_size=3),
)
def test_what_was_written_is_read(minimum: tuple[int, int], name: str, loads: list[str], run_paths: list[str]) -> None:
    (found,) = macho.slices(thin(minimum, name=name, loads=tuple(loads), run_paths=tuple(run_paths)))
    assert found == macho.Slice("arm64", minimum, name, loads, run_paths)


def test_each_processor_has_its_slice() -> None:
    found = macho.slices(fat(thin((11, 0), X86_64), thin((14, 2), ARM64)))
    assert [(part.architecture, part.minimum_system) for part in found] == [("x86_64", (11, 0)), ("arm64", (14, 2))]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"text",
        b"\x7fELF" + b"\0" * 60,
        b"\xca\xfe\xba\xbe\x00\x00\x00\x34" + b"\0" * 60,
        fat(b"!<arch>\n" + b"\0" * 64),
    ],
    ids=["empty", "text", "ELF", "Java class", "static library"],
)
def test_other_files_have_none(data: bytes, tmp_path: Path) -> None:
    assert macho.slices(data) == []
    file = tmp_path / "file"
    file.write_bytes(data)
    assert macho.read(file) == []
