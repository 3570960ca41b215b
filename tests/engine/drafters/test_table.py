from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.drafters import load
from engine.drafters.load import attach, drafter_models
from engine.drafters.lookup import Lookup
from engine.drafters.ngrams import hash_of, hashes
from engine.drafters.table import KEY_SHIFT, LEAST_LEFT, Level, Table, TableDrafter, load_table, save_table
from engine.models.errors import ModelError
from engine.sampling import Sampler
from engine.session import Session
from engine.trace.events import Arm, Settings
from tests.engine import helpers
from tests.tiny import VOCABULARY, tiny_target


def level(entries: dict[tuple[int, ...], tuple[int, int]], *more: tuple[tuple[int, ...], tuple[int, int]]) -> Level:
    """Contexts of one length -> (next token, sureness of 255); what else they list, the likeliest first."""
    every = [*entries.items(), *more]
    rows = [(hash_of(context) >> KEY_SHIFT, *said) for context, said in every]
    rows.sort(key=lambda row: row[0])
    keys, following, sure = zip(*rows, strict=True) if rows else ((), (), ())
    return Level(np.array(keys, np.uint32), np.array(following, np.uint16), np.array(sure, np.uint8))


def table(vocabulary: int = VOCABULARY) -> Table:
    ones = level({(1,): (2, 102), (2,): (3, 204), (3,): (1, 255), (9,): (9, 10)})
    twos = level({(1, 2): (7, 153), (8, 3): (4, 51)})
    return Table((ones, twos), vocabulary, "tiny", {"seed": 1})


def propose(drafter: TableDrafter, anchor: int, width: int, **settings: float) -> tuple[list[int], str]:
    draft = drafter.propose(anchor, width, Sampler(Settings(**settings)))  # type: ignore[arg-type]
    return draft.tokens.tolist(), draft.reason  # type: ignore[return-value]


@given(st.lists(st.integers(0, 200_000), max_size=12), st.integers(1, 5))
def test_one_hash_at_a_time_is_what_a_whole_text_gives(tokens: list[int], n: int) -> None:
    expected = [hash_of(tokens[i : i + n]) for i in range(len(tokens) - n + 1)]
    assert hashes(np.array(tokens, np.uint32), n).tolist() == expected


def test_the_longest_known_context_decides() -> None:
    drafter = TableDrafter(table())
    assert drafter.following([5, 2]) == (3, 0.8, 1)
    assert drafter.following([1, 2]) == (7, 0.6, 2)
    assert drafter.following([1]) == (2, 0.4, 1)
    assert drafter.following([1, 5]) is None


def listing() -> TableDrafter:
    ones = level({(1,): (2, 102), (2,): (3, 204)}, ((2,), (4, 51)), ((1,), (5, 51)))
    twos = level({(1, 2): (7, 153)}, ((1, 2), (3, 51)))
    return TableDrafter(Table((ones, twos), VOCABULARY, "tiny"))


def test_every_listed_token_has_its_share() -> None:
    drafter = listing()
    # 1 -> 2 (0.4), 5 (0.2), and nothing longer is known.
    one = drafter.known([9, 1])
    assert one is not None and one.listed == {2: 0.4, 5: 0.2} and one.left == pytest.approx(0.4)
    # (1, 2) -> 7 (0.6), 3 (0.2). Of the other 0.2 the context 2 says 3 (0.8), which stands already, and 4 (0.2), which
    # has it all.
    two = drafter.known([1, 2])
    assert two is not None and two.listed == pytest.approx({7: 0.6, 3: 0.2, 4: 0.2}, rel=0.01)
    assert two.left == pytest.approx(0.2 * LEAST_LEFT), "2's tokens leave nothing, and so next to nothing"
    assert drafter.known([30]) is None
    drafter.observe([1], {})
    assert drafter.known_of(2, []) == two and drafter.known_of(30, [1]) == drafter.known([30, 1])


def test_a_draft_is_the_first_of_a_list_and_contexts_are_counted_once() -> None:
    drafter = listing()
    assert drafter.following([1, 2]) == (7, 0.6, 2) and drafter.following([9, 2]) == (3, 0.8, 1)
    assert [x.contexts for x in drafter.table.levels] == [2, 1]
    assert level({}).contexts == 0


@given(st.lists(st.integers(1, 9), min_size=1, max_size=6))
def test_shares_are_no_more_than_everything(text: list[int]) -> None:
    said = listing().known(text)
    assert (said and said.first) == listing().following(text)
    if said is not None:
        assert sum(said.listed.values()) + said.left <= 1.0 + 1e-9 + LEAST_LEFT and said.left > 0


def test_drafts_go_on_from_drafts_until_nothing_is_known() -> None:
    drafter = TableDrafter(table())
    drafter.observe([8], {})
    # (8, 3) -> 4, then nothing is known of 4.
    assert propose(drafter, 3, 5) == ([4], "no match")
    drafter.rewind(0)
    # 3 -> 1 -> 2, and (1, 2) -> 7 rather than 2 -> 3.
    assert propose(drafter, 3, 3) == ([1, 2, 7], "")
    assert propose(drafter, 3, 2) == ([1, 2], "")
    assert propose(drafter, 40, 2) == ([], "no match")


