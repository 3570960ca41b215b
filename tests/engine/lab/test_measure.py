from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from itertools import zip_longest
from pathlib import Path

import pytest
from msgspec.structs import replace

from engine.lab.evidence import evidence, pairs, read_traces, speedup
from engine.lab.measure import Batch, Cell, Glance, Pace, measure, trace_name
from engine.lab.plan import Sample
from engine.lab.result import LabError
from engine.models.errors import ModelError
from engine.race import paced
from engine.session import ArmState
from engine.trace.events import Arm, Event, Finished, Round, Settings, Started
from tests.engine.helpers import Scripted
from tests.engine.lab.planted import Heard, answer, baseline, drafting, trace
from tests.tiny import tiny_target

SAMPLES = tuple(
    Sample(name=name, prompt=prompt, length="short", task="open", language="en", format="plain")
    for name, prompt in (
        ("one", "THE QUICK BROWN FOX"),
        ("two", "JUMPS OVER IT"),
        ("three", "A LAZY DOG"),
        ("four", "ENDS"),
    )
)
ARMS = (
    Arm(name="baseline", settings=Settings(max_tokens=24)),
    Arm(name="spec", drafter="lookup", settings=Settings(max_tokens=24, block=4)),
)


def opener(arms: object) -> list[ArmState]:
    target = tiny_target()
    return [
        ArmState(arm, target, Scripted(lambda text, width: [text[-1]] * width) if arm.drafter != "none" else None, None)
        for arm in arms  # type: ignore[attr-defined]
    ]


def batch(samples: tuple[Sample, ...] = SAMPLES) -> Batch:
    return Batch(ARMS, (Cell("both", ("baseline", "spec"), {"axis": "none"}),), samples)


# The order


def run_of(arm: Arm, alpha: tuple[float, ...] = (), seed: int = 0) -> list[Event]:
    return answer(arm, "s", {}, alpha=alpha, seed=seed)


def test_arms_go_a_b_b_a_where_they_are_equally_far() -> None:
    runs = [iter(run_of(Arm(name=name))) for name in ("a", "b")]
    names = "".join(event.arm for event in paced(runs))  # type: ignore[union-attr]
    assert names.startswith("abbaabba")
    again = [iter(run_of(Arm(name=name))) for name in ("a", "b")]
    assert "".join(event.arm for event in paced(again, backwards=True)).startswith("baab")  # type: ignore[union-attr]


def test_all_arms_write_the_same_part_at_the_same_time() -> None:
    runs = [iter(run_of(baseline())), iter(run_of(drafting(), (0.8,) * 7))]
    tokens = {"baseline": 0, "spec": 0}
    for event in paced(runs):
        if isinstance(event, Round):
            tokens[event.arm] += event.emitted_tokens
            assert abs(tokens["baseline"] - tokens["spec"]) <= 8
    assert tokens == {"baseline": 120, "spec": 120}


# Drift


class Drifting:
    """A machine on which all that runs later is slower; arms run in the order they are asked."""

    def __init__(self, drift: Callable[[float], float], whole_s: float) -> None:
        self.now_s, self.drift, self.whole_s = 0.0, drift, whole_s

    def run(self, arm: Arm, alpha: tuple[float, ...], cost_s: float, turn: int, seed: int) -> Iterator[Event]:
        for event in answer(
            arm, f"sample {turn}", {"cell": "c"}, alpha=alpha, seed=seed, turn=turn, cost=lambda _: cost_s
        ):
            if isinstance(event, Round):
                took = event.verify_s * self.drift(self.now_s / self.whole_s)
                self.now_s += took
                event = replace(event, verify_s=took)
            yield event


DRIFTS: dict[str, Callable[[float], float]] = {
    "ramp": lambda x: 1 + 0.2 * min(x, 1.0),
    "cooling": lambda x: 1.2 - 0.2 * min(x, 1.0),
    "step": lambda x: 1.2 if x > 0.43 else 1.0,
    "saw": lambda x: 1 + 0.2 * ((x * 3) % 1.0),
}


