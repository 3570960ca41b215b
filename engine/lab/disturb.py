"""Does to a real session what ``engine.lab.cases`` says, and writes everything that happens into one trace a check.

The arms stay open through all checks, as they do in the product: what one check leaves behind meets the next one.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import mlx.core as mx
from mlx.utils import tree_flatten, tree_unflatten
from msgspec.structs import replace

from engine.accept import Proposal
from engine.cache import nbytes
from engine.drafters.base import Draft, Drafter, no_draft
from engine.lab.cases import REFERENCE_PROMPT
from engine.lab.disturbances import REFERENCE, Case, labels_of
from engine.lab.measure import Writers
from engine.platform import memory_sample
from engine.race import race
from engine.sampling import Sampler
from engine.session import ArmState, Session
from engine.target import Target
from engine.trace.events import Arm, Event, ModelFacts, Round, Settings, Started

Cancelled = Callable[[], bool]


class Stopped(Exception):
    """The user asked to stop."""


@dataclass(slots=True)
class Bench:
    """A session under test, and where what happens is written."""

    session: Session
    arms: tuple[Arm, ...]
    writers: Writers
    stop: Cancelled = lambda: False

    def states(self, settings: Mapping[str, Any] | None = None) -> list[ArmState]:
        arms = [replace(arm, settings=replace(arm.settings, **(settings or {}))) for arm in self.arms]
        return self.session.open(arms)

    def before(self) -> None:
        """The reference prompt in its own trace."""
        self._write(REFERENCE, 0, self._reference(), {REFERENCE: "before"})

    def check(
        self, name: str, cases: Sequence[Case], run: Callable[[Case, int], Iterator[Event]] | None = None
    ) -> None:
        """All cases and the reference prompt behind them, into the check's trace. Raises ``Stopped``."""
        for turn, case in enumerate(cases):
            if self.stop():
                raise Stopped
            self._write(name, turn, (run or self.plain)(case, turn), {"case": case.name})
        self._write(name, len(cases), self._reference(), labels_of(name, cases))

    def plain(self, case: Case, turn: int) -> Iterator[Event]:
        """The case's prompt and settings, run to the end."""
        return race(self.states(case.settings), case.prompt, turn=turn)

    def _reference(self) -> Iterator[Event]:
        return race(self.states(), REFERENCE_PROMPT)

    def _write(self, name: str, turn: int, events: Iterator[Event], labels: dict[str, str]) -> None:
        writer = self.writers.of(name)
        for event in events:
            if isinstance(event, Started):
                event = replace(event, labels=labels)
            writer.write(replace(event, turn=turn) if hasattr(event, "turn") else event)

    # What a case may do instead of running to its end

    def cancelled(self, case: Case, turn: int, seed: int) -> Iterator[Event]:
        """Stopped after a few of its steps; also before the first one, and inside the prefill."""
        after = random.Random(seed + turn).choice((0, 1, 2, 3, 5, 8))
        asked = 0

        def stop() -> bool:
            nonlocal asked
            asked += 1
            return asked > after

        return race(self.states(case.settings), case.prompt, turn=turn, cancelled=stop)

    def dropped(self, case: Case, turn: int) -> Iterator[Event]:
        """Its reader goes away in the middle, as a closed window does; then it is asked again and stopped at once."""
        events = race(self.states(case.settings), case.prompt, turn=turn)
        rounds = 0
        for event in events:
            rounds += isinstance(event, Round)
            if rounds == 3:
                break
        events.close()  # type: ignore[attr-defined]
        yield from race(self.states(case.settings), case.prompt, turn=turn, cancelled=lambda: True)

    def with_room(self, case: Case, turn: int, room_tokens: int) -> Iterator[Event]:
        """The context is stated smaller, so that it ends after a few tokens: what then runs is what runs at its real
        end."""
        states = self.states(case.settings)
        held = {id(state.target): state.target.facts for state in states}
        prompt = _prompt_tokens(states[0], case.prompt)
        for state in states:
            state.target.facts = replace(held[id(state.target)], context_tokens=prompt + room_tokens)
        try:
            yield from race(states, case.prompt, turn=turn)
        finally:
            for state in states:
                state.target.facts = held[id(state.target)]

    def with_drafter(self, case: Case, turn: int, drafter: Drafter) -> Iterator[Event]:
        """All drafting arms draft with this one, for once."""
        states = self.states(case.settings)
        with instead(states, drafter):
            yield from race(states, case.prompt, turn=turn)


