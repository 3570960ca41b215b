"""One model in one arithmetic: runs arms on it through the real loop, and replays what they wrote.

What depends on a text alone is computed once: the baseline of a prompt, and the replay of an answer. Arms that write
the same answer share its replay.
"""

from __future__ import annotations

import contextlib
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import mlx.core as mx
from msgspec.structs import replace

from engine import tree
from engine.drafters.base import Drafter
from engine.drafters.load import attach
from engine.lab import replay as replays
from engine.lab.faults import Fault
from engine.lab.judgement import Bounds, Finding, first_after_end
from engine.lab.plan import Sample
from engine.lab.precision import LoadHeld, Precision, models_in
from engine.lab.replay import Replay, noise_of
from engine.models.errors import ModelError
from engine.process.protocol import Turn
from engine.race import race
from engine.session import ArmState
from engine.target import Target
from engine.text import TextStream
from engine.trace.events import Arm, ModelFacts, Settings
from engine.trace.session import ArmEvent, ArmTurn, ending_of, group, text_of

KEPT_REPLAYS = 4
"""Each holds the caches of its text."""
BASELINE = "baseline"
BY_ROW_CACHE = 1e-6
"""Equal arithmetic gives equal rows, to the last digit."""

Cancelled = Callable[[], bool]


class Stopped(Exception):
    """The user stopped the job; what is measured whole is kept."""


@dataclass(slots=True)
class ByRow(Target):
    """Computes the rows of a block one at a time: the very arithmetic of a run without speculation."""

    most_rows: int = 32
    """Longer runs are a prompt's, and the same for everyone."""

    def forward(
        self, tokens: mx.array, caches: Sequence[Any], taps: Sequence[int] = ()
    ) -> tuple[mx.array, dict[int, mx.array]]:
        if not 1 < tokens.shape[0] <= self.most_rows:
            return Target.forward(self, tokens, caches, taps)
        logits, found = [], []
        for row in range(tokens.shape[0]):
            z, at = Target.forward(self, tokens[row : row + 1], caches, taps)
            mx.eval(z, list(at.values()))
            logits.append(z)
            found.append(at)
        return mx.concatenate(logits), {layer: mx.concatenate([at[layer] for at in found], axis=1) for layer in taps}

    def forward_tree(
        self, tokens: mx.array, parents: Sequence[int], caches: Sequence[Any], taps: Sequence[int] = ()
    ) -> tuple[mx.array, dict[int, mx.array]]:
        """Every path through the tree from its beginning, as the baseline would have gone it; its last row stays."""
        logits, found, kept = [], [], []
        for node in range(len(parents) + 1):
            path = mx.array([0, *tree.path(node, parents)])
            z, at = self.forward(tokens[path], caches, taps)
            logits.append(z[-1:])
            found.append({layer: tap[:, -1:] for layer, tap in at.items()})
            last = slice(caches[0].offset - 1, caches[0].offset)
            kept.append([(mx.array(c.keys[..., last, :]), mx.array(c.values[..., last, :])) for c in caches])
            mx.eval(kept[-1])
            for cache in caches:
                cache.trim(path.size)
        for layer, cache in enumerate(caches):
            keys, values = (mx.concatenate([rows[layer][part] for rows in kept], axis=2) for part in (0, 1))
            cache.update_and_fetch(keys, values)
        return mx.concatenate(logits), {layer: mx.concatenate([at[layer] for at in found], axis=1) for layer in taps}


@dataclass(slots=True)
class Answer:
    """What one run of an arm, or of the baseline, left."""

    sample: Sample
    events: list[ArmEvent]
    turn: ArmTurn
    state: ArmState

    @property
    def prompt(self) -> tuple[int, ...]:
        return self.turn.started.prompt_ids if self.turn.started else ()

    @property
    def ids(self) -> list[int]:
        return [i for r in self.turn.rounds for i in r.emitted_ids]


