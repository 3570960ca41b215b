"""How evidence is weighed: probabilities are probabilities, weights that made a choice are found again."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.drafters.votes import (
    FILE,
    LOOKUP,
    MATCHES,
    ORDERS,
    SURES,
    USUAL,
    Evidence,
    Votes,
    Weights,
    choose,
    flat,
    read_votes,
    weights_of,
)
from engine.models.errors import ModelError
from engine.train.votes import Sample, fit, without_drafter

PLANTED = Weights(
    drafter=0.8, later=-0.2, lookup=(-1.0, 0.0, 1.0, 2.0, 3.0, 4.0), others=(-0.5, 0.5, 1.0, 1.5, 2.0, 2.5), share=0.4,
    table=tuple(tuple(order + 2 * sure for sure in SURES) for order in range(ORDERS)), spread=(0.1, 0.3, 0.6),
)  # fmt: skip


@st.composite
def evidence(draw: st.DrawFn) -> Evidence:
    n = draw(st.integers(0, 6))
    ids = draw(st.lists(st.integers(0, 30), min_size=n, max_size=n, unique=True))
    parts = draw(st.lists(st.floats(0.01, 1), min_size=n + 1, max_size=n + 1))
    whole = sum(parts)
    found = draw(st.dictionaries(st.integers(0, 30), st.tuples(st.integers(1, 12), st.integers(1, 5)), max_size=3))
    lookup = sorted(((token, *of) for token, of in found.items()), key=lambda one: -one[1])
    table = draw(st.none() | st.tuples(st.integers(0, 30), st.floats(0, 1), st.integers(1, 3)))
    others = draw(st.dictionaries(st.integers(0, 30), st.floats(0, 0.1), max_size=4))
    spread = table and ({table[0]: table[1] / 2, **others}, 1 - table[1] / 2 - sum(others.values()))
    return Evidence(ids, [math.log(p / whole) for p in parts[:n]], lookup, table, spread, draw(st.booleans()))


@given(evidence())
def test_the_chance_is_a_probability_and_more_evidence_raises_it(e: Evidence) -> None:
    found = choose(e, USUAL)
    if found is None:
        assert not e.ids and not e.lookup and e.table is None
        return
    token, chance = found
    assert 0 < chance < 1
    sure = choose(replace(e, lookup=[(token, MATCHES[-1], 1)]), USUAL)
    if not e.lookup:
        assert sure is not None and sure[0] == token and sure[1] > chance


def test_a_drafter_alone_is_taken_at_its_word() -> None:
    e = Evidence([4, 9], [math.log(0.6), math.log(0.3)])
    found = choose(e, Votes())
    assert found is not None and found[0] == 4 and found[1] == pytest.approx(0.6)
    both = choose(replace(e, lookup=[(9, 12, 1)], table=(9, 0.9, 3)), USUAL)
    assert both is not None and both[0] == 9


def made(n: int, seed: int = 0) -> list[Sample]:
    """What comes is drawn by the planted weights."""
    rng = np.random.default_rng(seed)
    samples = []
    for _ in range(n):
        ids = rng.choice(20, 5, replace=False).tolist()
        q = rng.dirichlet(np.full(6, 0.6))
        e = Evidence(
            ids,
            np.log(q[:5] + 1e-9).tolist(),
            [
                (int(token), int(rng.integers(1, 13)), int(rng.integers(1, 4)))
                for token in rng.choice(20, 2, replace=False)
            ],
            (int(rng.integers(0, 20)), float(rng.random()), int(rng.integers(1, 4))),
        )
        shares = rng.dirichlet(np.full(4, 0.6))
        others = rng.choice(20, 3, replace=False).tolist()
        e = replace(
            e,
            spread=(dict(zip(others, shares[:3].tolist(), strict=True)), float(shares[3])),
            first=bool(rng.integers(2)),
        )
        chances = {token: chance_of(e, token) for token in named(e)}
        tokens = list(chances)
        p = np.array([*chances.values(), max(0.0, 1 - sum(chances.values()))])
        drawn = int(rng.choice(len(p), p=p / p.sum()))
        samples.append(Sample(e, tokens[drawn] if drawn < len(tokens) else 99))
    return samples


def named(e: Evidence) -> set[int]:
    assert e.lookup and e.table and e.spread
    return {*e.ids, *(found[0] for found in e.lookup), e.table[0], *e.spread[0]}


def chance_of(e: Evidence, token: int) -> float:
    """By the formula of the module's docstring, written out once more."""
    w = PLANTED
    left = math.log(max(1 - sum(map(math.exp, e.log_q)), 1e-4))
    assert e.table and e.spread
    listed, spread = e.spread[0], w.spread[e.table[2] - 1]
    left_t = math.log(max(e.spread[1], 1e-4))
    drafter = w.drafter if e.first else w.drafter + w.later

    def s(v: int) -> float:
        assert e.table
        total = drafter * (e.log_q[list(e.ids).index(v)] if v in e.ids else left + math.log(1 / 200))
        total += spread * (math.log(max(listed[v], 1e-4)) if v in listed else left_t + math.log(1 / 200))
        for n, (token, matched, times) in enumerate(e.lookup):
            if v == token:
                total += (w.others if n else w.lookup)[sum(matched >= edge for edge in MATCHES) - 1]
                total += w.share * math.log(times / sum(found[2] for found in e.lookup))
        if v == e.table[0]:
            total += w.table[e.table[2] - 1][sum(e.table[1] >= edge for edge in SURES) - 1]
        return total

    rest = math.exp(drafter * left + spread * left_t)
    return math.exp(s(token)) / (sum(math.exp(s(v)) for v in named(e)) + rest)


