from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from engine.drafters.base import FirstOf
from engine.lab import sweep
from engine.lab.evidence import read_traces
from engine.lab.knee import knee, vanishes
from engine.lab.matrix import Ability, Context, ability, batches, differences, entries
from engine.lab.plan import Sample, make_plan
from engine.lab.result import LabError, read_result
from engine.session import ArmState
from engine.trace.events import Arm, Settings
from engine.trace.file import Trace
from tests.engine.drafters.blocks import GAMMA, drafter, layout
from tests.engine.helpers import Scripted
from tests.engine.lab.planted import Cost, Heard, answer, baseline, drafting, flat, knee_at, trace
from tests.engine.lab.test_measure import SAMPLES, opener
from tests.engine.lab.test_profile import ARMS
from tests.tiny import tiny_target

BLOCKS = (2, 4, 6, 8, 12, 16)


def cells(
    alpha: float, cost: Cost, values: Sequence[int] = BLOCKS, samples: int = 16, looping: Sequence[int] = ()
) -> list[Trace]:
    """A sweep of the block length of a drafter that keeps each draft with the same chance."""
    made = []
    for value in values:
        arm = replace(drafting(block=value), name=f"spec block={value}")
        labels = {"axis": "block", "value": str(value), "base": "spec", "cell": f"spec block {value}"}
        runs = []
        for i in range(samples):
            bad = i in looping
            runs.append(answer(baseline(), f"s{i}", labels, turn=i, cost=cost, looping=bad))
            more = {"alpha": (alpha,) * (value - 1), "seed": 100 * value + i, "cost": cost, "looping": bad}
            runs.append(answer(arm, f"s{i}", labels, turn=i, tokens=400, **more))
        made.append(trace(*runs))
    return made


def block_axis(alpha: float, cost: Cost, **more: Any) -> dict[str, Any]:
    found: dict[str, Any] = sweep.results_from_traces(cells(alpha, cost, **more))["bases"]["spec"]["block"]
    return found


# The planted knee


@pytest.mark.parametrize(
    ("alpha", "cost", "named"),
    [
        (0.8, knee_at(8), 8),  # forwards grow dearer beyond 8 rows
        (0.9, knee_at(4, slope=0.06), 4),
    ],
)
def test_the_knee_of_a_known_cost_curve_is_named(alpha: float, cost: Cost, named: int) -> None:
    found = block_axis(alpha, cost)["knee"]
    assert found["value"] == named
    assert not found["at_end"]
    assert named in [item["value"] for item in found["candidates"]]


def test_speeds_along_the_axis_are_the_planted_ones() -> None:
    alpha, cost = 0.8, knee_at(8)
    for cell in block_axis(alpha, cost)["cells"]:
        b = int(cell["value"])
        tau = (1 - alpha**b) / (1 - alpha)
        assert cell["speedup"]["value"] == pytest.approx(tau * cost(1) / cost(b), rel=0.08)
        assert cell["round_cost"]["value"] == pytest.approx(cost(b) / cost(1), rel=0.03)
        assert cell["trace"] == f"traces/sweep-spec-block-{b}.slipstream"


def test_where_more_always_pays_the_axis_is_too_short() -> None:
    found = block_axis(0.98, flat)["knee"]
    assert found["value"] == 16 and found["at_end"]


def test_gain_vanishes_where_rounds_cost_more_than_they_bring() -> None:
    found = block_axis(0.3, knee_at(1, slope=0.05))["vanishes"]
    # tau of 2 rows is 1.3 at 1.5 times the cost: never a gain.
    assert found == {"value": 2, "surely": 2}
    assert block_axis(0.8, flat)["vanishes"] == {"value": None, "surely": None}


def test_a_value_that_is_slow_by_itself_is_no_end_of_the_gain() -> None:
    def row(value: float, high: float) -> dict[str, Any]:
        return {"value": value, "low": 0.0, "high": high}

    unknown = {"value": None, "low": None, "high": None}
    slow_then_fast = [row(0.8, 0.9), row(1.2, 1.3), row(1.1, 1.2)]
    assert vanishes([2, 4, 8], slow_then_fast) == {"value": None, "surely": None}
    assert vanishes([2, 4, 8], [row(1.2, 1.3), row(0.9, 1.1), row(0.8, 0.9)]) == {"value": 4, "surely": 8}
    assert vanishes([2, 4, 8], [row(0.9, 0.95), row(1.2, 1.3), unknown]) == {"value": None, "surely": None}
    assert vanishes([2, 4, 8], [row(1.2, 1.3), row(0.9, 0.95), unknown]) == {"value": 4, "surely": 4}


