"""Arms in turn: order, own clocks, and faults that stay with the arm that has them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import mlx.core as mx
import pytest
from jinja2.exceptions import TemplateError
from msgspec.structs import replace

from engine.drafters.base import Draft
from engine.drafters.lookup import Lookup
from engine.race import race
from engine.sampling import Sampler
from engine.session import ArmState
from engine.trace.events import Event, Failed, Finished, Round, Started
from engine.trace.metrics import measure
from tests.engine.helpers import Scripted, arm_state, failure, ids, oracle, run
from tests.engine.lab import planted
from tests.tiny import ByteTokenizer, tiny_target

TARGET = tiny_target("dense", seed=5)
TARGET.tokenizer.eos_token_ids = ()  # type: ignore[misc]


class Broken(Lookup):
    """Fails after a while, in the middle of a round."""

    def propose(self, anchor: int, width: int, sampler: Sampler) -> Draft:
        if len(self.context) > 25:
            raise RuntimeError("[metal] out of memory\nat frame 3")
        return super().propose(anchor, width, sampler)

    def observe(self, tokens: Sequence[int], taps: Mapping[int, mx.array]) -> None:
        super().observe(tokens, taps)


def test_arms_go_a_b_b_a() -> None:
    arms = [arm_state(TARGET, name="a", max_tokens=4), arm_state(TARGET, Lookup(), name="b", max_tokens=4)]
    order = [e.arm for e in race(arms, "HELLO", raw=True) if isinstance(e, Round)]
    assert order in (list("abbaabba"), list("baabbaab"))


def test_sequential_runs_one_after_the_other() -> None:
    arms = [arm_state(TARGET, name=n, max_tokens=3) for n in "ab"]
    assert [e.arm for e in race(arms, "HELLO", raw=True, order="sequential") if isinstance(e, Round)] == list("aaabbb")


def test_arms_write_the_same_part_at_the_same_time() -> None:
    alone = arm_state(TARGET, name="a", max_tokens=40)
    (start, *_), answer = (events := run(alone, "HELLO")), ids(events)
    assert isinstance(start, Started)
    guess = oracle(answer, start.prompt_tokens, lambda at: at % 5 > 0)
    arms = [alone, arm_state(TARGET, Scripted(guess), name="b", max_tokens=40, block=8)]
    done, kept = {"a": 0, "b": 0}, 0
    for event in race(arms, "HELLO", raw=True):
        if isinstance(event, Round):
            done[event.arm] += event.emitted_tokens
            kept += event.accepted
            assert abs(done["a"] - done["b"]) <= 8
    assert done == {"a": 40, "b": 40}
    assert kept > 20


def raced_speedup(monkeypatch: pytest.MonkeyPatch, drift: Callable[[float], float], order: Any) -> float:
    """What the race shows as speed against speed on a machine that drifts while it runs."""
    whole_s = 120 * 0.1 + 120 / 3 * 0.13
    now_s = 0.0

    def on_drifting_machine(arm: ArmState, *_: Any, **__: Any) -> Iterator[Event]:
        nonlocal now_s
        drafts = arm.spec.name == "spec"
        spec, alpha, cost_s = (planted.drafting(), (0.8,) * 3, 0.13) if drafts else (planted.baseline(), (), 0.1)
        for event in planted.answer(spec, "one", {}, alpha=alpha, cost=lambda _: cost_s):
            if isinstance(event, Round):
                took = event.verify_s * drift(now_s / whole_s)
                now_s += took
                event = replace(event, verify_s=took)
            yield event

    monkeypatch.setattr("engine.race.run_arm", on_drifting_machine)
    events = list(race([arm_state(TARGET, name=n) for n in ("baseline", "spec")], "HELLO", order=order))
    plain, spec = (measure(e for e in events if getattr(e, "arm", "") == n).tokens_per_s for n in ("baseline", "spec"))
    assert plain and spec
    return spec / plain


@pytest.mark.parametrize(
    "drift",
    [lambda x: 1 + 0.2 * min(x, 1.0), lambda x: 1.2 - 0.2 * min(x, 1.0), lambda x: 1.2 if x > 0.43 else 1.0],
    ids=["warming", "cooling", "another program begins"],
)
def test_a_drift_of_a_fifth_moves_the_ratio_by_less_than_two_in_a_hundred(
    monkeypatch: pytest.MonkeyPatch, drift: Callable[[float], float]
) -> None:
    truth = raced_speedup(monkeypatch, lambda _: 1.0, "interleaved")
    assert truth > 1.5
    assert raced_speedup(monkeypatch, drift, "interleaved") == pytest.approx(truth, rel=0.02)
    assert abs(raced_speedup(monkeypatch, drift, "sequential") / truth - 1) > 0.04


def test_a_clock_stands_still_while_another_arm_has_its_turn() -> None:
    arms = [arm_state(TARGET, name=n, max_tokens=20) for n in "ab"]
    events = list(race(arms, "HELLO", raw=True))
    ends = {e.arm: e for e in events if isinstance(e, Finished)}
    assert ends["a"].own_s + ends["b"].own_s <= max(e.t_s for e in ends.values())


def test_a_faulty_drafter_ends_its_own_arm_alone_and_can_run_again() -> None:
    healthy, faulty = arm_state(TARGET, name="a", max_tokens=40), arm_state(TARGET, Broken(), name="b", max_tokens=40)
    events = list(race([healthy, faulty], "HELLO WORLD", raw=True))
    assert failure(events) == (
        "The engine stopped this arm: RuntimeError: [metal] out of memory. Its text so far is kept."
    )
    assert [e.arm for e in events if isinstance(e, Failed)] == ["b"]
    mine = [e for e in events if getattr(e, "arm", "") == "a"]
    assert len(ids(mine)) == 40
    assert ids(run(faulty, "HELLO WORLD"))[:5] == ids(mine)[:5]


@pytest.mark.parametrize(
    ("prompt", "settings", "sentence"),
    [
        ("", {}, "The prompt is empty: write something to answer."),
        (" \n", {}, "The prompt is empty: write something to answer."),
        ("X" * 4096, {}, "The prompt has 4096 tokens with its conversation, but tiny dense holds 4096"),
        ("HI", {"temperature": -1.0}, "The temperature must be from 0 (greedy) to 100; it is -1.0."),
    ],
)
def test_what_cannot_run_is_said_before_anything_starts(prompt: str, settings: dict[str, float], sentence: str) -> None:
    events = run(arm_state(TARGET, **settings), prompt)
    assert sentence in failure(events)
    assert not any(isinstance(e, Started) for e in events)


class SystemRefused(ByteTokenizer):
    """Its template takes no system prompt, as Gemma's."""

    chat_template = "x"

    def apply_chat_template(self, messages: list[dict[str, str]], **_: object) -> str:
        if messages[0]["role"] == "system":
            raise TemplateError("System role not supported")
        return messages[-1]["content"]


