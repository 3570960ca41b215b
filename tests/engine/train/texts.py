"""Conversations made by hand, and a tokenizer with a chat template over the tiny vocabulary."""

from __future__ import annotations

from typing import Any

from engine.target import Target
from engine.train.conversations import Conversations, Written, pack
from tests.tiny import VOCABULARY, ByteTokenizer, tiny_target


class ChatTokenizer(ByteTokenizer):
    """``<U>turn!<A>`` around a user's turn; ``!`` (id 1) ends a turn."""

    chat_template = "given"
    all_special_ids = (1, 2)

    def apply_chat_template(self, messages: list[dict[str, str]], **_: Any) -> str:
        return "".join(f"<U>{m['content'].lower()}!" for m in messages) + "<A>"


def chat_target(kind: str = "dense", seed: int = 0) -> Target:
    tiny = tiny_target(kind, seed)
    return Target.of(tiny.model, ChatTokenizer(), tiny.facts)  # type: ignore[arg-type]


def conversations(*rows: tuple[list[int], list[int], bool], hashes: list[int] | None = None) -> Conversations:
    """Of (user's turn, answer, held out); a prompt is the turn between tokens 60 and 61."""
    written = [
        Written([60, *turn, 61], answer, (1, 1 + len(turn)), (hashes or [])[i] if hashes else _hash(turn), held, "hand")
        for i, (turn, answer, held) in enumerate(rows)
    ]
    return pack(written, VOCABULARY)


def _hash(turn: list[int]) -> int:
    return sum(token * 64**i for i, token in enumerate(turn)) % (1 << 63)
