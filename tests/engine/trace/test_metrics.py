from __future__ import annotations

import random
import statistics
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from engine.trace.events import Finished, Prefill, Round, Started
from engine.trace.file import read
from engine.trace.metrics import Metrics, Tally, differs, macro_mean, measure, summary
from engine.trace.session import by_arm, events_of, group
from tests.engine.trace.naive import numbers
from tests.engine.trace.rounds import drawn_rounds, make

GOLDEN = Path(__file__).parents[2] / "golden" / "session.slipstream"
DESIGN_NAMES = {
    "tokens_per_s", "time_to_first_token_s", "tokens_per_forward", "target_forwards", "drafter_forwards", "drafted",
    "accepted", "corrections", "bonuses", "plain", "accepted_by_position", "drafted_by_position", "draft_share",
    "peak_bytes",
}  # fmt: skip


def assert_same(metrics: Metrics, expected: dict[str, Any]) -> None:
    for name, value in expected.items():
        assert getattr(metrics, name) == pytest.approx(value), name


@settings(max_examples=150, deadline=None)
@given(drawn_rounds())
def test_tally_equals_definitions_after_every_round(rounds: list[Round]) -> None:
    tally = Tally()
    for count, item in enumerate(rounds, start=1):
        tally.add(item)
        assert_same(tally.metrics(), numbers(rounds[:count]))
    assert measure(rounds) == tally.metrics()


@settings(max_examples=150, deadline=None)
@given(drawn_rounds())
def test_counts_add_up_to_the_coloured_text(rounds: list[Round]) -> None:
    m = measure(rounds)
    assert m.emitted == m.accepted + m.corrections + m.bonuses + m.plain == sum(r.emitted_tokens for r in rounds)
    assert sum(m.rejected_by_position) == m.corrections
    assert sum(m.accepted_by_position) == m.accepted
    assert sum(m.drafted_by_position) == m.drafted
    assert sum(m.accepted_length_histogram) == m.drafting_rounds
    assert sum(counts.accepted for counts in m.by_source.values()) == m.accepted
    assert all(earlier >= later for earlier, later in pairwise(m.reached_by_position))


@pytest.mark.parametrize("arm", ["baseline", "lookup"])
def test_recorded_session_equals_definitions(arm: str) -> None:
    for turns in [by_arm(group(read(GOLDEN).events))[arm]]:
        rounds = [item for entry in turns for item in entry.rounds]
        expected = numbers(rounds)
        firsts = [entry.finished.time_to_first_token_s for entry in turns if entry.finished]
        expected["time_to_first_token_s"] = sum(firsts) / len(firsts)
        assert_same(measure(event for entry in turns for event in events_of(entry)), expected)
        assert len(rounds) > 10


def test_survival_is_the_product_of_conditionals_where_widths_agree() -> None:
    m = measure([make("c", 3), make("aac", 3), make("aaab", 3), make("aaab", 3), make("ac", 3)])
    product = 1.0
    for alpha, survival in zip(m.conditional_by_position, m.survival_by_position, strict=True):
        assert alpha is not None
        product *= alpha
        assert survival == pytest.approx(product)
    assert m.survival_by_position == [4 / 5, 3 / 5, 2 / 5]
    assert m.conditional_by_position == [4 / 5, 3 / 4, 2 / 3]
    assert m.reached_by_position == [5, 4, 3]


def test_a_cut_block_neither_keeps_nor_rejects_what_lies_behind_the_cut() -> None:
    m = measure([make("aa", 5)])
    assert m.accepted_by_position == [1, 1, 0, 0, 0]
    assert m.reached_by_position == [1, 1, 0, 0, 0]
    assert m.rejected_by_position == [0, 0, 0, 0, 0]
    assert m.conditional_by_position == [1, 1, None, None, None]
    assert (m.rollbacks, m.wasted_share, m.emitted) == (1, 3 / 5, 2)


def test_origins_are_the_truth_where_a_cut_hides_kept_drafts() -> None:
    assert measure([make("aa", 5, accepted=4)]).accepted == 2


def test_of_a_tree_all_drafts_count_and_its_way_stands_for_positions() -> None:
    found = measure([make("aac", width=3, tree_rows=9), make("ab", width=1)])
    assert (found.drafted, found.accepted, found.draft_acceptance_rate) == (9, 3, 3 / 9)
    assert found.drafted_by_position == [2, 1, 1]
    assert found.accepted_by_position == [2, 1, 0]
    assert found.rollbacks == 1 and found.by_source["lookup"].drafted == 9


def test_round_zero_counts_as_a_forward_but_not_as_decoding() -> None:
    m = measure([make("p", index=0, verify_s=9.0), make("aab", 2, verify_s=0.5)])
    assert m.tokens_per_forward == 2
    assert m.tokens_per_s == pytest.approx(6)
    assert m.time_to_first_token_s == pytest.approx(9)


