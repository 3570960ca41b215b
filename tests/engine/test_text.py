"""Streaming text equals ``decode`` for any ids; stop strings cut it at the same character however it is tokenised."""

from __future__ import annotations

import string
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import AddedToken, Tokenizer, decoders
from tokenizers.models import BPE
from transformers import PreTrainedTokenizerFast

from engine.text import (
    ByteFallbackDecoder,
    ByteLevelDecoder,
    TextStream,
    TokenLabels,
    WindowDecoder,
    decoder_for,
)
from tests import embedded

SPLIT = [*range(17), 185, 218, 242, 10813, 28589]
"""Special tokens, lone bytes, the first half of an emoji, a Chinese character."""
EMBEDDED_IDS = st.lists(st.integers(0, 49151) | st.sampled_from(SPLIT), max_size=60)


def streamed(tokenizer: Any, ids: list[int], **how: Any) -> str:
    stream = TextStream(tokenizer, **how)
    return "".join([stream.push(token_id) for token_id in ids]) + stream.finish()


def decoded(decoder: Any, ids: list[int]) -> str:
    return "".join([decoder.push(token_id) for token_id in ids]) + str(decoder.finish())


# The embedded model's tokenizer


@settings(max_examples=500, deadline=None)
@given(EMBEDDED_IDS, st.booleans())
def test_pieces_and_tail_are_what_decode_gives(ids: list[int], skip: bool) -> None:
    tokenizer = embedded.tokenizer()
    assert streamed(tokenizer, ids, skip_special=skip) == tokenizer.decode(ids, skip_special_tokens=skip)


def test_every_token_decodes_as_alone() -> None:
    tokenizer = embedded.tokenizer()
    for token_id in range(len(tokenizer)):
        assert streamed(tokenizer, [token_id]) == tokenizer.decode([token_id])


@settings(deadline=None)
@given(
    st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\x04\x06\x13\x14\x16\x1d", max_codepoint=0x3FFFF))
)
def test_encoded_text_comes_back(text: str) -> None:
    tokenizer = embedded.tokenizer()
    assert streamed(tokenizer, tokenizer.encode(text)) == text


def test_split_character_belongs_to_its_last_token() -> None:
    stream = TextStream(embedded.tokenizer())
    ids = embedded.tokenizer().encode("a😀中")
    assert [stream.push(token_id) for token_id in ids] == ["a", "", "", "😀", "中"]
    assert stream.finish() == ""


def test_unfinished_character_is_the_tail() -> None:
    tokenizer = embedded.tokenizer()
    stream = TextStream(tokenizer)
    ids = tokenizer.encode("a😀")[:-1]
    assert [stream.push(token_id) for token_id in ids] == ["a", "", ""]
    assert stream.finish() == "\ufffd"


def test_ids_beyond_the_vocabulary_are_no_text() -> None:
    tokenizer = embedded.tokenizer()
    ids = [504, 60_000, 2988]
    assert streamed(tokenizer, ids) == tokenizer.decode(ids) == "The answer"


def test_bare_and_wrapped_tokenizer_stream_alike() -> None:
    wrapped = embedded.tokenizer()
    assert isinstance(decoder_for(wrapped._tokenizer), ByteLevelDecoder)
    assert streamed(wrapped._tokenizer, [504, 2988]) == streamed(wrapped, [504, 2988]) == "The answer"


# Other kinds of tokenizer

WORDS = ["▁", "▁the", "▁a", "ing", "x", "▁▁", ".", "中", "é", "<0xZZ>", "<0x1>"]


def sentencepiece_like(leading: int | None) -> PreTrainedTokenizerFast:
    vocabulary = [*WORDS, *(f"<0x{byte:02X}>" for byte in range(256))]
    tokenizer = Tokenizer(BPE(vocab={token: n for n, token in enumerate(vocabulary)}, merges=[], byte_fallback=True))
    strip = [] if leading is None else [decoders.Strip(" ", leading, 0)]
    tokenizer.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), *strip]
    )
    tokenizer.add_special_tokens([AddedToken("<s>", special=True), AddedToken("</s>", special=True)])
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, clean_up_tokenization_spaces=False)


SENTENCEPIECE = {leading: sentencepiece_like(leading) for leading in (None, 0, 1, 2)}
SENTENCEPIECE_IDS = st.lists(
    st.integers(0, len(WORDS) + 257)
    | st.integers(0, len(WORDS) - 1)
    | st.sampled_from([len(WORDS) + byte for byte in "é中😀".encode()]),
    max_size=40,
)


