from __future__ import annotations

import itertools
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest

from engine.target import Target
from engine.train.clean import leaks
from engine.train.conversations import (
    Conversations,
    DataError,
    Shard,
    answer,
    answer_tokens,
    conversation,
    count,
    read_shard,
    user_turn,
    write_json,
    write_shard,
)
from engine.train.dataset import (
    begun_rounds,
    gather,
    generate,
    open_dataset,
    planned_wave,
    raw_shards,
    read_dataset,
    read_manifest,
)
from engine.train.frame import is_held_out, prompt_hash
from engine.train.generate import Progress, Recipe, rounds_within
from engine.train.openers import Group, Openers, Request
from tests.engine.train.test_batch import alone
from tests.engine.train.texts import chat_target

OPENERS = Openers(
    groups=(
        Group(task="open", language="en", texts=("TELL", "WHY", "HOW"), turn_tokens=9),
        Group(task="code", language="en", texts=("DEF",), turn_tokens=14, format="code"),
    ),
    requests=(Request(format="list", language="en", texts=("LIST",)),),
)
RECIPE = Recipe(seed=5, conversation_tokens=80, rows=6, rounds=1, languages={"en": 1})
ROUNDS = msgspec.structs.replace(RECIPE, rows=3, rounds=2)
"""Waves of as many, of which three are written at once."""
LAYERS = (0, 1)


def made(path: Path, target: Target, goal: int, recipe: Recipe = RECIPE, **more: object) -> bool:
    with open_dataset(path, target, recipe):
        done = generate(path, target, recipe, OPENERS, goal, **more)  # type: ignore[arg-type]
        gather(path)
    return done


def files(path: Path) -> dict[str, list[list[int]]]:
    return {
        file.name: [conversation(s.conversations, i).tolist() for i in range(count(s.conversations))]
        for file, s in raw_shards(path)
    }


@pytest.mark.parametrize("recipe", [RECIPE, ROUNDS])
def test_conversations_are_turns_of_the_target_and_its_greedy_answers(tmp_path: Path, recipe: Recipe) -> None:
    target = chat_target(seed=3)
    assert made(tmp_path, target, 900, recipe)
    shards = list(raw_shards(tmp_path))
    assert len(shards) > 1
    for _, shard in shards:
        c = shard.conversations
        assert count(c) > 0
        for i in range(count(c)):
            prompt = conversation(c, i)[: c.starts[i]].tolist()
            text = target.tokenizer.decode(user_turn(c, i).tolist())
            assert text.startswith(("TELL", "WHY", "HOW", "DEF"))
            assert target.tokenizer.decode(prompt) == f"<U>{text}!<A>"
            limit = max(80 - len(prompt), 64)
            assert answer(c, i).tolist() == alone(target, prompt, limit, target.end_ids)
            assert bool(c.held[i]) == is_held_out(int(c.prompt_hashes[i]))
            assert int(c.prompt_hashes[i]) == prompt_hash(text)
            assert c.labels[i] in {"open/en/plain", "open/en/list", "code/en/code"}
            assert text.endswith("LIST") == (c.labels[i] == "open/en/list")
    hashes = [h for _, s in shards for h in s.conversations.prompt_hashes.tolist()]
    assert len(set(hashes)) == len(hashes)


@pytest.mark.parametrize("recipe", [RECIPE, ROUNDS])
def test_going_on_ends_with_the_same_text_as_going_through(tmp_path: Path, recipe: Recipe) -> None:
    target = chat_target(seed=3)
    made(tmp_path / "through", target, 1200, recipe)
    made(tmp_path / "stops", target, 300, recipe)
    first = files(tmp_path / "stops")
    asked: list[int] = []

    def soon() -> bool:
        asked.append(1)
        return len(asked) > 12  # in the middle of a wave

    assert not made(tmp_path / "stops", target, 1200, recipe, cancelled=soon)
    assert files(tmp_path / "stops") == first
    # Kept taps are looked on at, they change no text.
    assert made(tmp_path / "stops", target, 1200, recipe, layers=LAYERS, taps_bytes=1e9)
    assert files(tmp_path / "stops") == files(tmp_path / "through")
    assert len(first) < len(files(tmp_path / "through"))
    assert (tmp_path / "stops/train.npz").read_bytes() == (tmp_path / "through/train.npz").read_bytes()


def ticking() -> Callable[[], float]:
    """A clock that is one second later whenever it is asked: a wave takes a second for each step."""
    return itertools.count().__next__