def test_drafts_timed_apart_stand_for_those_that_were_not() -> None:
    apart = make("c", 2, draft_s=0.1, verify_s=0.3)
    together = make("c", 2, draft_s=0.001, verify_s=0.399, split=False)
    assert measure([apart, together]).draft_share == pytest.approx(0.25)
    assert measure([apart, *[together] * 7]).draft_share == pytest.approx(0.25)
    assert measure([together]).draft_share is None


def test_of_a_composite_each_drafter_stands_for_its_own_rounds_alone() -> None:
    # Look-ups are always timed apart and cost next to nothing; of the model's rounds one in eight is.
    looked_up = make("c", 2, draft_s=0.0, verify_s=0.3, source="lookup")
    apart = make("c", 2, draft_s=0.1, verify_s=0.3, source="model")
    together = make("c", 2, draft_s=0.0, verify_s=0.4, split=False, source="model")
    m = measure([*[looked_up] * 8, apart, *[together] * 7])
    assert m.draft_share == pytest.approx(8 * 0.1 / (8 * 0.3 + 8 * 0.4))
    assert m.split_rounds == 9
    assert measure([looked_up, together]).draft_share is None


def test_tau_with_and_without_the_targets_own_token() -> None:
    m = measure([make("p", index=0), make("aac", 4), make("p"), make("c", 4)])
    assert (m.mean_accepted_length, m.mean_accepted_drafts) == (2, 1)


def test_first_token_time_prefers_what_the_arm_reported() -> None:
    prefill = Prefill(arm="spec", turn=0, t_s=1, processed_tokens=9, total_tokens=9, prefill_s=0.4)
    first = make("p", index=0, verify_s=0.1)
    assert measure([prefill, first]).time_to_first_token_s == pytest.approx(0.5)
    end = Finished(arm="spec", turn=0, t_s=2, reason="stop", output_tokens=1, time_to_first_token_s=0.45)
    assert measure([prefill, first, end]).time_to_first_token_s == pytest.approx(0.45)
    silent = Finished(arm="spec", turn=0, t_s=2, reason="cancelled", output_tokens=0)
    assert measure([prefill, silent]).time_to_first_token_s is None


def test_nothing_gives_unknown_not_zero() -> None:
    m = measure([])
    assert m.emitted == 0
    assert [m.tokens_per_s, m.tokens_per_forward, m.draft_acceptance_rate, m.mean_accepted_length] == [None] * 4


def test_pooled_differs_from_the_mean_of_turns() -> None:
    long = [make("aaab", 3, turn=0) for _ in range(9)]
    short = [make("c", 3, turn=1)]
    rates = [measure(part).draft_acceptance_rate for part in (long, short)]
    assert macro_mean(rates) == pytest.approx(0.5)
    assert measure(long + short).draft_acceptance_rate == pytest.approx(0.9)
    assert macro_mean([None, None]) is None
    assert macro_mean([None, 3.0]) == 3


def test_prompt_counts_come_from_started() -> None:
    started = next(event for event in read(GOLDEN).events if isinstance(event, Started))
    m = measure([started])
    assert (m.prompt_tokens, m.cached_tokens) == (started.prompt_tokens, started.cached_tokens)


def test_summary_has_the_stable_names_and_the_metrics_values() -> None:
    m = measure([make("p", index=0), make("aab", 2, peak_bytes=7)])
    printed = summary(m)
    assert set(printed) >= DESIGN_NAMES
    assert printed == {name: getattr(m, name) for name in printed}
    assert printed["peak_bytes"] == 7


def test_the_spread_of_a_speed_is_that_of_its_rounds() -> None:
    """Against repeated draws: the error given for one run is how far such runs really scatter."""
    source = random.Random(3)

    def run(count: int, mean_s: float = 0.02) -> Metrics:
        rounds = []
        for index in range(count):
            kept = 0 if index == 0 else source.choice((0, 1, 3))
            rounds.append(
                Round(
                    arm="a",
                    turn=0,
                    index=index,
                    t_s=0.0,
                    context_tokens=index,
                    requested_width=3,
                    width=3,
                    accepted=kept,
                    emitted_tokens=kept + 1,
                    origins=(*(("accepted",) * kept), "correction" if kept < 3 else "bonus"),
                    verify_s=source.uniform(0.5 * mean_s, 1.5 * mean_s),
                )
            )
        return measure(rounds)

    runs = [run(200) for _ in range(300)]
    speeds = [each.tokens_per_s or 0.0 for each in runs]
    scatter = statistics.stdev(speeds) / statistics.mean(speeds)
    told = statistics.mean(each.tokens_per_s_error or 0.0 for each in runs)
    assert told == pytest.approx(scatter, rel=0.15)
    alike = [differs(left, right) for left, right in zip(runs[::2], runs[1::2], strict=True)]
    assert sum(alike) / len(alike) < 0.12, "two runs of one thing seldom differ"
    assert all(differs(run(200), run(200, mean_s=0.03)) for _ in range(30)), "half as slow again is seen"
    assert measure([]).tokens_per_s_error is None and not differs(measure([]), runs[0])
