from __future__ import annotations

import pytest
from msgspec.structs import replace

from engine.trace.events import Arm, Finished, ModelFacts, Round, Settings, Started
from engine.trace.session import ArmTurn
from engine.trace.verdict import (
    NOISE_BFLOAT16_LOGITS,
    NOISE_FLOAT32_LOGITS,
    Comparison,
    Output,
    Verdict,
    compare,
    compare_turns,
    noise_logits,
    over_turns,
    session_verdicts,
)
from tests.engine.trace.rounds import GREEDY, SAMPLING, greedy, make

TOKENS = [3, 1, 4, 1, 5, 9]


def block(tokens: tuple[int, ...], target: tuple[int, ...], margins: tuple[float, ...]) -> Round:
    kept = len(tokens) - 1
    return make("a" * kept + "b", kept, emitted_ids=tokens, target_ids=target, margins=margins)


def judge(left: list[Round], right: list[Round], ending: str = "stop", **changes: float) -> Verdict:
    return compare(Output(rounds=left, ending=ending), Output(rounds=right, ending=ending), **changes)


def test_equal_texts_are_identical_however_they_were_cut_into_rounds() -> None:
    spec = [*greedy([3]), block((1, 4, 1), (1, 4, 1), (2, 2, 2)), block((5, 9), (5, 9), (2, 2))]
    verdict = judge(greedy(TOKENS), spec)
    assert (verdict.status, verdict.first_difference, verdict.wording) == ("identical", None, "identical (6 tokens)")


def test_an_arm_that_failed_before_its_first_token_has_shown_nothing() -> None:
    nothing = compare(Output(rounds=greedy(TOKENS), ending="stop"), Output(rounds=[], ending="failed"))
    assert nothing.status == "not-comparable"
    half = compare(Output(rounds=greedy(TOKENS), ending="stop"), Output(rounds=greedy(TOKENS[:3]), ending="failed"))
    assert half.wording == "identical so far (3 tokens)"
    none_wanted = compare(Output(rounds=[], ending="length"), Output(rounds=[], ending="length"))
    assert none_wanted.wording == "identical (0 tokens)"


def test_while_streaming_it_is_identical_so_far() -> None:
    verdict = compare(Output(rounds=greedy(TOKENS)), Output(rounds=greedy(TOKENS[:1])))
    assert (verdict.status, verdict.running, verdict.wording) == ("identical", True, "identical so far (1 token)")


@pytest.mark.parametrize(
    ("margin", "noise", "status"), [(0.2, 0.25, "near-tie"), (0.25, 0.25, "near-tie"), (0.3, 0.25, "fail")]
)
def test_first_difference_is_excused_within_the_noise_only(margin: float, noise: float, status: str) -> None:
    left = greedy([3, 1, 4, 1], margin=margin)
    right = [*greedy([3]), block((1, 7, 1), (1, 7, 1), (9.0, margin, 9.0))]
    verdict = judge(left, right, noise=noise)
    assert (verdict.status, verdict.first_difference, verdict.margin) == (status, 2, margin)
    words = {"near-tie": "near-tie at token 2", "fail": "differs at token 2"}[status]
    assert verdict.wording == f"{words} (margin {margin:g})"


@pytest.mark.parametrize("sides", [(1e-4, 3.0), (3.0, 1e-4)])
def test_a_near_tie_must_be_one_in_both_arms(sides: tuple[float, float]) -> None:
    verdict = judge(greedy([3, 1], margin=sides[0]), greedy([3, 2], margin=sides[1]))
    assert (verdict.status, verdict.margin) == ("fail", 3.0)


def test_without_a_margin_a_difference_is_not_excused() -> None:
    left = [make("p", emitted_ids=(1,), target_ids=(1,))]
    right = [make("p", emitted_ids=(2,), target_ids=(2,))]
    verdict = judge(left, right)
    assert (verdict.status, verdict.margin, verdict.wording) == (
        "fail",
        None,
        "differs at token 0 (no margin recorded)",
    )


def test_a_token_that_is_not_the_argmax_of_its_row_is_a_fault_even_where_the_texts_agree() -> None:
    spec = [*greedy([3]), block((1, 4), (1, 8), (2.0, 0.0001))]
    verdict = judge(greedy([3, 1, 4]), spec)
    assert (verdict.status, verdict.own_choice, verdict.first_difference) == ("fail", False, 2)
    assert verdict.wording == "fault: token 2 is not the target's own choice (margin 0.0001)"


def test_fewer_recorded_rows_than_tokens_is_a_fault() -> None:
    spec = [make("ab", 1, emitted_ids=(3, 1), target_ids=(3,), margins=(1.0,))]
    assert judge(greedy([3, 1]), spec).own_choice is False


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("ending", ["context", "cancelled", "failed", ""])
def test_an_arm_that_was_ended_early_is_identical_as_far_as_it_came(side: int, ending: str) -> None:
    outputs = [Output(rounds=greedy(TOKENS), ending="stop"), Output(rounds=greedy(TOKENS), ending="stop")]
    outputs[side] = Output(rounds=greedy(TOKENS[:2]), ending=ending)
    verdict = compare(*outputs)
    assert (verdict.status, verdict.tokens) == ("identical", 2)


