from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.gauges.history import WINDOW_S, History
from app.gauges.parts import GB, MB, Kind, parts_of, size_text, used_bytes, widths_px
from engine.trace.events import MemorySample

sizes = st.integers(0, 64 * GB)


@st.composite
def samples(draw: st.DrawFn) -> MemorySample:
    return MemorySample(
        t_s=0.0,
        machine_bytes=draw(sizes),
        available_bytes=draw(sizes),
        process_bytes=draw(sizes),
        active_bytes=draw(sizes),
        allocator_bytes=draw(sizes),
        peak_bytes=draw(sizes),
        target_weights_bytes=draw(sizes),
        drafter_weights_bytes=draw(sizes),
        kv_bytes=draw(sizes),
        drafter_state_bytes=draw(sizes),
    )


@given(samples())
def test_parts_sum_to_the_machine_and_are_never_negative(sample: MemorySample):
    parts = parts_of(sample)
    assert [part.kind for part in parts] == list(Kind)
    assert sum(part.size_bytes for part in parts) == sample.machine_bytes
    assert all(part.size_bytes >= 0 for part in parts)
    assert used_bytes(parts) + parts[-1].size_bytes == sample.machine_bytes


def test_parts_of_a_consistent_sample_are_what_was_measured():
    sample = MemorySample(
        t_s=0.0,
        machine_bytes=16 * GB,
        available_bytes=10 * GB,
        process_bytes=3 * GB,
        active_bytes=2 * GB,
        allocator_bytes=512 * MB,
        peak_bytes=2 * GB,
        target_weights_bytes=800 * MB,
        drafter_weights_bytes=200 * MB,
        kv_bytes=300 * MB,
        drafter_state_bytes=50 * MB,
    )
    sizes_mb = {part.kind: part.size_bytes / MB for part in parts_of(sample)}
    assert sizes_mb == {
        Kind.TARGET: 800,
        Kind.DRAFTER: 200,
        Kind.CACHES: 300,
        Kind.DRAFTER_STATE: 50,
        Kind.ENGINE: 3072 - 1350 - 512,
        Kind.ALLOCATOR: 512,
        Kind.OTHERS: 3072,
        Kind.FREE: 10240,
    }


@given(samples(), st.floats(40, 2000))
def test_segments_fill_the_bar_and_none_vanishes(sample: MemorySample, width_px: float):
    parts = parts_of(sample)
    widths = widths_px(parts, width_px)
    if sample.machine_bytes == 0:
        assert not any(widths)
        return
    assert sum(widths) == pytest.approx(width_px)
    assert all(width >= 1.99 if part.size_bytes else width == 0 for part, width in zip(parts, widths, strict=True))


def test_sizes_in_words():
    assert size_text(int(5.14 * GB)) == "5.1 GB"
    assert size_text(int(1.72 * GB), 2) == "1.72 GB"
    assert size_text(86 * MB) == "86 MB"
    assert size_text(0) == "0 MB"
    assert size_text(int(0.11 * GB)) == "0.1 GB"


def test_history_keeps_two_minutes_and_one_sample_before():
    history = History()
    for second in range(400):
        history.add(float(second), second)
    ages = history.ages_s()
    assert ages[-1] == 0 and ages[1] >= -WINDOW_S > ages[0]
    assert history.sizes()[-1] == 399


def test_history_goes_on_when_the_clock_starts_anew():
    history = History()
    for t_s in (0.0, 5.0, 10.0, 0.0, 2.0):
        history.add(t_s, 1)
    ages = history.ages_s()
    assert ages == sorted(ages) and ages == [-13, -8, -3, -2, 0]
