from __future__ import annotations

from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest

from engine.drafters.ngrams import hash_of
from engine.drafters.table import KEY_SHIFT, SURE_STEPS, TableDrafter
from engine.train.conversations import DataError
from engine.train.dataset import Dataset
from engine.train.fit import TOKENS, fit_table
from tests.engine.train.texts import conversations

MANIFEST = {"vocabulary": 64, "target": {"name": "tiny"}, "recipe": {"seed": 9}}


def dataset(*answers: list[int]) -> Dataset:
    rows = [([2, 3, 4 + i % 3], answer, False) for i, answer in enumerate(answers)]
    return Dataset(conversations(*rows), conversations(), MANIFEST)


def prompt(i: int) -> list[int]:
    return [60, 2, 3, 4 + i % 3, 61]


class Naive:
    """The same estimate with dictionaries and fractions, one run at a time."""

    def __init__(self, answers: list[list[int]], order: int) -> None:
        self.order = order
        self.tokens: dict[int, int] = defaultdict(int)
        texts: dict[tuple[int, ...], dict[int, set[int]]] = defaultdict(lambda: defaultdict(set))
        for i, answer in enumerate(answers):
            text = [*prompt(i), *answer]
            for at in range(len(prompt(i)), len(text)):
                self.tokens[text[at]] += 1
                for n in range(1, order):
                    texts[tuple(text[at - n : at])][text[at]].add(i)
        self.counts = {c: {t: len(found) for t, found in said.items()} for c, said in texts.items()}

    def discount(self, n: int) -> Fraction:
        every = [k for c, said in self.counts.items() if len(c) == n for k in said.values()]
        once, twice = every.count(1), every.count(2)
        return Fraction(once, once + 2 * twice) if once else Fraction(0)

    def p(self, context: tuple[int, ...], token: int) -> Fraction:
        if not context:
            return Fraction(self.tokens[token], sum(self.tokens.values()))
        said = self.counts[context]
        total, d = sum(said.values()), self.discount(len(context))
        own = max(said.get(token, 0) - d, Fraction(0)) / total if token in said else Fraction(0)
        return own + d * len(said) / total * self.p(context[1:], token)

    def best(self, context: tuple[int, ...]) -> Fraction:
        """Probability of the likeliest token, of those seen here or likeliest in a shorter context."""
        return max(self.p(context, token) for token in self.tokens)


def answers(seed: int) -> list[list[int]]:
    rng = np.random.default_rng(seed)
    follows = rng.dirichlet(np.full(8, 0.3), size=8)
    texts = []
    for _ in range(12):
        text = [int(rng.integers(8))]
        for _ in range(25):
            text.append(int(rng.choice(8, p=follows[text[-1]])))
        texts.append([30 + t for t in text])
    return texts


@pytest.mark.parametrize("order", [2, 3, 4])
def test_every_entry_is_the_naive_estimate(order: int) -> None:
    texts = answers(order)
    table, naive = fit_table(dataset(*texts), order=order), Naive(texts, order)
    drafter = TableDrafter(table)
    assert [level.contexts for level in table.levels] == [
        sum(len(c) == n for c in naive.counts) for n in range(1, order)
    ]
    for context in naive.counts:
        found = drafter.following(context)
        assert found is not None
        token, sure, _ = found
        assert sure == pytest.approx(float(naive.best(context)), abs=0.51 / SURE_STEPS)
        assert naive.p(context, token) == pytest.approx(float(naive.best(context)), abs=1e-9)


def test_behind_the_first_stand_the_likeliest_others_that_were_seen() -> None:
    texts = answers(5)
    table, naive = fit_table(dataset(*texts), order=3), Naive(texts, 3)
    several = 0
    for context, said in naive.counts.items():
        level = table.levels[len(context) - 1]
        at = np.flatnonzero(level.keys == hash_of(context) >> KEY_SHIFT)
        tokens, sure = level.next[at].tolist(), level.sure[at].tolist()
        assert len(set(tokens)) == len(tokens) <= TOKENS and sure == sorted(sure, reverse=True)
        chances = [float(naive.p(context, token)) * SURE_STEPS for token in tokens]
        assert chances == pytest.approx(sure, abs=0.51)
        # All that were seen stand there, as far as there is room and their chance is told from nothing.
        left_out = [float(naive.p(context, t)) * SURE_STEPS for t in said if t not in tokens]
        assert all(chance <= min(chances) + 1e-9 or chance < 1 for chance in left_out)
        assert len(tokens) == TOKENS or all(chance < 1 for chance in left_out)
        several += len(tokens) > 1
    assert several > 20


def test_what_one_conversation_repeats_counts_once() -> None:
    # 31 is followed by 32 ten times in one text, by 33 in two others.
    table = fit_table(dataset([31, 32] * 10, [31, 33, 40, 41], [31, 33, 42, 43]), order=2)
    found = TableDrafter(table).following([31])
    assert found is not None
    assert found[0] == 33


def test_prompts_are_context_but_are_not_learnt() -> None:
    drafter = TableDrafter(fit_table(dataset([31, 32, 33], [31, 34, 35]), order=4))
    assert drafter.following([61]) is not None  # what begins an answer
    assert drafter.following([2]) is None
    assert drafter.following([60]) is None


def test_a_small_table_keeps_what_gains_most() -> None:
    texts = answers(7)
    whole = fit_table(dataset(*texts), order=4)
    entry_bytes = 7
    small = fit_table(dataset(*texts), order=4, most_bytes=40 * entry_bytes)
    assert whole.nbytes > small.nbytes == 40 * entry_bytes
    assert all(level.contexts == len(level.keys) for level in small.levels), "first choices outlive the others"

    def right(drafter: TableDrafter) -> int:
        hits = 0
        for i, text in enumerate(texts):
            full = [*prompt(i), *text]
            for at in range(len(prompt(i)), len(full)):
                found = drafter.following(full[at - 3 : at])
                hits += found is not None and found[0] == full[at]
        return hits

    thinned = TableDrafter(small)
    assert right(TableDrafter(whole)) >= right(thinned) > 0.6 * right(TableDrafter(whole))
    # A context seen in every text outlives those of one text.
    assert thinned.following([61]) is not None


def test_it_says_where_it_is_from() -> None:
    table = fit_table(dataset([31, 32, 33]), order=3)
    assert (table.vocabulary, table.target, table.order) == (64, "tiny", 3)
    assert table.about == {"conversations": 1, "answer_tokens": 3, "seed": 9}


def test_no_text_is_refused() -> None:
    with pytest.raises(DataError, match="holds no answers"):
        fit_table(dataset())