def test_positions_that_are_hardly_ever_reached_end_the_gain() -> None:
    # tau = 1.744, 1.803, 1.815, 1.818: at equal cost 6 rows have 99 % of what 16 have.
    tau = [(1 - 0.45**b) / 0.55 for b in (4, 6, 8, 16)]
    assert knee([4, 6, 8, 16], [tau] * 3, [[1.0] * 4] * 3)["value"] == 6


def test_knee_by_hand() -> None:
    found = knee([2, 4, 8], [[10, 10, 10]] * 3, [[10.0, 5.05, 5.0]] * 3)
    assert found["value"] == 4 and found["best"] == 8 and found["support"] == 1
    assert knee([2], [[1.0]], [[1.0]])["value"] is None
    assert knee([2, 4], [], [])["value"] is None


def test_a_knee_that_samples_disagree_on_has_little_support() -> None:
    seconds = [[1.0, 2.0]] * 4 + [[2.0, 1.0]] * 4
    found = knee([2, 4], [[1.0, 1.0]] * 8, seconds)
    assert found["support"] < 0.9 and len(found["candidates"]) == 2


def test_vanishing_is_looked_for_in_order() -> None:
    fast, slow = {"value": 1.2, "high": 1.3}, {"value": 0.9, "high": 0.95}
    unsure = {"value": 0.98, "high": 1.1}
    assert vanishes([8, 2, 4], [slow, fast, unsure]) == {"value": 4, "surely": 8}


# Void samples


def test_a_loop_in_one_cell_voids_its_sample_in_the_whole_axis() -> None:
    listed = cells(0.8, flat, samples=5)
    loop = cells(0.8, flat, samples=5, looping=[3])[-1]
    axis = sweep.results_from_traces([*listed[:-1], loop])["bases"]["spec"]["block"]
    assert [cell["samples"] for cell in axis["cells"]] == [4] * len(BLOCKS)
    assert [cell["void"] for cell in axis["cells"]] == [1] * len(BLOCKS)


def test_a_cell_without_a_sample_says_why() -> None:
    results = sweep.results_from_traces(cells(0.8, flat, samples=2, looping=[0, 1]))
    axis = results["bases"]["spec"]["block"]
    assert {cell["text"] for cell in axis["cells"]} == {"void: repeats itself"}
    assert axis["cells"][0]["speedup"]["value"] is None and axis["knee"]["value"] is None
    assert len(results["void"]) == 2 * len(BLOCKS)


# The matrix


def test_one_variable_a_cell() -> None:
    base = drafting(block=8, candidate_width=16, max_tokens=40)
    listed = entries(make_plan("full", SAMPLES), base, baseline(max_tokens=40), Ability(True, 3))
    assert {item.axis for item in listed} == {
        "block", "candidate_width", "injected_layers", "temperature", "context_tokens",
    }  # fmt: skip
    for item in listed:
        assert set(differences(item.arm, base)) <= {item.axis}
        assert set(differences(item.baseline, baseline(max_tokens=40))) <= {"temperature"}
        if item.axis != "context_tokens":
            assert getattr(item.baseline.settings, "temperature") == item.arm.settings.temperature  # noqa: B009
    names = [item.cell for item in listed]
    assert len(names) == len(set(names))


def test_axes_hold_what_the_drafter_can_do() -> None:
    plan = make_plan("quick", SAMPLES)

    def values(can: Ability, base: Arm | None = None) -> dict[str, list[float]]:
        listed = entries(plan, base or drafting(), baseline(), can)
        return {axis: [e.value for e in listed if e.axis == axis] for axis in {e.axis for e in listed}}

    assert "candidate_width" not in values(Ability()) and "injected_layers" not in values(Ability())
    assert values(Ability(injected_layers=2))["injected_layers"] == [0, 2]
    assert values(Ability(widest_block=8))["block"] == [2, 4, 8]
    assert 5 in values(Ability(), drafting(block=5))["block"]
    assert values(Ability(), drafting(temperature=0.4))["temperature"] == [0, 0.4, 0.8]


def test_cells_of_one_baseline_run_together_but_not_too_many() -> None:
    base = drafting(block=8)
    listed = entries(make_plan("full", SAMPLES), base, baseline(), Ability())
    made, missing = batches(listed, SAMPLES, lambda sample, tokens: sample if tokens < 1000 else None)
    assert all(len(batch.arms) <= 6 and batch.arms[0].drafter == "none" for batch in made)
    assert sum(len(batch.cells) for batch in made) + len(missing) == len(listed)
    assert missing and all("No context of" in text for text in missing)
    for batch in made:
        assert {name for cell in batch.cells for name in cell.arms} == {arm.name for arm in batch.arms}
        assert {arm.settings.temperature for arm in batch.arms} == {batch.arms[0].settings.temperature}


