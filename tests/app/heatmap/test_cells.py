from __future__ import annotations

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from app.heatmap.cells import Outcome, outcome
from app.heatmap.geometry import fit_columns, labels_every
from app.heatmap.overview import line_shares
from app.heatmap.wording import MOST_BESIDE, cell_html, cell_sentence, facts, reason_text, share, visible
from engine.trace.metrics import measure
from tests.app.heatmap.rounds import make_round, many_rounds

A, R, N, C, X = (Outcome.ACCEPTED, Outcome.REJECTED, Outcome.NEVER_REACHED, Outcome.CUT, Outcome.NOT_DRAFTED)


def row(round_) -> list[Outcome]:
    return [outcome(round_, position) for position in range(1, 8)]


def test_outcomes_of_whole_blocks():
    assert row(make_round(1, 0)) == [R, N, N, N, N, N, N]
    assert row(make_round(1, 3)) == [A, A, A, R, N, N, N]
    assert row(make_round(1, 7)) == [A] * 7
    assert row(make_round(1, 2, 4)) == [A, A, R, N, X, X, X]
    assert row(make_round(1, 0, 0)) == [X] * 7


def test_outcomes_behind_a_cut_are_neither_accepted_nor_rejected():
    assert row(make_round(1, 5, emitted=2)) == [A, A, C, C, C, C, N]
    assert row(make_round(1, 3, emitted=3)) == [A, A, A, C, N, N, N]
    assert row(make_round(1, 7, emitted=7)) == [A] * 7


@given(st.integers(0, 7), st.integers(0, 7), st.integers(1, 8))
def test_accepted_cells_are_the_accepted_tokens(width: int, accepted: int, emitted: int):
    accepted = min(accepted, width)
    emitted = min(emitted, accepted + 1)
    round_ = make_round(1, accepted, width, emitted=emitted)
    cells = row(round_)
    assert cells.count(A) == round_.origins.count("accepted")
    assert cells.count(R) == round_.origins.count("correction")
    assert cells.count(X) == 7 - width


def test_cells_and_metrics_count_alike():
    rounds = many_rounds(300)
    metrics = measure(rounds)
    for position in range(1, 8):
        cells = [outcome(round_, position) for round_ in rounds]
        assert metrics.accepted_by_position[position - 1] == cells.count(A)
        assert metrics.reached_by_position[position - 1] == cells.count(A) + cells.count(R)


def test_columns_hit_what_they_draw():
    for count, width_px in ((7, 300), (15, 230), (31, 300), (1, 300)):
        columns = fit_columns(count, width_px, 30)
        for position in range(1, count + 1):
            assert columns.position_at(columns.x_px(position) + columns.cell_px() / 2) == position
        assert columns.x_px(count) + columns.pitch_px <= width_px + 0.01
        assert columns.position_at(columns.left_px - 1) is None
        assert columns.position_at(columns.x_px(count) + columns.pitch_px + 1) is None


def test_labels_are_thinned_until_they_fit():
    assert labels_every(36, 24) == 1
    assert labels_every(10, 24) == 3


@given(st.lists(st.integers(0, 7), min_size=1, max_size=400), st.integers(1, 60))
def test_overview_lines_are_means(accepted: list[int], lines: int):
    import numpy

    lines = min(lines, len(accepted))
    shares = line_shares(numpy.array(accepted, dtype=numpy.uint16), 7, lines)
    assert len(shares) == lines
    assert min(accepted) / 7 - 1e-9 <= shares.min() <= shares.max() <= max(accepted) / 7 + 1e-9
    if len(accepted) % lines == 0:
        assert abs(shares.mean() - sum(accepted) / len(accepted) / 7) < 1e-9


def test_overview_of_few_rounds_repeats_them():
    import numpy

    assert line_shares(numpy.array([7, 0], dtype=numpy.uint16), 7, 4).tolist() == [1, 1, 0, 0]


def test_hover_text_names_everything_and_escapes_tokens():
    html = cell_html(make_round(41, 2, reason="no match", width=4), 3)
    for part in ("41", "rejected", "␣d3", "&lt;t3&gt;", "0.125", "0.500", "1.25", "look-up", "4 of 7", "no match"):
        assert part in html, part
    assert "<t3>" not in html
    sentence = cell_sentence(make_round(41, 2), 7)
    assert "Round 41" in sentence and "never reached" in sentence


def test_hover_text_names_what_else_a_tree_drafted():
    plain = make_round(41, 2, width=3, reason="tree")
    assert "Also drafted" not in cell_html(plain, 1) and "Rows of the tree" not in cell_html(plain, 1)
    many = tuple(f" m{k}" for k in range(MOST_BESIDE + 1))
    round_ = msgspec.structs.replace(plain, tree_rows=12, sibling_texts=((" <b>", "a\n"), (), many))
    said = dict(facts(round_, 1))
    assert said["Also drafted"] == "“␣<b>” · “a⏎”" and said["Rows of the tree"] == "12"
    assert said["Because"] == "rows were spent on branches"
    assert "&lt;b&gt;" in cell_html(round_, 1) and "Also drafted" in cell_sentence(round_, 1)
    assert "Also drafted" not in dict(facts(round_, 2))
    assert dict(facts(round_, 3))["Also drafted"].split(" · ") == [visible(text) for text in many[:MOST_BESIDE]]
    assert "Also drafted" not in dict(facts(round_, 4)), "nothing was drafted there"
    without_texts = msgspec.structs.replace(round_, sibling_texts=())
    assert "Also drafted" not in dict(facts(without_texts, 1)) and dict(facts(without_texts, 1))["Rows of the tree"]


def test_a_reason_is_said_in_words():
    for reason in ("no match", "drafter", "max tokens", "context", "fallback", "confidence", "tree"):
        assert reason_text(reason) != reason
    assert reason_text("something new") == "something new"


def test_small_texts():
    assert [share(value) for value in (0.814, 1.0, 0.996, 0.0)] == [".81", "1.0", "1.0", ".00"]
    assert visible(" a\n") == "“␣a⏎”"