def test_a_template_that_refuses_is_the_arm_s_own_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    refusing = tiny_target("dense", seed=5)
    monkeypatch.setattr(refusing, "tokenizer", SystemRefused())
    arms = [arm_state(TARGET, name="a", max_tokens=3), arm_state(refusing, name="b", max_tokens=3)]
    events = list(race(arms, "HELLO", system="BE KIND"))
    assert failure(events) == (
        "The conversation can't be put into the form that tiny dense expects (TemplateError: System role not "
        "supported): leave out the system prompt, or choose another model."
    )
    assert len(ids([e for e in events if getattr(e, "arm", "") == "a"])) == 3
    assert len(ids(list(race(arms[1:], "HELLO")))) > 0


def test_a_fault_of_our_own_is_not_blamed_on_the_template(monkeypatch: pytest.MonkeyPatch) -> None:
    state = arm_state(TARGET, max_tokens=3)
    monkeypatch.setattr("engine.race.Sampler", lambda settings: 1 / 0)
    assert failure(run(state, "HELLO")).startswith("The engine stopped this arm: ZeroDivisionError")


def test_cancelled_before_it_began_it_finishes_without_a_round() -> None:
    events = list(race([arm_state(TARGET, max_tokens=5)], "HELLO", raw=True, cancelled=lambda: True))
    (end,) = [e for e in events if isinstance(e, Finished)]
    assert (end.reason, end.output_tokens) == ("cancelled", 0)
