from __future__ import annotations

import csv
import io
import json

import pytest

from engine.trace.export import to_csv
from engine.trace.file import Trace
from tests.engine.trace.export import sessions
from tests.engine.trace.rounds import make

COLUMNS = (
    "arm turn index t_s context_tokens requested_width width width_reason source emitted_tokens accepted "
    "corrections bonuses plain rejected_position draft_s verify_s accept_s commit_s other_s own_s split "
    "target_forwards drafter_forwards active_bytes allocator_bytes peak_bytes kv_bytes "
    "drafter_state_bytes fallback near_tie warning origins draft_ids draft_q draft_p target_ids margins "
    "emitted_ids text tree_rows"
).split()


def table(trace: Trace) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(to_csv(trace))))


def test_columns_stay_what_they_are() -> None:
    assert to_csv(sessions.empty()) == ",".join(COLUMNS) + "\n"


@pytest.mark.parametrize("name", sessions.ALL)
def test_one_line_a_round_with_its_own_numbers(name: str) -> None:
    trace = sessions.ALL[name]()
    lines = table(trace)
    rounds = sessions.rounds_of(trace)
    assert len(lines) == len(rounds)
    for line, item in zip(lines, rounds, strict=True):
        assert [int(line[key]) for key in ("turn", "index", "width")] == [item.turn, item.index, item.width]
        parts = sum(int(line[key]) for key in ("accepted", "corrections", "bonuses", "plain"))
        assert parts == int(line["emitted_tokens"]) == item.emitted_tokens
        assert float(line["own_s"]) == pytest.approx(
            item.draft_s + item.verify_s + item.accept_s + item.commit_s + item.other_s
        )
        assert json.loads(line["text"] or '""') == "".join(item.pieces)
        assert json.loads(line["draft_p"] or "[]") == list(item.draft_p)


def test_the_rejected_position_is_empty_where_nothing_was_rejected() -> None:
    lines = table(sessions.trace_of(make("aac", 4), make("aab", 2), make("aa", 4), make("p")))
    assert [line["rejected_position"] for line in lines] == ["2", "", "", ""]


def test_no_cell_is_a_formula() -> None:
    trace = sessions.trace_of(
        make("p", arm="=1+1", warning="@sum", pieces=("=cmd",)), make("p", arm="-x", pieces=("+1",))
    )
    for line in table(trace):
        assert all(not cell.startswith(("=", "+", "-", "@")) for cell in line.values())
    assert json.loads(table(trace)[0]["text"]) == "=cmd"
