from __future__ import annotations

from engine.trace.events import Failed, Finished, MemorySample
from engine.trace.session import by_arm, ending_of, events_of, group, has_ids, ids_of, memory, text_of, turn_numbers
from tests.engine.trace.rounds import make

SAMPLE = MemorySample(
    t_s=1, machine_bytes=8, available_bytes=4, process_bytes=2, active_bytes=1, allocator_bytes=0, peak_bytes=1
)
END = Finished(arm="a", turn=0, t_s=3, reason="stop", tail="!", output_tokens=2)


def test_interleaved_events_fall_into_their_turns() -> None:
    events = [make(arm="a", index=0), make(arm="b", index=0), SAMPLE, make(arm="a"), make(arm="b", turn=1), END]
    turns = group(events)
    assert [(entry.arm, entry.turn, len(entry.rounds)) for entry in turns] == [("a", 0, 2), ("b", 0, 1), ("b", 1, 1)]
    assert list(by_arm(turns)) == ["a", "b"]
    assert turn_numbers(turns) == [0, 1]
    assert memory(events) == [SAMPLE]
    assert events_of(turns[0]) == [events[0], events[3], END]
    assert (text_of(turns[0]), ids_of(turns[0])) == (" w10 w10!", [10, 10])


def test_an_ending_is_a_reason_or_a_failure_or_nothing_yet() -> None:
    broken = Failed(arm="a", turn=0, t_s=1, message="out of memory")
    assert [ending_of(group(events)[0]) for events in ([make(arm="a")], [END], [broken])] == ["", "stop", "failed"]


def test_left_out_ids_are_noticed() -> None:
    assert has_ids(group([make("ac", 2)])[0])
    assert not has_ids(group([make("ac", 2, emitted_ids=(), emitted_tokens=2)])[0])
