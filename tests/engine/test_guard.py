from __future__ import annotations

from engine.guard import PROBE_ROUNDS, REST_ROUNDS, WINDOW_ROUNDS, Guard
from engine.trace.events import Round


def round_(width: int, accepted: int, seconds: float) -> Round:
    return Round(
        arm="a", turn=0, index=0, t_s=0, context_tokens=1, requested_width=7, width=width, accepted=accepted,
        emitted_tokens=accepted + 1, verify_s=seconds,
    )  # fmt: skip


def play(guard: Guard, rounds: int, accepted: int, drafted_s: float, plain_s: float) -> list[bool]:
    """Rounds as the loop would run them; whether each was parked."""
    parked = []
    for _ in range(rounds):
        parked.append(guard.parked())
        guard.note(round_(0, 0, plain_s) if parked[-1] else round_(7, accepted, drafted_s))
    return parked


def test_without_fallback_it_never_parks() -> None:
    assert not any(play(Guard(), 200, 0, 2.0, 1.0))


def test_it_asks_what_a_plain_round_costs_before_it_judges() -> None:
    parked = play(Guard(fallback=True), WINDOW_ROUNDS + PROBE_ROUNDS + 3, 3, 1.2, 1.0)
    assert parked == [False] * WINDOW_ROUNDS + [True] * PROBE_ROUNDS + [False] * 3


def test_a_drafter_that_does_not_pay_rests_and_is_tried_again() -> None:
    parked = play(Guard(fallback=True), 3 * (WINDOW_ROUNDS + REST_ROUNDS), 0, 1.5, 1.0)
    first = WINDOW_ROUNDS + PROBE_ROUNDS + REST_ROUNDS
    assert parked[:first] == [False] * WINDOW_ROUNDS + [True] * (PROBE_ROUNDS + REST_ROUNDS)
    assert parked[first : first + WINDOW_ROUNDS] == [False] * WINDOW_ROUNDS
    assert parked[first + WINDOW_ROUNDS]


def test_one_that_pays_goes_on() -> None:
    parked = play(Guard(fallback=True), 300, 2, 1.5, 1.0)
    assert sum(parked) == PROBE_ROUNDS


def test_the_alarm_says_that_guesses_are_never_right() -> None:
    guard = Guard()
    play(guard, WINDOW_ROUNDS - 1, 0, 1, 1)
    assert guard.warning() == ""
    play(guard, 1, 0, 1, 1)
    assert f"0 of the last {7 * WINDOW_ROUNDS} kept" in guard.warning()
    play(guard, WINDOW_ROUNDS, 1, 1, 1)
    assert guard.warning() == ""
