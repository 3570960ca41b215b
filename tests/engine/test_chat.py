"""The next turn's prompt begins with the ids of the last one, however the template renders it."""

from __future__ import annotations

from typing import Any

import pytest

from engine.chat import prompt_ids, render, whole_characters
from engine.process.protocol import Turn
from tests import embedded
from tests.tiny import ByteTokenizer


@pytest.fixture(scope="module")
def smol() -> Any:
    return embedded.tokenizer()


def test_ids_of_the_last_turn_are_kept_where_the_text_goes_on(smol: Any) -> None:
    first = prompt_ids(smol, render(smol, "", (), "Hi"))
    # An answer in tokens that no tokenizer would choose: one a letter.
    answer = [i for letter in "The sky" for i in smol.encode(letter, add_special_tokens=False)]
    assert answer != smol.encode("The sky", add_special_tokens=False)
    last = [*first, *answer, next(iter(smol.eos_token_ids))]
    text = render(smol, "", (Turn(user="Hi", assistant="The sky"),), "And?")
    ids = prompt_ids(smol, text, last)
    assert ids[: len(last)] == last
    assert smol.decode(ids) == text
    assert prompt_ids(smol, text)[: len(last)] != last


def test_an_answer_that_was_cut_is_kept_too(smol: Any) -> None:
    first = prompt_ids(smol, render(smol, "", (), "Hi"))
    last = [*first, *smol.encode("The sky is", add_special_tokens=False)]
    ids = prompt_ids(smol, render(smol, "", (Turn(user="Hi", assistant="The sky is"),), "Go on"), last)
    assert ids[: len(last)] == last


def test_another_conversation_is_tokenized_anew(smol: Any) -> None:
    last = prompt_ids(smol, render(smol, "", (), "Hi"))
    text = render(smol, "You are terse.", (), "Hi")
    assert prompt_ids(smol, text, last) == prompt_ids(smol, text)


def test_a_system_prompt_replaces_the_template_s_own(smol: Any) -> None:
    assert "named SmolLM" in render(smol, "", (), "Hi")
    text = render(smol, "Speak Chinese.", (), "Hi")
    assert "Speak Chinese." in text
    assert "named SmolLM" not in text


def test_a_model_without_a_template_gets_the_plain_text() -> None:
    tokenizer = ByteTokenizer()
    assert render(tokenizer, "", (), "HI") == "HI\n\n"
    assert prompt_ids(tokenizer, "HI") == [40, 41]


class BeginsTexts(ByteTokenizer):
    """Puts a token before each text, as Llama's and Gemma's do; its template writes that token itself."""

    chat_template = "x"
    bos_token_id = 3

    def encode(self, text: str, add_special_tokens: bool = True) -> list[int]:
        return [3] * add_special_tokens + super().encode(text)


def test_only_a_text_that_no_template_wrote_is_begun() -> None:
    tokenizer = BeginsTexts()
    assert prompt_ids(tokenizer, "HI") == [40, 41]
    assert prompt_ids(tokenizer, "HI", raw=True) == [3, 40, 41]
    assert prompt_ids(tokenizer, "#HI", raw=True) == [3, 40, 41]


def test_halves_of_characters_become_the_replacement_sign(smol: Any) -> None:
    text = "a\ud83d and \udc00 and \ud83d\ude00, \ufeff月"
    whole = "a\ufffd and \ufffd and 😀, \ufeff月"
    assert whole_characters(text) == whole and whole_characters(whole) == whole
    assert prompt_ids(smol, text, raw=True) == prompt_ids(smol, whole, raw=True)
