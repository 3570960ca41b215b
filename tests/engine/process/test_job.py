from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from engine.process.job import Job
from engine.process.jobs import JobCell, JobMessage, JobProgress, JobStarted


class Heard:
    def __init__(self) -> None:
        self.lost = False
        self.messages: list[JobMessage] = []

    def say(self, message: JobMessage) -> None:
        self.messages.append(message)


class Clock:
    now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def test_time_left_follows_the_pace_since_the_first_report() -> None:
    heard, clock = Heard(), Clock()
    job = Job(heard, clock=clock)
    job.progress("profile", 2, 12, "prompts")
    clock.now_s = 10.0
    job.progress("profile", 4, 12, "prompts")
    first, second = heard.messages
    assert isinstance(first, JobProgress)
    assert isinstance(second, JobProgress)
    assert first.seconds_left is None
    assert second.per_s == pytest.approx(0.2)
    assert second.seconds_left == pytest.approx(40.0)


def test_stages_have_clocks_of_their_own_and_start_again() -> None:
    heard, clock = Heard(), Clock()
    job = Job(heard, clock=clock)
    job.progress("profile", 0, 10)
    clock.now_s = 100.0
    job.progress("sweep", 0, 10)
    job.progress("profile", 0, 0)
    clock.now_s = 102.0
    job.progress("sweep", 1, 10)
    last = heard.messages[-1]
    assert isinstance(last, JobProgress)
    assert last.seconds_left == pytest.approx(18.0)
    unknown = heard.messages[2]
    assert isinstance(unknown, JobProgress)
    assert unknown.seconds_left is None


def test_traces_of_a_cell_are_absolute(tmp_path: Path) -> None:
    heard = Heard()
    Job(heard, out=tmp_path).cell("sweep", "block", "5", 1.5, traces=["traces/a.slipstream"])
    (cell,) = heard.messages
    assert isinstance(cell, JobCell)
    assert cell.traces == (str(tmp_path / "traces/a.slipstream"),)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signal_asks_to_stop_and_handlers_come_back(number: int) -> None:
    before = signal.getsignal(number)
    heard = Heard()
    with Job(heard, "lab all", ("lossless",)) as job:
        assert not job.cancelled()
        os.kill(os.getpid(), number)
        assert job.cancelled()
    assert signal.getsignal(number) is before
    assert isinstance(heard.messages[0], JobStarted)


def test_second_interrupt_stops_where_it_stands() -> None:
    with pytest.raises(KeyboardInterrupt), Job(Heard()) as job:
        os.kill(os.getpid(), signal.SIGINT)
        assert job.cancelled()
        os.kill(os.getpid(), signal.SIGINT)


def test_reader_that_is_gone_stops_the_job() -> None:
    heard = Heard()
    job = Job(heard)
    heard.lost = True
    assert job.cancelled()
