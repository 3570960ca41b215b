from __future__ import annotations

import msgspec
import pytest

from engine.trace import events
from engine.trace.reference import LINES, PAGE, PARTS, fields_markdown, with_fields


def test_the_page_tells_the_contract_as_it_is() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page == with_fields(page), "run: python -m engine.trace.reference"


def test_every_record_and_every_field_is_there() -> None:
    text = fields_markdown()
    records = [kind for kind in vars(events).values() if isinstance(kind, type) and issubclass(kind, msgspec.Struct)]
    assert {kind.__name__ for kind in records} - {"Struct"} == {*LINES, *PARTS}
    for name in (*LINES, *PARTS):
        for field in msgspec.structs.fields(getattr(events, name)):
            assert f"| `{field.encode_name}` |" in text


def test_docstrings_become_meanings() -> None:
    assert "| `block` | `int` | `8` | Rows the target verifies at once: the anchor and up to `block - 1` drafts. |" in (
        fields_markdown()
    )


def test_a_page_without_its_marks_is_not_guessed_at() -> None:
    with pytest.raises(ValueError, match="marks"):
        with_fields("# Session traces\n")


def test_the_page_names_what_the_command_offers() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert "csv|perfetto|html|md" in page and "en|zh_CN" in page and events.SCHEMA in page
