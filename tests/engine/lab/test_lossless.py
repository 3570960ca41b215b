"""The whole check on tiny targets: green where the loop is right, red for every planted fault, and computed again from
its traces.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from engine.cache import Transaction
from engine.lab import lossless
from engine.lab.conditions import conditions_of
from engine.lab.faults import FAULTS, swapped
from engine.lab.judgement import (
    Bounds,
    Finding,
    first_after_end,
    judge,
    judgements,
    label_of,
    results_from_traces,
)
from engine.lab.precision import possible
from engine.lab.result import LabError, LabResult, read_result
from engine.trace.events import Finished, ModelFacts, Round, Started
from engine.trace.file import read
from engine.trace.session import ArmTurn
from tests.engine.drafters.blocks import layout
from tests.engine.drafters.test_save import saved
from tests.engine.lab.tiny_checks import SAMPLES, QuietJob, arm, endless, loader, plan
from tests.engine.trace.rounds import greedy

BASE = arm("none", "baseline")


def check(out: Path, kind: str = "dense", job: QuietJob | None = None, **sizes: int) -> LabResult:
    return lossless.run(plan(**sizes), (BASE, arm(block=5)), out, job or QuietJob(), loader(kind))  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def dense(tmp_path_factory: pytest.TempPathFactory) -> tuple[LabResult, Path, QuietJob]:
    out, job = tmp_path_factory.mktemp("lossless"), QuietJob()
    return check(out, "wide", job), out, job


def test_the_loop_as_it_is_passes_under_all_conditions(dense: tuple[LabResult, Path, QuietJob]) -> None:
    result, _, job = dense
    cells = result.results["cells"]
    assert result.status == "pass"
    assert {c["status"] for c in cells} == {"pass"}
    assert {c["variation"] for c in cells} >= {
        "as it is", "prefix cache off", "every accepted length", "block 2", "block 16", "repetition penalty 1.3",
        "cache of 8 bits, row by row", "row by row", "bfloat16",
    }  # fmt: skip
    assert all(c["strict"] for c in cells if c["precision"] == "native")
    second = next(c for c in cells if c["variation"] == "as it is" and c["turn"] == 1)
    assert second["cached_tokens"] > 0
    assert all(c["cached_tokens"] == 0 for c in cells if c["variation"] == "prefix cache off")
    every = next(c for c in cells if c["variation"] == "every accepted length")
    assert len(every["accepted_lengths"]) == 5
    assert all(every["accepted_lengths"])
    assert result.results["rejections"] > 5
    done, total, _ = job.reports[-1]
    assert done == total
    assert {c["text"] for c in job.cells} == {"PASS"}


def test_every_planted_fault_is_caught_by_what_it_breaks(dense: tuple[LabResult, Path, QuietJob]) -> None:
    controls = {c["name"]: c for c in dense[0].results["controls"]}
    assert set(controls) == {fault.name for fault in FAULTS}
    assert all(c["caught"] for c in controls.values())
    signs = {
        "rollback off by one": "the caches hold",
        "stale rows": "a cached row",
        "rope shifted by one": "a cached row",
        "block-start penalty history": "below the target's choice in the replay",
        "draft emitted at the boundary": "is not the target's own choice",
        "bonus after the end": "was emitted after the text had ended",
    }
    for name, sign in signs.items():
        assert any(sign in why for why in controls[name]["why"]), (name, controls[name]["why"])
    assert {c["status"] for c in dense[0].results["clean"]} == {"pass"}


def test_results_are_computed_again_from_the_traces(dense: tuple[LabResult, Path, QuietJob]) -> None:
    result, out, _ = dense
    stored = read_result(out / "lossless.json")
    assert results_from_traces([read(out / name) for name in stored.traces]) == stored.results
    assert stored.results == result.results


def test_faults_leave_nothing_behind(dense: tuple[LabResult, Path, QuietJob]) -> None:
    from engine import accept, decode, race
    from engine.sampling import Sampler
    from engine.text import TextStream

    assert decode.Transaction is Transaction
    assert race.TextStream is TextStream
    assert accept.accept_greedy.__module__ == "engine.accept"
    assert Sampler.penalise.__module__ == "engine.sampling"


@pytest.mark.parametrize(("head", "crossed"), [("E", {"candidate width 1"}), ("B", set())])
def test_candidate_width_is_crossed_where_the_drafter_chooses_among_candidates(
    head: str, crossed: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lossless, "run_controls", lambda *_: ())  # the drafter takes no part in them
    drafter = tmp_path / "drafter"
    saved(drafter, layout(head))
    trained = arm(str(drafter), head, block=5)
    short = plan(lossless_tokens=12, lossless_slow_tokens=8)
    result = lossless.run(short, (BASE, trained), tmp_path, QuietJob(), loader("dense"))  # type: ignore[arg-type]
    assert {c["status"] for c in result.results["cells"]} <= {"pass", "near-tie"}
    assert {c["variation"] for c in result.results["cells"] if "candidate" in c["variation"]} == crossed
    assert result.environment.drafters[head].architecture
    drafts: dict[str, list[tuple[int, ...]]] = {}
    for name in result.traces:
        for event in read(tmp_path / name).events:
            if isinstance(event, Round) and event.arm == head:
                drafts.setdefault("width 1" if "candidate-width" in name else name, []).append(event.draft_ids)
    assert any(any(row) for row in drafts.values())
    if crossed:
        as_it_is = next(rows for name, rows in drafts.items() if "as-it-is" in name)
        assert drafts["width 1"] != as_it_is[: len(drafts["width 1"])]  # another choice, and still the same text


@pytest.mark.parametrize("kind", ["sliding", "gated-delta"])
def test_windows_and_states_pass_and_their_faults_are_caught(kind: str, tmp_path: Path) -> None:
    result = check(tmp_path, kind)
    assert result.status == "pass"
    names = {c["name"] for c in result.results["controls"]}
    assert names == {fault.name for fault in FAULTS} - {"stale rows"}
    assert any("'stale rows' does not apply" in said for said in result.not_tested)


def test_a_broken_loop_fails(tmp_path: Path) -> None:
    class OffByOne(Transaction):
        def commit(self, n: int) -> None:
            super().commit(min(n + 1, self._rows))

    from engine import decode

    with swapped(decode, "Transaction", OffByOne):
        result = check(tmp_path)
    assert result.status == "fail"
    (found,) = result.results["arms"]
    assert found["status"] == "fail"
    assert "the caches hold" in found["detail"] or "replay" in found["detail"] or "differs" in found["detail"]


def test_a_check_that_sees_no_fault_is_a_fail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from engine.lab import controls

    blind = replace_inject(FAULTS[0])
    monkeypatch.setattr(controls, "FAULTS", (blind,))
    result = check(tmp_path)
    assert [c["caught"] for c in result.results["controls"]] == [False]
    assert result.status == "fail"


def replace_inject(fault: Any) -> Any:
    import contextlib
    import dataclasses

    return dataclasses.replace(fault, inject=lambda target: contextlib.nullcontext())


def test_a_stop_keeps_what_is_whole(tmp_path: Path) -> None:
    result = check(tmp_path, job=QuietJob(stop_after=4))
    assert result.status == "stopped"
    assert 0 < len(result.results["cells"]) < 10
    assert {c["status"] for c in result.results["cells"]} == {"pass"}


def test_samples_that_no_context_holds_are_left_out(tmp_path: Path) -> None:
    def load(name: str, precision: str) -> Any:
        target = endless()
        target.facts = replace(target.facts, context_tokens=100)
        return target

    long = replace(SAMPLES[0], name="long", prompt="X" * 200)
    some = replace(plan(lossless_conversations=2), prompts=(*SAMPLES, long, long))
    result = lossless.run(some, (BASE, arm(block=5)), tmp_path, QuietJob(), load)  # type: ignore[arg-type]
    assert result.status == "pass"
    assert any("long and long: The prompt has" in said for said in result.not_tested)
    only = replace(plan(), prompts=(long,))
    with pytest.raises(LabError, match="No sample can be answered"):
        lossless.run(only, (BASE, arm(block=5)), tmp_path, QuietJob(), load)  # type: ignore[arg-type]


def test_without_a_drafter_there_is_nothing_to_check(tmp_path: Path) -> None:
    with pytest.raises(LabError, match="an arm with a drafter"):
        lossless.run(plan(), (BASE,), tmp_path, QuietJob(), loader())  # type: ignore[arg-type]


def test_full_plans_cross_more(tmp_path: Path) -> None:
    full = replace(plan(), name="full")
    drafting = arm("/models/heads", "B", block=8)
    names = {c.variation for c in conditions_of(drafting, full)}
    assert names >= {"block 3", "block 5", "candidate width 1", "candidate width 32", "cache of 4 bits, row by row"}
    assert "block 8" not in names
    assert not any("candidate" in c.variation for c in conditions_of(arm("lookup"), full))


def test_short_answers_reach_every_accepted_length_of_a_short_block() -> None:
    quick = next(c for c in conditions_of(arm("lookup", block=8), plan()) if c.scripted)
    assert quick.changes == {"block": 5}
    assert sum(range(1, 6)) + 1 <= 20
    full = next(c for c in conditions_of(arm("lookup", block=8), replace(plan(), name="full")) if c.scripted)
    assert full.changes == {}


def test_what_a_machine_does_not_allow_is_said() -> None:
    packed = ModelFacts(name="m", bits=4, held_as="packed", weights_bytes=4 << 30)
    assert possible("native", packed) == ""
    assert "32.0 GiB in float32 and 16.0 GiB" in possible("float32", packed, 16 << 30)
    assert possible("float32", packed, 64 << 30) == ""
    assert "not quantised" in possible("packed", ModelFacts(name="m", held_as="float32"))
    assert "holds already" in possible("packed", packed)


# The rule


def turn(name: str, tokens: list[int], margin: float = 9.0, reason: str = "length") -> ArmTurn:
    spec = arm("none" if name == "baseline" else "lookup", name)
    facts = ModelFacts(name="m", held_as="packed")
    started = Started(arm=name, turn=0, t_s=0, spec=spec, target=facts, prompt_ids=(1,), prompt_tokens=1)
    ended = Finished(arm=name, turn=0, t_s=1, reason=reason, output_tokens=len(tokens))  # type: ignore[arg-type]
    return ArmTurn(arm=name, turn=0, started=started, rounds=greedy(tokens, margin=margin), finished=ended)


def finding(**changes: Any) -> Finding:
    about: dict[str, Any] = {
        "cell": "c", "arm": "a", "variation": "as it is", "prompt": "p", "precision": "native",
        "bounds": Bounds(logits=0.25, cache=0.03), "replayed": 3, "rows_held": 3, "rows_right": 3,
    }  # fmt: skip
    return Finding(**{**about, **changes})


@pytest.mark.parametrize(
    ("changes", "outcome", "why"),
    [
        ({}, "pass", ""),
        ({"gaps": {1: 0.2}}, "near-tie", "1 of 3 tokens with a gap up to 0.2"),
        ({"gaps": {1: 0.3}}, "fail", "token 1 is 0.3 below the target's choice"),
        ({"gaps": {1: 0.2}, "strict": True}, "fail", "nothing is excused"),
        ({"cache_difference": 0.02}, "pass", ""),
        ({"cache_difference": 0.9, "cache_place": -2}, "fail", "a cached row (-2 from the end"),
        ({"rows_held": 4}, "fail", "the caches hold 4 rows of a text of 3"),
        ({"rows_held": None}, "pass", ""),
        ({"after_end": 2}, "fail", "token 2 was emitted after the text had ended"),
        ({"replayed": 2}, "fail", "not every token was replayed"),
    ],
)
def test_the_rule(changes: dict[str, Any], outcome: str, why: str) -> None:
    found = judge(finding(**changes), turn("baseline", [4, 5, 6]), turn("a", [4, 5, 6]))
    assert found.outcome == outcome
    assert why in " ".join(found.why)


@pytest.mark.parametrize(("margin", "outcome"), [(0.2, "near-tie"), (0.3, "fail")])
def test_a_difference_from_the_baseline_is_excused_within_the_noise_alone(margin: float, outcome: str) -> None:
    found = judge(finding(), turn("baseline", [4, 5, 6], margin), turn("a", [4, 7, 6], margin))
    assert found.outcome == outcome
    assert found.verdict.first_difference == 1
    strict = judge(finding(strict=True), turn("baseline", [4, 5, 6], 0.1), turn("a", [4, 7, 6], 0.1))
    assert strict.outcome == "fail"


def test_an_answer_to_another_prompt_is_judged_by_the_replay_alone() -> None:
    other = turn("a", [9, 9, 9])
    other.started = replace(other.started, prompt_ids=(2,))
    assert judge(finding(), turn("baseline", [4, 5, 6]), other).outcome == "pass"
    assert judge(finding(gaps={0: 3.0}), turn("baseline", [4, 5, 6]), other).outcome == "fail"


@pytest.mark.parametrize(
    ("ids", "ends", "limit", "stopped", "expected"),
    [
        ([4, 5, 6], set(), -1, None, None),
        ([4, 1, 6], {1}, -1, None, 2),
        ([4, 5, 1], {1}, -1, None, None),
        ([4, 5, 6], set(), 2, None, 2),
        ([4, 5, 6], set(), -1, 0, 1),
        ([4, 5, 6], set(), 3, 2, None),
    ],
)
def test_what_stands_behind_an_end(
    ids: list[int], ends: set[int], limit: int, stopped: int | None, expected: int | None
) -> None:
    assert first_after_end(ids, frozenset(ends), limit, stopped) == expected


def test_a_finding_survives_its_label(tmp_path: Path) -> None:
    import msgspec

    one = finding(gaps={7: 0.5}, settings={"block": 2})
    assert msgspec.json.decode(label_of(one), type=Finding) == one
    assert judgements is not None