@settings(max_examples=300, deadline=None)
@given(SENTENCEPIECE_IDS, st.sampled_from(list(SENTENCEPIECE)), st.booleans())
def test_byte_fallback_is_what_decode_gives(ids: list[int], leading: int | None, skip: bool) -> None:
    tokenizer = SENTENCEPIECE[leading]
    assert isinstance(decoder_for(tokenizer), ByteFallbackDecoder)
    assert streamed(tokenizer, ids, skip_special=skip) == tokenizer.decode(ids, skip_special_tokens=skip)


def test_bytes_of_a_character_come_with_the_token_after_them() -> None:
    stream = TextStream(SENTENCEPIECE[1])
    ids = [1, *(len(WORDS) + byte for byte in "😀".encode()), 3]
    assert [stream.push(token_id) for token_id in ids] == ["the", "", "", "", "", "😀ing"]


def byte_level_with_added() -> PreTrainedTokenizerFast:
    """Added tokens are text as they stand, though some of their letters stand for bytes elsewhere."""
    tokenizer = Tokenizer(BPE(vocab={token: n for n, token in enumerate(["a", "Ġ", "Ã", "©", "ð"])}, merges=[]))
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_tokens([AddedToken("<é>"), AddedToken("<中>"), AddedToken("a b")])
    tokenizer.add_special_tokens([AddedToken("<｜end▁of▁text｜>", special=True)])
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, clean_up_tokenization_spaces=False)


BYTE_LEVEL_WITH_ADDED = byte_level_with_added()


@settings(deadline=None)
@given(st.lists(st.integers(0, 8), max_size=20), st.booleans())
def test_added_tokens_are_what_decode_gives(ids: list[int], skip: bool) -> None:
    tokenizer = BYTE_LEVEL_WITH_ADDED
    assert isinstance(decoder_for(tokenizer), ByteLevelDecoder)
    assert streamed(tokenizer, ids, skip_special=skip) == tokenizer.decode(ids, skip_special_tokens=skip)


class BytesTokenizer:
    """Speaks no transformers: id n is byte n, as a tiktoken-like tokenizer would have it."""

    def __init__(self) -> None:
        self.longest_decoded_tokens = 0

    def decode(self, ids: list[int], skip_special_tokens: bool = False) -> str:
        self.longest_decoded_tokens = max(self.longest_decoded_tokens, len(ids))
        return bytes(ids).decode("utf-8", "replace")


BYTES = st.lists(
    st.integers(0, 255) | st.sampled_from(list("aé中😀".encode())) | st.just(0x80) | st.just(0xF0), max_size=150
)


@settings(max_examples=500, deadline=None)
@given(BYTES)
def test_unknown_tokenizers_are_what_decode_gives(ids: list[int]) -> None:
    tokenizer = BytesTokenizer()
    assert isinstance(decoder_for(tokenizer), WindowDecoder)
    assert streamed(tokenizer, ids) == tokenizer.decode(ids)


@settings(deadline=None)
@given(EMBEDDED_IDS, st.booleans())
def test_window_agrees_on_the_embedded_tokenizer(ids: list[int], skip: bool) -> None:
    tokenizer = embedded.tokenizer()
    assert decoded(WindowDecoder(tokenizer, skip), ids) == tokenizer.decode(ids, skip_special_tokens=skip)


@pytest.mark.parametrize("byte", [ord("a"), ord("\n"), 0x80, 0xF0])
def test_window_never_grows_with_the_text(byte: int) -> None:
    tokenizer = BytesTokenizer()
    decoder = WindowDecoder(tokenizer, skip_special=False)
    pieces = [decoder.push(byte) for _ in range(2000)]
    assert tokenizer.longest_decoded_tokens < 40
    assert len("".join(pieces)) >= 2000 - 3


def test_a_tokenizer_with_its_own_decode_is_not_taken_apart() -> None:
    class Newlines(PreTrainedTokenizerFast):
        def decode(self, *args: Any, **kwargs: Any) -> str:
            return str(super().decode(*args, **kwargs)).replace("a", "\n")

    backend = BYTE_LEVEL_WITH_ADDED.backend_tokenizer
    tokenizer = Newlines(tokenizer_object=backend, clean_up_tokenization_spaces=False)
    assert isinstance(decoder_for(tokenizer), WindowDecoder)
    assert streamed(tokenizer, [0, 1, 0]) == tokenizer.decode([0, 1, 0]) == "\n \n"


# Stop strings


