"""One pull in bad weather: random faults by a seed, then a clear sky."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from engine.models.errors import ModelError
from engine.models.files import is_whole
from engine.models.hub import local_snapshot
from engine.models.pull import Patience, make_plan, pull
from tests.engine.models.hub_server import BODY_FAULTS, Asked, Fault, HubServer
from tests.engine.models.samples import repository

REPO = "maker/model-4bit"
TAKEN = [name for name in repository() if not name.endswith(".py") and "/" not in name]
IMPATIENT = Patience(timeout_s=0.06, attempts=3, pause_s=0.0)
PATIENT = Patience(timeout_s=30, attempts=3, pause_s=0.0)
ATTEMPTS = 4
"""After so many pulls that ended early the sky clears."""


class Storm:
    """About every second answer fails somehow."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        self.share = self.draw.choice((0.2, 0.5, 0.8))
        self.met: Counter[str] = Counter()

    def __call__(self, asked: Asked) -> Fault:
        if self.draw.random() > self.share:
            return Fault()
        kind = self.draw.choice(BODY_FAULTS if asked.is_file else ("error", "garbage"))
        self.met[kind] += 1
        return Fault(kind, after=self.draw.randrange(0, 4000), stall_s=0.12)  # type: ignore[arg-type]


@dataclass
class Outcome:
    whole: bool = False
    """Before the sky cleared."""
    ends: Counter[str] = field(default_factory=Counter)
    met: Counter[str] = field(default_factory=Counter)


def weather(seed: int, cache: Path) -> Outcome:
    """Each pull ends whole, or with a sentence and everything in order; what is left over is then fetched alone.

    ``HF_HUB_CACHE`` is ``cache``.
    """
    files, outcome, draw = repository(seed), Outcome(), random.Random(seed + 1000)
    storm = Storm(seed)
    with HubServer({REPO: files}, faults=storm) as hub:
        if draw.random() < 0.15:
            hub.lies = {draw.choice(TAKEN): draw.choice((-9, 9))}
        for _ in range(ATTEMPTS):
            stop_at = draw.randrange(1, 40) if draw.random() < 0.2 else 10**9
            asked = len(hub.requests)
            try:
                plan = make_plan(REPO, endpoint=hub.url, patience=IMPATIENT)
                path = pull(
                    plan,
                    patience=IMPATIENT,
                    stopped=lambda: len(hub.requests) - asked > stop_at,  # noqa: B023
                )
            except ModelError as error:
                outcome.ends[type(error).__name__] += 1
                assert str(error).endswith(".") and "\n" not in str(error), str(error)
                # Whatever lies there is not taken for a model, and no file under its own name is a part of one.
                assert local_snapshot(REPO) is None
                for pointer in cache.glob("models--*/snapshots/*/*"):
                    assert pointer.read_bytes() == files[pointer.name], (seed, pointer.name)
            else:
                outcome.whole = True
                assert same(path, files) and is_whole(path), seed
                break
        outcome.met = storm.met
        hub.faults, hub.lies, hub.sent_bytes = lambda _: Fault(), {}, 0
        plan = make_plan(REPO, endpoint=hub.url, patience=PATIENT)
        assert same(pull(plan, patience=PATIENT), files), seed
        # Nothing that was whole comes again; a part whose bytes are wrong costs its file once more.
        assert hub.sent_bytes <= plan.missing_bytes + sum(len(files[name]) for name in TAKEN)
        if outcome.whole:
            assert hub.sent_bytes == 0
    return outcome


def same(path: Path, files: dict[str, bytes]) -> bool:
    return all((path / name).read_bytes() == files[name] for name in TAKEN)