def _prompt_tokens(state: ArmState, prompt: str) -> int:
    from engine.chat import prompt_ids, render

    tokenizer = state.target.tokenizer
    return len(prompt_ids(tokenizer, render(tokenizer, "", (), prompt)))


@contextmanager
def instead(states: Sequence[ArmState], drafter: Drafter) -> Iterator[None]:
    held = [(state, state.drafter) for state in states if state.drafter]
    for state, _ in held:
        state.reset()
        state.drafter = drafter
    try:
        yield
    finally:
        for state, own in held:
            state.drafter = own
            state.reset()


class Hostile:
    """Proposes what it was told to propose, without looking at the text: nothing, one token for ever, more than was
    asked for.
    """

    name = "hostile"
    taps: tuple[int, ...] = ()
    state_bytes = 0

    def __init__(self, token: int, extra: int = 0, silent: bool = False) -> None:
        self.token, self.extra, self.silent = token, extra, silent

    def propose(self, anchor: int, width: int, sampler: Sampler) -> Draft:
        if self.silent:
            return no_draft("drafter")
        tokens = Proposal(mx.full((width + self.extra,), self.token, mx.int32)).tokens
        return Draft(tokens, source=self.name)

    def observe(self, tokens: Sequence[int], taps: Mapping[int, mx.array]) -> None:
        pass

    def rewind(self, n: int) -> None:
        pass


# Long runs


def soak(
    bench: Bench, name: str, rounds: int, tokens: int, prompt: str, seconds: float,
    progress: Callable[[int], None] = lambda _: None,
) -> int:  # fmt: skip
    """The same prompt again and again, each time from nothing; memory after each turn, when no more is held than after
    any other. Returns the rounds that were run; fewer than ``rounds`` where ``seconds`` were too few. Raises
    ``Stopped``."""
    writer = bench.writers.of(name)
    began_s, done, turn = time.perf_counter(), 0, 0
    while done < rounds and time.perf_counter() - began_s < seconds:
        states = bench.states({"max_tokens": tokens})
        for state in states:
            state.reset()
            state.last_ids = []
        for event in race(states, prompt, turn=turn, raw=True, cancelled=bench.stop):
            if isinstance(event, Started):
                event = replace(event, labels={"soak": name})
            done += isinstance(event, Round)
            writer.write(event)
        if bench.stop():
            raise Stopped
        turn += 1
        mx.clear_cache()
        writer.write(
            memory_sample(
                time.perf_counter() - began_s,
                target_weights_bytes=states[0].target.facts.weights_bytes,
                kv_bytes=sum(nbytes(state.caches) for state in states),
            )
        )
        progress(done)
    return done


def small_target(like: Target, seed: int) -> Target:
    """A random model of two layers with the tokenizer of ``like``: the engine's own bookkeeping, in milliseconds a
    round."""
    from mlx_lm.models import llama

    args = llama.ModelArgs(
        model_type="llama", hidden_size=64, num_hidden_layers=2, intermediate_size=128, num_attention_heads=4,
        num_key_value_heads=2, rms_norm_eps=1e-5, vocab_size=like.facts.vocabulary, tie_word_embeddings=True,
    )  # fmt: skip
    model = llama.Model(args)
    key = mx.random.key(seed)
    named = []
    for name, array in tree_flatten(model.parameters()):
        key, own = mx.random.split(key)
        named.append((name, mx.random.normal(array.shape, key=own) * 0.4 if array.ndim > 1 else array))
    model.update(tree_unflatten(named))
    mx.eval(model.parameters())
    facts = ModelFacts(
        name="random", held_as="float32", vocabulary=like.facts.vocabulary, layers=2, hidden_size=64,
        weights_bytes=sum(array.nbytes for _, array in named),
    )  # fmt: skip
    return Target.of(model, like.tokenizer, facts)


def small_arms(arms: Sequence[Arm]) -> tuple[Arm, ...]:
    """The baseline and look-up on the small target, whatever the arms draft with."""
    block = max(arm.settings.block for arm in arms)
    return (
        Arm(name="baseline", target="random"),
        Arm(name="lookup", target="random", drafter="lookup", settings=Settings(block=block)),
    )