def test_the_choice_is_the_formulas() -> None:
    for sample in made(50):
        e = sample.heard
        assert e.lookup and e.table
        found = choose(e, Votes(beside=PLANTED))
        chances = {v: chance_of(e, v) for v in named(e)}
        assert found is not None
        assert found[1] == pytest.approx(max(chances.values())) == pytest.approx(chances[found[0]])


def test_planted_weights_are_found_again() -> None:
    found = fit(made(12_000))
    assert found.drafter == pytest.approx(PLANTED.drafter, abs=0.1)
    assert found.later == pytest.approx(PLANTED.later, abs=0.1) and found.share == pytest.approx(PLANTED.share, abs=0.2)
    assert weights_of(flat(found)) == found
    off = np.abs(np.array(flat(found)[LOOKUP:]) - flat(PLANTED)[LOOKUP:])
    assert off.mean() < 0.25 and off.max() < 0.9
    assert found.spread == pytest.approx(PLANTED.spread, abs=0.1)


def test_without_a_drafter_its_weight_decides_nothing() -> None:
    alone = [without_drafter(s) for s in made(300)]
    found = fit(alone)
    assert found.drafter == pytest.approx(0.0, abs=0.01) and found.later == 0.0
    assert fit([]) == fit([Sample(Evidence(), 3)]) == Weights()


def test_the_usual_weights_leave_the_tables_first_choice_first() -> None:
    found = choose(Evidence(table=(7, 0.5, 3), spread=({7: 0.5, 3: 0.2}, 0.3)), USUAL)
    assert found is not None and found[0] == 7 and found[1] == pytest.approx(0.5, abs=0.2)
    sure = choose(Evidence(table=(7, 0.9, 3), spread=({7: 0.9, 3: 0.05}, 0.05)), USUAL)
    assert sure is not None and sure[0] == 7 and sure[1] > 0.7


def test_weights_of_a_table_without_a_list_are_left_aside(tmp_path: Path) -> None:
    written = msgspec.to_builtins(Votes(beside=PLANTED))
    for part in ("beside", "alone"):
        del written[part]["spread"]
    (tmp_path / FILE).write_bytes(msgspec.json.encode(written))
    assert read_votes(tmp_path) == USUAL


def test_weights_beside_a_drafter_are_read_or_refused(tmp_path: Path) -> None:
    assert read_votes(tmp_path) == USUAL
    votes = Votes(beside=PLANTED, fitted_on="9 drafts")
    (tmp_path / FILE).write_bytes(msgspec.json.encode(votes))
    assert read_votes(tmp_path) == votes
    (tmp_path / FILE).write_bytes(msgspec.json.encode(Votes(beside=Weights(lookup=(1.0,)))))
    with pytest.raises(ModelError, match="doesn't have the weights"):
        read_votes(tmp_path)
    (tmp_path / FILE).write_text("{")
    with pytest.raises(ModelError, match="can't be read"):
        read_votes(tmp_path)
