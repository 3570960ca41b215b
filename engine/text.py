"""Token ids to text, one token at a time.

``TextStream`` gives after every token the text that this token completed. All pieces and the tail together are exactly
``tokenizer.decode(ids)``, whatever the ids: a character split over tokens belongs to the last of them, bytes that are
no character become U+FFFD as in ``decode``. Work per token doesn't grow with the text.

Three kinds of tokenizer are told apart by their decoder. Byte-level ones (GPT-2, Llama 3, Qwen) and SentencePiece-like
ones (Llama 2, Gemma) are decoded here, token by token. For all others ``decode`` runs over a short window of tokens,
which is exact as long as it doesn't rewrite text further back than that window or behind a sent character.

Stop strings end the text. The one whose last character comes first wins, of several that end there the longest, so
that the result doesn't depend on how the text is cut into tokens. Text that may begin a stop string is held back.

Neither MLX nor transformers is imported: tokenizers are used by what they can do.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Callable, Sequence
from typing import Any, Protocol

REPLACEMENT = "\ufffd"
WINDOW_TOKENS = 32
"""Of the generic decoder: longer than any word, short enough to decode at every token."""
LONGEST_UNFINISHED_BYTES = 3
"""A UTF-8 character has four bytes at most."""

_BYTE_TOKEN = re.compile(r"<0x([0-9A-Fa-f]{2})>")
_VISIBLE = str.maketrans({" ": "␣", "\n": "⏎", "\r": "␍", "\t": "⇥"})


class Decoder(Protocol):
    def push(self, token_id: int) -> str: ...

    def finish(self) -> str: ...


class TextStream:
    """Text of one answer as it grows.

    ``skip_special`` leaves special tokens out, as ``decode(ids, skip_special_tokens=True)`` does.
    """

    def __init__(self, tokenizer: Any, stop: Sequence[str] = (), *, skip_special: bool = False) -> None:
        tokenizer = _unwrapped(tokenizer)
        self._decoder = decoder_for(tokenizer, skip_special)
        self._labels = TokenLabels(tokenizer)
        self._stops = StopScanner(stop)

    @property
    def stopped(self) -> str:
        """The stop string that ended the text; empty while none has."""
        return self._stops.found

    def push(self, token_id: int) -> str:
        """The text that this token completed."""
        return "" if self.stopped else self._stops.push(self._decoder.push(token_id))

    def finish(self) -> str:
        """What was still held back; the stream takes no tokens afterwards."""
        if self.stopped:
            return ""
        return self._stops.push(self._decoder.finish()) + self._stops.finish()

    def token_text(self, token_id: int) -> str:
        """A label for this token alone, with nothing in it that can't be seen."""
        return self._labels(token_id)


class StopScanner:
    """Lets text through up to the first stop string."""

    def __init__(self, stops: Sequence[str]) -> None:
        if "" in stops:
            raise ValueError("A stop string is empty; remove it from the list of stop strings.")
        # The longest first: where several end at once it is found first.
        self._stops = sorted(dict.fromkeys(stops), key=len, reverse=True)
        self._failures = [_failures(stop) for stop in self._stops]
        self._matched = [0] * len(self._stops)
        self._held = ""
        self.found = ""

    def push(self, text: str) -> str:
        if not self._stops:
            return text
        for position, character in enumerate(text):
            for index, stop in enumerate(self._stops):
                matched = self._matched[index]
                while matched and stop[matched] != character:
                    matched = self._failures[index][matched - 1]
                matched += stop[matched] == character
                self._matched[index] = matched
                if matched == len(stop):
                    self.found = stop
                    seen = self._held + text[: position + 1]
                    self._held = ""
                    return seen[: len(seen) - len(stop)]
        seen = self._held + text
        sure = len(seen) - max(self._matched)
        self._held = seen[sure:]
        return seen[:sure]

    def finish(self) -> str:
        held, self._held = self._held, ""
        return held


def _failures(stop: str) -> list[int]:
    """For each position the longest proper prefix of ``stop`` that also ends there (Knuth, Morris, Pratt)."""
    failures = [0] * len(stop)
    length = 0
    for position in range(1, len(stop)):
        while length and stop[position] != stop[length]:
            length = failures[length - 1]
        length += stop[position] == stop[length]
        failures[position] = length
    return failures