def wave_seconds(path: Path) -> list[float]:
    return [float(s.about["seconds"]) for _, s in raw_shards(path)]


def test_in_limited_time_the_first_wave_is_finished_and_none_begun_that_would_end_late(tmp_path: Path) -> None:
    target = chat_target(seed=3)
    assert made(tmp_path / "short", target, 10**9, limit_s=1.0, clock=ticking())
    (first_s,) = wave_seconds(tmp_path / "short")
    assert first_s > 1
    limit_s = 4.5 * first_s
    assert made(tmp_path / "long", target, 10**9, limit_s=limit_s, clock=ticking())
    taken = wave_seconds(tmp_path / "long")
    assert taken[0] == first_s and len(taken) > 2
    assert sum(taken) + taken[-1] > limit_s
    assert all(sum(taken[:k]) + taken[k - 1] <= limit_s for k in range(1, len(taken)))


def test_in_limited_time_going_on_ends_with_the_same_text_as_going_through(tmp_path: Path) -> None:
    target = chat_target(seed=3)
    limit_s = 500.0
    assert made(tmp_path / "through", target, 10**9, limit_s=limit_s, clock=ticking())
    stops = 0
    while True:
        asked = itertools.count()

        def soon(asked: Iterator[int] = asked) -> bool:
            return next(asked) > 130  # later than a wave ends, in the middle of another one

        if made(tmp_path / "stops", target, 10**9, limit_s=limit_s, clock=ticking(), cancelled=soon):
            break
        stops += 1
    assert stops > 1
    assert files(tmp_path / "stops") == files(tmp_path / "through")
    assert wave_seconds(tmp_path / "stops") == wave_seconds(tmp_path / "through")
    # Once more the time is over already; more time goes on where it stood.
    assert made(tmp_path / "stops", target, 10**9, limit_s=limit_s, clock=ticking())
    assert files(tmp_path / "stops") == files(tmp_path / "through")
    assert made(tmp_path / "stops", target, 10**9, limit_s=2 * limit_s, clock=ticking())
    assert files(tmp_path / "through").items() < files(tmp_path / "stops").items()


def test_a_user_stops_the_first_wave_too(tmp_path: Path) -> None:
    asked = itertools.count()
    assert not made(
        tmp_path, chat_target(seed=3), 10**9, limit_s=1.0, clock=ticking(), cancelled=lambda: next(asked) > 5
    )
    assert not files(tmp_path)


def test_rows_are_chosen_once(tmp_path: Path) -> None:
    target = chat_target(seed=3)
    assert planned_wave(tmp_path, 60.0) is None
    with open_dataset(tmp_path, target, RECIPE, 60.0):
        pass
    assert planned_wave(tmp_path, 60.0) == (RECIPE.rows, RECIPE.rounds), "stopped before the first wave was done"
    assert planned_wave(tmp_path, 90.0) is None, "nothing is written: another time may have other rows"
    assert begun_rounds(tmp_path) == 0
    with open_dataset(tmp_path, target, ROUNDS, 90.0):
        generate(tmp_path, target, ROUNDS, OPENERS, 10)
        gather(tmp_path)
    assert planned_wave(tmp_path, 90.0) == planned_wave(tmp_path, 60.0) == (ROUNDS.rows, ROUNDS.rounds) == (3, 2)
    assert begun_rounds(tmp_path) == 2


def test_a_data_set_of_before_there_were_rounds_goes_on_with_one(tmp_path: Path) -> None:
    target = chat_target(seed=3)
    made(tmp_path / "through", target, 700)
    made(tmp_path / "old", target, 100)
    manifest = read_manifest(tmp_path / "old")
    del manifest["recipe"]["rounds"]
    write_json(tmp_path / "old" / "dataset.json", manifest)
    assert planned_wave(tmp_path / "old", 5.0) == (RECIPE.rows, 1)
    assert begun_rounds(tmp_path / "old") == 1
    with pytest.raises(DataError, match=r"begun with waves of 1 rounds \(now \d\): give"):
        made(tmp_path / "old", target, 700, msgspec.structs.replace(RECIPE, rounds=2))
    assert made(tmp_path / "old", target, 700)
    assert files(tmp_path / "old") == files(tmp_path / "through")


def test_a_wave_is_a_quarter_of_what_is_asked_for_at_most() -> None:
    recipe = Recipe(rows=10, conversation_tokens=100)
    goals = {0: 1, 7999: 1, 8000: 2, 15999: 3, 16000: 4, 10**6: 4}
    assert {goal: rounds_within(recipe, goal) for goal in goals} == goals
    prompts = {1: 1, 79: 1, 80: 2, 160: 4, 10**6: 4}
    assert {n: rounds_within(recipe, 10**6, n) for n in prompts} == prompts
    assert rounds_within(recipe, 8000, 10**6) == 2


