"""Tokens keep their places in the text, whatever characters they are made of."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.chat.spans import Spans, units
from app.chat.transcript import LONGEST_PARAGRAPH, Transcript
from app.theme import LIGHT
from engine.trace.events import Round
from tests.fakes import answer_tokens, scripted_rounds

PIECES = [" sky", "\n\n", "天空", "🌊", " a\r\nb", "", "e\u0301", "\t", " end.", "x\ny", "   "]


def rounds_of(pieces: list[str]) -> list[Round]:
    return list(scripted_rounds("s", pieces))


@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=40))
@settings(max_examples=60, deadline=None)
def test_spans_cover_the_text_without_gaps(pieces: list[str]) -> None:
    spans = Spans()
    spans.begin_turn(0)
    position, text = 7, ""
    for item in rounds_of(pieces):
        added, position = spans.add(item, position)
        text += added
    assert text == "".join(pieces).replace("\r\n", "\n")
    assert next(iter(spans.starts)) == 7 and list(spans.ends)[-1] == position == 7 + units(text)
    assert list(spans.starts)[1:] == list(spans.ends)[:-1]
    for number in range(len(spans)):
        for place in range(spans.starts[number], spans.ends[number]):
            assert spans.at(place).number == number
        assert spans.starts[number] <= spans.ink_starts[number] <= spans.ink_ends[number] <= spans.ends[number]
        token = spans.token(number)
        assert number in spans.of_round(0, token.round_index)


def test_turns_are_kept_apart() -> None:
    spans = Spans()
    for turn in (3, 5):
        spans.begin_turn(turn)
        for item in scripted_rounds("s", answer_tokens(20), turn=turn):
            spans.add(item, 100 * turn)
    assert spans.in_turn(5, 0) == 20 and spans.in_turn(3, 19) == 19 and spans.in_turn(3, 20) is None
    assert spans.token(25).turn == 5
    assert spans.of_round(3, 0) == range(1) and spans.of_round(5, 0) == range(20, 21)
    assert len(spans.of_round(4, 0)) == 0 and len(spans.of_round(3, 999)) == 0


def test_a_trace_without_text_still_has_tokens() -> None:
    spans = Spans()
    spans.begin_turn(0)
    item = next(item for item in scripted_rounds("s", answer_tokens(60)) if item.accepted)
    spans.add(msgspec.structs.replace(item, pieces=(), emitted_ids=()), 0)
    assert len(spans) == item.emitted_tokens


def test_positions_are_those_of_the_document(qtbot: QtBot) -> None:
    transcript = Transcript(LIGHT)
    qtbot.addWidget(transcript)
    transcript.resize(220, 300)
    transcript.show()
    transcript.begin_turn(0, "You", "提问 🌊", "Model")
    pieces = PIECES * 6
    transcript.add_rounds(rounds_of(pieces))
    QApplication.processEvents()
    document = transcript.document()
    text = "".join(document.characterAt(place) for place in range(document.characterCount()))
    for number, piece in enumerate(pieces):
        shown = text[transcript.spans.starts[number] : transcript.spans.ends[number]].replace("\u2029", "\n")
        expected = piece.replace("\r\n", "\n")
        assert shown.encode("utf-16", "surrogatepass").decode("utf-16") == expected
    inks = list(transcript._inks(range(len(transcript.spans))))
    assert {ink.number for ink in inks} == {number for number, piece in enumerate(pieces) if piece.strip()}
    assert all(ink.right >= ink.left for ink in inks)


def test_an_endless_paragraph_is_broken(qtbot: QtBot) -> None:
    transcript = Transcript(LIGHT)
    qtbot.addWidget(transcript)
    transcript.begin_turn(0, "You", "Go", "Model")
    tokens = [" word"] * (LONGEST_PARAGRAPH // 5 * 3)
    for item in scripted_rounds("s", tokens):
        transcript.add_rounds([item])
    blocks = transcript.document()
    longest = max(blocks.findBlockByNumber(number).length() for number in range(blocks.blockCount()))
    assert longest < LONGEST_PARAGRAPH + 100
    assert transcript.toPlainText().replace("\n", "").count("word") == len(tokens)
    last = len(transcript.spans) - 1
    assert transcript.spans.ends[last] == transcript.document().characterCount() - 1


@pytest.mark.parametrize("text", ["abc", "天空", "🌊🌊", "é"])
def test_units(text: str) -> None:
    assert units(text) == len(text.encode("utf-16-le")) // 2