def decoder_for(tokenizer: Any, skip_special: bool = False) -> Decoder:
    """The decoder of this tokenizer's kind."""
    layout = _decoder_layout(tokenizer)
    if layout.get("type") == "ByteLevel":
        return ByteLevelDecoder(tokenizer, skip_special)
    leading = _byte_fallback_strip(layout)
    if leading is not None:
        return ByteFallbackDecoder(tokenizer, skip_special, leading)
    return WindowDecoder(tokenizer, skip_special)


class ByteLevelDecoder:
    """Every token stands for bytes; the text is their UTF-8."""

    def __init__(self, tokenizer: Any, skip_special: bool) -> None:
        self._token = _token_source(tokenizer, skip_special)
        self._bytes: dict[int, bytes] = {}
        self._utf8 = codecs.getincrementaldecoder("utf-8")("replace")

    def push(self, token_id: int) -> str:
        known = self._bytes.get(token_id)
        if known is None:
            known = self._bytes[token_id] = byte_level_bytes(self._token(token_id))
        return self._utf8.decode(known)

    def finish(self) -> str:
        return self._utf8.decode(b"", final=True)


class ByteFallbackDecoder:
    """Tokens are text, ``▁`` is a space, ``<0x0A>`` a byte.

    A run of byte tokens is text only if all of it is UTF-8, else each byte is U+FFFD: it is held until it ends.
    """

    def __init__(self, tokenizer: Any, skip_special: bool, leading_spaces: int) -> None:
        self._token = _token_source(tokenizer, skip_special)
        self._run = bytearray()
        self._strip = leading_spaces

    def push(self, token_id: int) -> str:
        token = self._token(token_id)
        byte = _BYTE_TOKEN.fullmatch(token)
        if byte:
            self._run.append(int(byte[1], 16))
            return ""
        if not token:
            return ""
        return self._stripped(self._take_run() + token.replace("▁", " "))

    def finish(self) -> str:
        return self._stripped(self._take_run())

    def _take_run(self) -> str:
        run, self._run = bytes(self._run), bytearray()
        try:
            return run.decode()
        except UnicodeDecodeError:
            return REPLACEMENT * len(run)

    def _stripped(self, text: str) -> str:
        while self._strip and text:
            if text[0] != " ":
                self._strip = 0
                break
            text = text[1:]
            self._strip -= 1
        return text


class WindowDecoder:
    """Runs ``decode`` over the last tokens, for tokenizers of which nothing else is known."""

    def __init__(self, tokenizer: Any, skip_special: bool) -> None:
        self._decode: Callable[[list[int]], str] = lambda ids: str(
            tokenizer.decode(ids, skip_special_tokens=skip_special)
        )
        self._ids: list[int] = []
        self._start = 0
        self._sent = 0
        """Characters of the window's text that were given out."""
        self._pieces: list[str] = []

    def push(self, token_id: int) -> str:
        self._ids.append(token_id)
        text = self._decode(self._ids[self._start :])
        piece = text[self._sent : _sure_length(text)]
        self._sent = max(self._sent, _sure_length(text))
        if len(self._ids) - self._start > WINDOW_TOKENS:
            # A window that begins inside a character reads wrongly at its start alone, the same each time.
            self._start = len(self._ids) - WINDOW_TOKENS // 2
            self._sent = _sure_length(self._decode(self._ids[self._start :]))
        self._pieces.append(piece)
        return piece

    def finish(self) -> str:
        text, sent = self._decode(self._ids), "".join(self._pieces)
        return text[len(sent) :] if text.startswith(sent) else self._decode(self._ids[self._start :])[self._sent :]


def _sure_length(text: str) -> int:
    """``text`` without the U+FFFD at its end that may become a character once its other bytes come."""
    unsure = 0
    while unsure < min(LONGEST_UNFINISHED_BYTES, len(text)) and text[-1 - unsure] == REPLACEMENT:
        unsure += 1
    return len(text) - unsure


# What a token is