def reference_cut(text: str, stops: list[str]) -> tuple[str, str]:
    """By definition: read on character by character, look whether a stop string ends here."""
    for end in range(1, len(text) + 1):
        ending = [stop for stop in stops if text[:end].endswith(stop)]
        if ending:
            stop = max(ending, key=len)
            return text[: end - len(stop)], stop
    return text, ""


STOPS = st.lists(st.text(alphabet="ab中", min_size=1, max_size=4), max_size=3)


@settings(max_examples=500, deadline=None)
@given(st.lists(st.text(alphabet="ab中", max_size=6), max_size=12), STOPS)
def test_cut_is_the_same_however_the_text_is_split(pieces: list[str], stops: list[str]) -> None:
    tokenizer = BytesTokenizer()
    for ids in ([list(piece.encode()) for piece in pieces], [[byte] for byte in "".join(pieces).encode()]):
        stream = TextStream(tokenizer, stops)
        text = "".join(stream.push(byte) for chunk in ids for byte in chunk) + stream.finish()
        assert (text, stream.stopped) == reference_cut("".join(pieces), stops)


@settings(deadline=None)
@given(EMBEDDED_IDS, st.lists(st.text(alphabet=string.printable, min_size=1, max_size=2), max_size=3))
def test_cut_on_real_tokens(ids: list[int], stops: list[str]) -> None:
    stream = TextStream(embedded.tokenizer(), stops)
    text = "".join([stream.push(token_id) for token_id in ids]) + stream.finish()
    assert (text, stream.stopped) == reference_cut(embedded.tokenizer().decode(ids), stops)


def pieces_of(text: str, stops: list[str]) -> tuple[list[str], str, str]:
    stream = TextStream(BytesTokenizer(), stops)
    pieces = [stream.push(byte) for byte in text.encode()]
    return pieces, stream.finish(), stream.stopped


def test_start_of_a_stop_string_is_held_back_until_it_is_none() -> None:
    assert pieces_of("a##b", ["###"]) == (["a", "", "", "##b"], "", "")


def test_what_is_still_held_at_the_end_is_the_tail() -> None:
    assert pieces_of("a##", ["###"]) == (["a", "", ""], "##", "")


def test_nothing_comes_after_a_stop_string() -> None:
    assert pieces_of("a###b", ["###"]) == (["a", "", "", "", ""], "", "###")


def test_stop_string_that_begins_inside_another_start() -> None:
    assert pieces_of("aab!", ["ab"]) == (["", "a", "", ""], "", "ab")
    assert pieces_of("ababc", ["abc"])[::2] == (["", "", "ab", "", ""], "abc")


def test_the_stop_string_that_ends_first_wins() -> None:
    assert pieces_of("xabcd", ["abcd", "bc"])[2] == "bc"
    assert pieces_of("xabc", ["bc", "abc"]) == (["x", "", "", ""], "", "abc")


def test_stop_string_inside_a_split_character_and_in_the_tail() -> None:
    assert pieces_of("好的。完", ["。"])[2] == "。"
    stream = TextStream(BytesTokenizer(), ["\ufffd"])
    assert [stream.push(ord("a")), stream.push(0xF0), stream.finish(), stream.stopped] == ["a", "", "", "\ufffd"]


def test_empty_stop_string_is_refused() -> None:
    with pytest.raises(ValueError, match="stop string is empty"):
        TextStream(BytesTokenizer(), ["a", ""])


# Labels


def test_labels_show_spaces_and_bytes() -> None:
    tokenizer = embedded.tokenizer()
    label = TextStream(tokenizer).token_text
    newline, emoji_start = tokenizer.encode("\n")[0], tokenizer.encode("😀")[0]
    assert [label(260), label(newline), label(emoji_start), label(28589), label(2)] == [
        *("␣the", "⏎", r"\xf0\x9f", "中", "<|im_end|>")
    ]


@pytest.mark.parametrize("make", [embedded.tokenizer, lambda: SENTENCEPIECE[1], BytesTokenizer])
def test_labels_have_nothing_invisible(make: Callable[[], Any]) -> None:
    labels = TokenLabels(make())
    assert all(labels(token_id).isprintable() and " " not in labels(token_id) for token_id in range(256))


def test_labels_of_byte_fallback_keep_the_space() -> None:
    labels = TokenLabels(SENTENCEPIECE[1])
    assert [labels(1), labels(len(WORDS) + 0x0A), labels(len(WORDS) + 0xE4)] == ["␣the", "⏎", r"\xe4"]


def test_text_needs_no_mlx() -> None:
    code = "import sys, engine.text; print('mlx' in sys.modules, 'transformers' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]