def test_another_seed_makes_another_text(tmp_path: Path) -> None:
    target = chat_target(seed=3)
    made(tmp_path / "a", target, 100)
    made(tmp_path / "b", target, 100, msgspec.structs.replace(RECIPE, seed=6))
    assert files(tmp_path / "a") != files(tmp_path / "b")


def test_a_directory_keeps_its_recipe_and_its_target(tmp_path: Path) -> None:
    target = chat_target(seed=3)
    made(tmp_path, target, 100)
    with pytest.raises(DataError, match=r"begun with --seed \d+ \(now \d+\) and --length \d+ \(now \d+\): give"):
        made(tmp_path, target, 100, msgspec.structs.replace(RECIPE, seed=6, conversation_tokens=90))
    target.facts = msgspec.structs.replace(target.facts, name="other")
    with pytest.raises(DataError, match="holds text of tiny dense"):
        made(tmp_path, target, 100)


def test_two_writers_are_one_too_many(tmp_path: Path) -> None:
    target = chat_target()
    with (
        open_dataset(tmp_path, target, RECIPE),
        pytest.raises(DataError, match="Another process"),
        open_dataset(tmp_path, target, RECIPE),
    ):
        pass


def test_progress_counts_up_to_what_was_written(tmp_path: Path) -> None:
    target = chat_target(seed=3)
    seen: list[Progress] = []
    made(tmp_path, target, 700, on_progress=seen.append)
    written = sum(answer_tokens(s.conversations) for _, s in raw_shards(tmp_path))
    assert seen[-1].answer_tokens == written >= 700
    assert [p.answer_tokens for p in seen] == sorted(p.answer_tokens for p in seen)
    assert {p.stage for p in seen} == {"turns", "answers"}
    assert all(p.seconds_left is not None and p.tokens_per_s > 0 for p in seen if p.stage == "answers")


def test_the_users_own_prompts_are_answered_as_they_are_and_once(tmp_path: Path) -> None:
    target = chat_target(seed=3)
    prompts = [*(f"PROMPT {i}" for i in range(8)), "prompt 3"]
    with open_dataset(tmp_path, target, RECIPE):
        assert generate(tmp_path, target, RECIPE, prompts, 10**9)
        manifest = gather(tmp_path)
    texts = [
        target.tokenizer.decode(user_turn(s.conversations, i).tolist())
        for _, s in raw_shards(tmp_path)
        for i in range(count(s.conversations))
    ]
    assert texts == prompts[:8]
    assert manifest["skipped_turns"] == {"same prompt": 1}


def test_time_left_goes_by_the_prompts_that_are_left(tmp_path: Path) -> None:
    target = chat_target(seed=3)
    prompts = [f"PROMPT {i}" for i in range(15)]
    seen: list[Progress] = []
    with open_dataset(tmp_path, target, RECIPE):
        assert generate(tmp_path, target, RECIPE, prompts, 10**6, on_progress=seen.append, clock=ticking())
    first_tokens = answer_tokens(read_shard(tmp_path / "raw/wave-000000.npz").conversations)
    assert {p.prompts for p in seen} == {15}
    assert [p.prompts_done for p in seen] == sorted(p.prompts_done for p in seen)
    assert seen[-1].prompts_done >= 12
    # 80 tokens a conversation bound the first wave; later ones are taken to be like those before.
    for p in seen:
        assert p.seconds_left is not None
        assert p.seconds_left * p.tokens_per_s <= 15 * 80
    second = next(p for p in seen if p.answer_tokens > first_tokens)
    assert second.seconds_left is not None
    left_tokens = 9 / 6 * first_tokens - (second.answer_tokens - first_tokens)
    assert second.seconds_left * second.tokens_per_s == pytest.approx(left_tokens, abs=1)
    last = seen[-1]
    assert last.seconds_left is not None and last.seconds_left <= 1
    assert last.spent_s == pytest.approx(sum(wave_seconds(tmp_path)), abs=2)


def test_a_goal_may_end_before_the_prompts(tmp_path: Path) -> None:
    target = chat_target(seed=3)
    seen: list[Progress] = []
    with open_dataset(tmp_path, target, RECIPE):
        generate(tmp_path, target, RECIPE, [f"P {i}" for i in range(99)], 100, on_progress=seen.append, clock=ticking())
    # The wave that is begun is finished, but none of the other 93 prompts is answered.
    most = 6 * (80 - 5)
    assert all(p.seconds_left is not None and p.seconds_left * p.tokens_per_s <= most for p in seen)


