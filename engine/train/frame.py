"""What a chat template puts around a user's turn, so that a model can be asked to write that turn itself.

    head | the user's turn | tail | the answer ...

Head and tail are read off the template's own output, so any template will do. A tokenizer without one is given the
turn alone, as everywhere else (``engine.chat``).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from engine.chat import prompt_ids, render
from engine.train.conversations import DataError

MARK = "theuserswordsgohere"
HELD_OUT_PER_MILLE = 100
SENTENCE_ENDS = ".?!:。？！：\n"
"""Also a colon: what is listed behind it may be missing, but the sentence stands."""


@dataclass(frozen=True, slots=True)
class Frame:
    head: str
    tail: str
    turn_end_ids: frozenset[int]
    """Tokens that end the user's turn."""


def read_frame(tokenizer: Any, end_ids: frozenset[int]) -> Frame:
    text = render(tokenizer, "", (), MARK)
    head, mark, tail = text.partition(MARK)
    if not mark or MARK in tail:
        raise DataError("The model's chat template doesn't show the user's turn once: self-made text needs that.")
    tail_ids = tokenizer.encode(tail, add_special_tokens=False) if tail else []
    special = set(tokenizer.all_special_ids)
    return Frame(head, tail, end_ids | ({tail_ids[0]} & special if tail_ids else frozenset()))


def opener_ids(tokenizer: Any, frame: Frame, opener: str) -> list[int]:
    """What the model goes on from; empty where there is nothing to go on from."""
    return prompt_ids(tokenizer, frame.head + opener) if frame.head + opener else []


def turn_text(tokenizer: Any, frame: Frame, opener: str, written: Sequence[int], full: bool) -> str | None:
    """The user's turn, cut to whole sentences where it was ``full``; None where it is no text.

    Args:
        written: what the model wrote behind ``opener``, the ending token included where there is one
    """
    ids = [token for token in written if token not in frame.turn_end_ids]
    if set(ids) & set(tokenizer.all_special_ids):
        return None
    text = tokenizer.decode(ids)
    border = frame.tail.strip()
    if border and border in text:
        text, full = text.partition(border)[0], False
    if full:
        end = max(text.rfind(letter) for letter in SENTENCE_ENDS) + 1
        text = text[:end] or text.rstrip("\ufffd")
    if opener.endswith("\n"):
        text = text.lstrip()
    turn = (opener + text).strip()
    return turn if "\ufffd" not in turn and turn != opener.strip() else None


def conversation_ids(tokenizer: Any, frame: Frame, turn: str) -> tuple[list[int], tuple[int, int]]:
    """The prompt exactly as a chat would tokenize it, and where the user's turn lies in it."""
    ids = prompt_ids(tokenizer, render(tokenizer, "", (), turn))
    return ids, turn_span(tokenizer, frame, ids)


def turn_span(tokenizer: Any, frame: Frame, prompt: Sequence[int]) -> tuple[int, int]:
    """Head and tail may have merged with the turn's own letters: what they share with the prompt counts."""
    head = tokenizer.encode(frame.head, add_special_tokens=False) if frame.head else []
    tail = tokenizer.encode(frame.tail, add_special_tokens=False) if frame.tail else []
    begin = _shared(head, prompt)
    end = len(prompt) - _shared(tail[::-1], prompt[::-1])
    return begin, max(begin, end)


def prompt_hash(turn: str) -> int:
    """Of the text without regard to case and white space; the same for every model."""
    plain = " ".join(turn.casefold().split())
    return int.from_bytes(hashlib.blake2b(plain.encode(), digest_size=8).digest(), "big")


def is_held_out(hashed: int) -> bool:
    return hashed % 1000 < HELD_OUT_PER_MILLE


def _shared(a: Sequence[int], b: Sequence[int]) -> int:
    n = 0
    while n < min(len(a), len(b)) and a[n] == b[n]:
        n += 1
    return n
