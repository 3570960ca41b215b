"""From logits to drafts: the table against scores one at a time, and q against everything that can be drawn.

``paths`` runs the real walker once for every course its draws can take, by scripting the draws; what it says of q is
then multiplied out with the acceptance rule and compared with the target's own law.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import mlx.core as mx
import numpy as np
import pytest
from scipy.stats import chisquare

from engine import accept
from engine.accept import Proposal
from engine.drafters import walker as walker_module
from engine.drafters.backbone import Features
from engine.drafters.block import BlockDrafter
from engine.drafters.layout import Cascade
from engine.drafters.walker import Paired, Serial, Walk, candidates
from engine.sampling import Sampler
from engine.trace.events import Settings
from tests.engine.drafters.blocks import block, layout
from tests.tiny import VOCABULARY, tiny_target

TARGET = tiny_target("dense", seed=5)
TEXT = [5, 9, 30, 41, 22, 17]
ANCHOR = 33


def following(head: str, **changes: Any) -> BlockDrafter:
    """A drafter that has seen TEXT."""
    inner = BlockDrafter(block(TARGET, layout(head, **changes), spread=0.25))
    _, taps = TARGET.forward(mx.array(TEXT), TARGET.make_caches(), inner.taps)
    inner.observe(TEXT, taps)
    return inner


def sampler(**settings: Any) -> Sampler:
    return Sampler(Settings(**{"temperature": 1.0, **settings}))


class Caught:
    """A walker that keeps what it was given."""

    def __init__(self, inner: BlockDrafter, width: int, **settings: Any) -> None:
        self.real = inner.block.walker
        object.__setattr__(inner.block, "walker", self)
        try:
            self.walked = inner.draft(ANCHOR, width, sampler(**settings))
        finally:
            object.__setattr__(inner.block, "walker", self.real)

    def __call__(self, logits: mx.array, features: Features, anchor: int, s: Sampler) -> Walk:
        self.logits, self.features = logits, features
        return self.real(logits, features, anchor, s)


def f64(a: mx.array) -> np.ndarray:
    return np.array(a.astype(mx.float32), np.float64)


def one_score(inner: BlockDrafter, caught: Caught, k: int, before: int, b: int) -> float:
    """S_k(b | before) written out with vectors, in float64."""
    model, y = inner.block.model, inner.layout
    u, h = f64(caught.logits)[k, b], f64(caught.features.hidden)[0, k]
    if y.dflash2:
        selector = model.candidate_selector
        a, c = f64(selector.predecessor_codebook)[before], f64(selector.successor_codebook)[b]
        return float(u + ((a * (f64(selector.hidden_projection.weight) @ h)) * c).sum())
    cascade = model.cascade
    e = f64(TARGET.model.model.embed_tokens.weight)
    wa, ws, wg = (f64(getattr(cascade, f"transition_{name}").weight) for name in ("predecessor", "successor", "hidden"))
    assert caught.features.expected is not None and y.cascade is not None
    surprise = wa @ e[before]
    if y.cascade.form == "innovation":
        surprise = surprise - wa @ f64(caught.features.expected)[0, k]
    return float(u + ((wg @ h) * surprise * (ws @ e[b])).sum())


@pytest.mark.parametrize("head", ["D", "E", "E anchor-first"])
@pytest.mark.parametrize("k", [1, 2, 5, VOCABULARY])
def test_the_table_equals_scores_one_at_a_time(head: str, k: int) -> None:
    inner = following(head)
    caught = Caught(inner, 4, candidate_width=k)
    paired = inner.block.walker
    assert isinstance(paired, Paired)
    found = candidates(caught.logits, k)
    before = mx.concatenate([mx.full((1, k), ANCHOR, mx.int32), found[:-1]])
    own = mx.take_along_axis(caught.logits, found, axis=-1)
    table = np.array(own[:, None, :] + paired.table(caught.features, before, found))
    assert table.shape == (4, k, k)
    rng = np.random.default_rng(0)
    for _ in range(40):
        at, a, b = rng.integers(4), rng.integers(k), rng.integers(k)
        wanted = one_score(inner, caught, at, int(before[at, a].item()), int(found[at, b].item()))
        assert abs(table[at, a, b] - wanted) < 1e-3 * max(1, abs(wanted))


@pytest.mark.parametrize("head", ["D", "E"])
@pytest.mark.parametrize("k", [2, 7, VOCABULARY])
def test_a_greedy_walk_takes_the_best_candidate_after_the_one_before(head: str, k: int) -> None:
    inner = following(head)
    caught = Caught(inner, 5, candidate_width=k, temperature=0.0)
    found = np.array(candidates(caught.logits, k))
    before, expected = ANCHOR, []
    for at in range(5):
        before = max(found[at], key=lambda b: one_score(inner, caught, at, before, int(b)))
        expected.append(int(before))
    assert caught.walked.tokens.tolist() == expected
    assert caught.walked.q is None
    # The correction does something: otherwise this would be scheme B.
    assert k == 2 or expected != mx.argmax(caught.logits, axis=-1).tolist()


@pytest.mark.parametrize("head", ["D", "E", "E anchor-first"])
@pytest.mark.parametrize("temperature", [0.0, 0.8])
def test_step_by_step_equals_the_table(head: str, temperature: float) -> None:
    inner = following(head)
    paired = inner.block.walker
    assert isinstance(paired, Paired)
    for seed in range(5):
        settings = {"temperature": temperature, "seed": seed, "candidate_width": 9}
        paired.table_candidates = 256
        a = inner.draft(ANCHOR, 5, sampler(**settings))
        paired.table_candidates = 8
        b = inner.draft(ANCHOR, 5, sampler(**settings))
        assert a.tokens.tolist() == b.tokens.tolist()
        assert (a.q is None) == (b.q is None) == (temperature == 0)
        if a.q is not None and b.q is not None:
            assert mx.allclose(a.q, b.q, atol=1e-5).item()


def test_candidates_are_the_best_and_hold_the_first_argmax_even_among_ties() -> None:
    mx.random.seed(0)
    logits = mx.random.normal((6, 40))
    for k in (1, 2, 7, 39, 40, 99):
        found = np.array(candidates(logits, k))
        assert found.shape == (6, min(k, 40))
        for row, ids in zip(np.array(logits), found, strict=True):
            assert list(ids) == sorted(set(ids))
            assert set(ids) == set(np.argsort(-row)[:k])
    for k in range(1, 12):
        ties = mx.array([[0.0] * 3 + [5.0] * 9 + [1.0] * 3] * 2)
        ids = candidates(ties, k)
        best = mx.argmax(mx.take_along_axis(ties, ids, axis=-1), axis=-1, keepdims=True)
        assert mx.take_along_axis(ids, best, axis=-1).tolist() == [[3], [3]]
        assert len(set(ids[0].tolist())) == k


def test_switches_of_the_transition_cache() -> None:
    """Off, candidates stand by their logits alone; the two forms differ by what was expected."""
    walks = {}
    for name, switches in {
        "off": Cascade(lens_rank=8, transition_rank=8, transitions=False),
        "plain": Cascade(lens_rank=8, transition_rank=8, form="plain"),
        "innovation": Cascade(lens_rank=8, transition_rank=8),
    }.items():
        inner = following("E", cascade=switches)
        walks[name] = Caught(inner, 5, candidate_width=8, temperature=2.0)
    logits = walks["off"].logits
    found = candidates(logits, 8)
    q = mx.softmax(mx.take_along_axis(logits, found, axis=-1) / 2.0, axis=-1)
    assert walks["off"].walked.q is not None and mx.allclose(walks["off"].walked.q, q, atol=1e-5).item()
    # The switch is the walker's alone: the logits are the same.
    assert all(mx.array_equal(caught.logits, logits).item() for caught in walks.values())
    first = [np.array(caught.walked.q)[0] for caught in walks.values()]
    assert np.abs(first[0] - first[1]).max() > 1e-3 and np.abs(first[1] - first[2]).max() > 1e-3


# --- what is drawn, and from what ---


class Script:
    """Draws taken from a list; beyond it the first possible one, so that all courses can be listed."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.wanted: list[int] = []
        self.taken: list[int] = []
        self.options: list[list[int]] = []
        monkeypatch.setattr(walker_module, "draw", self.draw)
        monkeypatch.setattr(mx.random, "gumbel", self.gumbel)

    def start(self, wanted: list[int]) -> None:
        self.wanted, self.taken, self.options = wanted, [], []

    def choose(self, row: np.ndarray) -> int:
        self.options.append([int(i) for i in np.flatnonzero(row)])
        at = self.wanted[len(self.taken)] if len(self.taken) < len(self.wanted) else self.options[-1][0]
        self.taken.append(at)
        return at

    def draw(self, q: mx.array, key: mx.array) -> mx.array:
        return mx.array([self.choose(row) for row in np.array(q)], mx.int32)

    def gumbel(self, shape: tuple[int, int], key: mx.array) -> mx.array:
        """Noise that leaves no choice."""
        noise = np.zeros(shape, np.float32)
        for row in noise:
            row[self.choose(np.ones(shape[1]))] = 1e6
        return mx.array(noise)


