"""Drafters that are broken or another target's cost speed and never text; what would corrupt it is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mlx.core as mx
import numpy as np
import pytest
from mlx.utils import tree_flatten, tree_map

from engine import accept
from engine.accept import Proposal
from engine.drafters.checkpoint import load_block_drafter
from engine.drafters.eagle import EagleDrafter
from engine.drafters.formats import read_drafter
from engine.drafters.formats.tensors import build
from engine.drafters.save import save_drafter
from engine.guard import WINDOW_ROUNDS
from engine.models.errors import ModelError
from tests.engine.drafters.blocks import HEADS, drafter, layout, randomise
from tests.engine.drafters.formats.checkpoints import CONFIGS, HEADS_OF, H, backbone, write
from tests.engine.helpers import arm_state, ids, rounds, run
from tests.tiny import VOCABULARY, tiny_target

TARGET = tiny_target("dense", seed=5)
PROMPT = "the quick brown fox"
LENGTH = 24


@pytest.fixture(autouse=True)
def _no_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TARGET.tokenizer, "eos_token_ids", (), raising=False)


def broken(head: str) -> Any:
    """A drafter all of whose numbers are NaN."""
    inner: Any = drafter(TARGET, layout(head))
    model = inner.eagle.model if isinstance(inner, EagleDrafter) else inner.block.model
    model.update(tree_map(lambda a: a * float("nan") if a.dtype == mx.float32 else a, model.parameters()))
    return inner


@pytest.mark.parametrize("head", HEADS)
def test_a_drafter_of_nothing_but_nan_costs_no_greedy_text(head: str) -> None:
    expected = ids(run(arm_state(TARGET, max_tokens=LENGTH), PROMPT))
    assert ids(run(arm_state(TARGET, broken(head), max_tokens=LENGTH, block=5), PROMPT)) == expected


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("settings", [{}, {"top_k": 5}, {"top_p": 0.9, "min_p": 0.01}, {"candidate_width": 400}])
def test_a_draft_whose_q_is_nan_is_never_kept(head: str, settings: dict[str, Any]) -> None:
    state = arm_state(TARGET, broken(head), max_tokens=LENGTH, block=5, temperature=1.0, **settings)
    found = rounds(run(state, PROMPT))
    assert sum(r.emitted_tokens for r in found) == LENGTH
    drafted = [r for r in found if r.width]
    assert all(r.accepted == 0 and np.isnan(r.draft_q).all() for r in drafted)
    assert all(0 <= i < VOCABULARY for r in drafted for i in r.draft_ids)


@pytest.mark.parametrize("candidates", [False, True])
def test_after_a_q_of_nan_the_target_s_own_distribution_is_drawn_from(candidates: bool) -> None:
    p = mx.softmax(mx.random.normal((3, 8), key=mx.random.key(0)), axis=-1)
    some = mx.array([[1, 4, 6], [0, 2, 7]])
    q = mx.full((2, 3 if candidates else 8), float("nan"))
    proposal = Proposal(mx.array([4, 2]), q, some if candidates else None)
    assert mx.allclose(accept.residuals(p, proposal), p, atol=1e-7).item()
    assert not accept.kept(*accept.drafted(p, proposal), mx.zeros((2,))).any().item()


@pytest.mark.parametrize("head", ["B", "C rnn", "D", "E"])
@pytest.mark.parametrize("temperature", [1e-3, 1e-20, 1e-39, 1e-44])
def test_q_is_a_number_at_any_temperature(head: str, temperature: float) -> None:
    state = arm_state(TARGET, drafter(TARGET, layout(head)), max_tokens=12, block=5, temperature=temperature)
    q = [x for r in rounds(run(state, PROMPT)) for x in r.draft_q]
    assert len(q) > 12 and np.isfinite(q).all()


@pytest.mark.parametrize("head", HEADS)
def test_another_target_s_vocabulary_is_refused_before_anything_is_drafted(head: str, tmp_path: Path) -> None:
    """With an embedding and a head of its own nothing else tells, and its ids lead outside the target's table."""
    y = layout(head, vocabulary=VOCABULARY + 40, own_embedding=True, own_head=True)
    model = build(y)
    randomise(model, 1)
    save_drafter(tmp_path / "drafter", y, dict(tree_flatten(model.parameters())))
    with pytest.raises(ModelError, match=f"knows {VOCABULARY + 40} tokens, tiny dense has {VOCABULARY}"):
        load_block_drafter(tmp_path / "drafter", TARGET)


@pytest.mark.parametrize(
    ("draft_ids", "says"), [([3, 3, 5], "twice"), ([3, 5, 64], "outside"), ([-1, 3, 5], "outside")]
)
def test_draft_ids_that_mean_no_token_or_one_twice(draft_ids: list[int], says: str, tmp_path: Path) -> None:
    """Two columns of q for one token would leave a wrong residual."""
    y = layout("B", draft_vocabulary=3)
    model = build(y)
    randomise(model, 1)
    model.draft_ids = mx.array(draft_ids)
    save_drafter(tmp_path / "drafter", y, dict(tree_flatten(model.parameters())))
    with pytest.raises(ModelError, match=says):
        load_block_drafter(tmp_path / "drafter", TARGET)


def test_steps_that_lead_to_one_token_twice(tmp_path: Path) -> None:
    heads = HEADS_OF["speculators dspark"]() | {"lm_head.weight": mx.zeros((2, H)), "d2t": mx.array([1, 0])}
    config = {**CONFIGS["speculators dspark"], "draft_vocab_size": 2}
    rank = heads["markov_head.markov_w2.weight"].shape[-1]
    heads["markov_head.markov_w2.weight"] = mx.zeros((2, rank))
    with pytest.raises(ModelError, match=r"'d2t'.*twice"):
        read_drafter(write(tmp_path, config, backbone() | heads))


@pytest.mark.parametrize("head", ["A", "B", "D", "E"])
def test_a_drafter_that_fits_nothing_raises_the_alarm_within_its_first_32_rounds(head: str) -> None:
    state = arm_state(TARGET, broken(head), max_tokens=WINDOW_ROUNDS + 8, block=5, temperature=1.0)
    drafted = [r for r in rounds(run(state, PROMPT)) if r.width]
    assert not any(r.warning for r in drafted[: WINDOW_ROUNDS - 1])
    assert "almost never right" in drafted[WINDOW_ROUNDS - 1].warning


def test_the_alarm_adds_up_over_short_answers() -> None:
    state = arm_state(TARGET, broken("B"), max_tokens=12, block=5, temperature=1.0)
    drafted = [r for _ in range(4) for r in rounds(run(state, PROMPT)) if r.width]
    assert len(drafted) > WINDOW_ROUNDS
    assert [bool(r.warning) for r in drafted] == [n >= WINDOW_ROUNDS for n in range(1, len(drafted) + 1)]


@pytest.mark.parametrize(
    "changes",
    [
        {"hidden_size": 64, "own_embedding": True},
        {"hidden_size": 64, "own_embedding": True, "own_head": True},
        {"tap_size": 16},
    ],
)
def test_widths_that_do_not_join_are_refused_when_it_is_loaded(changes: dict[str, Any], tmp_path: Path) -> None:
    y = layout("B", **changes)
    model = build(y)
    randomise(model, 1)
    save_drafter(tmp_path / "drafter", y, dict(tree_flatten(model.parameters())))
    with pytest.raises(ModelError, match="wide, tiny dense is 32"):
        load_block_drafter(tmp_path / "drafter", TARGET)
