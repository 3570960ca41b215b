"""Arms over the turns of a conversation, and the models they share.

``Models`` loads each model once, however many arms name it. ``ArmState`` is what an arm keeps from turn to turn: its
caches, its drafter's state, and which tokens these hold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import mlx.core as mx

from engine.branches import check_branching
from engine.cache import check_supported, nbytes, rewind
from engine.drafters.base import Drafter
from engine.drafters.checkpoint import LoadedDrafter
from engine.drafters.formats import is_drafter
from engine.drafters.load import attach, drafter_models, load_tapped
from engine.drafters.save import is_saved
from engine.guard import Guard
from engine.memory.shapes import architecture_problem
from engine.models import files
from engine.models.errors import ModelError
from engine.models.hub import is_hub_id, local_snapshot, snapshot
from engine.target import Target, load_target
from engine.trace.events import Arm, ModelFacts

OnLoad = Callable[[str], None]
OnBytes = Callable[[str, int, int], None]
"""A model's name, bytes done, bytes in all."""


@dataclass(slots=True)
class Models:
    """Loaded models by the name the user calls them; drafters that read their target's layers by its name too."""

    load: Callable[[str], Target] = load_target
    targets: dict[str, Target] = field(default_factory=dict)
    tapped: dict[tuple[str, str], LoadedDrafter] = field(default_factory=dict)

    def get(self, name: str) -> Target:
        if name not in self.targets:
            self.targets[name] = self.load(name)
        return self.targets[name]

    def has(self, name: str, target: str) -> bool:
        """Whether a drafter for this target is loaded."""
        return name in self.targets or (name, target) in self.tapped

    def holds(self, name: str) -> bool:
        """Whether a model or a drafter of this name is loaded, whatever its target."""
        return name in self.targets or any(name == drafter for drafter, _ in self.tapped)

    def drafter(self, name: str, target: str) -> Target | LoadedDrafter:
        """A language model, or a drafter made for this target."""
        if not self.has(name, target):
            loaded = load_tapped(name, self.get(target))
            if loaded is None:
                return self.get(name)
            self.tapped[name, target] = loaded
        return self.tapped.get((name, target)) or self.targets[name]

    def keep_only(self, names: Iterable[str], pairs: Iterable[tuple[str, str]] = ()) -> None:
        """Let go of every target that none of ``names`` is, and of every drafter that is in none of ``pairs`` with its
        target; their memory goes back to the machine."""
        wanted, wanted_pairs = set(names), set(pairs)
        dropped = [name for name in self.targets if name not in wanted]
        for name in dropped:
            del self.targets[name]
        dropped_pairs = [pair for pair in self.tapped if pair not in wanted_pairs]
        for pair in dropped_pairs:
            del self.tapped[pair]
        if dropped or dropped_pairs:
            mx.clear_cache()


@dataclass(slots=True)
class ArmState:
    """One arm's caches and drafter."""

    spec: Arm
    target: Target
    drafter: Drafter | None
    drafter_facts: ModelFacts | None
    caches: list[Any] = field(default_factory=list)
    held: list[int] = field(default_factory=list)
    """The tokens the caches hold."""
    last_ids: list[int] = field(default_factory=list)
    """Prompt and answer of the last turn."""
    guard: Guard = field(default_factory=Guard)
    """Watches the drafter from turn to turn: short answers add up."""

    def __post_init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        self.caches = self.target.make_caches(self.spec.settings.kv_bits)
        self.held = []
        if self.drafter:
            self.drafter.rewind(0)

    def reuse(self, ids: Sequence[int]) -> int:
        """Go back to the longest beginning of ``ids`` that the caches hold, one token short of all; its length."""
        common = 0
        for a, b in zip(self.held, ids[:-1], strict=False):
            if a != b:
                break
            common += 1
        if not rewind(self.caches, len(self.held) - common):
            self.reset()
            return 0
        self.held = self.held[:common]
        if self.drafter:
            self.drafter.rewind(common)
        return common

    @property
    def kv_bytes(self) -> int:
        return nbytes(self.caches)