@pytest.mark.parametrize(("ending", "field"), [("stop", {"stop": ("x",)}), ("length", {"max_tokens": 2})])
def test_a_length_difference_is_a_fault_unless_the_settings_explain_it(ending: str, field: dict[str, object]) -> None:
    long = Output(rounds=greedy(TOKENS), ending="stop", settings=GREEDY)
    alike = compare(long, Output(rounds=greedy(TOKENS[:2]), ending=ending, settings=GREEDY))
    assert (alike.status, alike.first_difference) == ("fail", 2)
    explained = Settings(**field)  # type: ignore[arg-type]
    unlike = compare(long, Output(rounds=greedy(TOKENS[:2]), ending=ending, settings=explained))
    assert (unlike.status, unlike.tokens) == ("identical", 2)


def test_stopping_where_the_other_arm_nearly_did_is_a_near_tie() -> None:
    long = Output(rounds=greedy(TOKENS, margin=1e-4), ending="stop")
    assert compare(long, Output(rounds=greedy(TOKENS[:2]), ending="stop")).status == "near-tie"


def test_sampled_texts_are_not_compared() -> None:
    verdict = compare(Output(rounds=greedy([1, 2])), Output(rounds=greedy([5]), settings=SAMPLING))
    assert (verdict.status, verdict.first_difference) == ("sampled", None)
    assert verdict.wording.startswith("sampled: the texts are expected to differ")


def test_left_out_ids_are_not_called_identical() -> None:
    blind = [make("ac", 2, emitted_ids=(), emitted_tokens=2)]
    assert judge(blind, blind).status == "not-comparable"


def test_asked_after_every_round_it_says_the_same() -> None:
    base, spec = greedy(TOKENS), [*greedy([3]), block((1, 4, 1), (1, 4, 1), (2, 2, 2)), *greedy([6, 9])]
    comparison = Comparison()
    for count, item in enumerate(base):
        comparison.add_reference(item)
        if count < len(spec):
            comparison.add_other(spec[count])
        expected = compare(Output(rounds=base[: count + 1]), Output(rounds=spec[: count + 1]))
        assert comparison.verdict() == expected
    assert comparison.verdict().first_difference == 4


def test_noise_follows_how_the_weights_are_held() -> None:
    assert noise_logits(ModelFacts(name="m", held_as="float32")) == NOISE_FLOAT32_LOGITS
    assert noise_logits(ModelFacts(name="m", held_as="packed")) == NOISE_BFLOAT16_LOGITS


def test_quantised_caches_round_their_keys_so_more_is_excused() -> None:
    exact = ModelFacts(name="m", held_as="float32")
    assert NOISE_FLOAT32_LOGITS < noise_logits(exact, 8) < noise_logits(exact, 4)
    coarse = Arm(name="a", settings=Settings(kv_bits=8))
    pair = [turn_of(name, 0, tokens, exact) for name, tokens in (("a", [1, 2]), ("b", [1, 3]))]
    for entry in pair:
        entry.rounds = [replace(r, margins=(0.3,)) for r in entry.rounds]
    assert compare_turns(*pair).status == "fail"
    for entry in pair:
        entry.started = replace(entry.started, spec=coarse)
    assert compare_turns(*pair).status == "near-tie"


def turn_of(name: str, turn: int, tokens: list[int], target: ModelFacts, prompt: tuple[int, ...] = (1, 2)) -> ArmTurn:
    started = Started(
        arm=name, turn=turn, t_s=0, spec=Arm(name=name), target=target, prompt_ids=prompt, prompt_tokens=2
    )
    end = Finished(arm=name, turn=turn, t_s=1, reason="stop", output_tokens=len(tokens))
    return ArmTurn(arm=name, turn=turn, started=started, rounds=greedy(tokens), finished=end)


def test_arms_with_different_targets_or_histories_may_differ() -> None:
    small, large = ModelFacts(name="small"), ModelFacts(name="large")
    assert compare_turns(turn_of("a", 0, [1, 2], small), turn_of("b", 0, [1, 2], large)).status == "identical"
    assert compare_turns(turn_of("a", 0, [1, 2], small), turn_of("b", 0, [1, 3], large)).status == "not-comparable"
    assert compare_turns(turn_of("a", 0, [1, 2], small), turn_of("b", 0, [1, 3], small)).status == "fail"
    other_history = turn_of("b", 0, [1, 3], small, prompt=(1, 9))
    assert compare_turns(turn_of("a", 0, [1, 2], small), other_history).status == "not-comparable"


def test_several_turns_give_the_most_severe_and_name_its_turn() -> None:
    facts = ModelFacts(name="m")
    turns = [
        turn_of("a", 0, [1, 2], facts), turn_of("a", 1, [3, 4], facts),
        turn_of("b", 0, [1, 2], facts), turn_of("b", 1, [3, 5], facts),
        turn_of("c", 0, [1, 2], facts), turn_of("c", 1, [3, 4], facts),
    ]  # fmt: skip
    verdicts = session_verdicts(turns)
    assert verdicts["b"].wording == "differs at token 1, turn 2 (margin 2)"
    assert verdicts["c"].wording == "identical (4 tokens)"
    assert over_turns([]).wording == "identical so far (0 tokens)"