def paths(inner: BlockDrafter, width: int, script: Script, s: dict[str, Any]) -> Iterator[tuple[list[int], np.ndarray]]:
    """Every course of one block: the drafts, and q over the whole vocabulary at each position."""
    todo: list[list[int]] = [[]]
    while todo:
        script.start(todo.pop())
        walked = inner.draft(ANCHOR, width, sampler(**s))
        rows = np.array(walked.q, np.float64)
        if walked.candidates is not None:
            full = np.zeros((width, VOCABULARY))
            np.put_along_axis(full, np.array(walked.candidates), rows, axis=1)
            rows = full
        yield walked.tokens.tolist(), rows  # type: ignore[misc]
        for depth in range(len(script.wanted), width):
            todo += [[*script.taken[:depth], other] for other in script.options[depth] if other != script.taken[depth]]


def target_rows(drafts: list[int], s: dict[str, Any]) -> np.ndarray:
    logits, _ = TARGET.forward(mx.array([*TEXT, ANCHOR, *drafts]), TARGET.make_caches())
    return np.array(sampler(**s).probabilities(logits[len(TEXT) :]), np.float64)


def distance(inner: BlockDrafter, width: int, script: Script, s: dict[str, Any], distort: Any = None) -> float:
    """Total variation between the first two emitted tokens and the target's own, by multiplying out all courses."""
    law, kept = emitted_law(inner, width, script, s, distort)
    assert kept > 0.005  # drafts that are never kept would show nothing
    return float(np.abs(law - target_law(s)).sum() / 2)