def test_context_is_other_texts_and_never_the_same_twice() -> None:
    texts = [Sample(name=n, prompt=n * 10, length="long", task="open", language="en", format="plain") for n in "ABC"]
    context = Context(texts, lambda t: [ord(c) for c in t], lambda ids: "".join(map(chr, ids)), most=100)
    longer = context.longer(texts[0], 15)
    assert longer is not None and longer.name == "A"
    assert longer.prompt == "B" * 10 + "\n\n" + "C" * 3 + "\n\n" + "A" * 10
    assert context.longer(texts[0], 0) == texts[0]
    assert context.longer(texts[0], 25) is None  # too little text
    assert context.longer(texts[0], 95) is None  # too long for the target


def test_what_a_drafter_can_do_is_read_off_it() -> None:
    target = tiny_target()

    def of(head: str, composite: bool = False) -> Ability:
        inner: Any = drafter(target, layout(head))
        inner = FirstOf([Scripted(lambda text, width: []), inner]) if composite else inner
        return ability(ArmState(drafting(), target, inner, None))

    assert of("B") == Ability(widest_block=GAMMA + 1)
    assert of("D") == Ability(candidates=True, widest_block=GAMMA + 1)
    assert of("E") == Ability(candidates=True, injected_layers=2, widest_block=GAMMA + 1)
    # Beside a look-up, which fills any block, there is no widest one.
    assert of("E", composite=True) == Ability(candidates=True, injected_layers=2)
    assert ability(ArmState(drafting(), target, Scripted(lambda text, width: []), None)) == Ability()


# Run


def test_candidates_and_injected_layers_are_swept_where_the_drafter_has_them(tmp_path: Path) -> None:
    def cascade(arms: Sequence[Arm]) -> list[ArmState]:
        target = tiny_target()
        return [
            ArmState(arm, target, drafter(target, layout("E")) if arm.drafter != "none" else None, None) for arm in arms
        ]

    plan = make_plan("quick", SAMPLES, tokens=20, sizes={"sweep_samples": 1})
    result = sweep.run(plan, ARMS, tmp_path, Heard(), cascade)  # type: ignore[arg-type]
    axes = {axis: [c["value"] for c in found["cells"]] for axis, found in result.results["bases"]["spec"].items()}
    assert axes["candidate_width"] == [1, 4, 16]
    assert axes["injected_layers"] == [0, 2]
    assert axes["block"] == [2, 4, 7]
    assert result.results["one_variable"] is True


def test_run_stores_the_matrix_with_its_environment(tmp_path: Path) -> None:
    heard = Heard()
    plan = make_plan("quick", SAMPLES, tokens=24, sizes={"sweep_tokens": 24, "sweep_samples": 3})
    sweep.run(plan, ARMS, tmp_path, heard, opener)  # type: ignore[arg-type]
    stored = read_result(tmp_path / "sweep.json")
    again = sweep.results_from_traces(read_traces(tmp_path, stored.traces))
    assert stored.results == json.loads(json.dumps(again))
    assert stored.results["one_variable"] is True
    assert {line["axis"] for line in stored.results["matrix"]} == {"block", "temperature", "context_tokens"}
    assert {line["trace"] for line in stored.results["matrix"]} == set(stored.traces)
    assert stored.environment.machine.cores > 0
    for line in stored.conditions["matrix"]:
        assert set(line["differs"]) <= {line["axis"]}
    by_cell = {line["cell"]: line for line in stored.results["matrix"]}
    assert by_cell["spec block 12"]["settings"]["block"] == 12
    longer = stored.results["bases"]["spec"]["context_tokens"]["cells"]
    assert longer[1]["prompt_tokens"] is None or longer[1]["prompt_tokens"] > longer[0]["prompt_tokens"] + 400
    assert any(cell[:2] == ("sweep: spec", "block") for cell in heard.cells)


def test_quick_sweeps_one_arm_and_says_so(tmp_path: Path) -> None:
    other = Arm(name="other", drafter="lookup", settings=Settings(block=4))
    plan = make_plan("quick", SAMPLES, tokens=16, sizes={"sweep_samples": 1})
    result = sweep.run(plan, (*ARMS, other), tmp_path, Heard(), opener)  # type: ignore[arg-type]
    assert result.conditions["swept"] == ["spec"]
    assert "other: swept by the full plan only." in result.not_tested


def test_without_a_baseline_there_is_no_sweep(tmp_path: Path) -> None:
    with pytest.raises(LabError, match="needs a baseline"):
        sweep.run(make_plan("quick", SAMPLES), ARMS[1:], tmp_path, Heard(), opener)  # type: ignore[arg-type]
