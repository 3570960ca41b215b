from __future__ import annotations

import pytest

from engine.chat import prompt_ids, render
from engine.train.conversations import DataError
from engine.train.frame import (
    Frame,
    conversation_ids,
    is_held_out,
    opener_ids,
    prompt_hash,
    read_frame,
    turn_text,
)
from tests import embedded
from tests.engine.train.texts import ChatTokenizer
from tests.tiny import ByteTokenizer


def test_the_frame_is_read_off_the_template() -> None:
    tokenizer = embedded.tokenizer()
    frame = read_frame(tokenizer, frozenset(tokenizer.eos_token_ids))
    assert frame.head.endswith("<|im_start|>user\n")
    assert frame.head.startswith("<|im_start|>system\n")
    assert frame.tail == "<|im_end|>\n<|im_start|>assistant\n"
    assert frame.turn_end_ids == {2}
    assert opener_ids(tokenizer, frame, "Why does") == prompt_ids(tokenizer, frame.head + "Why does")


def test_a_prompt_is_what_a_chat_would_send() -> None:
    tokenizer = embedded.tokenizer()
    frame = read_frame(tokenizer, frozenset({2}))
    for turn in ("Why does the sea rise?", "写一首诗\n\nAs a list.", "x"):
        ids, (begin, end) = conversation_ids(tokenizer, frame, turn)
        assert ids == prompt_ids(tokenizer, render(tokenizer, "", (), turn))
        assert tokenizer.decode(ids[begin:end]) == turn


def test_without_a_template_the_turn_stands_alone() -> None:
    tokenizer = ByteTokenizer()
    frame = read_frame(tokenizer, frozenset({1}))
    assert frame == Frame("", "\n\n", frozenset({1}))
    assert opener_ids(tokenizer, frame, "") == []
    assert opener_ids(tokenizer, frame, "AB") == [33, 34]


def test_a_template_that_hides_the_turn_is_refused() -> None:
    class Twice(ChatTokenizer):
        def apply_chat_template(self, messages: list[dict[str, str]], **_: object) -> str:
            return messages[-1]["content"] * 2

    with pytest.raises(DataError, match="doesn't show the user's turn once"):
        read_frame(Twice(), frozenset({1}))


def test_the_turn_ends_where_it_should() -> None:
    tokenizer = ByteTokenizer(96)
    tokenizer.encode = lambda text, **_: [ord(c) - 32 for c in text]  # type: ignore[method-assign]
    tokenizer.all_special_ids = (1, 2)  # type: ignore[assignment]
    frame = Frame("", "@@", frozenset({1}))

    def text(opener: str, written: str, full: bool = False, extra: tuple[int, ...] = ()) -> str | None:
        return turn_text(tokenizer, frame, opener, [*tokenizer.encode(written), *extra], full)

    assert text("Why", " is it so?", extra=(1,)) == "Why is it so?"
    assert text("Why", " is it so? And wh", full=True) == "Why is it so?"
    assert text("Why", " is it so", full=True) == "Why is it so"
    assert text("Why", " not @@ nothing of this", full=True) == "Why not"
    assert text("Copy:\n\n", "  this") == "Copy:\n\nthis"
    assert text("Why", "  ") is None
    assert text("Why", " so", extra=(2,)) is None


def test_the_hash_looks_at_the_words_alone() -> None:
    assert prompt_hash("Why  is\nit?") == prompt_hash("why is it? ")
    assert prompt_hash("Why is it?") != prompt_hash("Why is it")
    # The split is part of every data set: this must never change.
    assert prompt_hash("Why is the sky blue?") == 4168926092802846289
    held = sum(is_held_out(prompt_hash(f"prompt {i}")) for i in range(5000))
    assert held / 5000 == pytest.approx(0.1, abs=0.015)
