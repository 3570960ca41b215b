"""A conversation to prompt ids, so that the next turn begins exactly as the last one ended.

A template renders text, and text has many tokenizations: ids a model has written are often not those its tokenizer
would give for the same text. Tokenizing a conversation anew would therefore miss the keys and values of the last turn
somewhere inside the answer. Where the rendered conversation begins with the text of the last turn, its ids are kept
and only the rest is tokenized.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.process.protocol import Turn


def render(tokenizer: Any, system: str, history: Sequence[Turn], prompt: str) -> str:
    """The conversation through the model's own template, open for its answer."""
    messages = [{"role": "system", "content": system}] if system else []
    for turn in history:
        messages += [{"role": "user", "content": turn.user}, {"role": "assistant", "content": turn.assistant}]
    messages.append({"role": "user", "content": prompt})
    if tokenizer.chat_template is None:
        return "\n\n".join(message["content"] for message in messages) + "\n\n"
    text = tokenizer.apply_chat_template(messages, add_generation_prompt=True, tokenize=False)
    return str(text)


def prompt_ids(tokenizer: Any, text: str, last_ids: Sequence[int] = (), *, raw: bool = False) -> list[int]:
    """Ids of a rendered conversation. A text that no template wrote begins as the tokenizer begins texts.

    Args:
        last_ids: prompt and answer of the turn before, as the target saw them; kept where ``text`` begins with their
        text.
        raw: ``text`` stands as the user wrote it
    """
    text = whole_characters(text)
    if last_ids:
        last_text = tokenizer.decode(list(last_ids), skip_special_tokens=False)
        if last_text and text.startswith(last_text) and len(text) > len(last_text):
            rest = tokenizer.encode(text[len(last_text) :], add_special_tokens=False)
            return [*last_ids, *rest]
    ids = list(tokenizer.encode(text, add_special_tokens=False))
    if raw or tokenizer.chat_template is None:
        bos = tokenizer.bos_token_id
        begins_with_bos = bos is not None and tokenizer.encode("", add_special_tokens=True)[:1] == [bos]
        if begins_with_bos and ids[:1] != [bos]:
            ids = [bos, *ids]
    return ids


def whole_characters(text: str) -> str:
    """Halves of a character, as a cut paste leaves them, become the replacement sign: no tokenizer takes them."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
