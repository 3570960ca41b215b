from __future__ import annotations

import io

import pytest

from engine.process.jobs import JobCell, JobEnded, JobMessage, JobPoint, JobProgress, JobStarted, decode
from engine.process.printer import JsonPrinter, LinePrinter, clock_text

EVERY_KIND: tuple[JobMessage, ...] = (
    JobStarted(job="lab all", stages=("lossless", "profile"), out="/tmp/x"),
    JobProgress(stage="lossless", done=1, total=4, unit="prompts", per_s=0.5, seconds_left=6.0),
    JobPoint(series="loss", x=1, y=2.5),
    JobCell(table="profile", row="lookup", column="position 1", value=0.5, low=0.4, high=0.6),
    JobEnded(status="done", files=("/tmp/x/report.html",)),
)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Broken(io.StringIO):
    def write(self, text: str) -> int:
        raise BrokenPipeError


class Clock:
    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def test_json_gives_every_message_back() -> None:
    stream = io.StringIO()
    printer = JsonPrinter(stream)
    for message in EVERY_KIND:
        printer.say(message)
    assert tuple(decode(line.encode()) for line in stream.getvalue().splitlines()) == EVERY_KIND


def test_json_says_progress_seldom_and_the_end_always() -> None:
    stream, clock = io.StringIO(), Clock()
    printer = JsonPrinter(stream, clock)
    for done in range(101):
        clock.now_s = done * 0.01
        printer.say(JobProgress(stage="sweep", done=done, total=100))
    said = [decode(line.encode()) for line in stream.getvalue().splitlines()]
    assert 5 <= len(said) <= 12
    assert isinstance(said[-1], JobProgress)
    assert said[-1].done == 100


def test_reader_that_is_gone_is_noticed_and_harmless() -> None:
    printer = JsonPrinter(Broken())
    assert not printer.lost
    printer.say(EVERY_KIND[0])
    assert printer.lost
    printer.say(EVERY_KIND[1])


def test_terminal_line_is_written_over_and_cleared() -> None:
    stream, clock = Terminal(), Clock()
    printer = LinePrinter(stream, clock)
    printer.say(EVERY_KIND[1])
    assert stream.getvalue() == "\rlossless: 1 of 4 prompts, 0.5 a second, 6 s left\x1b[K"
    printer.say(EVERY_KIND[3])
    assert stream.getvalue().endswith("\r\x1b[Kprofile · lookup · position 1: 0.5 [0.4, 0.6]\n")


def test_file_gets_a_line_every_half_minute() -> None:
    stream, clock = io.StringIO(), Clock()
    printer = LinePrinter(stream, clock)
    for second in range(61):
        clock.now_s = float(second)
        printer.say(JobProgress(stage="sweep", done=second, total=600, unit="cells"))
    assert stream.getvalue().splitlines() == [f"sweep: {done} of 600 cells" for done in (0, 30, 60)]


def test_whole_stands_behind_the_stage() -> None:
    stream = Terminal()
    printer = LinePrinter(stream, Clock())
    printer.say(JobProgress(stage="sweep", done=0.25, total=1, seconds_left=120, whole=True))
    printer.say(JobProgress(stage="sweep", done=1, total=9, unit="cells"))
    assert stream.getvalue() == "\rsweep: 1 of 9 cells · all: 25 %, 2 min left\x1b[K"


def test_end_says_why_where_it_is_not_done() -> None:
    stream = io.StringIO()
    printer = LinePrinter(stream)
    printer.say(JobEnded(status="stopped", message="Stopped. What is done is kept."))
    printer.say(JobEnded(status="done"))
    assert stream.getvalue() == "Stopped. What is done is kept.\n"


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.2, "1 s"), (59.4, "59 s"), (60, "1 min"), (3599, "1 h 00 min"), (9000, "2 h 30 min")]
)
def test_clock_text(seconds: float, text: str) -> None:
    assert clock_text(seconds) == text
