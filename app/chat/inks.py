"""Where the ink of each token lies in a laid-out document: line by line, measured once a line.

Coordinates are the document's. A line that starts at the same place and is as long as before lies as before, so what
was measured stays true until the font changes; then ``forget`` is called.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from PySide6.QtGui import QTextBlock, QTextDocument, QTextLine

from app.chat.spans import Spans

MOST_LINES = 4096


@dataclass(frozen=True, slots=True)
class Ink:
    """A stretch of one line under one token."""

    number: int
    left: float
    right: float
    baseline: float


@dataclass(frozen=True, slots=True)
class Line:
    baseline: float
    stretches: list[tuple[int, float, float]]
    """Token, left, right."""


class Inks:
    def __init__(self, document: QTextDocument, spans: Spans) -> None:
        self._document, self._spans = document, spans
        self._known: dict[int, tuple[int, list[tuple[int, float, float]]]] = {}
        """By a line's first position: its length, and what lies on it."""

    def forget(self) -> None:
        self._known.clear()

    def lines(self, top: float, bottom: float) -> Iterator[Line]:
        """The lines between two heights that hold tokens."""
        block = self._block_at(top)
        layout = self._document.documentLayout()
        while block.isValid():
            corner = layout.blockBoundingRect(block).topLeft()
            if corner.y() > bottom:
                return
            text = block.layout()
            for index in range(self._line_at(block, top - corner.y()), text.lineCount()):
                line = text.lineAt(index)
                y = corner.y() + line.y()
                if y > bottom:
                    return
                stretches = self._stretches(line, block.position(), corner.x())
                if stretches:
                    yield Line(y + line.ascent(), stretches)
            block = block.next()

    def of(self, number: int) -> list[Ink]:
        """Where one token lies; on several lines where it is broken."""
        start, end = self._spans.ink_starts[number], self._spans.ink_ends[number]
        found = []
        block = self._document.findBlock(start)
        while block.isValid() and start < end:
            corner = self._document.documentLayout().blockBoundingRect(block).topLeft()
            text, place = block.layout(), block.position()
            line = text.lineForTextPosition(start - place)
            if not line.isValid():
                break
            for known, left, right in self._stretches(line, place, corner.x()):
                if known == number:
                    found.append(Ink(number, left, right, corner.y() + line.y() + line.ascent()))
            start = place + line.textStart() + line.textLength()
            if line.lineNumber() == text.lineCount() - 1:
                block = block.next()
                start = block.position()
        return found

    def _stretches(self, line: QTextLine, block_start: int, left: float) -> list[tuple[int, float, float]]:
        start, length = block_start + line.textStart(), line.textLength()
        known = self._known.get(start)
        if known is not None and known[0] == length:
            return known[1]
        spans, end = self._spans, start + length
        found: list[tuple[int, float, float]] = []
        number = max(0, bisect_right(spans.starts, start) - 1)
        # A token without text lies in front of the one that has it.
        while number > 0 and spans.starts[number] == start:
            number -= 1
        while number < len(spans) and spans.starts[number] < end:
            first, last = max(start, spans.ink_starts[number]), min(end, spans.ink_ends[number])
            if first < last:
                x0, x1 = x_at(line, first - block_start), x_at(line, last - block_start)
                found.append((number, left + min(x0, x1), left + max(x0, x1)))
            number += 1
        if len(self._known) >= MOST_LINES:
            self._known.clear()
        self._known[start] = (length, found)
        return found

    def _block_at(self, y: float) -> QTextBlock:
        """The block at a height, by halving."""
        layout, low, high = self._document.documentLayout(), 0, self._document.blockCount() - 1
        while low < high:
            middle = (low + high + 1) // 2
            if layout.blockBoundingRect(self._document.findBlockByNumber(middle)).top() <= y:
                low = middle
            else:
                high = middle - 1
        return self._document.findBlockByNumber(low)

    @staticmethod
    def _line_at(block: QTextBlock, y: float) -> int:
        text, low = block.layout(), 0
        high = text.lineCount() - 1
        while low < high:
            middle = (low + high + 1) // 2
            if text.lineAt(middle).y() <= y:
                low = middle
            else:
                high = middle - 1
        return max(0, low)


def x_at(line: QTextLine, place: int) -> float:
    # The call gives the place that was reached as well, which its type does not say.
    x: float = line.cursorToX(place)[0]  # type: ignore[index]
    return x