def emitted_law(
    inner: BlockDrafter, width: int, script: Script, s: dict[str, Any], distort: Any = None
) -> tuple[np.ndarray, float]:
    """P(first two emitted tokens), the target going on alone after a short round; and P(the first draft is kept)."""
    law = np.zeros((VOCABULARY, VOCABULARY))
    kept = 0.0
    alone: dict[int, np.ndarray] = {}
    for drafts, q in paths(inner, width, script, s):
        drawn = float(np.prod([row[t] for row, t in zip(q, drafts, strict=True)]))
        if drawn == 0:
            continue
        p = target_rows(drafts, s)
        claimed = q if distort is None else distort(q)
        proposal = Proposal(mx.array(drafts), mx.array(claimed, dtype=mx.float64))
        rows = mx.array(p, dtype=mx.float64)
        draft_p, draft_q = (np.array(a) for a in accept.drafted(rows, proposal))
        keep, rest = np.minimum(1, draft_p / draft_q), np.array(accept.residuals(rows, proposal))
        kept += drawn * keep[0]
        for accepted in range(width + 1):
            reach = drawn * np.prod(keep[:accepted]) * (1 - keep[accepted] if accepted < width else 1)
            for token in np.flatnonzero(rest[accepted]):
                emitted = [*drafts[:accepted], int(token)]
                if len(emitted) >= 2:
                    law[emitted[0], emitted[1]] += reach * rest[accepted][token]
                else:
                    if token not in alone:
                        alone[int(token)] = target_rows([int(token)], s)[1]
                    law[token] += reach * rest[accepted][token] * alone[int(token)]
    return law, kept


def target_law(s: dict[str, Any]) -> np.ndarray:
    first = target_rows([], s)[0]
    law = np.zeros((VOCABULARY, VOCABULARY))
    for x in np.flatnonzero(first):
        law[x] = first[x] * target_rows([int(x)], s)[1]
    return law


NARROW = {"temperature": 8.0, "top_k": 20, "top_p": 0.97}
WIDE = {"temperature": 8.0, "top_p": 0.97, "min_p": 0.001}


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Script:
    mx.set_default_device(mx.cpu)  # float64 exists there alone
    return Script(monkeypatch)


@pytest.mark.parametrize("head", ["B", "C vanilla", "C gated", "C rnn", "C domino"])
def test_b_and_c_emit_the_target_s_law(head: str, script: Script) -> None:
    assert distance(following(head), 2, script, NARROW) < 1e-6


@pytest.mark.parametrize("head", ["D", "E", "E anchor-first"])
@pytest.mark.parametrize(("k", "width"), [(1, 2), (2, 3), (16, 2), (VOCABULARY, 1)])
def test_d_and_e_emit_the_target_s_law_at_every_candidate_width(head: str, k: int, width: int, script: Script) -> None:
    assert distance(following(head), width, script, {**WIDE, "candidate_width": k}) < 1e-6


@pytest.mark.parametrize("head", ["B", "C rnn", "E"])
def test_a_reduced_vocabulary_emits_the_target_s_law(head: str, script: Script) -> None:
    assert distance(following(head, draft_vocabulary=30), 2, script, {**NARROW, "candidate_width": 4}) < 1e-6