def ratio(drift: Callable[[float], float], order: str, turns: int = 4) -> float:
    """Speed-up measured on the drifting machine; tokens a round are the truth's, so only time can be off."""
    plain, spec = baseline(), drafting()
    whole_s = turns * (120 * 0.1 + 40 * 0.13 * 3)
    drifting = Drifting(drift, whole_s)
    events: list[Event] = []
    for turn in range(turns):
        runs = [drifting.run(plain, (), 0.1, turn, turn), drifting.run(spec, (0.8,) * 3, 0.13, turn, turn)]
        if order == "sequential":
            events += [event for run in runs for event in run]
        elif order == "by turns":
            pairs_of = zip_longest(*runs)
            events += [event for pair in pairs_of for event in pair if event is not None]
        else:
            events += paced(runs, backwards=bool(turn % 2))
    found = evidence([trace(events)]).answers
    return speedup(*pairs(found, "spec", "baseline")).value or 0.0


@pytest.mark.parametrize("name", DRIFTS)
def test_a_drift_of_a_fifth_moves_the_ratio_by_less_than_two_in_a_hundred(name: str) -> None:
    truth = ratio(lambda _: 1.0, "interleaved")
    assert ratio(DRIFTS[name], "interleaved") == pytest.approx(truth, rel=0.02)


@pytest.mark.parametrize("name", ["ramp", "step"])
def test_a_single_sample_is_enough_for_that(name: str) -> None:
    truth = ratio(lambda _: 1.0, "interleaved", turns=1)
    assert ratio(DRIFTS[name], "interleaved", turns=1) == pytest.approx(truth, rel=0.02)


@pytest.mark.parametrize("order", ["sequential", "by turns"])
def test_other_orders_would_be_off_by_more(order: str) -> None:
    # By turns alone, the arm that needs fewer rounds is done while the machine is still fresh.
    truth = ratio(lambda _: 1.0, order, turns=1)
    assert abs(ratio(DRIFTS["ramp"], order, turns=1) / truth - 1) > 0.04


# Running


def test_a_cell_has_all_samples_as_turns_and_says_what_it_is(tmp_path: Path) -> None:
    measured = measure("lab", [batch()], tmp_path, Heard(), opener)
    assert measured.traces == (trace_name("lab", "both"),)
    assert measured.samples == 4 and not measured.stopped
    (found,) = read_traces(tmp_path, measured.traces)
    starts = [event for event in found.events if isinstance(event, Started)]
    assert [(s.turn, s.labels["sample"]) for s in starts[::2]] == [(0, "one"), (1, "two"), (2, "three"), (3, "four")]
    assert starts[0].labels == {
        "sample": "one", "task": "open", "language": "en", "format": "plain", "length": "short", "axis": "none",
        "cell": "both",
    }  # fmt: skip
    assert all(start.cached_tokens == 0 for start in starts)
    assert [s.arm for s in starts] == ["baseline", "spec", "spec", "baseline", "baseline", "spec", "spec", "baseline"]


def test_arms_of_a_cell_write_the_same_text(tmp_path: Path) -> None:
    measured = measure("lab", [batch()], tmp_path, Heard(), opener)
    found = evidence(read_traces(tmp_path, measured.traces))
    mine, theirs = pairs(found.answers, "spec", "baseline")
    assert len(mine) == 4
    for a, b in zip(mine, theirs, strict=True):
        ids = [[i for r in x.turn.rounds for i in r.emitted_ids] for x in (a, b)]
        assert ids[0] == ids[1]


def test_every_sample_may_have_a_trace_of_its_own(tmp_path: Path) -> None:
    wanted = Batch(ARMS, (Cell("{sample}", ("baseline", "spec")),), SAMPLES[:2])
    measured = measure("lab", [wanted], tmp_path, Heard(), opener)
    assert measured.traces == ("traces/lab-one.slipstream", "traces/lab-two.slipstream")
    assert sorted(path.name for path in (tmp_path / "traces").iterdir()) == ["lab-one.slipstream", "lab-two.slipstream"]


