from __future__ import annotations

from msgspec.structs import replace

from engine.trace.diff import diff, shown
from engine.trace.events import Arm, Round, Settings
from engine.trace.file import Trace
from tests.engine.trace.export import sessions
from tests.engine.trace.rounds import greedy, make


def test_a_trace_is_the_same_as_itself() -> None:
    difference = diff(sessions.golden(), sessions.golden())
    assert difference.is_same and not difference.changes and not difference.figures
    assert [(turn.arm, turn.turn) for turn in difference.turns] == [
        ("baseline", 0), ("baseline", 1), ("lookup", 0), ("lookup", 1)
    ]  # fmt: skip


def test_slower_is_listed_but_not_another_text() -> None:
    trace = sessions.golden()
    slow = [replace(e, verify_s=e.verify_s * 2) if isinstance(e, Round) else e for e in trace.events]
    difference = diff(trace, Trace(header=trace.header, events=tuple(slow)))
    assert difference.is_same
    names = {change.name for change in difference.figures}
    assert "tokens_per_s" in names and "accepted" not in names
    assert all(change.second.endswith("×)") for change in difference.figures)


def test_the_first_token_that_differs_is_named() -> None:
    one = sessions.trace_of(*greedy([1, 2, 3, 4]))
    two = sessions.trace_of(*greedy([1, 2, 7, 4]))
    (turn,) = diff(one, two).turns
    assert (turn.index, turn.tokens, turn.first, turn.second) == (2, 2, '3 " w3"', '7 " w7"')
    (turn,) = diff(one, sessions.trace_of(*greedy([1, 2]))).turns
    assert (turn.index, turn.first, turn.second) == (2, '3 " w3"', "(ended)")


def test_blocks_may_differ_where_the_ids_do_not() -> None:
    blocks = sessions.trace_of(make("aab", 2, arm="base", emitted_ids=(1, 2, 3)))
    difference = diff(sessions.trace_of(*greedy([1, 2, 3])), blocks)
    assert difference.is_same
    assert {"target_forwards", "accepted"} <= {change.name for change in difference.figures}


def test_settings_models_prompts_and_machine_that_differ_are_named() -> None:
    quick = Arm(name="spec", settings=Settings(block=5))
    one = sessions.trace_of(sessions.started("spec", prompt="a"), app="slipstream 1")
    two = sessions.trace_of(sessions.started("spec", prompt="b\x1b", spec=quick), app="slipstream 2")
    found = {(change.where, change.name): (change.first, change.second) for change in diff(one, two).changes}
    assert found == {
        ("trace", "app"): ("slipstream 1", "slipstream 2"),
        ("arm spec", "drafter"): ('"lookup"', '"none"'),
        ("arm spec", "settings.block"): ("8", "5"),
        ("arm spec, turn 1", "prompt"): ('"a"', '"b\\u001b"'),
    }


def test_an_arm_or_turn_that_only_one_has_is_a_difference() -> None:
    one = sessions.trace_of(*greedy([1]))
    both = sessions.trace_of(*greedy([1]), *greedy([1], arm="spec"))
    assert not diff(one, both).is_same and not diff(both, one).is_same
    assert "arm spec" in {change.where for change in diff(one, both).changes}


def test_left_out_ids_are_not_taken_for_equal() -> None:
    difference = diff(sessions.golden(), sessions.silent())
    assert not difference.is_same and all(turn.unknown for turn in difference.turns)


def test_nothing_is_not_the_same_as_nothing() -> None:
    assert not diff(sessions.empty(), sessions.empty()).is_same


def test_values_are_shown_on_one_short_line() -> None:
    assert shown("a\nb") == '"a\\nb"'
    assert len(shown("x" * 500)) == 60
    assert shown(["\u202e"]) == '["\\u202e"]'