@dataclass(slots=True)
class Rig:
    target_name: str
    precision: Precision
    load: LoadHeld
    cancelled: Cancelled
    widths: tuple[int, ...] = (2, 8)
    """Blocks in which the noise is measured."""
    models: Any = None
    drafters: dict[str, tuple[Drafter | None, ModelFacts | None]] = field(default_factory=dict)
    baselines: dict[tuple[Any, ...], Answer] = field(default_factory=dict)
    replayed: OrderedDict[tuple[Any, ...], Replay] = field(default_factory=OrderedDict)
    quiet: dict[tuple[Any, ...], list[Replay]] = field(default_factory=dict)
    """Replays of baselines, in blocks too: what the noise is known from."""
    by_row: ByRow | None = None

    def __post_init__(self) -> None:
        self.models = models_in(self.precision, self.load)

    @property
    def target(self) -> Target:
        target: Target = self.models.get(self.target_name)
        return target

    def rowwise(self) -> ByRow:
        if self.by_row is None:
            t = self.target
            self.by_row = ByRow(t.model, t.tokenizer, t.facts, t.watch)
        return self.by_row

    # Runs

    def state(self, arm: Arm, drafter: Drafter | None = None, by_row: bool = False) -> ArmState:
        """A fresh one. Raises ``ModelError``."""
        target = self.rowwise() if by_row else self.target
        if drafter is None and arm.drafter != "none":
            if arm.drafter not in self.drafters:
                self.drafters[arm.drafter] = attach(arm, self.target, self.models.drafter)
            drafter, facts = self.drafters[arm.drafter]
            return ArmState(arm, target, drafter, facts)
        return ArmState(arm, target, drafter, None)

    def answer(self, state: ArmState, sample: Sample, number: int, history: Sequence[Turn] = ()) -> Answer:
        events = [
            event
            for event in race(
                [state], sample.prompt, turn=number, history={state.spec.name: tuple(history)}, cancelled=self.cancelled
            )
            if isinstance(event, ArmEvent)
        ]
        turn = group(events)[0]
        if self.cancelled() or ending_of(turn) == "cancelled":
            raise Stopped
        return Answer(sample, events, turn, state)

    def baseline(self, settings: Settings, samples: Sequence[Sample], by_row: bool = False) -> list[Answer]:
        """The target alone through a conversation, each turn on fresh caches. Raises ``ModelError``."""
        found: list[Answer] = []
        for number, sample in enumerate(samples):
            key = (
                text_key(settings),
                settings.max_tokens,
                settings.stop,
                by_row,
                *(s.name for s in samples[: number + 1]),
            )
            if key not in self.baselines:
                spec = Arm(name=BASELINE, target=self.target_name, settings=settings)
                state = self.state(spec, by_row=by_row)
                if found:
                    state.last_ids = list(found[-1].state.last_ids)
                answer = self.answer(state, sample, number, history_of(found))
                if answer.turn.failed:
                    raise ModelError(answer.turn.failed.message)
                self.baselines[key] = answer
                state.caches = []
            found.append(self.baselines[key])
        return found

    # What the target says of a text

    def replay(self, settings: Settings, prompt: Sequence[int], ids: Sequence[int], by_row: bool = False) -> Replay:
        key = (text_key(settings), by_row, tuple(prompt), tuple(ids))
        if key not in self.replayed:
            self.replayed[key] = self._whole(settings, prompt, ids, (), by_row)
            while len(self.replayed) > KEPT_REPLAYS:
                self.replayed.popitem(last=False)
        self.replayed.move_to_end(key)
        return self.replayed[key]

    def listen(self, answer: Answer) -> None:
        """Measure the noise on a baseline's text; its replay comes along."""
        settings = self._settings(answer)
        # The whole answer at once, too: that is how the next turn's prompt is computed where nothing was kept.
        widths = tuple(sorted({*self.widths, max(len(answer.ids), 2)}))
        found = self._whole(settings, answer.prompt, answer.ids, widths)
        self.replayed[text_key(settings), False, tuple(answer.prompt), tuple(answer.ids)] = found
        self.quiet.setdefault((settings.kv_bits,), []).append(found)

    def bounds(self, settings: Settings, by_row: bool = False) -> Bounds:
        """The noise of such rows; a penalty stretches it with the logits."""
        if by_row:
            return Bounds(logits=0.0, cache=BY_ROW_CACHE)
        noise = noise_of(self.quiet.get((settings.kv_bits,), []), self.target, settings.kv_bits)
        stretch = max(settings.repetition_penalty, 1 / settings.repetition_penalty)
        return Bounds(
            logits=noise.logits * stretch, cache=noise.cache, rows=noise.rows, widths=noise.widths,
            median=noise.median, largest=noise.largest, cache_largest=noise.cache_largest, ceiling=noise.ceiling,
        )  # fmt: skip

    def _whole(
        self, settings: Settings, prompt: Sequence[int], ids: Sequence[int], widths: Sequence[int], by_row: bool = False
    ) -> Replay:
        target = self.rowwise() if by_row else self.target
        found = replays.replay(target, prompt, ids, settings, widths, self.cancelled)
        if len(found.gaps) < len(ids):
            raise Stopped
        return found

    @staticmethod
    def _settings(answer: Answer) -> Settings:
        return answer.state.spec.settings

    # Judging

    def finding(self, answer: Answer, *, by_row: bool = False, **about: Any) -> Finding:
        """Everything about one answer that takes the model once more."""
        settings = self._settings(answer)
        ids = answer.ids
        replayed = self.replay(settings, answer.prompt, ids, by_row)
        # An arm that broke off has let go of its caches, and is red anyway.
        whole = ending_of(answer.turn) != "failed"
        apart, place, layer = replays.difference(answer.state.caches, replayed.caches) if whole else (0.0, 0, 0)
        facts = self.target.facts
        stream = TextStream(self.target.tokenizer, settings.stop)
        ended = next((i for i, token in enumerate(ids) if stream.push(token) is not None and stream.stopped), None)
        return Finding(
            precision=self.precision,
            held_as=facts.held_as,
            strict=by_row or facts.held_as == "float32",
            bounds=self.bounds(settings, by_row),
            replayed=len(replayed.gaps),
            gaps={i: gap for i, gap in enumerate(replayed.gaps) if gap > 0},
            after_end=first_after_end(ids, self.target.end_ids, settings.max_tokens, ended),
            rows_held=replays.rows_held(answer.state.caches) if whole else None,
            rows_right=len(answer.prompt) + len(ids) - 1,
            cache_difference=min(apart, 1e9),
            cache_place=place,
            cache_layer=layer,
            **about,
        )

    @contextlib.contextmanager
    def faulty(self, fault: Fault | None) -> Any:
        """The loop with one fault in it, or as it is."""
        with fault.inject(self.target) if fault else contextlib.nullcontext():
            yield


def text_key(settings: Settings) -> tuple[Any, ...]:
    """What of the settings decides the target's own logits."""
    window = settings.repetition_window_tokens if settings.repetition_penalty != 1 else 0
    return (settings.kv_bits, settings.repetition_penalty, window)


def history_of(answers: Sequence[Answer]) -> tuple[Turn, ...]:
    return tuple(Turn(user=a.sample.prompt, assistant=text_of(a.turn)) for a in answers)


def greedy(arm: Arm, tokens: int, **changes: Any) -> Arm:
    return replace(arm, settings=replace(arm.settings, temperature=0.0, max_tokens=tokens, fallback=False, **changes))
