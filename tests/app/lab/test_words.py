"""A plan becomes words that the command line reads back as the same arms."""

from __future__ import annotations

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from app.lab.words import LABS, LabPlan, arm_word, problem_of
from engine.arms import parse_arm
from engine.commands import lab
from engine.trace.events import Arm, Settings

NAMES = st.text("abc xyz=+/", min_size=1, max_size=12).map(str.strip).filter(bool)
SETTINGS = st.builds(
    Settings,
    block=st.integers(1, 16), candidate_width=st.integers(1, 64), injected_layers=st.integers(-1, 4),
    confidence_threshold=st.floats(0, 0.9), temperature=st.floats(0, 2), top_p=st.floats(0.1, 1),
    top_k=st.integers(0, 50), min_p=st.floats(0, 0.5), repetition_penalty=st.floats(0.5, 2),
    repetition_window_tokens=st.integers(1, 256), seed=st.integers(0, 9999), kv_bits=st.sampled_from([0, 4, 8]),
    stop=st.lists(st.text("abc.= \n", min_size=1, max_size=5).filter(lambda s: s == s.strip()), max_size=2).map(tuple),
)  # fmt: skip


@given(NAMES, st.sampled_from(["none", "/models/a b/x", "lookup+/models/small", "owner/name", "eagle=1"]), SETTINGS)
def test_an_arm_survives_the_command_line(name: str, drafter: str, settings: Settings) -> None:
    if drafter == "none":
        settings = msgspec.structs.replace(settings, candidate_width=Settings().candidate_width)
    arm = Arm(name=name, target="/models/big model", drafter=drafter, settings=settings)
    assert parse_arm(arm_word(arm)) == arm


def test_the_plan_decides_how_long_an_answer_is() -> None:
    arm = Arm(name="a", drafter="none", settings=Settings(max_tokens=7, seed=3))
    assert parse_arm(arm_word(arm), Settings(max_tokens=64)).settings == Settings(max_tokens=64, seed=3)


def test_what_can_not_be_written_is_left_out_or_told() -> None:
    odd = Arm(name="a,b", drafter="none", settings=Settings(stop=("x|y",)))
    assert arm_word(odd) == "name=a b,target=embedded,drafter=none"
    assert problem_of([odd]) == "" and problem_of([Arm(name="n", drafter="/a,b/c")]) == "n"


def test_the_labs_are_those_of_the_command() -> None:
    assert LABS == lab.LABS
    some = LabPlan((Arm(name="baseline"),), LABS[:2], "quick", "/out", "zh").words
    assert some[:4] == ["lab", "all", "--only", "lossless,sampling"]
    assert "--only" not in LabPlan((Arm(name="baseline"),), LABS, "full", "/out").words