class TokenLabels:
    """A readable label of each token by itself, made once a token.

    Spaces and line ends are shown, bytes that are no whole character read ``\\xe4``.
    """

    def __init__(self, tokenizer: Any) -> None:
        tokenizer = _unwrapped(tokenizer)
        layout = _decoder_layout(tokenizer)
        self._text_of: Callable[[int], str]
        if layout.get("type") == "ByteLevel":
            token_of = _token_source(tokenizer, False)
            self._text_of = lambda token_id: _escaped(byte_level_bytes(token_of(token_id)))
        elif _byte_fallback_strip(layout) is not None:
            token_of = _token_source(tokenizer, False)
            self._text_of = lambda token_id: _byte_fallback_text(token_of(token_id))
        else:
            self._text_of = lambda token_id: str(tokenizer.decode([token_id]))
        self._labels: dict[int, str] = {}

    def __call__(self, token_id: int) -> str:
        label = self._labels.get(token_id)
        if label is None:
            label = self._labels[token_id] = _visible(self._text_of(token_id))
        return label


def _byte_fallback_text(token: str) -> str:
    byte = _BYTE_TOKEN.fullmatch(token)
    return _escaped(bytes([int(byte[1], 16)])) if byte else token.replace("▁", " ")


def _escaped(data: bytes) -> str:
    return data.decode("utf-8", "backslashreplace")


def _visible(text: str) -> str:
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode()
        for character in text.translate(_VISIBLE)
    )


def byte_level_bytes(token: str) -> bytes:
    """The bytes a byte-level token stands for; a token with any other character (an added one) is its own UTF-8."""
    try:
        return bytes(_BYTE_OF_CHARACTER[character] for character in token)
    except KeyError:
        return token.encode()


def _byte_alphabet() -> dict[str, int]:
    """GPT-2's alphabet: printable Latin-1 bytes are themselves, the others follow from U+0100 on."""
    printable = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    others = [byte for byte in range(256) if byte not in set(printable)]
    return {chr(byte): byte for byte in printable} | {chr(256 + n): byte for n, byte in enumerate(others)}


_BYTE_OF_CHARACTER = _byte_alphabet()


def _token_source(tokenizer: Any, skip_special: bool) -> Callable[[int], str]:
    """Token of an id; empty for ids that the vocabulary lacks and for special ones that are to be left out."""
    backend = tokenizer.backend_tokenizer
    added = backend.get_added_tokens_decoder()
    special = {token_id for token_id, token in added.items() if token.special}

    def token_of(token_id: int) -> str:
        if skip_special and token_id in special:
            return ""
        return backend.id_to_token(token_id) or ""

    return token_of


def _unwrapped(tokenizer: Any) -> Any:
    """The tokenizer that mlx-lm's wrapper holds."""
    return tokenizer._tokenizer if hasattr(type(tokenizer), "detokenizer") else tokenizer


def _decoder_layout(tokenizer: Any) -> dict[str, Any]:
    """How the tokenizer's backend decodes; empty where it isn't the backend alone that does."""
    backend = getattr(tokenizer, "backend_tokenizer", None)
    if backend is None or backend.decoder is None or _decodes_its_own_way(tokenizer):
        return {}
    layout = json.loads(backend.decoder.__getstate__())
    return layout if isinstance(layout, dict) else {}


def _decodes_its_own_way(tokenizer: Any) -> bool:
    methods = (getattr(type(tokenizer), name, None) for name in ("decode", "_decode"))
    generic = all(getattr(method, "__module__", "").startswith("transformers.tokenization_utils") for method in methods)
    # Byte-pair tokenizers never clean up; for others it rewrites text that was given out.
    cleans_up = tokenizer.clean_up_tokenization_spaces and type(tokenizer.backend_tokenizer.model).__name__ != "BPE"
    return not generic or bool(cleans_up)


def _byte_fallback_strip(layout: dict[str, Any]) -> int | None:
    """Leading spaces that a SentencePiece-like decoder takes off; None for all other decoders."""
    parts = layout.get("decoders", [])
    plain = [
        {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
        {"type": "ByteFallback"},
        {"type": "Fuse"},
    ]
    if parts[:3] != plain or len(parts) > 4:
        return None
    if len(parts) == 3:
        return 0
    strip = parts[3]
    if strip.get("type") == "Strip" and strip.get("content") == " " and strip.get("stop") == 0:
        return int(strip["start"])
    return None
