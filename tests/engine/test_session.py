"""Models are loaded once and shared; arms keep their state only while it is theirs."""

from __future__ import annotations

import pytest
from mlx_lm.models.cache import ChunkedKVCache

from engine.models.errors import ModelError
from engine.session import Models, Session
from engine.target import Target
from engine.trace.events import Arm, Settings
from tests.tiny import ByteTokenizer, tiny_target


class Counting:
    def __init__(self) -> None:
        self.loaded: list[str] = []

    def __call__(self, name: str) -> Target:
        self.loaded.append(name)
        if name == "missing":
            raise ModelError("There is no model directory at missing.")
        target = tiny_target("dense" if name == "small heads" else "wide", seed=len(self.loaded))
        if name == "other tokenizer":
            target.tokenizer.__class__ = type("Other", (ByteTokenizer,), {"token": staticmethod(lambda i: f"<{i}>")})
        return target


@pytest.fixture
def load() -> Counting:
    return Counting()


@pytest.fixture
def session(load: Counting) -> Session:
    return Session(Models(load))


def test_arms_of_one_model_share_its_weights(session: Session, load: Counting) -> None:
    a, b, c = session.open(
        [Arm(name="a", target="m"), Arm(name="b", target="m", drafter="lookup"), Arm(name="c", target="m", drafter="d")]
    )
    assert a.target is b.target is c.target
    assert sorted(load.loaded) == ["d", "m"]
    assert a.caches is not b.caches
    assert c.drafter is not None
    assert c.drafter_facts is not None


def test_what_no_arm_needs_any_more_is_let_go(session: Session) -> None:
    session.open([Arm(name="a", target="m"), Arm(name="b", target="n")])
    session.open([Arm(name="a", target="m")])
    assert set(session.models.targets) == {"m"}


def test_an_arm_keeps_its_caches_over_new_settings_but_not_over_another_drafter(session: Session) -> None:
    (first,) = session.open([Arm(name="a", target="m")])
    (again,) = session.open([Arm(name="a", target="m", settings=Settings(temperature=0.5))])
    assert again is first
    assert again.spec.settings.temperature == 0.5
    (other,) = session.open([Arm(name="a", target="m", drafter="lookup")])
    assert other is not first
    (bits,) = session.open([Arm(name="a", target="m", drafter="lookup", settings=Settings(kv_bits=8))])
    assert bits is not other


def test_what_was_seen_of_a_drafter_is_kept_while_its_settings_are(session: Session) -> None:
    arm = Arm(name="a", target="m", drafter="lookup")
    guard = session.open([arm])[0].guard
    assert session.open([arm])[0].guard is guard
    wider = Arm(name="a", target="m", drafter="lookup", settings=Settings(block=12))
    assert session.open([wider])[0].guard is not guard


def test_a_drafter_with_another_vocabulary_is_refused_and_nothing_has_changed(session: Session) -> None:
    (before,) = session.open([Arm(name="a", target="m")])
    with pytest.raises(
        ModelError, match=r"can't draft for .*: its vocabulary is another one \(64 and 64 tokens, 128 entries"
    ):
        session.open([Arm(name="b", target="m", drafter="other tokenizer")])
    assert session.arms == {"a": before}
    assert set(session.models.targets) == {"m"}


def test_a_target_whose_cache_cannot_be_rolled_back_is_refused_a_drafter_when_it_is_opened(
    session: Session,
) -> None:
    (before,) = session.open([Arm(name="a", target="m")])
    before.target.model.make_cache = lambda: [ChunkedKVCache(8)]
    with pytest.raises(ModelError, match="ChunkedKVCache cannot be rolled back"):
        session.open([Arm(name="b", target="m", drafter="lookup")])
    assert session.arms == {"a": before}
    assert set(session.models.targets) == {"m"}
    assert len(session.open([Arm(name="b", target="m")])) == 1


def test_a_model_that_is_missing_is_refused(session: Session) -> None:
    with pytest.raises(ModelError, match="no model directory") as refused:
        session.open([Arm(name="a", target="m"), Arm(name="b", target="missing")])
    assert refused.value.arm == "b"
    assert session.arms == {}


def test_a_cache_precision_that_the_heads_do_not_allow_is_refused_and_no_setting_has_changed(session: Session) -> None:
    (before,) = session.open([Arm(name="a", target="small heads")])
    with pytest.raises(ModelError, match="attention heads of 8 are not divided by 32"):
        session.open(
            [
                Arm(name="a", target="small heads", settings=Settings(seed=9)),
                Arm(name="b", target="small heads", settings=Settings(kv_bits=8)),
            ]
        )
    assert before.spec.settings.seed == 0
    assert session.arms == {"a": before}
