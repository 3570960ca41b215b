"""Labs run one after another, none twice, none at the cost of another."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from engine.lab.budget import QUICK_S
from engine.lab.plan import Plan, make_plan, read_samples
from engine.lab.result import Environment, LabError, LabResult, read_result, write_result
from engine.lab.suite import UNFINISHED, RunLab, WeighedJob, held, read_unfinished, request, run_labs
from engine.process.job import Job
from engine.process.jobs import JobMessage, JobProgress
from engine.trace.events import Arm, Machine

MACHINE = Machine(chip="test", memory_bytes=1, os="test", backend="cpu")
ARMS = (Arm(name="baseline"), Arm(name="lookup", drafter="lookup"))
NAMES = ("lossless", "profile", "sweep")


def plan() -> Plan:
    return make_plan("quick", read_samples()[:4])


class Heard:
    def __init__(self) -> None:
        self.lost = False
        self.messages: list[JobMessage] = []

    def say(self, message: JobMessage) -> None:
        self.messages.append(message)


class Labs:
    """Fast fakes that count how often they run."""

    def __init__(self, **bodies: Callable[[Job], str]) -> None:
        self.bodies = bodies
        self.ran: list[str] = []

    def load(self, name: str) -> RunLab:
        def run(plan: Plan, arms: tuple[Arm, ...], out: Path, job: Job) -> LabResult:
            self.ran.append(name)
            status = self.bodies.get(name, lambda _: "measured")(job)
            (out / "traces").mkdir(exist_ok=True)
            (out / "traces" / f"{name}.slipstream").touch()
            job.progress(name, 1, 1)
            return LabResult(
                lab=name, status=msgspec.convert(status, str), environment=Environment(machine=MACHINE, app="test"),  # type: ignore[arg-type]
                arms=arms, conditions={"tokens": plan.tokens}, results={}, traces=(f"traces/{name}.slipstream",),
            )  # fmt: skip

        return run


def run(out: Path, labs: Labs, job: Job | None = None, **changes: object) -> list[str]:
    given = {"plan": plan(), "arms": ARMS, "machine": MACHINE, **changes}
    states = run_labs(
        changes.pop("names", NAMES) if "names" in changes else NAMES,  # type: ignore[arg-type]
        given["plan"], given["arms"], out, job or Job(Heard(), stages=NAMES, out=out), given["machine"],  # type: ignore[arg-type]
        bool(changes.get("again")), labs.load,
    )  # fmt: skip
    return [state.outcome for state in states]


def test_all_run_in_order_and_leave_results(tmp_path: Path) -> None:
    labs = Labs()
    assert run(tmp_path, labs) == ["done", "done", "done"]
    assert labs.ran == list(NAMES)
    result = read_result(tmp_path / "profile.json")
    assert result.conditions["tokens"] == plan().tokens
    assert result.conditions["request"]["prompts"] == [sample.name for sample in plan().prompts]
    assert all(sample.prompt not in str(result.conditions) for sample in plan().prompts)


def test_what_is_there_is_not_run_again(tmp_path: Path) -> None:
    run(tmp_path, Labs())
    labs = Labs()
    assert run(tmp_path, labs) == ["kept", "kept", "kept"]
    assert labs.ran == []
    assert run(tmp_path, labs, again=True) == ["done", "done", "done"]


@pytest.mark.parametrize(
    "change",
    [
        {"plan": make_plan("quick", read_samples()[:4], seed=1)},
        {"plan": make_plan("quick", read_samples()[:4], tokens=32)},
        {"plan": make_plan("full", read_samples()[:4])},
        {"plan": make_plan("quick", read_samples()[1:5])},
        {"arms": ARMS[:1]},
        {"machine": msgspec.structs.replace(MACHINE, chip="another")},
        {"machine": msgspec.structs.replace(MACHINE, mlx="9")},
    ],
)
def test_other_request_is_run(tmp_path: Path, change: dict[str, object]) -> None:
    run(tmp_path, Labs())
    labs = Labs()
    assert run(tmp_path, labs, **change) == ["done", "done", "done"]


def test_same_name_with_another_text_is_another_request() -> None:
    first = read_samples()[:2]
    changed = (msgspec.structs.replace(first[0], prompt="Why is the grass green?"), first[1])
    one, two = (request(make_plan("quick", samples), ARMS, MACHINE) for samples in (first, changed))
    assert one != two


def test_result_without_its_traces_is_not_taken(tmp_path: Path) -> None:
    run(tmp_path, Labs())
    (tmp_path / "traces" / "profile.slipstream").unlink()
    assert held(tmp_path, "profile", request(plan(), ARMS, MACHINE)) is None
    assert held(tmp_path, "sweep", request(plan(), ARMS, MACHINE)) is not None


def test_broken_lab_does_not_stop_the_others(tmp_path: Path) -> None:
    def breaks(_: Job) -> str:
        raise ValueError("no such thing")

    labs = Labs(profile=breaks)
    assert run(tmp_path, labs) == ["done", "broken", "done"]
    assert "ValueError: no such thing" in read_unfinished(tmp_path)["profile"]
    assert "no such thing" in (tmp_path / "profile.error.txt").read_text()
    assert run(tmp_path, Labs()) == ["kept", "done", "kept"]
    assert not (tmp_path / UNFINISHED).exists()
    assert not (tmp_path / "profile.error.txt").exists()


def test_refusal_of_one_lab_among_others_is_noted(tmp_path: Path) -> None:
    def refuses(_: Job) -> str:
        raise LabError("A sweep needs an arm with a drafter.")

    assert run(tmp_path, Labs(sweep=refuses)) == ["done", "done", "broken"]
    assert read_unfinished(tmp_path) == {"sweep": "A sweep needs an arm with a drafter."}


def test_refusal_of_the_only_lab_is_the_requests_fault(tmp_path: Path) -> None:
    def refuses(_: Job) -> str:
        raise LabError("A sweep needs an arm with a drafter.")

    with pytest.raises(LabError, match="needs an arm"):
        run(tmp_path, Labs(sweep=refuses), names=("sweep",))


def test_stop_keeps_what_is_done_and_goes_on_later(tmp_path: Path) -> None:
    def stops(job: Job) -> str:
        job.stop()
        return "stopped"

    assert run(tmp_path, Labs(profile=stops)) == ["done", "stopped", "not reached"]
    assert read_result(tmp_path / "profile.json").status == "stopped"
    labs = Labs()
    assert run(tmp_path, labs) == ["kept", "done", "done"]
    assert labs.ran == ["profile", "sweep"]


def test_torn_result_is_measured_again(tmp_path: Path) -> None:
    run(tmp_path, Labs())
    (tmp_path / "profile.json").write_text('{"lab": "prof')
    assert run(tmp_path, Labs()) == ["kept", "done", "kept"]


def test_whole_goes_up_to_one_and_tells_time_left() -> None:
    heard = Heard()
    now = [0.0]
    job = WeighedJob(heard, "lab all", NAMES, clock=lambda: now[0])
    for name in NAMES:
        for done in range(1, 5):
            now[0] += 10.0
            job.progress(name, done, 4)
    wholes = [m for m in heard.messages if isinstance(m, JobProgress) and m.whole]
    shares = [m.done for m in wholes]
    assert shares == sorted(shares)
    assert shares[-1] == pytest.approx(1.0)
    assert wholes[-1].seconds_left == pytest.approx(0.0)
    assert all(m.seconds_left is not None and m.seconds_left >= 0 for m in wholes)
    assert all(m.stage in NAMES for m in wholes)


def test_kept_labs_do_not_quicken_the_pace() -> None:
    def left(kept: bool) -> float:
        heard = Heard()
        now = [0.0]
        job = WeighedJob(heard, "lab all", ("profile", "profile 2", "sweep"), clock=lambda: now[0])
        if kept:
            job.progress("profile", 1, 1, note="kept")
        else:
            now[0] += 100.0
            job.progress("profile", 1, 1)
        now[0] += 100.0
        job.progress("profile 2", 1, 1)
        last = heard.messages[-1]
        assert isinstance(last, JobProgress)
        assert last.seconds_left is not None
        return last.seconds_left

    # What took 100 s is "profile 2" alone where the first was kept.
    assert left(True) == pytest.approx(100.0 * QUICK_S["sweep"] / 100)
    assert left(False) == pytest.approx(200.0 * QUICK_S["sweep"] / (QUICK_S["profile"] + 100))


def test_written_result_survives_a_reader(tmp_path: Path) -> None:
    run(tmp_path, Labs())
    result = read_result(tmp_path / "sweep.json")
    write_result(tmp_path, result)
    assert read_result(tmp_path / "sweep.json") == result