class Session:
    """The arms of one engine. Arms that keep their name, models and cache precision keep their state."""

    def __init__(self, models: Models | None = None) -> None:
        self.models = models or Models()
        self.arms: dict[str, ArmState] = {}

    def fetch(self, arms: Sequence[Arm], on_bytes: OnBytes, stopped: Callable[[], bool]) -> None:
        """Bring what ``arms`` need and this disk lacks from the hub. Raises ``ModelError``, ``Stopped``."""
        names = [arm.target for arm in arms] + [name for arm in arms for name in drafter_models(arm.drafter)]
        for name in dict.fromkeys(names):
            if not is_hub_id(name) or self.models.holds(name) or local_snapshot(name) is not None:
                continue
            snapshot(
                name,
                on_progress=lambda p, name=name: on_bytes(name, p.done_bytes, p.total_bytes),  # type: ignore[misc]
                stopped=stopped,
                inspect=computable,
            )

    def let_go_for(self, arms: Sequence[Arm]) -> None:
        """Drop what ``arms`` don't need before they are loaded: where both would not fit, the old goes first."""
        pairs = {(name, arm.target) for arm in arms for name in drafter_models(arm.drafter)}
        needed = {arm.target for arm in arms} | {name for name, _ in pairs}
        same = {arm.name: arm for arm in arms}
        self.arms = {
            name: state for name, state in self.arms.items() if name in same and _same_models(state.spec, same[name])
        }
        self.models.keep_only(needed, pairs)
        mx.clear_cache()

    def ease(self, busy: Iterable[str] = ()) -> int:
        """Memory is short: give back the allocator's cache and what idle arms kept of their last turn. Only between
        two rounds. Returns the bytes.
        """
        busy = set(busy)
        before = mx.get_active_memory() + mx.get_cache_memory()
        for name, state in self.arms.items():
            if name not in busy:
                state.reset()
                state.last_ids = []
        mx.clear_cache()
        return max(0, before - mx.get_active_memory() - mx.get_cache_memory())

    def open(self, arms: Sequence[Arm], on_load: OnLoad = lambda _: None) -> list[ArmState]:
        """Load what ``arms`` need, drop what they don't. Raises ``ModelError``; nothing has changed then."""
        pairs = {(name, arm.target) for arm in arms for name in drafter_models(arm.drafter)}
        needed = {arm.target for arm in arms} | {name for name, _ in pairs}
        try:
            opened = {arm.name: self._open_one(arm, on_load) for arm in arms}
        except Exception:
            self._let_go(self.arms.values())
            raise
        for arm in arms:
            state = opened[arm.name]
            if state.spec.settings != arm.settings:
                state.guard = Guard()
            state.spec = arm
        self.arms = opened
        self.models.keep_only(needed, pairs)
        return list(opened.values())

    def _open_one(self, arm: Arm, on_load: OnLoad) -> ArmState:
        """Load what one arm needs and isn't there yet. A ``ModelError`` names the arm."""
        try:
            if arm.target not in self.models.targets:
                on_load(arm.target)
                self.models.get(arm.target)
            for name in drafter_models(arm.drafter):
                if not self.models.has(name, arm.target):
                    on_load(name)
                    self.models.drafter(name, arm.target)
            state = self._state(arm)
            if arm.settings.tree:
                check_branching(state.target, state.drafter, state.caches)
            return state
        except ModelError as error:
            error.arm = arm.name
            raise

    def _state(self, arm: Arm) -> ArmState:
        """What this arm had, where it is still its own, or a fresh one."""
        state = self.arms.get(arm.name)
        if state is not None and _same_models(state.spec, arm):
            return state
        target = self.models.get(arm.target)
        drafter, facts = attach(arm, target, self.models.drafter)
        state = ArmState(arm, target, drafter, facts)
        if drafter:
            check_supported(state.caches)
        return state

    def _let_go(self, kept: Iterable[ArmState]) -> None:
        """Keep what these arms need, and nothing that was loaded beside it."""
        specs = [state.spec for state in kept]
        pairs = {(name, spec.target) for spec in specs for name in drafter_models(spec.drafter)}
        self.models.keep_only({spec.target for spec in specs} | {name for name, _ in pairs}, pairs)


def computable(path: Path) -> str:
    """Why the model of a directory, whose configuration is there, won't be computed here; empty where it will."""
    if is_drafter(path) or is_saved(path):
        return ""
    return files.code_problem(path) or architecture_problem(path, files.read_fields(path))


def _same_models(a: Arm, b: Arm) -> bool:
    return (a.target, a.drafter, a.settings.kv_bits) == (b.target, b.drafter, b.settings.kv_bits)
