"""Where each token of a transcript lies in its text, in a list light enough for tens of thousands of tokens.

Positions count UTF-16 units, as Qt does. A token is found by its place in the text, by its round, or by its index
within a turn. No Qt here.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from dataclasses import dataclass

from engine.trace.events import Origin, Round

ORIGINS: tuple[Origin, ...] = ("plain", "accepted", "correction", "bonus")
UNKNOWN = "▆▆ "
_CODES = {origin: code for code, origin in enumerate(ORIGINS)}


@dataclass(frozen=True, slots=True)
class Token:
    number: int
    turn: int
    round_index: int
    place: int
    """Which of the tokens its round emitted."""
    origin: Origin

    @property
    def column(self) -> int | None:
        """Draft position of the heatmap that this token stands for: kept or refused there."""
        return self.place if self.origin in ("accepted", "correction") else None


class Spans:
    def __init__(self) -> None:
        self.starts = array("q")
        self.ends = array("q")
        self.ink_starts = array("q")
        """First and one past the last unit that is not white space; equal where nothing is to be drawn."""
        self.ink_ends = array("q")
        self.codes = array("b")
        self.has_marks = False
        """Some token is not plain, so that something is to be drawn under it."""
        self._rounds = array("q")
        self._places = array("q")
        self._turn_starts: list[tuple[int, int]] = []
        """Turn, and the number of its first token."""
        self._round_starts: list[dict[int, int]] = []

    def __len__(self) -> int:
        return len(self.starts)

    def begin_turn(self, turn: int) -> None:
        self._turn_starts.append((turn, len(self.starts)))
        self._round_starts.append({})

    def add(self, event: Round, position: int) -> tuple[str, int]:
        """Notes the tokens of a round whose text will be inserted at ``position``; gives that text and where it
        ends.
        """
        self._round_starts[-1][event.index] = len(self.starts)
        text = []
        # A trace without text still shows where its tokens came from: a block stands for each.
        for place, piece in enumerate(event.pieces or (UNKNOWN,) * event.emitted_tokens):
            piece = shown(piece)
            left = piece.lstrip()
            size, inked = units(piece), units(left)
            lead = size - inked
            self.starts.append(position)
            self.ends.append(position + size)
            self.ink_starts.append(position + lead)
            self.ink_ends.append(position + lead + (units(left.rstrip()) if left[-1:].isspace() else inked))
            code = _CODES[event.origins[place]]
            self.codes.append(code)
            self.has_marks = self.has_marks or code > 0
            self._rounds.append(event.index)
            self._places.append(place)
            text.append(piece)
            position += size
        return "".join(text), position

    def token(self, number: int) -> Token:
        turn = self._turn_starts[self._turn_slot(number)][0]
        return Token(number, turn, self._rounds[number], self._places[number], ORIGINS[self.codes[number]])

    def at(self, position: int) -> Token | None:
        """The token whose text holds this position."""
        number = bisect_right(self.starts, position) - 1
        while number >= 0 and self.ends[number] == self.starts[number] and number > 0:
            number -= 1
        if number < 0 or position >= self.ends[number]:
            return None
        return self.token(number)

    def of_round(self, turn: int, round_index: int) -> range:
        """Numbers of the tokens that a round emitted."""
        for slot in range(len(self._turn_starts) - 1, -1, -1):
            if self._turn_starts[slot][0] == turn:
                first = self._round_starts[slot].get(round_index)
                if first is None:
                    return range(0)
                last = first
                end = self._turn_starts[slot + 1][1] if slot + 1 < len(self._turn_starts) else len(self.starts)
                while last < end and self._rounds[last] == round_index:
                    last += 1
                return range(first, last)
        return range(0)

    def in_turn(self, turn: int, index: int) -> int | None:
        """Number of the token with this index among those of a turn; None where there is none."""
        for slot in range(len(self._turn_starts) - 1, -1, -1):
            known, first = self._turn_starts[slot]
            if known == turn:
                end = self._turn_starts[slot + 1][1] if slot + 1 < len(self._turn_starts) else len(self.starts)
                return first + index if 0 <= index < end - first else None
        return None

    def _turn_slot(self, number: int) -> int:
        return bisect_right([first for _, first in self._turn_starts], number) - 1


def shown(text: str) -> str:
    """Text with one kind of line break."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def units(text: str) -> int:
    """Length in UTF-16 units."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2