def test_a_threshold_ends_the_block_before_the_first_less_sure_token() -> None:
    drafter = TableDrafter(table())
    assert propose(drafter, 3, 4, confidence_threshold=0.5) == ([1], "confidence")
    assert propose(drafter, 3, 4, confidence_threshold=0.3) == ([1, 2, 7], "no match")
    assert propose(drafter, 9, 4, confidence_threshold=0.5) == ([], "confidence")


def test_saved_and_loaded_it_says_the_same(tmp_path: Path) -> None:
    size = save_table(tmp_path / "t", table())
    assert "| contexts of 1 tokens |" in (tmp_path / "t" / "README.md").read_text(encoding="utf-8")
    again = load_table(tmp_path / "t")
    assert size == sum(f.stat().st_size for f in (tmp_path / "t").iterdir())
    assert (again.vocabulary, again.target, again.about, again.order) == (VOCABULARY, "tiny", {"seed": 1}, 3)
    for mine, theirs in zip(table().levels, again.levels, strict=True):
        for name in ("keys", "next", "sure"):
            assert getattr(mine, name).tolist() == getattr(theirs, name).tolist()
    assert [path.name for path in tmp_path.iterdir()] == ["t"]
    save_table(tmp_path / "t", Table(table().levels[:1], VOCABULARY, "tiny"))
    assert load_table(tmp_path / "t").order == 2


def test_a_table_of_the_first_version_is_read(tmp_path: Path) -> None:
    save_table(tmp_path, table())
    config = json.loads((tmp_path / "config.json").read_text())
    assert config["slipstream_table"] == 2
    (tmp_path / "config.json").write_text(json.dumps(config | {"slipstream_table": 1}))
    said = TableDrafter(load_table(tmp_path)).known([1, 2])
    assert said is not None and said.listed == {7: 0.6, 3: pytest.approx(0.32)}


@pytest.mark.parametrize("what", ["missing", "no config", "version", "npz", "order", "range"])
def test_a_damaged_table_is_refused_in_one_sentence(tmp_path: Path, what: str) -> None:
    path = tmp_path / "t"
    save_table(path, table(4 if what == "range" else VOCABULARY))
    config = json.loads((path / "config.json").read_text())
    if what == "missing":
        path = tmp_path / "elsewhere"
    elif what == "no config":
        (path / "config.json").unlink()
    elif what == "version":
        (path / "config.json").write_text(json.dumps(config | {"slipstream_table": 3}))
    elif what == "npz":
        (path / "table.npz").write_bytes(b"PK not a zip")
    elif what == "order":
        (path / "config.json").write_text(json.dumps(config | {"order": 9}))
    with pytest.raises(ModelError, match=r"(table|Fit it again)") as caught:
        load_table(path)
    assert "\n" not in str(caught.value)


def test_arms_name_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tiny_target()
    monkeypatch.setattr(load, "embedded_table", lambda: tmp_path / "own")

    def attached(drafter: str) -> object:
        return attach(Arm(name="x", drafter=drafter), target, lambda *_: pytest.fail("no model is needed"))[0]

    with pytest.raises(ModelError, match="no n-gram table"):
        attached("table")
    save_table(tmp_path / "own", table())
    save_table(tmp_path / "other", Table(table().levels[:1], VOCABULARY, "tiny"))
    own, facts = attach(Arm(name="x", drafter="table"), target, lambda *_: pytest.fail("no model is needed"))
    assert isinstance(own, TableDrafter)
    assert own.table.order == 3
    assert facts is not None
    assert facts.weights_bytes == own.table.nbytes > 0
    other = attached(str(tmp_path / "other"))
    assert isinstance(other, TableDrafter)
    assert other.table.order == 2
    for name in ("table+lookup", "lookup+table"):
        both = attached(name)
        assert [type(d) for d in both.drafters] == [Lookup, TableDrafter]  # type: ignore[attr-defined]
    assert drafter_models("table+lookup") == drafter_models(str(tmp_path / "other")) == []
    save_table(tmp_path / "own", table(VOCABULARY + 1))
    with pytest.raises(ModelError, match="65 tokens, the model 64"):
        attached("table")


def test_a_session_opens_a_table_without_loading_a_model(tmp_path: Path) -> None:
    save_table(tmp_path / "t", table())
    session = Session()
    session.models.targets["tiny"] = tiny_target()
    state = session.open([Arm(name="t", target="tiny", drafter=str(tmp_path / "t"))])[0]
    assert isinstance(state.drafter, TableDrafter)
    assert list(session.models.targets) == ["tiny"]


def test_the_loop_accepts_what_the_table_knows() -> None:
    target = tiny_target(seed=4)
    plain = helpers.ids(helpers.run(helpers.arm_state(target, max_tokens=40)))
    tokens = [*target.tokenizer.encode("the quick brown fox"), *plain]
    known = {tuple(tokens[i : i + 4]): (tokens[i + 4], 255) for i in range(len(tokens) - 4)}
    drafter = TableDrafter(Table((level({}), level({}), level({}), level(known)), VOCABULARY, "tiny"))
    rounds = helpers.rounds(helpers.run(helpers.arm_state(target, drafter, max_tokens=40)))
    assert [i for r in rounds for i in r.emitted_ids] == plain
    assert len(rounds) == 1 + -(-39 // 8)  # every draft is right
    assert {r.source for r in rounds if r.width} == {"table"}
    assert drafter.seen == tokens[:-1]
