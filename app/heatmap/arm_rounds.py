"""The rounds of one arm as the heatmap holds them: appended in order, found by turn and index, tallied as they come."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field

from engine.trace.events import Round
from engine.trace.metrics import Tally
from engine.trace.of_round import accepted_of


@dataclass(slots=True)
class ArmRounds:
    name: str
    columns: int
    """Most drafts a round can hold; grows if a round holds more."""
    scheme_label: str = ""
    title: str = ""
    rounds: list[Round] = field(default_factory=list)
    accepted: array[int] = field(default_factory=lambda: array("H"))
    """Drafts of each row that became text, for the overview."""
    tally: Tally = field(default_factory=Tally)
    rows: dict[tuple[int, int], int] = field(default_factory=dict)
    """Row by turn and round index."""

    def add(self, round_: Round) -> None:
        self.rows[round_.turn, round_.index] = len(self.rounds)
        self.rounds.append(round_)
        self.accepted.append(accepted_of(round_))
        self.columns = max(self.columns, round_.width)
        self.tally.add(round_)

    def row_of(self, round_index: int, turn: int | None) -> int | None:
        """Row of a round; without a turn, of the newest turn that has it."""
        if turn is not None:
            return self.rows.get((turn, round_index))
        if self.rounds and (newest := self.rows.get((self.rounds[-1].turn, round_index))) is not None:
            return newest
        found = [row for (_, index), row in self.rows.items() if index == round_index]
        return max(found, default=None)