def test_cells_share_a_baseline(tmp_path: Path) -> None:
    other = Arm(name="wide", drafter="lookup", settings=Settings(max_tokens=24, block=6))
    wanted = Batch((*ARMS, other), (Cell("a", ("baseline", "spec")), Cell("b", ("baseline", "wide"))), SAMPLES[:1])
    measured = measure("lab", [wanted], tmp_path, Heard(), opener)
    names = [
        {event.arm for event in t.events if isinstance(event, Round)} for t in read_traces(tmp_path, measured.traces)
    ]
    assert names == [{"baseline", "spec"}, {"baseline", "wide"}]


def test_cancel_keeps_what_is_done(tmp_path: Path) -> None:
    whole = Heard()
    measure("lab", [batch()], tmp_path / "whole", whole, opener)
    measured = measure("lab", [batch()], tmp_path, Heard(stop_after=int(whole.asked * 0.6)), opener)
    assert measured.stopped and 1 <= measured.samples < 4
    found = evidence(read_traces(tmp_path, measured.traces))
    assert len({a.sample for a in found.answers}) == measured.samples
    assert {item["sample"] for item in found.unfinished} <= {SAMPLES[measured.samples].name}


def test_time_that_is_spent_ends_the_work_with_whole_samples(tmp_path: Path) -> None:
    measured = measure("lab", [batch()], tmp_path, Heard(), opener, seconds=0)
    assert measured.samples == 1 and not measured.stopped
    assert not evidence(read_traces(tmp_path, measured.traces)).unfinished


@pytest.mark.parametrize(
    ("sample_s", "seconds", "samples"),
    [(10, 100, 10), (10, 45, 4), (10, 20, 3), (10, 14, 2), (10, 1, 1)],
)
def test_as_many_samples_as_fit_and_three_where_they_fit_in_twice_the_time(
    sample_s: float, seconds: float, samples: int
) -> None:
    now = [0.0]
    pace = Pace(seconds, lambda: now[0])
    done = 0
    while pace.room():
        now[0] += sample_s
        done += 1
        pace.sample()
    assert done == samples


def test_steps_that_fit_follow_from_the_pace() -> None:
    now = [0.0]
    pace = Pace(100.0, lambda: now[0])
    assert pace.total(0, 12) == 12
    now[0] = 50.0
    assert pace.total(4, 12) == 8
    assert pace.total(9, 12) == 12
    now[0] = 400.0
    assert pace.total(4, 12) == 4
    assert Pace(float("inf"), lambda: now[0]).total(3, 12) == 12


def test_results_are_looked_at_for_a_twentieth_of_the_time_at_most() -> None:
    clock = [0.0]
    looks: list[float] = []

    def look(_: object) -> None:
        looks.append(clock[0])
        clock[0] += 1.0

    glance = Glance(look, lambda: clock[0])
    for _ in range(100):
        glance(())
        clock[0] += 1.0
    assert len(looks) == 5


def test_an_arm_that_cannot_be_opened_is_refused_in_its_own_words(tmp_path: Path) -> None:
    def fails(_: object) -> list[ArmState]:
        raise ModelError("There is no model at /nowhere: check the name.")

    with pytest.raises(LabError, match="There is no model at /nowhere"):
        measure("lab", [batch()], tmp_path, Heard(), fails)


def test_a_directory_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    (tmp_path / "traces").write_text("in the way")
    with pytest.raises(LabError, match="choose another directory"):
        measure("lab", [batch()], tmp_path, Heard(), opener)


def test_names_of_cells_become_names_of_files() -> None:
    assert trace_name("sweep", "table+lookup block 4") == "traces/sweep-table+lookup-block-4.slipstream"


def test_finished_ends_every_answer(tmp_path: Path) -> None:
    measured = measure("lab", [batch(SAMPLES[:3])], tmp_path, Heard(), opener)
    (found,) = read_traces(tmp_path, measured.traces)
    assert sum(isinstance(event, Finished) for event in found.events) == 6


def test_random_drifts_too() -> None:
    source = random.Random(3)
    for _ in range(5):
        at, up = source.random(), source.choice([1.2, 1 / 1.2])
        truth = ratio(lambda _: 1.0, "interleaved", turns=2)
        assert ratio(lambda x, at=at, up=up: up if x > at else 1.0, "interleaved", 2) == pytest.approx(truth, rel=0.02)