@pytest.mark.parametrize("head", ["B", "C vanilla", "D", "E"])
def test_courses_add_up_to_one_and_q_depends_on_what_was_drawn_before_alone(head: str, script: Script) -> None:
    s = {**NARROW, "candidate_width": 5}
    seen: dict[tuple[int, ...], np.ndarray] = {}
    total = 0.0
    for drafts, q in paths(following(head), 2, script, s):
        total += float(q[0][drafts[0]] * q[1][drafts[1]])
        for j in range(2):
            known = seen.setdefault(tuple(drafts[:j]), q[j])
            assert np.abs(known - q[j]).max() < 1e-6
    assert abs(total - 1) < 1e-5
    # C, D and E correct by the predecessor, B doesn't.
    rows = [row for prefix, row in seen.items() if prefix]
    assert (np.ptp(rows, axis=0).max() > 1e-3) == (head != "B")


def test_a_q_that_is_not_what_was_drawn_from_is_caught(script: Script) -> None:
    """Controls: q without temperature, q of another predecessor."""

    def flat(q: np.ndarray) -> np.ndarray:
        return np.sqrt(q) / np.sqrt(q).sum(axis=1, keepdims=True)

    inner, s = following("E"), {**WIDE, "candidate_width": 4}
    assert distance(inner, 2, script, s, distort=flat) > 1e-3
    real = walker_module.walk

    def forgetful(scores: mx.array, sampler: Sampler, noise: mx.array | None) -> tuple[mx.array, mx.array | None]:
        index, _ = real(scores, sampler, noise)
        return index, mx.softmax(scores[:, 0] / sampler.settings.temperature, axis=-1)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(walker_module, "walk", forgetful)
        pairs = list(paths(inner, 2, script, s))
    assert abs(sum(float(q[0][d[0]] * q[1][d[1]]) for d, q in pairs) - 1) < 1e-5  # looks right
    by_first: dict[int, list[np.ndarray]] = {}
    for drafts, q in paths(inner, 2, script, s):
        by_first.setdefault(drafts[0], []).append(q[1])
    wrong = {d[0]: q[1] for d, q in pairs}
    assert max(np.abs(wrong[first] - rows[0]).max() for first, rows in by_first.items()) > 1e-3


@pytest.mark.parametrize("head", ["B", "C vanilla", "D", "E"])
def test_draws_follow_the_q_they_come_with(head: str) -> None:
    """1,200 real draws of two drafts against the q rows that came along, bins fixed by them."""
    inner = following(head)
    n = 1_200
    counts: Counter[tuple[int, int]] = Counter()
    first: np.ndarray | None = None
    second: dict[int, np.ndarray] = {}
    for seed in range(n):
        walked = inner.draft(ANCHOR, 2, sampler(temperature=2.0, top_k=6, seed=seed, candidate_width=6))
        mx.eval(walked.tokens, walked.q, walked.candidates)
        a, b = walked.tokens.tolist()  # type: ignore[misc]
        rows = np.array(walked.q, np.float64)
        if walked.candidates is not None:
            full = np.zeros((2, VOCABULARY))
            np.put_along_axis(full, np.array(walked.candidates), rows, axis=1)
            rows = full
        counts[a, b] += 1
        first = rows[0]
        second[a] = rows[1]
    assert first is not None
    law = {(a, b): first[a] * row[b] for a, row in second.items() for b in np.flatnonzero(row)}
    assert set(counts) <= set(law)
    big = [x for x in law if law[x] * n >= 10]
    observed = [counts[x] for x in big] + [n - sum(counts[x] for x in big)]
    expected = [law[x] * n for x in big] + [n - sum(law[x] * n for x in big)]
    if expected[-1] < 1:
        observed, expected = observed[:-1], [e * sum(observed[:-1]) / sum(expected[:-1]) for e in expected[:-1]]
    assert chisquare(observed, expected).pvalue > 1e-4


def test_serial_heads_leave_the_pure_prefix_alone() -> None:
    inner = following("C domino")
    serial = inner.block.walker
    assert isinstance(serial, Serial) and serial.pure_prefix == 1
    serial.head.up.weight = serial.head.up.weight * 20
    caught = Caught(inner, 4, temperature=0.0)
    base = mx.argmax(caught.logits, axis=-1).tolist()
    assert caught.walked.tokens[0].item() == base[0]  # type: ignore[index]
    assert caught.walked.tokens.tolist() != base


def test_a_repetition_penalty_reaches_the_drafts() -> None:
    inner = following("B")
    plain = inner.draft(ANCHOR, 4, sampler(temperature=0.0)).tokens.tolist()
    inner.seen = [*TEXT[:-2], *plain[:2]]  # type: ignore[misc]
    penalised = inner.draft(ANCHOR, 4, sampler(temperature=0.0, repetition_penalty=8.0)).tokens.tolist()
    assert penalised != plain
    assert not set(penalised) & set(plain[:2]) or penalised[0] != plain[0]  # type: ignore[arg-type,index]