def test_time_left_goes_by_the_wave_that_is_begun_where_that_writes_more_than_the_goal(tmp_path: Path) -> None:
    target = chat_target(seed=3)
    seen: list[Progress] = []
    made(tmp_path, target, 20, ROUNDS, on_progress=seen.append)
    written = answer_tokens(read_shard(tmp_path / "raw/wave-000000.npz").conversations)
    answers = [p for p in seen if p.stage == "answers"]
    assert written > 200 and answers[-1].seconds_left == 0
    for p in answers[:-1]:
        # Of the first wave only a bound is known.
        assert p.seconds_left is not None and p.seconds_left * p.tokens_per_s > written - p.answer_tokens - 1e-6
    seen.clear()
    made(tmp_path, target, written + 1, ROUNDS, on_progress=seen.append)
    half = next(p for p in seen if p.answer_tokens > 1.5 * written)
    assert half.seconds_left is not None
    second = answer_tokens(read_shard(tmp_path / "raw/wave-000001.npz").conversations)
    left_tokens = half.seconds_left * half.tokens_per_s
    assert left_tokens == pytest.approx(second + written - half.answer_tokens, rel=0.5)


def test_the_parts_of_a_data_set(tmp_path: Path) -> None:
    target = chat_target(seed=3)
    made(tmp_path, target, 3000)
    data = read_dataset(tmp_path)
    facts = data.manifest
    assert not data.train.held.any()
    assert data.held.held.all()
    assert count(data.held) > 0
    assert leaks(data.train, data.held) == 0
    assert facts["train"]["conversations"] == count(data.train)
    assert facts["held_out"]["answer_tokens"] == answer_tokens(data.held)
    dropped = sum(facts["dropped"].values()) + sum(facts["dropped_held_out"].values())
    assert facts["raw"]["conversations"] == count(data.train) + count(data.held) + dropped
    assert facts["target"]["name"] == "tiny dense"
    assert facts["recipe"]["seed"] == 5
    seeds = [about["seed"] for about in facts["files"].values()]
    assert len(set(seeds)) == len(seeds) > 1


def test_no_data_set_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="is no data set"):
        read_dataset(tmp_path)
    (tmp_path / "dataset.json").write_text('{"slipstream_dataset": 9}')
    with pytest.raises(DataError, match="another version"):
        read_manifest(tmp_path)


KILLED = """
import sys
from pathlib import Path
from engine.train.dataset import generate, open_dataset
from tests.engine.train.test_dataset import OPENERS, RECIPE
from tests.engine.train.texts import chat_target

target, path = chat_target(seed=3), Path(sys.argv[1])
with open_dataset(path, target, RECIPE):
    generate(path, target, RECIPE, OPENERS, 10**9)
"""


def test_killed_at_any_moment_it_goes_on(tmp_path: Path) -> None:
    killed = subprocess.Popen([sys.executable, "-c", KILLED, str(tmp_path / "killed")])
    try:
        until = time.monotonic() + 120
        while not (tmp_path / "killed/raw/wave-000001.npz").exists():
            assert killed.poll() is None
            assert time.monotonic() < until
            time.sleep(0.02)
    finally:
        killed.kill()
    assert killed.wait() == -signal.SIGKILL
    half = tmp_path / "killed/raw/.wave-000099.npz.part"
    half.write_bytes(b"half a file")
    target = chat_target(seed=3)
    before = files(tmp_path / "killed")
    goal = sum(answer_tokens(s.conversations) for _, s in raw_shards(tmp_path / "killed")) + 1
    made(tmp_path / "killed", target, goal)
    made(tmp_path / "through", target, goal)
    assert not half.exists()
    assert files(tmp_path / "killed") == files(tmp_path / "through")
    assert before.items() <= files(tmp_path / "killed").items()


def test_a_damaged_shard_is_named(tmp_path: Path) -> None:
    target = chat_target(seed=3)
    made(tmp_path, target, 100)
    shard: Conversations = read_shard(tmp_path / "raw/wave-000000.npz").conversations
    write_shard(tmp_path / "raw/wave-000001.npz", Shard(shard))
    (tmp_path / "raw/wave-000000.npz").write_bytes(b"")
    with pytest.raises(DataError, match=r"wave-000000\.npz"):
        made(tmp_path, target, 100)
