"""The try of the embedded pair: it shows a working program, and says which part of a broken one is broken."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine import arms
from engine.commands import tryout
from engine.process.client import EngineDied, RequestRefused
from engine.process.protocol import Reply
from engine.trace.events import Arm, Failed


class FakeEngine:
    """An engine of which ``replies`` or ``error`` comes; ``kill`` is what the alarm does."""

    error: Exception | None = None
    replies: tuple[Reply, ...] = ()
    waits = False

    def __init__(self) -> None:
        self.process = self
        self.killed = threading.Event()

    def kill(self) -> None:
        self.killed.set()

    def __enter__(self) -> FakeEngine:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def ask(self, prompt: str, arms: list[Arm]) -> Iterator[Reply]:
        assert arms[0].name == "baseline"
        assert all(arm.settings.max_tokens == tryout.TOKENS for arm in arms)
        if self.waits:
            assert self.killed.wait(10)
            raise EngineDied("The engine ended unexpectedly (signal 9).")
        if self.error:
            raise self.error
        yield from self.replies


def outcome(**of: object) -> tryout.Finding:
    engine = type("Engine", (FakeEngine,), of)
    return tryout.tryout("mend it", client=engine, silence_s=0.05 if of.get("waits") else 60)


@pytest.mark.parametrize(
    ("of", "sentence"),
    [
        ({"error": EngineDied("It ended (signal 6).")}, "It ended (signal 6)."),
        ({"error": RequestRefused("No room.")}, "The engine refused the embedded pair: No room."),
        ({"replies": (Failed(arm="table", turn=0, t_s=0.0, message="Out of memory."),)}, "Out of memory."),
        ({"replies": ()}, "an arm gave no answer"),
        ({"waits": True}, "The engine ended unexpectedly (signal 9)."),
    ],
    ids=["dead", "refused", "failed", "silent", "hanging"],
)
def test_broken_engine_is_a_finding(of: dict[str, object], sentence: str) -> None:
    assert outcome(**of) == (False, sentence, "mend it")


def test_a_trained_drafter_is_tried_where_one_comes_along(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert tryout.embedded_drafter() == "E"
    monkeypatch.setattr(arms, "resources_dir", lambda: tmp_path)
    assert tryout.embedded_drafter() == "table"


def test_embedded_pair_gives_64_tokens_in_both_arms_with_one_text() -> None:
    """Through a real engine process and the embedded model: here the whole is what matters."""
    ok, detail, _ = tryout.tryout("mend it")
    assert ok, detail
    assert detail.startswith(f"64 and 64 tokens with baseline and {tryout.embedded_drafter()}, ")
    assert detail.endswith("verdict: identical")
