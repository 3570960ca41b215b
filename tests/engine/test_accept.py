"""The acceptance rule: exact enumeration first, scripted draws next, and wrong rules that must be caught."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import mlx.core as mx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import accept
from engine.accept import Proposal

VOCABULARY = 5
Model = Callable[[tuple[int, ...]], np.ndarray]


def random_model(seed: int, zero: float = 0.0) -> Model:
    """A distribution after each prefix, made from the prefix alone; ``zero`` of its entries are 0."""

    def p(prefix: tuple[int, ...]) -> np.ndarray:
        rng = np.random.default_rng([seed, *prefix])
        weights = rng.random(VOCABULARY) ** 3
        weights[rng.random(VOCABULARY) < zero] = 0
        if weights.sum() == 0:
            weights[0] = 1
        return weights / weights.sum()

    return p


def f64(rows: object) -> mx.array:
    return mx.array(np.asarray(rows, np.float64), dtype=mx.float64)


def outcome_law(p: Model, q: Model, width: int, kind: str, rule: object = accept) -> dict[tuple[int, ...], float]:
    """Law of the emitted tokens of one round, by enumerating drafts, acceptances and the residual draw.

    The rule under test gives the keep probability of each draft and the residual; the enumeration multiplies.
    """
    law: dict[tuple[int, ...], float] = {}
    for drafts in itertools.product(range(VOCABULARY), repeat=width):
        p_rows = [p(drafts[:j]) for j in range(width + 1)]
        if kind == "point":
            # The drafter names the most likely token of its own model.
            if any(int(np.argmax(q(drafts[:j]))) != drafts[j] for j in range(width)):
                continue
            drawn, proposal = 1.0, Proposal(mx.array(drafts))
        else:
            q_rows = [q(drafts[:j]) for j in range(width)]
            drawn = float(np.prod([row[d] for row, d in zip(q_rows, drafts, strict=True)]))
            if drawn == 0:
                continue
            proposal = Proposal(mx.array(drafts), f64(q_rows))
            if kind == "candidates":
                order = np.stack([np.random.default_rng(j).permutation(VOCABULARY) for j in range(width)])
                proposal = Proposal(
                    mx.array(drafts), f64(np.take_along_axis(np.stack(q_rows), order, 1)), mx.array(order)
                )
        rows = f64(p_rows)
        draft_p, draft_q = (np.array(a) for a in rule.drafted(rows, proposal))
        keep = np.minimum(1, draft_p / draft_q)
        rest = np.array(rule.residuals(rows, proposal))
        for accepted in range(width + 1):
            reach = drawn * float(np.prod(keep[:accepted])) * (1 - keep[accepted] if accepted < width else 1)
            for token in range(VOCABULARY):
                emitted = (*drafts[:accepted], token)
                law[emitted] = law.get(emitted, 0) + reach * rest[accepted][token]
    return law


def joint(p: Model, length: int) -> dict[tuple[int, ...], float]:
    return {
        x: float(np.prod([p(x[:i])[x[i]] for i in range(length)]))
        for x in itertools.product(range(VOCABULARY), repeat=length)
    }


def continued(law: dict[tuple[int, ...], float], p: Model, length: int) -> dict[tuple[int, ...], float]:
    """Law of the first ``length`` tokens: what the round emitted, then the target alone."""
    out: dict[tuple[int, ...], float] = {}
    for emitted, weight in law.items():
        rest = max(0, length - len(emitted))
        for more in itertools.product(range(VOCABULARY), repeat=rest):
            x = (*emitted, *more)[:length]
            factor = float(np.prod([p(x[:i])[x[i]] for i in range(len(emitted), length)])) if rest else 1.0
            out[x] = out.get(x, 0) + weight * factor
    return out


def total_variation(a: dict[tuple[int, ...], float], b: dict[tuple[int, ...], float]) -> float:
    return sum(abs(a.get(x, 0) - b.get(x, 0)) for x in a.keys() | b.keys()) / 2


@pytest.fixture(autouse=True)
def on_cpu() -> None:
    mx.set_default_device(mx.cpu)  # float64 exists there alone


@pytest.mark.parametrize("kind", ["full", "candidates", "point"])
@pytest.mark.parametrize("width", [1, 2, 3])
@pytest.mark.parametrize("zero", [0.0, 0.5])
def test_emitted_tokens_are_distributed_as_the_target(kind: str, width: int, zero: float) -> None:
    p, q = random_model(1, zero), random_model(2, zero)
    law = continued(outcome_law(p, q, width, kind), p, 3)
    assert total_variation(law, joint(p, 3)) < 1e-12


def test_one_position_is_kept_with_probability_sum_of_min() -> None:
    p, q = random_model(3)(()), random_model(4)(())
    law = outcome_law(random_model(3), random_model(4), 1, "full")
    assert abs(sum(w for x, w in law.items() if len(x) == 2) - np.minimum(p, q).sum()) < 1e-12


def test_a_drafter_that_equals_the_target_is_always_kept_and_rounding_leaves_p() -> None:
    p = f64([[0.25, 0.75], [0.5, 0.5]])
    proposal = Proposal(mx.array([1]), p[:1])
    assert np.allclose(np.array(accept.residuals(p, proposal))[0], [0.25, 0.75])


class Wrong:
    """Rules seen in the wild (each with a part that is right)."""

    class RawQ:
        """The ratio uses another q than the one the draft was drawn from."""

        residuals = staticmethod(accept.residuals)

        @staticmethod
        def drafted(p: mx.array, proposal: Proposal) -> tuple[mx.array, mx.array]:
            flat = mx.power(proposal.q, 0.5)
            flat = flat / flat.sum(axis=-1, keepdims=True)
            return accept.drafted(p, Proposal(proposal.tokens, flat))

    class NoResidual:
        """After a rejection the token is drawn from p itself."""

        drafted = staticmethod(accept.drafted)

        @staticmethod
        def residuals(p: mx.array, proposal: Proposal) -> mx.array:
            return p

    class ArgmaxCorrection:
        """After a rejection the argmax is emitted although the temperature is above 0."""

        drafted = staticmethod(accept.drafted)

        @staticmethod
        def residuals(p: mx.array, proposal: Proposal) -> mx.array:
            rest = np.array(accept.residuals(p, proposal))
            return f64(np.eye(rest.shape[-1])[rest.argmax(-1)])

    class PointMassRatio:
        """A draft sampled from q is tested as if it had been certain (q = 1)."""

        residuals = staticmethod(accept.residuals)

        @staticmethod
        def drafted(p: mx.array, proposal: Proposal) -> tuple[mx.array, mx.array]:
            draft_p, draft_q = accept.drafted(p, proposal)
            return draft_p, mx.ones_like(draft_q)

    class WrongBonus:
        """The bonus is drawn without the temperature."""

        drafted = staticmethod(accept.drafted)

        @staticmethod
        def residuals(p: mx.array, proposal: Proposal) -> mx.array:
            rest = np.array(accept.residuals(p, proposal))
            rest[-1] = rest[-1] ** 2 / (rest[-1] ** 2).sum()
            return f64(rest)


@pytest.mark.parametrize(
    "rule", [Wrong.RawQ, Wrong.NoResidual, Wrong.ArgmaxCorrection, Wrong.PointMassRatio, Wrong.WrongBonus]
)
def test_wrong_rules_are_caught(rule: object) -> None:
    p, q = random_model(1), random_model(2)
    law = continued(outcome_law(p, q, 2, "full", rule), p, 3)
    assert total_variation(law, joint(p, 3)) > 1e-3  # nine orders above what the right rule shows


def test_choosing_the_length_by_the_block_itself_is_caught() -> None:
    """Cutting the block where its own tokens look good is not a stopping rule (it looks past the cut)."""
    p, q = random_model(1), random_model(2)
    law: dict[tuple[int, ...], float] = {}
    for width in (1, 2):
        for emitted, weight in outcome_law(p, q, 2, "full").items():
            chosen = 2 if len(emitted) > 1 and emitted[0] < 2 else 1
            if chosen == width:
                cut = emitted[:width]
                law[cut] = law.get(cut, 0) + weight
    # Dropping accepted tokens after the fact only shortens the text; drawing anew after looking does not keep p.
    redrawn = {}
    for emitted, weight in outcome_law(p, q, 2, "full").items():
        if emitted[0] == int(np.argmax(p(()))):
            redrawn[emitted] = redrawn.get(emitted, 0) + weight
        else:
            for again, more in outcome_law(p, q, 1, "full").items():
                redrawn[again] = redrawn.get(again, 0) + weight * more
    assert total_variation(continued(law, p, 2), joint(p, 2)) < 1e-12
    assert total_variation(continued(redrawn, p, 2), joint(p, 2)) > 0.01


@given(st.integers(0, 10_000), st.integers(0, 6))
@settings(max_examples=60, deadline=None)
def test_sampled_acceptance_follows_the_scripted_draws(seed: int, width: int) -> None:
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.ones(7), width + 1)
    q = rng.dirichlet(np.ones(7), width) if width else np.zeros((0, 7))
    drafts = rng.integers(0, 7, width)
    uniforms, noise = rng.random(width), rng.gumbel(size=7)
    accepted = 0
    while accepted < width and uniforms[accepted] < min(
        1, p[accepted, drafts[accepted]] / q[accepted, drafts[accepted]]
    ):
        accepted += 1
    rest = p[accepted] if accepted == width else np.maximum(p[accepted] - q[accepted], 0)
    with np.errstate(divide="ignore"):
        expected = int(np.argmax(np.log(rest) + noise))
    proposal = Proposal(mx.array(drafts.astype(np.int32)), f64(q) if width else None)
    decision = accept.accept_sampled(f64(p), proposal, f64(uniforms), f64(noise))
    assert (decision.accepted.item(), decision.next_token.item()) == (accepted, expected)


@given(st.integers(0, 10_000), st.integers(0, 6))
@settings(max_examples=60, deadline=None)
def test_greedy_acceptance_is_the_longest_prefix_of_argmaxes(seed: int, width: int) -> None:
    rng = np.random.default_rng(seed)
    logits = rng.normal(size=(width + 1, 4)).astype(np.float32)
    drafts = np.where(rng.random(width) < 0.7, logits[:width].argmax(-1), rng.integers(0, 4, width)).astype(np.int32)
    accepted = 0
    while accepted < width and drafts[accepted] == logits[accepted].argmax():
        accepted += 1
    decision = accept.accept_greedy(mx.argmax(mx.array(logits), axis=-1), mx.array(drafts))
    assert decision.accepted.item() == accepted
    assert decision.next_token.item() == logits[accepted].argmax()


def test_what_is_shown_of_a_round_is_the_same_on_the_host_and_in_the_graph() -> None:
    logits = mx.random.normal((5, 300), key=mx.random.key(2)) * 6
    logits[2, 0] = logits[2].max()  # a tie
    drafts = [7, 299, 0, 7]
    for rows in (logits, logits.astype(mx.bfloat16)):
        best: list[int] = mx.argmax(rows, axis=-1).tolist()  # type: ignore[assignment]
        softmax, margins = accept.shown_on_host(rows, drafts, best)
        expected = np.array(mx.softmax(rows.astype(mx.float32), axis=-1))[range(4), drafts]
        assert np.allclose(accept.softmax_of(rows, mx.array(drafts)).tolist(), expected, atol=1e-6)
        assert np.allclose(softmax, expected, atol=1e-6)
        assert np.allclose(margins, accept.margins(rows).tolist(), atol=1e-5)
    assert accept.shown_on_host(logits[:1], [], [int(mx.argmax(logits[0]).item())])[0] == []


def test_margins_are_first_minus_second() -> None:
    logits = mx.array([[1.0, 3.0, 2.5], [4.0, 4.0, 0.0]])
    assert accept.margins(logits).tolist() == [0.5, 0.0]
