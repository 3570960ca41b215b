from __future__ import annotations

from engine.trace.events import Round
from engine.trace.file import Writer, read
from tests.golden.make_session import PATH, session


def test_the_recorded_session_is_the_scripted_one(tmp_path) -> None:  # type: ignore[no-untyped-def]
    with Writer(tmp_path / "again.slipstream") as writer:
        for event in session():
            writer.write(event)
    assert (tmp_path / "again.slipstream").read_bytes() == PATH.read_bytes()


def test_it_holds_a_cut_block_emoji_and_chinese() -> None:
    rounds = [event for event in read(PATH).events if isinstance(event, Round)]
    assert any(item.width > item.accepted and item.origins[-1] == "accepted" for item in rounds)
    text = "".join(piece for item in rounds for piece in item.pieces)
    assert "🌅" in text and "天空" in text and "<b>" in text
